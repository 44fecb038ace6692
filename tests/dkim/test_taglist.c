/* SPDX-License-Identifier: BSD-2-Clause */
#include "taglist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "buf.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The tags as "name=value|name=value". */
static void
show(const struct taglist *list, struct buf *out)
{
	for (size_t i = 0; i < list->count; i++) {
		if (i > 0)
			buf_append_char(out, '|');
		buf_append_bytes(out, list->tags[i].name);
		buf_append_char(out, '=');
		buf_append_bytes(out, list->tags[i].value);
	}
	buf_append_char(out, '\0');
}

/* field: A22 */
static void
lists_are_read_and_errors_named(void **state)
{
	static const struct {
		const char *name, *input;
		enum taglist_status status;
		const char *want;
	} rows[] = {
		{ "one", "a=1", TAGLIST_OK, "a=1" },
		{ "two", "a=1;b=2", TAGLIST_OK, "a=1|b=2" },
		{ "semicolon at the end", "a=1;", TAGLIST_OK, "a=1" },
		{ "semicolon and space at the end", "a=1; ", TAGLIST_OK,
		    "a=1" },
		{ "semicolon and fold at the end", "a=1;\r\n\t", TAGLIST_OK,
		    "a=1" },
		{ "white space everywhere", " a =\t1 2 \t; b\t= x ", TAGLIST_OK,
		    "a=1 2|b=x" },
		{ "folded everywhere",
		    "\r\n a\r\n\t=\r\n 1\r\n\t;\r\n b\r\n =\r\n 2", TAGLIST_OK,
		    "a=1|b=2" },
		{ "empty value", "a=;b= ;c=1", TAGLIST_OK, "a=|b=|c=1" },
		{ "equals sign in value", "a=b=c==", TAGLIST_OK, "a=b=c==" },
		{ "case counts", "a=1;A=2", TAGLIST_OK, "a=1|A=2" },
		{ "digits and underscores in names", "a_1=1", TAGLIST_OK,
		    "a_1=1" },
		{ "UTF-8 in values", "i=\xc3\xbc@x", TAGLIST_OK,
		    "i=\xc3\xbc@x" },
		{ "empty list", "", TAGLIST_SYNTAX, "" },
		{ "white space only", " \t", TAGLIST_SYNTAX, "" },
		{ "semicolon only", ";", TAGLIST_SYNTAX, "" },
		{ "empty item", "a=1;;b=2", TAGLIST_SYNTAX, "a=1|b=2" },
		{ "two semicolons at the end", "a=1;;", TAGLIST_SYNTAX, "a=1" },
		{ "semicolon first", ";a=1", TAGLIST_SYNTAX, "a=1" },
		{ "no equals sign", "a=1;b;c=3", TAGLIST_SYNTAX, "a=1|c=3" },
		{ "no name", "=1;b=2", TAGLIST_SYNTAX, "b=2" },
		{ "name with a space", "a b=1", TAGLIST_SYNTAX, "" },
		{ "name with a hyphen", "a-b=1", TAGLIST_SYNTAX, "" },
		{ "name with a digit first", "1a=1", TAGLIST_SYNTAX, "" },
		{ "name beyond ASCII", "\xc3\xbc=1", TAGLIST_SYNTAX, "" },
		{ "control character", "a=1\x01;b=2", TAGLIST_SYNTAX,
		    "a=1\x01|b=2" },
		{ "delete", "a=1\x7f", TAGLIST_SYNTAX, "a=1\x7f" },
		{ "lone CR", "a=1\r 2", TAGLIST_SYNTAX, "a=1\r 2" },
		{ "lone LF", "a=1\n 2", TAGLIST_SYNTAX, "a=1\n 2" },
		{ "CRLF without white space behind", "a=1\r\n;b=2",
		    TAGLIST_SYNTAX, "a=1|b=2" },
		{ "repeated", "a=1;b=2;a=3", TAGLIST_REPEATED, "a=1|b=2" },
		{ "repeated with equal values", "a=1;a=1", TAGLIST_REPEATED,
		    "a=1" },
		{ "unknown and repeated", "zz=1;zz=2", TAGLIST_REPEATED,
		    "zz=1" },
		{ "the first error counts", "a=1;a=1;;", TAGLIST_REPEATED,
		    "a=1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct taglist list;
		struct buf shown;
		enum taglist_status status =
		    taglist_parse(bytes_str(rows[i].input), &list);

		buf_init(&shown, SIZE_MAX);
		show(&list, &shown);
		if (status != rows[i].status ||
		    strcmp(shown.data, rows[i].want) != 0)
			fail_msg("%s: %d, %s", rows[i].name, (int)status,
			    shown.data);
		buf_fini(&shown);
	}
}

static void
a_nul_is_an_error(void **state)
{
	struct taglist list;

	(void)state;
	assert_int_equal(
	    taglist_parse(bytes_of("a=1\0;b=2", 8), &list), TAGLIST_SYNTAX);
}

/* 64 tags are read; whatever comes behind them is neither read nor searched. */
static void
tags_beyond_the_cap_are_an_error(void **state)
{
	struct taglist list;
	struct buf text;

	(void)state;
	buf_init(&text, SIZE_MAX);
	for (unsigned i = 0; i < TAGLIST_MAX_TAGS; i++)
		buf_printf(&text, "t%u=%u;", i, i);
	assert_int_equal(taglist_parse(buf_bytes(&text), &list), TAGLIST_OK);
	for (unsigned i = 0; i < 10000; i++)
		buf_printf(&text, "u%u=1;", i);
	assert_int_equal(
	    taglist_parse(buf_bytes(&text), &list), TAGLIST_SYNTAX);
	assert_int_equal(list.count, TAGLIST_MAX_TAGS);
	buf_fini(&text);
}

static void
raw_is_all_between_the_equals_sign_and_the_semicolon(void **state)
{
	struct taglist list;
	const char *text = "bh=x;b=\r\n\ty z \t;xb=w";

	(void)state;
	assert_int_equal(taglist_parse(bytes_str(text), &list), TAGLIST_OK);
	assert_ptr_equal(taglist_get(&list, "b")->raw.data, text + 7);
	assert_int_equal(taglist_get(&list, "b")->raw.len, 8);
	assert_null(taglist_get(&list, "B"));
	assert_null(taglist_get(&list, "h"));
}

static void
numbers_are_digits_only_and_stop_at_the_largest(void **state)
{
	static const struct {
		const char *input;
		bool good;
		uint64_t want;
	} rows[] = {
		{ "0", true, 0 },
		{ "0012", true, 12 },
		{ "999", true, 999 },
		{ "1000", true, 1000 },
		{ "1001", true, 1000 },
		{ "99999", true, 1000 },
		{ "100000", false, 0 },
		{ "", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ "1 2", false, 0 },
		{ "0x1", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t number = 0;
		bool good =
		    taglist_number(bytes_str(rows[i].input), 5, 1000, &number);

		if (good != rows[i].good || number != rows[i].want)
			fail_msg("%s", rows[i].input);
	}
}

static void
the_largest_number_of_all_is_not_overrun(void **state)
{
	uint64_t number = 0;

	(void)state;
	assert_true(taglist_number(
	    bytes_str("18446744073709551615"), 76, UINT64_MAX, &number));
	assert_true(number == UINT64_MAX);
	assert_true(taglist_number(
	    bytes_str("18446744073709551616"), 76, UINT64_MAX, &number));
	assert_true(number == UINT64_MAX);
	assert_true(taglist_number(
	    bytes_str("18446744073709551614"), 76, UINT64_MAX, &number));
	assert_true(number == UINT64_MAX - 1);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_and_errors_named),
		cmocka_unit_test(a_nul_is_an_error),
		cmocka_unit_test(tags_beyond_the_cap_are_an_error),
		cmocka_unit_test(
		    raw_is_all_between_the_equals_sign_and_the_semicolon),
		cmocka_unit_test(
		    numbers_are_digits_only_and_stop_at_the_largest),
		cmocka_unit_test(the_largest_number_of_all_is_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
