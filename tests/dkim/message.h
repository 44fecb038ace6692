/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * message - what the tests of signer and verifier share: a handle, headers from
 * text, and a whole verification in one call
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "bytes.h"
#include "signpost.h"

#define MESSAGE_NOW INT64_C(1700000000)

/* Whether the key comes before the body, and how the body is cut. */
struct message_course {
	bool key_first;
	size_t piece; /* octets; 0 for all at once */
};

struct message_keys {
	enum signpost_key_answer answer;
	const char *const *records; /* NULL-ended */
};

/* What signpostd asks for unless told otherwise. */
struct signpost_verify_options message_options(void);
/* The fields of TEXT, each ended by CRLF. */
struct signpost_headers *message_headers(const char *text);
/* Takes VERIFIER through the body and the keys, the same for all signatures,
 * until all are decided. */
void message_verify(struct signpost *handle, struct signpost_verifier *verifier,
    struct bytes body, const struct message_keys *keys,
    struct message_course course);

#endif
