/* SPDX-License-Identifier: BSD-2-Clause */
#include "headers.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "canon_header.h"
#include "keyhash.h"

#define NONE UINT32_MAX

enum {
	FIRST_RECORDS = 32,
	FIRST_SLOTS = 64 /* a power of two, as every later number is */
};

/* A field: where its octets lie in the text, and its place among those of the
 * same name. */
struct record {
	uint32_t at; /* name, white space before the colon, value follow */
	uint32_t name_len;
	uint32_t colon_len;
	uint32_t value_len;
	uint32_t hash;	   /* of the name in lower case */
	uint32_t previous; /* the field of this name before it, or NONE */
	uint32_t nth;	   /* how many of this name are before it */
};

struct signpost_headers {
	struct buf text;
	struct record *records;
	size_t count;
	size_t room;	 /* records allocated */
	uint32_t *slots; /* the last field of each name, or NONE; by hash, the
	                    next free slot where that one is taken */
	size_t slot_count;
	size_t names; /* slots taken */
	size_t bytes; /* that count against max_bytes */
	size_t max_bytes;
	uint64_t seed;
};

static void
clear_slots(uint32_t *slots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		slots[i] = NONE;
}

enum signpost_status
signpost_headers_new(size_t max_bytes, struct signpost_headers **headers_r)
{
	struct signpost_headers *headers = calloc(1, sizeof *headers);

	*headers_r = NULL;
	if (headers == NULL)
		return SIGNPOST_NOMEM;
	/* Offsets are of 32 bits. */
	headers->max_bytes = max_bytes < UINT32_MAX ? max_bytes : UINT32_MAX;
	buf_init(&headers->text, headers->max_bytes);
	headers->records = calloc(FIRST_RECORDS, sizeof *headers->records);
	headers->room = FIRST_RECORDS;
	headers->slots = calloc(FIRST_SLOTS, sizeof *headers->slots);
	headers->slot_count = FIRST_SLOTS;
	if (headers->records == NULL || headers->slots == NULL ||
	    !keyhash_seed(&headers->seed)) {
		signpost_headers_free(headers);
		return SIGNPOST_NOMEM;
	}
	clear_slots(headers->slots, headers->slot_count);
	*headers_r = headers;
	return SIGNPOST_OK;
}

void
signpost_headers_free(struct signpost_headers *headers)
{
	if (headers == NULL)
		return;
	buf_fini(&headers->text);
	free(headers->records);
	free(headers->slots);
	free(headers);
}

void
signpost_headers_reset(struct signpost_headers *headers)
{
	buf_clear(&headers->text);
	headers->count = 0;
	headers->bytes = 0;
	if (headers->names > 0)
		clear_slots(headers->slots, headers->slot_count);
	headers->names = 0;
}

static struct bytes
name_of(const struct signpost_headers *headers, const struct record *record)
{
	return bytes_of(headers->text.data + record->at, record->name_len);
}

/* The slot of NAME, taken or free. */
static uint32_t *
find_slot(
    const struct signpost_headers *headers, uint32_t hash, struct bytes name)
{
	size_t i = hash;

	for (;; i++) {
		uint32_t *slot = &headers->slots[i & (headers->slot_count - 1)];
		const struct record *last;

		if (*slot == NONE)
			return slot;
		last = &headers->records[*slot];
		if (last->hash == hash &&
		    bytes_equal_nocase(name_of(headers, last), name))
			return slot;
	}
}

static uint32_t
hash_name(const struct signpost_headers *headers, struct bytes name)
{
	return (uint32_t)keyhash_nocase(headers->seed, name);
}

/* The last field of NAME, or NONE. */
static uint32_t
last_of(const struct signpost_headers *headers, struct bytes name)
{
	return *find_slot(headers, hash_name(headers, name), name);
}

static bool
reserve_record(struct signpost_headers *headers)
{
	struct record *records;

	if (headers->count < headers->room)
		return true;
	records =
	    reallocarray(headers->records, headers->room, 2 * sizeof *records);
	if (records == NULL)
		return false;
	headers->records = records;
	headers->room *= 2;
	return true;
}

/* Keeps half of the slots free. */
static bool
reserve_slot(struct signpost_headers *headers)
{
	size_t old_count = headers->slot_count;
	uint32_t *old = headers->slots;
	uint32_t *slots;

	if (headers->names < old_count / 2)
		return true;
	slots = calloc(old_count, 2 * sizeof *slots);
	if (slots == NULL)
		return false;
	clear_slots(slots, old_count * 2);
	headers->slots = slots;
	headers->slot_count = old_count * 2;
	for (size_t i = 0; i < old_count; i++) {
		const struct record *last;

		if (old[i] == NONE)
			continue;
		last = &headers->records[old[i]];
		*find_slot(headers, last->hash, name_of(headers, last)) =
		    old[i];
	}
	free(old);
	return true;
}

/* The end of the part of VALUE from AT on that is copied as it is: a lone LF or
 * the end of VALUE. */
static size_t
find_lone_lf(struct bytes value, size_t at)
{
	while (at < value.len) {
		const char *lf = memchr(value.data + at, '\n', value.len - at);

		if (lf == NULL)
			break;
		if (lf == value.data || lf[-1] != '\r')
			return (size_t)(lf - value.data);
		at = (size_t)(lf - value.data) + 1;
	}
	return value.len;
}

static size_t
count_lone_lfs(struct bytes value)
{
	size_t count = 0;

	for (size_t at = find_lone_lf(value, 0); at < value.len;
	     at = find_lone_lf(value, at + 1))
		count++;
	return count;
}

static void
append_value(struct buf *text, struct bytes value)
{
	size_t at = 0;

	while (at < value.len) {
		size_t lf = find_lone_lf(value, at);

		buf_append(text, value.data + at, lf - at);
		if (lf < value.len)
			buf_append_str(text, "\r\n");
		at = lf + 1;
	}
}

/* Puts RECORD, the newest, at the end of the fields of its name. */
static void
link_record(struct signpost_headers *headers, struct record *record)
{
	struct bytes name = name_of(headers, record);
	uint32_t *slot;

	record->hash = hash_name(headers, name);
	slot = find_slot(headers, record->hash, name);
	record->previous = *slot;
	record->nth = *slot == NONE ? 0 : headers->records[*slot].nth + 1;
	headers->names += *slot == NONE;
	*slot = (uint32_t)headers->count++;
}

enum signpost_status
signpost_headers_add(struct signpost_headers *headers, const char *name,
    size_t name_len, const char *value, size_t value_len)
{
	struct bytes body = bytes_of(value, value_len);
	size_t left = headers->max_bytes - headers->bytes;
	size_t trimmed = name_len;
	struct record *record;
	size_t len, counts;

	while (trimmed > 0 && is_wsp(name[trimmed - 1]))
		trimmed--;
	if (trimmed == 0)
		return SIGNPOST_SYNTAX;
	if (name_len > left || value_len > left)
		return SIGNPOST_LIMIT;
	len = value_len + count_lone_lfs(body);
	counts = name_len + strlen(":") + len + strlen("\r\n");
	if (counts < SIGNPOST_FIELD_BYTES)
		counts = SIGNPOST_FIELD_BYTES;
	if (counts > left)
		return SIGNPOST_LIMIT;
	buf_reserve(&headers->text, name_len + len);
	if (headers->text.failed || !reserve_record(headers) ||
	    !reserve_slot(headers))
		return SIGNPOST_NOMEM;
	record = &headers->records[headers->count];
	*record = (struct record){ .at = (uint32_t)headers->text.len,
		.name_len = (uint32_t)trimmed,
		.colon_len = (uint32_t)(name_len - trimmed),
		.value_len = (uint32_t)len };
	buf_append(&headers->text, name, name_len);
	append_value(&headers->text, body);
	link_record(headers, record);
	headers->bytes += counts;
	return SIGNPOST_OK;
}

size_t
headers_count(const struct signpost_headers *headers)
{
	return headers->count;
}

struct field
headers_get(const struct signpost_headers *headers, size_t i)
{
	const struct record *record;
	const char *at;

	assert(i < headers->count);
	record = &headers->records[i];
	at = headers->text.data + record->at;
	return (struct field){
		.name = bytes_of(at, record->name_len),
		.colon = bytes_of(at + record->name_len, record->colon_len),
		.value = bytes_of(at + record->name_len + record->colon_len,
		    record->value_len),
	};
}

size_t
headers_find_last(
    const struct signpost_headers *headers, struct bytes name, size_t before)
{
	uint32_t i = last_of(headers, name);

	while (i != NONE && i >= before)
		i = headers->records[i].previous;
	return i == NONE ? SIZE_MAX : i;
}

size_t
headers_occurrences(const struct signpost_headers *headers, struct bytes name)
{
	uint32_t last = last_of(headers, name);

	return last == NONE ? 0 : (size_t)headers->records[last].nth + 1;
}

void
headers_append_canonical(const struct signpost_headers *headers, size_t i,
    enum signpost_canon canon, struct buf *out)
{
	struct field field = headers_get(headers, i);

	canon_header(canon,
	    bytes_of(field.name.data, field.name.len + field.colon.len),
	    field.value, out);
}

enum signpost_status
headers_select(const struct signpost_headers *headers,
    const struct bytes *names, size_t count, headers_visit *visit, void *ctx)
{
	/* For the last field of each name, the one to be taken next. */
	uint32_t *next;

	if (headers->count == 0)
		return SIGNPOST_OK;
	next = calloc(headers->count, sizeof *next);
	if (next == NULL)
		return SIGNPOST_NOMEM;
	for (size_t i = 0; i < headers->count; i++)
		next[i] = (uint32_t)i;
	for (size_t i = 0; i < count; i++) {
		uint32_t last = last_of(headers, names[i]);

		if (last == NONE || next[last] == NONE)
			continue;
		visit(ctx, next[last]);
		next[last] = headers->records[next[last]].previous;
	}
	free(next);
	return SIGNPOST_OK;
}
