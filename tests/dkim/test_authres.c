/* SPDX-License-Identifier: BSD-2-Clause */
#include "authres.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array)	   (sizeof(array) / sizeof((array)[0]))
#define TEXT(member, text) .member = (text), .member##_len = sizeof(text) - 1

/*
 * A strict reader of RFC 8601 section 2.2, written from its grammar: what it
 * does not accept, the writer must not write.
 */
struct reader {
	const char *at; /* NUL-ended */
	bool broken;
};

struct property {
	char name[32];
	char value[1024];
};

struct resinfo {
	char result[16];
	char comment[64];
	struct property properties[8];
	size_t count;
};

static void
fail_reader(struct reader *reader)
{
	reader->broken = true;
	reader->at = "";
}

static void
expect(struct reader *reader, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(reader->at, text, len) != 0)
		fail_reader(reader);
	else
		reader->at += len;
}

/* FWS: spaces, or CRLF and a TAB. */
static void
read_space(struct reader *reader)
{
	while (*reader->at == ' ' || *reader->at == '\t' ||
	    strncmp(reader->at, "\r\n\t", 3) == 0)
		reader->at++, reader->at += *reader->at == '\n';
}

static void
keep(struct reader *reader, char c, char *out, size_t size)
{
	size_t len = strlen(out);

	if (len + 1 >= size)
		fail_reader(reader);
	else
		memcpy(out + len, (char[2]){ c, '\0' }, 2);
}

static void
read_quoted(struct reader *reader, char *out, size_t size)
{
	expect(reader, "\"");
	while (*reader->at != '"') {
		if (*reader->at == '\\')
			reader->at++;
		if (iscntrl((unsigned char)*reader->at)) {
			fail_reader(reader);
			return;
		}
		keep(reader, *reader->at++, out, size);
	}
	expect(reader, "\"");
}

static void
read_token(struct reader *reader, const char *extra, char *out, size_t size)
{
	const char *start = reader->at;

	while (*reader->at != '\0' &&
	    (isalnum((unsigned char)*reader->at) ||
		strchr("!#$%&'*+-.^_`{|}~", *reader->at) != NULL ||
		strchr(extra, *reader->at) != NULL))
		keep(reader, *reader->at++, out, size);
	if (reader->at == start)
		fail_reader(reader);
}

/* value or [local-part] "@" domain-name */
static void
read_value(struct reader *reader, char *out, size_t size)
{
	out[0] = '\0';
	if (*reader->at == '"')
		read_quoted(reader, out, size);
	else
		read_token(reader, "@", out, size);
	if (strchr(out, '@') != strrchr(out, '@') && reader->at[-1] != '"')
		fail_reader(reader);
}

static void
read_resinfo(struct reader *reader, struct resinfo *info)
{
	memset(info, 0, sizeof(*info));
	expect(reader, ";");
	read_space(reader);
	expect(reader, "dkim=");
	read_token(reader, "", info->result, sizeof(info->result));
	read_space(reader);
	if (*reader->at == '(') {
		while (*reader->at != '\0' && *reader->at != ')')
			keep(reader, *reader->at++, info->comment,
			    sizeof(info->comment));
		expect(reader, ")");
		read_space(reader);
	}
	while (*reader->at != ';' && *reader->at != '\0') {
		struct property *property = &info->properties[info->count++];

		read_token(reader, "", property->name, sizeof(property->name));
		expect(reader, "=");
		read_value(reader, property->value, sizeof(property->value));
		read_space(reader);
	}
}

/* No line may be longer than RFC 5322 allows, and only folding ends one. */
static void
check_lines(const char *value, size_t most)
{
	while (*value != '\0') {
		size_t len = strcspn(value, "\r\n");

		assert_true(len <= most);
		value += len;
		if (*value == '\0')
			return;
		assert_memory_equal(value, "\r\n\t", 3);
		value += 2;
	}
}

static char *
write_one(const struct signpost_verdict *verdict)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	authres_begin(&out, "mx.example.org");
	authres_add(&out, verdict);
	return buf_take_string(&out);
}

static const struct signpost_verdict passed = {
	.result = SIGNPOST_PASS,
	.key_bits = 2048,
	TEXT(domain, "example.com"),
	TEXT(identity, "@example.com"),
	TEXT(selector, "s1"),
	TEXT(algorithm_name, "rsa-sha256"),
	TEXT(b, "AbCd12+x"),
};

static void
a_pass_reads_as_the_manual_shows_it(void **state)
{
	char *value = write_one(&passed);

	(void)state;
	assert_string_equal(value,
	    " mx.example.org;\r\n"
	    "\tdkim=pass (2048-bit key) header.d=example.com"
	    " header.i=@example.com\r\n"
	    "\theader.s=s1 header.a=rsa-sha256 header.b=AbCd12+x");
	free(value);
}

static void
other_results_say_why(void **state)
{
	struct signpost_verdict verdict = passed;
	char *value;

	(void)state;
	verdict.result = SIGNPOST_FAIL;
	verdict.reason = SIGNPOST_REASON_BODY_HASH;
	verdict.testing = true;
	value = write_one(&verdict);
	assert_non_null(strstr(value, "dkim=fail (2048-bit key, testing)"));
	assert_non_null(strstr(value, "reason=\"body hash did not verify\""));
	free(value);
	verdict = (struct signpost_verdict){ .result = SIGNPOST_NEUTRAL,
		.reason = SIGNPOST_REASON_TAGS };
	value = write_one(&verdict);
	assert_string_equal(value,
	    " mx.example.org;\r\n"
	    "\tdkim=neutral reason=\"not a list of tags\"");
	free(value);
}

/* RFC 6376 section 3.5: i= is "@" and d= where it is left out. */
static void
an_identity_left_out_is_that_of_the_domain(void **state)
{
	struct signpost_verdict verdict = passed;
	char *value;

	(void)state;
	verdict.identity = NULL;
	verdict.identity_len = 0;
	value = write_one(&verdict);
	assert_non_null(strstr(value, " header.i=@example.com"));
	free(value);
}

/* field: B33 */
static void
no_signature_is_none(void **state)
{
	char *value;

	(void)state;
	assert_int_equal(signpost_authres_write("mx.example.org", NULL, &value),
	    SIGNPOST_OK);
	assert_string_equal(value, " mx.example.org;\r\n\tdkim=none");
	signpost_string_free(value);
}

/* Sendmail takes no more than 64 kB of a filter at once. */
static void
signatures_not_looked_at_do_not_make_the_field_endless(void **state)
{
	const struct signpost_verify_options options = {
		.min_rsa_bits = 1024,
		.max_rsa_bits = 8192,
		.max_signatures = 10,
	};
	struct signpost *handle;
	struct signpost_headers *headers;
	struct signpost_verifier *verifier;
	struct buf field;
	char *value;

	(void)state;
	assert_int_equal(signpost_new(&handle), SIGNPOST_OK);
	assert_int_equal(signpost_headers_new(1 << 20, &headers), SIGNPOST_OK);
	buf_init(&field, SIZE_MAX);
	for (size_t tag = 0; tag < 4; tag++) {
		buf_printf(&field, " %c=", "dsia"[tag]);
		for (size_t i = 0; i < 320; i++)
			buf_append_char(&field, '"');
		buf_append_char(&field, ';');
	}
	for (size_t i = 0; i < 200; i++)
		assert_int_equal(signpost_headers_add(headers, "DKIM-Signature",
				     14, field.data, field.len),
		    SIGNPOST_OK);
	assert_int_equal(
	    signpost_verifier_new(handle, headers, &options, 0, &verifier),
	    SIGNPOST_OK);
	assert_int_equal(
	    signpost_authres_write("mx.example.org", verifier, &value),
	    SIGNPOST_OK);
	assert_true(strlen(value) < 65535);
	for (size_t i = 0; i < options.max_signatures; i++) {
		const char *at = strstr(value, "dkim=neutral");

		assert_non_null(at);
		memset(value + (at - value), '-', 4);
	}
	assert_non_null(strstr(value, "dkim=policy"));
	signpost_string_free(value);
	buf_fini(&field);
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
	signpost_free(handle);
}

/* field: B30 */
static void
an_id_that_is_no_token_is_quoted(void **state)
{
	char *value;

	(void)state;
	assert_int_equal(
	    signpost_authres_write("mx one; \"two\"", NULL, &value),
	    SIGNPOST_OK);
	assert_string_equal(value, " \"mx one; \\\"two\\\"\";\r\n\tdkim=none");
	signpost_string_free(value);
}

/* What a message says is read back as one value, cleaned or not.
 * field: A28, A32 */
static void
values_cannot_break_out(void **state)
{
	static const struct {
		const char *name;
		const char *input;
		size_t len;
		const char *want;
	} rows[] = {
#define ROW(name, input, want) { name, input, sizeof(input) - 1, want }
		ROW("token", "user-1", "user-1"),
		ROW("address", "joe@example.com", "joe@example.com"),
		ROW("no local part", "@example.com", "@example.com"),
		ROW("two at signs", "a@b@c", "a@b@c"),
		ROW("at sign last", "a@", "a@"),
		ROW("space", "joe public@example.com",
		    "joe public@example.com"),
		ROW("quote", "a\"b", "a\"b"),
		ROW("quote and more", "a\"; dkim=pass header.d=\"bank.test",
		    "a\"; dkim=pass header.d=\"bank.test"),
		ROW("backslash", "a\\", "a\\"),
		ROW("semicolon", "a; dkim=pass", "a; dkim=pass"),
		ROW("comment", "a (b", "a (b"),
		ROW("closing comment", "a) b", "a) b"),
		ROW("equals sign", "a=b", "a=b"),
		ROW("slash", "ab/c", "ab/c"),
		ROW("empty", "", ""),
		ROW("line end", "a\r\nX-Evil: b", "a??X-Evil: b"),
		ROW("folding", "a\r\n b", "a?? b"),
		ROW("lone CR", "a\rb", "a?b"),
		ROW("lone LF", "a\nb", "a?b"),
		ROW("NUL", "a\0b", "a?b"),
		ROW("DEL", "a\177b", "a?b"),
		ROW("TAB", "a\tb", "a?b"),
		ROW("UTF-8", "j\u00f6@example.com", "j\u00f6@example.com"),
		ROW("four octets", "\U0001f512", "\U0001f512"),
		ROW("C1 control", "a\xc2\x85z", "a??z"),
		ROW("Latin-1", "j\xf6@b", "j?@b"),
		ROW("cut-off UTF-8", "a\xe2\x82", "a??"),
		ROW("overlong", "\xc0\xa2", "??"),
		ROW("overlong three octets", "\xe0\x80\xa2", "???"),
		ROW("surrogate", "\xed\xa0\x80", "???"),
		ROW("beyond Unicode", "\xf4\x90\x80\x80", "????"),
#undef ROW
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_verdict verdict = passed;
		struct reader reader;
		struct resinfo info;
		char *value;

		print_message("  %s\n", rows[i].name);
		verdict.identity = rows[i].input;
		verdict.identity_len = rows[i].len;
		value = write_one(&verdict);
		reader.at = value;
		reader.broken = false;
		expect(&reader, " mx.example.org");
		read_resinfo(&reader, &info);
		assert_false(reader.broken);
		assert_int_equal(info.count, 5);
		assert_string_equal(info.result, "pass");
		assert_string_equal(info.comment, "(2048-bit key");
		assert_string_equal(info.properties[0].value, "example.com");
		assert_string_equal(info.properties[1].name, "header.i");
		assert_string_equal(info.properties[1].value, rows[i].want);
		assert_string_equal(info.properties[4].value, "AbCd12+x");
		check_lines(value, 78);
		free(value);
	}
}

static void
long_values_are_cut_and_marked(void **state)
{
	static const char *const pieces[] = { "a", "\"", "\u00fc", "\r", "a.",
		"@" };
	enum {
		SIZE = 65536
	};
	char *text = malloc(SIZE);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		struct signpost_verdict verdict = passed;
		size_t len = strlen(pieces[i]);
		struct reader reader;
		struct resinfo info;
		char *value;

		for (size_t at = 0; at < SIZE; at++)
			text[at] = pieces[i][at % len];
		verdict.domain = verdict.identity = verdict.selector = text;
		verdict.domain_len = verdict.identity_len = SIZE;
		verdict.selector_len = SIZE;
		verdict.algorithm_name = verdict.b = text;
		verdict.algorithm_name_len = verdict.b_len = SIZE;
		value = write_one(&verdict);
		check_lines(value, 998);
		reader.at = value;
		reader.broken = false;
		expect(&reader, " mx.example.org");
		read_resinfo(&reader, &info);
		assert_false(reader.broken);
		for (size_t p = 0; p < 5; p++) {
			const char *shown = info.properties[p].value;

			assert_true(strlen(shown) <= 323);
			assert_string_equal(shown + strlen(shown) - 3, "...");
		}
		free(value);
	}
	free(text);
}

/* field: A1, A2 */
static void
claims_to_our_id_are_seen(void **state)
{
	static const struct {
		const char *name, *value;
		bool want;
	} rows[] = {
		{ "plain", " mx.example.org; dkim=pass", true },
		{ "no space", "mx.example.org;dkim=pass", true },
		{ "nothing behind", "mx.example.org", true },
		{ "upper case", " MX.Example.ORG; none", true },
		{ "dot at the end", " mx.example.org.; none", true },
		{ "version", " mx.example.org 1; none", true },
		{ "version behind a comment", " mx.example.org(x)1; none",
		    true },
		{ "version with a slash", " mx.example.org/1; none", true },
		{ "quoted", " \"mx.example.org\"; none", true },
		{ "quoted pair", " \"m\\x.example.org\"; none", true },
		{ "quoted with spaces", " \" mx.example.org \"; none", true },
		{ "quote that does not end", " \"mx.example.org; none", true },
		{ "comment first", " (x) mx.example.org; none", true },
		{ "nested comments", " (x(y)\\)z)mx.example.org; none", true },
		{ "comment behind", " mx.example.org(x); none", true },
		{ "folded", "\r\n\tmx.example.org;\r\n\tnone", true },
		{ "folded with a lone LF", "\n\tmx.example.org;\n\tnone",
		    true },
		{ "comment without end", " (mx.example.org; dkim=pass", true },
		{ "control characters first", "\001\002mx.example.org; none",
		    true },
		{ "bracketed", " <mx.example.org>; none", true },
		{ "equals sign behind", " mx.example.org=1; none", true },
		{ "other id", " mx.example.com; dkim=pass", false },
		{ "longer id", " mx.example.org.evil.test; none", false },
		{ "subdomain", " a.mx.example.org; none", false },
		{ "our id in a comment", " (mx.example.org) other.test; none",
		    false },
		{ "our id as a value",
		    " other.test; dkim=pass header.d=mx.example.org", false },
		{ "no id", "dkim=pass header.d=mx.example.org", false },
		/* field: B31 */
		{ "no id, spf first",
		    " spf=pass (sender IP is 192.0.2.1)"
		    " smtp.mailfrom=mx.example.org; dkim=pass",
		    false },
		{ "empty", "", false },
		{ "semicolon first", " ; mx.example.org", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("  %s\n", rows[i].name);
		assert_int_equal(
		    authres_claims(bytes_str(rows[i].value), "mx.example.org"),
		    rows[i].want);
	}
	assert_true(authres_claims(
	    bytes_str(" b\u00fccher.example; none"), "xn--bcher-kva.example"));
	assert_true(authres_claims(
	    bytes_str(" XN--BCHER-KVA.example; none"), "b\u00fccher.example"));
	assert_true(
	    authres_claims(bytes_str(" \"mail hub\"; none"), "Mail Hub"));
	assert_true(
	    authres_claims(bytes_str(" [192.0.2.1]; none"), "[192.0.2.1]"));
	assert_false(authres_claims(bytes_str(" ; none"), ""));
}

/* A comment nested deeper than we read may be read by others. */
static void
comments_cannot_hide_a_claim(void **state)
{
	char value[1200];
	size_t len = 0;

	(void)state;
	memset(value, '(', 500);
	memset(value + 500, ')', 500);
	len = 1000;
	memcpy(value + len, " MX.example.org; none", 22);
	assert_true(authres_claims(bytes_str(value), "mx.example.org"));
	assert_false(authres_claims(bytes_str(value), "mx.example.com"));
}

static void
a_nul_cannot_hide_a_claim(void **state)
{
	static const char bare[] = " mx.example.org\0; none";
	static const char quoted[] = " \"mx.example.org\0\"; none";

	(void)state;
	assert_true(
	    authres_claims(bytes_of(bare, sizeof(bare) - 1), "mx.example.org"));
	assert_true(authres_claims(
	    bytes_of(quoted, sizeof(quoted) - 1), "mx.example.org"));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pass_reads_as_the_manual_shows_it),
		cmocka_unit_test(other_results_say_why),
		cmocka_unit_test(an_identity_left_out_is_that_of_the_domain),
		cmocka_unit_test(no_signature_is_none),
		cmocka_unit_test(
		    signatures_not_looked_at_do_not_make_the_field_endless),
		cmocka_unit_test(an_id_that_is_no_token_is_quoted),
		cmocka_unit_test(values_cannot_break_out),
		cmocka_unit_test(long_values_are_cut_and_marked),
		cmocka_unit_test(claims_to_our_id_are_seen),
		cmocka_unit_test(comments_cannot_hide_a_claim),
		cmocka_unit_test(a_nul_cannot_hide_a_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
