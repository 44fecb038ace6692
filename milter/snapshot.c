/* SPDX-License-Identifier: BSD-2-Clause */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "key_records.h"

static const char resolv_conf[] = "/etc/resolv.conf";

static struct snapshot_file
look_at(const char *path)
{
	struct stat st;

	if (path == NULL || path[0] == '\0' || stat(path, &st) < 0)
		return (struct snapshot_file){ 0 };
	return (struct snapshot_file){ st.st_dev, st.st_ino, st.st_size,
		st.st_mtim };
}

static bool
same_file(const struct snapshot_file *a, const struct snapshot_file *b)
{
	return a->device == b->device && a->inode == b->inode &&
	    a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
	    a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool
same_strings(const struct config_strings *a, const struct config_strings *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return true;
}

static bool
same_string(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool
same_dns(const struct snapshot *a, const struct snapshot *b)
{
	return same_strings(&a->config->dns.servers, &b->config->dns.servers) &&
	    a->config->dns.timeout_ms == b->config->dns.timeout_ms &&
	    a->config->dns.dnssec == b->config->dns.dnssec &&
	    a->config->dns.max_pending == b->config->dns.max_pending &&
	    a->config->dns.max_pending_per_client ==
	    b->config->dns.max_pending_per_client &&
	    same_string(
		a->config->dns.trust_anchor, b->config->dns.trust_anchor) &&
	    same_file(&a->trust_anchor, &b->trust_anchor) &&
	    same_file(&a->resolv_conf, &b->resolv_conf);
}

static bool
make_dns(struct signpost *handle, struct stats *stats,
    struct snapshot *snapshot, struct config_problems *problems)
{
	const struct config *config = snapshot->config;
	char error[256] = "";

	if (!resolver_new(
		&(struct resolver_settings){
		    .servers = config->dns.servers.items,
		    .trust_anchor = config->dns.trust_anchor,
		    .dnssec = config->dns.dnssec,
		    .timeout_ms = (unsigned)config->dns.timeout_ms,
		    .max_pending = config->dns.max_pending,
		    .max_pending_each = config->dns.max_pending_per_client,
		},
		&snapshot->resolver, error, sizeof(error))) {
		config_problem(problems, config->file, 0, "dns", "%s", error);
		return false;
	}
	snapshot->key_cache =
	    key_records_cache_new(handle, snapshot->resolver, stats);
	if (snapshot->key_cache == NULL) {
		config_problem(problems, config->file, 0, "", "out of memory");
		return false;
	}
	return true;
}

struct snapshot *
snapshot_new(struct signpost *handle, struct stats *stats,
    const struct config *config, const struct snapshot *previous,
    struct config_problems *problems)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (snapshot == NULL) {
		config_problem(problems, config->file, 0, "", "out of memory");
		config_unref(config);
		return NULL;
	}
	atomic_init(&snapshot->references, 1);
	snapshot->config = config;
	if (config->dns.servers.count == 0)
		snapshot->resolv_conf = look_at(resolv_conf);
	snapshot->trust_anchor = look_at(config->dns.trust_anchor);

	snapshot->keystore =
	    keystore_new(handle, config, KEYSTORE_CHECK_NAMED, problems);
	if (snapshot->keystore == NULL) {
		config_problem(problems, snapshot->config->file, 0, "",
		    "memory or descriptors do not suffice to read the keys");
		goto fail;
	}
	if (previous != NULL && same_dns(previous, snapshot)) {
		snapshot->resolver = resolver_ref(previous->resolver);
		snapshot->key_cache = key_cache_ref(previous->key_cache);
	} else if (!make_dns(handle, stats, snapshot, problems)) {
		goto fail;
	}
	config_problems_place(problems, config);
	return snapshot;
fail:
	config_problems_place(problems, config);
	snapshot_unref(snapshot);
	return NULL;
}

struct snapshot *
snapshot_ref(struct snapshot *snapshot)
{
	atomic_fetch_add_explicit(
	    &snapshot->references, 1, memory_order_relaxed);
	return snapshot;
}

void
snapshot_unref(struct snapshot *snapshot)
{
	if (snapshot == NULL ||
	    atomic_fetch_sub_explicit(
		&snapshot->references, 1, memory_order_acq_rel) != 1)
		return;
	key_cache_unref(snapshot->key_cache);
	resolver_unref(snapshot->resolver);
	keystore_unref(snapshot->keystore);
	config_unref(snapshot->config);
	free(snapshot);
}

void
snapshot_counts(const struct snapshot *snapshot, struct snapshot_counts *out_r)
{
	keystore_counts(snapshot->keystore, &out_r->keystore);
	key_cache_counts(snapshot->key_cache, &out_r->key_cache);
	resolver_counts(snapshot->resolver, &out_r->resolver);
	out_r->dns_cpu_ns = resolver_cpu_ns(snapshot->resolver);
}

void
snapshot_counts_keep(struct snapshot_counts *total, const struct snapshot *old,
    const struct snapshot *next)
{
	struct snapshot_counts counts;

	snapshot_counts(old, &counts);
	if (old->keystore == next->keystore)
		counts.keystore = (struct keystore_counts){ 0 };
	if (old->key_cache == next->key_cache)
		counts.key_cache = (struct key_cache_counts){ 0 };
	if (old->resolver == next->resolver) {
		counts.resolver = (struct resolver_counts){ 0 };
		counts.dns_cpu_ns = 0;
	}
	counts.keystore.entries = 0;
	counts.key_cache.entries = counts.key_cache.bytes = 0;
	counts.resolver.pending = 0;
	snapshot_counts_add(total, &counts);
}

void
snapshot_counts_add(
    struct snapshot_counts *total, const struct snapshot_counts *counts)
{
	total->keystore.hits += counts->keystore.hits;
	total->keystore.misses += counts->keystore.misses;
	total->keystore.evictions += counts->keystore.evictions;
	total->keystore.entries += counts->keystore.entries;
	total->keystore.failures += counts->keystore.failures;
	total->key_cache.hits += counts->key_cache.hits;
	total->key_cache.misses += counts->key_cache.misses;
	total->key_cache.joined += counts->key_cache.joined;
	total->key_cache.evictions += counts->key_cache.evictions;
	total->key_cache.entries += counts->key_cache.entries;
	total->key_cache.bytes += counts->key_cache.bytes;
	total->resolver.asked += counts->resolver.asked;
	for (unsigned i = 0; i <= RESOLVER_BOGUS; i++)
		total->resolver.answered[i] += counts->resolver.answered[i];
	total->resolver.refused += counts->resolver.refused;
	total->resolver.refused_share += counts->resolver.refused_share;
	total->resolver.dropped += counts->resolver.dropped;
	total->resolver.pending += counts->resolver.pending;
	total->dns_cpu_ns += counts->dns_cpu_ns;
}
