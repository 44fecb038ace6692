/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key - public and private keys, from and to their encodings
 *
 * Public keys come as p= of a key record holds them, private ones as files do.
 * They are read by der.h and handed to libcrypto as numbers, which costs a
 * tenth of its own decoders and builds nothing from absurd sizes. The public
 * functions of signpost.h for private keys are this module's, too.
 *
 * Threads: keys are immutable; the reference count of a private one is atomic.
 */
#ifndef KEY_H
#define KEY_H

#include "buf.h"
#include "crypto.h"

enum key_type {
	KEY_RSA,
	KEY_ED25519,
};

enum {
	KEY_MIN_RSA_BITS = 512,	  /* what is verified at all */
	KEY_MIN_SIGN_BITS = 1024, /* RFC 8301 section 3.2 */
	KEY_MAX_GENERATE_BITS = 8192,
	KEY_ED25519_BITS = 256,
	KEY_MAX_PRIVATE_TEXT = 65536 /* octets of a private key's file */
};

/* The type of key that ALGORITHM, a known one, is made and verified with. */
enum key_type key_type_of(enum signpost_algorithm algorithm);

/*
 * Reads the public key of TYPE that DATA, decoded p=, encodes: RSAPublicKey or
 * SubjectPublicKeyInfo for RSA, 32 octets or SubjectPublicKeyInfo for Ed25519.
 * SIGNPOST_SYNTAX where it is none, or its modulus or exponent is absurd.
 * SIGNPOST_OK with *KEY_R NULL where its size (*BITS_R) is beyond
 * KEY_MIN_RSA_BITS or SIGNPOST_MAX_RSA_BITS: there is no use for it.
 */
enum signpost_status key_read_public(const struct signpost *handle,
    enum key_type type, struct bytes data, struct crypto_key **key_r,
    unsigned *bits_r);
/* Whether PUBLIC is the public half of PRIVATE. */
bool key_is_half_of(const struct crypto_key *public_key,
    const struct signpost_private_key *private_key);
/* What crypto_sign wants. */
const struct crypto_key *key_of_private(const struct signpost_private_key *key);

#endif
