/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay.h"

#include <pthread.h>
#include <stdlib.h>

#include "keyhash.h"
#include "lru.h"

struct entry {
	uint64_t begin_ns; /* of the window */
	struct replay_seen seen;
};

/* Hashes at secret points: nobody makes two signatures share a key. */
struct key {
	uint64_t octets[2];
	uint64_t domain;
};

struct replay {
	pthread_mutex_t mutex;
	struct lru *entries; /* under the mutex */
	uint64_t seeds[2];
};

struct replay *
replay_new(size_t max_entries)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (replay == NULL)
		return NULL;
	pthread_mutex_init(&replay->mutex, NULL);
	replay->entries = lru_new(max_entries, SIZE_MAX, free);
	if (replay->entries == NULL || !keyhash_seed(&replay->seeds[0]) ||
	    !keyhash_seed(&replay->seeds[1])) {
		replay_free(replay);
		return NULL;
	}
	return replay;
}

void
replay_free(struct replay *replay)
{
	if (replay == NULL)
		return;
	lru_free(replay->entries);
	pthread_mutex_destroy(&replay->mutex);
	free(replay);
}

static struct key
key_of(const struct replay *replay, const struct replay_signature *signature)
{
	return (struct key){
		.octets = { keyhash(replay->seeds[0], signature->octets),
		    keyhash(replay->seeds[1], signature->octets) },
		.domain = keyhash(replay->seeds[0], signature->domain),
	};
}

/* The entry of KEY, made where there is none; NULL: out of memory. */
static struct entry *
entry_of(struct replay *replay, const struct key *key, uint64_t now_ns)
{
	struct bytes name = bytes_of((const char *)key, sizeof(*key));
	struct entry *entry = lru_get(replay->entries, name);

	if (entry != NULL)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (entry == NULL)
		return NULL;
	entry->begin_ns = now_ns;
	return lru_put(replay->entries, name, entry, sizeof(*entry)) ? entry
								     : NULL;
}

static void
add(uint32_t *sum, unsigned n)
{
	*sum = *sum > UINT32_MAX - n ? UINT32_MAX : *sum + n;
}

static bool
reaches(uint32_t count, unsigned threshold)
{
	return threshold > 0 && count >= threshold;
}

static void
count(struct entry *entry, const struct replay_rule *rule, unsigned recipients,
    uint64_t now_ns)
{
	struct replay_seen *seen = &entry->seen;

	/* Threads may ask for the mutex in another order than for the time. */
	if (now_ns > entry->begin_ns &&
	    now_ns - entry->begin_ns >= rule->window_ns) {
		entry->begin_ns = now_ns;
		*seen = (struct replay_seen){ 0 };
	}
	add(&seen->messages, 1);
	add(&seen->recipients, recipients);
	seen->too_often = reaches(seen->messages, rule->messages) ||
	    reaches(seen->recipients, rule->recipients);
	if (seen->too_often && now_ns > entry->begin_ns)
		entry->begin_ns = now_ns;
}

struct replay_seen
replay_count(struct replay *replay, const struct replay_rule *rule,
    const struct replay_signature *signature, uint64_t now_ns)
{
	struct key key = key_of(replay, signature);
	struct replay_seen seen = { 0 };

	pthread_mutex_lock(&replay->mutex);
	struct entry *entry = entry_of(replay, &key, now_ns);
	if (entry != NULL) {
		count(entry, rule, signature->recipients, now_ns);
		seen = entry->seen;
	}
	pthread_mutex_unlock(&replay->mutex);
	return seen;
}

void
replay_counts(struct replay *replay, struct replay_counts *counts_r)
{
	pthread_mutex_lock(&replay->mutex);
	counts_r->entries = lru_entries(replay->entries);
	counts_r->evictions = lru_evictions(replay->entries);
	pthread_mutex_unlock(&replay->mutex);
}
