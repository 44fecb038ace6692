/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lru - a table keyed by octets, with caps on entries and bytes, that drops
 * what was used longest ago
 *
 * Threads: none of its own; the owner locks. Values are opaque and counted by
 * their owner: the table holds one reference each, which it takes over on
 * lru_put and gives back through the release function, which must not call the
 * table.
 */
#ifndef LRU_H
#define LRU_H

#include <stdint.h>

#include "bytes.h"

struct lru;

typedef void lru_release(void *value);

/* MAX_ENTRIES and MAX_BYTES are at least 1. NULL: out of memory or of
 * random numbers. Keys are
 * hashed with a seed of the table's own, so that nobody outside can choose
 * colliding ones. */
struct lru *lru_new(size_t max_entries, size_t max_bytes, lru_release *release);
void lru_free(struct lru *lru);
/* The value of KEY, borrowed, now the most recently used; NULL for none. */
void *lru_get(struct lru *lru, struct bytes key);
/* Stores VALUE, which counts BYTES octets beside its key, replacing what KEY
 * had. VALUE is not NULL. Takes the caller's reference in every case: on failure
 * (out of memory, larger than max_bytes: false) it is released, and KEY has no
 * value then, for what it had is out of date. */
bool lru_put(struct lru *lru, struct bytes key, void *value, size_t bytes);
void lru_remove(struct lru *lru, struct bytes key);
void lru_clear(struct lru *lru);
size_t lru_entries(const struct lru *lru);
size_t lru_bytes(const struct lru *lru);
/* How many entries a cap has pushed out. */
uint64_t lru_evictions(const struct lru *lru);

#endif
