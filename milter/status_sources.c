/* SPDX-License-Identifier: BSD-2-Clause */
#include "status_sources.h"

static void
read_work(struct work *work, struct metrics_readings *readings)
{
	struct work_counts counts = { .workers = 0 };

	if (work != NULL)
		work_counts(work, &counts);
	readings->workers = counts.workers;
	readings->workers_busy = counts.busy;
	readings->queue_depth = counts.depth;
	readings->queue_capacity = counts.capacity;
	readings->thread_cpu_ns[THREAD_WORKER] = counts.cpu_ns;
}

static void
read_keys(
    const struct snapshot_counts *counts, struct metrics_readings *readings)
{
	const struct keystore_counts *private = &counts->keystore;
	const struct key_cache_counts *public = &counts->key_cache;

	readings->caches[CACHE_PRIVATE] = (struct metrics_cache_readings){
		.hits = private->hits,
		.misses = private->misses,
		.evictions = private->evictions,
		.entries = private->entries,
	};
	readings->caches[CACHE_PUBLIC] = (struct metrics_cache_readings){
		.hits = public->hits,
		.misses = public->misses,
		.joined = public->joined,
		.evictions = public->evictions,
		.entries = public->entries,
		.bytes = public->bytes,
	};
	readings->key_load_failures = private->failures;
}

static void
read_dns(
    const struct snapshot_counts *counts, struct metrics_readings *readings)
{
	readings->dns_pending = counts->resolver.pending;
	readings->dns_refused = counts->resolver.refused;
	readings->dns_refused_share = counts->resolver.refused_share;
	readings->thread_cpu_ns[THREAD_DNS] = counts->dns_cpu_ns;
}

static void
read_replay(struct replay *replay, struct metrics_readings *readings)
{
	struct replay_counts counts = { .entries = 0 };

	if (replay != NULL)
		replay_counts(replay, &counts);
	readings->replay_entries = counts.entries;
	readings->replay_evictions = counts.evictions;
}

/* What looks our own records up is of the kind that looks up others'. */
static void
read_publication(
    struct publication *publication, struct metrics_readings *readings)
{
	if (publication == NULL)
		return;
	publication_counts(publication, readings->keys);
	readings->thread_cpu_ns[THREAD_DNS] += publication_cpu_ns(publication);
}

void
status_read_sources(
    const struct status_sources *sources, struct metrics_readings *readings)
{
	struct snapshot_counts counts = { .dns_cpu_ns = 0 };

	if (sources->counts != NULL)
		sources->counts(sources->ctx, &counts);
	read_work(sources->work, readings);
	read_keys(&counts, readings);
	read_dns(&counts, readings);
	read_replay(sources->replay, readings);
	read_publication(sources->publication, readings);
}
