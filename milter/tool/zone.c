/* SPDX-License-Identifier: BSD-2-Clause */
#include "zone.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

#include "address.h"
#include "buf.h"

enum {
	/* Octets of a name as this module keeps it; longer ones are no names of
	 * DNS. */
	NAME_MAX_BYTES = 1024,
	/* CNAME records that are followed. */
	CNAME_MAX = 8
};

enum record_type {
	RECORD_TXT,
	RECORD_CNAME,
};

struct record {
	size_t name, name_len; /* in TEXT */
	size_t data, data_len; /* in TEXT */
	size_t order;	       /* in the file */
	enum record_type type;
};

struct zone {
	struct buf text;
	struct record *records; /* by name, then type, then order */
	size_t count, room;
};

/* RFC 1035 section 3.2.2 and the registry since. A word that is none of these,
 * and not TYPE123 (RFC 3597), is taken for a slip. */
static const char *const other_types[] = { "A", "AAAA", "AFSDB", "APL", "CAA",
	"CDNSKEY", "CDS", "CERT", "CSYNC", "DHCID", "DLV", "DNAME", "DNSKEY",
	"DS", "EUI48", "EUI64", "HINFO", "HIP", "HTTPS", "IPSECKEY", "ISDN",
	"KEY", "KX", "LOC", "MB", "MD", "MF", "MG", "MINFO", "MR", "MX",
	"NAPTR", "NS", "NSEC", "NSEC3", "NSEC3PARAM", "NULL", "OPENPGPKEY",
	"PTR", "PX", "RP", "RRSIG", "RT", "SIG", "SMIMEA", "SOA", "SPF", "SRV",
	"SSHFP", "SVCB", "TLSA", "URI", "WKS", "X25", "ZONEMD" };

static const char *const classes[] = { "IN", "CH", "CS", "HS" };

struct parser {
	struct zone *zone;
	struct bytes rest; /* what is still to be read */
	size_t line;
	unsigned depth;	  /* of parentheses */
	struct buf word;  /* the last word, escapes undone */
	bool quoted;	  /* it was in quotes */
	bool escaped_dot; /* it has one */
	char origin[NAME_MAX_BYTES];
	char owner[NAME_MAX_BYTES]; /* of the last record */
	bool has_owner;
	struct zone_error *error;
};

__attribute__((format(printf, 2, 3))) static bool
fail(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	parser->error->line = parser->line;
	va_start(arguments, format);
	vsnprintf(parser->error->text, sizeof(parser->error->text), format,
	    arguments);
	va_end(arguments);
	return false;
}

static bool
fail_memory(struct parser *parser)
{
	fail(parser, "out of memory");
	parser->error->line = 0;
	return false;
}

static void
advance(struct parser *parser)
{
	if (parser->rest.data[0] == '\n')
		parser->line++;
	parser->rest.data++;
	parser->rest.len--;
}

static bool
is_space(char c)
{
	return is_wsp(c) || c == '\r';
}

/* Goes to the next word of this record. False where it ends, be it with the
 * line or with the text, and after an error. */
static bool
find_word(struct parser *parser)
{
	bool comment = false;

	while (parser->rest.len > 0) {
		char c = parser->rest.data[0];

		if (c == '\n' && parser->depth == 0)
			return false;
		if (c == ')' && !comment && parser->depth == 0)
			return fail(parser, "\")\" without its \"(\"");
		if (c == '\n')
			comment = false;
		else if (c == ';')
			comment = true;
		else if (c == '(' && !comment)
			parser->depth++;
		else if (c == ')' && !comment)
			parser->depth--;
		else if (!comment && !is_space(c))
			return true;
		advance(parser);
	}
	return false;
}

/* Appends the character that a backslash stands before (RFC 1035 section 5.1):
 * \DDD or \X. */
static bool
read_escape(struct parser *parser)
{
	unsigned value = 0;
	char c;

	advance(parser);
	c = parser->rest.len > 0 ? parser->rest.data[0] : '\n';
	if (c == '\n')
		return fail(parser, "nothing behind \"\\\"");
	if (c < '0' || c > '9') {
		parser->escaped_dot |= c == '.';
		buf_append_char(&parser->word, c);
		advance(parser);
		return true;
	}
	for (int i = 0; i < 3; i++) {
		if (parser->rest.len == 0 || parser->rest.data[0] < '0' ||
		    parser->rest.data[0] > '9')
			return fail(parser, "\"\\\" wants three digits");
		value = value * 10 + (unsigned)(parser->rest.data[0] - '0');
		advance(parser);
	}
	if (value > 255)
		return fail(parser, "\"\\%u\" is more than 255", value);
	parser->escaped_dot |= value == '.';
	buf_append_char(&parser->word, (char)value);
	return true;
}

static bool
ends_bare_word(char c)
{
	return c == '\n' || is_space(c) || c == ';' || c == '(' || c == ')' ||
	    c == '"';
}

/* Reads the word or quoted string that find_word found. */
static bool
read_word(struct parser *parser)
{
	buf_clear(&parser->word);
	parser->escaped_dot = false;
	parser->quoted = parser->rest.data[0] == '"';
	if (parser->quoted)
		advance(parser);
	while (parser->rest.len > 0) {
		char c = parser->rest.data[0];

		if (parser->quoted ? c == '"' : ends_bare_word(c))
			break;
		if (c == '\n')
			return fail(parser, "a quote does not end");
		if (c == '\\') {
			if (!read_escape(parser))
				return false;
			continue;
		}
		buf_append_char(&parser->word, c);
		advance(parser);
	}
	if (parser->quoted && parser->rest.len == 0)
		return fail(parser, "a quote does not end");
	if (parser->quoted)
		advance(parser);
	return !parser->word.failed || fail_memory(parser);
}

/* Whether there was another word; false at the end of the record, too, where
 * the error has no text. */
static bool
next_word(struct parser *parser)
{
	return find_word(parser) && read_word(parser);
}

static bool
failed(const struct parser *parser)
{
	return parser->error->text[0] != '\0';
}

/* Reads over the rest of the record and its line end. */
static bool
end_record(struct parser *parser)
{
	while (next_word(parser))
		;
	if (failed(parser))
		return false;
	if (parser->depth > 0)
		return fail(parser, "\"(\" without its \")\"");
	if (parser->rest.len > 0)
		advance(parser);
	return true;
}

/* The word as an absolute name in lower case and without the dot at its end;
 * the root is the empty name. */
static bool
word_to_name(struct parser *parser, char name_r[NAME_MAX_BYTES])
{
	struct bytes word = buf_bytes(&parser->word);
	bool absolute = word.len > 0 && word.data[word.len - 1] == '.';
	char ascii[DOMAIN_SIZE];
	struct buf name;
	bool fits;

	/* A name that is no domain is let stand but marked, for nobody to find
	 * it: an escaped dot or a NUL must not make another name of it. */
	buf_init(&name, NAME_MAX_BYTES - 2);
	if (!bytes_is(word, "@") && !bytes_is(word, "."))
		buf_append(&name, word.data, word.len - absolute);
	if (!absolute && name.len > 0 && parser->origin[0] != '\0')
		buf_append_char(&name, '.');
	if (!absolute)
		buf_append_str(&name, parser->origin);
	fits = !name.failed;
	if (name.len == 0)
		name_r[0] = '\0';
	else if (!parser->escaped_dot &&
	    domain_to_ascii(buf_bytes(&name), ascii))
		memcpy(name_r, ascii, strlen(ascii) + 1);
	else
		snprintf(name_r, NAME_MAX_BYTES, "\\%s", name.data);
	buf_fini(&name);
	return fits || fail(parser, "a name is too long");
}

static bool
add_record(
    struct parser *parser, enum record_type type, size_t data, size_t data_len)
{
	struct zone *zone = parser->zone;
	size_t name_len = strlen(parser->owner);
	struct record *last =
	    zone->count > 0 ? &zone->records[zone->count - 1] : NULL;
	struct record *grown;
	size_t name = zone->text.len;

	/* Records of one name mostly follow each other. */
	if (last != NULL && last->name_len == name_len &&
	    memcmp(zone->text.data + last->name, parser->owner, name_len) == 0)
		name = last->name;
	else
		buf_append(&zone->text, parser->owner, name_len);
	if (zone->count == zone->room) {
		zone->room = zone->room == 0 ? 64 : 2 * zone->room;
		grown = reallocarray(zone->records, zone->room, sizeof(*grown));
		if (grown == NULL)
			return fail_memory(parser);
		zone->records = grown;
	}
	zone->records[zone->count] = (struct record){ .name = name,
		.name_len = name_len,
		.data = data,
		.data_len = data_len,
		.order = zone->count,
		.type = type };
	zone->count++;
	return !zone->text.failed || fail_memory(parser);
}

static bool
read_txt(struct parser *parser)
{
	size_t data = parser->zone->text.len, strings = 0;

	for (; next_word(parser); strings++)
		buf_append_bytes(&parser->zone->text, buf_bytes(&parser->word));
	if (failed(parser))
		return false;
	if (strings == 0)
		return fail(parser, "a TXT record without a string");
	return add_record(
	    parser, RECORD_TXT, data, parser->zone->text.len - data);
}

static bool
read_cname(struct parser *parser)
{
	size_t data = parser->zone->text.len;
	char name[NAME_MAX_BYTES];

	if (!next_word(parser))
		return failed(parser)
		    ? false
		    : fail(parser, "a CNAME record without a name");
	if (!word_to_name(parser, name))
		return false;
	buf_append_str(&parser->zone->text, name);
	return add_record(
	    parser, RECORD_CNAME, data, parser->zone->text.len - data);
}

static bool
word_is_one_of(
    const struct parser *parser, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes_is_nocase(buf_bytes(&parser->word), words[i]))
			return true;
	return false;
}

static bool
word_has_digits_behind(const struct parser *parser, const char *prefix)
{
	struct bytes word = buf_bytes(&parser->word);
	size_t len = strlen(prefix);

	if (word.len <= len ||
	    !bytes_equal_nocase(
		bytes_of(word.data, len), bytes_of(prefix, len)))
		return false;
	for (size_t i = len; i < word.len; i++)
		if (word.data[i] < '0' || word.data[i] > '9')
			return false;
	return true;
}

/* A TTL: seconds, or numbers with a unit each, as in 1h30m. */
static bool
word_is_ttl(const struct parser *parser)
{
	struct bytes word = buf_bytes(&parser->word);

	if (word.len == 0 || word.data[0] < '0' || word.data[0] > '9')
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (word.data[i] == '\0' ||
		    strchr("0123456789smhdwSMHDW", word.data[i]) == NULL)
			return false;
	return true;
}

static bool
word_is_class(const struct parser *parser)
{
	return word_is_one_of(
		   parser, classes, sizeof(classes) / sizeof(classes[0])) ||
	    word_has_digits_behind(parser, "CLASS");
}

/* [TTL] [class] type, or [class] [TTL] type, and what belongs to the type. */
static bool
read_record(struct parser *parser)
{
	struct bytes word;

	do {
		if (!next_word(parser))
			return failed(parser)
			    ? false
			    : fail(parser, "a record without a type");
	} while (
	    !parser->quoted && (word_is_ttl(parser) || word_is_class(parser)));
	word = buf_bytes(&parser->word);
	if (bytes_is_nocase(word, "TXT"))
		return read_txt(parser);
	if (bytes_is_nocase(word, "CNAME"))
		return read_cname(parser);
	if (word_has_digits_behind(parser, "TYPE") ||
	    word_is_one_of(parser, other_types,
		sizeof(other_types) / sizeof(other_types[0])))
		return true;
	return fail(parser, "\"%.*s\" is no type of record",
	    (int)(word.len < 40 ? word.len : 40), word.data);
}

static bool
read_directive(struct parser *parser)
{
	struct bytes word = buf_bytes(&parser->word);

	if (bytes_is_nocase(word, "$TTL"))
		return next_word(parser) ? true
		    : failed(parser)	 ? false
				     : fail(parser, "$TTL without a number");
	if (!bytes_is_nocase(word, "$ORIGIN"))
		return fail(parser,
		    "%.*s is not supported here; write the records into this "
		    "file",
		    (int)(word.len < 40 ? word.len : 40), word.data);
	if (!next_word(parser))
		return failed(parser) ? false
				      : fail(parser, "$ORIGIN without a name");
	return word_to_name(parser, parser->origin);
}

/* A line: a directive, a record, or nothing. */
static bool
read_entry(struct parser *parser)
{
	bool same_owner = is_space(parser->rest.data[0]);

	if (!find_word(parser))
		return !failed(parser) && end_record(parser);
	if (!same_owner) {
		if (!read_word(parser))
			return false;
		if (!parser->quoted && parser->word.len > 0 &&
		    parser->word.data[0] == '$')
			return read_directive(parser) && end_record(parser);
		if (!word_to_name(parser, parser->owner))
			return false;
		parser->has_owner = true;
	}
	if (!parser->has_owner)
		return fail(parser, "a record without a name");
	return read_record(parser) && end_record(parser);
}

static int
compare_names(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static int
compare_records(const void *a_record, const void *b_record, void *text)
{
	const struct record *a = a_record, *b = b_record;
	const char *data = text;
	int order = compare_names(
	    data + a->name, a->name_len, data + b->name, b->name_len);

	if (order != 0)
		return order;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

struct zone *
zone_parse(struct bytes text, struct zone_error *error_r)
{
	struct parser parser = { .rest = text, .line = 1, .error = error_r };
	bool ok = true;

	*error_r = (struct zone_error){ 0 };
	parser.zone = calloc(1, sizeof(*parser.zone));
	if (parser.zone == NULL) {
		fail_memory(&parser);
		return NULL;
	}
	buf_init(&parser.zone->text, SIZE_MAX);
	buf_init(&parser.word, SIZE_MAX);
	while (ok && parser.rest.len > 0)
		ok = read_entry(&parser);
	buf_fini(&parser.word);
	if (!ok) {
		zone_free(parser.zone);
		return NULL;
	}
	if (parser.zone->count > 0)
		qsort_r(parser.zone->records, parser.zone->count,
		    sizeof(struct record), compare_records,
		    parser.zone->text.data);
	return parser.zone;
}

void
zone_free(struct zone *zone)
{
	if (zone == NULL)
		return;
	buf_fini(&zone->text);
	free(zone->records);
	free(zone);
}

/* The number of the first record whose name is not before NAME. */
static size_t
first_record(const struct zone *zone, struct bytes name)
{
	size_t low = 0, high = zone->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct record *record = &zone->records[middle];

		if (compare_names(zone->text.data + record->name,
			record->name_len, name.data, name.len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
is_at(
    const struct zone *zone, size_t i, struct bytes name, enum record_type type)
{
	return i < zone->count && zone->records[i].type == type &&
	    bytes_equal(bytes_of(zone->text.data + zone->records[i].name,
			    zone->records[i].name_len),
		name);
}

static struct bytes
record_data(const struct zone *zone, size_t i)
{
	return bytes_of(
	    zone->text.data + zone->records[i].data, zone->records[i].data_len);
}

enum zone_answer
zone_find(const struct zone *zone, const char *name, struct bytes *records_r,
    size_t max, size_t *count_r)
{
	struct bytes wanted = bytes_str(name);

	*count_r = 0;
	for (int hops = 0; hops <= CNAME_MAX; hops++) {
		size_t i = first_record(zone, wanted);

		for (; is_at(zone, i, wanted, RECORD_TXT) && *count_r < max;
		     i++)
			records_r[(*count_r)++] = record_data(zone, i);
		if (*count_r > 0)
			return ZONE_FOUND;
		if (!is_at(zone, i, wanted, RECORD_CNAME))
			return ZONE_NO_NAME;
		wanted = record_data(zone, i);
	}
	return ZONE_LOOP;
}
