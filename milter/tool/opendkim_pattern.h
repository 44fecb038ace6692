/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_pattern - keys of tables about senders, as names of entries of
 * domains
 */
#ifndef OPENDKIM_PATTERN_H
#define OPENDKIM_PATTERN_H

#include "opendkim_set.h"

enum {
	OPENDKIM_MAX_NAMES_EACH = 2 /* that one key stands for */
};

struct opendkim_senders {
	const char *names[OPENDKIM_MAX_NAMES_EACH];
	size_t count; /* 0: none, of which a problem tells */
};

/* The senders that the key of ROW in a table of addresses stands for;
 * PATTERNS: the table is a refile. */
void opendkim_senders_read(struct import *import,
    const struct opendkim_row *row, bool patterns,
    struct opendkim_senders *senders_r);
/* The same of a table of domains. */
void opendkim_domains_read(struct import *import,
    const struct opendkim_row *row, bool patterns,
    struct opendkim_senders *senders_r);
/* TEXT with DOMAIN in place of each "%". */
const char *opendkim_with_domain(
    struct import *import, const char *text, const char *domain);
/* Whether mail from DOMAIN is of the senders NAME, ".domain" or "*". */
bool opendkim_is_in(const char *domain, const char *name);

#endif
