/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

struct signpost_verify_options
message_options(void)
{
	return (struct signpost_verify_options){
		.min_rsa_bits = 1024,
		.max_rsa_bits = 8192,
		.max_signatures = 10,
		.clock_skew_s = 300,
		.unsigned_body = SIGNPOST_UNSIGNED_POLICY,
	};
}

struct signpost_headers *
message_headers(const char *text)
{
	struct signpost_headers *headers;

	assert_int_equal(signpost_headers_new(1 << 20, &headers), SIGNPOST_OK);
	while (*text != '\0') {
		size_t name = strcspn(text, ":");
		const char *value = text + name + 1;
		const char *end = strstr(value, "\r\n");

		while (end != NULL && is_wsp(end[2]))
			end = strstr(end + 2, "\r\n");
		assert_non_null(end);
		assert_int_equal(signpost_headers_add(headers, text, name,
				     value, (size_t)(end - value)),
		    SIGNPOST_OK);
		text = end + 2;
	}
	return headers;
}

static void
give_keys(struct signpost *handle, struct signpost_verifier *verifier,
    const struct message_keys *keys)
{
	struct signpost_text records[SIGNPOST_MAX_KEY_RECORDS];
	struct signpost_key_set *set = NULL;
	size_t count = 0;

	for (; keys->records != NULL && keys->records[count] != NULL; count++)
		records[count] = (struct signpost_text){ keys->records[count],
			strlen(keys->records[count]) };
	assert_int_equal(
	    signpost_key_set_parse(handle, records, count, &set), SIGNPOST_OK);
	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		if (signpost_verifier_key_name(verifier, i) != NULL)
			signpost_verifier_give_key(verifier, i, keys->answer,
			    SIGNPOST_DNSSEC_INSECURE, set);
	}
	signpost_key_set_unref(set);
}

static void
push_body(struct signpost_verifier *verifier, struct bytes body, size_t piece)
{
	if (piece == 0)
		piece = body.len + 1;
	for (size_t at = 0; at < body.len; at += piece) {
		size_t len = body.len - at < piece ? body.len - at : piece;

		assert_int_equal(
		    signpost_verifier_body(verifier, body.data + at, len),
		    SIGNPOST_OK);
	}
	assert_int_equal(signpost_verifier_end_body(verifier), SIGNPOST_OK);
}

void
message_verify(struct signpost *handle, struct signpost_verifier *verifier,
    struct bytes body, const struct message_keys *keys,
    struct message_course course)
{
	if (course.key_first)
		give_keys(handle, verifier, keys);
	push_body(verifier, body, course.piece);
	if (!course.key_first)
		give_keys(handle, verifier, keys);
	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		if (signpost_verifier_needs_check(verifier, i))
			signpost_verifier_check(verifier, i);
		assert_false(signpost_verifier_needs_check(verifier, i));
		assert_int_not_equal(
		    signpost_verifier_verdict(verifier, i)->result,
		    SIGNPOST_NONE);
	}
}
