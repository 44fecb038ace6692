/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What decodes encodes to the same letters; anything encodes and decodes to
 * itself.
 */
#include "base64.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_space(char c)
{
	return is_wsp(c) || c == '\r' || c == '\n';
}

static bool
same_letters(struct bytes text, struct bytes encoded)
{
	size_t k = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (is_space(text.data[i]))
			continue;
		if (k == encoded.len || text.data[i] != encoded.data[k++])
			return false;
	}
	return k == encoded.len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = bytes_of((const char *)data, size);
	struct buf octets, text;

	buf_init(&octets, SIZE_MAX);
	buf_init(&text, SIZE_MAX);
	if (base64_decode(in, &octets)) {
		base64_encode(octets.data, octets.len, &text);
		if (!same_letters(in, buf_bytes(&text)))
			abort();
	} else if (octets.len != 0) {
		abort();
	}
	buf_clear(&octets);
	buf_clear(&text);
	base64_encode(data, size, &text);
	if (base64_decode(buf_bytes(&text), &octets) != (size > 0) ||
	    !bytes_equal(buf_bytes(&octets), in))
		abort();
	buf_fini(&octets);
	buf_fini(&text);
	return 0;
}
