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
#include "headers.h"
#include "keys.h"
#include "message.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct signpost *handle;
static struct signpost_private_key *rsa, *ed25519;

static struct signpost_private_key *
read_key(const char *text)
{
	struct signpost_private_key *key;

	assert_int_equal(
	    signpost_private_key_read(handle, text, strlen(text), &key),
	    SIGNPOST_OK);
	return key;
}

static int
setup(void **state)
{
	(void)state;
	if (signpost_new(&handle) != SIGNPOST_OK)
		return -1;
	rsa = read_key(RSA_PEM);
	ed25519 = read_key(ED25519_SEED);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	signpost_private_key_unref(rsa);
	signpost_private_key_unref(ed25519);
	signpost_free(handle);
	return 0;
}

static const char *const from_only[] = { "From", NULL };

static struct signpost_sign_options
default_options(void)
{
	return (struct signpost_sign_options){
		.domain = "example.com",
		.selector = "s1",
		.header_canon = SIGNPOST_RELAXED,
		.body_canon = SIGNPOST_RELAXED,
		.headers = from_only,
	};
}

static struct signpost_signer *
new_signer(const struct signpost_headers *headers)
{
	struct signpost_signer *signer;

	assert_int_equal(
	    signpost_signer_new(handle, headers, MESSAGE_NOW, &signer),
	    SIGNPOST_OK);
	return signer;
}

/* The value of the one field that OPTIONS and KEY give; to be freed. */
static char *
sign(const char *fields, const char *body,
    const struct signpost_sign_options *options,
    struct signpost_private_key *key)
{
	struct signpost_headers *headers = message_headers(fields);
	struct signpost_signer *signer = new_signer(headers);
	const char *name, *value;
	char *copy;

	assert_int_equal(
	    signpost_signer_add(signer, options, key), SIGNPOST_OK);
	assert_int_equal(
	    signpost_signer_body(signer, body, strlen(body)), SIGNPOST_OK);
	assert_int_equal(signpost_signer_end_body(signer), SIGNPOST_OK);
	signpost_signer_field(signer, 0, &name, &value);
	assert_null(value);
	assert_int_equal(signpost_signer_sign(signer, 0), SIGNPOST_OK);
	signpost_signer_field(signer, 0, &name, &value);
	assert_string_equal(name, "DKIM-Signature");
	copy = strdup(value);
	assert_non_null(copy);
	signpost_signer_free(signer);
	signpost_headers_free(headers);
	return copy;
}

/* Ed25519 is deterministic: this is the whole field, folds and all. */
static void
the_field_is_written_and_folded_as_documented(void **state)
{
	static const char *const names[] = { "Subject", "To", "List-Id", NULL };
	static const char *const over[] = { "From", "SUBJECT", "Cc", NULL };
	struct signpost_sign_options options = default_options();
	char *value;

	(void)state;
	options.identity = "j doe;=\u00fc@Mail.example.com";
	options.headers = names;
	options.oversign = over;
	options.expire_s = 86400;
	value = sign("From: a@example.com\r\nsubject: x\r\nTo: b\r\nTO: c\r\n",
	    "Hi.\r\n", &options, ed25519);
	assert_string_equal(value,
	    " v=1; a=ed25519-sha256; c=relaxed/relaxed; d=example.com;\r\n"
	    "\ts=s1; t=1700000000; x=1700086400;\r\n"
	    "\ti=j=20doe=3B=3D=C3=BC@mail.example.com; "
	    "h=subject:Subject:TO:To:\r\n"
	    "\tFrom:From:Cc; bh=UrA8rmgY3eNBotmDWtzAmHyn5RyZv8Gea45sNGsP0zw=; "
	    "b=YR2\r\n"
	    "\t1RraXr6UXm7VwTASzQ0tGRvz4sGjWwJNarf+gS7lG9TYJf+cSBg14nTY0Js/"
	    "j9wlj8Mw\r\n"
	    "\tajfaJmRFEmMCIAw==");
	free(value);
}

/* The value of the tag, its folds taken out; to be freed. */
static char *
tag_of(const char *field, const char *tag)
{
	const char *at = field;
	struct buf value;

	do {
		at = strstr(at + 1, tag);
		assert_non_null(at);
	} while (!is_wsp(at[-1]));
	buf_init(&value, SIZE_MAX);
	for (at += strlen(tag); *at != ';' && *at != '\0'; at++) {
		if (strchr("\r\n\t ", *at) == NULL)
			buf_append_char(&value, *at);
	}
	return buf_take_string(&value);
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* field: B13, B14 */
static void
each_name_is_listed_once_for_each_occurrence(void **state)
{
	static const char fields[] = "Received: 1\r\nFROM: a\r\nReceived: 2\r\n"
				     "To : b\r\nSubject:\r\nreceived: 3\r\n"
				     "DKIM-Signature: x\r\nReturn-Path: x\r\n";
	const struct {
		const char *name;
		const char *const *headers, *const *oversign;
		const char *want;
	} rows[] = {
		{ "From only", from_only, NULL, "FROM" },
		{ "no list at all", NULL, NULL, "FROM" },
		{ "From first where it is not asked for", LIST("To"), NULL,
		    "FROM:To" },
		{ "From where it is asked for", LIST("To", "From"), NULL,
		    "To:FROM" },
		{ "what is not there is left out", LIST("From", "Cc"), NULL,
		    "FROM" },
		{ "from the bottom", LIST("From", "Received"), NULL,
		    "FROM:received:Received:Received" },
		/* B13, B15 */
		{ "listed twice", LIST("From", "To", "from", "TO"), NULL,
		    "FROM:To" },
		{ "oversigned", from_only, LIST("From", "To"),
		    "FROM:From:To:To" },
		{ "oversigned without being listed", NULL, LIST("from"),
		    "FROM:from" },
		{ "oversigned twice over", from_only, LIST("From", "FROM"),
		    "FROM:From" },
		{ "oversigned and not there", from_only, LIST("Cc", "cc"),
		    "FROM:Cc" },
		{ "oversigned in lists of two spellings", LIST("from", "tO"),
		    LIST("TO", "froM"), "FROM:from:To:tO" },
		{ "not there, and added by a server", from_only,
		    LIST("date", "Message-Id", "Resent-Date",
			"resent-message-id", "Cc"),
		    "FROM:Cc" },
		{ "asked for", LIST("From", "DKIM-Signature", "Return-Path"),
		    NULL, "FROM:DKIM-Signature:Return-Path" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_sign_options options = default_options();
		char *field, *names;

		options.headers = rows[i].headers;
		options.oversign = rows[i].oversign;
		field = sign(fields, "", &options, ed25519);
		names = tag_of(field, "h=");
		if (strcmp(names, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, names);
		free(names);
		free(field);
	}
}

static void
what_servers_add_is_oversigned_only_where_it_is_there(void **state)
{
	struct signpost_sign_options options = default_options();
	char *field, *names;

	(void)state;
	options.headers = LIST("From", "Date");
	options.oversign = LIST("Date", "MESSAGE-ID");
	field = sign(
	    "From: a\r\nDate: x\r\nmessage-id: y\r\n", "", &options, ed25519);
	names = tag_of(field, "h=");
	assert_string_equal(names, "From:Date:Date:message-id:MESSAGE-ID");
	free(names);
	free(field);
}

/* field: A18 */
static void
names_are_written_as_a_labels_unless_told_otherwise(void **state)
{
	static const struct {
		const char *domain, *selector, *identity;
		bool keep;
		const char *d, *s, *i; /* I is NULL for none */
	} rows[] = {
		{ "Example.COM", "S1.x", NULL, false, "example.com", "s1.x",
		    NULL },
		{ "b\u00fccher.example", "\u00fc", "j@b\u00fccher.example",
		    false, "xn--bcher-kva.example", "xn--tda",
		    "j@xn--bcher-kva.example" },
		{ "b\u00fccher.example", "\u00fc", "j@xn--bcher-kva.example",
		    true, "b\u00fccher.example", "\u00fc",
		    "j@xn--bcher-kva.example" },
		{ "example.com", "s", "@example.com", false, "example.com", "s",
		    "@example.com" },
		{ "example.com", "s", "\"a@b\"@x.example.com", false,
		    "example.com", "s", "\"a@b\"@x.example.com" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_sign_options options = default_options();
		char *field, *tag;

		options.domain = rows[i].domain;
		options.selector = rows[i].selector;
		options.identity = rows[i].identity;
		options.keep_u_labels = rows[i].keep;
		field = sign("From: a\r\n", "", &options, ed25519);
		tag = tag_of(field, "d=");
		assert_string_equal(tag, rows[i].d);
		free(tag);
		tag = tag_of(field, "s=");
		assert_string_equal(tag, rows[i].s);
		free(tag);
		if (rows[i].i == NULL) {
			assert_null(strstr(field, "\ti="));
			assert_null(strstr(field, " i="));
		} else {
			tag = tag_of(field, "i=");
			assert_string_equal(tag, rows[i].i);
			free(tag);
		}
		free(field);
	}
}

static void
what_cannot_be_signed_is_refused(void **state)
{
	const struct {
		const char *name, *fields, *domain, *selector, *identity;
		const char *const *headers, *const *oversign;
		int64_t now, expire_s;
		enum signpost_status want;
	} rows[] = {
		{ "fine", "From: a\r\n", "a.test", "s", NULL, NULL, NULL, 1, 1,
		    SIGNPOST_OK },
		/* field: A16 */
		{ "no From", "To: a\r\n", "a.test", "s", NULL, NULL, NULL, 1, 0,
		    SIGNPOST_SYNTAX },
		{ "d= of one label", "From: a\r\n", "test", "s", NULL, NULL,
		    NULL, 1, 0, SIGNPOST_SYNTAX },
		{ "d= no domain", "From: a\r\n", "a b.test", "s", NULL, NULL,
		    NULL, 1, 0, SIGNPOST_SYNTAX },
		{ "d= with a tag in it", "From: a\r\n", "a.test; x=1", "s",
		    NULL, NULL, NULL, 1, 0, SIGNPOST_SYNTAX },
		{ "empty s=", "From: a\r\n", "a.test", "", NULL, NULL, NULL, 1,
		    0, SIGNPOST_SYNTAX },
		{ "s= no selector", "From: a\r\n", "a.test", "s;t", NULL, NULL,
		    NULL, 1, 0, SIGNPOST_SYNTAX },
		{ "i= elsewhere", "From: a\r\n", "a.test", "s", "x@ba.test",
		    NULL, NULL, 1, 0, SIGNPOST_SYNTAX },
		{ "i= without at sign", "From: a\r\n", "a.test", "s", "a.test",
		    NULL, NULL, 1, 0, SIGNPOST_SYNTAX },
		{ "i= with a line end", "From: a\r\n", "a.test", "s",
		    "x\r\n@a.test", NULL, NULL, 1, 0, SIGNPOST_SYNTAX },
		{ "no field name", "From: a\r\n", "a.test", "s", NULL,
		    LIST("From", "T o"), NULL, 1, 0, SIGNPOST_SYNTAX },
		{ "list of names in one", "From: a\r\n", "a.test", "s", NULL,
		    NULL, LIST("From:To"), 1, 0, SIGNPOST_SYNTAX },
		{ "empty name", "From: a\r\n", "a.test", "s", NULL, NULL,
		    LIST(""), 1, 0, SIGNPOST_SYNTAX },
		{ "before 1970", "From: a\r\n", "a.test", "s", NULL, NULL, NULL,
		    -1, 0, SIGNPOST_SYNTAX },
		{ "negative lifetime", "From: a\r\n", "a.test", "s", NULL, NULL,
		    NULL, 1, -1, SIGNPOST_SYNTAX },
		{ "x= of thirteen digits", "From: a\r\n", "a.test", "s", NULL,
		    NULL, NULL, 1, INT64_C(999999999999), SIGNPOST_SYNTAX },
		{ "absurd lifetime", "From: a\r\n", "a.test", "s", NULL, NULL,
		    NULL, 1, INT64_MAX, SIGNPOST_SYNTAX },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_headers *headers =
		    message_headers(rows[i].fields);
		struct signpost_signer *signer;
		struct signpost_sign_options options = {
			.domain = rows[i].domain,
			.selector = rows[i].selector,
			.identity = rows[i].identity,
			.headers = rows[i].headers,
			.oversign = rows[i].oversign,
			.expire_s = rows[i].expire_s,
		};

		assert_int_equal(
		    signpost_signer_new(handle, headers, rows[i].now, &signer),
		    SIGNPOST_OK);
		if (signpost_signer_add(signer, &options, ed25519) !=
		    rows[i].want)
			fail_msg("%s", rows[i].name);
		assert_int_equal(
		    signpost_signer_count(signer), rows[i].want == SIGNPOST_OK);
		assert_int_equal(signpost_signer_end_body(signer), SIGNPOST_OK);
		signpost_signer_free(signer);
		signpost_headers_free(headers);
	}
}

static void
names_beyond_the_cap_are_refused_not_left_out(void **state)
{
	struct signpost_sign_options options = default_options();

	(void)state;
	options.headers = LIST("From", "X");
	for (size_t count = SIGNPOST_MAX_SIGNED_HEADERS - 1;
	     count <= SIGNPOST_MAX_SIGNED_HEADERS; count++) {
		struct signpost_headers *headers =
		    message_headers("From: a\r\n");
		struct signpost_signer *signer;

		for (size_t i = 0; i < count; i++)
			assert_int_equal(
			    signpost_headers_add(headers, "X", 1, " y", 2),
			    SIGNPOST_OK);
		signer = new_signer(headers);
		assert_int_equal(signpost_signer_add(signer, &options, rsa),
		    count < SIGNPOST_MAX_SIGNED_HEADERS ? SIGNPOST_OK
							: SIGNPOST_LIMIT);
		signpost_signer_free(signer);
		signpost_headers_free(headers);
	}
}

/*
 * Properties: whatever the header looks like and however the body is cut, what
 * is signed verifies, all ten signatures of it, in lines that fit.
 */

static unsigned long random_state;

static unsigned
random_below(unsigned limit)
{
	random_state =
	    random_state * 6364136223846793005UL + 1442695040888963UL;
	return (unsigned)(random_state >> 33) % limit;
}

static const char *
random_of(const char *const *choices, unsigned count)
{
	return choices[random_below(count)];
}

static void
put_random_fields(struct buf *text)
{
	static const char *const names[] = { "From", "from ", "FROM\t", "To",
		"tO", "Subject", "X-Y", "Received", "a", "DKIM-Signature" };
	static const char *const pieces[] = { "", " ", "\t", "\r\n ",
		"\r\n\t\t", "x", "y  z", "\u00fc", "\xff", ":", ";", "  ",
		"\r \n", " \r\n " };
	unsigned fields = 1 + random_below(12);

	buf_append_str(text, "From: a@example.com\r\n");
	for (unsigned i = 0; i < fields; i++) {
		buf_append_str(text, random_of(names, COUNT(names)));
		buf_append_char(text, ':');
		for (unsigned k = random_below(8); k > 0; k--)
			buf_append_str(text, random_of(pieces, COUNT(pieces)));
		buf_append_str(text, "\r\n");
	}
}

static void
put_random_body(struct buf *text)
{
	static const char *const pieces[] = { "\r\n", "\r\n", "\r", "\n", " ",
		"\t", "a", "bc", " \r\n", ".\r\n", "\xc3\xbc", "x y  z\r\n" };

	for (unsigned k = random_below(40); k > 0; k--)
		buf_append_str(text, random_of(pieces, COUNT(pieces)));
	if (random_below(4) == 0)
		buf_append(text, "\0a\0", 3);
}

static struct signpost_sign_options
random_options(unsigned pair)
{
	static const char *const lists[][5] = {
		{ "From", NULL },
		{ "From", "To", "Subject", "X-Y", NULL },
		{ "a", "Received", "from", "Cc", NULL },
		{ NULL },
		/* Not to be oversigned: the other new ones come on top. */
		{ "DKIM-Signature", "From", NULL },
	};
	struct signpost_sign_options options = default_options();

	options.header_canon = pair & 1 ? SIGNPOST_RELAXED : SIGNPOST_SIMPLE;
	options.body_canon = pair & 2 ? SIGNPOST_RELAXED : SIGNPOST_SIMPLE;
	options.headers = lists[random_below(COUNT(lists))];
	options.oversign = lists[random_below(COUNT(lists) - 1)];
	options.expire_s = random_below(2);
	options.identity = random_below(2) ? "u=v@a.example.com" : NULL;
	options.domain = random_below(2) ? "example.com" : "EXAMPLE.com";
	return options;
}

static void
sign_into(struct buf *text, const struct signpost_headers *headers,
    struct bytes body, unsigned pair)
{
	struct signpost_signer *signer = new_signer(headers);
	unsigned count = 1 + random_below(10);
	size_t at = 0;

	for (unsigned i = 0; i < count; i++) {
		struct signpost_sign_options options = random_options(pair + i);

		options.selector = i % 2 == 0 ? "r" : "e";
		assert_int_equal(signpost_signer_add(signer, &options,
				     i % 2 == 0 ? rsa : ed25519),
		    SIGNPOST_OK);
	}
	while (at < body.len) {
		size_t len = 1 + random_below((unsigned)(body.len - at));

		signpost_signer_body(signer, body.data + at, len);
		at += len;
	}
	assert_int_equal(signpost_signer_end_body(signer), SIGNPOST_OK);
	for (unsigned i = 0; i < count; i++) {
		const char *name, *value;

		assert_int_equal(signpost_signer_sign(signer, i), SIGNPOST_OK);
		signpost_signer_field(signer, i, &name, &value);
		buf_printf(text, "%s:%s\r\n", name, value);
		for (const char *line = value; line != NULL;) {
			const char *end = strstr(line, "\r\n");

			assert_true((end == NULL ? strlen(line)
						 : (size_t)(end - line)) <= 76);
			line = end == NULL ? NULL : end + 2;
		}
	}
	signpost_signer_free(signer);
}

static void
check_all_pass(const char *fields, struct bytes body, size_t before)
{
	struct signpost_verify_options options = message_options();
	struct signpost_headers *headers = message_headers(fields);
	struct signpost_text records[2] = { { RSA_RECORD, strlen(RSA_RECORD) },
		{ ED25519_RECORD, strlen(ED25519_RECORD) } };
	struct signpost_key_set *keys;
	struct signpost_verifier *verifier;
	size_t count;

	assert_int_equal(
	    signpost_key_set_parse(handle, records, 2, &keys), SIGNPOST_OK);
	assert_int_equal(signpost_verifier_new(
			     handle, headers, &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	count = signpost_verifier_count(verifier) - before;
	for (size_t i = 0; i < count && i < 10; i++) {
		assert_non_null(signpost_verifier_key_name(verifier, i));
		signpost_verifier_give_key(verifier, i, SIGNPOST_KEY_FOUND,
		    SIGNPOST_DNSSEC_UNKNOWN, keys);
	}
	signpost_verifier_body(verifier, body.data, body.len);
	assert_int_equal(signpost_verifier_end_body(verifier), SIGNPOST_OK);
	for (size_t i = 0; i < count && i < 10; i++) {
		assert_true(signpost_verifier_needs_check(verifier, i));
		signpost_verifier_check(verifier, i);
		if (signpost_verifier_verdict(verifier, i)->result !=
		    SIGNPOST_PASS)
			fail_msg("signature %zu: %s\n%s", i,
			    signpost_reason_token(
				signpost_verifier_verdict(verifier, i)->reason),
			    fields);
	}
	signpost_verifier_free(verifier);
	signpost_key_set_unref(keys);
	signpost_headers_free(headers);
}

/* field: B12 */
static void
what_is_signed_verifies(void **state)
{
	(void)state;
	random_state = 1;
	for (unsigned round = 0; round < 400; round++) {
		struct buf fields, body, text;
		struct signpost_headers *headers;
		size_t before;

		buf_init(&fields, SIZE_MAX);
		buf_init(&body, SIZE_MAX);
		buf_init(&text, SIZE_MAX);
		put_random_fields(&fields);
		put_random_body(&body);
		headers = message_headers(fields.data);
		before =
		    headers_occurrences(headers, bytes_str("DKIM-Signature"));
		sign_into(&text, headers, buf_bytes(&body), round);
		buf_append_bytes(&text, buf_bytes(&fields));
		check_all_pass(text.data, buf_bytes(&body), before);
		signpost_headers_free(headers);
		buf_fini(&fields);
		buf_fini(&body);
		buf_fini(&text);
	}
}

static void
nothing_to_sign_is_no_failure(void **state)
{
	struct signpost_headers *headers = message_headers("From: a\r\n");
	struct signpost_signer *signer = new_signer(headers);

	(void)state;
	assert_int_equal(signpost_signer_body(signer, "x", 1), SIGNPOST_OK);
	assert_int_equal(signpost_signer_end_body(signer), SIGNPOST_OK);
	assert_int_equal(signpost_signer_count(signer), 0);
	signpost_signer_free(signer);
	signpost_signer_free(NULL);
	signpost_headers_free(headers);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_field_is_written_and_folded_as_documented),
		cmocka_unit_test(each_name_is_listed_once_for_each_occurrence),
		cmocka_unit_test(
		    what_servers_add_is_oversigned_only_where_it_is_there),
		cmocka_unit_test(
		    names_are_written_as_a_labels_unless_told_otherwise),
		cmocka_unit_test(what_cannot_be_signed_is_refused),
		cmocka_unit_test(names_beyond_the_cap_are_refused_not_left_out),
		cmocka_unit_test(what_is_signed_verifies),
		cmocka_unit_test(nothing_to_sign_is_no_failure),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
