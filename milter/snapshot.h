/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot - one configuration and all that is made from it
 *
 * A message keeps the snapshot it began with; a reload makes a new one and
 * swaps it in whole or not at all. Resolver and key cache are handed on to the
 * next snapshot where its DNS settings, resolv.conf and the trust anchor are
 * the same.
 *
 * Threads: immutable, counted; who holds the current one (struct daemon) has a
 * mutex for the swap.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdatomic.h>

#include "config.h"
#include "key_cache.h"
#include "keystore.h"
#include "stats.h"

/* What a file was when it was read, to notice that it is another now. */
struct snapshot_file {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed; /* all 0: no such file */
};

struct snapshot {
	const struct config *config;
	struct keystore *keystore;
	struct resolver *resolver;
	struct key_cache *key_cache;
	struct snapshot_file resolv_conf, trust_anchor;
	atomic_uint references;
};

/* What is counted of keys and of DNS. */
struct snapshot_counts {
	struct keystore_counts keystore;
	struct key_cache_counts key_cache;
	struct resolver_counts resolver;
	uint64_t dns_cpu_ns; /* of the resolver's thread */
};

/* Takes CONFIG's reference over in every case. PREVIOUS (or NULL) may lend its
 * resolver and cache; STATS is told of the answers of DNS and must outlive all
 * snapshots. NULL: PROBLEMS say why. */
struct snapshot *snapshot_new(struct signpost *handle, struct stats *stats,
    const struct config *config, const struct snapshot *previous,
    struct config_problems *problems);
struct snapshot *snapshot_ref(struct snapshot *snapshot);
void snapshot_unref(struct snapshot *snapshot);
void snapshot_counts(
    const struct snapshot *snapshot, struct snapshot_counts *out_r);
/* Adds to TOTAL what has been counted by those parts of OLD that NEXT does not
 * go on with, so that no sum falls; what they have at the moment is none. */
void snapshot_counts_keep(struct snapshot_counts *total,
    const struct snapshot *old, const struct snapshot *next);
void snapshot_counts_add(
    struct snapshot_counts *total, const struct snapshot_counts *counts);

#endif
