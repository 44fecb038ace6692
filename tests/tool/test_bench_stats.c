/* SPDX-License-Identifier: BSD-2-Clause */
/* Mean, error and quantiles of samples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench_machine.h"
#include "bench_sample.h"
#include "bench_stats.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.9g, not %.9g", is, want);
}

static void
students_t_is_that_of_the_tables(void **state)
{
	static const struct {
		size_t freedom;
		double want;
	} rows[] = { { 1, 636.619 }, { 4, 8.610 }, { 19, 3.883 }, { 30, 3.646 },
		{ 31, 3.633 }, { 40, 3.551 }, { 60, 3.460 }, { 120, 3.373 },
		{ 1000000, 3.291 } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		near(bench_student_t(rows[i].freedom), rows[i].want, 0.0015);
}

static void
mean_and_error_are_those_of_the_samples(void **state)
{
	static const double samples[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct bench_stats stats = bench_stats_of(samples, COUNT(samples));

	(void)state;
	near(stats.mean, 5, 1e-12);
	near(stats.deviation, sqrt(32.0 / 7), 1e-12);
	near(stats.error, 5.408 * sqrt(32.0 / 7 / 8), 1e-12);
	stats = bench_stats_of(samples, 1);
	near(stats.mean, 2, 0);
	assert_true(isnan(stats.error));
}

static void
a_quantile_is_a_sample(void **state)
{
	double samples[] = { 9, 1, 5, 3, 7, 2, 8, 4, 10, 6 };

	(void)state;
	bench_stats_sort(samples, COUNT(samples));
	near(bench_quantile(samples, COUNT(samples), 0), 1, 0);
	near(bench_quantile(samples, COUNT(samples), 0.5), 5, 0);
	near(bench_quantile(samples, COUNT(samples), 0.9), 9, 0);
	near(bench_quantile(samples, COUNT(samples), 0.99), 10, 0);
	near(bench_quantile(samples, COUNT(samples), 1), 10, 0);
	near(bench_quantile(samples, 1, 0.5), 1, 0);
}

static void
noise_is_told(void **state)
{
	static const double even[] = { 10, 10, 10 }, uneven[] = { 5, 10, 15 },
			    waiting[] = { 20, 20, 20 };
	struct bench_measured measured;

	(void)state;
	bench_summarize(even, even, 3, &measured);
	assert_string_equal(measured.note, "");
	bench_summarize(even, waiting, 3, &measured);
	assert_string_equal(measured.note, "noisy: waited 50 %");
	bench_summarize(uneven, uneven, 3, &measured);
	assert_string_equal(measured.note, "noisy: spread 50 %");
	bench_summarize(uneven, waiting, 3, &measured);
	assert_string_equal(measured.note, "noisy: waited 50 %, spread 50 %");
}

struct counter {
	size_t calls, fail_at;
};

static bool
count_call(void *ctx)
{
	struct counter *counter = ctx;

	return ++counter->calls != counter->fail_at;
}

static void
measuring_takes_the_samples_that_the_pace_wants(void **state)
{
	const struct bench_pace pace = { 2, 7, 1e4, 1e9 };
	struct bench_measured measured;
	struct counter counter = { 0, 0 };

	(void)state;
	assert_true(bench_measure(&pace, count_call, &counter, &measured));
	assert_int_equal(measured.samples, 7);
	assert_true(counter.calls >= 9 * measured.operations);
	assert_true(measured.mean_ns > 0 && measured.wall_ns > 0);
	counter = (struct counter){ 0, 3 };
	assert_false(bench_measure(&pace, count_call, &counter, &measured));
	assert_int_equal(counter.calls, 3);
}

static void
the_clock_that_is_measured_may_be_one(void **state)
{
	double ghz = bench_machine_measure_ghz();

	(void)state;
	print_message("  %.2f GHz\n", ghz);
	assert_true(ghz > 0.05 && ghz < 20);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(students_t_is_that_of_the_tables),
		cmocka_unit_test(mean_and_error_are_those_of_the_samples),
		cmocka_unit_test(a_quantile_is_a_sample),
		cmocka_unit_test(noise_is_told),
		cmocka_unit_test(the_clock_that_is_measured_may_be_one),
		cmocka_unit_test(
		    measuring_takes_the_samples_that_the_pace_wants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
