/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crypto - digests and public-key operations of libcrypto
 *
 * Only this module and key.c know OpenSSL. Algorithms are fetched once, into
 * struct signpost; where SHA-1 is forbidden by the system's policy, its
 * absence is a fact that the handle knows and not an error.
 *
 * Threads: struct signpost and struct crypto_key are immutable; a struct hash
 * belongs to one thread at a time; crypto_sign and crypto_verify may run
 * anywhere, on any number of threads with the same key.
 */
#ifndef CRYPTO_H
#define CRYPTO_H

#include "bytes.h"
#include "signpost.h"

enum hash_algorithm {
	HASH_SHA256,
	HASH_SHA1,
};

enum {
	HASH_MAX_BYTES = 32
};

/* A finished digest. */
struct digest {
	unsigned char data[HASH_MAX_BYTES];
	size_t len;
};

struct hash;	    /* a running digest */
struct crypto_key;  /* a key, with all that its use needs prepared */
struct evp_pkey_st; /* libcrypto's EVP_PKEY */

enum crypto_use {
	CRYPTO_SIGN,
	CRYPTO_VERIFY,
};

/* Name and version of the libcrypto that runs. */
const char *crypto_version(void);
/* Why libcrypto failed, out of memory or not; empties its queue of errors. */
enum signpost_status crypto_failure(void);

/* Whether ALGORITHM can be had from this libcrypto. */
bool crypto_has_hash(
    const struct signpost *handle, enum hash_algorithm algorithm);
enum signpost_status hash_new(const struct signpost *handle,
    enum hash_algorithm algorithm, struct hash **hash_r);
void hash_free(struct hash *hash);
/* Failures are sticky and reported by hash_final. */
void hash_update(struct hash *hash, const void *data, size_t len);
/* Finishes and readies HASH for another message. */
enum signpost_status hash_final(struct hash *hash, struct digest *digest_r);

/* Readies PKEY, a key for ALGORITHM (any of RSA's stands for all), for USE.
 * Takes PKEY over in every case. */
enum signpost_status crypto_key_new(const struct signpost *handle,
    struct evp_pkey_st *pkey, enum signpost_algorithm algorithm,
    enum crypto_use use, struct crypto_key **key_r);
void crypto_key_free(struct crypto_key *key);
struct evp_pkey_st *crypto_key_pkey(const struct crypto_key *key);

/* The signature of DIGEST under ALGORITHM, by a key made for CRYPTO_SIGN. OUT
 * holds OUT_MAX octets. */
enum signpost_status crypto_sign(const struct crypto_key *key,
    enum signpost_algorithm algorithm, const struct digest *digest,
    unsigned char *out, size_t out_max, size_t *out_len_r);
/* By a key made for CRYPTO_VERIFY. SIGNPOST_OK: matches; SIGNPOST_SYNTAX: does
 * not; SIGNPOST_CRYPTO: libcrypto would not or could not tell, which a policy of
 * the system brings about where it has SHA-1 but no signatures by it. */
enum signpost_status crypto_verify(const struct signpost *handle,
    const struct crypto_key *key, enum signpost_algorithm algorithm,
    const struct digest *digest, struct bytes signature);

#endif
