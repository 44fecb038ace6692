/* SPDX-License-Identifier: BSD-2-Clause */
#include "key.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base64.h"
#include "der.h"

enum {
	ED25519_BYTES = 32,
	MAX_EXPONENT_BYTES = 8
};

struct signpost_private_key {
	atomic_uint refs;
	enum signpost_algorithm algorithm;
	unsigned bits;
	struct crypto_key *key;
};

/* In the order of RSAPrivateKey (RFC 8017 section A.1.2); the first two are
 * RSAPublicKey. */
static const char *const rsa_names[DER_RSA_PRIVATE_PARTS] = {
	OSSL_PKEY_PARAM_RSA_N,
	OSSL_PKEY_PARAM_RSA_E,
	OSSL_PKEY_PARAM_RSA_D,
	OSSL_PKEY_PARAM_RSA_FACTOR1,
	OSSL_PKEY_PARAM_RSA_FACTOR2,
	OSSL_PKEY_PARAM_RSA_EXPONENT1,
	OSSL_PKEY_PARAM_RSA_EXPONENT2,
	OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
};

enum {
	RSA_PUBLIC_PARTS = 2
};

enum key_type
key_type_of(enum signpost_algorithm algorithm)
{
	assert(algorithm != SIGNPOST_ALGORITHM_UNKNOWN);
	return algorithm == SIGNPOST_ED25519_SHA256 ? KEY_ED25519 : KEY_RSA;
}

static bool
is_odd(struct bytes number)
{
	return (number.data[number.len - 1] & 1) != 0;
}

/* An even modulus or exponent, an exponent of 1 or of more than 64 bits is no
 * key, and the last would cost as much as a private key's. */
static bool
rsa_is_sane(struct bytes n, struct bytes e)
{
	return is_odd(n) && is_odd(e) && e.len <= MAX_EXPONENT_BYTES &&
	    (e.len > 1 || e.data[0] != 1);
}

static unsigned
bits_of(struct bytes number)
{
	unsigned bits = (unsigned)(number.len - 1) * 8;

	for (unsigned top = (unsigned char)number.data[0]; top != 0; top >>= 1)
		bits++;
	return bits;
}

static const unsigned char *
octets(struct bytes bytes)
{
	return (const unsigned char *)bytes.data;
}

/* The numbers, of which the secret ones are kept in memory that is cleansed
 * when freed, as what EVP_PKEY_fromdata takes. NULL: out of memory. */
static OSSL_PARAM *
rsa_params(const struct bytes *parts, size_t count, BIGNUM **numbers)
{
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	OSSL_PARAM *params = NULL;

	if (builder == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		numbers[i] = i < RSA_PUBLIC_PARTS ? BN_new() : BN_secure_new();
		if (numbers[i] == NULL ||
		    BN_bin2bn(octets(parts[i]), (int)parts[i].len,
			numbers[i]) == NULL ||
		    OSSL_PARAM_BLD_push_BN(builder, rsa_names[i], numbers[i]) !=
			1)
			goto end;
	}
	params = OSSL_PARAM_BLD_to_param(builder);
end:
	OSSL_PARAM_BLD_free(builder);
	return params;
}

static EVP_PKEY *
rsa_build(const struct bytes *parts, size_t count)
{
	BIGNUM *numbers[DER_RSA_PRIVATE_PARTS] = { NULL };
	OSSL_PARAM *params = rsa_params(parts, count, numbers);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	EVP_PKEY *pkey = NULL;
	int selection =
	    count > RSA_PUBLIC_PARTS ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;

	if (params != NULL && ctx != NULL && EVP_PKEY_fromdata_init(ctx) == 1 &&
	    EVP_PKEY_fromdata(ctx, &pkey, selection, params) != 1)
		pkey = NULL;
	EVP_PKEY_CTX_free(ctx);
	OSSL_PARAM_free(params);
	for (size_t i = 0; i < count; i++)
		BN_clear_free(numbers[i]);
	return pkey;
}

static enum signpost_status
read_rsa(const struct signpost *handle, struct bytes data,
    struct crypto_key **key_r, unsigned *bits_r)
{
	struct der_rsa_public rsa;
	enum der_kind kind;
	struct bytes inner = data;
	EVP_PKEY *pkey;

	if (der_subject_public_key(data, &kind, &inner) && kind != DER_RSA)
		return SIGNPOST_SYNTAX;
	if (!der_rsa_public(inner, &rsa) || !rsa_is_sane(rsa.n, rsa.e))
		return SIGNPOST_SYNTAX;
	*bits_r = bits_of(rsa.n);
	if (*bits_r < KEY_MIN_RSA_BITS || *bits_r > SIGNPOST_MAX_RSA_BITS)
		return SIGNPOST_OK;
	pkey =
	    rsa_build((const struct bytes[]){ rsa.n, rsa.e }, RSA_PUBLIC_PARTS);
	if (pkey == NULL)
		return crypto_failure();
	return crypto_key_new(
	    handle, pkey, SIGNPOST_RSA_SHA256, CRYPTO_VERIFY, key_r);
}

static enum signpost_status
read_ed25519(const struct signpost *handle, struct bytes data,
    struct crypto_key **key_r, unsigned *bits_r)
{
	enum der_kind kind;
	struct bytes inner = data;
	EVP_PKEY *pkey;

	if (data.len != ED25519_BYTES &&
	    (!der_subject_public_key(data, &kind, &inner) ||
		kind != DER_ED25519))
		return SIGNPOST_SYNTAX;
	*bits_r = KEY_ED25519_BITS;
	pkey = EVP_PKEY_new_raw_public_key(
	    EVP_PKEY_ED25519, NULL, octets(inner), inner.len);
	if (pkey == NULL)
		return crypto_failure();
	return crypto_key_new(
	    handle, pkey, SIGNPOST_ED25519_SHA256, CRYPTO_VERIFY, key_r);
}

enum signpost_status
key_read_public(const struct signpost *handle, enum key_type type,
    struct bytes data, struct crypto_key **key_r, unsigned *bits_r)
{
	*key_r = NULL;
	*bits_r = 0;
	if (type == KEY_RSA)
		return read_rsa(handle, data, key_r, bits_r);
	return read_ed25519(handle, data, key_r, bits_r);
}

static EVP_PKEY *
pkey_of(const struct signpost_private_key *key)
{
	return crypto_key_pkey(key->key);
}

bool
key_is_half_of(const struct crypto_key *public_key,
    const struct signpost_private_key *private_key)
{
	bool same =
	    EVP_PKEY_eq(crypto_key_pkey(public_key), pkey_of(private_key)) == 1;

	ERR_clear_error();
	return same;
}

const struct crypto_key *
key_of_private(const struct signpost_private_key *key)
{
	return key->key;
}

/* Takes PKEY over, NULL after a failure of libcrypto's. */
static enum signpost_status
private_new(const struct signpost *handle, EVP_PKEY *pkey,
    enum signpost_algorithm algorithm, struct signpost_private_key **key_r)
{
	struct signpost_private_key *key;
	enum signpost_status status;

	if (pkey == NULL)
		return crypto_failure();
	key = calloc(1, sizeof(*key));
	if (key == NULL) {
		EVP_PKEY_free(pkey);
		return SIGNPOST_NOMEM;
	}
	atomic_init(&key->refs, 1);
	key->algorithm = algorithm;
	key->bits = algorithm == SIGNPOST_ED25519_SHA256
	    ? KEY_ED25519_BITS
	    : (unsigned)EVP_PKEY_get_bits(pkey);
	status =
	    crypto_key_new(handle, pkey, algorithm, CRYPTO_SIGN, &key->key);
	if (status != SIGNPOST_OK) {
		free(key);
		return status;
	}
	*key_r = key;
	return SIGNPOST_OK;
}

static enum signpost_status
read_private_rsa(const struct signpost *handle, struct bytes data,
    struct signpost_private_key **key_r)
{
	struct der_rsa_private rsa;
	unsigned bits;

	if (!der_rsa_private(data, &rsa) ||
	    !rsa_is_sane(rsa.parts[0], rsa.parts[1]))
		return SIGNPOST_KEY;
	bits = bits_of(rsa.parts[0]);
	if (bits < KEY_MIN_SIGN_BITS || bits > SIGNPOST_MAX_RSA_BITS)
		return SIGNPOST_KEY;
	/* No part is larger than the modulus, or it is not of this key. */
	for (size_t i = 1; i < DER_RSA_PRIVATE_PARTS; i++) {
		if (rsa.parts[i].len > rsa.parts[0].len)
			return SIGNPOST_KEY;
	}
	return private_new(handle, rsa_build(rsa.parts, DER_RSA_PRIVATE_PARTS),
	    SIGNPOST_RSA_SHA256, key_r);
}

static enum signpost_status
read_seed(const struct signpost *handle, struct bytes seed,
    struct signpost_private_key **key_r)
{
	EVP_PKEY *pkey = EVP_PKEY_new_raw_private_key(
	    EVP_PKEY_ED25519, NULL, octets(seed), seed.len);

	return private_new(handle, pkey, SIGNPOST_ED25519_SHA256, key_r);
}

static enum signpost_status
read_private_data(const struct signpost *handle, struct bytes data,
    struct signpost_private_key **key_r)
{
	enum der_kind kind;
	struct bytes inner;

	if (data.len == ED25519_BYTES)
		return read_seed(handle, data, key_r);
	if (!der_private_key_info(data, &kind, &inner))
		return read_private_rsa(handle, data, key_r);
	if (kind == DER_ED25519)
		return read_seed(handle, inner, key_r);
	return read_private_rsa(handle, inner, key_r);
}

/* Cuts TEXT after the first MARK and returns what stood before it. */
static bool
cut(struct bytes *text, const char *mark, struct bytes *before_r)
{
	const char *at = memmem(text->data, text->len, mark, strlen(mark));

	if (at == NULL)
		return false;
	*before_r = bytes_of(text->data, (size_t)(at - text->data));
	text->len -= before_r->len + strlen(mark);
	text->data = at + strlen(mark);
	return true;
}

/* The base64 of a file: of its first private key where it is PEM (RFC 7468;
 * text around the keys is allowed), else all of it. The header of an encrypted
 * key of the old kind is no base64, which is the end of it. */
static bool
find_base64(struct bytes text, struct bytes *base64_r)
{
	struct bytes before, label;

	*base64_r = text;
	if (memmem(text.data, text.len, "-----", 5) == NULL)
		return true;
	while (
	    cut(&text, "-----BEGIN ", &before) && cut(&text, "-----", &label)) {
		if (bytes_is(label, "PRIVATE KEY") ||
		    bytes_is(label, "RSA PRIVATE KEY"))
			return cut(&text, "-----END ", base64_r);
	}
	return false;
}

enum signpost_status
signpost_private_key_read(struct signpost *handle, const char *text, size_t len,
    struct signpost_private_key **key_r)
{
	struct bytes base64;
	struct buf data;
	enum signpost_status status = SIGNPOST_KEY;

	*key_r = NULL;
	if (len == 0 || len > KEY_MAX_PRIVATE_TEXT ||
	    !find_base64(bytes_of(text, len), &base64))
		return SIGNPOST_KEY;
	buf_init(&data, SIZE_MAX);
	/* All at once, so that growing leaves no copy behind. */
	buf_reserve(&data, base64.len);
	if (data.failed)
		status = SIGNPOST_NOMEM;
	else if (base64_decode(base64, &data))
		status = read_private_data(handle, buf_bytes(&data), key_r);
	buf_cleanse(&data);
	return status;
}

enum signpost_status
signpost_private_key_generate(struct signpost *handle,
    enum signpost_algorithm algorithm, unsigned bits,
    struct signpost_private_key **key_r)
{
	*key_r = NULL;
	if (algorithm == SIGNPOST_ED25519_SHA256)
		return private_new(handle,
		    EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"), algorithm, key_r);
	if (algorithm != SIGNPOST_RSA_SHA256 || bits < KEY_MIN_SIGN_BITS ||
	    bits > KEY_MAX_GENERATE_BITS)
		return SIGNPOST_KEY;
	return private_new(handle,
	    EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bits), algorithm,
	    key_r);
}

struct signpost_private_key *
signpost_private_key_ref(struct signpost_private_key *key)
{
	atomic_fetch_add_explicit(&key->refs, 1, memory_order_relaxed);
	return key;
}

void
signpost_private_key_unref(struct signpost_private_key *key)
{
	if (key == NULL ||
	    atomic_fetch_sub_explicit(&key->refs, 1, memory_order_acq_rel) != 1)
		return;
	crypto_key_free(key->key);
	free(key);
}

enum signpost_algorithm
signpost_private_key_algorithm(const struct signpost_private_key *key)
{
	return key->algorithm;
}

unsigned
signpost_private_key_bits(const struct signpost_private_key *key)
{
	return key->bits;
}

/* p=: SubjectPublicKeyInfo for RSA, as all verifiers read it; the 32 octets
 * for Ed25519 (RFC 8463 section 4.2). */
static bool
append_public(const struct signpost_private_key *key, struct buf *out)
{
	unsigned char raw[ED25519_BYTES];
	unsigned char *der = NULL;
	size_t raw_len = sizeof raw;
	int der_len;

	if (key->algorithm == SIGNPOST_ED25519_SHA256) {
		if (EVP_PKEY_get_raw_public_key(pkey_of(key), raw, &raw_len) !=
		    1)
			return false;
		base64_encode(raw, raw_len, out);
		return true;
	}
	der_len = i2d_PUBKEY(pkey_of(key), &der);
	if (der_len <= 0)
		return false;
	base64_encode(der, (size_t)der_len, out);
	OPENSSL_free(der);
	return true;
}

enum signpost_status
signpost_private_key_record(
    const struct signpost_private_key *key, char **record_r)
{
	bool ed25519 = key->algorithm == SIGNPOST_ED25519_SHA256;
	struct buf record;

	*record_r = NULL;
	buf_init(&record, SIZE_MAX);
	buf_append_str(
	    &record, ed25519 ? "v=DKIM1; k=ed25519; p=" : "v=DKIM1; k=rsa; p=");
	if (!append_public(key, &record)) {
		buf_fini(&record);
		return crypto_failure();
	}
	*record_r = buf_take_string(&record);
	return *record_r == NULL ? SIGNPOST_NOMEM : SIGNPOST_OK;
}

enum signpost_status
signpost_private_key_pem(const struct signpost_private_key *key, char **pem_r)
{
	BIO *bio = BIO_new(BIO_s_secmem());
	char *data;
	long len;
	int written = 0;

	*pem_r = NULL;
	if (bio != NULL)
		written = PEM_write_bio_PKCS8PrivateKey(
		    bio, pkey_of(key), NULL, NULL, 0, NULL, NULL);
	if (written != 1) {
		BIO_free(bio);
		return crypto_failure();
	}
	len = BIO_get_mem_data(bio, &data);
	*pem_r = strndup(data, (size_t)len);
	BIO_free(bio);
	return *pem_r == NULL ? SIGNPOST_NOMEM : SIGNPOST_OK;
}

void
signpost_string_free(char *string)
{
	if (string != NULL)
		explicit_bzero(string, strlen(string));
	free(string);
}
