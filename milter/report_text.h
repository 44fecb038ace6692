/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_text - a report of a signature that failed, as a message (RFC 5965,
 * RFC 6591)
 *
 * What the failed message chose is cleaned wherever a line of the report is
 * made of it; its header stands in a part of its own, behind a boundary that
 * nobody can foresee. Lines end in LF.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "buf.h"
#include "report_record.h"
#include "signpost.h"

enum {
	REPORT_MAX_HEADER_BYTES = 32768, /* of the failed message */
	REPORT_BOUNDARY_SIZE = 40
};

/* What is reported; borrowed. */
struct report_facts {
	const char *boundary;
	const char *domain; /* d=, A-labels */
	const struct signpost_verdict *verdict;
	const struct signpost_headers *headers;
	const char *authserv_id, *authres; /* its value */
	const char *client;		   /* an address; "" for none */
	struct bytes sender;		   /* MAIL FROM as given */
	bool delivered;			   /* else refused */
	int64_t now;			   /* since 1970 */
};

/* Who gets it. */
struct report_envelope {
	const char *boundary, *from, *to, *domain, *host;
	uint64_t serial; /* makes it unique with NOW */
	int64_t now;
};

/* Which kind of failure REASON is; false: none that is reported. */
bool report_kind_of(enum signpost_reason reason, enum report_kind *kind_r);
void report_boundary(uint64_t random, char boundary_r[REPORT_BOUNDARY_SIZE]);
/* Appends the three parts of the report. */
void report_write_parts(const struct report_facts *facts, struct buf *out);
/* Appends the header of the report, and the line behind it. */
void report_write_header(
    const struct report_envelope *envelope, struct buf *out);

#endif
