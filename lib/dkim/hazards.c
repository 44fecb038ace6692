/* SPDX-License-Identifier: BSD-2-Clause */
#include "hazards.h"

#include "cfws.h"

enum {
	WIDTH = 16,  /* octets looked at together */
	STRIDE = 64, /* and in a row */
};

/* gcc and clang make of it the vector instructions that the machine has, or
 * plain ones where it has none. */
typedef unsigned char octets __attribute__((vector_size(WIDTH)));

static const struct {
	const char *token, *text;
} hazards[HAZARDS] = {
	[HAZARD_LONG_LINE] = { "long_line", "a line of the body is too long" },
	[HAZARD_LONG_HEADER] = { "long_header",
	    "a line of a signed header field is too long" },
	[HAZARD_ADDRESS_FORM] = { "address_form",
	    "addresses are in a form that Sendmail changes" },
	[HAZARD_BARE_LINE_END] = { "bare_line_end", "a CR or LF stands alone" },
	[HAZARD_NUL] = { "nul", "there is a NUL in the body" },
	[HAZARD_8BIT] = { "8bit", "there is 8-bit text in the body" },
	[HAZARD_UNDECLARED] = { "undeclared_8bit",
	    "there is 8-bit text in the body, which nothing declares" },
	[HAZARD_SIGNED_ALREADY] = { "signed_already",
	    "a valid signature of ours is there already" },
};

const char *
hazard_token(enum hazard hazard)
{
	return hazards[hazard].token;
}

const char *
hazard_text(enum hazard hazard)
{
	return hazards[hazard].text;
}

void
hazard_scan_init(struct hazard_scan *scan, size_t limit)
{
	*scan = (struct hazard_scan){ .limit = limit };
}

static bool
any(octets v)
{
	uint64_t words[WIDTH / sizeof(uint64_t)];

	memcpy(words, &v, sizeof words);
	return (words[0] | words[1]) != 0;
}

/* One octet behind another; LF belongs behind CR, and CR before LF. */
static void
scan_octet(struct hazard_scan *scan, char c)
{
	if ((scan->last == '\r') != (c == '\n'))
		scan->found |= HAZARD_BIT(HAZARD_BARE_LINE_END);
	if (c == '\0')
		scan->found |= HAZARD_BIT(HAZARD_NUL);
	if ((c & 0x80) != 0)
		scan->found |= HAZARD_BIT(HAZARD_8BIT);
	scan->last = c;
}

/* What is seen in many octets: 0xff, or for HIGH the eighth bit, where it is. */
struct seen {
	octets bare, nul, high;
};

/* The WIDTH octets at DATA. DATA[-1] is looked at, too. */
static inline void
see(struct seen *seen, const char *data)
{
	octets c, before;

	memcpy(&c, data, sizeof c);
	memcpy(&before, data - 1, sizeof before);
	seen->bare |= (octets)((before == '\r') ^ (c == '\n'));
	seen->nul |= (octets)(c == 0);
	seen->high |= c;
}

static unsigned
found_of(const struct seen *seen)
{
	unsigned found = 0;

	if (any(seen->bare))
		found |= HAZARD_BIT(HAZARD_BARE_LINE_END);
	if (any(seen->nul))
		found |= HAZARD_BIT(HAZARD_NUL);
	if (any(seen->high & 0x80))
		found |= HAZARD_BIT(HAZARD_8BIT);
	return found;
}

/* No branch depends on the text: most of it has nothing to be found. */
static void
scan_octets(struct hazard_scan *scan, const char *data, size_t len)
{
	struct seen seen = { 0 };
	size_t i = 1;

	scan_octet(scan, data[0]);
	if (len <= WIDTH) {
		while (i < len)
			scan_octet(scan, data[i++]);
		return;
	}
	for (; i + STRIDE <= len; i += STRIDE)
		for (size_t j = 0; j < STRIDE; j += WIDTH)
			see(&seen, data + i + j);
	for (; i + WIDTH <= len; i += WIDTH)
		see(&seen, data + i);
	/* The rest, and some once more. */
	see(&seen, data + len - WIDTH);
	scan->found |= found_of(&seen);
	scan->last = data[len - 1];
}

/* A line is too long where no LF is among the octets that it may have. Which
 * is the last among them is quickly found from behind: of lines of usual
 * length, most octets are not looked at. */
static void
scan_lines(struct hazard_scan *scan, const char *data, size_t len)
{
	const size_t with_end = scan->limit + strlen("\r\n");

	while (len > 0 && scan->line < with_end) {
		size_t room = with_end - scan->line;
		size_t window = len < room ? len : room;
		const char *lf = memrchr(data, '\n', window);
		size_t used = lf == NULL ? window : (size_t)(lf - data) + 1;

		scan->line = lf == NULL ? scan->line + window : 0;
		data += used;
		len -= used;
	}
}

void
hazard_scan_update(struct hazard_scan *scan, const char *data, size_t len)
{
	if (len == 0)
		return;
	scan_octets(scan, data, len);
	scan_lines(scan, data, len);
}

unsigned
hazard_scan_final(struct hazard_scan *scan)
{
	if (scan->line > scan->limit)
		scan->found |= HAZARD_BIT(HAZARD_LONG_LINE);
	if (scan->last == '\r')
		scan->found |= HAZARD_BIT(HAZARD_BARE_LINE_END);
	return scan->found;
}

unsigned
hazards_of_field(struct field field, size_t limit)
{
	struct hazard_scan scan;
	unsigned found, hazards_found;

	hazard_scan_init(&scan, limit);
	hazard_scan_update(&scan, field.name.data, field.name.len);
	hazard_scan_update(&scan, field.colon.data, field.colon.len);
	hazard_scan_update(&scan, ":", 1);
	hazard_scan_update(&scan, field.value.data, field.value.len);
	found = hazard_scan_final(&scan);
	hazards_found = found & HAZARD_BIT(HAZARD_BARE_LINE_END);
	if ((found & HAZARD_BIT(HAZARD_LONG_LINE)) != 0)
		hazards_found |= HAZARD_BIT(HAZARD_LONG_HEADER);
	return hazards_found;
}

/* The fields that Sendmail reads as addresses (RFC 5322 section 3.6.2, 3.6.3
 * and 3.6.6). */
static bool
has_addresses(struct bytes name)
{
	static const char *const fields[] = { "From", "Sender", "Reply-To",
		"To", "Cc", "Bcc", "Resent-From", "Resent-Sender", "Resent-To",
		"Resent-Cc", "Resent-Bcc", "Resent-Reply-To" };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (bytes_is_nocase(name, fields[i]))
			return true;
	return false;
}

/* Cuts a quoted string off the front of *REST, or one character. */
static void
skip_quoted(struct bytes *rest)
{
	bool quoted = cfws_peek(rest) == '"';

	cfws_advance(rest, 1);
	while (quoted && rest->len > 0) {
		char c = rest->data[0];

		cfws_advance(rest, c == '\\' && rest->len > 1 ? 2 : 1);
		quoted = c != '"';
	}
}

/* One address of a list, as far as it has been read. */
struct mailbox {
	bool any;      /* there is something */
	bool at;       /* "@": it has a domain */
	bool unquoted; /* what Sendmail puts quotes around before "<" */
	bool angle;    /* between "<" and ">" */
	bool spaced;   /* white space or a comment came last */
};

/* Takes C, outside of quotes and comments, into MAILBOX, C being neither white
 * space nor a separator; whether Sendmail will quote what is before it. */
static bool
take(struct mailbox *mailbox, int c)
{
	bool changes = c == '<' && mailbox->unquoted;

	if (c == '<' || c == '>')
		mailbox->angle = c == '<';
	mailbox->any = true;
	mailbox->at |= c == '@';
	mailbox->unquoted |= (c == '.' || c == '\'') && !mailbox->angle;
	mailbox->spaced = false;
	return changes;
}

/* Whether what ends MAILBOX, and the REST behind the separator C, is as
 * Sendmail leaves it: an address with a domain; behind a comma white space, and
 * none before it. */
static bool
ends_well(const struct mailbox *mailbox, int c, const struct bytes *rest)
{
	int next = cfws_peek(rest);

	if (c == ':')
		return true;
	if (mailbox->any && !mailbox->at)
		return false;
	return c != ',' ||
	    (mailbox->any && !mailbox->spaced &&
		(next == ' ' || next == '\t' || next == '\r'));
}

bool
hazards_readdressed(struct field field, enum signpost_canon canon)
{
	struct mailbox mailbox = { 0 };
	struct bytes rest = bytes_trim(field.value);

	if (!has_addresses(field.name))
		return false;
	while (rest.len > 0) {
		size_t before = rest.len;
		int c;

		if (!cfws_skip(&rest))
			return true;
		mailbox.spaced |= rest.len < before;
		c = cfws_peek(&rest);
		if (c == CFWS_END)
			break;
		skip_quoted(&rest);
		if ((c != ',' && c != ':' && c != ';') || mailbox.angle) {
			if (take(&mailbox, c))
				return true;
			continue;
		}
		if (!ends_well(&mailbox, c, &rest) ||
		    (c == ',' && canon == SIGNPOST_SIMPLE))
			return true;
		mailbox = (struct mailbox){ 0 };
	}
	return mailbox.any && !mailbox.at;
}

bool
hazards_declared(const struct signpost_headers *headers)
{
	size_t at = headers_find_last(headers,
	    bytes_str("Content-Transfer-Encoding"), headers_count(headers));
	struct bytes rest;
	size_t len = 0;

	if (at == SIZE_MAX)
		return false;
	rest = headers_get(headers, at).value;
	if (!cfws_skip(&rest))
		return false;
	while (len < rest.len && rest.data[len] > ' ' && rest.data[len] != '(')
		len++;
	rest.len = len;
	return bytes_is_nocase(rest, "8bit") || bytes_is_nocase(rest, "binary");
}
