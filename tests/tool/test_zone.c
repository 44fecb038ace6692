/* SPDX-License-Identifier: BSD-2-Clause */
#include "zone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "buf.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	MAX_RECORDS = 8
};

/* What is at NAME, records in brackets: "[one][two]"; "-" for no such name,
 * "loop". */
static const char *
look_up(const struct zone *zone, const char *name, char out[256])
{
	struct bytes records[MAX_RECORDS];
	size_t count, len = 0;

	switch (zone_find(zone, name, records, MAX_RECORDS, &count)) {
	case ZONE_NO_NAME:
		return "-";
	case ZONE_LOOP:
		return "loop";
	case ZONE_FOUND:
		break;
	}
	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(out + len, 256 - len, "[%.*s]",
		    (int)records[i].len, records[i].data);
	return out;
}

static void
records_are_found_as_written(void **state)
{
	static const struct {
		const char *name, *zone, *at, *want;
	} rows[] = {
		{ "absolute", "s.test. TXT \"v\"\n", "s.test", "[v]" },
		{ "class and TTL", "s.test. 60 IN TXT v\n", "s.test", "[v]" },
		{ "TTL behind the class", "s.test. IN 1h30m TXT v\n", "s.test",
		    "[v]" },
		{ "no line end", "s.test. TXT v", "s.test", "[v]" },
		{ "CRLF", "s.test. TXT v\r\n", "s.test", "[v]" },
		{ "relative to the root", "s.test TXT v\n", "s.test", "[v]" },
		{ "$ORIGIN", "$ORIGIN test.\ns TXT v\n", "s.test", "[v]" },
		{ "relative $ORIGIN", "$ORIGIN test.\n$ORIGIN sub\ns TXT v\n",
		    "s.sub.test", "[v]" },
		{ "@", "$ORIGIN s.test.\n@ TXT v\n", "s.test", "[v]" },
		{ "$TTL", "$TTL 3600 ; an hour\ns.test. TXT v\n", "s.test",
		    "[v]" },
		{ "left-out owner", "s.test. TXT a\n\tTXT b\n", "s.test",
		    "[a][b]" },
		{ "left-out owner behind an empty line",
		    "s.test. TXT a\n\n ; c\n 60 TXT b\n", "s.test", "[a][b]" },
		{ "several records apart",
		    "s.test. TXT a\nt.test. TXT c\ns.test. TXT b\n", "s.test",
		    "[a][b]" },
		{ "strings are joined", "s.test. TXT \"a \" b \"c\"\"d\"\n",
		    "s.test", "[a bcd]" },
		{ "parentheses",
		    "s.test. IN TXT ( \"a\" ; one\n  \"b\" ; (two\n)\n",
		    "s.test", "[ab]" },
		{ "parenthesis before the type", "s.test. ( IN\n TXT\n a )\n",
		    "s.test", "[a]" },
		{ "semicolon in quotes", "s.test. TXT \"a;b\"\n", "s.test",
		    "[a;b]" },
		{ "semicolon escaped", "s.test. TXT a\\;b\n", "s.test",
		    "[a;b]" },
		{ "semicolon bare", "s.test. TXT a;b\n", "s.test", "[a]" },
		{ "\\DDD", "s.test. TXT \"\\065\\066\"\n", "s.test", "[AB]" },
		{ "\\X", "s.test. TXT \"\\\"\\\\\"\n", "s.test", "[\"\\]" },
		{ "empty string", "s.test. TXT \"\"\n", "s.test", "[]" },
		{ "upper case", "S.TEST. txt v\n", "s.test", "[v]" },
		{ "U-label", "s.b\u00fccher.test. TXT v\n",
		    "s.xn--bcher-kva.test", "[v]" },
		{ "other name", "s.test. TXT v\n", "t.test", "-" },
		{ "parent", "s.test. TXT v\n", "test", "-" },
		{ "other type", "s.test. A 192.0.2.1\n", "s.test", "-" },
		{ "RFC 3597 type", "s.test. TYPE65280 \\# 1 00\n", "s.test",
		    "-" },
		{ "SOA over several lines",
		    "@ SOA ns.test. h.test. ( 1 2 3\n 4 5 )\ns.test. TXT v\n",
		    "s.test", "[v]" },
		{ "CNAME", "a.test. CNAME b.test.\nb.test. TXT v\n", "a.test",
		    "[v]" },
		{ "relative CNAME",
		    "$ORIGIN test.\na CNAME b\nb CNAME c\nc TXT v\n", "a.test",
		    "[v]" },
		{ "CNAME to nothing", "a.test. CNAME b.test.\n", "a.test",
		    "-" },
		{ "CNAME to itself", "a.test. CNAME a.test.\n", "a.test",
		    "loop" },
		{ "CNAME in a ring",
		    "a.test. CNAME b.test.\nb.test. CNAME a.test.\n", "b.test",
		    "loop" },
		{ "escaped dot in an owner", "s\\.test. TXT v\n", "s.test",
		    "-" },
		{ "other escapes in an owner", "\\s\\095.test. TXT v\n",
		    "s_.test", "[v]" },
		{ "dot as \\DDD in an owner", "s\\046test. TXT v\n", "s.test",
		    "-" },
		{ "escaped NUL in an owner", "s.test\\000x.test. TXT v\n",
		    "s.test", "-" },
		{ "escaped dot in a CNAME",
		    "a.test. CNAME s\\.test.\ns.test. TXT v\n", "a.test", "-" },
		{ "no domain as origin",
		    "$ORIGIN a/b.\ns TXT v\n$ORIGIN test.\nt TXT w\n", "t.test",
		    "[w]" },
		{ "owner named TXT", "TXT TXT TXT\n", "txt", "[TXT]" },
		{ "owner that is a number", "60 60 TXT v\n", "60", "[v]" },
		{ "empty", "", "s.test", "-" },
		{ "comments only", "; nothing\n\n", "s.test", "-" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct zone_error error;
		struct zone *zone = zone_parse(bytes_str(rows[i].zone), &error);
		char out[256];

		print_message("  %s\n", rows[i].name);
		assert_string_equal(error.text, "");
		assert_non_null(zone);
		assert_string_equal(
		    look_up(zone, rows[i].at, out), rows[i].want);
		zone_free(zone);
	}
}

static void
faults_are_named_with_their_line(void **state)
{
	static const struct {
		const char *name, *zone;
		size_t line;
		const char *text; /* part of it */
	} rows[] = {
		{ "$INCLUDE", "a.test. TXT v\n$INCLUDE other\n", 2,
		    "$INCLUDE" },
		{ "$GENERATE", "$GENERATE 1-2 a TXT v\n", 1, "$GENERATE" },
		{ "open quote", "a.test. TXT v\nb.test. TXT \"v\n", 2,
		    "quote" },
		{ "open quote at the end", "a.test. TXT \"v", 1, "quote" },
		{ "open parenthesis", "a.test. TXT ( v\n", 2, "\"(\"" },
		{ "stray parenthesis", "a.test. TXT v )\n", 1, "\")\"" },
		{ "no string", "a.test. TXT\n", 1, "string" },
		{ "no type", "a.test. IN 60\n", 1, "type" },
		{ "unknown type", "a.test. TEXT v\n", 1, "TEXT" },
		{ "no owner yet", " TXT v\n", 1, "name" },
		{ "no CNAME", "a.test. CNAME\n", 1, "CNAME" },
		{ "no TTL", "$TTL\n", 1, "$TTL" },
		{ "no origin", "$ORIGIN\n", 1, "$ORIGIN" },
		{ "\\DDD too large", "a.test. TXT \\256\n", 1, "255" },
		{ "\\DDD too short", "a.test. TXT \\25\n", 1, "digits" },
		{ "\\ at the end", "a.test. TXT \\", 1, "\\" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct zone_error error;

		print_message("  %s\n", rows[i].name);
		assert_null(zone_parse(bytes_str(rows[i].zone), &error));
		assert_int_equal(error.line, rows[i].line);
		assert_non_null(strstr(error.text, rows[i].text));
	}
}

static void
nul_octets_are_octets(void **state)
{
	static const char text[] = "a.test. TXT \"v\0w\" \\000\n";
	struct zone_error error;
	struct zone *zone =
	    zone_parse(bytes_of(text, sizeof(text) - 1), &error);
	struct bytes record;
	size_t count;

	(void)state;
	assert_non_null(zone);
	assert_int_equal(
	    zone_find(zone, "a.test", &record, 1, &count), ZONE_FOUND);
	assert_int_equal(record.len, 4);
	assert_memory_equal(record.data, "v\0w\0", 4);
	zone_free(zone);
}

static void
a_hundred_thousand_records_take_no_time(void **state)
{
	enum {
		RECORDS = 100000
	};
	struct zone_error error;
	struct zone *zone;
	struct buf text;
	clock_t start = clock();
	char out[256];

	(void)state;
	buf_init(&text, SIZE_MAX);
	for (int i = 0; i < RECORDS; i++)
		buf_printf(&text, "s%d._domainkey.d%d.test. TXT \"n%d\"\n",
		    i % 7, i, i);
	zone = zone_parse(buf_bytes(&text), &error);
	assert_non_null(zone);
	buf_fini(&text);
	for (int i = 0; i < RECORDS; i++) {
		char name[64], want[32];

		snprintf(
		    name, sizeof(name), "s%d._domainkey.d%d.test", i % 7, i);
		snprintf(want, sizeof(want), "[n%d]", i);
		assert_string_equal(look_up(zone, name, out), want);
	}
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
	zone_free(zone);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_found_as_written),
		cmocka_unit_test(faults_are_named_with_their_line),
		cmocka_unit_test(nul_octets_are_octets),
		cmocka_unit_test(a_hundred_thousand_records_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
