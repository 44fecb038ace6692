/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * header_hash - the digest that is signed: the chosen header fields and the
 * signature's own (RFC 6376 section 3.7, step 2)
 *
 * Signer and verifier share it, so that they can't differ.
 */
#ifndef HEADER_HASH_H
#define HEADER_HASH_H

#include "crypto.h"
#include "headers.h"

struct header_hash {
	const struct signpost_headers *headers;
	enum signpost_canon canon;
	const struct bytes *names; /* h= */
	size_t count;
	/* The signature's own field: its number in the message, or SIZE_MAX
	 * where it is not there yet; its name, and its value without b=. It
	 * is never one of those that h= chooses: it comes last. */
	size_t own;
	struct bytes own_name, own_value;
};

/* Hashes with HASH; SCRATCH holds one field at a time. */
enum signpost_status header_hash_run(const struct header_hash *input,
    struct hash *hash, struct buf *scratch, struct digest *digest_r);

#endif
