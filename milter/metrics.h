/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metrics - every figure that the daemon shows: name, labels, help
 *
 * A row of the table in metrics.c is an array of figures somewhere in struct
 * metrics_readings, one dimension a label. The Prometheus page and the JSON
 * page are printed from the same rows and the same readings, so they can't
 * differ; a new figure is a new row, and a member of the readings where it has
 * none yet. Labels are bounded: no row has one whose values a message chooses.
 */
#ifndef METRICS_H
#define METRICS_H

#include <jansson.h>
#include <stdbool.h>

#include "buf.h"
#include "stats.h"

/* Kinds of threads that share the process's CPU time. */
enum metrics_thread {
	THREAD_MAIL, /* libmilter's, our callbacks included */
	THREAD_WORKER,
	THREAD_DNS,
	THREAD_STATUS,
	THREAD_OTHER, /* the main thread */
	THREADS
};

enum metrics_cache {
	CACHE_PRIVATE, /* keys that sign */
	CACHE_PUBLIC,  /* key records of others */
	CACHES
};

struct metrics_cache_readings {
	uint64_t hits, misses, joined, evictions, entries, bytes;
};

/* Of the operating system; 0 where it would not tell. */
struct metrics_process_readings {
	uint64_t cpu_ns;
	uint64_t resident_bytes, virtual_bytes;
	uint64_t open_files, max_files;
};

/* All figures of one moment. What a row points at is a uint64_t, a double or
 * a struct stats_histogram. */
struct metrics_readings {
	struct stats_totals totals;
	struct stats_rates rates;
	uint64_t worker_cpu_ns[OPERATIONS];
	uint64_t thread_cpu_ns[THREADS];
	uint64_t workers, workers_busy;
	uint64_t queue_depth, queue_capacity;
	struct metrics_cache_readings caches[CACHES];
	uint64_t key_load_failures;
	uint64_t dns_pending, dns_refused, dns_refused_share;
	uint64_t replay_entries, replay_evictions;
	uint64_t keys[STANDING_STATES];
	struct metrics_process_readings process;
	uint64_t started_s; /* since 1970 */
	uint64_t uptime_s;
	uint64_t ready; /* 1 or 0 */
	uint64_t one;	/* 1: the value of build_info */
};

/* What the operating system knows of this process. */
void metrics_read_process(struct metrics_process_readings *process_r);
/* Appends the Prometheus text format, version 0.0.4. */
void metrics_print_text(
    const struct metrics_readings *readings, struct buf *out);
/* The same as one object for a person and for "signpost status"; NULL: out of
 * memory. */
json_t *metrics_to_json(const struct metrics_readings *readings);
/* Signatures made and judged in each of the last seconds; NULL: out of
 * memory. */
json_t *metrics_history_to_json(const struct stats_history *history);

/*
 * The table, for the printers.
 */
enum {
	METRIC_MAX_LABELS = 3
};

enum metric_type {
	METRIC_COUNTER,
	METRIC_GAUGE,
	METRIC_HISTOGRAM, /* a struct stats_histogram, in seconds */
};

/* How the figure is stored, and so how it is printed. */
enum metric_unit {
	UNIT_COUNT,	  /* uint64_t */
	UNIT_NANOSECONDS, /* uint64_t, printed in seconds */
	UNIT_REAL,	  /* double */
};

struct metric_label {
	const char *name;
	size_t count;
	const char *(*value)(size_t i);
};

struct metric {
	const char *name;
	const char *help;
	enum metric_type type;
	enum metric_unit unit;
	size_t offset; /* of the first figure in struct metrics_readings */
	size_t stride; /* from one figure to the next */
	const struct metric_label *labels[METRIC_MAX_LABELS]; /* NULL-ended */
	/* Whether the figure at these labels is shown while it is 0; NULL:
	 * each is. */
	bool (*always)(const size_t i[METRIC_MAX_LABELS]);
	/* In JSON: PATH is the objects on the way down, dots between them.
	 * With one label, the object there has a member for each value; with
	 * several it is an array of objects, shared by all rows with that
	 * path. LEAF is the member that has the figure; with one label, NULL
	 * puts it right at the label's value. */
	const char *path, *leaf;
};

/* One figure with the values of its labels. */
struct metric_sample {
	const struct metric *metric;
	const char *values[METRIC_MAX_LABELS]; /* NULL-ended */
	const void *figure;
};

typedef void metric_visit(void *ctx, const struct metric_sample *sample);

/* The rows in their order; NULL behind the last. */
const struct metric *metrics_row(size_t i);
size_t metric_label_count(const struct metric *metric);
/* Calls VISIT for each figure of METRIC that is to be shown. */
void metrics_each(const struct metric *metric,
    const struct metrics_readings *readings, metric_visit *visit, void *ctx);

#endif
