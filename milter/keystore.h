/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keystore - domain to selectors and private keys
 *
 * At load the files are indexed (names only) and as many keys read as the
 * caller asks for; any other is read and parsed when it is first needed and
 * then kept, capped, each once however many messages ask (keystore_files.h).
 * A file that others could read or replace is refused (keyfile.h).
 *
 * Threads: shared, counted; what is kept is under the mutex of
 * keystore_files.h, which is never held while a file is read.
 */
#ifndef KEYSTORE_H
#define KEYSTORE_H

#include "config.h"
#include "publication.h"

enum {
	KEYSTORE_MAX_KEYS = 16,	    /* that sign one message */
	KEYSTORE_MAX_CHECKED = 1000 /* of KEYSTORE_CHECK_NAMED: no start or
	                               reload takes long */
};

/* What is read at once, and must be usable. */
enum keystore_check {
	KEYSTORE_CHECK_NONE,
	KEYSTORE_CHECK_ALL,
	KEYSTORE_CHECK_NAMED, /* the first keys that the configuration names */
};

/* A key that signs: private key, selector and d=, which change together. */
struct keystore_key {
	struct signpost_private_key *key; /* one reference of its own */
	const char *selector;
	const char *domain; /* d= */
	const char *file;
};

/* What keystore_select found. */
struct keystore_keys {
	struct keystore_key items[KEYSTORE_MAX_KEYS];
	size_t count;
	size_t named;	    /* keys that apply, usable or not */
	size_t unusable;    /* of those, that could not be loaded */
	size_t unpublished; /* that would be used if their record were seen */
	bool anyway;	    /* all that sign are of those */
	char why[512]; /* the reason of one that is news, or of the first */
	bool is_news;  /* WHY was not given since that key was last read */
	void *owner;   /* what keeps the strings alive */
};

struct keystore_counts {
	uint64_t hits, misses, evictions, entries, failures;
};

struct keystore;

/* Indexes the keys that CONFIG names, and reads those that CHECK says. Problems
 * go to PROBLEMS. NULL: out of memory. */
struct keystore *keystore_new(struct signpost *handle,
    const struct config *config, enum keystore_check check,
    struct config_problems *problems);
/* From now on, before other threads know of KEYSTORE, keys that require it are
 * used only if PUBLICATION, which must outlive KEYSTORE, allows them. Without
 * one nothing is known of DNS, and all keys pass for published. */
void keystore_set_publication(
    struct keystore *keystore, struct publication *publication);
struct keystore *keystore_ref(struct keystore *keystore);
void keystore_unref(struct keystore *keystore);
/* The keys that sign for From domain DOMAIN (lower case, A-labels) under ENTRY
 * (NULL: no entry, its folder in key_directory): exactly one of each
 * algorithm, or all. Where none of the keys that there are is published,
 * sign.on_no_usable_key may have them sign anyway. False: out of memory. */
bool keystore_select(struct keystore *keystore,
    const struct config_domain *entry, const char *domain,
    struct keystore_keys *keys_r);
/* Whether any key applies at all: cheap, nothing is read. */
bool keystore_has(struct keystore *keystore, const struct config_domain *entry,
    const char *domain);
void keystore_keys_fini(struct keystore_keys *keys);
void keystore_counts(struct keystore *keystore, struct keystore_counts *out_r);
/* Calls VISIT for every key in the configuration and in key_directory. */
typedef void keystore_visit(
    void *ctx, const char *domain, const char *selector, const char *file);
void keystore_each(struct keystore *keystore, keystore_visit *visit, void *ctx);

#endif
