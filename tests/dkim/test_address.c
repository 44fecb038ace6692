/* SPDX-License-Identifier: BSD-2-Clause */
#include "address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define A10(s)	     s s s s s s s s s s
#define LABEL63	     A10("abcdef") "abc"

static void
domains_become_ascii_or_are_refused(void **state)
{
	static const struct {
		const char *name, *input, *want; /* NULL: refused */
	} rows[] = {
		{ "plain", "example.com", "example.com" },
		{ "upper case", "EXAMPLE.Com", "example.com" },
		{ "dot at the end", "example.com.", "example.com" },
		{ "one label", "localhost", "localhost" },
		{ "underscores", "_x.a_b.example.com", "_x.a_b.example.com" },
		{ "digits", "1.2.3.4", "1.2.3.4" },
		{ "U-label", "b\u00fccher.example", "xn--bcher-kva.example" },
		{ "U-label, upper", "B\u00dcCHER.example",
		    "xn--bcher-kva.example" },
		{ "decomposed", "bu\u0308cher.example",
		    "xn--bcher-kva.example" },
		{ "not transitional", "fa\u00df.example",
		    "xn--fa-hia.example" },
		{ "A-label", "XN--Bcher-KVA.example", "xn--bcher-kva.example" },
		{ "A-label outside IDNA2008", "xn--i-7iq.example",
		    "xn--i-7iq.example" },
		{ "underscore and U-label", "_s.b\u00fccher.example",
		    "_s.xn--bcher-kva.example" },
		{ "ideographic full stop", "example\u3002com", "example.com" },
		{ "63 octets", LABEL63 ".com", LABEL63 ".com" },
		{ "64 octets", LABEL63 "d.com", NULL },
		{ "253 octets",
		    LABEL63 "." LABEL63 "." LABEL63 "." A10("abcdef") "a",
		    LABEL63 "." LABEL63 "." LABEL63 "." A10("abcdef") "a" },
		{ "254 octets",
		    LABEL63 "." LABEL63 "." LABEL63 "." A10("abcdef") "ab",
		    NULL },
		{ "empty", "", NULL },
		{ "a dot", ".", NULL },
		{ "two dots at the end", "example.com..", NULL },
		{ "empty label", "example..com", NULL },
		{ "dot first", ".example.com", NULL },
		{ "empty label beside a U-label", "b\u00fccher..example",
		    NULL },
		{ "path", "../example.com", NULL },
		{ "slash", "a/b.example.com", NULL },
		{ "slash by mapping", "a\uff0fb.example.com", NULL },
		{ "at sign by mapping", "a\uff20b.example.com", NULL },
		{ "space", "example .com", NULL },
		{ "line end", "example.com\n", NULL },
		{ "hyphen first", "-example.com", NULL },
		{ "hyphen last", "example-.com", NULL },
		{ "literal", "[192.0.2.1]", NULL },
		{ "not UTF-8",
		    "b\xfc"
		    "cher.example",
		    NULL },
		{ "not Punycode", "xn--zzzzzzzzz99999.example", NULL },
		{ "A-label of nothing", "xn--.example", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char out[DOMAIN_SIZE] = "untouched";
		bool ok = domain_to_ascii(bytes_str(rows[i].input), out);

		print_message("  %s\n", rows[i].name);
		assert_int_equal(ok, rows[i].want != NULL);
		assert_string_equal(out, ok ? rows[i].want : "untouched");
	}
}

static void
a_nul_does_not_end_a_domain(void **state)
{
	static const char ascii[] = "example.com\0.test";
	static const char unicode[] = "b\u00fccher.example\0.test";
	char out[DOMAIN_SIZE];

	(void)state;
	assert_false(domain_to_ascii(bytes_of(ascii, sizeof(ascii) - 1), out));
	assert_false(
	    domain_to_ascii(bytes_of(unicode, sizeof(unicode) - 1), out));
}

static void
domains_are_compared_as_domains(void **state)
{
	static const struct {
		const char *a, *b;
		bool want;
	} rows[] = {
		{ "example.com", "EXAMPLE.COM.", true },
		{ "b\u00fccher.example", "xn--bcher-kva.example", true },
		{ "example.com", "example.org", false },
		{ "example.com", "xexample.com", false },
		{ "", "", false },
		{ "a b", "a b", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
		    domain_equal(bytes_str(rows[i].a), bytes_str(rows[i].b)),
		    rows[i].want);
	assert_true(domain_is_under("example.com", "example.com"));
	assert_true(domain_is_under("a.b.example.com", "example.com"));
	assert_false(domain_is_under("notexample.com", "example.com"));
	assert_false(domain_is_under("com", "example.com"));
}

struct address_row {
	const char *name, *input;
	const char *local, *domain; /* NULL: broken */
	size_t count;
};

static const struct address_row from_rows[] = {
	{ "bare", "joe@example.com", "joe", "example.com", 1 },
	{ "leading space", " joe@example.com", "joe", "example.com", 1 },
	{ "brackets", "<joe@example.com>", "joe", "example.com", 1 },
	{ "name", "Joe <joe@example.com>", "joe", "example.com", 1 },
	{ "name with a dot", "Joe Q. Public <joe@example.com>", "joe",
	    "example.com", 1 },
	{ "quoted name", "\"Joe\" <joe@example.com>", "joe", "example.com", 1 },
	{ "address in a quoted name", "\"bank@example.org\" <joe@example.com>",
	    "joe", "example.com", 1 },
	{ "whole mailbox in a quoted name",
	    "\"<bank@example.org>,\" <joe@example.com>", "joe", "example.com",
	    1 },
	{ "escaped quote", "\"a\\\" <b@example.org>, \" <joe@example.com>",
	    "joe", "example.com", 1 },
	{ "address in a comment",
	    "(bank@example.org) joe@example.com (<x@example.org>)", "joe",
	    "example.com", 1 },
	{ "nested comments", "joe(a(b\\)c)d)@(x@example.org)example.com", "joe",
	    "example.com", 1 },
	{ "comment in the domain", "joe@example(@example.org).com", "joe",
	    "example.com", 1 },
	{ "encoded word is not decoded",
	    "=?utf-8?q?bank=40example=2Eorg?= <joe@example.com>", "joe",
	    "example.com", 1 },
	{ "brackets in a name", "CI [main] <joe@example.com>", "joe",
	    "example.com", 1 },
	{ "quoted local part", "\"joe @ home\"@example.com", "\"joe @ home\"",
	    "example.com", 1 },
	{ "quoted at sign", "\"x@example.org\"@example.com",
	    "\"x@example.org\"", "example.com", 1 },
	{ "obsolete local part", "joe . \"q\" . p@example.com", "joe.\"q\".p",
	    "example.com", 1 },
	{ "obsolete domain", "joe@example . com", "joe", "example.com", 1 },
	{ "dots that RFC 5322 has not", "joe..p.@example.com", "joe..p.",
	    "example.com", 1 },
	{ "route", "<@a.example,,@b.example:joe@example.com>", "joe",
	    "example.com", 1 },
	{ "folded", "Joe\r\n\t<joe@\r\n example.com>", "joe", "example.com",
	    1 },
	{ "folded quoted string", "\"Joe\r\n Public\"@example.com",
	    "\"Joe Public\"", "example.com", 1 },
	{ "UTF-8", "J\u00f6 <j\u00f6@b\u00fccher.example>", "j\u00f6",
	    "b\u00fccher.example", 1 },
	{ "Latin-1 name", "J\xf6 <joe@example.com>", "joe", "example.com", 1 },
	{ "literal", "joe@[192.0.2.1]", "joe", "[192.0.2.1]", 1 },
	{ "IPv6 literal, folded", "joe@[ IPv6:2001:db8::1\r\n ]", "joe",
	    "[IPv6:2001:db8::1]", 1 },
	{ "address in a literal", "joe@[ann@example.org]", NULL, NULL, 0 },
	{ "literal without end", "joe@[192.0.2.1", NULL, NULL, 0 },
	{ "two", "joe@example.com, ann@example.org", "joe", "example.com", 2 },
	{ "two with names", "A <joe@example.com>,\r\n B <ann@example.org>",
	    "joe", "example.com", 2 },
	{ "empty elements", " , ,joe@example.com,,", "joe", "example.com", 1 },
	{ "group", "Us: joe@example.com, ann@example.org;", "joe",
	    "example.com", 2 },
	{ "group and mailbox", "Us:;, joe@example.com", "joe", "example.com",
	    1 },
	{ "group with a space before its colon", "Us : joe@example.com ; ",
	    "joe", "example.com", 1 },
	{ "address as its own name", "joe@EXAMPLE.com <joe@example.com>", "joe",
	    "example.com", 1 },
	{ "address of another domain as name",
	    "bank@example.org <joe@example.com>", NULL, NULL, 0 },
	{ "two at signs", "joe@example.com@example.org", NULL, NULL, 0 },
	{ "two bracketed", "<joe@example.com><ann@example.org>", NULL, NULL,
	    0 },
	{ "no comma", "joe@example.com ann@example.org", NULL, NULL, 0 },
	{ "bare then words", "joe@example.com Joe", NULL, NULL, 0 },
	{ "brackets in brackets", "<<joe@example.com>>", NULL, NULL, 0 },
	{ "semicolon", "joe@example.com; ann@example.org", NULL, NULL, 0 },
	{ "group in a group", "A: B: joe@example.com;;", NULL, NULL, 0 },
	{ "group without end", "A: joe@example.com", NULL, NULL, 0 },
	{ "mailbox behind a group without comma", "A:; joe@example.com", NULL,
	    NULL, 0 },
	{ "empty group", "undisclosed-recipients:;", NULL, NULL, 0 },
	{ "empty", "", NULL, NULL, 0 },
	{ "spaces", "   ", NULL, NULL, 0 },
	{ "name alone", "Joe", NULL, NULL, 0 },
	{ "unquoted comma in a name", "Public, Joe <joe@example.com>", NULL,
	    NULL, 0 },
	{ "no local part", "@example.com", NULL, NULL, 0 },
	{ "no local part in brackets", "<@example.com>", NULL, NULL, 0 },
	{ "dots for a local part", "..@example.com", NULL, NULL, 0 },
	{ "no domain", "joe@", NULL, NULL, 0 },
	{ "null", "<>", NULL, NULL, 0 },
	{ "open bracket", "<joe@example.com", NULL, NULL, 0 },
	{ "open quote", "\"Joe <joe@example.com>", NULL, NULL, 0 },
	{ "open comment", "joe@example.com (", NULL, NULL, 0 },
	{ "stray parenthesis", "joe@example.com )", NULL, NULL, 0 },
	{ "backslash last", "\"joe\\", NULL, NULL, 0 },
	{ "local part of two words", "joe public@example.com", NULL, NULL, 0 },
	{ "broken second mailbox", "joe@example.com, ann@", NULL, NULL, 0 },
	{ "lone CR", "joe@example.com\r, ann@example.org", NULL, NULL, 0 },
	{ "CRLF without white space", "joe@example.com\r\nX: y", NULL, NULL,
	    0 },
	{ "control character", "j\001oe@example.com", NULL, NULL, 0 },
};

static void
check_address(const struct address_row *row, bool ok, struct address address,
    size_t count)
{
	print_message("  %s\n", row->name);
	assert_int_equal(ok, row->domain != NULL);
	assert_int_equal(count, row->count);
	if (!ok)
		return;
	assert_int_equal(address.local.len, strlen(row->local));
	assert_memory_equal(address.local.data, row->local, address.local.len);
	assert_int_equal(address.domain.len, strlen(row->domain));
	assert_memory_equal(
	    address.domain.data, row->domain, address.domain.len);
}

static void
the_first_mailbox_of_a_from_is_found(void **state)
{
	struct buf scratch;

	(void)state;
	buf_init(&scratch, SIZE_MAX);
	for (size_t i = 0; i < COUNT(from_rows); i++) {
		struct address address;
		size_t count;
		bool ok = address_from_field(
		    bytes_str(from_rows[i].input), &scratch, &address, &count);

		check_address(&from_rows[i], ok, address, count);
	}
	buf_fini(&scratch);
}

static void
a_nul_does_not_end_an_address(void **state)
{
	static const char *const values[] = { "joe@example.com_.example.org",
		"\"_\" <joe@example.com>", "(_) joe@example.com",
		"j_oe@example.com", "joe@[_]" };
	struct buf scratch;

	(void)state;
	buf_init(&scratch, SIZE_MAX);
	for (size_t i = 0; i < COUNT(values); i++) {
		char value[64];
		struct address address;
		size_t count, len = strlen(values[i]);

		memcpy(value, values[i], len);
		*(char *)memchr(value, '_', len) = '\0';
		assert_false(address_from_field(
		    bytes_of(value, len), &scratch, &address, &count));
	}
	buf_fini(&scratch);
}

static const struct address_row path_rows[] = {
	{ "brackets", "<joe@example.com>", "joe", "example.com", 0 },
	{ "bare", "joe@example.com", "joe", "example.com", 0 },
	{ "spaces around", " <joe@example.com> ", "joe", "example.com", 0 },
	{ "route", "<@a.example,@b.example:joe@example.com>", "joe",
	    "example.com", 0 },
	{ "quoted", "<\"a@example.org\"@example.com>", "\"a@example.org\"",
	    "example.com", 0 },
	{ "escaped quote", "<\"a\\\"@b\"@example.com>", "\"a\\\"@b\"",
	    "example.com", 0 },
	{ "UTF-8", "<j\u00f6@b\u00fccher.example>", "j\u00f6",
	    "b\u00fccher.example", 0 },
	{ "null", "<>", NULL, NULL, 0 },
	{ "empty", "", NULL, NULL, 0 },
	{ "local part alone", "<joe>", NULL, NULL, 0 },
	{ "no domain", "<joe@>", NULL, NULL, 0 },
	{ "no local part", "<@example.com>", NULL, NULL, 0 },
	{ "two at signs", "<joe@example.com@example.org>", NULL, NULL, 0 },
	{ "open quote", "<\"joe@example.com>", NULL, NULL, 0 },
	{ "open bracket", "<joe@example.com", NULL, NULL, 0 },
	{ "parameter behind", "<joe@example.com> SIZE=1", NULL, NULL, 0 },
	{ "line end", "<joe@example.com\r\nX>", NULL, NULL, 0 },
};

static void
envelope_paths_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(path_rows); i++) {
		struct address address;
		bool ok =
		    address_from_path(bytes_str(path_rows[i].input), &address);

		check_address(&path_rows[i], ok, address, 0);
	}
}

/* What takes long when a reader starts over: a megabyte of each piece must be
 * done within a second of CPU time. */
static void
long_values_take_linear_time(void **state)
{
	static const char *const pieces[] = { "(", "\"", "<", "a ", "a,", ",",
		"a@b,", "a@b.", "\\", "()", "(a)", ".", "\"\\", "<@a,", "A:;,",
		"\r\n ", "a@[", "\xc3\xbc", "a@b <a@b>, " };
	enum {
		SIZE = 1 << 20
	};
	char *value = malloc(SIZE);
	struct buf scratch;

	(void)state;
	assert_non_null(value);
	buf_init(&scratch, SIZE_MAX);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		size_t len = strlen(pieces[i]), count;
		struct address address;
		clock_t start = clock();

		for (size_t at = 0; at < SIZE; at++)
			value[at] = pieces[i][at % len];
		address_from_field(
		    bytes_of(value, SIZE), &scratch, &address, &count);
		address_from_path(bytes_of(value, SIZE), &address);
		assert_true(clock() - start < CLOCKS_PER_SEC);
	}
	buf_fini(&scratch);
	free(value);
}

/* Each mailbox as "local@domain", with a space behind it. */
static void
all_mailboxes_of_a_from_are_listed_as_far_as_they_fit(void **state)
{
	static const struct {
		const char *from;
		size_t max, count;
		const char *want;
	} rows[] = {
		{ "a@b.example", 8, 1, "a@b.example " },
		{ "A <a@b.example>, \"B, c\" <d@e.example>,f@g.example", 8, 3,
		    "a@b.example d@e.example f@g.example " },
		{ "g: a@b.example, d@e.example;, f@g.example", 8, 3,
		    "a@b.example d@e.example f@g.example " },
		{ "a@b.example, d@e.example, f@g.example", 2, 3,
		    "a@b.example d@e.example " },
		{ "1@a,2@a,3@a,4@a,5@a,6@a,7@a,8@a,9@a", 8, 9,
		    "1@a 2@a 3@a 4@a 5@a 6@a 7@a 8@a " },
		{ "a@b.example, broken@", 8, 0, NULL },
	};
	struct address addresses[ADDRESS_MAX_LISTED];
	struct buf scratch;
	char got[256];

	(void)state;
	buf_init(&scratch, SIZE_MAX);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t count, used = 0;
		bool ok = address_list_from_field(bytes_str(rows[i].from),
		    &scratch, addresses, rows[i].max, &count);

		assert_int_equal(ok, rows[i].want != NULL);
		assert_int_equal(count, rows[i].count);
		for (size_t j = 0; j < count && j < rows[i].max; j++)
			used += (size_t)snprintf(got + used, sizeof(got) - used,
			    "%.*s@%.*s ", (int)addresses[j].local.len,
			    addresses[j].local.data,
			    (int)addresses[j].domain.len,
			    addresses[j].domain.data);
		if (ok)
			assert_string_equal(got, rows[i].want);
	}
	buf_fini(&scratch);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_become_ascii_or_are_refused),
		cmocka_unit_test(a_nul_does_not_end_a_domain),
		cmocka_unit_test(domains_are_compared_as_domains),
		cmocka_unit_test(the_first_mailbox_of_a_from_is_found),
		cmocka_unit_test(
		    all_mailboxes_of_a_from_are_listed_as_far_as_they_fit),
		cmocka_unit_test(a_nul_does_not_end_an_address),
		cmocka_unit_test(envelope_paths_are_read),
		cmocka_unit_test(long_values_take_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
