/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public-key work of one message on several threads at once, all with the
 * same keys: for a thread sanitizer, and for wrong results.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "buf.h"
#include "keys.h"
#include "message.h"

enum {
	SIGNATURES = 8,
	ROUNDS = 20
};

struct job {
	pthread_t thread;
	struct signpost_signer *signer;
	struct signpost_verifier *verifier;
	size_t i;
	enum signpost_status status;
};

static void *
sign_one(void *ctx)
{
	struct job *job = ctx;

	job->status = signpost_signer_sign(job->signer, job->i);
	return NULL;
}

static void *
check_one(void *ctx)
{
	struct job *job = ctx;

	signpost_verifier_check(job->verifier, job->i);
	return NULL;
}

static void
run_all(struct job *jobs, void *(*work)(void *ctx))
{
	for (size_t i = 0; i < SIGNATURES; i++) {
		jobs[i].i = i;
		assert_int_equal(
		    pthread_create(&jobs[i].thread, NULL, work, &jobs[i]), 0);
	}
	for (size_t i = 0; i < SIGNATURES; i++)
		assert_int_equal(pthread_join(jobs[i].thread, NULL), 0);
}

static struct signpost_private_key *
read_key(struct signpost *handle, const char *text)
{
	struct signpost_private_key *key;

	assert_int_equal(
	    signpost_private_key_read(handle, text, strlen(text), &key),
	    SIGNPOST_OK);
	return key;
}

static void
sign_message(struct signpost *handle, struct signpost_private_key **keys,
    struct buf *text)
{
	struct signpost_headers *headers = message_headers("From: a\r\n");
	struct signpost_sign_options options = { .domain = "example.com",
		.selector = "s" };
	struct job jobs[SIGNATURES];
	struct signpost_signer *signer;

	assert_int_equal(
	    signpost_signer_new(handle, headers, MESSAGE_NOW, &signer),
	    SIGNPOST_OK);
	for (size_t i = 0; i < SIGNATURES; i++) {
		assert_int_equal(
		    signpost_signer_add(signer, &options, keys[i % 2]),
		    SIGNPOST_OK);
		jobs[i].signer = signer;
	}
	assert_int_equal(signpost_signer_end_body(signer), SIGNPOST_OK);
	run_all(jobs, sign_one);
	for (size_t i = 0; i < SIGNATURES; i++) {
		const char *name, *value;

		assert_int_equal(jobs[i].status, SIGNPOST_OK);
		signpost_signer_field(signer, i, &name, &value);
		buf_printf(text, "%s:%s\r\n", name, value);
	}
	buf_append_str(text, "From: a\r\n");
	signpost_signer_free(signer);
	signpost_headers_free(headers);
}

static void
verify_message(
    struct signpost *handle, struct signpost_key_set *keys, const char *text)
{
	struct signpost_headers *headers = message_headers(text);
	struct signpost_verify_options options = message_options();
	struct signpost_verifier *verifier;
	struct job jobs[SIGNATURES];

	assert_int_equal(signpost_verifier_new(
			     handle, headers, &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	for (size_t i = 0; i < SIGNATURES; i++) {
		signpost_verifier_give_key(verifier, i, SIGNPOST_KEY_FOUND,
		    SIGNPOST_DNSSEC_UNKNOWN, keys);
		jobs[i].verifier = verifier;
	}
	assert_int_equal(signpost_verifier_end_body(verifier), SIGNPOST_OK);
	run_all(jobs, check_one);
	for (size_t i = 0; i < SIGNATURES; i++)
		assert_int_equal(signpost_verifier_verdict(verifier, i)->result,
		    SIGNPOST_PASS);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
}

/* field: A20 */
static void
keys_may_be_used_by_many_threads_at_once(void **state)
{
	const struct signpost_text records[] = {
		{ RSA_RECORD, strlen(RSA_RECORD) },
		{ ED25519_RECORD, strlen(ED25519_RECORD) },
	};
	struct signpost_private_key *keys[2];
	struct signpost_key_set *set;
	struct signpost *handle;

	(void)state;
	assert_int_equal(signpost_new(&handle), SIGNPOST_OK);
	keys[0] = read_key(handle, RSA_PEM);
	keys[1] = read_key(handle, ED25519_SEED);
	assert_int_equal(
	    signpost_key_set_parse(handle, records, 2, &set), SIGNPOST_OK);
	for (size_t i = 0; i < ROUNDS; i++) {
		struct buf text;

		buf_init(&text, SIZE_MAX);
		sign_message(handle, keys, &text);
		verify_message(handle, set, text.data);
		buf_fini(&text);
	}
	signpost_key_set_unref(set);
	signpost_private_key_unref(keys[0]);
	signpost_private_key_unref(keys[1]);
	signpost_free(handle);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_may_be_used_by_many_threads_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
