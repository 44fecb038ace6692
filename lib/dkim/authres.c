/* SPDX-License-Identifier: BSD-2-Clause */
#include "authres.h"

#include "address.h"
#include "cfws.h"
#include "utf8.h"

enum {
	LINE_COLUMNS = 78, /* where a line can be folded (RFC 5322 section
	                      2.1.1) */
	TAB_COLUMNS = 8,
	/* Octets of a value that are shown. The longest that means anything is
	 * an i= of 64 + 1 + 255; with every octet escaped a line still is
	 * within the 998 of RFC 5322. */
	VALUE_MAX_BYTES = 320,
	/* Beyond this, signatures that were not looked at are not told of:
	 * Sendmail takes no more than 64 kB of a filter at once, and would go
	 * on without it. */
	EXCESS_MAX_BYTES = 32768
};

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* RFC 2045 section 5.1. */
static bool
is_token(struct bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_alnum(text.data[i]) &&
		    (text.data[i] == '\0' ||
			strchr("!#$%&'*+-.^_`{|}~", text.data[i]) == NULL))
			return false;
	return text.len > 0;
}

/* "[local-part] @ domain-name" (RFC 8601 section 2.2), as far as nobody could
 * take it for anything else. */
static bool
is_plain_address(struct bytes text)
{
	struct bytes local, domain = text;

	if (!bytes_next(&domain, '@', &local) || domain.data == NULL)
		return false;
	for (size_t i = 0; i < domain.len; i++)
		if (!is_alnum(domain.data[i]) && domain.data[i] != '-' &&
		    domain.data[i] != '.')
			return false;
	return domain.len > 0 && domain.data[0] != '.' &&
	    domain.data[domain.len - 1] != '.' &&
	    (local.len == 0 || is_token(local));
}

/* How many octets at the front of TEXT are one character that may be shown: C0
 * and C1 controls may not. */
static size_t
character_len(struct bytes text)
{
	size_t len = utf8_character_len(text);
	unsigned char c = (unsigned char)text.data[0];

	if (len == 1 && (c < ' ' || c == 0x7f))
		return 0;
	if (len == 2 && c == 0xc2 && (unsigned char)text.data[1] < 0xa0)
		return 0;
	return len;
}

/* TEXT as a quoted string. Octets that are no character become "?". */
static void
append_quoted(struct buf *out, struct bytes text)
{
	size_t len, left = VALUE_MAX_BYTES;

	buf_append_char(out, '"');
	for (; text.len > 0; cfws_advance(&text, len)) {
		size_t character = character_len(text);

		len = character == 0 ? 1 : character;
		if (len > left) {
			buf_append_str(out, "...");
			break;
		}
		left -= len;
		if (character == 0) {
			buf_append_char(out, '?');
			continue;
		}
		if (text.data[0] == '"' || text.data[0] == '\\')
			buf_append_char(out, '\\');
		buf_append(out, text.data, len);
	}
	buf_append_char(out, '"');
}

static void
append_value(struct buf *out, struct bytes text)
{
	if (text.len <= VALUE_MAX_BYTES &&
	    (is_token(text) || is_plain_address(text)))
		buf_append_bytes(out, text);
	else
		append_quoted(out, text);
}

/* Columns of the line that OUT ends in, which begins at LINE behind a TAB. */
static size_t
columns(const struct buf *out, size_t line)
{
	return out->len - line - 1 + TAB_COLUMNS;
}

/* Appends WORD=VALUE behind a space, or on a line of its own where the line
 * that begins at *LINE would become too long. */
static void
append_item(struct buf *out, size_t *line, const char *word, struct bytes value)
{
	size_t start = out->len;

	buf_append_char(out, ' ');
	buf_append_str(out, word);
	buf_append_char(out, '=');
	append_value(out, value);
	if (out->failed || columns(out, *line) <= LINE_COLUMNS)
		return;
	buf_append(out, "  ", 2);
	if (out->failed)
		return;
	memmove(
	    out->data + start + 3, out->data + start + 1, out->len - start - 3);
	memcpy(out->data + start, "\r\n\t", 3);
	*line = start + 2;
}

void
authres_begin(struct buf *out, const char *authserv_id)
{
	struct bytes id = bytes_str(authserv_id);

	buf_append_char(out, ' ');
	if (is_token(id))
		buf_append_bytes(out, id);
	else
		append_quoted(out, id);
}

void
authres_none(struct buf *out)
{
	buf_append_str(out, ";\r\n\tdkim=none");
}

void
authres_identity(struct buf *out, const struct signpost_verdict *verdict)
{
	if (verdict->identity != NULL) {
		buf_append(out, verdict->identity, verdict->identity_len);
	} else if (verdict->domain != NULL) {
		buf_append_char(out, '@');
		buf_append(out, verdict->domain, verdict->domain_len);
	}
}

static void
add_items(struct buf *out, const struct signpost_verdict *verdict,
    struct bytes identity, size_t line)
{
	const struct {
		const char *word;
		struct bytes value;
	} items[] = {
		{ "header.d", { verdict->domain, verdict->domain_len } },
		{ "header.i", identity },
		{ "header.s", { verdict->selector, verdict->selector_len } },
		{ "header.a",
		    { verdict->algorithm_name, verdict->algorithm_name_len } },
		{ "header.b", { verdict->b, verdict->b_len } },
	};

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if (items[i].value.data != NULL)
			append_item(out, &line, items[i].word, items[i].value);
}

void
authres_add(struct buf *out, const struct signpost_verdict *verdict)
{
	struct buf identity;
	size_t line;

	buf_append_str(out, ";\r\n\t");
	line = out->len - 1;
	buf_append_str(out, "dkim=");
	buf_append_str(out, signpost_result_word(verdict->result));
	if (verdict->key_bits > 0)
		buf_printf(out, " (%u-bit key%s)", verdict->key_bits,
		    verdict->testing ? ", testing" : "");
	if (verdict->result != SIGNPOST_PASS)
		append_item(out, &line, "reason",
		    bytes_str(signpost_reason_text(verdict->reason)));
	buf_init(&identity, SIZE_MAX);
	authres_identity(&identity, verdict);
	add_items(out, verdict, buf_bytes(&identity), line);
	out->failed |= identity.failed;
	buf_fini(&identity);
}

enum signpost_status
signpost_authres_write(const char *authserv_id,
    const struct signpost_verifier *verifier, char **value_r)
{
	size_t count = verifier == NULL ? 0 : signpost_verifier_count(verifier);
	struct buf out;

	buf_init(&out, SIZE_MAX);
	authres_begin(&out, authserv_id);
	for (size_t i = 0; i < count; i++) {
		const struct signpost_verdict *verdict =
		    signpost_verifier_verdict(verifier, i);

		if (verdict->reason == SIGNPOST_REASON_TOO_MANY &&
		    out.len > EXCESS_MAX_BYTES)
			break;
		authres_add(&out, verdict);
	}
	if (count == 0)
		authres_none(&out);
	*value_r = buf_take_string(&out);
	return *value_r == NULL ? SIGNPOST_NOMEM : SIGNPOST_OK;
}

/* Whether TEXT names AUTHSERV_ID. */
static bool
is_id(struct bytes text, const char *authserv_id)
{
	struct bytes id = bytes_str(authserv_id);

	text = bytes_trim(text);
	return bytes_equal_nocase(text, id) || domain_equal(text, id);
}

/* Appends to OUT what the quoted string at the front of TEXT says, up to its
 * end or, where it has none, the end of TEXT. */
static void
unquote(struct bytes text, struct buf *out)
{
	for (size_t i = 1; i < text.len && text.data[i] != '"'; i++) {
		if (text.data[i] == '\\' && i + 1 < text.len)
			i++;
		buf_append_char(out, text.data[i]);
	}
}

static bool
is_domain_octet(char c)
{
	return is_alnum(c) || c == '.' || c == '-' || c == '_' ||
	    (unsigned char)c >= 0x80;
}

/* What a careless reader could take for the id at the front of TEXT: the first
 * octets in a row that a domain can have. */
static struct bytes
first_run(struct bytes text)
{
	size_t len = 0;

	while (text.len > 0 && text.data[0] != ';' &&
	    !is_domain_octet(text.data[0]))
		cfws_advance(&text, 1);
	while (len < text.len && is_domain_octet(text.data[len]))
		len++;
	return bytes_of(text.data, len);
}

/* The octets at the front of TEXT up to a semicolon, a comment or space. */
static struct bytes
first_word(struct bytes text)
{
	size_t len = 0;

	while (len < text.len && text.data[len] != ';' &&
	    text.data[len] != '(' && !is_wsp(text.data[len]) &&
	    cfws_is_text((unsigned char)text.data[len]))
		len++;
	return bytes_of(text.data, len);
}

/* Whether ID stands anywhere in TEXT. */
static bool
holds(struct bytes text, struct bytes id)
{
	for (; text.len >= id.len; cfws_advance(&text, 1))
		if (bytes_equal_nocase(bytes_of(text.data, id.len), id))
			return true;
	return false;
}

bool
authres_claims(struct bytes value, const char *authserv_id)
{
	struct bytes id = bytes_str(authserv_id), rest = value;
	struct buf unquoted;
	bool claims;

	if (id.len == 0)
		return false;
	/* Who knows what others make of a comment that we can't read. */
	if (!cfws_skip(&rest))
		return holds(value, id);
	if (is_id(first_word(rest), authserv_id) ||
	    is_id(first_run(rest), authserv_id))
		return true;
	if (cfws_peek(&rest) != '"')
		return false;
	buf_init(&unquoted, rest.len);
	unquote(rest, &unquoted);
	/* What there was no memory to read is not believed either. */
	claims = unquoted.failed || is_id(buf_bytes(&unquoted), authserv_id) ||
	    is_id(first_run(buf_bytes(&unquoted)), authserv_id);
	buf_fini(&unquoted);
	return claims;
}
