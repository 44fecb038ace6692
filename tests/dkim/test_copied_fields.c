/* SPDX-License-Identifier: BSD-2-Clause */
#include "copied_fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "keys.h"
#include "message.h"

#define FROM	"From: A <a@example.com>\r\n"
#define TO	"To: b@example.org,\r\n\tc@example.org\r\n"
#define SUBJECT "Subject:  Hello;  a=b|c \r\n"
#define KEYWORDS            \
	"Keywords: one\r\n" \
	"Keywords: two\r\n"
#define SIGNED FROM TO SUBJECT KEYWORDS "X-Other: 1\r\n"

static struct signpost *handle;
static struct signpost_private_key *key;

static int
setup(void **state)
{
	(void)state;
	return signpost_new(&handle) != SIGNPOST_OK ||
	    signpost_private_key_read(handle, ED25519_SEED,
		strlen(ED25519_SEED), &key) != SIGNPOST_OK;
}

static int
teardown(void **state)
{
	(void)state;
	signpost_private_key_unref(key);
	signpost_free(handle);
	return 0;
}

/* FIELDS with a signature on top that has copies; to be freed. */
static char *
sign(const char *fields, enum signpost_canon canon)
{
	static const char *const names[] = { "From", "To", "Subject",
		"Keywords", NULL };
	static const char *const oversign[] = { "From", "Reply-To", NULL };
	struct signpost_sign_options options = { .domain = "example.com",
		.selector = "s1",
		.header_canon = canon,
		.headers = names,
		.oversign = oversign,
		.copy_headers = true };
	struct signpost_headers *headers = message_headers(fields);
	struct signpost_signer *signer;
	const char *name, *value;
	char *text;

	assert_int_equal(
	    signpost_signer_new(handle, headers, MESSAGE_NOW, &signer), 0);
	assert_int_equal(signpost_signer_add(signer, &options, key), 0);
	assert_int_equal(signpost_signer_end_body(signer), 0);
	assert_int_equal(signpost_signer_sign(signer, 0), 0);
	signpost_signer_field(signer, 0, &name, &value);
	assert_true(asprintf(&text, "%s:%s\r\n", name, value) > 0);
	signpost_signer_free(signer);
	signpost_headers_free(headers);
	return text;
}

/* What is told of FIELD on top of FIELDS; to be freed. */
static char *
changed(const char *field, const char *fields)
{
	static const char *const records[] = { ED25519_RECORD, NULL };
	struct message_keys keys = { SIGNPOST_KEY_FOUND, records };
	struct signpost_verify_options options = message_options();
	struct signpost_headers *headers;
	struct signpost_verifier *verifier;
	char *text, *names;

	assert_true(asprintf(&text, "%s%s", field, fields) > 0);
	headers = message_headers(text);
	assert_int_equal(signpost_verifier_new(
			     handle, headers, &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	message_verify(handle, verifier, bytes_str(""), &keys,
	    (struct message_course){ .key_first = true });
	assert_int_equal(
	    signpost_verifier_changed_fields(verifier, 0, &names), SIGNPOST_OK);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
	free(text);
	return names;
}

static void
fields_that_changed_are_named(void **state)
{
	static const struct {
		const char *name, *fields;
		const char *relaxed, *simple; /* what is told */
	} rows[] = {
		{ "nothing", SIGNED, "", "" },
		{ "one that is not signed", FROM TO SUBJECT KEYWORDS, "", "" },
		{ "white space",
		    FROM
		    "To: b@example.org, c@example.org\r\n" SUBJECT KEYWORDS,
		    "", "To" },
		{ "space in front",
		    FROM TO "Subject: Hello;  a=b|c \r\n" KEYWORDS, "",
		    "Subject" },
		{ "a word", FROM TO "Subject: Bye\r\n" KEYWORDS, "Subject",
		    "Subject" },
		{ "several",
		    "From: b@example.com\r\nTo: c\r\n" SUBJECT KEYWORDS,
		    "From:To", "From:To" },
		{ "one taken away", FROM SUBJECT KEYWORDS, "To", "To" },
		{ "one more than the signature lets be",
		    FROM FROM TO SUBJECT KEYWORDS, "From", "From" },
		{ "one above that it does not cover",
		    FROM "Subject: x\r\n" TO SUBJECT KEYWORDS, "", "" },
		{ "one below", FROM TO SUBJECT "Subject: x\r\n" KEYWORDS,
		    "Subject", "Subject" },
		{ "one of two",
		    FROM TO SUBJECT "Keywords: one\r\nKeywords: 2\r\n",
		    "Keywords", "Keywords" },
		{ "one where there was none",
		    FROM TO SUBJECT KEYWORDS "Reply-To: d@example.com\r\n",
		    "Reply-To", "Reply-To" },
	};

	(void)state;
	for (unsigned canon = 0; canon < 2; canon++) {
		char *field = sign(SIGNED, canon);

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			const char *want = canon == SIGNPOST_RELAXED
			    ? rows[i].relaxed
			    : rows[i].simple;
			char *names = changed(field, rows[i].fields);

			if (strcmp(names, want) != 0)
				fail_msg("%s, %u: \"%s\"", rows[i].name, canon,
				    names);
			signpost_string_free(names);
		}
		free(field);
	}
}

/* As other signers write them. */
static void
copies_are_read_as_others_write_them(void **state)
{
	static const struct {
		const char *name, *copies, *want;
	} rows[] = {
		{ "no z=", "", "" },
		{ "empty", "z=;", "From:To:Keywords" },
		{ "no copy at all", "z=|x|;", "From:To:Keywords" },
		{ "without the space in front",
		    "z=From:A=20<a@example.com>|To:b@example.org,c@example.org",
		    "To" },
		{ "folded anywhere",
		    "z=From:A\r\n =20<a@exa\r\n\tmple.com>|\r\n To : "
		    "=20x",
		    "To" },
		{ "the highest first",
		    "z=Keywords:one|Keywords:two|From:A=20<a@example.com>|"
		    "To:b@example.org,=0D=0A=09c@example.org",
		    "" },
		{ "in no order there was", "z=Keywords:two|Keywords:two",
		    "Keywords" },
		{ "more than are covered", "z=From:x|From:y|To:x", "To" },
		{ "not covered", "z=X-Other:2|To:x", "To" },
		{ "malformed",
		    "z=From:=zz|To:b@example.org,=0D=0A=09c@example.org"
		    "|Keywords:two|Keywords:one",
		    "" },
		{ "name in other letters", "z=FROM:x", "FROM" },
	};
	char field[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *names;

		snprintf(field, sizeof(field),
		    "DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed; "
		    "d=example.com; s=s1; h=From:To:Keywords:Keywords; %s%s "
		    "bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; "
		    "b=AAAA\r\n",
		    rows[i].copies, rows[i].copies[0] != '\0' ? ";" : "");
		if (strcmp(rows[i].name, "empty") == 0 ||
		    strcmp(rows[i].name, "no copy at all") == 0)
			*strstr(field, ";;") = ' ';
		names = changed(field, SIGNED);
		if (strcmp(names, rows[i].want) != 0)
			fail_msg("%s: \"%s\"", rows[i].name, names);
		signpost_string_free(names);
	}
}

static void
a_signature_that_passes_or_whose_body_fails_names_none(void **state)
{
	char *field = sign(SIGNED, SIGNPOST_RELAXED), *names, *hash;

	(void)state;
	names = changed(field, SIGNED);
	assert_string_equal(names, "");
	signpost_string_free(names);
	hash = strstr(field, "bh=");
	hash[3] = hash[3] == 'A' ? 'B' : 'A';
	names = changed(field, FROM TO "Subject: Bye\r\n" KEYWORDS);
	assert_string_equal(names, "");
	signpost_string_free(names);
	free(field);
}

static void
copies_that_are_too_long_are_left_out_and_lines_stay_short(void **state)
{
	static const struct {
		size_t octets;
		bool want;
	} rows[] = { { 100, true }, { 8000, true }, { 8192, false },
		{ 100000, false } };
	char *fields = malloc(200000);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = (size_t)sprintf(fields, FROM "Subject: ");
		char *field, *names;

		memset(fields + len, 'x', rows[i].octets);
		strcpy(fields + len + rows[i].octets, "\r\n");
		field = sign(fields, SIGNPOST_RELAXED);
		assert_int_equal(
		    strstr(field, "z=From:") != NULL, rows[i].want);
		for (char *line = field; *line != '\0'; line += 2) {
			char *end = strstr(line, "\r\n");

			assert_true(end - line <= 78);
			line = end;
		}
		names = changed(field, fields);
		assert_string_equal(names, "");
		signpost_string_free(names);
		free(field);
	}
	free(fields);
}

static void
what_is_told_is_capped(void **state)
{
	struct buf field, fields;
	char *names;
	size_t colons = 0;

	(void)state;
	buf_init(&field, SIZE_MAX);
	buf_init(&fields, SIZE_MAX);
	buf_append_str(&field,
	    "DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed; "
	    "d=example.com; "
	    "s=s1; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA; "
	    "h=From");
	for (int i = 0; i < 400; i++)
		buf_printf(&field, ":x%d", i);
	buf_append_str(&field, "; z=From:a");
	for (int i = 0; i < 400; i++)
		buf_printf(&field, "|x%d:y", i);
	buf_append_str(&field, "\r\n");
	buf_append_str(&fields, FROM);
	for (int i = 0; i < 400; i++)
		buf_printf(&fields, "x%d: z\r\n", i);
	names = changed(field.data, fields.data);
	for (char *c = names; *c != '\0'; c++)
		colons += *c == ':';
	assert_int_equal(colons, 15);
	signpost_string_free(names);
	buf_fini(&field);
	buf_fini(&fields);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_that_changed_are_named),
		cmocka_unit_test(copies_are_read_as_others_write_them),
		cmocka_unit_test(
		    a_signature_that_passes_or_whose_body_fails_names_none),
		cmocka_unit_test(
		    copies_that_are_too_long_are_left_out_and_lines_stay_short),
		cmocka_unit_test(what_is_told_is_capped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
