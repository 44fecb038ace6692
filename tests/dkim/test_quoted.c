/* SPDX-License-Identifier: BSD-2-Clause */
#include "quoted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void
what_separates_or_is_not_printable_is_encoded(void **state)
{
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "printable", "aZ09!~:<>@\"\\", "aZ09!~:<>@\"\\" },
		{ "separators", ";=|", "=3B=3D=7C" },
		{ "white space", " \t\r\n", "=20=09=0D=0A" },
		{ "beyond ASCII", "\xc3\xbc\x7f\xff", "=C3=BC=7F=FF" },
		{ "nothing", "", "" },
	};
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_clear(&out);
		quoted_append(bytes_str(rows[i].text), &out);
		if (!bytes_is(buf_bytes(&out), rows[i].want))
			fail_msg(
			    "%s: %.*s", rows[i].name, (int)out.len, out.data);
	}
	buf_fini(&out);
}

static void
decoding_leaves_white_space_out_and_refuses_what_is_malformed(void **state)
{
	static const struct {
		const char *name, *text;
		const char *want; /* NULL: malformed */
	} rows[] = {
		{ "as it is", "a|b", "a|b" },
		{ "folded", "a\r\n\tb c", "abc" },
		{ "encoded", "=41=3D=C3", "A=\xc3" },
		{ "lower case", "=3d", NULL },
		{ "cut off", "a=4", NULL },
		{ "folded within", "=\r\n 41", NULL },
		{ "no digits", "=GG", NULL },
	};
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_clear(&out);
		if (quoted_decode(bytes_str(rows[i].text), &out) !=
			(rows[i].want != NULL) ||
		    (rows[i].want != NULL &&
			!bytes_is(buf_bytes(&out), rows[i].want)))
			fail_msg("%s", rows[i].name);
	}
	buf_fini(&out);
}

static void
every_octet_comes_back(void **state)
{
	struct buf encoded, decoded;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)i;
	buf_init(&encoded, SIZE_MAX);
	buf_init(&decoded, SIZE_MAX);
	quoted_append(bytes_of(text, sizeof(text)), &encoded);
	assert_true(quoted_decode(buf_bytes(&encoded), &decoded));
	assert_int_equal(decoded.len, sizeof(text));
	assert_memory_equal(decoded.data, text, sizeof(text));
	buf_fini(&encoded);
	buf_fini(&decoded);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_separates_or_is_not_printable_is_encoded),
		cmocka_unit_test(
		    decoding_leaves_white_space_out_and_refuses_what_is_malformed),
		cmocka_unit_test(every_octet_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
