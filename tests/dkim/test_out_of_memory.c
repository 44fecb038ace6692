/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message signed and verified, over and over, the first, second, third ...
 * allocation failing, of the library's own and of libcrypto's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <openssl/crypto.h>

#include "failing_alloc.h"
#include "keys.h"
#include "message.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool failed_in_crypto; /* libcrypto was told so, not the library */

static void *
crypto_malloc(size_t len, const char *file, int line)
{
	void *data = malloc(len);

	(void)file;
	(void)line;
	failed_in_crypto |= data == NULL;
	return data;
}

static void *
crypto_realloc(void *old, size_t len, const char *file, int line)
{
	(void)file;
	(void)line;
	return realloc(old, len);
}

static void
crypto_free(void *old, const char *file, int line)
{
	(void)file;
	(void)line;
	free(old);
}

/* All that a run holds, so that it can stop anywhere. */
struct run {
	const char *key_text, *record;
	struct signpost *handle;
	struct signpost_headers *headers, *signed_headers;
	struct signpost_private_key *key;
	struct signpost_signer *signer;
	struct signpost_key_set *keys;
	struct signpost_verifier *verifier;
	char *authres, *changed;
};

static const char *const fields[][2] = { { "From", " a@example.com" },
	{ "To", " b@example.org" }, { "Subject", " \r\n x  y" } };

static enum signpost_status
add_fields(struct signpost_headers *headers)
{
	enum signpost_status status = SIGNPOST_OK;

	for (size_t i = 0; i < COUNT(fields) && status == SIGNPOST_OK; i++)
		status = signpost_headers_add(headers, fields[i][0],
		    strlen(fields[i][0]), fields[i][1], strlen(fields[i][1]));
	return status;
}

static enum signpost_status
run_signer(struct run *run)
{
	static const char *const names[] = { "From", "To", "Cc", NULL };
	struct signpost_sign_options options = { .domain = "example.com",
		.selector = "s1",
		.identity = "u=v@x.example.com",
		.header_canon = SIGNPOST_RELAXED,
		.headers = names,
		.oversign = names,
		.copy_headers = true };
	enum signpost_status status;

	if ((status = signpost_headers_new(65536, &run->headers)) ||
	    (status = add_fields(run->headers)) ||
	    (status = signpost_signer_new(
		 run->handle, run->headers, MESSAGE_NOW, &run->signer)) ||
	    (status = signpost_signer_add(run->signer, &options, run->key)) ||
	    (status = signpost_signer_body(run->signer, "a \r\n\r\n", 6)) ||
	    (status = signpost_signer_end_body(run->signer)))
		return status;
	return signpost_signer_sign(run->signer, 0);
}

static enum signpost_status
run_verifier(struct run *run)
{
	struct signpost_verify_options options = message_options();
	struct signpost_text record = { run->record, strlen(run->record) };
	const char *name, *value;
	enum signpost_status status;

	signpost_signer_field(run->signer, 0, &name, &value);
	if ((status = signpost_headers_new(65536, &run->signed_headers)) ||
	    (status = signpost_headers_add(run->signed_headers, name,
		 strlen(name), value, strlen(value))) ||
	    (status = add_fields(run->signed_headers)) ||
	    (status = signpost_verifier_new(run->handle, run->signed_headers,
		 &options, MESSAGE_NOW, &run->verifier)) ||
	    (status = signpost_key_set_parse(
		 run->handle, &record, 1, &run->keys)))
		return status;
	assert_non_null(signpost_verifier_key_name(run->verifier, 0));
	signpost_verifier_give_key(run->verifier, 0, SIGNPOST_KEY_FOUND,
	    SIGNPOST_DNSSEC_UNKNOWN, run->keys);
	if ((status = signpost_verifier_body(run->verifier, "a \r\n", 4)) ||
	    (status = signpost_verifier_end_body(run->verifier)))
		return status;
	if (signpost_verifier_needs_check(run->verifier, 0))
		signpost_verifier_check(run->verifier, 0);
	if ((status = signpost_verifier_changed_fields(
		 run->verifier, 0, &run->changed)))
		return status;
	return signpost_authres_write(
	    "mx.example.org", run->verifier, &run->authres);
}

static enum signpost_status
run_all(struct run *run)
{
	enum signpost_status status;

	if ((status = signpost_new(&run->handle)) ||
	    (status = signpost_private_key_read(run->handle, run->key_text,
		 strlen(run->key_text), &run->key)) ||
	    (status = run_signer(run)))
		return status;
	return run_verifier(run);
}

static void
release(struct run *run)
{
	signpost_string_free(run->authres);
	signpost_string_free(run->changed);
	signpost_verifier_free(run->verifier);
	signpost_key_set_unref(run->keys);
	signpost_signer_free(run->signer);
	signpost_private_key_unref(run->key);
	signpost_headers_free(run->headers);
	signpost_headers_free(run->signed_headers);
	signpost_free(run->handle);
}

/* No run may call a good signature anything but good or not decided. One thing
 * can't be helped: libcrypto 3.0 says of an Ed25519 signature that it does not
 * match when it ran out of memory over it, and leaves no error behind. */
static void
check_run(const struct run *run, enum signpost_status status, size_t failing)
{
	const struct signpost_verdict *verdict;

	if (status != SIGNPOST_OK) {
		assert_true(failing_alloc_failed());
		assert_true(
		    status == SIGNPOST_NOMEM || status == SIGNPOST_CRYPTO);
		return;
	}
	verdict = signpost_verifier_verdict(run->verifier, 0);
	if (verdict->reason == SIGNPOST_REASON_INTERNAL)
		assert_true(failing_alloc_failed());
	else if (verdict->reason == SIGNPOST_REASON_SIGNATURE &&
	    verdict->algorithm == SIGNPOST_ED25519_SHA256)
		assert_true(failed_in_crypto);
	else if (verdict->result != SIGNPOST_PASS)
		fail_msg("allocation %zu: %s", failing,
		    signpost_reason_token(verdict->reason));
}

static void
fail_each(
    const char *key_text, const char *record, void (*fail_after)(size_t count))
{
	size_t failing = 0;
	bool failed;

	do {
		struct run run = { .key_text = key_text, .record = record };
		enum signpost_status status;

		failed_in_crypto = false;
		fail_after(failing);
		status = run_all(&run);
		failing_alloc_never();
		failed = failing_alloc_failed();
		check_run(&run, status, failing);
		release(&run);
		failing++;
	} while (failed);
	/* The last run was undisturbed, and had something to count. */
	assert_true(failing > 50);
}

static void
no_allocation_that_fails_does_harm(void **state)
{
	static const char *const keys[][2] = { { RSA_PEM, RSA_RECORD },
		{ ED25519_SEED, ED25519_RECORD } };

	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++) {
		/* libcrypto sets itself up but once, and undisturbed. */
		struct run run = { .key_text = keys[i][0],
			.record = keys[i][1] };

		assert_int_equal(run_all(&run), SIGNPOST_OK);
		release(&run);
		fail_each(keys[i][0], keys[i][1], failing_alloc_once);
		fail_each(keys[i][0], keys[i][1], failing_alloc_after);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_allocation_that_fails_does_harm),
	};

	if (CRYPTO_set_mem_functions(
		crypto_malloc, crypto_realloc, crypto_free) != 1)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
