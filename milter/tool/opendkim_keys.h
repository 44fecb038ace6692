/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_keys - KeyTable: names of keys, each with the domain and selector
 * that it signs under and the file that it is in
 *
 * A domain that is "%" stands for that of From, and so does each "%" in a
 * path. A row may hold the key itself instead of a path; such a key is written
 * to a folder where there is one for that.
 */
#ifndef OPENDKIM_KEYS_H
#define OPENDKIM_KEYS_H

#include "opendkim_conf.h"

struct opendkim_key {
	const char *name;
	const char *domain; /* "%": that of From */
	const char *selector;
	const char *data; /* a path, or the key */
	bool is_path;
	const char *file; /* where a key that is no path was written, or NULL */
	struct import_place place;
};

struct opendkim_keys {
	const struct opendkim_conf *conf;
	struct opendkim_key *keys; /* in the order of the table */
	size_t *by_name;	   /* sorted, indexes of KEYS */
	size_t count;
	size_t *wild; /* those with "*" in their names, of a refile */
	size_t wild_count;
	const char *folder; /* for keys that are no paths; NULL: none */
	struct signpost *handle;
};

/* Reads the table; rows that can't be used are left out, with a problem. */
void opendkim_keys_read(struct opendkim_keys *keys,
    const struct opendkim_conf *conf, struct signpost *handle,
    const char *folder);
void opendkim_keys_fini(struct opendkim_keys *keys);
/* The key NAME, by OpenDKIM's rules; NULL for none. */
struct opendkim_key *opendkim_keys_find(
    const struct opendkim_keys *keys, const char *name);
/* Where KEY is that is no path: in a file that is written now, unless it was
 * before. NULL, with a problem, where that can't be. */
const char *opendkim_keys_extract(
    const struct opendkim_keys *keys, struct opendkim_key *key);

#endif
