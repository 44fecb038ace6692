/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keydir - the folders of keys, DOMAIN/SELECTOR.pem
 *
 * Names only: no key is read. A folder that can't be listed is not the same as
 * one that is not there: the first has keys that can't be used, and mail must
 * not leave unsigned for it.
 *
 * Threads: a list is immutable once made.
 */
#ifndef KEYDIR_H
#define KEYDIR_H

#include "arena.h"
#include "keyfile.h"

enum {
	KEYDIR_MAX_DOMAINS = 1000000,
	KEYDIR_MAX_SELECTORS = 64 /* of a domain; the greatest count */
};

/* A folder or a file: the domain or selector that it is for, and its path. */
struct keydir_item {
	const char *name;
	const char *path;
};

struct keydir_list {
	struct keydir_item *items;
	size_t count;
	size_t ignored;	 /* whose names are no domain or selector */
	const char *why; /* could not be listed; NULL: it could, or is not
	                       there at all */
	struct keyfile_stamp stamp;
};

/* Natural order: runs of digits count as numbers, all else by octet: s2 < s10,
 * 2026a < 2026aa < 2026b. */
int keydir_compare(const char *a, const char *b);
/* The domains that have a folder in PATH, in A-labels and sorted as strcmp
 * does. False: memory or descriptors do not suffice just now. */
bool keydir_domains(
    const char *path, struct arena *arena, struct keydir_list *list_r);
/* The selectors that have a file in PATH, greatest first. */
bool keydir_selectors(
    const char *path, struct arena *arena, struct keydir_list *list_r);
/* The item so named in the list of domains; NULL for none. */
const struct keydir_item *keydir_find(
    const struct keydir_list *list, const char *domain);
/* Whether the folder PATH still is as STAMP says. */
bool keydir_unchanged(const char *path, const struct keyfile_stamp *stamp);

#endif
