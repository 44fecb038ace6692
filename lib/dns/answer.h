/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answer - the TXT records of a DNS answer (RFC 1035 section 4)
 *
 * Reads what the resolver hands over in wire format: rcode, TTL and each TXT
 * record with its strings joined, nothing between them (RFC 6376 section
 * 3.6.2.2). Whether records belong to the question (CNAME and DNAME chains)
 * is the resolver's business: the answer section holds nothing else.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include <stdint.h>

#include "bytes.h"
#include "resolver.h"

enum {
	ANSWER_MAX_BYTES = 65535 /* of a DNS message */
};

struct answer {
	unsigned rcode;
	uint32_t ttl_s; /* least of the chain, and of a denial at its end */
	struct bytes records[RESOLVER_MAX_RECORDS];
	size_t count;
	size_t dropped;		     /* records beyond the caps of resolver.h */
	char text[ANSWER_MAX_BYTES]; /* what RECORDS point into */
};

/* False where PACKET is not a well-formed message. */
bool answer_read(
    const unsigned char *packet, size_t len, struct answer *answer_r);

#endif
