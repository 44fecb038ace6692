/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * work - the worker pool for public-key operations
 *
 * N threads behind one bounded FIFO queue; never are more than N operations
 * under way, and none passes another. A job is all the public-key work of one
 * message: a count of operations that may run side by side. Where no job waits
 * and fewer than N operations are under way, the mail thread begins at once
 * itself (unless told not to), as to wake another thread costs as much as to
 * verify a signature; else whichever worker is free does them, and one wake-up
 * tells the mail thread when the last has ended. Submitting never waits: a full
 * queue is BUSY at once.
 *
 * The mail thread waits with a deadline. When that passes, operations not yet
 * begun are dropped, the one under way is waited for (a public-key operation
 * is short), and the job is the caller's again: nothing outlives work_run.
 *
 * Threads: work_run and work_counts from any; operations run on workers and on
 * the thread that called work_run, those of one job at the same time. One
 * mutex, held neither during an operation nor during the call of
 * work_on_stuck.
 */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum work_outcome {
	WORK_DONE,
	WORK_BUSY,     /* the queue was full: nothing was done */
	WORK_DEADLINE, /* some operations were not begun; see work_job.ran */
};

/* Times of one operation, in nanoseconds. */
struct work_times {
	uint64_t queue_ns; /* submit to begin */
	uint64_t cpu_ns;   /* thread CPU time of the operation */
	bool ran;
};

enum {
	WORK_MAX_OPERATIONS = 64
};

struct work_job {
	/* Does operation I; runs on a worker, or on the calling thread. */
	void (*operation)(void *ctx, size_t i);
	void *ctx;
	size_t count;		  /* at most WORK_MAX_OPERATIONS */
	struct work_times *times; /* COUNT of them, written by the pool */
};

struct work_counts {
	unsigned workers;
	unsigned busy;		  /* operations under way, on any thread */
	unsigned depth, capacity; /* jobs waiting, at most */
	uint64_t overloads;	  /* jobs refused */
	uint64_t deadlines;	  /* jobs given up */
	uint64_t cpu_ns;	  /* CPU time of all workers, not of callers */
};

struct work;

/* THREADS 0: one a processor. DIRECT: a calling thread begins itself where
 * there is room. False where a thread could not be made. */
bool work_new(
    unsigned threads, unsigned capacity, bool direct, struct work **work_r);
/* Before the first job: has each thread that has waited 200 ms for its turn
 * call CALL, once a job, before it goes on waiting. */
void work_on_stuck(struct work *work, void (*call)(void *ctx), void *ctx);
/* Ends the threads once the queue is empty. */
void work_free(struct work *work);
/* Runs JOB and waits for it until DEADLINE (CLOCK_MONOTONIC). WAIT_NS_R is
 * what the calling thread lost, submit to done. */
enum work_outcome work_run(struct work *work, const struct work_job *job,
    const struct timespec *deadline, uint64_t *wait_ns_r);
void work_counts(struct work *work, struct work_counts *out_r);

#endif
