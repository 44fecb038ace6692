/* SPDX-License-Identifier: BSD-2-Clause */
#include "key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "buf.h"
#include "keys.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ED25519_PKCS8 \
	"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"

static struct signpost *handle;

static int
setup(void **state)
{
	(void)state;
	return signpost_new(&handle) == SIGNPOST_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	signpost_free(handle);
	return 0;
}

static struct signpost_private_key *
read_key(const char *text)
{
	struct signpost_private_key *key;

	assert_int_equal(
	    signpost_private_key_read(handle, text, strlen(text), &key),
	    SIGNPOST_OK);
	return key;
}

static void
private_keys_are_read_or_refused(void **state)
{
	static const struct {
		const char *name, *input;
		const char *want; /* NULL: refused */
	} rows[] = {
		{ "PKCS #1", RSA_PEM, RSA_RECORD },
		{ "text around it", "A key:\n\n" RSA_PEM "\nthat was it\n",
		    RSA_RECORD },
		{ "parameters before it",
		    "-----BEGIN X-----\nAAAA\n-----END X-----\n" RSA_PEM,
		    RSA_RECORD },
		{ "seed", ED25519_SEED, ED25519_RECORD },
		{ "seed and a line end", ED25519_SEED "\r\n", ED25519_RECORD },
		{ "PKCS #8",
		    "-----BEGIN PRIVATE KEY-----\n" ED25519_PKCS8
		    "\n-----END PRIVATE KEY-----\n",
		    ED25519_RECORD },
		{ "PKCS #8 without PEM", ED25519_PKCS8, ED25519_RECORD },
		{ "PKCS #8 of version 2, with the public half",
		    "MFECAQEwBQYDK2VwBCIEIJ1hsZ3v/"
		    "VpguoRK9JLsLMREScVpezJpGXA7rAM"
		    "crn9ggSEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
		    ED25519_RECORD },
		{ "RSA, 512 bits", RSA512_PEM, NULL },
		{ "nothing", "", NULL },
		{ "white space", " \n", NULL },
		{ "junk", "hello, world", NULL },
		{ "31 octets",
		    "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyufw==", NULL },
		{ "public key",
		    "-----BEGIN PUBLIC KEY-----\n" RSA_P
		    "\n-----END PUBLIC KEY-----\n",
		    NULL },
		{ "RSA public key without PEM", RSA_P, NULL },
		{ "cut",
		    "-----BEGIN PRIVATE KEY-----\n"
		    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/Vpg\n"
		    "-----END PRIVATE KEY-----\n",
		    NULL },
		{ "no end", "-----BEGIN PRIVATE KEY-----\n" ED25519_PKCS8,
		    NULL },
		{ "encrypted PKCS #8",
		    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGbMFcGCSqGSIb3\n"
		    "-----END ENCRYPTED PRIVATE KEY-----\n",
		    NULL },
		{ "encrypted PKCS #1",
		    "-----BEGIN RSA PRIVATE KEY-----\n"
		    "Proc-Type: 4,ENCRYPTED\n"
		    "DEK-Info: AES-128-CBC,00400A38638ECEE51C5F4B87517269F3\n\n"
		    "v7xcOQI/NEbU61Uwu7U/u48bcYodLb8Fo8PT24n4Wg+NNW+3XHBH0VynPy"
		    "AD\n"
		    "-----END RSA PRIVATE KEY-----\n",
		    NULL },
		{ "EC key",
		    "-----BEGIN PRIVATE KEY-----\n"
		    "MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCBzZWNyZXRzZW"
		    "NyZXRzZWNyZXRzZWNyZXRzZWNyZQ==\n"
		    "-----END PRIVATE KEY-----\n",
		    NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_private_key *key;
		char *record = NULL;
		enum signpost_status status = signpost_private_key_read(
		    handle, rows[i].input, strlen(rows[i].input), &key);

		if (status !=
		    (rows[i].want == NULL ? SIGNPOST_KEY : SIGNPOST_OK))
			fail_msg("%s: %s", rows[i].name,
			    signpost_status_text(status));
		if (rows[i].want == NULL) {
			assert_null(key);
			continue;
		}
		assert_int_equal(
		    signpost_private_key_record(key, &record), SIGNPOST_OK);
		assert_string_equal(record, rows[i].want);
		signpost_string_free(record);
		signpost_private_key_unref(key);
	}
}

static void
a_key_read_again_from_its_pem_is_the_same(void **state)
{
	static const char *const texts[] = { RSA_PEM, ED25519_SEED };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct signpost_private_key *key = read_key(texts[i]);
		struct signpost_private_key *again;
		char *pem, *first, *second;

		assert_int_equal(
		    signpost_private_key_pem(key, &pem), SIGNPOST_OK);
		assert_memory_equal(pem, "-----BEGIN PRIVATE KEY-----\n", 28);
		again = read_key(pem);
		assert_int_equal(
		    signpost_private_key_record(key, &first), SIGNPOST_OK);
		assert_int_equal(
		    signpost_private_key_record(again, &second), SIGNPOST_OK);
		assert_string_equal(first, second);
		signpost_string_free(pem);
		signpost_string_free(first);
		signpost_string_free(second);
		signpost_private_key_unref(key);
		signpost_private_key_unref(again);
	}
}

static void
keys_are_generated_within_the_limits(void **state)
{
	static const struct {
		enum signpost_algorithm algorithm;
		unsigned bits;
		enum signpost_status want;
		unsigned want_bits;
	} rows[] = {
		{ SIGNPOST_RSA_SHA256, 1024, SIGNPOST_OK, 1024 },
		{ SIGNPOST_RSA_SHA256, 1023, SIGNPOST_KEY, 0 },
		{ SIGNPOST_RSA_SHA256, 8193, SIGNPOST_KEY, 0 },
		{ SIGNPOST_RSA_SHA1, 2048, SIGNPOST_KEY, 0 },
		{ SIGNPOST_ALGORITHM_UNKNOWN, 2048, SIGNPOST_KEY, 0 },
		{ SIGNPOST_ED25519_SHA256, 0, SIGNPOST_OK, 256 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_private_key *key;

		assert_int_equal(signpost_private_key_generate(handle,
				     rows[i].algorithm, rows[i].bits, &key),
		    rows[i].want);
		if (rows[i].want != SIGNPOST_OK)
			continue;
		assert_int_equal(
		    signpost_private_key_algorithm(key), rows[i].algorithm);
		assert_int_equal(
		    signpost_private_key_bits(key), rows[i].want_bits);
		signpost_private_key_unref(signpost_private_key_ref(key));
		signpost_private_key_unref(key);
	}
}

/* What one half signs, the other verifies, and nothing else. */
static void
signatures_match_their_digest_and_key(void **state)
{
	static const struct {
		enum signpost_algorithm algorithm;
		enum key_type type;
		const char *private_key;
		struct bytes public_key;
	} rows[] = {
		{ SIGNPOST_ED25519_SHA256, KEY_ED25519, ED25519_SEED,
		    { "\xd7\x5a\x98\x01\x82\xb1\x0a\xb7\xd5\x4b\xfe\xd3\xc9\x64"
		      "\x07\x3a\x0e\xe1\x72\xf3\xda\xa6\x23\x25\xaf\x02\x1a\x68"
		      "\xf7\x07\x51\x1a",
			32 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_private_key *key =
		    read_key(rows[i].private_key);
		struct crypto_key *public_key;
		struct digest digest = { .data = "digest", .len = 32 };
		unsigned char out[512];
		size_t len;
		unsigned bits;

		assert_int_equal(key_read_public(handle, rows[i].type,
				     rows[i].public_key, &public_key, &bits),
		    SIGNPOST_OK);
		assert_true(key_is_half_of(public_key, key));
		assert_int_equal(
		    crypto_sign(key_of_private(key), rows[i].algorithm, &digest,
			out, sizeof out, &len),
		    SIGNPOST_OK);
		for (size_t bit = 0; bit <= len * 8; bit++) {
			bool same = bit == len * 8;

			if (!same)
				out[bit / 8] ^= (unsigned char)(1 << bit % 8);
			assert_int_equal(
			    crypto_verify(handle, public_key, rows[i].algorithm,
				&digest, bytes_of((char *)out, len)),
			    same ? SIGNPOST_OK : SIGNPOST_SYNTAX);
			if (!same)
				out[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		digest.data[31] ^= 1;
		assert_int_equal(
		    crypto_verify(handle, public_key, rows[i].algorithm,
			&digest, bytes_of((char *)out, len)),
		    SIGNPOST_SYNTAX);
		crypto_key_free(public_key);
		signpost_private_key_unref(key);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(private_keys_are_read_or_refused),
		cmocka_unit_test(a_key_read_again_from_its_pem_is_the_same),
		cmocka_unit_test(keys_are_generated_within_the_limits),
		cmocka_unit_test(signatures_match_their_digest_and_key),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
