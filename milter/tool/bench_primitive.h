/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_primitive - libcrypto's algorithms, bare, to be measured
 *
 * The only module of the command that knows OpenSSL: it wants algorithms that
 * mail has no use for. They come from a library context of its own, into which
 * the legacy provider is loaded where there is one; what signs and verifies
 * mail never sees that. A constructor returns NULL where libcrypto does not
 * have the algorithm, or refuses it.
 *
 * Operations are of the type bench_operation and take what they work on as
 * their context; all they need is prepared, as in a program that does the same
 * again and again. False: libcrypto failed.
 */
#ifndef BENCH_PRIMITIVE_H
#define BENCH_PRIMITIVE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	PRIMITIVE_MAX_BYTES = 65536, /* that one cipher operation takes */
	PRIMITIVE_ED25519 = 256	     /* its bits */
};

struct primitives;
struct primitives *primitives_new(void);
void primitives_free(struct primitives *primitives);
bool primitives_have_legacy(const struct primitives *primitives);
/* Name and version of libcrypto. */
const char *primitives_version(void);

/* Key pairs: RSA of BITS, or Ed25519. Made when first asked for, which takes
 * seconds for large ones; they belong to PRIMITIVES. */
struct primitive_key;
struct primitive_key *primitives_key(
    struct primitives *primitives, unsigned bits);
/* The private key, PKCS #8; to be freed with free(). NULL: out of memory. */
char *primitive_key_pem(const struct primitive_key *key);
/* Of a SHA-256 digest, PKCS #1 v1.5 or Ed25519. */
bool primitive_sign(void *key);
bool primitive_verify(void *key);
/* Of a session key of 16 octets, PKCS #1 v1.5; RSA only. */
bool primitive_encrypt(void *key);
bool primitive_decrypt(void *key);

struct primitive_digest;
struct primitive_digest *primitive_digest_new(
    struct primitives *primitives, const char *name, size_t len);
struct primitive_digest *primitive_hmac_new(
    struct primitives *primitives, const char *name, size_t len);
void primitive_digest_free(struct primitive_digest *digest);
/* The digest, or the HMAC, of the LEN octets that it was made for. */
bool primitive_digest_run(void *digest);

struct primitive_cipher;
/* To encrypt or decrypt LEN octets at once, whole blocks. */
struct primitive_cipher *primitive_cipher_new(
    struct primitives *primitives, const char *name, bool encrypts, size_t len);
void primitive_cipher_free(struct primitive_cipher *cipher);
/* The next LEN octets of a long stream. */
bool primitive_cipher_run(void *cipher);
/* The same over LEN octets of the caller's, PRIMITIVE_MAX_BYTES at most. */
bool primitive_cipher_update(
    struct primitive_cipher *cipher, const void *data, size_t len);

#endif
