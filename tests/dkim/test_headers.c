/* SPDX-License-Identifier: BSD-2-Clause */
#include "headers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct signpost_headers *
headers_with_room(size_t max_bytes)
{
	struct signpost_headers *headers;

	assert_int_equal(
	    signpost_headers_new(max_bytes, &headers), SIGNPOST_OK);
	return headers;
}

static enum signpost_status
add(struct signpost_headers *headers, const char *name, const char *value)
{
	return signpost_headers_add(
	    headers, name, strlen(name), value, strlen(value));
}

/* An empty value for each name of a list "From:To:..." */
static void
add_names(struct signpost_headers *headers, const char *list)
{
	struct bytes rest = bytes_str(list), name;

	while (bytes_next(&rest, ':', &name))
		assert_int_equal(
		    signpost_headers_add(headers, name.data, name.len, " x", 2),
		    SIGNPOST_OK);
}

static void
fields_are_kept_as_they_came(void **state)
{
	struct signpost_headers *headers = headers_with_room(1000);
	struct field field;

	(void)state;
	assert_int_equal(headers_count(headers), 0);
	assert_int_equal(add(headers, "From", " a@example.com"), SIGNPOST_OK);
	assert_int_equal(add(headers, "Subject \t", "\ta\r\n b "), SIGNPOST_OK);
	assert_int_equal(add(headers, "X", ""), SIGNPOST_OK);
	assert_int_equal(headers_count(headers), 3);
	field = headers_get(headers, 0);
	assert_true(bytes_is(field.name, "From"));
	assert_true(bytes_is(field.colon, ""));
	assert_true(bytes_is(field.value, " a@example.com"));
	field = headers_get(headers, 1);
	assert_true(bytes_is(field.name, "Subject"));
	assert_true(bytes_is(field.colon, " \t"));
	assert_true(bytes_is(field.value, "\ta\r\n b "));
	field = headers_get(headers, 2);
	assert_true(bytes_is(field.value, ""));
	signpost_headers_free(headers);
	signpost_headers_free(NULL);
}

static void
a_lone_lf_of_a_value_counts_as_crlf(void **state)
{
	static const struct {
		const char *input, *want;
	} rows[] = {
		{ "a\n b", "a\r\n b" },
		{ "a\r\n b", "a\r\n b" },
		{ "\n b", "\r\n b" },
		{ "\r\n b\n c\r\n d", "\r\n b\r\n c\r\n d" },
		{ "a\r b", "a\r b" },
		{ "a\r\r\n b", "a\r\r\n b" },
		{ "a\n\n b", "a\r\n\r\n b" },
		{ "a\n", "a\r\n" },
		{ "\n", "\r\n" },
		{ "\r", "\r" },
	};
	struct signpost_headers *headers = headers_with_room(10000);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(add(headers, "X", rows[i].input), SIGNPOST_OK);
		assert_true(
		    bytes_is(headers_get(headers, i).value, rows[i].want));
	}
	/* and none of them ran into another */
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_true(
		    bytes_is(headers_get(headers, i).value, rows[i].want));
	signpost_headers_free(headers);
}

static void
a_field_without_a_name_is_refused(void **state)
{
	struct signpost_headers *headers = headers_with_room(1000);

	(void)state;
	assert_int_equal(add(headers, "", "a"), SIGNPOST_SYNTAX);
	assert_int_equal(add(headers, " \t", "a"), SIGNPOST_SYNTAX);
	assert_int_equal(headers_count(headers), 0);
	signpost_headers_free(headers);
}

static void
fields_beyond_the_cap_are_refused_and_leave_no_trace(void **state)
{
	/* a field of 20 octets, colon and line ends counted */
	static const char fits[] = "12345678\n 1234";
	struct signpost_headers *headers = headers_with_room(59);

	(void)state;
	assert_int_equal(add(headers, "ab", fits), SIGNPOST_OK);
	assert_int_equal(add(headers, "ab", fits), SIGNPOST_OK);
	assert_int_equal(add(headers, "ab", fits), SIGNPOST_LIMIT);
	assert_int_equal(headers_count(headers), 2);
	assert_int_equal(headers_occurrences(headers, bytes_str("ab")), 2);
	/* what is shorter still fits, down to the last octet */
	assert_int_equal(add(headers, "cd", "12345678\n 123"), SIGNPOST_OK);
	assert_int_equal(add(headers, "e", ""), SIGNPOST_LIMIT);
	signpost_headers_reset(headers);
	assert_int_equal(add(headers, "ab", fits), SIGNPOST_OK);
	signpost_headers_free(headers);
}

static void
many_small_fields_meet_the_cap_too(void **state)
{
	struct signpost_headers *headers =
	    headers_with_room(100 * SIGNPOST_FIELD_BYTES);

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(add(headers, "a", ""), SIGNPOST_OK);
	assert_int_equal(add(headers, "a", ""), SIGNPOST_LIMIT);
	assert_int_equal(headers_count(headers), 100);
	signpost_headers_free(headers);
}

static void
sizes_that_would_wrap_are_refused(void **state)
{
	struct signpost_headers *headers = headers_with_room(SIZE_MAX);

	(void)state;
	assert_int_equal(signpost_headers_add(headers, "a", 1, "", SIZE_MAX),
	    SIGNPOST_LIMIT);
	assert_int_equal(add(headers, "a", "b"), SIGNPOST_OK);
	signpost_headers_free(headers);
}

static void
reset_forgets_everything(void **state)
{
	struct signpost_headers *headers = headers_with_room(100000);

	(void)state;
	for (int turn = 0; turn < 3; turn++) {
		assert_int_equal(headers_count(headers), 0);
		assert_int_equal(
		    headers_find_last(headers, bytes_str("a"), SIZE_MAX),
		    SIZE_MAX);
		for (int i = 0; i < 200; i++) {
			char name[16];

			snprintf(name, sizeof name, "h%d", i);
			add_names(headers, name);
		}
		add_names(headers, "a:b:A");
		assert_int_equal(
		    headers_occurrences(headers, bytes_str("a")), 2);
		assert_int_equal(
		    headers_occurrences(headers, bytes_str("H199")), 1);
		signpost_headers_reset(headers);
	}
	signpost_headers_free(headers);
}

static void
fields_are_found_from_the_bottom_whatever_the_case(void **state)
{
	struct signpost_headers *headers = headers_with_room(10000);
	struct bytes name = bytes_str("rECEIVED");

	(void)state;
	add_names(headers, "Received:From:received :RECEIVED:To");
	assert_int_equal(headers_occurrences(headers, name), 3);
	assert_int_equal(headers_occurrences(headers, bytes_str("Cc")), 0);
	assert_int_equal(headers_find_last(headers, name, 5), 3);
	assert_int_equal(headers_find_last(headers, name, 4), 3);
	assert_int_equal(headers_find_last(headers, name, 3), 2);
	assert_int_equal(headers_find_last(headers, name, 2), 0);
	assert_int_equal(headers_find_last(headers, name, 1), 0);
	assert_int_equal(headers_find_last(headers, name, 0), SIZE_MAX);
	assert_int_equal(
	    headers_find_last(headers, bytes_str("Cc"), 5), SIZE_MAX);
	assert_int_equal(
	    headers_find_last(headers, bytes_str("Receive"), 5), SIZE_MAX);
	signpost_headers_free(headers);
}

static void
take(void *ctx, size_t field)
{
	buf_printf(ctx, "%zu ", field);
}

/* The numbers that h= LIST takes of a header, in order. */
static void
expect_choice(
    const char *what, const char *fields, const char *list, const char *want)
{
	struct signpost_headers *headers = headers_with_room(10000);
	struct bytes names[64], rest = bytes_str(list);
	struct buf taken;
	size_t count = 0;

	buf_init(&taken, SIZE_MAX);
	if (*fields != '\0')
		add_names(headers, fields);
	while (count < COUNT(names) && bytes_next(&rest, ':', &names[count]))
		count++;
	assert_int_equal(
	    headers_select(headers, names, count, take, &taken), SIGNPOST_OK);
	if (!bytes_is(buf_bytes(&taken), want))
		fail_msg("%s: took %s", what, taken.data);
	buf_fini(&taken);
	signpost_headers_free(headers);
}

static void
names_take_fields_from_the_bottom(void **state)
{
	static const struct {
		const char *what, *fields, *list, *want;
	} rows[] = {
		{ "in the order of the names", "From:To:Subject",
		    "Subject:From", "2 0 " },
		{ "the lowest first", "A:B:A:A", "A", "3 " },
		{ "repeats climb", "A:B:A:A", "A:B:A", "3 1 2 " },
		{ "oversigned", "A:B:A", "A:A:A:A:B", "2 0 1 " },
		{ "absent", "A", "Z:A:Z", "0 " },
		{ "case of the names", "Subject:SUBJECT",
		    "subject:sUBJECT:SUBJECT", "1 0 " },
		{ "white space before the colon of the field", "Subject \t:To",
		    "To:Subject", "1 0 " },
		{ "no fields", "", "A:B", "" },
		{ "names that begin alike", "Re:Received:R", "R:Re:Received",
		    "2 0 1 " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		expect_choice(
		    rows[i].what, rows[i].fields, rows[i].list, rows[i].want);
}

static void
canonical_fields_keep_or_lose_the_space_before_the_colon(void **state)
{
	struct signpost_headers *headers = headers_with_room(10000);
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	assert_int_equal(add(headers, "Subject \t", " a\n b "), SIGNPOST_OK);
	headers_append_canonical(headers, 0, SIGNPOST_SIMPLE, &out);
	assert_true(bytes_is(buf_bytes(&out), "Subject \t: a\r\n b "));
	buf_clear(&out);
	headers_append_canonical(headers, 0, SIGNPOST_RELAXED, &out);
	assert_true(bytes_is(buf_bytes(&out), "subject:a b"));
	buf_fini(&out);
	signpost_headers_free(headers);
}

static void
count_visit(void *ctx, size_t field)
{
	(void)field;
	++*(size_t *)ctx;
}

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What an attacker sends: ten thousand fields of one name, or of as many names,
 * and the longest h=. A hundred choices stay far below the second that one
 * alone takes where each name looks at each field. */
static void
ten_thousand_fields_cost_little(void **state)
{
	struct bytes names[SIGNPOST_MAX_SIGNED_HEADERS];

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		names[i] = bytes_str("H9999");
	for (int distinct = 0; distinct < 2; distinct++) {
		struct signpost_headers *headers = headers_with_room(1 << 20);
		size_t taken = 0;
		double start = cpu_seconds();

		for (int i = 0; i < 10000; i++) {
			char name[16];

			snprintf(name, sizeof name, "h%d", distinct ? i : 9999);
			assert_int_equal(add(headers, name, " x"), SIGNPOST_OK);
		}
		for (int i = 0; i < 100; i++)
			assert_int_equal(headers_select(headers, names,
					     COUNT(names), count_visit, &taken),
			    SIGNPOST_OK);
		assert_int_equal(
		    taken, 100 * (distinct ? 1 : SIGNPOST_MAX_SIGNED_HEADERS));
		assert_true(cpu_seconds() - start < 1.0);
		signpost_headers_free(headers);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_kept_as_they_came),
		cmocka_unit_test(a_lone_lf_of_a_value_counts_as_crlf),
		cmocka_unit_test(a_field_without_a_name_is_refused),
		cmocka_unit_test(
		    fields_beyond_the_cap_are_refused_and_leave_no_trace),
		cmocka_unit_test(many_small_fields_meet_the_cap_too),
		cmocka_unit_test(sizes_that_would_wrap_are_refused),
		cmocka_unit_test(reset_forgets_everything),
		cmocka_unit_test(
		    fields_are_found_from_the_bottom_whatever_the_case),
		cmocka_unit_test(names_take_fields_from_the_bottom),
		cmocka_unit_test(
		    canonical_fields_keep_or_lose_the_space_before_the_colon),
		cmocka_unit_test(ten_thousand_fields_cost_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
