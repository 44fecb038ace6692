/* SPDX-License-Identifier: BSD-2-Clause */
#include "bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct pair {
	const char *a;
	const char *b;
	bool equal;
	bool equal_nocase;
};

static const struct pair pairs[] = {
	{ "", "", true, true },
	{ "a", "", false, false },
	{ "From", "From", true, true },
	{ "From", "fROM", false, true },
	{ "From", "Fron", false, false },
	{ "From", "Fro", false, false },
	{ "Fro", "From", false, false },
	{ "@[`{", "@[`{", true, true },
	/* the neighbours of the letters have no other case */
	{ "@", "`", false, false },
	{ "[", "{", false, false },
	{ "\xc3\x84", "\xc3\xa4", false, false },
};

static void
comparison_folds_ascii_letters_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct bytes a = bytes_str(pairs[i].a);
		struct bytes b = bytes_str(pairs[i].b);

		assert_int_equal(bytes_equal(a, b), pairs[i].equal);
		assert_int_equal(
		    bytes_equal_nocase(a, b), pairs[i].equal_nocase);
		assert_int_equal(bytes_is(a, pairs[i].b), pairs[i].equal);
		assert_int_equal(
		    bytes_is_nocase(a, pairs[i].b), pairs[i].equal_nocase);
	}
}

static void
nul_is_an_octet_like_any_other(void **state)
{
	(void)state;
	assert_false(bytes_equal(bytes_of("a\0b", 3), bytes_of("a\0c", 3)));
	assert_true(
	    bytes_equal_nocase(bytes_of("a\0b", 3), bytes_of("A\0B", 3)));
	assert_true(bytes_equal(bytes_of(NULL, 0), bytes_of("", 0)));
	assert_true(bytes_is(bytes_of(NULL, 0), ""));
	assert_false(bytes_is(bytes_of("a\0", 2), "a"));
	assert_false(bytes_is_nocase(bytes_of("a\0", 2), "a"));
}

static void
trim_takes_white_space_off_both_ends(void **state)
{
	static const struct {
		const char *input, *want;
	} rows[] = {
		{ "", "" },
		{ " \t\r\n", "" },
		{ "a", "a" },
		{ " a", "a" },
		{ "a\r\n", "a" },
		{ "\t a b \r\n ", "a b" },
		{ "\v a \f", "\v a \f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_true(bytes_is(
		    bytes_trim(bytes_str(rows[i].input)), rows[i].want));
}

static void
next_cuts_at_each_delimiter(void **state)
{
	static const struct {
		const char *input;
		size_t parts;
		const char *want[4];
	} rows[] = {
		{ "", 1, { "" } },
		{ "a", 1, { "a" } },
		{ ":", 2, { "", "" } },
		{ "a:", 2, { "a", "" } },
		{ ":a", 2, { "", "a" } },
		{ "a:b::c", 4, { "a", "b", "", "c" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct bytes rest = bytes_str(rows[i].input);
		struct bytes part;
		size_t n = 0;

		while (bytes_next(&rest, ':', &part)) {
			assert_true(n < rows[i].parts);
			assert_true(bytes_is(part, rows[i].want[n]));
			n++;
		}
		assert_int_equal(n, rows[i].parts);
		assert_false(bytes_next(&rest, ':', &part));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparison_folds_ascii_letters_only),
		cmocka_unit_test(nul_is_an_octet_like_any_other),
		cmocka_unit_test(trim_takes_white_space_off_both_ends),
		cmocka_unit_test(next_cuts_at_each_delimiter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
