/* SPDX-License-Identifier: BSD-2-Clause */
#include "utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void
characters_are_told_from_other_octets(void **state)
{
	static const struct {
		const char *name, *input;
		size_t len, want;
	} rows[] = {
		{ "ASCII", "ab", 2, 1 },
		{ "NUL", "\0", 1, 1 },
		{ "two octets", "\xc3\xbc!", 3, 2 },
		{ "three octets", "\xe2\x82\xac", 3, 3 },
		{ "four octets", "\xf0\x9f\x94\x92", 4, 4 },
		{ "last of all", "\xf4\x8f\xbf\xbf", 4, 4 },
		{ "beyond Unicode", "\xf4\x90\x80\x80", 4, 0 },
		{ "no lead", "\x80", 1, 0 },
		{ "0xff", "\xff", 1, 0 },
		{ "overlong two", "\xc1\xbf", 2, 0 },
		{ "overlong three", "\xe0\x9f\xbf", 3, 0 },
		{ "overlong four", "\xf0\x8f\xbf\xbf", 4, 0 },
		{ "surrogate", "\xed\xa0\x80", 3, 0 },
		{ "before the surrogates", "\xed\x9f\xbf", 3, 3 },
		{ "cut off after one", "\xc3", 1, 0 },
		{ "cut off after two", "\xe2\x82", 2, 0 },
		{ "third octet is ASCII", "\xe2\x82!", 3, 0 },
		{ "fourth octet is ASCII", "\xf0\x9f\x94!", 4, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("  %s\n", rows[i].name);
		assert_int_equal(
		    utf8_character_len(bytes_of(rows[i].input, rows[i].len)),
		    rows[i].want);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_are_told_from_other_octets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
