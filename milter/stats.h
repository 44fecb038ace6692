/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats - counters and histograms of the daemon
 *
 * Writers add to a shard of their own thread with relaxed atomics, no lock;
 * readers sum the shards, so a total is exact once its writers are at rest.
 * Rates over 1, 10 and 60 s, and those of the last minutes, come from totals
 * that stats_tick reads once a second. What a total is called, and its labels,
 * stand in metrics.c.
 *
 * Threads: all but stats_new, stats_free from any; stats_tick from one.
 */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>
#include <stdint.h>

#include "hazards.h"
#include "signpost.h"
#include "standing.h"

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

/* How often a passing signature has come in, label times of replay_*. */
enum stats_times_seen {
	SEEN_ONCE,
	SEEN_UNDER_10,
	SEEN_UNDER_100,
	SEEN_UNDER_1000,
	SEEN_MORE,
	SEEN_TIMES
};

/* What verification came to, label action of policy_actions_total: the values
 * of enum config_action. */
enum {
	STATS_POLICY_ACTIONS = 5
};

/* Whether that was done, label applied. */
enum stats_applied {
	POLICY_APPLIED,
	POLICY_DRY_RUN,
	POLICY_EXEMPT,
	STATS_APPLIED
};

/* What became of a failure report, label result of reports_total. */
enum stats_report {
	REPORT_SENT,
	REPORT_UNWANTED, /* the domain's record does not ask for it */
	REPORT_LIMITED,	 /* too many in the hour */
	REPORT_DROPPED,	 /* too many at once */
	REPORT_FAILED,	 /* could not be delivered */
	STATS_REPORTS
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
	COUNT_KEY_LEFT_OUT,    /* signed, but an applicable key is unusable */
	COUNT_RELOADS_OK,
	COUNT_RELOADS_FAILED,
	STATS_COUNTERS
};

/* Sizes of keys that have a label of their own. */
enum stats_key_size {
	KEY_SIZE_256, /* Ed25519 */
	KEY_SIZE_512,
	KEY_SIZE_1024,
	KEY_SIZE_2048,
	KEY_SIZE_3072,
	KEY_SIZE_4096,
	KEY_SIZE_8192,
	KEY_SIZE_OTHER,
	KEY_SIZES
};

/* What the rates are averaged over. */
enum stats_window {
	WINDOW_1S,
	WINDOW_10S,
	WINDOW_60S,
	WINDOWS
};

enum {
	STATS_BOUNDS = 22,   /* 1 us to 10 s */
	STATS_HISTORY = 300, /* ticks, and so seconds, that are kept in mind */
	STATS_ALGORITHMS = SIGNPOST_ALGORITHM_UNKNOWN + 1,
	STATS_RESULTS = SIGNPOST_PERMERROR + 1,
	STATS_DNS_ANSWERS = 5, /* of enum resolver_answer */
};

/* How often a duration was at most stats_bound_ns(i) and above the bound
 * before it; the last bucket has what is above all bounds. */
struct stats_histogram {
	uint64_t buckets[STATS_BOUNDS + 1];
	uint64_t sum_ns;
};

/* What one operation under one algorithm took. */
struct stats_times {
	struct stats_histogram cpu;   /* of the public-key work */
	struct stats_histogram queue; /* waiting for a worker */
	struct stats_histogram wait;  /* lost by the mail thread */
};

/* All sums. Every member is made of uint64_t and nothing else: stats.c adds
 * the shards up cell by cell. */
struct stats_totals {
	uint64_t counters[STATS_COUNTERS];
	uint64_t messages[MESSAGE_ACTIONS];
	uint64_t stage_cpu_ns[STAGES];
	uint64_t connections_open;
	uint64_t signs[STATS_ALGORITHMS][KEY_SIZES][SIGN_RESULTS];
	uint64_t verifies[STATS_ALGORITHMS][STATS_RESULTS];
	uint64_t reasons[SIGNPOST_REASONS];
	uint64_t hazards[HAZARDS];
	struct stats_times times[OPERATIONS][STATS_ALGORITHMS];
	uint64_t dns[STATS_DNS_ANSWERS];
	struct stats_histogram dns_time;
	uint64_t replay_signatures[SEEN_TIMES];
	uint64_t replay_recipients[SEEN_TIMES];
	uint64_t reports[STATS_REPORTS];
	uint64_t policy[STATS_POLICY_ACTIONS][STATS_APPLIED];
	uint64_t published_checks[STANDING_CHECKS];
};

/* Per second: signatures made, and signatures judged whatever the result. */
struct stats_rates {
	double signs[WINDOWS];
	double verifies[WINDOWS];
};

/* The rates of the last ticks, the oldest first. */
struct stats_history {
	size_t count;
	double signs[STATS_HISTORY];
	double verifies[STATS_HISTORY];
};

struct stats;

/* NULL: out of memory. */
struct stats *stats_new(void);
void stats_free(struct stats *stats);
void stats_add(struct stats *stats, enum stats_counter counter, uint64_t n);
/* A word for the log and for labels. */
const char *stats_action_token(enum stats_action action);
void stats_message(struct stats *stats, enum stats_action action);
void stats_stage_cpu(
    struct stats *stats, enum stats_stage stage, uint64_t cpu_ns);
void stats_connections_open(struct stats *stats, int change);
void stats_sign(struct stats *stats, enum signpost_algorithm algorithm,
    unsigned key_bits, enum stats_sign_result result);
void stats_verify(struct stats *stats, enum signpost_algorithm algorithm,
    enum signpost_result result, enum signpost_reason reason);
/* A message that was to be signed had HAZARD. */
void stats_hazard(struct stats *stats, enum hazard hazard);
/* One public-key operation: its CPU and queue time. */
void stats_operation(struct stats *stats, enum stats_operation operation,
    enum signpost_algorithm algorithm, uint64_t cpu_ns, uint64_t queue_ns);
/* What the mail thread lost to a job, submit to done; once for each operation
 * of the job, so that each algorithm shows it. */
void stats_wait(struct stats *stats, enum stats_operation operation,
    enum signpost_algorithm algorithm, uint64_t wait_ns);
void stats_dns(struct stats *stats, int resolver_answer, uint64_t elapsed_ns);
/* A passing signature that has come in MESSAGES times, this one included, and
 * this time to RECIPIENTS. */
void stats_replay(struct stats *stats, uint32_t messages, unsigned recipients);
void stats_policy(
    struct stats *stats, unsigned config_action, enum stats_applied applied);
void stats_report(struct stats *stats, enum stats_report result);
/* A look-up of the record of a key of ours. */
void stats_published_check(struct stats *stats, enum standing_check check);
/* Once a second: the ring behind the rates. A tick that comes within half a
 * second of the last one is passed over. */
void stats_tick(struct stats *stats, uint64_t now_ns);

void stats_read(const struct stats *stats, struct stats_totals *totals_r);
/* As of the last tick; 0 before the second one. */
void stats_read_rates(const struct stats *stats, struct stats_rates *rates_r);
/* The rate over 1 s at each tick but the first. */
void stats_read_history(
    const struct stats *stats, struct stats_history *history_r);
/* The upper bound of bucket I, under STATS_BOUNDS. */
uint64_t stats_bound_ns(size_t i);
uint64_t stats_histogram_count(const struct stats_histogram *histogram);
/* The duration in seconds that the share QUANTILE (0 to 1) stays below,
 * interpolated within its bucket; 0 for an empty histogram. */
double stats_histogram_quantile(
    const struct stats_histogram *histogram, double quantile);

/* CPU time of the calling thread, and time that never goes back. */
uint64_t stats_thread_cpu_ns(void);
uint64_t stats_monotonic_ns(void);

#endif
