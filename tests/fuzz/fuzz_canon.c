/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A body cut as the input says, and a field, against the slow reference.
 *
 * Needs: tests/dkim/canon_reference.c
 */
#include "canon_body.h"
#include "canon_header.h"

#include <stdint.h>
#include <stdlib.h>

#include "canon_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
to_buf(void *ctx, const char *data, size_t len)
{
	buf_append(ctx, data, len);
}

static void
must_equal(struct buf *got, struct buf *want)
{
	if (got->failed || want->failed ||
	    !bytes_equal(buf_bytes(got), buf_bytes(want)))
		abort();
	buf_clear(got);
	buf_clear(want);
}

/* STEP is the length of the pieces. */
static void
try_body(enum signpost_canon canon, struct bytes in, size_t step,
    struct buf *got, struct buf *want)
{
	struct canon_body body;

	canon_body_init(&body, canon, to_buf, got);
	for (size_t at = 0; at < in.len; at += step) {
		size_t len = in.len - at < step ? in.len - at : step;
		char *copy = malloc(len);

		if (copy == NULL)
			abort();
		memcpy(copy, in.data + at, len);
		canon_body_update(&body, copy, len);
		free(copy);
	}
	canon_body_final(&body);
	reference_body(canon, in, want);
	must_equal(got, want);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum signpost_canon canons[] = { SIGNPOST_SIMPLE,
		SIGNPOST_RELAXED };
	struct bytes in;
	struct buf got, want;
	size_t step;

	if (size == 0)
		return 0;
	step = (size_t)data[0] + 1;
	in = bytes_of((const char *)data + 1, size - 1);
	buf_init(&got, SIZE_MAX);
	buf_init(&want, SIZE_MAX);
	for (size_t i = 0; i < 2; i++) {
		try_body(canons[i], in, step, &got, &want);
		canon_header(canons[i], bytes_str("Name \t"), in, &got);
		reference_header(canons[i], bytes_str("Name \t"), in, &want);
		must_equal(&got, &want);
	}
	buf_fini(&got);
	buf_fini(&want);
	return 0;
}
