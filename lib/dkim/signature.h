/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signature - the DKIM-Signature field, read (RFC 6376 section 3.5 and 6.1.1,
 * RFC 8463 section 4.1, RFC 8616 section 5)
 *
 * Everything is checked before anything is believed, and before a name goes to
 * DNS; what RFC 6376 calls a syntax error is the reason returned. What could
 * be read of a broken one is told all the same. Linear in the field's length,
 * which is capped, as is h=.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include "address.h"
#include "crypto.h"

enum {
	SIGNATURE_B_SHOWN = 8
};

/* As received: views into the field; data is NULL for what is not there. */
struct signature_text {
	struct bytes domain, selector, identity, algorithm;
	char b[SIGNATURE_B_SHOWN]; /* what b= begins with, without spaces */
	size_t b_len;
	bool report_wanted; /* r=y, RFC 6651 section 3.1 */
};

struct signature {
	enum signpost_algorithm algorithm;
	enum signpost_canon header_canon, body_canon;
	struct bytes *names; /* h= */
	size_t name_count;
	size_t from_count;		/* how many of them are From */
	uint64_t body_limit;		/* l=, or BODY_HASH_NO_LIMIT */
	int64_t signed_at;		/* t=, or -1 */
	int64_t expires_at;		/* x=, or -1 */
	bool in_subdomain;		/* i= is below d= */
	struct digest body_hash;	/* bh=; len 0: it can't match */
	struct buf octets;		/* b=, decoded */
	struct bytes raw_b;		/* all behind "b=" in the field */
	struct bytes copies;		/* z=; data NULL for none */
	char domain_ascii[DOMAIN_SIZE]; /* d= */
	char key_name[DOMAIN_SIZE];	/* where the key is */
};

/* What the field whose value is VALUE says of itself, good or broken. */
void signature_describe(struct bytes value, struct signature_text *text_r);
/* Reads the field; SIGNATURE_R borrows from VALUE and is to be given to
 * signature_fini in every case. *REASON_R: SIGNPOST_REASON_NONE, or the first
 * thing found wrong. */
enum signpost_status signature_parse(struct bytes value,
    struct signature *signature_r, enum signpost_reason *reason_r);
void signature_fini(struct signature *signature);
/* Appends VALUE, the field, with what stands behind "b=" cut out. */
void signature_append_blanked(
    const struct signature *signature, struct bytes value, struct buf *out);

/* Whether S is what d= (two labels or more, no dot at the end) or s= may be;
 * its A-label form. */
bool signature_domain(struct bytes s, char ascii_r[DOMAIN_SIZE]);
bool signature_selector(struct bytes s, char ascii_r[DOMAIN_SIZE]);
/* Whether the address IDENTITY, decoded, its local part perhaps empty, is
 * within DOMAIN_ASCII; its domain in A-labels. */
bool signature_identity(
    struct bytes identity, const char *domain_ascii, char ascii_r[DOMAIN_SIZE]);
/* The name of the key record; false where it is too long for DNS. */
bool signature_key_name(const char *selector_ascii, const char *domain_ascii,
    char name_r[DOMAIN_SIZE]);

#endif
