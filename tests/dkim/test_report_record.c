/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define L16 "aaaaaaaaaaaaaaaa"

static void
a_record_names_address_share_and_kinds(void **state)
{
	static const struct {
		const char *name, *text;
		const char *local; /* NULL: no report */
		unsigned percent;
		const char *wanted, *unwanted; /* kinds */
	} rows[] = {
		{ "address alone", "ra=dkim-errors", "dkim-errors", 100,
		    "dopsvx", "" },
		{ "all", "ra=a; rp=5; rr=all", "a", 5, "dopsvx", "" },
		{ "some kinds", "ra=a; rr=v : x", "a", 100, "vx", "dops" },
		{ "unknown kinds and tags", "v=1; ra=a; rr=u:zz:d; rs=no", "a",
		    100, "d", "opsvx" },
		{ "no kind", "ra=a; rr=", "a", 100, "", "dopsvx" },
		{ "percent of nought", "ra=a; rp=0", "a", 0, "v", "" },
		{ "encoded address", "ra=a=2Bb", "a+b", 100, "v", "" },
		{ "longest address", "ra=" L16 L16 L16 L16, L16 L16 L16 L16,
		    100, "v", "" },
		{ "longer address", "ra=" L16 L16 L16 L16 "b", .local = NULL },
		{ "no address", "rp=100; rr=all", .local = NULL },
		{ "empty address", "ra=", .local = NULL },
		{ "nothing", "", .local = NULL },
		{ "like an option", "ra=-oQ/tmp", .local = NULL },
		{ "like a program", "ra=|cat", .local = NULL },
		{ "like a file", "ra=/var/mail/a", .local = NULL },
		{ "like a route", "ra=a%example.org", .local = NULL },
		{ "like a route of old", "ra=host!a", .local = NULL },
		{ "two dots", "ra=a..b", .local = NULL },
		{ "dot at an end", "ra=a.", .local = NULL },
		{ "an address", "ra=a=40example.org", .local = NULL },
		{ "a line end", "ra=a=0ABcc:b", .local = NULL },
		{ "a list", "ra=a,b", .local = NULL },
		{ "NUL", "ra=a=00b", .local = NULL },
		{ "beyond ASCII", "ra=a=C3=BC", .local = NULL },
		{ "bad encoding", "ra=a=4", .local = NULL },
		{ "no number", "ra=a; rp=x", .local = NULL },
		{ "not a list", "ra=a; ;b", .local = NULL },
		{ "repeated tag", "ra=a; ra=b", .local = NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct report_record record;

		if (report_record_parse(bytes_str(rows[i].text), &record) !=
		    (rows[i].local != NULL))
			fail_msg("%s", rows[i].name);
		if (rows[i].local == NULL)
			continue;
		assert_string_equal(record.local, rows[i].local);
		assert_int_equal(record.percent, rows[i].percent);
		for (const char *kind = rows[i].wanted; *kind != '\0'; kind++)
			if (!report_record_wants(
				&record, (enum report_kind) * kind))
				fail_msg("%s: not %c", rows[i].name, *kind);
		for (const char *kind = rows[i].unwanted; *kind != '\0'; kind++)
			if (report_record_wants(
				&record, (enum report_kind) * kind))
				fail_msg("%s: %c", rows[i].name, *kind);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_names_address_share_and_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
