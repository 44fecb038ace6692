/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * body_hash - the body hashes that a message's signatures need, each once
 *
 * One running digest for each different (canonicalization, digest algorithm,
 * l=); one canonicalization for each method in use, whose output all its
 * digests share. Small canonical runs are gathered before they are digested,
 * large ones are digested where they lie. Memory does not depend on the body.
 */
#ifndef BODY_HASH_H
#define BODY_HASH_H

#include <stdint.h>

#include "crypto.h"

#define BODY_HASH_NO_LIMIT UINT64_MAX

struct body_hash_result {
	struct digest digest;
	uint64_t hashed_bytes; /* canonical octets that went in */
	uint64_t beyond_bytes; /* canonical octets beyond the limit */
};

struct body_hash;

enum signpost_status body_hash_new(
    const struct signpost *handle, struct body_hash **hash_r);
void body_hash_free(struct body_hash *hash);
/* Asks for a digest over the first LIMIT canonical octets; SLOT_R names it
 * for body_hash_get; equal requests get equal slots. Before the first update
 * only. */
enum signpost_status body_hash_want(struct body_hash *hash,
    enum signpost_canon canon, enum hash_algorithm algorithm, uint64_t limit,
    size_t *slot_r);
/* Whether anything was asked for. */
bool body_hash_wanted(const struct body_hash *hash);
void body_hash_update(struct body_hash *hash, const char *data, size_t len);
/* No more body. Once, and nothing but get and free afterwards. */
enum signpost_status body_hash_final(struct body_hash *hash);
/* What SLOT came to, once body_hash_final was SIGNPOST_OK; lives as HASH. */
const struct body_hash_result *body_hash_get(
    const struct body_hash *hash, size_t slot);

#endif
