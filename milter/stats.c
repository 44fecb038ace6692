/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND UINT64_C(1000000000)

enum {
	CACHE_LINE = 64,
	MAX_SHARDS = 64,
	/* 60 s of ticks that are half a second apart, and the one before */
	RING = 128,
	/* One that is written while the others are read */
	HISTORY_RING = STATS_HISTORY + 1,
	CELLS = sizeof(struct stats_totals) / sizeof(uint64_t),
};

_Static_assert(sizeof(struct stats_totals) % sizeof(uint64_t) == 0,
    "stats_totals is made of uint64_t");

/* 1, 2.5 and 5 of each decade. */
static const uint64_t bounds_ns[STATS_BOUNDS] = {
	1000,
	2500,
	5000,
	10000,
	25000,
	50000,
	100000,
	250000,
	500000,
	1000000,
	2500000,
	5000000,
	10000000,
	25000000,
	50000000,
	100000000,
	250000000,
	500000000,
	1000000000,
	2500000000,
	5000000000,
	10000000000,
};

static const unsigned key_sizes[KEY_SIZE_OTHER] = {
	[KEY_SIZE_256] = 256,
	[KEY_SIZE_512] = 512,
	[KEY_SIZE_1024] = 1024,
	[KEY_SIZE_2048] = 2048,
	[KEY_SIZE_3072] = 3072,
	[KEY_SIZE_4096] = 4096,
	[KEY_SIZE_8192] = 8192,
};

/* In the log and as labels. */
static const char *const action_tokens[MESSAGE_ACTIONS] = {
	[MESSAGE_SIGNED] = "signed",
	[MESSAGE_VERIFIED] = "verified",
	[MESSAGE_PASSED] = "passed",
	[MESSAGE_REJECTED] = "rejected",
	[MESSAGE_TEMPFAILED] = "tempfailed",
	[MESSAGE_QUARANTINED] = "quarantined",
	[MESSAGE_DISCARDED] = "discarded",
	[MESSAGE_ABORTED] = "aborted",
};

static const uint64_t window_ns[WINDOWS] = {
	[WINDOW_1S] = NS_PER_SECOND,
	[WINDOW_10S] = 10 * NS_PER_SECOND,
	[WINDOW_60S] = 60 * NS_PER_SECOND,
};

/* The cells of a struct stats_totals, as one or a few threads add to them. */
struct shard {
	_Alignas(CACHE_LINE) _Atomic uint64_t cells[CELLS];
};

struct tick {
	uint64_t at_ns, signs, verifies;
};

struct stats {
	struct shard *shards;
	unsigned shard_count;
	_Atomic unsigned next_thread;
	struct tick ring[RING]; /* of the ticking thread alone */
	size_t ticks;		/* so far; the last is (ticks - 1) % RING */
	_Atomic double sign_rates[WINDOWS];
	_Atomic double verify_rates[WINDOWS];
	_Atomic double sign_history[HISTORY_RING];
	_Atomic double verify_history[HISTORY_RING];
	_Atomic size_t history; /* entries so far */
};

/* Enough that threads seldom meet; more cost memory and reading time only. */
static unsigned
count_shards(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (processors < 1)
		return 1;
	return processors < MAX_SHARDS / 4 ? (unsigned)processors * 4
					   : MAX_SHARDS;
}

struct stats *
stats_new(void)
{
	struct stats *stats = calloc(1, sizeof(*stats));
	size_t size;

	if (stats == NULL)
		return NULL;
	stats->shard_count = count_shards();
	size = stats->shard_count * sizeof(*stats->shards);
	stats->shards = aligned_alloc(CACHE_LINE, size);
	if (stats->shards == NULL) {
		free(stats);
		return NULL;
	}
	memset(stats->shards, 0, size);
	return stats;
}

void
stats_free(struct stats *stats)
{
	if (stats == NULL)
		return;
	free(stats->shards);
	free(stats);
}

/* A thread keeps the number that it was given first, for any struct stats. */
static struct shard *
own_shard(struct stats *stats)
{
	static _Thread_local unsigned thread; /* 0: none yet */

	while (thread == 0)
		thread = 1 +
		    atomic_fetch_add_explicit(
			&stats->next_thread, 1, memory_order_relaxed);
	return &stats->shards[thread % stats->shard_count];
}

static void
add(struct shard *shard, size_t offset, uint64_t n)
{
	atomic_fetch_add_explicit(
	    &shard->cells[offset / sizeof(uint64_t)], n, memory_order_relaxed);
}

static size_t
find_bucket(uint64_t ns)
{
	size_t low = 0, high = STATS_BOUNDS;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ns <= bounds_ns[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* OFFSET is that of a histogram in struct stats_totals. */
static void
add_duration(struct shard *shard, size_t offset, uint64_t ns)
{
	add(shard,
	    offset + offsetof(struct stats_histogram, buckets) +
		find_bucket(ns) * sizeof(uint64_t),
	    1);
	add(shard, offset + offsetof(struct stats_histogram, sum_ns), ns);
}

void
stats_add(struct stats *stats, enum stats_counter counter, uint64_t n)
{
	assert(counter < STATS_COUNTERS);
	add(own_shard(stats), offsetof(struct stats_totals, counters[counter]),
	    n);
}

const char *
stats_action_token(enum stats_action action)
{
	assert(action < MESSAGE_ACTIONS);
	return action_tokens[action];
}

void
stats_message(struct stats *stats, enum stats_action action)
{
	assert(action < MESSAGE_ACTIONS);
	add(own_shard(stats), offsetof(struct stats_totals, messages[action]),
	    1);
}

void
stats_stage_cpu(struct stats *stats, enum stats_stage stage, uint64_t cpu_ns)
{
	assert(stage < STAGES);
	add(own_shard(stats),
	    offsetof(struct stats_totals, stage_cpu_ns[stage]), cpu_ns);
}

/* A connection may open on one thread and close on another: cells wrap, and
 * their sum is right. */
void
stats_connections_open(struct stats *stats, int change)
{
	add(own_shard(stats), offsetof(struct stats_totals, connections_open),
	    (uint64_t)(int64_t)change);
}

static enum stats_key_size
key_size(unsigned bits)
{
	unsigned size;

	for (size = 0; size < KEY_SIZE_OTHER; size++)
		if (key_sizes[size] == bits)
			break;
	return (enum stats_key_size)size;
}

void
stats_sign(struct stats *stats, enum signpost_algorithm algorithm,
    unsigned key_bits, enum stats_sign_result result)
{
	enum stats_key_size size = key_size(key_bits);

	assert(
	    algorithm <= SIGNPOST_ALGORITHM_UNKNOWN && result < SIGN_RESULTS);
	add(own_shard(stats),
	    offsetof(struct stats_totals, signs[algorithm][size][result]), 1);
}

void
stats_verify(struct stats *stats, enum signpost_algorithm algorithm,
    enum signpost_result result, enum signpost_reason reason)
{
	struct shard *shard = own_shard(stats);

	assert(algorithm <= SIGNPOST_ALGORITHM_UNKNOWN &&
	    result <= SIGNPOST_PERMERROR && reason < SIGNPOST_REASONS);
	add(shard, offsetof(struct stats_totals, verifies[algorithm][result]),
	    1);
	add(shard, offsetof(struct stats_totals, reasons[reason]), 1);
}

void
stats_hazard(struct stats *stats, enum hazard hazard)
{
	assert(hazard < HAZARDS);
	add(own_shard(stats), offsetof(struct stats_totals, hazards[hazard]),
	    1);
}

void
stats_operation(struct stats *stats, enum stats_operation operation,
    enum signpost_algorithm algorithm, uint64_t cpu_ns, uint64_t queue_ns)
{
	struct shard *shard = own_shard(stats);

	assert(
	    operation < OPERATIONS && algorithm <= SIGNPOST_ALGORITHM_UNKNOWN);
	add_duration(shard,
	    offsetof(struct stats_totals, times[operation][algorithm].cpu),
	    cpu_ns);
	add_duration(shard,
	    offsetof(struct stats_totals, times[operation][algorithm].queue),
	    queue_ns);
}

void
stats_wait(struct stats *stats, enum stats_operation operation,
    enum signpost_algorithm algorithm, uint64_t wait_ns)
{
	assert(
	    operation < OPERATIONS && algorithm <= SIGNPOST_ALGORITHM_UNKNOWN);
	add_duration(own_shard(stats),
	    offsetof(struct stats_totals, times[operation][algorithm].wait),
	    wait_ns);
}

void
stats_dns(struct stats *stats, int resolver_answer, uint64_t elapsed_ns)
{
	struct shard *shard = own_shard(stats);

	assert(resolver_answer >= 0 && resolver_answer < STATS_DNS_ANSWERS);
	add(shard, offsetof(struct stats_totals, dns[resolver_answer]), 1);
	add_duration(
	    shard, offsetof(struct stats_totals, dns_time), elapsed_ns);
}

static enum stats_times_seen
times_seen(uint32_t messages)
{
	static const uint32_t most[SEEN_MORE] = { 1, 9, 99, 999 };
	enum stats_times_seen seen = SEEN_ONCE;

	while (seen < SEEN_MORE && messages > most[seen])
		seen++;
	return seen;
}

void
stats_replay(struct stats *stats, uint32_t messages, unsigned recipients)
{
	struct shard *shard = own_shard(stats);
	enum stats_times_seen seen = times_seen(messages);

	add(shard, offsetof(struct stats_totals, replay_signatures[seen]), 1);
	add(shard, offsetof(struct stats_totals, replay_recipients[seen]),
	    recipients);
}

void
stats_policy(
    struct stats *stats, unsigned config_action, enum stats_applied applied)
{
	add(own_shard(stats),
	    offsetof(struct stats_totals, policy[config_action][applied]), 1);
}

void
stats_report(struct stats *stats, enum stats_report result)
{
	add(own_shard(stats), offsetof(struct stats_totals, reports[result]),
	    1);
}

void
stats_published_check(struct stats *stats, enum standing_check check)
{
	add(own_shard(stats),
	    offsetof(struct stats_totals, published_checks[check]), 1);
}

void
stats_read(const struct stats *stats, struct stats_totals *totals_r)
{
	uint64_t cells[CELLS] = { 0 };
	unsigned s;
	size_t i;

	for (s = 0; s < stats->shard_count; s++)
		for (i = 0; i < CELLS; i++)
			cells[i] += atomic_load_explicit(
			    &stats->shards[s].cells[i], memory_order_relaxed);
	memcpy(totals_r, cells, sizeof(*totals_r));
	/* A close may be seen before its connect. */
	if (totals_r->connections_open > INT64_MAX)
		totals_r->connections_open = 0;
}

static struct tick
tick_of(const struct stats *stats, uint64_t now_ns)
{
	struct stats_totals totals;
	struct tick tick = { .at_ns = now_ns };
	unsigned a, i;

	stats_read(stats, &totals);
	for (a = 0; a < STATS_ALGORITHMS; a++) {
		for (i = 0; i < KEY_SIZES; i++)
			tick.signs += totals.signs[a][i][SIGN_OK];
		for (i = 0; i < STATS_RESULTS; i++)
			tick.verifies += totals.verifies[a][i];
	}
	return tick;
}

/* The youngest tick that is as old as the window, or the oldest there is. A
 * tick may come a little early. */
static const struct tick *
tick_before(const struct stats *stats, uint64_t now_ns, uint64_t ns)
{
	uint64_t early_ns = NS_PER_SECOND / 10;
	size_t kept = stats->ticks < RING ? stats->ticks : RING;
	const struct tick *tick = NULL;
	size_t i;

	for (i = 1; i < kept; i++) {
		tick = &stats->ring[(stats->ticks - 1 - i) % RING];
		if (now_ns - tick->at_ns + early_ns >= ns)
			break;
	}
	return tick;
}

static double
per_second(uint64_t new, uint64_t old, uint64_t ns)
{
	/* A sum read while threads add to it never falls, but be safe. */
	return new > old ? (double)(new - old) * 1e9 / (double)ns : 0;
}

/* Keeps the newest rates in mind; the ticking thread alone adds. */
static void
add_history(struct stats *stats)
{
	size_t n = atomic_load_explicit(&stats->history, memory_order_relaxed);
	struct stats_rates rates;

	stats_read_rates(stats, &rates);
	atomic_store_explicit(&stats->sign_history[n % HISTORY_RING],
	    rates.signs[WINDOW_1S], memory_order_relaxed);
	atomic_store_explicit(&stats->verify_history[n % HISTORY_RING],
	    rates.verifies[WINDOW_1S], memory_order_relaxed);
	atomic_store_explicit(&stats->history, n + 1, memory_order_release);
}

void
stats_tick(struct stats *stats, uint64_t now_ns)
{
	const struct tick *old;
	struct tick new;
	size_t w;

	if (stats->ticks > 0) {
		old = &stats->ring[(stats->ticks - 1) % RING];
		if (now_ns < old->at_ns + NS_PER_SECOND / 2)
			return;
	}
	new = tick_of(stats, now_ns);
	stats->ring[stats->ticks++ % RING] = new;
	if (stats->ticks < 2)
		return;
	for (w = 0; w < WINDOWS; w++) {
		uint64_t ns;

		old = tick_before(stats, now_ns, window_ns[w]);
		ns = now_ns - old->at_ns;
		atomic_store_explicit(&stats->sign_rates[w],
		    per_second(new.signs, old->signs, ns),
		    memory_order_relaxed);
		atomic_store_explicit(&stats->verify_rates[w],
		    per_second(new.verifies, old->verifies, ns),
		    memory_order_relaxed);
	}
	add_history(stats);
}

void
stats_read_rates(const struct stats *stats, struct stats_rates *rates_r)
{
	size_t w;

	for (w = 0; w < WINDOWS; w++) {
		rates_r->signs[w] = atomic_load_explicit(
		    &stats->sign_rates[w], memory_order_relaxed);
		rates_r->verifies[w] = atomic_load_explicit(
		    &stats->verify_rates[w], memory_order_relaxed);
	}
}

void
stats_read_history(const struct stats *stats, struct stats_history *history_r)
{
	size_t end =
	    atomic_load_explicit(&stats->history, memory_order_acquire);
	size_t i, at;

	history_r->count = end < STATS_HISTORY ? end : STATS_HISTORY;
	for (i = 0; i < history_r->count; i++) {
		at = (end - history_r->count + i) % HISTORY_RING;
		history_r->signs[i] = atomic_load_explicit(
		    &stats->sign_history[at], memory_order_relaxed);
		history_r->verifies[i] = atomic_load_explicit(
		    &stats->verify_history[at], memory_order_relaxed);
	}
}

uint64_t
stats_bound_ns(size_t i)
{
	assert(i < STATS_BOUNDS);
	return bounds_ns[i];
}

uint64_t
stats_histogram_count(const struct stats_histogram *histogram)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i <= STATS_BOUNDS; i++)
		count += histogram->buckets[i];
	return count;
}

double
stats_histogram_quantile(
    const struct stats_histogram *histogram, double quantile)
{
	double rank = quantile * (double)stats_histogram_count(histogram);
	double below = 0, low, high, in_bucket;
	size_t i;

	for (i = 0; i < STATS_BOUNDS; i++) {
		in_bucket = (double)histogram->buckets[i];
		if (in_bucket > 0 && below + in_bucket >= rank)
			break;
		below += in_bucket;
	}
	if (rank <= 0)
		return 0;
	/* Above the last bound there is nothing to interpolate towards. */
	if (i == STATS_BOUNDS)
		return (double)bounds_ns[STATS_BOUNDS - 1] / 1e9;
	low = i > 0 ? (double)bounds_ns[i - 1] : 0;
	high = (double)bounds_ns[i];
	in_bucket = (double)histogram->buckets[i];
	return (low + (high - low) * (rank - below) / in_bucket) / 1e9;
}

static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

uint64_t
stats_thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t
stats_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}
