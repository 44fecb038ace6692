/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Texts of 200 octets, and of 201. */
#define TEN	    "0123456789"
#define FIFTY	    TEN TEN TEN TEN TEN
#define TWO_HUNDRED FIFTY FIFTY FIFTY FIFTY

static const struct {
	const char *value;
	const char
	    *want; /* "code|enhanced|text", or the beginning of why not */
} rows[] = {
	{ "550 no", "550||no" },
	{ "451 4.7.5 later", "451|4.7.5|later" },
	{ "559 5.123.456 no", "559|5.123.456|no" },
	{ "550 5.7 no", "550||5.7 no" },
	{ "550 5.7.1234 no", "550||5.7.1234 no" },
	{ "550 5.7.1 {domain}: {reason} {domain}",
	    "550|5.7.1|{domain}: {reason} {domain}" },
	{ "550 " TWO_HUNDRED, "550||" TWO_HUNDRED },

	{ "550 " TWO_HUNDRED "0", "the text is longer" },
	{ "550", "must be a code" },
	{ "550 ", "must be a code" },
	{ "550 5.7.1 ", "must be a code" },
	{ "550-no", "must be a code" },
	{ "no", "must be a code" },
	{ "", "must be a code" },
	{ " 550 no", "must be a code" },
	{ "5500 no", "must be a code" },
	{ "250 ok", "the code must be from 400 to 599" },
	{ "560 no", "must be a code" },
	{ "55\xb2 no", "must be a code" },
	{ "550 4.7.1 no", "the enhanced status code must begin" },
	{ "450 5.7.1 no", "the enhanced status code must begin" },
	{ "550 2.7.1 no", "the enhanced status code must begin" },
	{ "550 a\r\n250 ok", "the text must be of printable ASCII" },
	{ "550 a\tb", "the text must be of printable ASCII" },
	{ "550 caf\xc3\xa9", "the text must be of printable ASCII" },
	{ "550 100%", "there can be no %" },
	{ "550 %s", "there can be no %" },
	{ "550 {from}", "of words in braces there are {domain} and" },
	{ "550 {domain", "of words in braces there are {domain} and" },
	{ "550 {{domain}", "of words in braces there are {domain} and" },
	{ "550 a}", "of words in braces there are {domain} and" },
};

static void
test_a_reply_is_read_or_refused_as_its_row_says(void **state)
{
	struct config_reply reply;
	char got[512];
	const char *why;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		why = config_reply_read(rows[i].value, &reply);
		if (why != NULL)
			snprintf(got, sizeof got, "%.*s",
			    (int)strlen(rows[i].want), why);
		else
			snprintf(got, sizeof got, "%s|%s|%s", reply.code,
			    reply.enhanced, reply.text);
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("\"%s\": got \"%s\", want \"%s\"",
			    rows[i].value, got, rows[i].want);
	}
}

static void
test_words_in_braces_are_written_whatever_the_room(void **state)
{
	static const char text[] = "{domain}: {reason}, {domain}.";
	static const char want[] = "a.example: it {domain} broke, a.example.";
	char out[64];
	size_t size;

	(void)state;
	for (size = 1; size <= sizeof out; size++) {
		memset(out, 'x', sizeof out);
		config_reply_write(
		    text, "a.example", "it {domain} broke", out, size);
		assert_true(strlen(out) < size);
		assert_memory_equal(out, want, strlen(out));
		if (size > sizeof want)
			assert_string_equal(out, want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    test_a_reply_is_read_or_refused_as_its_row_says),
		cmocka_unit_test(
		    test_words_in_braces_are_written_whatever_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
