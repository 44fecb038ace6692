/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reference_signer - signatures by RFC 6376 taken literally, slowly, and apart from the library
 *
 * Signs whatever it is told to, however odd: the field is a template that the
 * test writes, in which %H stands for the body hash and %B for the signature.
 */
#ifndef REFERENCE_SIGNER_H
#define REFERENCE_SIGNER_H

#include "signpost.h"

enum reference_key {
	REFERENCE_RSA,
	REFERENCE_RSA512,
	REFERENCE_ED25519,
};

struct reference {
	const char *fields; /* the header: whole fields, each ended by CRLF */
	const char *body;
	size_t body_len;
	const char *names; /* what to sign, in order: "from:to" */
	enum signpost_canon header_canon, body_canon;
	bool sha1;
	size_t limit; /* canonical octets of the body; SIZE_MAX for all */
	enum reference_key key;
};

/* All that stands behind "DKIM-Signature:"; to be freed. */
char *reference_sign(const struct reference *reference, const char *template);

#endif
