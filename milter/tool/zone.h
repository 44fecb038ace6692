/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zone - the TXT records of a zone file (RFC 1035 section 5)
 *
 * Understood are comments, parentheses, strings with and without quotes, \X
 * and \DDD, $ORIGIN, $TTL, "@", names relative to the origin (the root until
 * $ORIGIN says otherwise), left-out owners, TTL and class in either order, and
 * CNAME records to names in the same file. Records of other types are read
 * over. A string may be longer than the 255 octets of DNS. $INCLUDE and
 * $GENERATE are refused.
 */
#ifndef ZONE_H
#define ZONE_H

#include <stdio.h>

#include "bytes.h"

struct zone;

struct zone_error {
	size_t line; /* 0: of no line */
	char text[160];
};

/* Reads the text of a zone file. NULL with *ERROR_R saying why; line 0 there
 * is lack of memory. */
struct zone *zone_parse(struct bytes text, struct zone_error *error_r);
void zone_free(struct zone *zone);

enum zone_answer {
	ZONE_FOUND,
	ZONE_NO_NAME, /* no such name, or no TXT record there */
	ZONE_LOOP,    /* more CNAME records in a row than anybody follows */
};

/* The TXT records at NAME (lower case, A-labels, no dot at the end), at most
 * MAX; each is its strings joined. Views into ZONE. */
enum zone_answer zone_find(const struct zone *zone, const char *name,
    struct bytes *records_r, size_t max, size_t *count_r);

#endif
