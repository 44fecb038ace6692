/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_machine - on what was measured
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>

struct bench_machine {
	char processor[128];
	unsigned processors; /* that this process may use */
	double ghz;
	const char *ghz_source;
	char system[192]; /* name, release and hardware of the kernel */
	char date[32];	  /* RFC 3339, UTC */
	double load;	  /* processes that want to run, in the last minute;
			     negative where it is unknown */
};

void bench_machine_look(struct bench_machine *machine_r);
/* The clock of the processor that this runs on, in GHz, from additions that
 * wait for each other: one a cycle. */
double bench_machine_measure_ghz(void);

#endif
