/* SPDX-License-Identifier: BSD-2-Clause */
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
#include "signed_row.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/* One good signature, as many times as asked, among fields that can't be
 * parsed; the field of number LAST from the top. */
static void
a_broken_signature_hides_no_good_one(void **state)
{
	static const struct signed_row row = { .template = HEAD TAIL };
	static const char *const broken[] = { "junk", "", ";;", " v=1; v=1" };
	static const char *const records[] = { RSA_RECORD, NULL };
	struct message_keys keys = { SIGNPOST_KEY_FOUND, records };
	struct signpost_verify_options options = message_options();
	struct signpost_headers *headers;
	struct signpost_verifier *verifier;
	char *field = signed_row_field(&row);
	struct buf text;

	(void)state;
	buf_init(&text, SIZE_MAX);
	for (size_t i = 0; i < 6; i++)
		buf_printf(&text, "DKIM-Signature:%s\r\n",
		    i % 2 == 0 ? broken[i / 2 + 1] : field);
	buf_append_str(&text, FIELDS);
	headers = message_headers(text.data);
	assert_int_equal(signpost_verifier_new(
			     handle, headers, &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	assert_int_equal(signpost_verifier_count(verifier), 6);
	message_verify(handle, verifier, bytes_str(BODY), &keys,
	    (struct message_course){ false, 0 });
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(signpost_verifier_verdict(verifier, i)->result,
		    i % 2 == 0 ? SIGNPOST_NEUTRAL : SIGNPOST_PASS);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
	buf_fini(&text);
	free(field);
}

/* Every field counts, parsed or not, and no work is done beyond the cap.
 * field: A7, A8 */
static void
signatures_beyond_the_cap_are_counted_and_left(void **state)
{
	static const struct signed_row row = { .template = HEAD TAIL };
	static const char *const records[] = { RSA_RECORD, NULL };
	struct message_keys keys = { SIGNPOST_KEY_FOUND, records };
	struct signpost_verify_options options = message_options();
	struct signpost_headers *headers;
	struct signpost_verifier *verifier;
	char *field = signed_row_field(&row);
	struct buf text;

	(void)state;
	options.max_signatures = 2;
	buf_init(&text, SIZE_MAX);
	buf_append_str(&text, "DKIM-Signature: junk\r\n");
	for (size_t i = 0; i < 200; i++)
		buf_printf(&text, "dkim-SIGNATURE:%s\r\n", field);
	buf_append_str(&text, FIELDS);
	headers = message_headers(text.data);
	assert_int_equal(signpost_verifier_new(
			     handle, headers, &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	assert_int_equal(signpost_verifier_count(verifier), 102);
	for (size_t i = 2; i < 102; i++) {
		const struct signpost_verdict *verdict =
		    signpost_verifier_verdict(verifier, i);

		assert_null(signpost_verifier_key_name(verifier, i));
		assert_int_equal(verdict->reason, SIGNPOST_REASON_TOO_MANY);
		assert_int_equal(verdict->result, SIGNPOST_POLICY);
		assert_memory_equal(verdict->domain, "example.com", 11);
	}
	message_verify(handle, verifier, bytes_str(BODY), &keys,
	    (struct message_course){ false, 0 });
	assert_int_equal(
	    signpost_verifier_verdict(verifier, 0)->result, SIGNPOST_NEUTRAL);
	/* The name of the field is part of what a simple signature signs, but
	 * not of a relaxed one. */
	assert_int_equal(
	    signpost_verifier_verdict(verifier, 1)->result, SIGNPOST_PASS);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
	buf_fini(&text);
	free(field);
}

static void
check_view(const char *data, size_t len, const char *want)
{
	if (want == NULL) {
		assert_null(data);
		return;
	}
	assert_non_null(data);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(data, want, len);
}

/* field: B26 */
static void
what_could_be_read_is_told(void **state)
{
	static const struct {
		const char *field;
		const char *domain, *selector, *identity, *algorithm, *b;
	} rows[] = {
		{ "junk; d=example.com; s= s1 ; i=x=20y@a; a=foo; b=12 3\r\n "
		  "456789",
		    "example.com", "s1", "x=20y@a", "foo", "12345678" },
		{ " b=12;; d=;", "", NULL, NULL, NULL, "12" },
		{ " d=a; d=b; b=", "a", NULL, NULL, NULL, NULL },
		{ "", NULL, NULL, NULL, NULL, NULL },
	};
	struct signpost_verify_options options = message_options();

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct signpost_verdict *verdict;
		struct signpost_headers *headers;
		struct signpost_verifier *verifier;
		struct buf text;

		buf_init(&text, SIZE_MAX);
		buf_printf(&text, "DKIM-Signature:%s\r\n", rows[i].field);
		headers = message_headers(text.data);
		assert_int_equal(signpost_verifier_new(handle, headers,
				     &options, MESSAGE_NOW, &verifier),
		    SIGNPOST_OK);
		verdict = signpost_verifier_verdict(verifier, 0);
		check_view(
		    verdict->domain, verdict->domain_len, rows[i].domain);
		check_view(
		    verdict->selector, verdict->selector_len, rows[i].selector);
		check_view(
		    verdict->identity, verdict->identity_len, rows[i].identity);
		check_view(verdict->algorithm_name, verdict->algorithm_name_len,
		    rows[i].algorithm);
		check_view(verdict->b, verdict->b_len, rows[i].b);
		assert_int_equal(
		    verdict->algorithm, SIGNPOST_ALGORITHM_UNKNOWN);
		assert_false(signpost_verifier_wants_body(verifier));
		assert_int_equal(
		    signpost_verifier_end_body(verifier), SIGNPOST_OK);
		signpost_verifier_free(verifier);
		signpost_headers_free(headers);
		buf_fini(&text);
	}
}

static struct signpost_verifier *
new_verifier(const struct signed_row *row, struct signpost_headers **headers_r)
{
	struct signpost_verify_options options = message_options();
	struct signpost_verifier *verifier;
	char *field = signed_row_field(row);
	struct buf text;

	buf_init(&text, SIZE_MAX);
	buf_printf(&text, "DKIM-Signature:%s\r\n" FIELDS, field);
	*headers_r = message_headers(text.data);
	assert_int_equal(signpost_verifier_new(handle, *headers_r, &options,
			     MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	buf_fini(&text);
	free(field);
	return verifier;
}

static void
a_verdict_tells_of_key_and_body(void **state)
{
	static const struct signed_row row = { .template = V A C
		" d=B\u00dcCHER.example; s=S1.x; l=5;" TAIL,
		.limit = 6 };
	static const char *const records[] = { "t=y; p=" RSA_P, NULL };
	struct message_keys keys = { SIGNPOST_KEY_FOUND, records };
	struct signpost_headers *headers;
	struct signpost_verifier *verifier = new_verifier(&row, &headers);
	const struct signpost_verdict *verdict =
	    signpost_verifier_verdict(verifier, 0);

	(void)state;
	assert_string_equal(signpost_verifier_key_name(verifier, 0),
	    "s1.x._domainkey.xn--bcher-kva.example");
	assert_true(signpost_verifier_wants_body(verifier));
	message_verify(handle, verifier, bytes_str(BODY), &keys,
	    (struct message_course){ false, 0 });
	assert_int_equal(verdict->reason, SIGNPOST_REASON_UNSIGNED_BODY);
	assert_int_equal(verdict->unsigned_body_bytes, BODY_RELAXED_BYTES - 5);
	assert_int_equal(verdict->key_bits, 1024);
	assert_true(verdict->testing);
	assert_int_equal(verdict->dnssec, SIGNPOST_DNSSEC_INSECURE);
	assert_int_equal(verdict->algorithm, SIGNPOST_RSA_SHA256);
	check_view(verdict->domain, verdict->domain_len, "B\u00dcCHER.example");
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
}

/* Once all is decided, the rest of the body is not wanted. */
static void
a_missing_key_ends_the_wish_for_the_body(void **state)
{
	static const struct signed_row row = { .template = HEAD TAIL };
	struct signpost_headers *headers;
	struct signpost_verifier *verifier = new_verifier(&row, &headers);

	(void)state;
	assert_true(signpost_verifier_wants_body(verifier));
	signpost_verifier_give_key(
	    verifier, 0, SIGNPOST_KEY_NO_NAME, SIGNPOST_DNSSEC_SECURE, NULL);
	assert_false(signpost_verifier_wants_body(verifier));
	assert_int_equal(signpost_verifier_body(verifier, "x", 1), SIGNPOST_OK);
	assert_int_equal(signpost_verifier_end_body(verifier), SIGNPOST_OK);
	assert_false(signpost_verifier_needs_check(verifier, 0));
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
}

static void
giving_up_changes_only_what_is_undecided(void **state)
{
	static const struct signed_row row = { .template = HEAD TAIL };
	static const struct signed_row junk = { .template = "junk" };
	struct signpost_headers *headers;
	struct signpost_verifier *verifier = new_verifier(&row, &headers);
	const struct signpost_verdict *verdict =
	    signpost_verifier_verdict(verifier, 0);

	(void)state;
	signpost_verifier_give_up(verifier, 0, SIGNPOST_REASON_OVERLOAD);
	assert_int_equal(verdict->result, SIGNPOST_TEMPERROR);
	assert_int_equal(verdict->reason, SIGNPOST_REASON_OVERLOAD);
	signpost_verifier_give_key(
	    verifier, 0, SIGNPOST_KEY_NO_NAME, SIGNPOST_DNSSEC_SECURE, NULL);
	assert_int_equal(verdict->reason, SIGNPOST_REASON_OVERLOAD);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);

	verifier = new_verifier(&junk, &headers);
	signpost_verifier_give_up(verifier, 0, SIGNPOST_REASON_OVERLOAD);
	assert_int_equal(
	    signpost_verifier_verdict(verifier, 0)->result, SIGNPOST_NEUTRAL);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
}

/* h= at its cap is fine, one name more is not; a field of 64 kB of tags takes
 * no time. (field: A6) */
static void
long_fields_are_refused_not_cut(void **state)
{
	struct signpost_verify_options options = message_options();

	(void)state;
	for (size_t names = SIGNPOST_MAX_SIGNED_HEADERS;
	     names <= 20 * SIGNPOST_MAX_SIGNED_HEADERS;
	     names += names / 2 + 1) {
		struct signpost_headers *headers;
		struct signpost_verifier *verifier;
		struct buf text;

		buf_init(&text, SIZE_MAX);
		buf_append_str(&text, "DKIM-Signature:" HEAD " h=from");
		for (size_t i = 1; i < names; i++)
			buf_append_str(&text, ":a");
		buf_append_str(&text,
		    ";"
		    " bh=YWJj; b=YWJj\r\n");
		headers = message_headers(text.data);
		assert_int_equal(signpost_verifier_new(handle, headers,
				     &options, MESSAGE_NOW, &verifier),
		    SIGNPOST_OK);
		assert_int_equal(signpost_verifier_verdict(verifier, 0)->reason,
		    names == SIGNPOST_MAX_SIGNED_HEADERS
			? SIGNPOST_REASON_NONE
			: SIGNPOST_REASON_HEADERS);
		signpost_verifier_free(verifier);
		signpost_headers_free(headers);
		buf_fini(&text);
	}
}

static void
a_field_over_64_kb_is_refused(void **state)
{
	struct signpost_verify_options options = message_options();
	struct signpost_headers *headers;
	struct signpost_verifier *verifier;
	struct buf text;

	(void)state;
	buf_init(&text, SIZE_MAX);
	buf_append_str(&text, "DKIM-Signature:" HEAD H " bh=YWJj; b=YWJj; x_=");
	while (text.len < SIGNPOST_MAX_SIGNATURE_FIELD + 20)
		buf_append_char(&text, 'x');
	buf_append_str(&text, "\r\n");
	headers = message_headers(text.data);
	assert_int_equal(signpost_verifier_new(
			     handle, headers, &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	assert_int_equal(signpost_verifier_verdict(verifier, 0)->reason,
	    SIGNPOST_REASON_TAGS);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
	buf_fini(&text);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_broken_signature_hides_no_good_one),
		cmocka_unit_test(
		    signatures_beyond_the_cap_are_counted_and_left),
		cmocka_unit_test(what_could_be_read_is_told),
		cmocka_unit_test(a_verdict_tells_of_key_and_body),
		cmocka_unit_test(a_missing_key_ends_the_wish_for_the_body),
		cmocka_unit_test(giving_up_changes_only_what_is_undecided),
		cmocka_unit_test(long_fields_are_refused_not_cut),
		cmocka_unit_test(a_field_over_64_kb_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
