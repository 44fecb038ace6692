/* SPDX-License-Identifier: BSD-2-Clause */
#include "answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Question a. TXT IN, and where answers begin behind it. */
#define QUESTION "\1a\0\0\20\0\1"
#define HEAD(rcode, answers, authorities) \
	"\0\0\205" rcode "\0\1\0" answers "\0" authorities "\0\0" QUESTION
/* An owner that points to the question's name, type, class IN. */
#define OWNER(type) "\300\14\0" type "\0\1"
#define TTL(s)	    "\0\0\0" s
#define BYTES(text) text, sizeof(text) - 1

static const struct {
	const char *name;
	const char *packet;
	size_t len;
	bool ok;
	unsigned rcode;
	uint32_t ttl_s;
	size_t count;
	const char *first;
} rows[] = {
	{ "one string",
	    BYTES(HEAD("\0", "\1", "\0") OWNER("\20") TTL("\5") "\0\4\3abc"),
	    true, 0, 5, 1, "abc" },
	/* field: C3 */
	{ "strings are joined with nothing between",
	    BYTES(
		HEAD("\0", "\1", "\0") OWNER("\20") TTL("\5") "\0\7\3abc\2de"),
	    true, 0, 5, 1, "abcde" },
	{ "empty strings",
	    BYTES(
		HEAD("\0", "\1", "\0") OWNER("\20") TTL("\5") "\0\6\0\3abc\0"),
	    true, 0, 5, 1, "abc" },
	{ "two records, the lesser TTL",
	    BYTES(HEAD("\0", "\2", "\0") OWNER("\20")
		    TTL("\5") "\0\2\1x" OWNER("\20") TTL("\4") "\0\2\1y"),
	    true, 0, 4, 2, "x" },
	/* field: C10 */
	{ "CNAME and RRSIG are passed over, their TTL counts",
	    BYTES(HEAD("\0", "\3", "\0") OWNER("\5")
		    TTL("\3") "\0\2\300\14" OWNER("\56")
			TTL("\7") "\0\3zzz" OWNER("\20") TTL("\5") "\0\2\1x"),
	    true, 0, 3, 1, "x" },
	{ "class CH is not ours",
	    BYTES(
		HEAD("\0", "\1", "\0") "\300\14\0\20\0\3" TTL("\5") "\0\2\1x"),
	    true, 0, 0, 0, "" },
	{ "TTL with the top bit is 0",
	    BYTES(HEAD("\0", "\1", "\0") OWNER("\20") "\200\0\0\1\0\2\1x"),
	    true, 0, 0, 1, "x" },
	{ "NXDOMAIN: the SOA's MINIMUM",
	    BYTES(HEAD("\3", "\0", "\1") OWNER("\6")
		    TTL("\11") "\0\26\0\0................\0\0\0\6"),
	    true, 3, 6, 0, "" },
	{ "NXDOMAIN: the SOA's own TTL",
	    BYTES(HEAD("\3", "\0", "\1") OWNER("\6")
		    TTL("\2") "\0\26\0\0................\0\0\0\6"),
	    true, 3, 2, 0, "" },
	{ "NXDOMAIN behind a CNAME: the lesser of both",
	    BYTES(HEAD("\3", "\1", "\1") OWNER("\5")
		    TTL("\4") "\0\2\300\14" OWNER("\6")
			TTL("\11") "\0\26\0\0................\0\0\0\6"),
	    true, 3, 4, 0, "" },
	{ "no SOA", BYTES(HEAD("\0", "\0", "\0")), true, 0, 0, 0, "" },
	{ "no octets", BYTES(""), false, 0, 0, 0, "" },
	{ "header cut", BYTES("\0\0\205\0\0\1\0\0\0\0\0"), false, 0, 0, 0, "" },
	{ "question missing", BYTES("\0\0\205\0\0\1\0\0\0\0\0\0"), false, 0, 0,
	    0, "" },
	{ "record missing", BYTES(HEAD("\0", "\1", "\0")), false, 0, 0, 0, "" },
	{ "data longer than the message",
	    BYTES(HEAD("\0", "\1", "\0") OWNER("\20") TTL("\5") "\0\5\3abc"),
	    false, 0, 0, 0, "" },
	{ "string longer than its record",
	    BYTES(HEAD("\0", "\1", "\0") OWNER("\20") TTL("\5") "\0\4\4abc"),
	    false, 0, 0, 0, "" },
	{ "label of a kind that is not in use",
	    BYTES(HEAD("\0", "\1", "\0") "\100\0" TTL("\5") "\0\2\1x"), false,
	    0, 0, 0, "" },
	{ "SOA cut",
	    BYTES(HEAD("\3", "\0", "\1") OWNER("\6") TTL("\2") "\0\4\0\0.."),
	    false, 3, 0, 0, "" },
};

static void
test_answers_are_read(void **state)
{
	static struct answer answer;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* On the heap, so that reading beyond shows. */
		unsigned char *packet = malloc(rows[i].len + 1);

		print_message("%s\n", rows[i].name);
		memcpy(packet, rows[i].packet, rows[i].len);
		packet = realloc(packet, rows[i].len > 0 ? rows[i].len : 1);
		assert_int_equal(
		    answer_read(packet, rows[i].len, &answer), rows[i].ok);
		if (rows[i].ok) {
			assert_int_equal(answer.rcode, rows[i].rcode);
			assert_int_equal(answer.ttl_s, rows[i].ttl_s);
			assert_int_equal(answer.count, rows[i].count);
			assert_int_equal(answer.dropped, 0);
		}
		if (rows[i].count > 0)
			assert_true(bytes_is(answer.records[0], rows[i].first));
		free(packet);
	}
}

/* Cut anywhere or with any octet changed it is read or refused, no more. */
static void
test_damaged_answers_do_no_harm(void **state)
{
	static struct answer answer;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t len = 0; len < rows[i].len; len++) {
			unsigned char *packet = malloc(len + 1);

			memcpy(packet, rows[i].packet, len);
			packet = realloc(packet, len > 0 ? len : 1);
			answer_read(packet, len, &answer);
			for (size_t at = 0; at < len; at++)
				for (unsigned bit = 0; bit < 8; bit++) {
					packet[at] ^=
					    (unsigned char)(1u << bit);
					answer_read(packet, len, &answer);
					packet[at] ^=
					    (unsigned char)(1u << bit);
				}
			free(packet);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_are_read),
		cmocka_unit_test(test_damaged_answers_do_no_harm),
	};

	return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
