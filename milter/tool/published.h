/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * published - keys beside their records in DNS
 */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include "key_list.h"
#include "key_print.h"

enum published_state {
	PUBLISHED,
	PUBLISHED_NOT,
	PUBLISHED_DIFFERS,
	PUBLISHED_REVOKED,
	PUBLISHED_FAILED,  /* the look-up, for now */
	PUBLISHED_UNKNOWN, /* no key or no one domain to compare */
	PUBLISHED_STATES
};

struct published_record {
	enum published_state state;
	bool signs; /* mail now, by what was found */
	char print[KEY_PRINT_SIZE];
	char name[600];
	char text[700]; /* for people, with the way out */
};

/* Looks the record of every key of LIST, which is KEYSTORE's, up as the daemon
 * would, and finds out which keys sign then. RECORDS_R is one for each, to be
 * freed. Complains of what goes wrong and returns the exit
 * code; 0 is success. */
int published_check(struct signpost *handle, const struct config *config,
    struct keystore *keystore, const struct key_list *list,
    struct published_record **records_r);
/* "published", "not_published" ... */
const char *published_token(enum published_state state);
/* The exit code for COUNT records: 1 where DNS says no, 75 where it says
 * nothing for now, else 0. */
int published_code(const struct published_record *records, size_t count);

#endif
