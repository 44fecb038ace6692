/* SPDX-License-Identifier: BSD-2-Clause */
#include "canon_header.h"

static void
append_lower(struct bytes name, struct buf *out)
{
	size_t from = out->len;

	buf_append_bytes(out, name);
	for (size_t i = from; i < out->len; i++)
		out->data[i] = ascii_lower(out->data[i]);
}

/* Whether a line is folded at AT: CRLF with white space behind it. A CRLF
 * without it ends no line of a field and stays. */
static bool
is_fold(struct bytes value, size_t at)
{
	return value.len - at > 2 && value.data[at] == '\r' &&
	    value.data[at + 1] == '\n' && is_wsp(value.data[at + 2]);
}

static size_t
skip_space(struct bytes value, size_t at)
{
	for (;;) {
		if (at < value.len && is_wsp(value.data[at]))
			at++;
		else if (is_fold(value, at))
			at += 2;
		else
			return at;
	}
}

static size_t
skip_word(struct bytes value, size_t at)
{
	while (at < value.len && !is_wsp(value.data[at]) && !is_fold(value, at))
		at++;
	return at;
}

/* RFC 6376 section 3.4.2: the words of the unfolded value, one SP between
 * them, none at either end. */
static void
append_relaxed(struct bytes value, struct buf *out)
{
	size_t first = skip_space(value, 0);
	size_t at = first;

	while (at < value.len) {
		size_t end = skip_word(value, at);

		if (at > first)
			buf_append_char(out, ' ');
		buf_append(out, value.data + at, end - at);
		at = skip_space(value, end);
	}
}

void
canon_header(enum signpost_canon canon, struct bytes name, struct bytes value,
    struct buf *out)
{
	buf_reserve(out, name.len + 1 + value.len);
	if (canon == SIGNPOST_SIMPLE) {
		buf_append_bytes(out, name);
		buf_append_char(out, ':');
		buf_append_bytes(out, value);
		return;
	}
	while (name.len > 0 && is_wsp(name.data[name.len - 1]))
		name.len--;
	append_lower(name, out);
	buf_append_char(out, ':');
	append_relaxed(value, out);
}
