/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_sample - measures an operation again and again
 *
 * A sample is a run of as many operations as fill the pace's time, taken with
 * two clocks at once: the CPU time of this thread, which is what an operation
 * costs, and the time on the wall, which says how much of the processor others
 * took. The first runs, which find out how many operations that is, and the
 * warm-ups are not counted.
 */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BENCH_MAX_SAMPLES = 100,
	BENCH_MIN_SAMPLES = 3, /* however slow the operation is */
	BENCH_NOTE_SIZE = 80
};

struct bench_pace {
	unsigned warm_ups;
	unsigned samples;
	double sample_ns; /* what one sample is to take */
	double limit_ns;  /* no further sample once so much has passed */
};

/* False where it failed: measuring ends. */
typedef bool bench_operation(void *ctx);

struct bench_measured {
	size_t samples;
	uint64_t operations; /* in each sample */
	/* Of one operation, CPU time: */
	double mean_ns;
	double error_ns; /* at 99.9 % confidence */
	double wall_ns;	 /* mean time on the wall */
	/* Why the figure is to be doubted; empty where it is not. */
	char note[BENCH_NOTE_SIZE];
};

/* False where the operation failed. */
bool bench_measure(const struct bench_pace *pace, bench_operation *operation,
    void *ctx, struct bench_measured *measured_r);
/* The same from samples taken elsewhere: nanoseconds of one operation each. */
void bench_summarize(const double *cpu_ns, const double *wall_ns, size_t count,
    struct bench_measured *measured_r);

double bench_wall_ns(void); /* CLOCK_MONOTONIC */
double bench_cpu_ns(void);  /* CLOCK_THREAD_CPUTIME_ID */

#endif
