/* SPDX-License-Identifier: BSD-2-Clause */
#include "buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	BUF_FIRST = 64 /* octets of the first allocation */
};

void
buf_init(struct buf *buf, size_t max)
{
	*buf = (struct buf){ .max = max };
}

void
buf_fini(struct buf *buf)
{
	free(buf->data);
	buf_init(buf, buf->max);
}

void
buf_cleanse(struct buf *buf)
{
	if (buf->data != NULL)
		explicit_bzero(buf->data, buf->cap);
	buf_fini(buf);
}

void
buf_clear(struct buf *buf)
{
	buf->failed = false;
	buf_truncate(buf, 0);
}

/* The allocation for NEED octets and the NUL: at least twice the present one,
 * so that appending costs constant time on average, but not beyond the cap. */
static size_t
next_cap(const struct buf *buf, size_t need)
{
	size_t top = buf->max < SIZE_MAX ? buf->max + 1 : SIZE_MAX;
	size_t cap = buf->cap < top / 2 ? buf->cap * 2 : top;

	if (cap < BUF_FIRST)
		cap = BUF_FIRST < top ? BUF_FIRST : top;
	return cap > need ? cap : need + 1;
}

void
buf_reserve(struct buf *buf, size_t more)
{
	size_t cap;
	char *data;

	if (buf->failed || more < buf->cap - buf->len)
		return;
	if (more > buf->max - buf->len || buf->len + more == SIZE_MAX) {
		buf->failed = true;
		return;
	}
	cap = next_cap(buf, buf->len + more);
	data = realloc(buf->data, cap);
	if (data == NULL) {
		buf->failed = true;
		return;
	}
	buf->data = data;
	buf->cap = cap;
	buf->data[buf->len] = '\0';
}

void
buf_append(struct buf *buf, const void *data, size_t len)
{
	buf_reserve(buf, len);
	if (buf->failed || len == 0)
		return;
	memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void
buf_append_bytes(struct buf *buf, struct bytes bytes)
{
	buf_append(buf, bytes.data, bytes.len);
}

void
buf_append_str(struct buf *buf, const char *string)
{
	buf_append(buf, string, strlen(string));
}

void
buf_append_char(struct buf *buf, char c)
{
	buf_append(buf, &c, 1);
}

void
buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		buf->failed = true;
	buf_reserve(buf, len > 0 ? (size_t)len : 0);
	if (buf->failed)
		return;
	va_start(args, format);
	vsnprintf(buf->data + buf->len, (size_t)len + 1, format, args);
	va_end(args);
	buf->len += (size_t)len;
}

void
buf_truncate(struct buf *buf, size_t len)
{
	assert(len <= buf->len);
	buf->len = len;
	if (buf->data != NULL)
		buf->data[len] = '\0';
}

char *
buf_take_string(struct buf *buf)
{
	char *string;

	buf_reserve(buf, 0);
	if (buf->failed) {
		buf_fini(buf);
		return NULL;
	}
	string = buf->data;
	buf_init(buf, buf->max);
	return string;
}
