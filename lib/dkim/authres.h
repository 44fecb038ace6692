/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * authres - Authentication-Results written and read (RFC 8601)
 *
 * Writing is signpost_authres_write of signpost.h; every value that a message
 * chose is quoted or, where no quoting could keep it apart from syntax, shown
 * cleaned. Reading wants only one thing: whose results these are.
 */
#ifndef AUTHRES_H
#define AUTHRES_H

#include "bytes.h"
#include "signpost.h"

/* Whether the value of an Authentication-Results field claims to be that of
 * AUTHSERV_ID: its id, comments and folding skipped, quotes undone, is the
 * same domain (case, final dot and U-labels make no difference). A value that
 * can't be read but holds the id where an id would stand counts as claiming
 * it; one without an id (method results first) does not. */
bool authres_claims(struct bytes value, const char *authserv_id);

#endif
