/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats - counters and histograms of the daemon
 *
 * Writers add to a shard of their own thread with relaxed atomics, no lock;
 * readers sum the shards. Rates over 1, 10 and 60 s come from a ring of
 * totals that stats_tick fills once a second. Tables in stats.c name each
 * metric, its labels and its help once; status.c prints from the tables.
 *
 * Threads: all but stats_new, stats_free from any; stats_tick from one.
 */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>
#include <stdint.h>

#include "signpost.h"

enum stats_operation {
	OPERATION_SIGN,
	OPERATION_VERIFY,
	OPERATIONS
};

/* Stages of the mail thread whose CPU time is counted. */
enum stats_stage {
	STAGE_CONNECT,
	STAGE_ENVELOPE,
	STAGE_HEADER,
	STAGE_END_OF_HEADERS,
	STAGE_BODY,
	STAGE_END_OF_MESSAGE,
	STAGE_ABORT,
	STAGE_CLOSE,
	STAGES
};

/* What was done with a message, label action of messages_total. */
enum stats_action {
	MESSAGE_SIGNED,
	MESSAGE_VERIFIED,
	MESSAGE_PASSED, /* neither: nothing to do */
	MESSAGE_REJECTED,
	MESSAGE_TEMPFAILED,
	MESSAGE_QUARANTINED,
	MESSAGE_DISCARDED,
	MESSAGE_ABORTED, /* the MTA gave it up */
	MESSAGE_ACTIONS
};

/* Label result of signs_total. */
enum stats_sign_result {
	SIGN_OK,
	SIGN_FAILED,
	SIGN_OVERLOAD,
	SIGN_DEADLINE,
	SIGN_RESULTS
};

/* Plain counters without labels; stats.c has name and help of each. */
enum stats_counter {
	COUNT_CONNECTIONS,
	COUNT_CONNECTIONS_REFUSED,
	COUNT_BODY_HASH_BYTES,
	COUNT_BODY_HASH_CPU_NS,
	COUNT_OVERLOAD,
	COUNT_DEADLINES,
	COUNT_HEADER_LIMIT,
	COUNT_SIGNATURES_OVER_LIMIT,
	COUNT_RESULTS_REMOVED, /* forged Authentication-Results */
	COUNT_NOT_SIGNED,      /* trusted mail that no key signed */
	COUNT_RELOADS_OK,
	COUNT_RELOADS_FAILED,
	STATS_COUNTERS
};

struct stats;

struct stats *stats_new(void);
void stats_free(struct stats *stats);
void stats_add(struct stats *stats, enum stats_counter counter, uint64_t n);
void stats_message(struct stats *stats, enum stats_action action);
void stats_stage_cpu(
    struct stats *stats, enum stats_stage stage, uint64_t cpu_ns);
void stats_connections_open(struct stats *stats, int change);
void stats_sign(struct stats *stats, enum signpost_algorithm algorithm,
    unsigned key_bits, enum stats_sign_result result);
void stats_verify(struct stats *stats, enum signpost_algorithm algorithm,
    enum signpost_result result, enum signpost_reason reason);
/* One public-key operation: its CPU and queue time. */
void stats_operation(struct stats *stats, enum stats_operation operation,
    enum signpost_algorithm algorithm, uint64_t cpu_ns, uint64_t queue_ns);
/* What the mail thread lost to a job, submit to done. */
void stats_wait(struct stats *stats, enum stats_operation operation,
    enum signpost_algorithm algorithm, uint64_t wait_ns);
void stats_dns(struct stats *stats, int resolver_answer, uint64_t elapsed_ns);
/* Once a second: the ring behind the rates. */
void stats_tick(struct stats *stats, uint64_t now_ns);

/* CPU time of the calling thread. */
uint64_t stats_thread_cpu_ns(void);
uint64_t stats_monotonic_ns(void);

#endif
