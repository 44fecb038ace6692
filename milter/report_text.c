/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "authres.h"
#include "headers.h"
#include "mail_date.h"

enum {
	MAX_VALUE_BYTES = 320, /* of one that the message chose */
	MAX_LINE_BYTES = 980,  /* Sendmail cuts at 990 */
};

/* The kinds of RFC 6651 section 5.1 by result; what stands apart comes first,
 * as do the words of RFC 6591 section 3.1. */
static const struct {
	enum signpost_reason reason;
	enum report_kind kind;
	const char *word;
} apart[] = {
	{ SIGNPOST_REASON_BODY_HASH, REPORT_MISMATCH, "bodyhash" },
	{ SIGNPOST_REASON_BODY_SHORT, REPORT_MISMATCH, "bodyhash" },
	{ SIGNPOST_REASON_KEY_REVOKED, REPORT_OTHER, "revoked" },
	{ SIGNPOST_REASON_NO_KEY, REPORT_DNS, "signature" },
	{ SIGNPOST_REASON_KEY_SYNTAX, REPORT_SYNTAX, "signature" },
	{ SIGNPOST_REASON_KEY_VERSION, REPORT_SYNTAX, "signature" },
	{ SIGNPOST_REASON_EXPIRED, REPORT_EXPIRED, "signature" },
	{ SIGNPOST_REASON_DNS_TIMEOUT, REPORT_DNS, "signature" },
	{ SIGNPOST_REASON_DNS_FAILED, REPORT_DNS, "signature" },
	{ SIGNPOST_REASON_DNS_BOGUS, REPORT_DNS, "signature" },
};

/* What is ours or the attacker's alone: the signer can do nothing about it. */
static bool
is_reported(enum signpost_reason reason)
{
	return reason != SIGNPOST_REASON_NONE &&
	    reason != SIGNPOST_REASON_OVERLOAD &&
	    reason != SIGNPOST_REASON_INTERNAL &&
	    reason != SIGNPOST_REASON_TOO_MANY &&
	    reason != SIGNPOST_REASON_REPLAYED;
}

static size_t
find_apart(enum signpost_reason reason)
{
	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
		if (apart[i].reason == reason)
			return i;
	return SIZE_MAX;
}

bool
report_kind_of(enum signpost_reason reason, enum report_kind *kind_r)
{
	size_t at = find_apart(reason);

	if (!is_reported(reason))
		return false;
	if (at != SIZE_MAX)
		*kind_r = apart[at].kind;
	else if (reason == SIGNPOST_REASON_SIGNATURE)
		*kind_r = REPORT_MISMATCH;
	else if (reason >= SIGNPOST_REASON_TAGS &&
	    reason <= SIGNPOST_REASON_BASE64)
		*kind_r = REPORT_SYNTAX;
	else
		*kind_r = reason >= SIGNPOST_REASON_SHA1 ? REPORT_POLICY
							 : REPORT_OTHER;
	return true;
}

void
report_boundary(uint64_t random, char boundary_r[REPORT_BOUNDARY_SIZE])
{
	snprintf(
	    boundary_r, REPORT_BOUNDARY_SIZE, "=_report_%016" PRIx64, random);
}

/* Printable ASCII as it is, all else as "?", on one line and not too long. */
static void
append_clean(struct bytes value, struct buf *out)
{
	for (size_t i = 0; i < value.len && i < MAX_VALUE_BYTES; i++) {
		char c = value.data[i];

		buf_append_char(out, c > ' ' && c < 0x7f ? c : '?');
	}
}

static void
append_field(struct buf *out, const char *name, struct bytes value)
{
	if (value.len == 0)
		return;
	buf_printf(out, "%s: ", name);
	append_clean(value, out);
	buf_append_char(out, '\n');
}

static void
append_date(struct buf *out, const char *name, int64_t now)
{
	char date[MAIL_DATE_SIZE];

	mail_date(now, date);
	buf_printf(out, "%s: %s\n", name, date);
}

/* Text with CRLF for line ends, in ASCII: all else as "?". */
static void
append_ascii_lines(struct buf *out, struct bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c != '\r')
			buf_append_char(out, (c & 0x80) != 0 ? '?' : c);
	}
}

/* The same as it is, from *COLUMN on; but lines that a mail server would cut,
 * when the report is signed already, are folded. */
static void
append_lines(struct buf *out, struct bytes text, size_t *column)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c == '\r')
			continue;
		if (*column == MAX_LINE_BYTES && c != '\n') {
			buf_append_str(out, "\n ");
			*column = 1;
		}
		buf_append_char(out, c);
		*column = c == '\n' ? 0 : *column + 1;
	}
}

static void
write_words(const struct report_facts *facts, struct buf *out)
{
	buf_printf(out,
	    "--%s\nContent-Type: text/plain; charset=us-ascii\n\n"
	    "A message with a DKIM signature of %s did not verify at %s:\n"
	    "%s.\n\nThis report was made by a program because the signature "
	    "asked for one\n(RFC 6651). The header of the message is "
	    "attached.\n\n",
	    facts->boundary, facts->domain, facts->authserv_id,
	    signpost_reason_text(facts->verdict->reason));
}

/* RFC 6591 section 3.1 and 3.2 */
static void
write_machine(const struct report_facts *facts, struct buf *out)
{
	const struct signpost_verdict *verdict = facts->verdict;
	size_t at = find_apart(verdict->reason);
	struct buf identity;

	buf_printf(out,
	    "--%s\nContent-Type: message/feedback-report\n\n"
	    "Feedback-Type: auth-failure\nUser-Agent: Signpost/%s\n"
	    "Version: 1\nAuth-Failure: %s\nAuthentication-Results:",
	    facts->boundary, signpost_version(),
	    at != SIZE_MAX ? apart[at].word : "signature");
	append_ascii_lines(out, bytes_str(facts->authres));
	buf_append_char(out, '\n');
	append_field(out, "Original-Mail-From", facts->sender);
	append_date(out, "Arrival-Date", facts->now);
	append_field(out, "Source-IP", bytes_str(facts->client));
	append_field(out, "Reported-Domain", bytes_str(facts->domain));
	buf_printf(out, "Delivery-Result: %s\n",
	    facts->delivered ? "delivered" : "reject");
	append_field(out, "DKIM-Domain", bytes_str(facts->domain));
	buf_init(&identity, MAX_VALUE_BYTES);
	authres_identity(&identity, verdict);
	append_field(out, "DKIM-Identity", buf_bytes(&identity));
	buf_fini(&identity);
	append_field(out, "DKIM-Selector",
	    bytes_of(verdict->selector, verdict->selector_len));
	buf_append_char(out, '\n');
}

/* Whole fields, as many as there is room for. */
static void
write_header(const struct report_facts *facts, struct buf *out)
{
	size_t fields = headers_count(facts->headers), bytes = 0, column = 0;

	buf_printf(out,
	    "--%s\nContent-Type: text/rfc822-headers\n"
	    "Content-Transfer-Encoding: 8bit\n\n",
	    facts->boundary);
	for (size_t i = 0; i < fields; i++) {
		struct field field = headers_get(facts->headers, i);

		bytes += field.name.len + field.value.len;
		if (bytes > REPORT_MAX_HEADER_BYTES)
			break;
		append_lines(out, field.name, &column);
		append_lines(out, bytes_str(":"), &column);
		append_lines(out, field.value, &column);
		append_lines(out, bytes_str("\n"), &column);
	}
	buf_printf(out, "\n--%s--\n", facts->boundary);
}

void
report_write_parts(const struct report_facts *facts, struct buf *out)
{
	write_words(facts, out);
	write_machine(facts, out);
	write_header(facts, out);
}

void
report_write_header(const struct report_envelope *envelope, struct buf *out)
{
	buf_printf(out, "From: %s\nTo: %s\n", envelope->from, envelope->to);
	append_date(out, "Date", envelope->now);
	buf_printf(out,
	    "Message-ID: <report.%" PRId64 ".%" PRIu64 "@%s>\n"
	    "Subject: DKIM failure report for %s\n"
	    "Auto-Submitted: auto-generated\n"
	    "MIME-Version: 1.0\n"
	    "Content-Transfer-Encoding: 8bit\n"
	    "Content-Type: multipart/report; report-type=feedback-report;\n"
	    "\tboundary=\"%s\"\n\n",
	    envelope->now, envelope->serial, envelope->host, envelope->domain,
	    envelope->boundary);
}
