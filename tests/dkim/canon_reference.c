/* SPDX-License-Identifier: BSD-2-Clause */
#include "canon_reference.h"

#include <ctype.h>

static bool
ends_with_crlf(const struct buf *text)
{
	return text->len >= 2 &&
	    memcmp(text->data + text->len - 2, "\r\n", 2) == 0;
}

/* "Reduce all sequences of WSP to a single SP." */
static void
reduce_wsp(struct bytes in, struct buf *out)
{
	for (size_t i = 0; i < in.len; i++)
		if (!is_wsp(in.data[i]))
			buf_append_char(out, in.data[i]);
		else if (i == 0 || !is_wsp(in.data[i - 1]))
			buf_append_char(out, ' ');
}

static struct bytes
without_trailing_wsp(struct bytes line)
{
	while (line.len > 0 && is_wsp(line.data[line.len - 1]))
		line.len--;
	return line;
}

static struct bytes
without_leading_wsp(struct bytes line)
{
	while (line.len > 0 && is_wsp(line.data[0]))
		line = bytes_of(line.data + 1, line.len - 1);
	return line;
}

/* Section 3.4.4 (a), a line at a time. */
static void
reduce_lines(struct bytes body, struct buf *out)
{
	while (body.len > 0) {
		const char *crlf = memmem(body.data, body.len, "\r\n", 2);
		size_t len =
		    crlf != NULL ? (size_t)(crlf - body.data) : body.len;

		reduce_wsp(without_trailing_wsp(bytes_of(body.data, len)), out);
		if (crlf == NULL)
			return;
		buf_append_str(out, "\r\n");
		body = bytes_of(crlf + 2, body.len - len - 2);
	}
}

/* "Ignore all empty lines at the end of the message body." A line is what ends
 * in CRLF; it is empty where nothing or another line end is before that. */
static void
drop_empty_lines(struct buf *body)
{
	while (ends_with_crlf(body)) {
		buf_truncate(body, body->len - 2);
		if (body->len > 0 && !ends_with_crlf(body)) {
			buf_append_str(body, "\r\n");
			return;
		}
	}
}

void
reference_body(enum signpost_canon canon, struct bytes body, struct buf *out)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	if (canon == SIGNPOST_SIMPLE)
		buf_append_bytes(&text, body);
	else
		reduce_lines(body, &text);
	drop_empty_lines(&text);
	if (!ends_with_crlf(&text) &&
	    (canon == SIGNPOST_SIMPLE || text.len > 0))
		buf_append_str(&text, "\r\n");
	buf_append_bytes(out, buf_bytes(&text));
	buf_fini(&text);
}

/* RFC 5322 section 2.2.3: "removing any CRLF that is immediately followed by
 * WSP". */
static void
unfold(struct bytes value, struct buf *out)
{
	for (size_t i = 0; i < value.len; i++) {
		if (i + 2 < value.len &&
		    memcmp(value.data + i, "\r\n", 2) == 0 &&
		    is_wsp(value.data[i + 2]))
			i++;
		else
			buf_append_char(out, value.data[i]);
	}
}

void
reference_header(enum signpost_canon canon, struct bytes name,
    struct bytes value, struct buf *out)
{
	struct buf unfolded;

	buf_init(&unfolded, SIZE_MAX);
	if (canon == SIGNPOST_SIMPLE) {
		buf_append_bytes(out, name);
		buf_append_str(out, ":");
		buf_append_bytes(out, value);
	} else {
		name = without_trailing_wsp(name);
		for (size_t i = 0; i < name.len; i++)
			buf_append_char(
			    out, (char)tolower((unsigned char)name.data[i]));
		buf_append_str(out, ":");
		unfold(value, &unfolded);
		reduce_wsp(without_leading_wsp(
			       without_trailing_wsp(buf_bytes(&unfolded))),
		    out);
	}
	buf_fini(&unfolded);
}
