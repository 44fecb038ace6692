/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOW INT64_C(1796032800) /* 30 Nov 2026 10:00:00 UTC */

static struct signpost_headers *
headers_with(const char *value)
{
	struct signpost_headers *headers;

	assert_int_equal(signpost_headers_new(1 << 20, &headers), 0);
	assert_int_equal(
	    signpost_headers_add(headers, "From", 4, " a@example.com", 14), 0);
	assert_int_equal(
	    signpost_headers_add(headers, "Subject", 7, value, strlen(value)),
	    0);
	return headers;
}

static struct report_facts
facts_of(
    const struct signpost_verdict *verdict, struct signpost_headers *headers)
{
	return (struct report_facts){
		.boundary = "=_report_0123456789abcdef",
		.domain = "example.com",
		.verdict = verdict,
		.headers = headers,
		.authserv_id = "mx.test",
		.authres = " mx.test;\r\n\tdkim=fail",
		.client = "192.0.2.1",
		.sender = bytes_str("<a@example.com>"),
		.delivered = true,
		.now = NOW,
	};
}

static void
the_report_is_written_as_documented(void **state)
{
	const struct signpost_verdict verdict = {
		.reason = SIGNPOST_REASON_BODY_HASH,
		.domain = "Example.com",
		.domain_len = 11,
		.selector = "s1",
		.selector_len = 2,
	};
	struct signpost_headers *headers = headers_with(" two\r\n lines");
	struct report_facts facts = facts_of(&verdict, headers);
	struct report_envelope envelope = { facts.boundary, "p@mx.test",
		"r@example.com", "example.com", "mx.test", 7, NOW };
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	report_write_header(&envelope, &out);
	report_write_parts(&facts, &out);
	assert_false(out.failed);
	assert_string_equal(out.data,
	    "From: p@mx.test\n"
	    "To: r@example.com\n"
	    "Date: Mon, 30 Nov 2026 10:00:00 +0000\n"
	    "Message-ID: <report.1796032800.7@mx.test>\n"
	    "Subject: DKIM failure report for example.com\n"
	    "Auto-Submitted: auto-generated\n"
	    "MIME-Version: 1.0\n"
	    "Content-Transfer-Encoding: 8bit\n"
	    "Content-Type: multipart/report; report-type=feedback-report;\n"
	    "\tboundary=\"=_report_0123456789abcdef\"\n"
	    "\n"
	    "--=_report_0123456789abcdef\n"
	    "Content-Type: text/plain; charset=us-ascii\n"
	    "\n"
	    "A message with a DKIM signature of example.com did not verify at "
	    "mx.test:\n"
	    "body hash did not verify.\n"
	    "\n"
	    "This report was made by a program because the signature asked for "
	    "one\n"
	    "(RFC 6651). The header of the message is attached.\n"
	    "\n"
	    "--=_report_0123456789abcdef\n"
	    "Content-Type: message/feedback-report\n"
	    "\n"
	    "Feedback-Type: auth-failure\n"
	    "User-Agent: Signpost/" PACKAGE_VERSION "\n"
	    "Version: 1\n"
	    "Auth-Failure: bodyhash\n"
	    "Authentication-Results: mx.test;\n"
	    "\tdkim=fail\n"
	    "Original-Mail-From: <a@example.com>\n"
	    "Arrival-Date: Mon, 30 Nov 2026 10:00:00 +0000\n"
	    "Source-IP: 192.0.2.1\n"
	    "Reported-Domain: example.com\n"
	    "Delivery-Result: delivered\n"
	    "DKIM-Domain: example.com\n"
	    "DKIM-Identity: @Example.com\n"
	    "DKIM-Selector: s1\n"
	    "\n"
	    "--=_report_0123456789abcdef\n"
	    "Content-Type: text/rfc822-headers\n"
	    "Content-Transfer-Encoding: 8bit\n"
	    "\n"
	    "From: a@example.com\n"
	    "Subject: two\n"
	    " lines\n"
	    "\n"
	    "--=_report_0123456789abcdef--\n");
	buf_fini(&out);
	signpost_headers_free(headers);
}

/* Nothing that a message chose makes a line of the report of its own. */
static void
what_the_message_chose_stays_within_its_line(void **state)
{
	static const char evil[] = "x\r\nFeedback-Type: abuse\n\nx\xff";
	const struct signpost_verdict verdict = {
		.reason = SIGNPOST_REASON_SIGNATURE,
		.domain = "example.com",
		.domain_len = 11,
		.selector = evil,
		.selector_len = sizeof(evil) - 1,
		.identity = evil,
		.identity_len = sizeof(evil) - 1,
	};
	struct signpost_headers *headers = headers_with(" x");
	struct report_facts facts = facts_of(&verdict, headers);
	struct buf out;

	(void)state;
	facts.sender = bytes_str(evil);
	buf_init(&out, SIZE_MAX);
	report_write_parts(&facts, &out);
	assert_false(out.failed);
	assert_null(strstr(out.data, "\nFeedback-Type: abuse"));
	assert_non_null(
	    strstr(out.data, "\nDKIM-Selector: x??Feedback-Type:?abuse??x?\n"));
	assert_non_null(
	    strstr(out.data, "\nDKIM-Identity: x??Feedback-Type:?abuse??x?\n"));
	assert_non_null(strstr(
	    out.data, "\nOriginal-Mail-From: x??Feedback-Type:?abuse??x?\n"));
	buf_fini(&out);
	signpost_headers_free(headers);
}

/* The other parts declare no other encoding. */
static void
only_the_header_of_the_message_may_be_8bit(void **state)
{
	static const char text[] = "\xc3\xa4@example.com";
	const struct signpost_verdict verdict = {
		.reason = SIGNPOST_REASON_SIGNATURE,
		.domain = "example.com",
		.domain_len = 11,
		.selector = text,
		.selector_len = 2,
		.identity = text,
		.identity_len = sizeof(text) - 1,
	};
	struct signpost_headers *headers = headers_with(" \xc3\xa4");
	struct report_facts facts = facts_of(&verdict, headers);
	struct report_envelope envelope = { facts.boundary, "p@mx.test",
		"r@example.com", "example.com", "mx.test", 7, NOW };
	const char *attached;
	struct buf out;

	(void)state;
	facts.sender = bytes_str(text);
	facts.authres = " mx.test; dkim=fail header.i=\"\xc3\xa4@example.com\"";
	buf_init(&out, SIZE_MAX);
	report_write_header(&envelope, &out);
	report_write_parts(&facts, &out);
	assert_false(out.failed);
	attached = strstr(out.data, "\nContent-Type: text/rfc822-headers\n");
	assert_non_null(attached);
	for (const char *c = out.data; c < attached; c++)
		assert_int_equal(*c & 0x80, 0);
	assert_non_null(strstr(out.data, "header.i=\"??@example.com\"\n"));
	assert_non_null(strstr(attached, "\nSubject: \xc3\xa4\n"));
	buf_fini(&out);
	signpost_headers_free(headers);
}

static void
long_lines_are_folded_and_others_are_not(void **state)
{
	static const struct {
		const char *name;
		size_t octets, lines; /* of the value, and of the field */
	} rows[] = {
		{ "just not too long", 980 - (sizeof("Subject:") - 1), 1 },
		{ "an octet more", 981 - (sizeof("Subject:") - 1), 2 },
		{ "many times as long", 10000, 11 },
	};
	const struct signpost_verdict verdict = { .reason =
						      SIGNPOST_REASON_SIGNATURE,
		.domain = "example.com",
		.domain_len = 11 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *value = calloc(1, rows[i].octets + 1);
		struct signpost_headers *headers;
		struct report_facts facts;
		struct buf out;
		char *line, *end;
		size_t lines = 0;

		memset(value, 'x', rows[i].octets);
		headers = headers_with(value);
		facts = facts_of(&verdict, headers);
		buf_init(&out, SIZE_MAX);
		report_write_parts(&facts, &out);
		line = strstr(out.data, "\nSubject:") + 1;
		do {
			end = strchr(line, '\n');
			assert_true(end - line <= 980);
			line = end + 1;
			lines++;
		} while (*line == ' ');
		if (lines != rows[i].lines)
			fail_msg("%s: %zu lines", rows[i].name, lines);
		buf_fini(&out);
		signpost_headers_free(headers);
		free(value);
	}
}

static void
a_large_header_is_cut_between_fields(void **state)
{
	const struct signpost_verdict verdict = { .reason =
						      SIGNPOST_REASON_SIGNATURE,
		.domain = "example.com",
		.domain_len = 11 };
	char *value = malloc(REPORT_MAX_HEADER_BYTES + 1);
	struct signpost_headers *headers;
	struct report_facts facts;
	struct buf out;

	(void)state;
	memset(value, 'x', REPORT_MAX_HEADER_BYTES);
	value[REPORT_MAX_HEADER_BYTES] = '\0';
	headers = headers_with(value);
	facts = facts_of(&verdict, headers);
	buf_init(&out, SIZE_MAX);
	report_write_parts(&facts, &out);
	assert_true(out.len < 2048);
	assert_non_null(strstr(out.data, "\nFrom: a@example.com\n\n--"));
	buf_fini(&out);
	signpost_headers_free(headers);
	free(value);
}

static void
each_reason_is_of_a_kind_or_not_reported(void **state)
{
	static const struct {
		enum signpost_reason reason;
		char kind; /* '\0': none */
	} rows[] = {
		{ SIGNPOST_REASON_NONE, '\0' },
		{ SIGNPOST_REASON_SIGNATURE, 'v' },
		{ SIGNPOST_REASON_BODY_HASH, 'v' },
		{ SIGNPOST_REASON_BODY_SHORT, 'v' },
		{ SIGNPOST_REASON_TAG_MISSING, 's' },
		{ SIGNPOST_REASON_BASE64, 's' },
		{ SIGNPOST_REASON_KEY_SYNTAX, 's' },
		{ SIGNPOST_REASON_NO_KEY, 'd' },
		{ SIGNPOST_REASON_DNS_TIMEOUT, 'd' },
		{ SIGNPOST_REASON_KEY_REVOKED, 'o' },
		{ SIGNPOST_REASON_KEY_STRICT, 'o' },
		{ SIGNPOST_REASON_EXPIRED, 'x' },
		{ SIGNPOST_REASON_SHA1, 'p' },
		{ SIGNPOST_REASON_UNSIGNED_BODY, 'p' },
		{ SIGNPOST_REASON_TOO_MANY, '\0' },
		{ SIGNPOST_REASON_REPLAYED, '\0' },
		{ SIGNPOST_REASON_OVERLOAD, '\0' },
		{ SIGNPOST_REASON_INTERNAL, '\0' },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum report_kind kind;
		bool reported = report_kind_of(rows[i].reason, &kind);

		if (reported != (rows[i].kind != '\0') ||
		    (reported && (char)kind != rows[i].kind))
			fail_msg("%s", signpost_reason_token(rows[i].reason));
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_is_written_as_documented),
		cmocka_unit_test(what_the_message_chose_stays_within_its_line),
		cmocka_unit_test(only_the_header_of_the_message_may_be_8bit),
		cmocka_unit_test(long_lines_are_folded_and_others_are_not),
		cmocka_unit_test(a_large_header_is_cut_between_fields),
		cmocka_unit_test(each_reason_is_of_a_kind_or_not_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
