/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_set.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base64.h"
#include "taglist.h"

struct signpost_key_set {
	atomic_uint refs;
	size_t count;
	struct key_record records[];
};

struct key_type_name {
	const char *name;
	enum key_type type;
};

/* k= (RFC 6376 section 3.6.1, RFC 8463 section 4.2) */
static const struct key_type_name key_types[] = {
	{ "rsa", KEY_RSA },
	{ "ed25519", KEY_ED25519 },
};

/* Whether the list of TAG holds ITEM; FALLBACK where there is no such tag. */
static bool
lists(const struct taglist *tags, const char *tag, const char *item,
    bool fallback)
{
	const struct tag *list = taglist_get(tags, tag);
	struct bytes rest, part;

	if (list == NULL)
		return fallback;
	rest = list->value;
	while (taglist_next_item(&rest, &part)) {
		if (bytes_is(part, item))
			return true;
	}
	return false;
}

/* v= may be left out, but where it is it comes first and is DKIM1. */
static enum signpost_reason
check_version(const struct taglist *tags)
{
	const struct tag *version = taglist_get(tags, "v");

	if (version == NULL)
		return SIGNPOST_REASON_NONE;
	if (version != &tags->tags[0])
		return SIGNPOST_REASON_KEY_SYNTAX;
	if (!bytes_is(version->value, "DKIM1"))
		return SIGNPOST_REASON_KEY_VERSION;
	return SIGNPOST_REASON_NONE;
}

static bool
find_type(const struct taglist *tags, enum key_type *type_r)
{
	const struct tag *tag = taglist_get(tags, "k");
	struct bytes name = tag == NULL ? bytes_str("rsa") : tag->value;

	for (size_t i = 0; i < sizeof key_types / sizeof key_types[0]; i++) {
		if (!bytes_is(name, key_types[i].name))
			continue;
		*type_r = key_types[i].type;
		return true;
	}
	return false;
}

/* Reads p= of a record whose tags are in order. */
static enum signpost_status
read_key(const struct signpost *handle, const struct taglist *tags,
    struct buf *scratch, struct key_record *record)
{
	const struct tag *data = taglist_get(tags, "p");
	enum signpost_status status;

	if (data == NULL) {
		record->reason = SIGNPOST_REASON_KEY_SYNTAX;
		return SIGNPOST_OK;
	}
	if (data->value.len == 0) {
		record->reason = SIGNPOST_REASON_KEY_REVOKED;
		return SIGNPOST_OK;
	}
	if (!find_type(tags, &record->type)) {
		record->reason = SIGNPOST_REASON_KEY_TYPE;
		return SIGNPOST_OK;
	}
	buf_clear(scratch);
	if (!base64_decode(data->value, scratch)) {
		record->reason = SIGNPOST_REASON_KEY_SYNTAX;
		return SIGNPOST_OK;
	}
	if (scratch->failed)
		return SIGNPOST_NOMEM;
	status = key_read_public(handle, record->type, buf_bytes(scratch),
	    &record->key, &record->bits);
	if (status == SIGNPOST_SYNTAX)
		record->reason = SIGNPOST_REASON_KEY_SYNTAX;
	else if (status == SIGNPOST_CRYPTO)
		record->reason = SIGNPOST_REASON_INTERNAL;
	return status == SIGNPOST_NOMEM ? SIGNPOST_NOMEM : SIGNPOST_OK;
}

/* The checks of RFC 6376 section 6.1.2 that need no signature, in its order. */
static enum signpost_status
parse_record(const struct signpost *handle, struct bytes text,
    struct buf *scratch, struct key_record *record)
{
	struct taglist tags;

	*record = (struct key_record){ .reason = SIGNPOST_REASON_KEY_SYNTAX };
	if (text.len > SIGNPOST_MAX_RECORD_BYTES ||
	    taglist_parse(text, &tags) != TAGLIST_OK)
		return SIGNPOST_OK;
	record->reason = check_version(&tags);
	if (record->reason != SIGNPOST_REASON_NONE)
		return SIGNPOST_OK;
	if (!lists(&tags, "s", "*", true) && !lists(&tags, "s", "email", true))
		record->reason = SIGNPOST_REASON_KEY_SERVICE;
	record->allows_sha256 = lists(&tags, "h", "sha256", true);
	record->allows_sha1 = lists(&tags, "h", "sha1", true);
	record->strict = lists(&tags, "t", "s", false);
	record->testing = lists(&tags, "t", "y", false);
	if (record->reason != SIGNPOST_REASON_NONE)
		return SIGNPOST_OK;
	return read_key(handle, &tags, scratch, record);
}

enum signpost_status
signpost_key_set_parse(struct signpost *handle,
    const struct signpost_text *records, size_t count,
    struct signpost_key_set **keys_r)
{
	struct signpost_key_set *keys;
	struct buf scratch;
	enum signpost_status status = SIGNPOST_OK;

	*keys_r = NULL;
	if (count > SIGNPOST_MAX_KEY_RECORDS)
		count = SIGNPOST_MAX_KEY_RECORDS;
	keys = calloc(1, sizeof(*keys) + count * sizeof(keys->records[0]));
	if (keys == NULL)
		return SIGNPOST_NOMEM;
	atomic_init(&keys->refs, 1);
	keys->count = count;
	buf_init(&scratch, SIGNPOST_MAX_RECORD_BYTES);
	for (size_t i = 0; i < count && status == SIGNPOST_OK; i++)
		status = parse_record(handle,
		    bytes_of(records[i].data, records[i].len), &scratch,
		    &keys->records[i]);
	buf_fini(&scratch);
	if (status == SIGNPOST_OK)
		*keys_r = keys;
	else
		signpost_key_set_unref(keys);
	return status;
}

struct signpost_key_set *
signpost_key_set_ref(struct signpost_key_set *keys)
{
	atomic_fetch_add_explicit(&keys->refs, 1, memory_order_relaxed);
	return keys;
}

void
signpost_key_set_unref(struct signpost_key_set *keys)
{
	if (keys == NULL ||
	    atomic_fetch_sub_explicit(&keys->refs, 1, memory_order_acq_rel) !=
		1)
		return;
	for (size_t i = 0; i < keys->count; i++)
		crypto_key_free(keys->records[i].key);
	free(keys);
}

/* What libcrypto takes for a key was measured: some 3 kB for any, and for RSA
 * what its first use adds, which grows with the modulus. */
size_t
signpost_key_set_bytes(const struct signpost_key_set *keys)
{
	size_t bytes = sizeof(*keys);

	for (size_t i = 0; i < keys->count; i++) {
		const struct key_record *record = &keys->records[i];

		bytes += sizeof(*record);
		if (record->key != NULL)
			bytes += 3072 + (size_t)record->bits * 2;
	}
	return bytes;
}

size_t
key_set_count(const struct signpost_key_set *keys)
{
	return keys->count;
}

const struct key_record *
key_set_get(const struct signpost_key_set *keys, size_t i)
{
	assert(i < keys->count);
	return &keys->records[i];
}

enum signpost_reason
key_record_refuses(const struct key_record *record,
    enum signpost_algorithm algorithm, bool subdomain)
{
	bool allowed = algorithm == SIGNPOST_RSA_SHA1 ? record->allows_sha1
						      : record->allows_sha256;

	if (record->reason != SIGNPOST_REASON_NONE)
		return record->reason;
	if (!allowed)
		return SIGNPOST_REASON_KEY_HASH;
	if (record->type != key_type_of(algorithm))
		return SIGNPOST_REASON_KEY_TYPE;
	if (record->strict && subdomain)
		return SIGNPOST_REASON_KEY_STRICT;
	return SIGNPOST_REASON_NONE;
}

enum signpost_reason
signpost_key_set_publishes(
    const struct signpost_key_set *keys, const struct signpost_private_key *key)
{
	enum signpost_algorithm algorithm = signpost_private_key_algorithm(key);
	enum signpost_reason first = SIGNPOST_REASON_NONE;

	for (size_t i = 0; i < keys->count; i++) {
		const struct key_record *record = &keys->records[i];
		enum signpost_reason reason =
		    key_record_refuses(record, algorithm, false);

		if (reason == SIGNPOST_REASON_NONE) {
			if (record->key != NULL &&
			    key_is_half_of(record->key, key))
				return SIGNPOST_REASON_NONE;
			reason = SIGNPOST_REASON_SIGNATURE;
		}
		if (first == SIGNPOST_REASON_NONE)
			first = reason;
	}
	return keys->count == 0 ? SIGNPOST_REASON_NO_KEY : first;
}
