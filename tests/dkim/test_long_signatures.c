/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signatures longer than those of 2048 bits, made and read (field: A26).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base64.h"
#include "buf.h"
#include "keys.h"
#include "message.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FROM	     "From: a@example.com\r\n"

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

static void
put_signature(struct buf *text, struct signpost_private_key *key)
{
	static const char *const names[] = { "From", NULL };
	const struct signpost_sign_options options = {
		.domain = "example.com",
		.selector = "s1",
		.headers = names,
	};
	struct signpost_headers *headers = message_headers(FROM);
	struct signpost_signer *signer;
	const char *name, *value;

	assert_int_equal(
	    signpost_signer_new(handle, headers, MESSAGE_NOW, &signer),
	    SIGNPOST_OK);
	assert_int_equal(
	    signpost_signer_add(signer, &options, key), SIGNPOST_OK);
	assert_int_equal(signpost_signer_end_body(signer), SIGNPOST_OK);
	assert_int_equal(signpost_signer_sign(signer, 0), SIGNPOST_OK);
	signpost_signer_field(signer, 0, &name, &value);
	buf_printf(text, "%s:%s\r\n", name, value);
	signpost_signer_free(signer);
	signpost_headers_free(headers);
}

static void
check(const struct buf *fields, const char *record, enum signpost_reason want)
{
	struct signpost_verify_options options = message_options();
	const char *records[] = { record, NULL };
	struct message_keys keys = { SIGNPOST_KEY_FOUND, records };
	struct signpost_headers *headers = message_headers(fields->data);
	struct signpost_verifier *verifier;

	assert_int_equal(signpost_verifier_new(
			     handle, headers, &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	message_verify(handle, verifier, bytes_str(""), &keys,
	    (struct message_course){ true, 0 });
	assert_int_equal(signpost_verifier_verdict(verifier, 0)->reason, want);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
}

static void
those_of_long_keys_verify(void **state)
{
	static const unsigned sizes[] = { 2056, 3072, 4096 };

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct signpost_private_key *key;
		struct buf fields;
		char *record;

		assert_int_equal(signpost_private_key_generate(handle,
				     SIGNPOST_RSA_SHA256, sizes[i], &key),
		    SIGNPOST_OK);
		assert_int_equal(
		    signpost_private_key_record(key, &record), SIGNPOST_OK);
		buf_init(&fields, SIZE_MAX);
		put_signature(&fields, key);
		assert_true(fields.len > sizes[i] / 6);
		buf_append_str(&fields, FROM);
		check(&fields, record, SIGNPOST_REASON_NONE);
		buf_fini(&fields);
		signpost_string_free(record);
		signpost_private_key_unref(key);
	}
}

/* As many octets as a field can hold, and no key for them. */
static void
any_length_is_read(void **state)
{
	char *octets = calloc(1, 45000);

	(void)state;
	assert_non_null(octets);
	for (size_t len = 1; len <= 45000; len += 1 + len / 3) {
		struct buf fields;

		buf_init(&fields, SIZE_MAX);
		buf_append_str(&fields,
		    "DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=s1; "
		    "h=from; bh=frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=; "
		    "b=");
		base64_encode(octets, len, &fields);
		buf_append_str(&fields, "\r\n" FROM);
		check(&fields, RSA_RECORD, SIGNPOST_REASON_SIGNATURE);
		buf_fini(&fields);
	}
	free(octets);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_of_long_keys_verify),
		cmocka_unit_test(any_length_is_read),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
