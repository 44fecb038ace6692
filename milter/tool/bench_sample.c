/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_sample.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

#include "bench_stats.h"

/* What is called noise. */
#define NOISY_WAIT   0.20 /* of the time on the wall, not on the processor */
#define NOISY_SPREAD 0.10 /* deviation of the samples by their mean */

static double
clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

double
bench_wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

double
bench_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* One sample: times of one operation. */
static bool
run(bench_operation *operation, void *ctx, uint64_t operations, double *cpu_r,
    double *wall_r)
{
	double wall = bench_wall_ns(), cpu = bench_cpu_ns();

	for (uint64_t i = 0; i < operations; i++)
		if (!operation(ctx))
			return false;
	cpu = bench_cpu_ns() - cpu;
	wall = bench_wall_ns() - wall;
	*cpu_r = cpu / (double)operations;
	*wall_r = wall / (double)operations;
	return true;
}

/* How many operations fill a sample. */
static bool
calibrate(const struct bench_pace *pace, bench_operation *operation, void *ctx,
    uint64_t *operations_r)
{
	double cpu, wall, taken = 0;
	uint64_t n;

	for (n = 1;; n *= 2) {
		if (!run(operation, ctx, n, &cpu, &wall))
			return false;
		taken = cpu * (double)n;
		if (taken >= pace->sample_ns / 4 || n > UINT64_MAX / 4)
			break;
	}
	if (taken < pace->sample_ns)
		n = (uint64_t)((double)n * pace->sample_ns / taken) + 1;
	*operations_r = n;
	return true;
}

void
bench_summarize(const double *cpu_ns, const double *wall_ns, size_t count,
    struct bench_measured *measured_r)
{
	struct bench_stats cpu = bench_stats_of(cpu_ns, count);
	struct bench_stats wall = bench_stats_of(wall_ns, count);
	double waited = wall.mean > 0 ? 1 - cpu.mean / wall.mean : 0;
	double spread = cpu.mean > 0 ? cpu.deviation / cpu.mean : 0;

	measured_r->samples = count;
	measured_r->mean_ns = cpu.mean;
	measured_r->error_ns = cpu.error;
	measured_r->wall_ns = wall.mean;
	measured_r->note[0] = '\0';
	if (waited > NOISY_WAIT && spread > NOISY_SPREAD)
		snprintf(measured_r->note, BENCH_NOTE_SIZE,
		    "noisy: waited %.0f %%, spread %.0f %%", 100 * waited,
		    100 * spread);
	else if (waited > NOISY_WAIT)
		snprintf(measured_r->note, BENCH_NOTE_SIZE,
		    "noisy: waited %.0f %%", 100 * waited);
	else if (spread > NOISY_SPREAD)
		snprintf(measured_r->note, BENCH_NOTE_SIZE,
		    "noisy: spread %.0f %%", 100 * spread);
}

bool
bench_measure(const struct bench_pace *pace, bench_operation *operation,
    void *ctx, struct bench_measured *measured_r)
{
	double cpu[BENCH_MAX_SAMPLES], wall[BENCH_MAX_SAMPLES];
	double start = bench_wall_ns();
	size_t count = 0;

	assert(pace->samples >= BENCH_MIN_SAMPLES &&
	    pace->samples <= BENCH_MAX_SAMPLES);
	*measured_r = (struct bench_measured){ 0 };
	if (!calibrate(pace, operation, ctx, &measured_r->operations))
		return false;
	for (unsigned i = 0; i < pace->warm_ups; i++)
		if (!run(operation, ctx, measured_r->operations, cpu, wall))
			return false;
	while (count < pace->samples &&
	    (count < BENCH_MIN_SAMPLES ||
		bench_wall_ns() - start < pace->limit_ns)) {
		if (!run(operation, ctx, measured_r->operations, &cpu[count],
			&wall[count]))
			return false;
		count++;
	}
	bench_summarize(cpu, wall, count, measured_r);
	return true;
}
