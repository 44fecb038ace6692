/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * authres - Authentication-Results written and read (RFC 8601)
 *
 * signpost_authres_write of signpost.h is this module's, too. A value is
 * written: begin, then add for each signature, or none. What a message chose
 * is quoted wherever it is not plainly a token; what no quoting could keep
 * apart from syntax is shown cleaned, what is very long cut and marked so.
 *
 * Reading wants only one thing: whose results these are.
 */
#ifndef AUTHRES_H
#define AUTHRES_H

#include "buf.h"
#include "signpost.h"

/* Begins the value of a field: all that stands behind the colon. */
void authres_begin(struct buf *out, const char *authserv_id);
/* Appends the result of one signature. */
void authres_add(struct buf *out, const struct signpost_verdict *verdict);
/* Says that there was no signature. */
void authres_none(struct buf *out);

/* Appends the identity of a signature: i= or, without it, what stands for it
 * (RFC 6376 section 3.5), "@" and d=; nothing where d= can't be read either. */
void authres_identity(struct buf *out, const struct signpost_verdict *verdict);

/* Whether the value of an Authentication-Results field claims to be that of
 * AUTHSERV_ID: its id, comments and folding skipped, quotes undone, is the
 * same domain (case, final dot and U-labels make no difference). A value that
 * can't be read but holds the id where an id would stand counts as claiming
 * it; one without an id (method results first) does not. */
bool authres_claims(struct bytes value, const char *authserv_id);

#endif
