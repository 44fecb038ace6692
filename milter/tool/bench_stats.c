/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

double
bench_student_t(size_t freedom)
{
	static const double table[] = { 636.619, 31.599, 12.924, 8.610, 6.869,
		5.959, 5.408, 5.041, 4.781, 4.587, 4.437, 4.318, 4.221, 4.140,
		4.073, 4.015, 3.965, 3.922, 3.883, 3.850, 3.819, 3.792, 3.768,
		3.745, 3.725, 3.707, 3.690, 3.674, 3.659, 3.646 };
	const double normal = 3.2905; /* t of infinitely many */
	double n = (double)freedom;

	assert(freedom > 0);
	if (freedom <= sizeof(table) / sizeof(table[0]))
		return table[freedom - 1];
	/* The first terms of the expansion by 1/n; three digits are right. */
	return normal + (pow(normal, 3) + normal) / (4 * n) +
	    (5 * pow(normal, 5) + 16 * pow(normal, 3) + 3 * normal) /
	    (96 * n * n);
}

struct bench_stats
bench_stats_of(const double *samples, size_t count)
{
	struct bench_stats stats = { .error = NAN };
	double squares = 0;

	assert(count > 0);
	for (size_t i = 0; i < count; i++)
		stats.mean += samples[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += pow(samples[i] - stats.mean, 2);
	if (count == 1)
		return stats;
	stats.deviation = sqrt(squares / (double)(count - 1));
	stats.error =
	    bench_student_t(count - 1) * stats.deviation / sqrt((double)count);
	return stats;
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
bench_stats_sort(double *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), compare);
}

double
bench_quantile(const double *sorted, size_t count, double p)
{
	double rank = ceil(p * (double)count);

	assert(count > 0 && p >= 0 && p <= 1);
	return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}
