/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canon_header - canonical form of one header field (RFC 6376 section 3.4.1,
 * 3.4.2)
 */
#ifndef CANON_HEADER_H
#define CANON_HEADER_H

#include "buf.h"
#include "signpost.h"

/* Appends the canonical form of the field whose octets before the colon are
 * NAME and behind it VALUE (line ends are CRLF), without a line end at the
 * end: the caller adds CRLF where RFC 6376 section 3.7 asks for one. */
void canon_header(enum signpost_canon canon, struct bytes name,
    struct bytes value, struct buf *out);

#endif
