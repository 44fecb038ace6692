/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base64 - RFC 4648 section 4, with the white space that DKIM allows in it
 */
#ifndef BASE64_H
#define BASE64_H

#include "buf.h"

/* Room that encoding LEN octets takes, without a NUL. */
#define BASE64_ENCODED_LEN(len) (((len) + 2) / 3 * 4)

/* Appends the encoding of DATA, padded, unfolded. */
void base64_encode(const void *data, size_t len, struct buf *out);
/* Appends what TEXT encodes. SP, TAB, CR and LF may stand anywhere (RFC 6376
 * section 2.10: FWS); anything else outside the alphabet, data after padding,
 * missing padding, left-over bits that are not zero and the empty string are
 * an error: false, and OUT holds what it held. True says nothing about
 * memory: as always, ask OUT. */
bool base64_decode(struct bytes text, struct buf *out);

#endif
