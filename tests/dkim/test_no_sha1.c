/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A libcrypto that does without SHA-1, as a system's policy may have it: it has
 * no such digest, or has it and makes no signature of it (field: A10, F9).
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "keys.h"
#include "signed_row.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool lacks_digest, refuses_signature;

/* These stand before those of libcrypto. */

EVP_MD *
EVP_MD_fetch(OSSL_LIB_CTX *context, const char *name, const char *properties)
{
	EVP_MD *(*fetch)(OSSL_LIB_CTX *, const char *, const char *);

	if (lacks_digest && strcmp(name, "SHA1") == 0) {
		ERR_raise(ERR_LIB_EVP, EVP_R_UNSUPPORTED_ALGORITHM);
		return NULL;
	}
	*(void **)&fetch = dlsym(RTLD_NEXT, "EVP_MD_fetch");
	return fetch(context, name, properties);
}

int
EVP_PKEY_CTX_set_signature_md(EVP_PKEY_CTX *context, const EVP_MD *md)
{
	int (*set)(EVP_PKEY_CTX *, const EVP_MD *);

	/* The reference signer asks for it, too, and gets it. */
	if (refuses_signature && EVP_MD_is_a(md, "SHA1") &&
	    EVP_PKEY_CTX_get_operation(context) == EVP_PKEY_OP_VERIFY) {
		ERR_raise(ERR_LIB_EVP, EVP_R_INVALID_DIGEST);
		return -1;
	}
	*(void **)&set = dlsym(RTLD_NEXT, "EVP_PKEY_CTX_set_signature_md");
	return set(context, md);
}

static void
without_the_digest_sha1_is_policy(void **state)
{
	static const struct signed_row rows[] = {
		{ "SHA-1", V SHA1 C D S TAIL, POLICY(SHA1), .sha1 = true,
		    .no_key_asked = true },
		{ "SHA-1 where allowed", V SHA1 C D S TAIL, POLICY(SHA1),
		    .sha1 = true, .allow_sha1 = true, .no_key_asked = true },
		{ "SHA-256", HEAD TAIL, PASS },
		{ "Ed25519", V ED C D S TAIL, PASS, .key = REFERENCE_ED25519 },
	};
	struct signpost *handle;

	(void)state;
	lacks_digest = true;
	assert_int_equal(signpost_new(&handle), SIGNPOST_OK);
	lacks_digest = false; /* asked for once */
	signed_rows_check(handle, rows, COUNT(rows));
	signpost_free(handle);
}

/* The words are known, the signature is not: not even whether it is wrong. */
static void
without_the_signature_sha1_is_policy(void **state)
{
	static const struct signed_row rows[] = {
		{ "SHA-1", V SHA1 C D S TAIL, POLICY(SHA1), .sha1 = true },
		{ "SHA-1 where allowed", V SHA1 C D S TAIL, POLICY(SHA1),
		    .sha1 = true, .allow_sha1 = true },
		{ "SHA-1, header changed", V SHA1 C D S TAIL, POLICY(SHA1),
		    .sha1 = true, .tampered = "From: b\r\n" },
		{ "SHA-1, body changed", V SHA1 C D S TAIL, FAIL(BODY_HASH),
		    .sha1 = true, .body = "Ho.\r\n" },
		{ "SHA-1, expired", V SHA1 C D S " x=1;" TAIL, POLICY(SHA1),
		    .sha1 = true },
		{ "SHA-256", HEAD TAIL, PASS },
		{ "SHA-256, header changed", HEAD TAIL, FAIL(SIGNATURE),
		    .tampered = "From: b\r\n" },
		{ "Ed25519", V ED C D S TAIL, PASS, .key = REFERENCE_ED25519 },
	};
	struct signpost *handle;

	(void)state;
	refuses_signature = true;
	assert_int_equal(signpost_new(&handle), SIGNPOST_OK);
	signed_rows_check(handle, rows, COUNT(rows));
	signpost_free(handle);
	refuses_signature = false;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_the_digest_sha1_is_policy),
		cmocka_unit_test(without_the_signature_sha1_is_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
