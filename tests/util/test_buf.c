/* SPDX-License-Identifier: BSD-2-Clause */
#include "buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

/* Under a sanitizer, too, an allocation that can't be is NULL. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void
everything_appended_is_there_and_nul_ended(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, SIZE_MAX);
	buf_append(&buf, "a\0b", 3);
	buf_append_str(&buf, "cd");
	buf_append_char(&buf, 'e');
	buf_append_bytes(&buf, bytes_str("fg"));
	buf_append_bytes(&buf, bytes_of(NULL, 0));
	buf_printf(&buf, "%d-%s", 42, "x");
	assert_false(buf.failed);
	assert_true(
	    bytes_equal(buf_bytes(&buf), bytes_of("a\0bcdefg42-x", 12)));
	assert_int_equal(buf.data[buf.len], '\0');
	buf_fini(&buf);
	assert_null(buf.data);
}

static void
growth_keeps_contents(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, SIZE_MAX);
	for (int i = 0; i < 100000; i++) {
		buf_append_char(&buf, (char)(i % 251));
		assert_int_equal(buf.data[buf.len], '\0');
	}
	assert_int_equal(buf.len, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(buf.data[i], (char)(i % 251));
	buf_fini(&buf);
}

static void
appending_over_the_cap_fails_and_stays_failed(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, 5);
	buf_append_str(&buf, "abc");
	buf_append_str(&buf, "de");
	assert_false(buf.failed);
	buf_append_char(&buf, 'f');
	assert_true(buf.failed);
	buf_truncate(&buf, 0);
	buf_append_char(&buf, 'g');
	buf_append_bytes(&buf, bytes_of("", 0));
	buf_printf(&buf, "h");
	buf_reserve(&buf, 1);
	assert_true(buf.failed);
	assert_int_equal(buf.len, 0);
	buf_clear(&buf);
	assert_false(buf.failed);
	buf_printf(&buf, "%s", "12345");
	assert_true(bytes_is(buf_bytes(&buf), "12345"));
	buf_printf(&buf, "%s", "6");
	assert_true(buf.failed);
	assert_true(bytes_is(buf_bytes(&buf), "12345"));
	buf_fini(&buf);
}

static void
a_cap_of_nothing_holds_nothing(void **state)
{
	struct buf buf;
	char *string;

	(void)state;
	buf_init(&buf, 0);
	buf_append(&buf, "", 0);
	assert_false(buf.failed);
	string = buf_take_string(&buf);
	assert_string_equal(string, "");
	free(string);
	buf_append_char(&buf, 'a');
	assert_true(buf.failed);
	assert_null(buf_take_string(&buf));
	buf_fini(&buf);
}

static void
impossible_sizes_fail_without_wrapping(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, SIZE_MAX);
	buf_append_char(&buf, 'a');
	buf_reserve(&buf, SIZE_MAX);
	assert_true(buf.failed);
	buf_clear(&buf);
	buf_append_char(&buf, 'a');
	buf_reserve(&buf, SIZE_MAX - 1);
	assert_true(buf.failed);
	buf_clear(&buf);
	buf_append_char(&buf, 'a');
	assert_true(bytes_is(buf_bytes(&buf), "a"));
	buf_fini(&buf);
}

static void
out_of_memory_keeps_what_was_there(void **state)
{
	struct buf buf;
	size_t cap;

	(void)state;
	buf_init(&buf, SIZE_MAX);
	buf_append_char(&buf, 'a');
	buf_reserve(&buf, SIZE_MAX / 2);
	assert_true(buf.failed);
	cap = buf.cap;
	buf_append_char(&buf, 'b');
	buf_reserve(&buf, 1000);
	assert_int_equal(buf.cap, cap);
	assert_true(bytes_is(buf_bytes(&buf), "a"));
	assert_null(buf_take_string(&buf));
	buf_fini(&buf);
}

static void
reserved_room_is_not_moved(void **state)
{
	struct buf buf;
	const char *data;

	(void)state;
	buf_init(&buf, SIZE_MAX);
	buf_reserve(&buf, 1000);
	data = buf.data;
	for (int i = 0; i < 1000; i++)
		buf_append_char(&buf, 'x');
	assert_ptr_equal(buf.data, data);
	buf_clear(&buf);
	assert_int_equal(buf.len, 0);
	assert_ptr_equal(buf.data, data);
	buf_cleanse(&buf);
	assert_null(buf.data);
	buf_cleanse(&buf);
}

static void
a_taken_string_leaves_an_empty_buffer(void **state)
{
	struct buf buf;
	char *string;

	(void)state;
	buf_init(&buf, 10);
	buf_append_str(&buf, "hello");
	string = buf_take_string(&buf);
	assert_string_equal(string, "hello");
	assert_int_equal(buf.len, 0);
	assert_int_equal(buf.max, 10);
	free(string);
	buf_append_str(&buf, "again");
	assert_true(bytes_is(buf_bytes(&buf), "again"));
	buf_fini(&buf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_appended_is_there_and_nul_ended),
		cmocka_unit_test(growth_keeps_contents),
		cmocka_unit_test(appending_over_the_cap_fails_and_stays_failed),
		cmocka_unit_test(a_cap_of_nothing_holds_nothing),
		cmocka_unit_test(impossible_sizes_fail_without_wrapping),
		cmocka_unit_test(out_of_memory_keeps_what_was_there),
		cmocka_unit_test(reserved_room_is_not_moved),
		cmocka_unit_test(a_taken_string_leaves_an_empty_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
