/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jobs - jobs for a pool of workers that wait until they are let go, and the
 * threads that run them
 */
#ifndef JOBS_H
#define JOBS_H

#include <pthread.h>
#include <stdatomic.h>

#include "work.h"

/* An operation that waits until it is let go. */
struct gate {
	atomic_bool open;
	atomic_uint inside;
	atomic_uint passed;
	atomic_uint most; /* inside at once */
};

/* A thread that runs one job. */
struct runner {
	struct work *work;
	void (*operation)(void *, size_t);
	void *ctx;
	size_t count;
	long timeout_ms;
	struct work_times times[WORK_MAX_OPERATIONS];
	enum work_outcome outcome;
	uint64_t wait_ns;
	pthread_t thread;
};

uint64_t jobs_now_ns(void);
void jobs_pause_ms(unsigned ms);
struct work *jobs_pool(unsigned threads, unsigned capacity);
/* The operation of a struct gate, as CTX. */
void jobs_pass_gate(void *ctx, size_t i);
/* A runner of COUNT operations of GATE. */
struct runner jobs_runner(
    struct work *work, struct gate *gate, size_t count, long timeout_ms);
/* Runs the job of a struct runner here. */
void *jobs_run(void *runner);
/* The same on a thread, and its end. */
void jobs_start(struct runner *runner);
void jobs_join(struct runner *runner);
void jobs_wait_inside(struct gate *gate, unsigned inside);
void jobs_wait_depth(struct work *work, unsigned depth);
/* A thread's function: opens a struct gate. */
void *jobs_open_after_100_ms(void *gate);
/* How many of the operations were done. */
size_t jobs_ran(const struct runner *runner);

#endif
