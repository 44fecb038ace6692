/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics.h"

#include <stddef.h>

/*
 * Values of labels.
 */
static const char *
operation_value(size_t i)
{
	static const char *const values[OPERATIONS] = {
		[OPERATION_SIGN] = "sign",
		[OPERATION_VERIFY] = "verify",
	};

	return values[i];
}

static const char *
algorithm_value(size_t i)
{
	return signpost_algorithm_name((enum signpost_algorithm)i);
}

static const char *
key_bits_value(size_t i)
{
	static const char *const values[KEY_SIZES] = {
		[KEY_SIZE_256] = "256",
		[KEY_SIZE_512] = "512",
		[KEY_SIZE_1024] = "1024",
		[KEY_SIZE_2048] = "2048",
		[KEY_SIZE_3072] = "3072",
		[KEY_SIZE_4096] = "4096",
		[KEY_SIZE_8192] = "8192",
		[KEY_SIZE_OTHER] = "other",
	};

	return values[i];
}

static const char *
sign_result_value(size_t i)
{
	static const char *const values[SIGN_RESULTS] = {
		[SIGN_OK] = "ok",
		[SIGN_FAILED] = "failed",
		[SIGN_OVERLOAD] = "overload",
		[SIGN_DEADLINE] = "deadline",
	};

	return values[i];
}

static const char *
result_value(size_t i)
{
	return signpost_result_word((enum signpost_result)i);
}

/* SIGNPOST_REASON_NONE has no token, and no row. */
static const char *
reason_value(size_t i)
{
	return signpost_reason_token((enum signpost_reason)(i + 1));
}

static const char *
hazard_value(size_t i)
{
	return hazard_token((enum hazard)i);
}

static const char *
window_value(size_t i)
{
	static const char *const values[WINDOWS] = {
		[WINDOW_1S] = "1s",
		[WINDOW_10S] = "10s",
		[WINDOW_60S] = "60s",
	};

	return values[i];
}

static const char *
action_value(size_t i)
{
	return stats_action_token((enum stats_action)i);
}

static const char *
stage_value(size_t i)
{
	static const char *const values[STAGES] = {
		[STAGE_CONNECT] = "connect",
		[STAGE_ENVELOPE] = "envelope",
		[STAGE_HEADER] = "header",
		[STAGE_END_OF_HEADERS] = "end_of_headers",
		[STAGE_BODY] = "body",
		[STAGE_END_OF_MESSAGE] = "end_of_message",
		[STAGE_ABORT] = "abort",
		[STAGE_CLOSE] = "close",
	};

	return values[i];
}

static const char *
thread_value(size_t i)
{
	static const char *const values[THREADS] = {
		[THREAD_MAIL] = "mail",
		[THREAD_WORKER] = "worker",
		[THREAD_DNS] = "dns",
		[THREAD_STATUS] = "status",
		[THREAD_OTHER] = "other",
	};

	return values[i];
}

/* Those of enum resolver_answer. */
static const char *
answer_value(size_t i)
{
	static const char *const values[STATS_DNS_ANSWERS] = {
		"found",
		"no_name",
		"timeout",
		"failed",
		"bogus",
	};

	return values[i];
}

static const char *
times_value(size_t i)
{
	static const char *const values[SEEN_TIMES] = {
		[SEEN_ONCE] = "1",
		[SEEN_UNDER_10] = "2-9",
		[SEEN_UNDER_100] = "10-99",
		[SEEN_UNDER_1000] = "100-999",
		[SEEN_MORE] = "1000+",
	};

	return values[i];
}

static const char *
report_value(size_t i)
{
	static const char *const values[STATS_REPORTS] = {
		[REPORT_SENT] = "sent",
		[REPORT_UNWANTED] = "unwanted",
		[REPORT_LIMITED] = "limited",
		[REPORT_DROPPED] = "dropped",
		[REPORT_FAILED] = "failed",
	};

	return values[i];
}

/* Those of enum config_action. */
static const char *
policy_action_value(size_t i)
{
	static const char *const values[STATS_POLICY_ACTIONS] = {
		"accept",
		"reject",
		"tempfail",
		"quarantine",
		"discard",
	};

	return values[i];
}

static const char *
applied_value(size_t i)
{
	static const char *const values[STATS_APPLIED] = {
		[POLICY_APPLIED] = "yes",
		[POLICY_DRY_RUN] = "dry_run",
		[POLICY_EXEMPT] = "exempt",
	};

	return values[i];
}

static const char *
state_value(size_t i)
{
	return standing_token((enum standing_state)i);
}

static const char *
check_value(size_t i)
{
	return standing_check_token((enum standing_check)i);
}

static const char *
cache_value(size_t i)
{
	static const char *const values[CACHES] = {
		[CACHE_PRIVATE] = "private",
		[CACHE_PUBLIC] = "public",
	};

	return values[i];
}

static const char *
reload_value(size_t i)
{
	return i == 0 ? "ok" : "failed";
}

static const char *
version_value(size_t i)
{
	(void)i;
	return PACKAGE_VERSION;
}

static const char *
compiler_value(size_t i)
{
	(void)i;
	return __VERSION__;
}

static const char *
jansson_value(size_t i)
{
	(void)i;
	return jansson_version_str();
}

static const struct metric_label operation = { "operation", OPERATIONS,
	operation_value };
static const struct metric_label algorithm = { "algorithm", STATS_ALGORITHMS,
	algorithm_value };
static const struct metric_label key_bits = { "key_bits", KEY_SIZES,
	key_bits_value };
static const struct metric_label sign_result = { "result", SIGN_RESULTS,
	sign_result_value };
static const struct metric_label result = { "result", STATS_RESULTS,
	result_value };
static const struct metric_label reason = { "reason", SIGNPOST_REASONS - 1,
	reason_value };
static const struct metric_label hazard = { "hazard", HAZARDS, hazard_value };
static const struct metric_label window = { "window", WINDOWS, window_value };
static const struct metric_label action = { "action", MESSAGE_ACTIONS,
	action_value };
static const struct metric_label stage = { "stage", STAGES, stage_value };
static const struct metric_label thread_kind = { "kind", THREADS,
	thread_value };
static const struct metric_label answer = { "result", STATS_DNS_ANSWERS,
	answer_value };
static const struct metric_label report = { "result", STATS_REPORTS,
	report_value };
static const struct metric_label policy_action = { "action",
	STATS_POLICY_ACTIONS, policy_action_value };
static const struct metric_label applied = { "applied", STATS_APPLIED,
	applied_value };
static const struct metric_label times = { "times", SEEN_TIMES, times_value };
static const struct metric_label state = { "state", STANDING_STATES,
	state_value };
static const struct metric_label check = { "result", STANDING_CHECKS,
	check_value };
static const struct metric_label cache = { "cache", CACHES, cache_value };
static const struct metric_label reload = { "result", 2, reload_value };
static const struct metric_label version = { "version", 1, version_value };
static const struct metric_label compiler = { "compiler", 1, compiler_value };
static const struct metric_label jansson = { "jansson", 1, jansson_value };

/*
 * A rate needs a first sample of 0, but not each of the combinations that
 * never come; these are the ones that do.
 */
static bool
is_usual_algorithm(size_t i)
{
	return i == SIGNPOST_RSA_SHA256 || i == SIGNPOST_ED25519_SHA256;
}

static bool
sign_is_usual(const size_t i[METRIC_MAX_LABELS])
{
	return i[0] == SIGNPOST_RSA_SHA256    ? i[1] == KEY_SIZE_2048
	    : i[0] == SIGNPOST_ED25519_SHA256 ? i[1] == KEY_SIZE_256
					      : false;
}

static bool
verify_is_usual(const size_t i[METRIC_MAX_LABELS])
{
	return is_usual_algorithm(i[0]) && i[1] != SIGNPOST_NONE;
}

static bool
policy_is_usual(const size_t i[METRIC_MAX_LABELS])
{
	return i[1] == POLICY_APPLIED;
}

static bool
operation_is_usual(const size_t i[METRIC_MAX_LABELS])
{
	return is_usual_algorithm(i[1]);
}

/* Where the figures are, and how far apart. */
#define OFFSET(member) offsetof(struct metrics_readings, member)
#define COUNTS(member) OFFSET(member), sizeof(uint64_t)
#define REALS(member)  OFFSET(member), sizeof(double)
#define COUNTER(name)  OFFSET(totals.counters[COUNT_##name]), sizeof(uint64_t)
#define DURATIONS(member) \
	OFFSET(totals.times[0][0].member), sizeof(struct stats_times)
#define OF_CACHES(member) \
	OFFSET(caches[0].member), sizeof(struct metrics_cache_readings)

/* Name, help, type, unit, place, labels, usual, path and leaf in JSON. */
static const struct metric rows[] = {
	{ "signpost_build_info", "1, with the versions of what runs.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(one),
	    { &version, &compiler, &jansson }, NULL, "build", "value" },
	{ "signpost_ready", "1 where mail is served, else 0.", METRIC_GAUGE,
	    UNIT_COUNT, COUNTS(ready), { NULL }, NULL, "", "ready" },
	{ "signpost_uptime_seconds", "Seconds since the daemon started.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(uptime_s), { NULL }, NULL, "",
	    "uptime_seconds" },

	{ "signpost_signs_total",
	    "Signatures to be made, by what became of them.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTS(totals.signs),
	    { &algorithm, &key_bits, &sign_result }, sign_is_usual, "signs",
	    "count" },
	{ "signpost_verifies_total", "Signatures judged, by result.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTS(totals.verifies),
	    { &algorithm, &result }, verify_is_usual, "verifies", "count" },
	{ "signpost_verify_reasons_total",
	    "Signatures that did not pass, by reason.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTS(totals.reasons[1]), { &reason }, NULL,
	    "verify_reasons", NULL },
	{ "signpost_sign_hazards_total",
	    "Messages to be signed, by what may break the signature.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTS(totals.hazards), { &hazard },
	    NULL, "sign_hazards", NULL },
	{ "signpost_signs_per_second",
	    "Signatures made, averaged over the window.", METRIC_GAUGE,
	    UNIT_REAL, REALS(rates.signs), { &window }, NULL,
	    "signs_per_second", NULL },
	{ "signpost_verifies_per_second",
	    "Signatures judged, averaged over the window.", METRIC_GAUGE,
	    UNIT_REAL, REALS(rates.verifies), { &window }, NULL,
	    "verifies_per_second", NULL },

	{ "signpost_operation_cpu_seconds",
	    "CPU time of one public-key operation.", METRIC_HISTOGRAM,
	    UNIT_NANOSECONDS, DURATIONS(cpu), { &operation, &algorithm },
	    operation_is_usual, "operations", "cpu_seconds" },
	{ "signpost_operation_queue_seconds",
	    "Time that one public-key operation waited for a worker.",
	    METRIC_HISTOGRAM, UNIT_NANOSECONDS, DURATIONS(queue),
	    { &operation, &algorithm }, operation_is_usual, "operations",
	    "queue_seconds" },
	{ "signpost_mail_thread_wait_seconds",
	    "What the mail thread lost to the public-key work of a message, "
	    "submit to done, once for each operation.",
	    METRIC_HISTOGRAM, UNIT_NANOSECONDS, DURATIONS(wait),
	    { &operation, &algorithm }, operation_is_usual, "operations",
	    "mail_thread_wait_seconds" },

	{ "signpost_body_hash_bytes_total",
	    "Octets of message bodies canonicalized and hashed.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTER(BODY_HASH_BYTES), { NULL },
	    NULL, "body_hash", "bytes" },
	{ "signpost_body_hash_cpu_seconds_total",
	    "CPU time of canonicalizing and hashing bodies.", METRIC_COUNTER,
	    UNIT_NANOSECONDS, COUNTER(BODY_HASH_CPU_NS), { NULL }, NULL,
	    "body_hash", "cpu_seconds" },
	{ "signpost_worker_cpu_seconds_total",
	    "CPU time of public-key work, on the workers and on mail's "
	    "threads.",
	    METRIC_COUNTER, UNIT_NANOSECONDS, COUNTS(worker_cpu_ns),
	    { &operation }, NULL, "cpu_seconds.worker", NULL },
	{ "signpost_mail_thread_cpu_seconds_total",
	    "CPU time of the milter's callbacks on the mail threads.",
	    METRIC_COUNTER, UNIT_NANOSECONDS, COUNTS(totals.stage_cpu_ns),
	    { &stage }, NULL, "cpu_seconds.mail_thread", NULL },
	{ "signpost_thread_cpu_seconds_total",
	    "CPU time by kind of thread; together that of the process.",
	    METRIC_COUNTER, UNIT_NANOSECONDS, COUNTS(thread_cpu_ns),
	    { &thread_kind }, NULL, "cpu_seconds.threads", NULL },

	{ "signpost_workers", "Worker threads.", METRIC_GAUGE, UNIT_COUNT,
	    COUNTS(workers), { NULL }, NULL, "workers", "count" },
	{ "signpost_workers_busy", "Public-key operations under way now.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(workers_busy), { NULL }, NULL,
	    "workers", "busy" },
	{ "signpost_queue_depth", "Messages that wait for a worker now.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(queue_depth), { NULL }, NULL,
	    "queue", "depth" },
	{ "signpost_queue_capacity", "Messages that may wait for a worker.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(queue_capacity), { NULL }, NULL,
	    "queue", "capacity" },
	{ "signpost_overload_total", "Messages that found the queue full.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTER(OVERLOAD), { NULL }, NULL,
	    "queue", "overloads" },
	{ "signpost_deadlines_total",
	    "Messages whose public-key work was not done in time.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTER(DEADLINES), { NULL }, NULL,
	    "queue", "deadlines" },

	{ "signpost_messages_total", "Messages, by what was done with them.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTS(totals.messages), { &action },
	    NULL, "messages", NULL },
	{ "signpost_policy_actions_total",
	    "Messages verified, by what the settings say to do with them.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTS(totals.policy),
	    { &policy_action, &applied }, policy_is_usual, "policy", "count" },
	{ "signpost_messages_not_signed_total",
	    "Messages of trusted clients that no key signed.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTER(NOT_SIGNED), { NULL }, NULL, "limits",
	    "not_signed" },
	{ "signpost_messages_key_left_out_total",
	    "Messages signed without a key that applies and can't be used.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTER(KEY_LEFT_OUT), { NULL }, NULL,
	    "limits", "key_left_out" },
	{ "signpost_header_limit_total",
	    "Messages whose header was over limits.max_header_bytes.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTER(HEADER_LIMIT), { NULL }, NULL,
	    "limits", "header" },
	{ "signpost_signatures_over_limit_total",
	    "Signatures beyond verify.max_signatures.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTER(SIGNATURES_OVER_LIMIT), { NULL }, NULL,
	    "limits", "signatures" },
	{ "signpost_results_removed_total",
	    "Authentication-Results fields removed that claimed to be ours.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTER(RESULTS_REMOVED), { NULL },
	    NULL, "limits", "results_removed" },
	{ "signpost_connections_total", "Connections of the MTA.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTER(CONNECTIONS), { NULL }, NULL,
	    "connections", "total" },
	{ "signpost_connections_refused_total",
	    "Connections over limits.max_connections.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTER(CONNECTIONS_REFUSED), { NULL }, NULL,
	    "connections", "refused" },
	{ "signpost_connections_open", "Connections of the MTA now.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(totals.connections_open), { NULL },
	    NULL, "connections", "open" },

	{ "signpost_dns_lookups_total", "Key look-ups, by answer.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTS(totals.dns), { &answer }, NULL,
	    "dns.lookups", NULL },
	{ "signpost_dns_seconds", "Time that a key look-up took.",
	    METRIC_HISTOGRAM, UNIT_NANOSECONDS, COUNTS(totals.dns_time),
	    { NULL }, NULL, "dns", "seconds" },
	{ "signpost_dns_pending", "Questions to DNS not answered yet.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(dns_pending), { NULL }, NULL,
	    "dns", "pending" },
	{ "signpost_dns_refused_total",
	    "Questions not asked: too many were pending.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTS(dns_refused), { NULL }, NULL, "dns", "refused" },
	{ "signpost_dns_refused_client_total",
	    "Questions not asked: too many of their client's were pending.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTS(dns_refused_share), { NULL },
	    NULL, "dns", "refused_client" },

	{ "signpost_replay_signatures_total",
	    "Passing signatures, by how often each had come in.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTS(totals.replay_signatures),
	    { &times }, NULL, "replay.signatures", NULL },
	{ "signpost_replay_recipients_total",
	    "Recipients of the same, likewise.", METRIC_COUNTER, UNIT_COUNT,
	    COUNTS(totals.replay_recipients), { &times }, NULL,
	    "replay.recipients", NULL },
	{ "signpost_replay_entries", "Signatures kept in mind now.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(replay_entries), { NULL }, NULL,
	    "replay", "entries" },
	{ "signpost_replay_evictions_total",
	    "Signatures forgotten to make room for others.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTS(replay_evictions), { NULL }, NULL, "replay",
	    "evictions" },

	{ "signpost_reports_total",
	    "Signatures that failed and ask for a report, by what became of "
	    "it.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTS(totals.reports), { &report },
	    NULL, "reports", NULL },

	{ "signpost_keys",
	    "Keys that sign only while their record is published, by where "
	    "they stand.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(keys), { &state }, NULL,
	    "published.keys", NULL },
	{ "signpost_key_checks_total",
	    "Look-ups of the records of such keys, by result.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTS(totals.published_checks), { &check }, NULL,
	    "published.checks", NULL },

	{ "signpost_key_cache_hits_total", "Keys found in the cache.",
	    METRIC_COUNTER, UNIT_COUNT, OF_CACHES(hits), { &cache }, NULL,
	    "key_caches", "hits" },
	{ "signpost_key_cache_misses_total", "Keys not found in the cache.",
	    METRIC_COUNTER, UNIT_COUNT, OF_CACHES(misses), { &cache }, NULL,
	    "key_caches", "misses" },
	{ "signpost_key_cache_joined_total",
	    "Look-ups that joined one under way.", METRIC_COUNTER, UNIT_COUNT,
	    OF_CACHES(joined), { &cache }, NULL, "key_caches", "joined" },
	{ "signpost_key_cache_evictions_total",
	    "Keys dropped to make room for others.", METRIC_COUNTER, UNIT_COUNT,
	    OF_CACHES(evictions), { &cache }, NULL, "key_caches", "evictions" },
	{ "signpost_key_cache_entries", "Keys in the cache now.", METRIC_GAUGE,
	    UNIT_COUNT, OF_CACHES(entries), { &cache }, NULL, "key_caches",
	    "entries" },
	{ "signpost_key_cache_bytes",
	    "Octets of the cache now, where they are counted.", METRIC_GAUGE,
	    UNIT_COUNT, OF_CACHES(bytes), { &cache }, NULL, "key_caches",
	    "bytes" },
	{ "signpost_key_load_failures_total",
	    "Private keys that could not be loaded.", METRIC_COUNTER,
	    UNIT_COUNT, COUNTS(key_load_failures), { NULL }, NULL, "",
	    "key_load_failures" },
	{ "signpost_reloads_total", "Configurations loaded after the first.",
	    METRIC_COUNTER, UNIT_COUNT, COUNTER(RELOADS_OK), { &reload }, NULL,
	    "reloads", NULL },

	{ "process_cpu_seconds_total", "CPU time of the process.",
	    METRIC_COUNTER, UNIT_NANOSECONDS, COUNTS(process.cpu_ns), { NULL },
	    NULL, "process", "cpu_seconds" },
	{ "process_resident_memory_bytes", "Memory of the process in RAM.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(process.resident_bytes), { NULL },
	    NULL, "process", "resident_memory_bytes" },
	{ "process_virtual_memory_bytes", "Address space of the process.",
	    METRIC_GAUGE, UNIT_COUNT, COUNTS(process.virtual_bytes), { NULL },
	    NULL, "process", "virtual_memory_bytes" },
	{ "process_open_fds", "Open files of the process.", METRIC_GAUGE,
	    UNIT_COUNT, COUNTS(process.open_files), { NULL }, NULL, "process",
	    "open_files" },
	{ "process_max_fds", "Files that the process may open.", METRIC_GAUGE,
	    UNIT_COUNT, COUNTS(process.max_files), { NULL }, NULL, "process",
	    "max_files" },
	{ "process_start_time_seconds",
	    "When the process started, in seconds since 1970.", METRIC_GAUGE,
	    UNIT_COUNT, COUNTS(started_s), { NULL }, NULL, "process",
	    "start_time_seconds" },
};

/* RELOADS_FAILED is the second figure of the row that begins at RELOADS_OK. */
_Static_assert(COUNT_RELOADS_FAILED == COUNT_RELOADS_OK + 1,
    "the counters of reloads stand side by side");

const struct metric *
metrics_row(size_t i)
{
	return i < sizeof(rows) / sizeof(rows[0]) ? &rows[i] : NULL;
}
