/* SPDX-License-Identifier: BSD-2-Clause */
#include "copied_fields.h"

#include "canon_header.h"
#include "quoted.h"

enum {
	MAX_COPIES = 128, /* that are looked at */
	MAX_TOLD = 16,
	MAX_NAME_BYTES = 64 /* of one that is told */
};

/*
 * Writing
 */
struct writing {
	const struct signpost_headers *headers;
	struct buf *text;
};

static void
write_copy(void *ctx, size_t field)
{
	struct writing *writing = ctx;
	struct field copied = headers_get(writing->headers, field);

	if (writing->text->len > 0)
		buf_append_char(writing->text, '|');
	buf_append_bytes(writing->text, copied.name);
	buf_append_char(writing->text, ':');
	quoted_append(copied.value, writing->text);
}

/* How much of TEXT no line may be folded within: a name with what stands
 * around it, or an octet. */
static size_t
unit_len(struct bytes text, bool begins_copy)
{
	const char *colon;

	if (!begins_copy && text.data[0] != '|')
		return text.data[0] == '=' ? 3 : 1;
	colon = memchr(text.data, ':', text.len);
	return (size_t)(colon - text.data) + 1;
}

static void
fold(struct bytes text, struct field_writer *writer)
{
	bool begins = true;

	field_writer_add(writer, " ", bytes_str("z="));
	while (text.len > 0) {
		size_t len = unit_len(text, begins);

		field_writer_add(writer, "", bytes_of(text.data, len));
		text.data += len;
		text.len -= len;
		begins = false;
	}
	field_writer_add(writer, "", bytes_str(";"));
}

enum signpost_status
copied_fields_write(const struct signpost_headers *headers,
    const struct bytes *names, size_t count, struct field_writer *writer)
{
	struct buf text;
	struct writing writing = { headers, &text };
	enum signpost_status status = SIGNPOST_NOMEM;

	buf_init(&text, COPIED_FIELDS_MAX_BYTES);
	buf_reserve(&text, COPIED_FIELDS_MAX_BYTES);
	if (!text.failed)
		status =
		    headers_select(headers, names, count, write_copy, &writing);
	/* With the memory there, failing is being too long. */
	if (status == SIGNPOST_OK && !text.failed)
		fold(buf_bytes(&text), writer);
	buf_fini(&text);
	return status;
}

/*
 * Comparing
 */
struct copy {
	struct bytes name, value;
};

struct comparison {
	const struct signpost_headers *headers;
	const struct signature *signature;
	struct copy copies[MAX_COPIES];
	size_t count;
	struct buf decoded, canonical; /* scratch */
	struct buf names;	       /* told */
	size_t told;
};

/* A part that is no copy is passed over: the tag decides nothing. */
static void
read_copies(struct comparison *comparison)
{
	struct bytes rest = comparison->signature->copies;
	struct bytes part;

	while (
	    comparison->count < MAX_COPIES && bytes_next(&rest, '|', &part)) {
		struct copy copy = { .value = part };

		if (!bytes_next(&copy.value, ':', &copy.name) ||
		    copy.value.data == NULL)
			continue;
		copy.name = bytes_trim(copy.name);
		comparison->copies[comparison->count++] = copy;
	}
}

static void
tell(struct comparison *comparison, struct bytes name)
{
	if (comparison->told == MAX_TOLD || name.len > MAX_NAME_BYTES)
		return;
	if (comparison->told++ > 0)
		buf_append_char(&comparison->names, ':');
	buf_append_bytes(&comparison->names, name);
}

/* How many copies there are of NAME among the first COUNT. */
static size_t
copies_of(const struct comparison *comparison, struct bytes name, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += bytes_equal_nocase(comparison->copies[i].name, name);
	return found;
}

/* How often h= has NAME among its first COUNT names. */
static size_t
signed_times(const struct signature *signature, struct bytes name, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += bytes_equal_nocase(signature->names[i], name);
	return found;
}

/* Some signers leave the white space out that a value begins with. */
static struct bytes
without_space(struct bytes value)
{
	while (value.len > 0 && is_wsp(value.data[0])) {
		value.data++;
		value.len--;
	}
	return value;
}

/* Whether COPY is one of FIELD, as the signature's canonicalization has it. A
 * copy that can't be read is not held against the field. */
static bool
is_copy_of(struct comparison *comparison, const struct copy *copy, size_t field)
{
	enum signpost_canon canon = comparison->signature->header_canon;
	struct field now = headers_get(comparison->headers, field);
	struct buf *canonical = &comparison->canonical;
	struct bytes then;
	size_t mark;

	buf_clear(&comparison->decoded);
	if (!quoted_decode(copy->value, &comparison->decoded))
		return true;
	then = buf_bytes(&comparison->decoded);
	if (then.len == 0 || !is_wsp(then.data[0]))
		now.value = without_space(now.value);
	buf_clear(canonical);
	canon_header(canon, copy->name, then, canonical);
	mark = canonical->len;
	canon_header(canon, now.name, now.value, canonical);
	return canonical->failed ||
	    bytes_equal(bytes_of(canonical->data, mark),
		bytes_of(canonical->data + mark, canonical->len - mark));
}

/* Whether the COUNT copies called like copy FIRST, of which it is the first,
 * are those of the lowest fields of the name: the lowest first, as h= takes
 * them, or last. */
static bool
are_copies(struct comparison *comparison, size_t first, size_t count,
    bool lowest_first)
{
	struct bytes name = comparison->copies[first].name;
	size_t fields[MAX_COPIES];
	size_t at = headers_count(comparison->headers), k = 0;

	for (size_t i = 0; i < count; i++)
		fields[i] = at =
		    headers_find_last(comparison->headers, name, at);
	for (size_t i = first; i < comparison->count; i++) {
		if (!bytes_equal_nocase(comparison->copies[i].name, name))
			continue;
		if (!is_copy_of(comparison, &comparison->copies[i],
			fields[lowest_first ? k : count - 1 - k]))
			return false;
		k++;
	}
	return true;
}

/* Copy FIRST is the first of its name. Where there are more copies than the
 * signature covers fields, nobody knows which they are of. */
static bool
has_changed(struct comparison *comparison, size_t first)
{
	struct bytes name = comparison->copies[first].name;
	const struct signature *signature = comparison->signature;
	size_t copies = copies_of(comparison, name, comparison->count);
	size_t covered = signed_times(signature, name, signature->name_count);
	size_t fields = headers_occurrences(comparison->headers, name);

	if (copies > covered)
		return false;
	return copies != (fields < covered ? fields : covered) ||
	    (!are_copies(comparison, first, copies, true) &&
		!are_copies(comparison, first, copies, false));
}

/* The signature itself bears that name, and may cover others: left out. */
static bool
is_looked_at(struct bytes name)
{
	return !bytes_is_nocase(name, "DKIM-Signature");
}

static void
tell_changed(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		struct bytes name = comparison->copies[i].name;

		if (is_looked_at(name) && copies_of(comparison, name, i) == 0 &&
		    has_changed(comparison, i))
			tell(comparison, name);
	}
}

static void
tell_without_copy(struct comparison *comparison)
{
	const struct signature *signature = comparison->signature;

	for (size_t i = 0; i < signature->name_count; i++) {
		struct bytes name = signature->names[i];

		if (is_looked_at(name) &&
		    headers_occurrences(comparison->headers, name) > 0 &&
		    copies_of(comparison, name, comparison->count) == 0 &&
		    signed_times(signature, name, i) == 0)
			tell(comparison, name);
	}
}

char *
copied_fields_changed(
    const struct signpost_headers *headers, const struct signature *signature)
{
	struct comparison comparison = { .headers = headers,
		.signature = signature };
	bool failed;

	buf_init(&comparison.decoded, SIZE_MAX);
	buf_init(&comparison.canonical, SIZE_MAX);
	buf_init(&comparison.names, SIZE_MAX);
	if (signature != NULL && signature->copies.data != NULL) {
		read_copies(&comparison);
		tell_changed(&comparison);
		if (comparison.told == 0)
			tell_without_copy(&comparison);
	}
	failed = comparison.decoded.failed || comparison.canonical.failed;
	buf_fini(&comparison.decoded);
	buf_fini(&comparison.canonical);
	if (failed)
		buf_fini(&comparison.names);
	return failed ? NULL : buf_take_string(&comparison.names);
}
