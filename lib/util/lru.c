/* SPDX-License-Identifier: BSD-2-Clause */
#include "lru.h"

#include <assert.h>
#include <stdlib.h>

#include "keyhash.h"

enum {
	FIRST_BUCKETS = 16 /* a power of two, as every later number is */
};

struct entry {
	struct entry *chain; /* the next of the same bucket */
	struct entry *newer; /* NULL: the most recently used */
	struct entry *older; /* NULL: the next to be dropped */
	uint64_t hash;
	void *value;
	size_t bytes; /* that count, key included */
	size_t key_len;
	char key[];
};

struct lru {
	struct entry **buckets;
	struct entry *newest;
	struct entry *oldest;
	size_t bucket_count;
	size_t entries;
	size_t bytes;
	size_t max_entries;
	size_t max_bytes;
	lru_release *release;
	uint64_t evictions;
	uint64_t seed;
};

struct lru *
lru_new(size_t max_entries, size_t max_bytes, lru_release *release)
{
	struct lru *lru;

	assert(max_entries > 0 && max_bytes > 0 && release != NULL);
	lru = malloc(sizeof *lru);
	if (lru == NULL)
		return NULL;
	*lru = (struct lru){ .max_entries = max_entries,
		.max_bytes = max_bytes,
		.bucket_count = FIRST_BUCKETS,
		.release = release };
	lru->buckets = calloc(FIRST_BUCKETS, sizeof *lru->buckets);
	if (lru->buckets == NULL || !keyhash_seed(&lru->seed)) {
		lru_free(lru);
		return NULL;
	}
	return lru;
}

void
lru_free(struct lru *lru)
{
	if (lru == NULL)
		return;
	lru_clear(lru);
	free(lru->buckets);
	free(lru);
}

static struct entry **
bucket(const struct lru *lru, uint64_t hash)
{
	return &lru->buckets[hash & (lru->bucket_count - 1)];
}

/* Where the chain points to the entry of KEY, or its NULL end. */
static struct entry **
find(const struct lru *lru, uint64_t hash, struct bytes key)
{
	struct entry **at = bucket(lru, hash);

	while (*at != NULL &&
	    ((*at)->hash != hash ||
		!bytes_equal(bytes_of((*at)->key, (*at)->key_len), key)))
		at = &(*at)->chain;
	return at;
}

static void
unlink_use(struct lru *lru, struct entry *entry)
{
	*(entry->newer != NULL ? &entry->newer->older : &lru->newest) =
	    entry->older;
	*(entry->older != NULL ? &entry->older->newer : &lru->oldest) =
	    entry->newer;
}

static void
link_newest(struct lru *lru, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = lru->newest;
	*(entry->older != NULL ? &entry->older->newer : &lru->oldest) = entry;
	lru->newest = entry;
}

void *
lru_get(struct lru *lru, struct bytes key)
{
	struct entry *entry = *find(lru, keyhash(lru->seed, key), key);

	if (entry == NULL)
		return NULL;
	unlink_use(lru, entry);
	link_newest(lru, entry);
	return entry->value;
}

/* Takes the entry that AT points to out of the table, and its reference with
 * it. */
static void
drop(struct lru *lru, struct entry **at)
{
	struct entry *entry = *at;

	*at = entry->chain;
	unlink_use(lru, entry);
	lru->entries--;
	lru->bytes -= entry->bytes;
	lru->release(entry->value);
	free(entry);
}

static void
drop_oldest(struct lru *lru)
{
	struct entry **at = bucket(lru, lru->oldest->hash);

	while (*at != lru->oldest)
		at = &(*at)->chain;
	drop(lru, at);
}

/* Keeps chains short. Out of memory is no failure: they are longer then. */
static void
grow(struct lru *lru)
{
	size_t old_count = lru->bucket_count;
	struct entry **old = lru->buckets;
	struct entry **buckets = calloc(old_count, 2 * sizeof *buckets);

	if (buckets == NULL)
		return;
	lru->buckets = buckets;
	lru->bucket_count = old_count * 2;
	for (size_t i = 0; i < old_count; i++)
		while (old[i] != NULL) {
			struct entry *entry = old[i];
			struct entry **at = bucket(lru, entry->hash);

			old[i] = entry->chain;
			entry->chain = *at;
			*at = entry;
		}
	free(old);
}

/* Puts a new entry in; the table has none of its key. */
static void
insert(struct lru *lru, struct entry *entry)
{
	struct entry **at;

	if (lru->entries >= lru->bucket_count)
		grow(lru);
	at = bucket(lru, entry->hash);
	entry->chain = *at;
	*at = entry;
	link_newest(lru, entry);
	lru->entries++;
	lru->bytes += entry->bytes;
}

bool
lru_put(struct lru *lru, struct bytes key, void *value, size_t bytes)
{
	struct entry *entry = NULL;

	assert(value != NULL);
	lru_remove(lru, key);
	if (bytes <= lru->max_bytes && key.len <= lru->max_bytes - bytes)
		entry = malloc(sizeof *entry + key.len);
	if (entry == NULL) {
		lru->release(value);
		return false;
	}
	*entry = (struct entry){ .hash = keyhash(lru->seed, key),
		.value = value,
		.bytes = key.len + bytes,
		.key_len = key.len };
	if (key.len > 0)
		memcpy(entry->key, key.data, key.len);
	while (lru->entries >= lru->max_entries ||
	    lru->bytes > lru->max_bytes - entry->bytes) {
		drop_oldest(lru);
		lru->evictions++;
	}
	insert(lru, entry);
	return true;
}

void
lru_remove(struct lru *lru, struct bytes key)
{
	struct entry **at = find(lru, keyhash(lru->seed, key), key);

	if (*at != NULL)
		drop(lru, at);
}

void
lru_clear(struct lru *lru)
{
	while (lru->oldest != NULL)
		drop_oldest(lru);
}

size_t
lru_entries(const struct lru *lru)
{
	return lru->entries;
}

size_t
lru_bytes(const struct lru *lru)
{
	return lru->bytes;
}

uint64_t
lru_evictions(const struct lru *lru)
{
	return lru->evictions;
}
