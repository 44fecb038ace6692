/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key_set - the key records at one name (RFC 6376 section 3.6.1, RFC 8463
 * section 4.2)
 *
 * Each record is kept: as a key ready for use, or as the reason why it is
 * none. The public functions signpost_key_set_... are this module's, too.
 *
 * Threads: a set is immutable and its reference count atomic.
 */
#ifndef KEY_SET_H
#define KEY_SET_H

#include "key.h"

struct key_record {
	/* Why no signature can use it; SIGNPOST_REASON_NONE where one can. */
	enum signpost_reason reason;
	enum key_type type;
	unsigned bits;
	struct crypto_key *key; /* NULL with bits != 0: of a refused size */
	bool allows_sha256, allows_sha1; /* h= */
	bool strict;			 /* t=s */
	bool testing;			 /* t=y */
};

size_t key_set_count(const struct signpost_key_set *keys);
const struct key_record *key_set_get(
    const struct signpost_key_set *keys, size_t i);
/* Why RECORD can't serve a signature of ALGORITHM, whose i= is in a SUBDOMAIN
 * of d= or not (RFC 6376 section 6.1.2); SIGNPOST_REASON_NONE where it can. */
enum signpost_reason key_record_refuses(const struct key_record *record,
    enum signpost_algorithm algorithm, bool subdomain);

#endif
