/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * der - just enough of DER (X.690 section 10) to read RSA and Ed25519 keys
 *
 * Strict: definite lengths in their shortest form, at most 64 kB, nothing left
 * over. Views into the input, no allocation.
 */
#ifndef DER_H
#define DER_H

#include "bytes.h"

enum {
	DER_INTEGER = 0x02,
	DER_BIT_STRING = 0x03,
	DER_OCTET_STRING = 0x04,
	DER_NULL = 0x05,
	DER_OBJECT = 0x06,
	DER_SEQUENCE = 0x30,
};

/* RFC 8017 section A.1 and appendix C */
struct der_rsa_public {
	struct bytes n, e; /* magnitudes: big-endian, no zero in front */
};

enum {
	DER_RSA_PRIVATE_PARTS = 8
};

struct der_rsa_private {
	/* n, e, d, p, q, d mod p-1, d mod q-1, 1/q mod p */
	struct bytes parts[DER_RSA_PRIVATE_PARTS];
};

enum der_kind {
	DER_RSA,
	DER_ED25519,
};

/* Cuts the next element off, which must be of TAG. */
bool der_next(struct bytes *rest, unsigned char tag, struct bytes *content_r);

/* RSAPublicKey, all of TEXT. */
bool der_rsa_public(struct bytes text, struct der_rsa_public *key_r);
/* SubjectPublicKeyInfo (RFC 5280 section 4.1, RFC 8410): its kind, and its key
 * as RSAPublicKey or as 32 octets. */
bool der_subject_public_key(
    struct bytes text, enum der_kind *kind_r, struct bytes *key_r);
/* RSAPrivateKey of two primes, all of TEXT. */
bool der_rsa_private(struct bytes text, struct der_rsa_private *key_r);
/* PrivateKeyInfo (RFC 5208, RFC 5958; what follows the key is skipped): its
 * kind, and its key as RSAPrivateKey or as a seed of 32 octets. */
bool der_private_key_info(
    struct bytes text, enum der_kind *kind_r, struct bytes *key_r);

#endif
