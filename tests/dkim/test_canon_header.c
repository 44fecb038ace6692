/* SPDX-License-Identifier: BSD-2-Clause */
#include "canon_header.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "canon_reference.h"

struct row {
	const char *what;
	const char *name;
	const char *value;
	const char *relaxed;
};

static const struct row rows[] = {
	/* RFC 6376 section 3.4.5 */
	{ "example of the RFC, first field", "A", " X", "a:X" },
	{ "example of the RFC, second field", "B ", " Y\t\r\n\tZ  ", "b:Y Z" },
	{ "nothing behind the colon", "X-Empty", "", "x-empty:" },
	{ "white space only", "X-Empty", " \t ", "x-empty:" },
	{ "folds only", "X-Empty", "\r\n \r\n\t", "x-empty:" },
	/* field: B1 */
	{ "folded right behind the colon", "Subject", "\r\n hello",
	    "subject:hello" },
	{ "folded with white space on both sides", "Subject",
	    " a \r\n  b\t\r\n\t c", "subject:a b c" },
	{ "a line of white space only at the end", "Subject", " a\r\n ",
	    "subject:a" },
	{ "a line of white space only within", "Subject", " a\r\n \r\n b",
	    "subject:a b" },
	{ "white space before the colon", "Subject \t", "a", "subject:a" },
	{ "letters of the value stay", "SUBJECT", "HELLO", "subject:HELLO" },
	{ "only letters have a lower case", "X@[_\xc3\x84", "a",
	    "x@[_\xc3\x84:a" },
	{ "CRLF that folds nothing stays", "X", " a\r\nb\r\n", "x:a\r\nb\r\n" },
	{ "lone CR and LF stay", "X", " \r a \n\r b\n ", "x:\r a \n\r b\n" },
};

static void
fields_have_the_form_that_the_rfc_gives(void **state)
{
	struct buf got;

	(void)state;
	buf_init(&got, SIZE_MAX);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		buf_clear(&got);
		canon_header(SIGNPOST_RELAXED, bytes_str(rows[i].name),
		    bytes_str(rows[i].value), &got);
		if (!bytes_is(buf_bytes(&got), rows[i].relaxed))
			fail_msg("%s: '%s'", rows[i].what, got.data);
	}
	buf_fini(&got);
}

/* field: B6 */
static void
simple_changes_nothing(void **state)
{
	struct buf got;

	(void)state;
	buf_init(&got, SIZE_MAX);
	canon_header(SIGNPOST_SIMPLE, bytes_str("SubJect \t"),
	    bytes_str("\t a\r\n  b  \r\n "), &got);
	assert_true(bytes_is(buf_bytes(&got), "SubJect \t:\t a\r\n  b  \r\n "));
	buf_fini(&got);
}

static void
fields_are_appended(void **state)
{
	struct buf got;

	(void)state;
	buf_init(&got, SIZE_MAX);
	buf_append_str(&got, "KEEP\r\n");
	canon_header(SIGNPOST_RELAXED, bytes_str("A"), bytes_str(" B "), &got);
	assert_true(bytes_is(buf_bytes(&got), "KEEP\r\na:B"));
	buf_fini(&got);
}

static void
a_full_buffer_stays_full(void **state)
{
	struct buf got;

	(void)state;
	buf_init(&got, 3);
	canon_header(SIGNPOST_RELAXED, bytes_str("ABC"), bytes_str("d"), &got);
	assert_true(got.failed);
	assert_int_equal(got.len, 0);
	buf_fini(&got);
}

static void
every_short_value_is_as_the_reference_has_it(void **state)
{
	static const char alphabet[] = "a \t\r\n";
	struct buf got, want;

	(void)state;
	buf_init(&got, SIZE_MAX);
	buf_init(&want, SIZE_MAX);
	for (size_t len = 0, all = 1; len <= 7; len++, all *= 5)
		for (size_t number = 0; number < 2 * all; number++) {
			enum signpost_canon canon = number % 2 == 0
			    ? SIGNPOST_SIMPLE
			    : SIGNPOST_RELAXED;
			size_t rest = number / 2;
			char value[7];

			for (size_t i = 0; i < len; i++, rest /= 5)
				value[i] = alphabet[rest % 5];
			buf_clear(&got);
			buf_clear(&want);
			canon_header(canon, bytes_str("Name "),
			    bytes_of(value, len), &got);
			reference_header(canon, bytes_str("Name "),
			    bytes_of(value, len), &want);
			assert_true(
			    bytes_equal(buf_bytes(&got), buf_bytes(&want)));
		}
	buf_fini(&got);
	buf_fini(&want);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_have_the_form_that_the_rfc_gives),
		cmocka_unit_test(simple_changes_nothing),
		cmocka_unit_test(fields_are_appended),
		cmocka_unit_test(a_full_buffer_stays_full),
		cmocka_unit_test(every_short_value_is_as_the_reference_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
