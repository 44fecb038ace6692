/* SPDX-License-Identifier: BSD-2-Clause */
#include "hazards.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
	LIMIT = 998,
	LONG = HAZARD_BIT(HAZARD_LONG_LINE),
	BARE = HAZARD_BIT(HAZARD_BARE_LINE_END),
	NUL = HAZARD_BIT(HAZARD_NUL),
	HIGH = HAZARD_BIT(HAZARD_8BIT),
};

/* The same by the octet, and by the definition. */
static unsigned
reference(const char *data, size_t len, size_t limit)
{
	unsigned found = 0;
	size_t line = 0;

	for (size_t i = 0; i < len; i++) {
		bool after_cr = i > 0 && data[i - 1] == '\r';
		bool before_lf = i + 1 < len && data[i + 1] == '\n';

		if ((data[i] == '\r' && !before_lf) ||
		    (data[i] == '\n' && !after_cr))
			found |= BARE;
		if (data[i] == '\0')
			found |= NUL;
		if ((unsigned char)data[i] > 127)
			found |= HIGH;
		/* Room for two octets that end the line. */
		line++;
		if (line > limit + (data[i] == '\n' ? 2 : 1) ||
		    (line > limit && data[i] != '\n' && i + 1 == len))
			found |= LONG;
		if (data[i] == '\n')
			line = 0;
	}
	return found;
}

/* Hands over a copy of its own, so that the sanitizer sees a look at what is
 * before or behind it. */
static void
update_copy(struct hazard_scan *scan, const char *data, size_t len)
{
	char *copy = malloc(len > 0 ? len : 1);

	assert_non_null(copy);
	memcpy(copy, data, len);
	hazard_scan_update(scan, copy, len);
	free(copy);
}

static unsigned
scan_whole(const char *data, size_t len)
{
	struct hazard_scan scan;

	hazard_scan_init(&scan, LIMIT);
	update_copy(&scan, data, len);
	return hazard_scan_final(&scan);
}

static void
every_short_text_cut_in_every_way(void **state)
{
	static const char alphabet[] = { 'a', '\r', '\n', '\0', '\x80' };

	(void)state;
	for (size_t len = 0, all = 1; len <= 6; len++, all *= 5)
		for (size_t number = 0; number < all; number++) {
			char in[6];
			size_t rest = number;

			for (size_t i = 0; i < len; i++, rest /= 5)
				in[i] = alphabet[rest % 5];
			unsigned want = reference(in, len, 2);
			for (unsigned cuts = 0; cuts < 1U << len; cuts++) {
				struct hazard_scan scan;
				size_t from = 0;

				hazard_scan_init(&scan, 2);
				for (size_t i = 0; i < len; i++)
					if ((cuts >> i & 1) != 0 ||
					    i + 1 == len) {
						update_copy(&scan, in + from,
						    i + 1 - from);
						from = i + 1;
					}
				assert_int_equal(
				    hazard_scan_final(&scan), want);
			}
		}
}

/* Lines about as long as they may be, with what may be found strewn in. */
static size_t
random_text(char *text, size_t max)
{
	static const char *const ends[] = { "\r\n", "\r\n", "\r\n", "\r\n",
		"\n", "\r", "" };
	size_t len = 0;

	for (int lines = rand() % 6; lines-- > 0;) {
		size_t line = rand() % 3 == 0 ? 996 + (size_t)rand() % 6
					      : (size_t)rand() % 120;
		const char *end = ends[(size_t)rand() % 7];

		if (len + line + 2 > max)
			break;
		memset(text + len, 'x', line);
		if (line > 0 && rand() % 12 == 0)
			text[len + (size_t)rand() % line] = '\0';
		if (line > 0 && rand() % 12 == 0)
			text[len + (size_t)rand() % line] = '\xe4';
		len += line;
		memcpy(text + len, end, strlen(end));
		len += strlen(end);
	}
	return len;
}

static void
any_cutting_finds_the_same(void **state)
{
	static char text[8192];
	unsigned seen[HAZARDS] = { 0 };

	(void)state;
	srand(6376);
	for (int round = 0; round < 20000; round++) {
		size_t len = random_text(text, sizeof text);
		unsigned want = reference(text, len, LIMIT);
		struct hazard_scan scan;

		assert_int_equal(scan_whole(text, len), want);
		hazard_scan_init(&scan, LIMIT);
		for (size_t at = 0; at < len;) {
			size_t most = rand() % 4 == 0 ? 2000 : 40;
			size_t piece = (size_t)rand() % most;

			if (piece > len - at)
				piece = len - at;
			update_copy(&scan, text + at, piece);
			at += piece;
		}
		assert_int_equal(hazard_scan_final(&scan), want);
		for (int i = 0; i < HAZARDS; i++)
			seen[i] += want >> i & 1;
	}
	assert_true(seen[HAZARD_LONG_LINE] > 500);
	assert_true(seen[HAZARD_BARE_LINE_END] > 500);
	assert_true(seen[HAZARD_NUL] > 500);
	assert_true(seen[HAZARD_8BIT] > 500);
}

static void
a_line_may_have_as_many_octets_as_the_limit(void **state)
{
	static const struct {
		const char *name;
		size_t octets;
		const char *end;
		unsigned want;
	} rows[] = {
		{ "all that it may have", 998, "\r\n", 0 },
		{ "one more", 999, "\r\n", LONG },
		{ "no line end", 998, "", 0 },
		{ "no line end, one more", 999, "", LONG },
		{ "another line", 998, "\r\nx\r\n", 0 },
		{ "much more", 100000, "\r\n", LONG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t end = strlen(rows[i].end);
		char *text = malloc(rows[i].octets + end);

		assert_non_null(text);
		memset(text, 'x', rows[i].octets);
		memcpy(text + rows[i].octets, rows[i].end, end);
		if (scan_whole(text, rows[i].octets + end) != rows[i].want)
			fail_msg("%s", rows[i].name);
		free(text);
	}
}

static struct signpost_headers *
add(struct signpost_headers *headers, const char *name, const char *value)
{
	if (headers == NULL)
		assert_int_equal(
		    signpost_headers_new(1 << 20, &headers), SIGNPOST_OK);
	assert_int_equal(signpost_headers_add(
			     headers, name, strlen(name), value, strlen(value)),
	    SIGNPOST_OK);
	return headers;
}

static void
a_field_is_looked_at_line_by_line(void **state)
{
	static char line[1200];
	struct signpost_headers *headers;

	(void)state;
	memset(line, 'x', sizeof line - 1);
	line[998 - strlen("References:")] = '\0';
	headers = add(NULL, "References", line);
	line[998 - strlen("References:")] = 'x';
	line[999 - strlen("References:")] = '\0';
	add(headers, "References", line);
	line[999 - strlen("References:")] = 'x';
	line[600] = '\n';
	line[601] = '\t';
	add(headers, "References", line);
	add(headers, "Subject", " a\rb");
	add(headers, "Subject", " a\r\n b\n c");
	assert_int_equal(hazards_of_field(headers_get(headers, 0), LIMIT), 0);
	assert_int_equal(hazards_of_field(headers_get(headers, 1), LIMIT),
	    HAZARD_BIT(HAZARD_LONG_HEADER));
	assert_int_equal(hazards_of_field(headers_get(headers, 2), LIMIT), 0);
	assert_int_equal(
	    hazards_of_field(headers_get(headers, 3), LIMIT), BARE);
	assert_int_equal(hazards_of_field(headers_get(headers, 4), LIMIT), 0);
	signpost_headers_free(headers);
}

static void
eight_bit_text_is_declared_by_its_encoding(void **state)
{
	static const struct {
		const char *value;
		bool want;
	} rows[] = {
		{ " 8bit", true },
		{ "8BIT ", true },
		{ " (a) Binary(b)", true },
		{ "\n 8bit", true },
		{ " 7bit", false },
		{ " quoted-printable", false },
		{ " 8bits", false },
		{ " (8bit", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct signpost_headers *headers = add(add(NULL, "From", "a"),
		    "content-transfer-ENCODING", rows[i].value);

		if (hazards_declared(headers) != rows[i].want)
			fail_msg("%s", rows[i].value);
		signpost_headers_free(headers);
	}
}

/* As seen with Sendmail 8.17.1. */
static void
addresses_are_as_sendmail_leaves_them_or_not(void **state)
{
	static const struct {
		const char *name, *value;
		bool relaxed, simple; /* changes */
	} rows[] = {
		{ "Cc", " \"'Charlie'\" <c@x.test>", false, false },
		{ "Cc", " 'Eve' <e@x.test>", true, true },
		{ "To", " J. Doe <j@x.test>", true, true },
		{ "To", " \"J. Doe\" <j@x.test>", false, false },
		{ "To", " j.doe@x.test", false, false },
		{ "To", " Ann <o'hara.x@x.test>", false, false },
		{ "To", " Ann (J. Smith) <a@x.test>", false, false },
		{ "To", " a@x.test,b@x.test", true, true },
		{ "To", " a@x.test, b@x.test", false, true },
		{ "To", " a@x.test,\n\tb@x.test", false, true },
		{ "To", " <a@x.test> , <b@x.test>", true, true },
		{ "To", " a@x.test (A),b@x.test", true, true },
		{ "To", " a@x.test,", true, true },
		{ "To", " \"A, B\" <a@x.test>", false, false },
		{ "To", " \"A\\\", B\" <a@x.test>", false, false },
		{ "To", " G: a@x.test, b@x.test;", false, true },
		{ "To", " undisclosed-recipients:;", false, false },
		{ "To", " bob", true, true },
		{ "To", " Ann <ann>", true, true },
		{ "reply-TO", " a@x.test,b@x.test", true, true },
		{ "Subject", " bob,J. Doe <j", false, false },
		{ "To", " \"a", true, true },
		{ "To", " (a", true, true },
		{ "To", "", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct signpost_headers *headers =
		    add(NULL, rows[i].name, rows[i].value);
		struct field field = headers_get(headers, 0);

		if (hazards_readdressed(field, SIGNPOST_RELAXED) !=
			rows[i].relaxed ||
		    hazards_readdressed(field, SIGNPOST_SIMPLE) !=
			rows[i].simple)
			fail_msg("%s:%s", rows[i].name, rows[i].value);
		signpost_headers_free(headers);
	}
}

static void
each_hazard_has_a_token_and_a_text(void **state)
{
	(void)state;
	for (enum hazard i = 0; i < HAZARDS; i++) {
		assert_true(strlen(hazard_token(i)) > 0);
		assert_true(strlen(hazard_text(i)) > 0);
		for (enum hazard j = 0; j < i; j++)
			assert_string_not_equal(
			    hazard_token(i), hazard_token(j));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_short_text_cut_in_every_way),
		cmocka_unit_test(any_cutting_finds_the_same),
		cmocka_unit_test(a_line_may_have_as_many_octets_as_the_limit),
		cmocka_unit_test(a_field_is_looked_at_line_by_line),
		cmocka_unit_test(eight_bit_text_is_declared_by_its_encoding),
		cmocka_unit_test(addresses_are_as_sendmail_leaves_them_or_not),
		cmocka_unit_test(each_hazard_has_a_token_and_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
