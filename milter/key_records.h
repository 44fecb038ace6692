/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key_records - key records on their way from DNS to DKIM
 *
 * lib/dns keeps what it does not understand, lib/dkim understands what it can't
 * fetch; this carries one to the other.
 *
 * Threads: as for the cache and the verifier that are handed in.
 */
#ifndef KEY_RECORDS_H
#define KEY_RECORDS_H

#include "key_cache.h"
#include "signpost.h"
#include "stats.h"

/* A cache that keeps parsed key sets. Borrows HANDLE, and STATS (NULL: none),
 * which is told of the answers of DNS; both must outlive it. NULL: out of
 * memory. */
struct key_cache *key_records_cache_new(
    struct signpost *handle, struct resolver *resolver, struct stats *stats);
/* Starts the look-ups of all keys that VERIFIER wants, for ASKER
 * (key_lookups_set_asker); to be freed with key_lookups_free. NULL: out of
 * memory. */
struct key_lookups *key_records_start(struct key_cache *cache,
    const struct signpost_verifier *verifier, struct bytes asker);
/* Gives VERIFIER what key_records_start's look-ups came to, after the wait. */
void key_records_give(
    const struct key_lookups *lookups, struct signpost_verifier *verifier);

#endif
