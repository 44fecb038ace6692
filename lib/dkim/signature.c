/* SPDX-License-Identifier: BSD-2-Clause */
#include "signature.h"

#include <stdio.h>
#include <stdlib.h>

#include "base64.h"
#include "body_hash.h"
#include "quoted.h"
#include "taglist.h"
#include "utf8.h"

enum {
	TIME_MAX_DIGITS = 12,  /* RFC 6376 section 3.5, t= */
	LENGTH_MAX_DIGITS = 76 /* RFC 6376 section 3.5, l= */
};

#define TIME_MAX INT64_C(999999999999)

static const char *const canon_names[] = {
	[SIGNPOST_SIMPLE] = "simple",
	[SIGNPOST_RELAXED] = "relaxed",
};

static struct bytes
value_of(const struct taglist *tags, const char *name)
{
	const struct tag *tag = taglist_get(tags, name);

	return tag == NULL ? bytes_of(NULL, 0) : tag->value;
}

void
signature_describe(struct bytes value, struct signature_text *text_r)
{
	struct taglist tags;
	struct bytes b;

	taglist_parse(value, &tags);
	*text_r = (struct signature_text){
		.domain = value_of(&tags, "d"),
		.selector = value_of(&tags, "s"),
		.identity = value_of(&tags, "i"),
		.algorithm = value_of(&tags, "a"),
		.report_wanted = bytes_is(value_of(&tags, "r"), "y"),
	};
	b = value_of(&tags, "b");
	for (size_t i = 0; i < b.len && text_r->b_len < SIGNATURE_B_SHOWN;
	     i++) {
		if (!is_wsp(b.data[i]) && b.data[i] != '\r' &&
		    b.data[i] != '\n')
			text_r->b[text_r->b_len++] = b.data[i];
	}
}

static bool
ends_in_dot(struct bytes s)
{
	return s.len > 0 && s.data[s.len - 1] == '.';
}

bool
signature_domain(struct bytes s, char ascii_r[DOMAIN_SIZE])
{
	return !ends_in_dot(s) && domain_to_ascii(s, ascii_r) &&
	    strchr(ascii_r, '.') != NULL;
}

bool
signature_selector(struct bytes s, char ascii_r[DOMAIN_SIZE])
{
	return !ends_in_dot(s) && domain_to_ascii(s, ascii_r);
}

/* Whether LOCAL can stand before the "@" that counts: UTF-8 without control
 * characters, and a quoted string or something without quotes and another "@".
 * Empty is fine (RFC 6376 section 3.5, i=; RFC 6532 section 3.2). */
static bool
is_local_part(struct bytes local)
{
	bool quoted = local.len > 1 && local.data[0] == '"' &&
	    local.data[local.len - 1] == '"';
	size_t len;

	for (; local.len > 0; local.data += len, local.len -= len) {
		unsigned char octet = (unsigned char)local.data[0];

		len = utf8_character_len(local);
		if (len == 0 || octet < 0x20 || octet == 0x7f ||
		    (!quoted && (octet == '@' || octet == '"')))
			return false;
	}
	return true;
}

bool
signature_identity(
    struct bytes identity, const char *domain_ascii, char ascii_r[DOMAIN_SIZE])
{
	size_t at = identity.len;
	struct bytes local, domain;

	while (at > 0 && identity.data[at - 1] != '@')
		at--;
	if (at == 0)
		return false;
	local = bytes_of(identity.data, at - 1);
	domain = bytes_of(identity.data + at, identity.len - at);
	return is_local_part(local) && signature_domain(domain, ascii_r) &&
	    domain_is_under(ascii_r, domain_ascii);
}

bool
signature_key_name(const char *selector_ascii, const char *domain_ascii,
    char name_r[DOMAIN_SIZE])
{
	int len = snprintf(name_r, DOMAIN_SIZE, "%s._domainkey.%s",
	    selector_ascii, domain_ascii);

	return len > 0 && len < DOMAIN_SIZE;
}

/*
 * The readers of the tags: false where the value is not what it must be. Out
 * of memory shows in signature->octets.failed.
 */

static bool
read_version(struct signature *signature, struct bytes value)
{
	(void)signature;
	return bytes_is(value, "1");
}

static bool
read_algorithm(struct signature *signature, struct bytes value)
{
	for (unsigned i = 0; i < SIGNPOST_ALGORITHM_UNKNOWN; i++) {
		if (!bytes_is(value, signpost_algorithm_name(i)))
			continue;
		signature->algorithm = i;
		return true;
	}
	return false;
}

static bool
read_domain(struct signature *signature, struct bytes value)
{
	return signature_domain(value, signature->domain_ascii);
}

static bool
read_selector(struct signature *signature, struct bytes value)
{
	char ascii[DOMAIN_SIZE];

	return signature_selector(value, ascii) &&
	    signature_key_name(
		ascii, signature->domain_ascii, signature->key_name);
}

static bool
read_identity(struct signature *signature, struct bytes value)
{
	char ascii[DOMAIN_SIZE];
	struct buf decoded;
	bool good;

	buf_init(&decoded, SIZE_MAX);
	good = quoted_decode(value, &decoded) &&
	    signature_identity(
		buf_bytes(&decoded), signature->domain_ascii, ascii);
	if (decoded.failed)
		signature->octets.failed = true;
	buf_fini(&decoded);
	if (good)
		signature->in_subdomain =
		    strcmp(ascii, signature->domain_ascii) != 0;
	return good;
}

static bool
canon_of(struct bytes name, enum signpost_canon *canon_r)
{
	for (unsigned i = 0; i < 2; i++) {
		if (!bytes_is(name, canon_names[i]))
			continue;
		*canon_r = i;
		return true;
	}
	return false;
}

/* One name alone is that of the header; the body is "simple" then. */
static bool
read_canon(struct signature *signature, struct bytes value)
{
	struct bytes rest = value;
	struct bytes header;

	if (!bytes_next(&rest, '/', &header) ||
	    !canon_of(header, &signature->header_canon))
		return false;
	return rest.data == NULL || canon_of(rest, &signature->body_canon);
}

static bool
read_query(struct signature *signature, struct bytes value)
{
	struct bytes rest = value;
	struct bytes method;
	bool found = false;

	(void)signature;
	while (taglist_next_item(&rest, &method)) {
		if (method.len == 0)
			return false;
		if (bytes_is(method, "dns/txt"))
			found = true;
	}
	return found;
}

static bool
read_time(struct bytes value, int64_t *time_r)
{
	uint64_t seconds;

	if (!taglist_number(value, TIME_MAX_DIGITS, TIME_MAX, &seconds))
		return false;
	*time_r = (int64_t)seconds;
	return true;
}

static bool
read_signed_at(struct signature *signature, struct bytes value)
{
	return read_time(value, &signature->signed_at);
}

static bool
read_expires_at(struct signature *signature, struct bytes value)
{
	return read_time(value, &signature->expires_at) &&
	    signature->expires_at > signature->signed_at;
}

/* A number too large for any body stays one. */
static bool
read_length(struct signature *signature, struct bytes value)
{
	return taglist_number(value, LENGTH_MAX_DIGITS, BODY_HASH_NO_LIMIT - 1,
	    &signature->body_limit);
}

/* RFC 5322 section 3.6.8: printable ASCII without the colon, which separates
 * here, and the semicolon, which can't get here. */
static bool
is_field_name(struct bytes name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.data[i] < 0x21 || name.data[i] > 0x7e)
			return false;
	}
	return name.len > 0;
}

static bool
read_headers(struct signature *signature, struct bytes value)
{
	struct bytes rest = value;
	struct bytes name;
	size_t count = 1;

	for (size_t i = 0; i < value.len; i++) {
		if (value.data[i] == ':')
			count++;
	}
	if (count > SIGNPOST_MAX_SIGNED_HEADERS)
		return false;
	signature->names = calloc(count, sizeof(*signature->names));
	if (signature->names == NULL) {
		signature->octets.failed = true;
		return false;
	}
	while (taglist_next_item(&rest, &name)) {
		if (!is_field_name(name))
			return false;
		signature->names[signature->name_count++] = name;
	}
	return true;
}

/* RFC 6376 section 5.4 */
static bool
check_from(struct signature *signature, struct bytes value)
{
	(void)value;
	for (size_t i = 0; i < signature->name_count; i++) {
		if (bytes_is_nocase(signature->names[i], "From"))
			signature->from_count++;
	}
	return signature->from_count > 0;
}

/* A hash of another length than any digest has is no syntax error: it is one
 * that can't match. */
static bool
read_body_hash(struct signature *signature, struct bytes value)
{
	struct digest *hash = &signature->body_hash;
	struct buf decoded;
	bool good;

	buf_init(&decoded, SIZE_MAX);
	good = base64_decode(value, &decoded);
	if (decoded.failed)
		signature->octets.failed = true;
	else if (good && decoded.len <= HASH_MAX_BYTES) {
		memcpy(hash->data, decoded.data, decoded.len);
		hash->len = decoded.len;
	}
	buf_fini(&decoded);
	return good;
}

static bool
read_octets(struct signature *signature, struct bytes value)
{
	return base64_decode(value, &signature->octets);
}

struct rule {
	const char *tag;
	bool required;
	enum signpost_reason reason; /* where read says no */
	bool (*read)(struct signature *signature, struct bytes value);
};

/* In this order, as some build on others: d= before s= and i=, t= before x=. */
static const struct rule rules[] = {
	{ "v", true, SIGNPOST_REASON_VERSION, read_version },
	{ "a", true, SIGNPOST_REASON_ALGORITHM, read_algorithm },
	{ "d", true, SIGNPOST_REASON_DOMAIN, read_domain },
	{ "s", true, SIGNPOST_REASON_SELECTOR, read_selector },
	{ "i", false, SIGNPOST_REASON_IDENTITY, read_identity },
	{ "c", false, SIGNPOST_REASON_CANON, read_canon },
	{ "q", false, SIGNPOST_REASON_QUERY, read_query },
	{ "t", false, SIGNPOST_REASON_TIMES, read_signed_at },
	{ "x", false, SIGNPOST_REASON_TIMES, read_expires_at },
	{ "l", false, SIGNPOST_REASON_LENGTH, read_length },
	{ "h", true, SIGNPOST_REASON_HEADERS, read_headers },
	{ "h", true, SIGNPOST_REASON_FROM, check_from },
	{ "bh", true, SIGNPOST_REASON_BASE64, read_body_hash },
	{ "b", true, SIGNPOST_REASON_BASE64, read_octets },
};

static enum signpost_reason
apply_rules(const struct taglist *tags, struct signature *signature)
{
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		const struct tag *tag = taglist_get(tags, rules[i].tag);

		if (tag == NULL && rules[i].required)
			return SIGNPOST_REASON_TAG_MISSING;
		if (tag != NULL && !rules[i].read(signature, tag->value))
			return rules[i].reason;
	}
	signature->raw_b = taglist_get(tags, "b")->raw;
	signature->copies = value_of(tags, "z");
	return SIGNPOST_REASON_NONE;
}

enum signpost_status
signature_parse(struct bytes value, struct signature *signature_r,
    enum signpost_reason *reason_r)
{
	struct taglist tags;

	*signature_r = (struct signature){
		.algorithm = SIGNPOST_ALGORITHM_UNKNOWN,
		.body_limit = BODY_HASH_NO_LIMIT,
		.signed_at = -1,
		.expires_at = -1,
	};
	buf_init(&signature_r->octets, SIGNPOST_MAX_SIGNATURE_FIELD);
	*reason_r = SIGNPOST_REASON_TAGS;
	if (value.len > SIGNPOST_MAX_SIGNATURE_FIELD)
		return SIGNPOST_OK;
	switch (taglist_parse(value, &tags)) {
	case TAGLIST_OK:
		*reason_r = apply_rules(&tags, signature_r);
		break;
	case TAGLIST_REPEATED:
		*reason_r = SIGNPOST_REASON_TAG_REPEATED;
		break;
	case TAGLIST_SYNTAX:
		break;
	}
	return signature_r->octets.failed ? SIGNPOST_NOMEM : SIGNPOST_OK;
}

void
signature_fini(struct signature *signature)
{
	free(signature->names);
	signature->names = NULL;
	buf_fini(&signature->octets);
}

void
signature_append_blanked(
    const struct signature *signature, struct bytes value, struct buf *out)
{
	const char *end = signature->raw_b.data + signature->raw_b.len;
	size_t before = (size_t)(signature->raw_b.data - value.data);

	buf_append(out, value.data, before);
	buf_append(out, end, value.len - before - signature->raw_b.len);
}
