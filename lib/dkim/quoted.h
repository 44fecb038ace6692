/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quoted - dkim-quoted-printable (RFC 6376 section 2.11), for i= and z=
 */
#ifndef QUOTED_H
#define QUOTED_H

#include "buf.h"

/* Appends TEXT encoded: all but printable ASCII, "=", ";" and "|", which
 * separates in z=. So every verifier understands it. */
void quoted_append(struct bytes text, struct buf *out);
/* Appends TEXT decoded, its white space left out. False where it is
 * malformed. */
bool quoted_decode(struct bytes text, struct buf *out);

#endif
