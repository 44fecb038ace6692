/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buf - owned octets that grow, with a cap and a sticky failure
 *
 * Appending never fails on the spot: out of memory or over the cap sets
 * FAILED, later appends do nothing, and the caller asks once at the end. The
 * contents are always NUL-ended beyond LEN where CAP is not 0.
 */
#ifndef BUF_H
#define BUF_H

#include "bytes.h"

struct buf {
	char *data; /* NULL before the first append */
	size_t len;
	size_t cap;  /* octets allocated */
	size_t max;  /* octets at most; SIZE_MAX for no cap */
	bool failed; /* out of memory or over max */
};

void buf_init(struct buf *buf, size_t max);
void buf_fini(struct buf *buf);
/* As fini, overwriting the contents first: for key material. Growing leaves
 * copies behind, so reserve what a secret needs before the first append. */
void buf_cleanse(struct buf *buf);
/* Forgets contents and failure, keeps the memory. */
void buf_clear(struct buf *buf);
/* Sees to it that MORE octets can be appended without another allocation. */
void buf_reserve(struct buf *buf, size_t more);
void buf_append(struct buf *buf, const void *data, size_t len);
void buf_append_bytes(struct buf *buf, struct bytes bytes);
void buf_append_str(struct buf *buf, const char *string);
void buf_append_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Cuts to LEN octets; LEN is at most the present length. */
void buf_truncate(struct buf *buf, size_t len);
static inline struct bytes
buf_bytes(const struct buf *buf)
{
	return (struct bytes){ buf->data, buf->len };
}
/* Hands the contents over as a NUL-ended string to be freed with free(); NULL
 * after a failure. The buffer is as after buf_init then. */
char *buf_take_string(struct buf *buf);

#endif
