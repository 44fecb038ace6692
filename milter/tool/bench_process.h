/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_process - what a process has used of CPU and memory, from /proc
 */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	BENCH_MAX_PROCESSES = 256
};

struct bench_process {
	double cpu_ns; /* of all its threads, ended ones too */
	/* What it was spent in, counted in ticks of 10 ms as a rule. */
	double user_ns, system_ns;
	int64_t resident_bytes;
	int64_t peak_bytes;
	unsigned threads;
	char name[32];
	pid_t pids[BENCH_MAX_PROCESSES]; /* itself first */
	size_t count;
};

/* PID and all its descendants together: a milter may have several processes.
 * False where there is no such process, or it may not be looked at. */
bool bench_process_look(pid_t pid, struct bench_process *process_r);
/* What the processes that were found have resident now; this reads a few
 * files, and looking at all goes through every process there is. */
int64_t bench_process_resident(const struct bench_process *process);
/* The most memory that this process has held; 0 where it is unknown. */
int64_t bench_process_peak_bytes(void);

#endif
