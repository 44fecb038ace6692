/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hazards - what servers on the way will change, so that a signature breaks
 *
 * A signature holds only while what it covers stays as it is, and mail servers
 * mend what SMTP can't carry: they cut long lines (RFC 5322 section 2.1.1 has
 * 998 octets; some cut at 990), replace a CR or LF that stands alone (RFC 5321
 * section 2.3.8) and NUL, and encode 8-bit text for a server that does not take
 * it (RFC 6152 section 3). A scan looks for that in a body that is pushed
 * through, cut anywhere; what it finds in all does not depend on the cuts. Its
 * state is of fixed size, its cost a small part of what hashing the same octets
 * costs.
 */
#ifndef HAZARDS_H
#define HAZARDS_H

#include "headers.h"

enum hazard {
	HAZARD_LONG_LINE,      /* of the body */
	HAZARD_LONG_HEADER,    /* a line of a header field */
	HAZARD_ADDRESS_FORM,   /* addresses that Sendmail writes anew */
	HAZARD_BARE_LINE_END,  /* CR or LF without the other, anywhere */
	HAZARD_NUL,	       /* in the body */
	HAZARD_8BIT,	       /* octets over 127 in the body */
	HAZARD_UNDECLARED,     /* the same, and nothing says so */
	HAZARD_SIGNED_ALREADY, /* a signature of ours is there, and valid */
	HAZARDS
};

/* A set of hazards. */
#define HAZARD_BIT(hazard) (1U << (hazard))

struct hazard_scan {
	unsigned found;
	size_t limit; /* octets of a line without its end that are let be */
	size_t line;  /* octets of the present line; stays where too many */
	char last;    /* octet; NUL before the first */
};

void hazard_scan_init(struct hazard_scan *scan, size_t limit);
void hazard_scan_update(struct hazard_scan *scan, const char *data, size_t len);
/* End of the text: the set of HAZARD_LONG_LINE, HAZARD_BARE_LINE_END,
 * HAZARD_NUL and HAZARD_8BIT that it has. */
unsigned hazard_scan_final(struct hazard_scan *scan);

/* What a field has of HAZARD_LONG_HEADER and HAZARD_BARE_LINE_END. */
unsigned hazards_of_field(struct field field, size_t limit);
/* Whether Sendmail will write FIELD anew so that a signature under CANON does
 * not hold: a field of addresses that does not look as Sendmail writes them. */
bool hazards_readdressed(struct field field, enum signpost_canon canon);
/* Whether Content-Transfer-Encoding says that there is 8-bit text (RFC 2045
 * section 6.2: "8bit" or "binary"). */
bool hazards_declared(const struct signpost_headers *headers);

const char *hazard_token(enum hazard hazard);
const char *hazard_text(enum hazard hazard);

#endif
