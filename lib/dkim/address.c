/* SPDX-License-Identifier: BSD-2-Clause */
#include "address.h"

#include <idn2.h>

#include "cfws.h"

enum {
	LABEL_MAX_BYTES = 63,
	/* A domain as written: U-labels take at most four octets for one of an
	 * A-label. Bounds the work that libidn2 can be given. */
	DOMAIN_MAX_WRITTEN = 4 * DOMAIN_MAX_BYTES
};

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* Whether NAME, in lower case, is made of labels that DNS can hold.
 * A hyphen may not stand at an end of a label (RFC 5321 section 4.1.2). */
static bool
labels_are_sound(const char *name, size_t len)
{
	size_t start = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && name[i] != '.')
			continue;
		if (i == start || i - start > LABEL_MAX_BYTES ||
		    name[start] == '-' || name[i - 1] == '-')
			return false;
		start = i + 1;
	}
	return true;
}

/* An A-label must at least be Punycode. What it stands for is not judged:
 * names outside of IDNA2008 are registered and in use. */
static bool
a_labels_are_sound(const char *name)
{
	const char *label = name;
	char *unicode = NULL;
	int status;

	while (strncmp(label, "xn--", 4) != 0) {
		label = strchr(label, '.');
		if (label == NULL)
			return true;
		label++;
	}
	status = idn2_to_unicode_8z8z(name, &unicode, 0);
	idn2_free(unicode);
	return status == IDN2_OK;
}

/* The form in which a domain of ASCII alone is compared; false for others. */
static bool
lower_domain(struct bytes domain, char out_r[DOMAIN_SIZE])
{
	char name[DOMAIN_SIZE];
	size_t len = domain.len;

	if (len > 0 && domain.data[len - 1] == '.')
		len--;
	if (len == 0 || len > DOMAIN_MAX_BYTES)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = domain.data[i];

		if (!is_alnum(c) && c != '.' && c != '-' && c != '_')
			return false;
		name[i] = ascii_lower(c);
	}
	name[len] = '\0';
	if (!labels_are_sound(name, len) || !a_labels_are_sound(name))
		return false;
	memcpy(out_r, name, len + 1);
	return true;
}

static bool
has_8bit(struct bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		if ((unsigned char)bytes.data[i] >= 0x80)
			return true;
	return false;
}

bool
domain_to_ascii(struct bytes domain, char out_r[DOMAIN_SIZE])
{
	char written[DOMAIN_MAX_WRITTEN + 1];
	uint8_t *looked_up = NULL;
	int status;
	bool ok;

	if (!has_8bit(domain))
		return lower_domain(domain, out_r);
	if (domain.len > DOMAIN_MAX_WRITTEN ||
	    memchr(domain.data, '\0', domain.len) != NULL)
		return false;
	memcpy(written, domain.data, domain.len);
	written[domain.len] = '\0';
	status = idn2_lookup_u8((const uint8_t *)written, &looked_up,
	    IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT);
	/* libidn2 maps some characters to ASCII ones that no domain has. */
	ok = status == IDN2_OK &&
	    lower_domain(bytes_str((const char *)looked_up), out_r);
	idn2_free(looked_up);
	return ok;
}

bool
domain_equal(struct bytes a, struct bytes b)
{
	char a_name[DOMAIN_SIZE], b_name[DOMAIN_SIZE];

	return domain_to_ascii(a, a_name) && domain_to_ascii(b, b_name) &&
	    strcmp(a_name, b_name) == 0;
}

bool
domain_is_under(const char *child, const char *parent)
{
	size_t child_len = strlen(child), parent_len = strlen(parent);
	size_t above;

	if (child_len < parent_len)
		return false;
	above = child_len - parent_len;
	return strcmp(child + above, parent) == 0 &&
	    (above == 0 || child[above - 1] == '.');
}

/* Where a mailbox stands in the parser's OUT: the domain follows the local
 * part. */
struct span {
	size_t local, domain, end;
};

/*
 * A From is read from left to right, each octet once. Words go to OUT as they
 * come, for only what follows tells a display name from a local part.
 */
struct parser {
	struct bytes in; /* what is still to be read */
	struct buf *out;
	bool in_group;
	size_t mailboxes;
	struct span *spans; /* of the first MAX mailboxes */
	size_t max;
};

static int
peek(const struct parser *parser)
{
	return cfws_peek(&parser->in);
}

static bool
take(struct parser *parser, char wanted)
{
	if (peek(parser) != wanted)
		return false;
	cfws_advance(&parser->in, 1);
	return true;
}

/* RFC 5322 section 3.2.3 and RFC 6532 section 3.2. Octets that are not UTF-8
 * pass here; they do no harm in a name, and in a domain they are refused. */
static bool
is_atext(int c)
{
	return c >= 0x80 ||
	    (c > 0 &&
		(is_alnum((char)c) ||
		    strchr("!#$%&'*+-/=?^_`{|}~", c) != NULL));
}

/* Appends the octets from START to where IN begins now. */
static void
copy_from(struct parser *parser, const char *start)
{
	buf_append(parser->out, start, (size_t)(parser->in.data - start));
}

static void
read_atom(struct parser *parser)
{
	const char *start = parser->in.data;

	while (is_atext(peek(parser)))
		cfws_advance(&parser->in, 1);
	copy_from(parser, start);
}

/* A quoted string, copied with its quotes and without its folding. */
static bool
read_quoted(struct parser *parser)
{
	const char *start = parser->in.data;

	cfws_advance(&parser->in, 1);
	for (;;) {
		int c = peek(parser);
		const char *here = parser->in.data;

		if (cfws_take_fold(&parser->in)) {
			buf_append(parser->out, start, (size_t)(here - start));
			start = parser->in.data;
			continue;
		}
		if (!cfws_is_text(c))
			return false;
		cfws_advance(&parser->in, 1);
		if (c == '"')
			break;
		if (c == '\\' && !cfws_is_text(peek(parser)))
			return false;
		if (c == '\\')
			cfws_advance(&parser->in, 1);
	}
	copy_from(parser, start);
	return true;
}

/* What was read before an "@", "<", ":" or something else. */
struct words {
	bool any;
	bool name_only; /* words side by side: never a local part */
};

/* Words and dots, as they stand in display names and local parts (RFC 5322
 * section 3.2.5, 3.4.1 and 4.1). Dots are let stand anywhere, and brackets in
 * a name: such addresses are in use, and their domain is in no doubt. */
static bool
read_words(struct parser *parser, struct words *words_r)
{
	bool behind_word = false;

	*words_r = (struct words){ 0 };
	for (;;) {
		bool word;
		int c;

		if (!cfws_skip(&parser->in))
			return false;
		c = peek(parser);
		word = c == '"' || is_atext(c);
		if (c == '"') {
			if (!read_quoted(parser))
				return false;
		} else if (word) {
			read_atom(parser);
		} else if (c == '.') {
			cfws_advance(&parser->in, 1);
			buf_append_char(parser->out, '.');
		} else if (c == '[' || c == ']') {
			cfws_advance(&parser->in, 1);
			words_r->name_only = true;
		} else {
			return true;
		}
		if (word && behind_word)
			words_r->name_only = true;
		words_r->any |= word;
		behind_word = word;
	}
}

/* A domain literal (RFC 5322 section 3.4.1), without its white space: of what
 * might stand there only what RFC 5321 section 4.1.3 makes addresses of. */
static bool
read_literal(struct parser *parser)
{
	int c = peek(parser);

	do {
		if (!is_wsp((char)c))
			buf_append_char(parser->out, (char)c);
		cfws_advance(&parser->in, 1);
		while (cfws_take_fold(&parser->in))
			continue;
		c = peek(parser);
	} while (c > 0 && c < 0x80 &&
	    (is_alnum((char)c) || strchr(":.- \t", c) != NULL));
	buf_append_char(parser->out, ']');
	return take(parser, ']');
}

/* A domain with the comments and white space that obsolete syntax lets stand
 * around its dots (RFC 5322 section 4.4). */
static bool
read_domain(struct parser *parser)
{
	bool behind_atom = false, any = false;

	if (!cfws_skip(&parser->in))
		return false;
	if (peek(parser) == '[')
		return read_literal(parser);
	for (;;) {
		int c = peek(parser);

		if (c == '.') {
			cfws_advance(&parser->in, 1);
			buf_append_char(parser->out, '.');
			behind_atom = false;
		} else if (is_atext(c) && !behind_atom) {
			read_atom(parser);
			behind_atom = any = true;
		} else {
			return any;
		}
		if (!cfws_skip(&parser->in))
			return false;
	}
}

/* The route of an old address, "@a,@b:" (RFC 5322 section 4.4): skipped. */
static bool
skip_route(struct parser *parser)
{
	size_t len = parser->out->len;

	do {
		if (take(parser, '@') && !read_domain(parser))
			return false;
		if (!cfws_skip(&parser->in))
			return false;
		if (take(parser, ':')) {
			buf_truncate(parser->out, len);
			return true;
		}
	} while (peek(parser) == '@' || take(parser, ','));
	return false;
}

/* The rest of an address whose local part stands in OUT from LOCAL on. */
static bool
read_at_domain(struct parser *parser, size_t local, struct span *span_r)
{
	span_r->local = local;
	span_r->domain = parser->out->len;
	if (!take(parser, '@') || !read_domain(parser))
		return false;
	span_r->end = parser->out->len;
	return true;
}

/* "<local@domain>" */
static bool
read_angle(struct parser *parser, struct span *span_r)
{
	size_t local = parser->out->len;
	struct words words;

	if (!take(parser, '<') || !cfws_skip(&parser->in))
		return false;
	if ((peek(parser) == '@' || peek(parser) == ',') && !skip_route(parser))
		return false;
	return read_words(parser, &words) && words.any && !words.name_only &&
	    read_at_domain(parser, local, span_r) && take(parser, '>');
}

static struct bytes
span_domain(const struct parser *parser, const struct span *span)
{
	return bytes_of(
	    parser->out->data + span->domain, span->end - span->domain);
}

/* An address without brackets or, against the letter of RFC 5322 but in wide
 * use, one that serves as the name of the one in brackets behind it. Both must
 * then be of the same domain, or it would depend on the reader whose mail
 * this is. */
static bool
read_bare(struct parser *parser, size_t local, struct span *span_r)
{
	struct span name;

	if (!read_at_domain(parser, local, span_r) || !cfws_skip(&parser->in))
		return false;
	if (peek(parser) != '<')
		return true;
	name = *span_r;
	return read_angle(parser, span_r) && !parser->out->failed &&
	    domain_equal(
		span_domain(parser, &name), span_domain(parser, span_r));
}

/* A mailbox, or the beginning of a group. Mailboxes beyond those that are kept
 * leave nothing in OUT. */
static bool
read_element(struct parser *parser)
{
	size_t start = parser->out->len;
	struct span span;
	struct words words;
	bool ok;

	if (!read_words(parser, &words))
		return false;
	if (words.any && !parser->in_group && take(parser, ':')) {
		parser->in_group = true;
		buf_truncate(parser->out, start);
		return true;
	}
	if (peek(parser) == '<') {
		buf_truncate(parser->out, start);
		ok = read_angle(parser, &span);
	} else {
		ok = words.any && !words.name_only &&
		    read_bare(parser, start, &span);
	}
	if (!ok)
		return false;
	if (parser->mailboxes < parser->max)
		parser->spans[parser->mailboxes] = span;
	else
		buf_truncate(parser->out, start);
	parser->mailboxes++;
	return true;
}

/* Mailboxes and groups, between commas; the obsolete syntax lets elements be
 * empty (RFC 5322 section 4.4). */
static bool
read_list(struct parser *parser)
{
	bool ended = false; /* an element has, and its comma is due */

	for (;;) {
		size_t mailboxes = parser->mailboxes;

		if (!cfws_skip(&parser->in))
			return false;
		if (peek(parser) == CFWS_END)
			return !parser->in_group;
		if (take(parser, ',')) {
			ended = false;
		} else if (parser->in_group && take(parser, ';')) {
			parser->in_group = false;
			ended = true;
		} else {
			if (ended || !read_element(parser))
				return false;
			ended = parser->mailboxes != mailboxes;
		}
	}
}

bool
address_list_from_field(struct bytes value, struct buf *scratch,
    struct address *addresses_r, size_t max, size_t *count_r)
{
	struct span spans[ADDRESS_MAX_LISTED];
	struct parser parser = { .in = value,
		.out = scratch,
		.spans = spans,
		.max = max < ADDRESS_MAX_LISTED ? max : ADDRESS_MAX_LISTED };

	*count_r = 0;
	buf_clear(scratch);
	if (!read_list(&parser) || parser.mailboxes == 0 || scratch->failed)
		return false;
	*count_r = parser.mailboxes;
	for (size_t i = 0; i < parser.mailboxes && i < parser.max; i++) {
		addresses_r[i].local = bytes_of(scratch->data + spans[i].local,
		    spans[i].domain - spans[i].local);
		addresses_r[i].domain = span_domain(&parser, &spans[i]);
	}
	return true;
}

bool
address_from_field(struct bytes value, struct buf *scratch,
    struct address *address_r, size_t *count_r)
{
	return address_list_from_field(value, scratch, address_r, 1, count_r);
}

/* How many octets of PATH its local part takes; 0 where it is broken. */
static size_t
local_len(struct bytes path)
{
	size_t i = 0;

	if (path.len == 0 || path.data[0] != '"') {
		while (i < path.len &&
		    strchr("@\"<>\\ \t\r\n", path.data[i]) == NULL)
			i++;
		return i;
	}
	for (i = 1; i < path.len && path.data[i] != '"'; i++)
		if (path.data[i] == '\\')
			i++;
	return i < path.len ? i + 1 : 0;
}

bool
address_from_path(struct bytes path, struct address *address_r)
{
	const char *colon;
	size_t local;

	path = bytes_trim(path);
	if (path.len >= 2 && path.data[0] == '<' &&
	    path.data[path.len - 1] == '>')
		path = bytes_of(path.data + 1, path.len - 2);
	/* A source route is to be ignored (RFC 5321 section 4.1.1.3). */
	if (path.len > 0 && path.data[0] == '@') {
		colon = memchr(path.data, ':', path.len);
		if (colon == NULL)
			return false;
		path = bytes_of(
		    colon + 1, path.len - (size_t)(colon + 1 - path.data));
	}
	local = local_len(path);
	if (local == 0 || local + 1 >= path.len || path.data[local] != '@')
		return false;
	address_r->local = bytes_of(path.data, local);
	address_r->domain =
	    bytes_of(path.data + local + 1, path.len - local - 1);
	for (size_t i = 0; i < address_r->domain.len; i++)
		if (strchr("@<>\"\\,; \t\r\n", address_r->domain.data[i]) !=
		    NULL)
			return false;
	return true;
}
