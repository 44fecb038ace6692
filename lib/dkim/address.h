/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address - mailboxes of From and of the envelope, and domains (RFC 5322
 * section 3.4, RFC 5321 section 4.1.2, RFC 6532, RFC 5890, RFC 8616)
 *
 * A domain is compared as a domain: without case, U-labels as the A-labels
 * that they stand for. Everything from a message goes through domain_to_ascii
 * before it becomes part of a path, a DNS name or a look-up.
 */
#ifndef ADDRESS_H
#define ADDRESS_H

#include "buf.h"
#include "signpost.h"

enum {
	DOMAIN_MAX_BYTES = 253, /* in A-labels, no dot at the end */
	DOMAIN_SIZE = 254,	/* with a NUL */
	ADDRESS_MAX_LISTED = 8	/* mailboxes of a From that are looked at */
};

struct address {
	struct bytes local;  /* as written, quotes and all */
	struct bytes domain; /* as written */
};

/* Writes the A-label form of DOMAIN, in lower case, without a dot at the end,
 * NUL-ended. False where DOMAIN is not a domain name of letters, digits,
 * hyphens, underscores and U-labels, in labels of 63 octets, 253 in all
 * (nothing is written then). One label is enough. */
bool domain_to_ascii(struct bytes domain, char out_r[DOMAIN_SIZE]);
/* Whether both are domains and the same. */
bool domain_equal(struct bytes a, struct bytes b);
/* Whether CHILD is PARENT or ends in a dot and PARENT; both in ASCII form. */
bool domain_is_under(const char *child, const char *parent);

/* The value of a From (RFC 5322: mailbox-list, groups too): the first mailbox;
 * display names, comments, quoted strings, routes, folding and UTF-8 are
 * understood; the number of mailboxes goes to *COUNT_R. False where there is
 * none or the syntax is broken. Views point into SCRATCH, which is cleared. */
bool address_from_field(struct bytes value, struct buf *scratch,
    struct address *address_r, size_t *count_r);
/* The same, for all mailboxes: the first MAX of them, as they stand, go to
 * ADDRESSES_R. */
bool address_list_from_field(struct bytes value, struct buf *scratch,
    struct address *addresses_r, size_t max, size_t *count_r);
/* An envelope path, with or without angle brackets; false for "<>" and for
 * what has no domain. Views point into PATH. */
bool address_from_path(struct bytes path, struct address *address_r);

#endif
