/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfws - comments and folding white space (RFC 5322 section 3.2.2), what may
 * stand between the tokens of a structured field
 *
 * The functions cut what they read off the front of *REST. A line end that
 * white space follows is folding, whether CRLF or, as both MTAs hand fields
 * over, a lone LF; no other line end is.
 */
#ifndef CFWS_H
#define CFWS_H

#include "bytes.h"

enum {
	CFWS_END = -1,	    /* what cfws_peek says of nothing */
	CFWS_MAX_DEPTH = 64 /* of comments in comments */
};

static inline int
cfws_peek(const struct bytes *rest)
{
	return rest->len > 0 ? (unsigned char)rest->data[0] : CFWS_END;
}

static inline void
cfws_advance(struct bytes *rest, size_t len)
{
	rest->data += len;
	rest->len -= len;
}

/* Whether C may stand in a comment, a quoted string or a literal, escaped or
 * not: all but the end, NUL and line ends. */
static inline bool
cfws_is_text(int c)
{
	return c != CFWS_END && c != '\0' && c != '\r' && c != '\n';
}

/* Takes the line end of folding, without the white space behind it. */
bool cfws_take_fold(struct bytes *rest);
/* Skips white space, folding and comments. False where a comment does not
 * end, nests too deep or holds what it must not. */
bool cfws_skip(struct bytes *rest);

#endif
