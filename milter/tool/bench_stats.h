/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_stats - what samples say: mean, error, quantiles
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

struct bench_stats {
	double mean;
	double deviation; /* of the samples, N - 1 */
	/* Half the width of the interval around MEAN that holds the true mean
	 * with 99.9 % confidence (Student's t); NAN for fewer than two. */
	double error;
};

/* COUNT is at least 1. */
struct bench_stats bench_stats_of(const double *samples, size_t count);
/* Student's t for 99.9 %, two-sided, with FREEDOM degrees, at least 1. */
double bench_student_t(size_t freedom);
/* Sorts SAMPLES. */
void bench_stats_sort(double *samples, size_t count);
/* Of sorted samples: the least that is not under the part P (0 to 1) of
 * them. COUNT is at least 1. */
double bench_quantile(const double *sorted, size_t count, double p);

#endif
