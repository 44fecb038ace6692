/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_primitive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

enum {
	MAX_KEYS = 8,
	MAX_RESULT = 2048, /* octets of a signature or of a cipher text */
	SESSION_KEY_BYTES = 16,
	DIGEST_BYTES = 32
};

struct primitive_key {
	EVP_PKEY *pkey;
	unsigned bits;
	EVP_PKEY_CTX *sign, *verify, *encrypt, *decrypt; /* RSA */
	EVP_MD_CTX *ed_sign, *ed_verify;
	unsigned char input[DIGEST_BYTES];
	unsigned char signature[MAX_RESULT], secret[MAX_RESULT];
	size_t signature_len, secret_len;
};

struct primitives {
	OSSL_LIB_CTX *library;
	OSSL_PROVIDER *base, *legacy;
	struct primitive_key *keys[MAX_KEYS];
	size_t key_count;
};

struct primitives *
primitives_new(void)
{
	struct primitives *primitives = calloc(1, sizeof(*primitives));

	if (primitives == NULL)
		return NULL;
	primitives->library = OSSL_LIB_CTX_new();
	if (primitives->library != NULL) {
		primitives->base =
		    OSSL_PROVIDER_load(primitives->library, "default");
		primitives->legacy =
		    OSSL_PROVIDER_load(primitives->library, "legacy");
	}
	ERR_clear_error();
	if (primitives->base != NULL)
		return primitives;
	primitives_free(primitives);
	return NULL;
}

static void
key_free(struct primitive_key *key)
{
	if (key == NULL)
		return;
	EVP_PKEY_CTX_free(key->sign);
	EVP_PKEY_CTX_free(key->verify);
	EVP_PKEY_CTX_free(key->encrypt);
	EVP_PKEY_CTX_free(key->decrypt);
	EVP_MD_CTX_free(key->ed_sign);
	EVP_MD_CTX_free(key->ed_verify);
	EVP_PKEY_free(key->pkey);
	free(key);
}

static void
unload(OSSL_PROVIDER *provider)
{
	if (provider != NULL)
		OSSL_PROVIDER_unload(provider);
}

void
primitives_free(struct primitives *primitives)
{
	if (primitives == NULL)
		return;
	for (size_t i = 0; i < primitives->key_count; i++)
		key_free(primitives->keys[i]);
	unload(primitives->legacy);
	unload(primitives->base);
	OSSL_LIB_CTX_free(primitives->library);
	free(primitives);
}

bool
primitives_have_legacy(const struct primitives *primitives)
{
	return primitives->legacy != NULL;
}

const char *
primitives_version(void)
{
	return OpenSSL_version(OPENSSL_VERSION);
}

static EVP_PKEY *
generate(struct primitives *primitives, unsigned bits)
{
	if (bits == PRIMITIVE_ED25519)
		return EVP_PKEY_Q_keygen(primitives->library, NULL, "ED25519");
	return EVP_PKEY_Q_keygen(
	    primitives->library, NULL, "RSA", (size_t)bits);
}

/* A context for one of RSA's operations, which START begins. */
static EVP_PKEY_CTX *
rsa_context(struct primitives *primitives, EVP_PKEY *pkey,
    int (*start)(EVP_PKEY_CTX *ctx), bool signs)
{
	EVP_PKEY_CTX *ctx =
	    EVP_PKEY_CTX_new_from_pkey(primitives->library, pkey, NULL);
	EVP_MD *md = NULL;
	bool ok = ctx != NULL && start(ctx) == 1 &&
	    EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) == 1;

	if (ok && signs) {
		md = EVP_MD_fetch(primitives->library, "SHA2-256", NULL);
		ok = md != NULL && EVP_PKEY_CTX_set_signature_md(ctx, md) == 1;
		EVP_MD_free(md);
	}
	if (ok)
		return ctx;
	EVP_PKEY_CTX_free(ctx);
	return NULL;
}

static bool
rsa_prepare(struct primitives *primitives, struct primitive_key *key)
{
	key->sign =
	    rsa_context(primitives, key->pkey, EVP_PKEY_sign_init, true);
	key->verify =
	    rsa_context(primitives, key->pkey, EVP_PKEY_verify_init, true);
	key->encrypt =
	    rsa_context(primitives, key->pkey, EVP_PKEY_encrypt_init, false);
	key->decrypt =
	    rsa_context(primitives, key->pkey, EVP_PKEY_decrypt_init, false);
	return key->sign != NULL && key->verify != NULL &&
	    key->encrypt != NULL && key->decrypt != NULL &&
	    primitive_encrypt(key) && primitive_decrypt(key);
}

static bool
ed25519_prepare(struct primitives *primitives, struct primitive_key *key)
{
	key->ed_sign = EVP_MD_CTX_new();
	key->ed_verify = EVP_MD_CTX_new();
	return key->ed_sign != NULL && key->ed_verify != NULL &&
	    EVP_DigestSignInit_ex(key->ed_sign, NULL, NULL, primitives->library,
		NULL, key->pkey, NULL) == 1 &&
	    EVP_DigestVerifyInit_ex(key->ed_verify, NULL, NULL,
		primitives->library, NULL, key->pkey, NULL) == 1;
}

static struct primitive_key *
key_new(struct primitives *primitives, unsigned bits)
{
	struct primitive_key *key = calloc(1, sizeof(*key));
	bool ok;

	if (key == NULL)
		return NULL;
	key->bits = bits;
	memset(key->input, 0x5a, sizeof(key->input));
	key->pkey = generate(primitives, bits);
	ok = key->pkey != NULL &&
	    (bits == PRIMITIVE_ED25519 ? ed25519_prepare(primitives, key)
				       : rsa_prepare(primitives, key));
	/* What is to be verified. */
	if (ok && primitive_sign(key) && primitive_verify(key))
		return key;
	ERR_clear_error();
	key_free(key);
	return NULL;
}

struct primitive_key *
primitives_key(struct primitives *primitives, unsigned bits)
{
	struct primitive_key *key;

	for (size_t i = 0; i < primitives->key_count; i++)
		if (primitives->keys[i]->bits == bits)
			return primitives->keys[i];
	assert(primitives->key_count < MAX_KEYS);
	key = key_new(primitives, bits);
	if (key != NULL)
		primitives->keys[primitives->key_count++] = key;
	return key;
}

char *
primitive_key_pem(const struct primitive_key *key)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *data, *pem = NULL;
	long len;

	if (bio != NULL &&
	    PEM_write_bio_PrivateKey(
		bio, key->pkey, NULL, NULL, 0, NULL, NULL) == 1) {
		len = BIO_get_mem_data(bio, &data);
		pem = strndup(data, (size_t)len);
	}
	BIO_free(bio);
	return pem;
}

bool
primitive_sign(void *ctx)
{
	struct primitive_key *key = ctx;

	key->signature_len = sizeof(key->signature);
	if (key->ed_sign != NULL)
		return EVP_DigestSign(key->ed_sign, key->signature,
			   &key->signature_len, key->input,
			   sizeof(key->input)) == 1;
	return EVP_PKEY_sign(key->sign, key->signature, &key->signature_len,
		   key->input, sizeof(key->input)) == 1;
}

bool
primitive_verify(void *ctx)
{
	struct primitive_key *key = ctx;

	if (key->ed_verify != NULL)
		return EVP_DigestVerify(key->ed_verify, key->signature,
			   key->signature_len, key->input,
			   sizeof(key->input)) == 1;
	return EVP_PKEY_verify(key->verify, key->signature, key->signature_len,
		   key->input, sizeof(key->input)) == 1;
}

bool
primitive_encrypt(void *ctx)
{
	struct primitive_key *key = ctx;

	key->secret_len = sizeof(key->secret);
	return EVP_PKEY_encrypt(key->encrypt, key->secret, &key->secret_len,
		   key->input, SESSION_KEY_BYTES) == 1;
}

bool
primitive_decrypt(void *ctx)
{
	struct primitive_key *key = ctx;
	unsigned char out[MAX_RESULT];
	size_t len = sizeof(out);

	return EVP_PKEY_decrypt(key->decrypt, out, &len, key->secret,
		   key->secret_len) == 1 &&
	    len == SESSION_KEY_BYTES;
}

struct primitive_digest {
	EVP_MD *md;
	EVP_MD_CTX *ctx;
	EVP_MAC *mac;
	EVP_MAC_CTX *mac_ctx;
	unsigned char *data;
	size_t len;
};

static struct primitive_digest *
digest_alloc(size_t len)
{
	struct primitive_digest *digest = calloc(1, sizeof(*digest));

	if (digest == NULL)
		return NULL;
	digest->len = len;
	digest->data = malloc(len + 1);
	if (digest->data != NULL) {
		memset(digest->data, 'm', len);
		return digest;
	}
	free(digest);
	return NULL;
}

/* DIGEST, if it works; libcrypto may hand out what it then refuses. */
static struct primitive_digest *
digest_tried(struct primitive_digest *digest, bool ok)
{
	if (ok && primitive_digest_run(digest))
		return digest;
	ERR_clear_error();
	primitive_digest_free(digest);
	return NULL;
}

struct primitive_digest *
primitive_digest_new(
    struct primitives *primitives, const char *name, size_t len)
{
	struct primitive_digest *digest = digest_alloc(len);

	if (digest == NULL)
		return NULL;
	digest->md = EVP_MD_fetch(primitives->library, name, NULL);
	digest->ctx = EVP_MD_CTX_new();
	return digest_tried(digest, digest->md != NULL && digest->ctx != NULL);
}

struct primitive_digest *
primitive_hmac_new(struct primitives *primitives, const char *name, size_t len)
{
	struct primitive_digest *digest = digest_alloc(len);
	char md[32];
	OSSL_PARAM parameters[] = { OSSL_PARAM_construct_utf8_string(
					OSSL_MAC_PARAM_DIGEST, md, 0),
		OSSL_PARAM_construct_end() };
	static const unsigned char key[20] = "a key of twenty octe";
	bool ok = false;

	if (digest == NULL)
		return NULL;
	assert(strlen(name) < sizeof(md));
	strcpy(md, name);
	digest->mac = EVP_MAC_fetch(primitives->library, "HMAC", NULL);
	if (digest->mac != NULL)
		digest->mac_ctx = EVP_MAC_CTX_new(digest->mac);
	if (digest->mac_ctx != NULL)
		ok = EVP_MAC_init(
			 digest->mac_ctx, key, sizeof(key), parameters) == 1;
	return digest_tried(digest, ok);
}

void
primitive_digest_free(struct primitive_digest *digest)
{
	if (digest == NULL)
		return;
	EVP_MD_CTX_free(digest->ctx);
	EVP_MD_free(digest->md);
	EVP_MAC_CTX_free(digest->mac_ctx);
	EVP_MAC_free(digest->mac);
	free(digest->data);
	free(digest);
}

bool
primitive_digest_run(void *ctx)
{
	struct primitive_digest *digest = ctx;
	unsigned char out[EVP_MAX_MD_SIZE];
	size_t len;

	if (digest->mac_ctx != NULL)
		/* The key stays from before. */
		return EVP_MAC_init(digest->mac_ctx, NULL, 0, NULL) == 1 &&
		    EVP_MAC_update(
			digest->mac_ctx, digest->data, digest->len) == 1 &&
		    EVP_MAC_final(digest->mac_ctx, out, &len, sizeof(out)) == 1;
	return EVP_DigestInit_ex2(digest->ctx, digest->md, NULL) == 1 &&
	    EVP_DigestUpdate(digest->ctx, digest->data, digest->len) == 1 &&
	    EVP_DigestFinal_ex(digest->ctx, out, NULL) == 1;
}

struct primitive_cipher {
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *ctx;
	size_t len;
	unsigned char in[PRIMITIVE_MAX_BYTES];
	unsigned char out[PRIMITIVE_MAX_BYTES + EVP_MAX_BLOCK_LENGTH];
};

struct primitive_cipher *
primitive_cipher_new(
    struct primitives *primitives, const char *name, bool encrypts, size_t len)
{
	/* Three different keys for 3DES, too; none of them is a weak one. */
	static const unsigned char key[EVP_MAX_KEY_LENGTH] =
	    "0123456789abcdefghijklmnopqrstuv";
	static const unsigned char iv[EVP_MAX_IV_LENGTH] = "fedcba9876543210";
	struct primitive_cipher *cipher = calloc(1, sizeof(*cipher));

	assert(len <= PRIMITIVE_MAX_BYTES);
	if (cipher == NULL)
		return NULL;
	cipher->len = len;
	cipher->cipher = EVP_CIPHER_fetch(primitives->library, name, NULL);
	cipher->ctx = EVP_CIPHER_CTX_new();
	if (cipher->cipher != NULL && cipher->ctx != NULL &&
	    EVP_CipherInit_ex2(cipher->ctx, cipher->cipher, key, iv,
		encrypts ? 1 : 0, NULL) == 1 &&
	    EVP_CIPHER_CTX_set_padding(cipher->ctx, 0) == 1 &&
	    primitive_cipher_run(cipher))
		return cipher;
	ERR_clear_error();
	primitive_cipher_free(cipher);
	return NULL;
}

void
primitive_cipher_free(struct primitive_cipher *cipher)
{
	if (cipher == NULL)
		return;
	EVP_CIPHER_CTX_free(cipher->ctx);
	EVP_CIPHER_free(cipher->cipher);
	free(cipher);
}

bool
primitive_cipher_update(
    struct primitive_cipher *cipher, const void *data, size_t len)
{
	int out_len;

	assert(len <= PRIMITIVE_MAX_BYTES);
	return EVP_CipherUpdate(
		   cipher->ctx, cipher->out, &out_len, data, (int)len) == 1;
}

bool
primitive_cipher_run(void *ctx)
{
	struct primitive_cipher *cipher = ctx;

	return primitive_cipher_update(cipher, cipher->in, cipher->len);
}
