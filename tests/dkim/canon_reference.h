/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canon_reference - the canonical forms, slowly, as RFC 6376 section 3.4 words
 * them
 *
 * Each sentence of the RFC is one pass over the whole text. Shares nothing with
 * the library but its buffer.
 */
#ifndef CANON_REFERENCE_H
#define CANON_REFERENCE_H

#include "buf.h"
#include "signpost.h"

void reference_body(
    enum signpost_canon canon, struct bytes body, struct buf *out);
void reference_header(enum signpost_canon canon, struct bytes name,
    struct bytes value, struct buf *out);

#endif
