/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot - one configuration and all that is made from it
 *
 * A message keeps the snapshot it began with; a reload makes a new one and
 * swaps it in whole or not at all. Resolver and key cache are handed on to the
 * next snapshot where its DNS settings and resolv.conf are the same.
 *
 * Threads: immutable, counted; the current one is behind a mutex that is held
 * for the swap alone.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "config.h"
#include "key_cache.h"
#include "keystore.h"

struct snapshot {
	const struct config *config;
	struct keystore *keystore;
	struct resolver *resolver;
	struct key_cache *key_cache;
};

/* Takes CONFIG's reference over in every case. PREVIOUS (or NULL) may lend its
 * resolver and cache. NULL: PROBLEMS say why. */
struct snapshot *snapshot_new(struct signpost *handle,
    const struct config *config, const struct snapshot *previous,
    struct config_problems *problems);
struct snapshot *snapshot_ref(struct snapshot *snapshot);
void snapshot_unref(struct snapshot *snapshot);

#endif
