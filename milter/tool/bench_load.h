/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_load - many connections at once to a milter, and what they saw
 *
 * One thread a connection; a message is taken by whichever is free. The
 * warm-up comes first, on all connections, and ends for all of them before
 * anything is counted.
 */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include "bench_client.h"
#include "bench_process.h"

enum {
	BENCH_MAX_CONNECTIONS = 1000,
	BENCH_MAX_MESSAGES = 10000000
};

struct bench_load_settings {
	struct endpoint endpoint;
	unsigned timeout_ms;
	struct bench_client_host host;
	const char *expect; /* NULL: nothing */
	struct bench_message *const *messages;
	size_t message_count; /* sent in turn */
	unsigned connections;
	size_t total;	   /* messages */
	unsigned warm_ups; /* messages of each connection */
	pid_t pid;	   /* of the milter; 0: to be found out */
	void (*tick)(void *ctx, size_t done); /* some times a second */
	void *ctx;
};

struct bench_load_result {
	double wall_ns;	    /* first message's start to last one's end */
	double own_cpu_ns;  /* of this process meanwhile */
	double *latency_ns; /* of each message, in their order */
	double *ended_ns;   /* since the start */
	struct bench_client_counts counts;
	pid_t pid; /* of the milter; 0: unknown */
	/* Of the milter: before the connections, when they were open and warm,
	 * at the end. Nothing where PID is 0. */
	struct bench_process before, warm, after;
	int64_t most_bytes; /* resident, of those looked at meanwhile */
};

/* 0, or the exit code with what happened in ERROR. RESULT_R is to be freed in
 * either case. */
int bench_load_run(const struct bench_load_settings *settings,
    struct bench_load_result *result_r, char error[BENCH_CLIENT_ERROR_SIZE]);
void bench_load_result_free(struct bench_load_result *result);

#endif
