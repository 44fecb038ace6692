/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * taglist - the tag=value lists of signatures and key records (RFC 6376
 * section 3.2)
 *
 * One pass, no allocation: views into the text. A list with an error is read
 * to its end all the same, so that a signature that cannot be used can still
 * be named by its d= and s=.
 */
#ifndef TAGLIST_H
#define TAGLIST_H

#include <stdint.h>

#include "bytes.h"

enum {
	TAGLIST_MAX_TAGS = 64 /* what is over it is a syntax error */
};

enum taglist_status {
	TAGLIST_OK,
	TAGLIST_SYNTAX,
	TAGLIST_REPEATED, /* a name occurs twice; the first one is kept */
};

struct tag {
	struct bytes name;
	struct bytes value; /* without white space at its ends */
	struct bytes raw;   /* all that stands between "=" and ";" */
};

struct taglist {
	struct tag tags[TAGLIST_MAX_TAGS]; /* as they stand in the text */
	size_t count;
};

/* The first error is the one returned. Names are case-sensitive; octets beyond
 * ASCII may stand in values (RFC 8616 section 5). */
enum taglist_status taglist_parse(struct bytes text, struct taglist *list_r);
/* The tag called NAME, or NULL. */
const struct tag *taglist_get(const struct taglist *list, const char *name);
/* Cuts the next part off a list within a value, trimmed: h=a : b. False at the
 * end. *REST starts as the whole value. */
bool taglist_next_item(struct bytes *rest, struct bytes *item_r);
/* A decimal number of 1 to MAX_DIGITS digits and nothing else. What is larger
 * than MAX counts as MAX. */
bool taglist_number(
    struct bytes value, size_t max_digits, uint64_t max, uint64_t *number_r);

#endif
