/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key_list - all keys of a configuration and of its key_directory, sorted,
 * each once
 */
#ifndef KEY_LIST_H
#define KEY_LIST_H

#include "keystore.h"

/* One copy holds all three. DOMAIN is the d= of the key; where that is From's,
 * the name of the entry without user: ".example.com" or "*" is none. */
struct key_list_item {
	char *domain, *selector, *file;
};

struct key_list {
	const char *domain, *selector; /* wanted, as ASCII; NULL: any */
	struct key_list_item *items;
	size_t count, room;
	bool failed; /* out of memory */
};

/* Fills LIST, which is zeroed but for what is wanted. False: out of memory. */
bool key_list_fill(struct key_list *list, struct keystore *keystore);
void key_list_fini(struct key_list *list);
/* Whether DOMAIN stands for domains that can't be named. */
bool key_list_is_any(const char *domain);

#endif
