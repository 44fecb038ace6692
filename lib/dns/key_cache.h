/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key_cache - parsed key records by name, kept for their TTL
 *
 * Holds what the owner's parse function makes of the records at a name (this
 * layer does not know DKIM), and the answers "no such name", "bogus" and
 * "failed for now", too, the last for a short time only. A name that is being
 * asked for is asked for once, however many messages wait (single flight).
 *
 * All look-ups of a message stand in one struct key_lookups, started at the
 * end of its header and waited for once, with one deadline. A message that gives
 * up leaves the question under way: its answer serves the next one.
 *
 * What the resolver refused (RESOLVER_FAILED, over its cap on questions) is not
 * kept: it says nothing about the name.
 *
 * Threads: the cache is shared, one mutex, never held across parsing or DNS;
 * reference counted. Parsing is done on the resolver's thread. The last
 * key_cache_unref gives up the questions under way, and must not come from
 * that thread. A struct key_lookups belongs to one thread at a time.
 */
#ifndef KEY_CACHE_H
#define KEY_CACHE_H

#include "resolver.h"

struct key_cache_settings {
	size_t max_entries;
	size_t max_bytes;
	uint32_t min_ttl_s, max_ttl_s;
	uint32_t negative_ttl_s; /* at most, for no such name */
	uint32_t failure_ttl_s;	 /* for failed, timed out and bogus */
	/* Makes a value of the records (one at least), with one reference;
	 * NULL: out of memory. BYTES_R: what it counts. ref and unref are
	 * called with the cache locked. */
	void *(*parse)(void *ctx, const struct bytes *records, size_t count,
	    size_t *bytes_r);
	void (*ref)(void *value);
	void (*unref)(void *value);
	void *ctx;
	/* Told of each answer that DNS itself gave, on the resolver's thread,
	 * for who counts them; or NULL. */
	void (*answered)(
	    void *ctx, enum resolver_answer answer, uint64_t elapsed_ns);
	void *answered_ctx;
};

struct key_answer {
	enum resolver_answer answer;
	enum resolver_security security;
	void *value; /* RESOLVER_FOUND only; borrowed from the look-ups */
};

struct key_cache_counts {
	uint64_t hits, misses, joined; /* joined a question under way */
	uint64_t evictions, entries, bytes;
};

struct key_cache;
struct key_lookups;

/* Takes its own reference of RESOLVER. NULL: out of memory. */
struct key_cache *key_cache_new(
    const struct key_cache_settings *settings, struct resolver *resolver);
struct key_cache *key_cache_ref(struct key_cache *cache);
void key_cache_unref(struct key_cache *cache);
void key_cache_counts(struct key_cache *cache, struct key_cache_counts *out_r);

/* Room for COUNT look-ups. NULL: out of memory. */
struct key_lookups *key_lookups_new(struct key_cache *cache, size_t count);
/* For whom all look-ups to be started are (resolver_ask_for), 16 octets at
 * most; nobody unless it is called. */
void key_lookups_set_asker(struct key_lookups *lookups, struct bytes asker);
/* Gives up what is still under way. */
void key_lookups_free(struct key_lookups *lookups);
/* Starts look-up I, once, for NAME (A-labels); never blocks. */
void key_lookups_start(struct key_lookups *lookups, size_t i, const char *name);
/* Waits until all that were started are answered or END (CLOCK_MONOTONIC) has
 * passed, and gives nothing up. Returns whether all were answered. */
bool key_lookups_peek(struct key_lookups *lookups, const struct timespec *end);
/* Waits until all that were started are answered or DEADLINE (CLOCK_MONOTONIC)
 * has passed. Returns whether all were answered; those that were not answer
 * RESOLVER_TIMEOUT from now on. */
bool key_lookups_wait(
    struct key_lookups *lookups, const struct timespec *deadline);
/* The answer of look-up I, after the wait. */
struct key_answer key_lookups_get(const struct key_lookups *lookups, size_t i);

#endif
