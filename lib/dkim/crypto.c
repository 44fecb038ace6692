/* SPDX-License-Identifier: BSD-2-Clause */
#include "crypto.h"

#include <assert.h>
#include <stdlib.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

enum {
	HASHES = 2
};

static const char *const hash_names[HASHES] = {
	[HASH_SHA256] = "SHA2-256",
	[HASH_SHA1] = "SHA1",
};

struct signpost {
	EVP_MD *hashes[HASHES]; /* NULL where libcrypto has none */
};

struct hash {
	EVP_MD_CTX *ctx;
	const EVP_MD *md; /* the handle's */
	bool failed;
};

/* Fetching succeeds for a digest that the system's policy then refuses to
 * start, so starting it is the test. */
static EVP_MD *
hash_fetch(const char *name)
{
	EVP_MD *md = EVP_MD_fetch(NULL, name, NULL);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool usable = md != NULL && ctx != NULL &&
	    EVP_MD_get_size(md) <= HASH_MAX_BYTES &&
	    EVP_DigestInit_ex2(ctx, md, NULL) == 1;

	EVP_MD_CTX_free(ctx);
	if (usable)
		return md;
	EVP_MD_free(md);
	return NULL;
}

enum signpost_status
signpost_new(struct signpost **handle_r)
{
	struct signpost *handle = calloc(1, sizeof(*handle));

	*handle_r = NULL;
	if (handle == NULL)
		return SIGNPOST_NOMEM;
	for (size_t i = 0; i < HASHES; i++)
		handle->hashes[i] = hash_fetch(hash_names[i]);
	ERR_clear_error();
	if (handle->hashes[HASH_SHA256] == NULL) {
		signpost_free(handle);
		return SIGNPOST_CRYPTO;
	}
	*handle_r = handle;
	return SIGNPOST_OK;
}

void
signpost_free(struct signpost *handle)
{
	if (handle == NULL)
		return;
	for (size_t i = 0; i < HASHES; i++)
		EVP_MD_free(handle->hashes[i]);
	free(handle);
}

const char *
crypto_version(void)
{
	return OpenSSL_version(OPENSSL_VERSION);
}

enum signpost_status
crypto_failure(void)
{
	enum signpost_status status = SIGNPOST_CRYPTO;
	unsigned long error;

	while ((error = ERR_get_error()) != 0) {
		if (ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE)
			status = SIGNPOST_NOMEM;
	}
	return status;
}

bool
crypto_has_hash(const struct signpost *handle, enum hash_algorithm algorithm)
{
	return handle->hashes[algorithm] != NULL;
}

enum signpost_status
hash_new(const struct signpost *handle, enum hash_algorithm algorithm,
    struct hash **hash_r)
{
	struct hash *hash;

	assert(crypto_has_hash(handle, algorithm));
	*hash_r = NULL;
	hash = calloc(1, sizeof(*hash));
	if (hash == NULL)
		return SIGNPOST_NOMEM;
	hash->md = handle->hashes[algorithm];
	hash->ctx = EVP_MD_CTX_new();
	if (hash->ctx == NULL ||
	    EVP_DigestInit_ex2(hash->ctx, hash->md, NULL) != 1) {
		ERR_clear_error();
		hash_free(hash);
		return SIGNPOST_NOMEM;
	}
	*hash_r = hash;
	return SIGNPOST_OK;
}

void
hash_free(struct hash *hash)
{
	if (hash == NULL)
		return;
	EVP_MD_CTX_free(hash->ctx);
	free(hash);
}

void
hash_update(struct hash *hash, const void *data, size_t len)
{
	if (EVP_DigestUpdate(hash->ctx, data, len) != 1)
		hash->failed = true;
}

enum signpost_status
hash_final(struct hash *hash, struct digest *digest_r)
{
	bool failed = hash->failed;
	unsigned len = 0;

	*digest_r = (struct digest){ .len = 0 };
	if (EVP_DigestFinal_ex(hash->ctx, digest_r->data, &len) != 1)
		failed = true;
	digest_r->len = len;
	hash->failed = EVP_DigestInit_ex2(hash->ctx, hash->md, NULL) != 1;
	if (failed)
		ERR_clear_error();
	return failed ? SIGNPOST_CRYPTO : SIGNPOST_OK;
}

struct crypto_key {
	EVP_PKEY *pkey;
	/* Set up once and copied for each operation, which costs far less than
	 * setting up: the one for RSA with SHA-256, the other for Ed25519. */
	EVP_PKEY_CTX *rsa;
	EVP_MD_CTX *ed25519;
};

/* PKCS #1 v1.5 over a digest made before (RFC 6376 section 3.3.2). */
static EVP_PKEY_CTX *
rsa_prepare(EVP_PKEY *pkey, enum crypto_use use, const EVP_MD *md)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL);
	int started = 0;

	if (ctx != NULL)
		started = use == CRYPTO_SIGN ? EVP_PKEY_sign_init(ctx)
					     : EVP_PKEY_verify_init(ctx);
	if (started == 1 &&
	    EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) == 1 &&
	    EVP_PKEY_CTX_set_signature_md(ctx, md) == 1)
		return ctx;
	EVP_PKEY_CTX_free(ctx);
	return NULL;
}

/* PureEdDSA, whose message is the digest (RFC 8463 section 3). */
static EVP_MD_CTX *
ed25519_prepare(EVP_PKEY *pkey, enum crypto_use use)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	int started = 0;

	if (ctx != NULL && use == CRYPTO_SIGN)
		started = EVP_DigestSignInit_ex(
		    ctx, NULL, NULL, NULL, NULL, pkey, NULL);
	else if (ctx != NULL)
		started = EVP_DigestVerifyInit_ex(
		    ctx, NULL, NULL, NULL, NULL, pkey, NULL);
	if (started == 1)
		return ctx;
	EVP_MD_CTX_free(ctx);
	return NULL;
}

enum signpost_status
crypto_key_new(const struct signpost *handle, EVP_PKEY *pkey,
    enum signpost_algorithm algorithm, enum crypto_use use,
    struct crypto_key **key_r)
{
	struct crypto_key *key = calloc(1, sizeof(*key));

	*key_r = NULL;
	if (key == NULL) {
		EVP_PKEY_free(pkey);
		return SIGNPOST_NOMEM;
	}
	key->pkey = pkey;
	if (algorithm == SIGNPOST_ED25519_SHA256)
		key->ed25519 = ed25519_prepare(pkey, use);
	else
		key->rsa = rsa_prepare(pkey, use, handle->hashes[HASH_SHA256]);
	if (key->rsa == NULL && key->ed25519 == NULL) {
		crypto_key_free(key);
		return crypto_failure();
	}
	*key_r = key;
	return SIGNPOST_OK;
}

void
crypto_key_free(struct crypto_key *key)
{
	if (key == NULL)
		return;
	EVP_PKEY_CTX_free(key->rsa);
	EVP_MD_CTX_free(key->ed25519);
	EVP_PKEY_free(key->pkey);
	free(key);
}

EVP_PKEY *
crypto_key_pkey(const struct crypto_key *key)
{
	return key->pkey;
}

static EVP_MD_CTX *
ed25519_dup(const struct crypto_key *key)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (ctx != NULL && EVP_MD_CTX_copy_ex(ctx, key->ed25519) == 1)
		return ctx;
	EVP_MD_CTX_free(ctx);
	return NULL;
}

static int
rsa_sign(const struct crypto_key *key, const struct digest *digest,
    unsigned char *out, size_t *len)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_dup(key->rsa);
	int signed_ok = -1;

	if (ctx != NULL)
		signed_ok =
		    EVP_PKEY_sign(ctx, out, len, digest->data, digest->len);
	EVP_PKEY_CTX_free(ctx);
	return signed_ok;
}

static int
ed25519_sign(const struct crypto_key *key, const struct digest *digest,
    unsigned char *out, size_t *len)
{
	EVP_MD_CTX *ctx = ed25519_dup(key);
	int signed_ok = -1;

	if (ctx != NULL)
		signed_ok =
		    EVP_DigestSign(ctx, out, len, digest->data, digest->len);
	EVP_MD_CTX_free(ctx);
	return signed_ok;
}

enum signpost_status
crypto_sign(const struct crypto_key *key, enum signpost_algorithm algorithm,
    const struct digest *digest, unsigned char *out, size_t out_max,
    size_t *out_len_r)
{
	int signed_ok;

	assert(algorithm == SIGNPOST_RSA_SHA256 ||
	    algorithm == SIGNPOST_ED25519_SHA256);
	*out_len_r = out_max;
	if (algorithm == SIGNPOST_ED25519_SHA256)
		signed_ok = ed25519_sign(key, digest, out, out_len_r);
	else
		signed_ok = rsa_sign(key, digest, out, out_len_r);
	if (signed_ok == 1)
		return SIGNPOST_OK;
	*out_len_r = 0;
	return crypto_failure();
}

static int
rsa_verify(EVP_PKEY_CTX *ctx, const struct digest *digest,
    const unsigned char *signature, size_t len)
{
	int matches = -1;

	if (ctx != NULL)
		matches = EVP_PKEY_verify(
		    ctx, signature, len, digest->data, digest->len);
	EVP_PKEY_CTX_free(ctx);
	return matches;
}

static int
ed25519_verify(const struct crypto_key *key, const struct digest *digest,
    const unsigned char *signature, size_t len)
{
	EVP_MD_CTX *ctx = ed25519_dup(key);
	int matches = -1;

	if (ctx != NULL)
		matches = EVP_DigestVerify(
		    ctx, signature, len, digest->data, digest->len);
	EVP_MD_CTX_free(ctx);
	return matches;
}

enum signpost_status
crypto_verify(const struct signpost *handle, const struct crypto_key *key,
    enum signpost_algorithm algorithm, const struct digest *digest,
    struct bytes signature)
{
	const unsigned char *data = (const unsigned char *)signature.data;
	int matches = -1;

	switch (algorithm) {
	case SIGNPOST_RSA_SHA256:
		matches = rsa_verify(
		    EVP_PKEY_CTX_dup(key->rsa), digest, data, signature.len);
		break;
	case SIGNPOST_RSA_SHA1:
		assert(crypto_has_hash(handle, HASH_SHA1));
		matches = rsa_verify(rsa_prepare(key->pkey, CRYPTO_VERIFY,
					 handle->hashes[HASH_SHA1]),
		    digest, data, signature.len);
		break;
	case SIGNPOST_ED25519_SHA256:
		matches = ed25519_verify(key, digest, data, signature.len);
		break;
	case SIGNPOST_ALGORITHM_UNKNOWN:
		assert(false && "a known algorithm");
	}
	if (matches == 1)
		return SIGNPOST_OK;
	if (crypto_failure() == SIGNPOST_NOMEM)
		return SIGNPOST_NOMEM;
	return matches < 0 ? SIGNPOST_CRYPTO : SIGNPOST_SYNTAX;
}
