/* SPDX-License-Identifier: BSD-2-Clause */
#include "base64.h"

#include <stdint.h>

enum {
	SKIP = 64, /* white space */
	PAD = 65,
	BAD = 66,
	BLOCK = 192 /* octets decoded between two appends; a multiple of 3 */
};

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_encode(const void *data, size_t len, struct buf *out)
{
	const unsigned char *in = data;

	buf_reserve(out, BASE64_ENCODED_LEN(len));
	for (size_t i = 0; i < len; i += 3) {
		size_t have = len - i < 3 ? len - i : 3;
		uint32_t bits = (uint32_t)in[i] << 16;
		char group[4] = { '=', '=', '=', '=' };

		if (have > 1)
			bits |= (uint32_t)in[i + 1] << 8;
		if (have > 2)
			bits |= in[i + 2];
		for (size_t k = 0; k <= have; k++)
			group[k] = alphabet[bits >> (18 - 6 * k) & 63];
		buf_append(out, group, sizeof group);
	}
}

/* What C stands for: a number of six bits, or SKIP, PAD, BAD. */
static unsigned
sextet(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0') + 52;
	if (c == '+')
		return 62;
	if (c == '/')
		return 63;
	if (c == '=')
		return PAD;
	return is_wsp(c) || c == '\r' || c == '\n' ? SKIP : BAD;
}

struct decoder {
	uint32_t bits;	 /* sextets not yet written, the latest lowest */
	unsigned digits; /* of the group of four, padding left out */
	size_t pads;
	size_t groups; /* complete ones */
	size_t len;    /* octets in block */
	char block[BLOCK];
};

/* Writes the octets that the bits hold when a group is complete. */
static bool
end_group(struct decoder *decoder, struct buf *out)
{
	unsigned octets = decoder->digits - 1;
	unsigned spare = decoder->digits * 6 - octets * 8;

	if ((decoder->bits & ((1U << spare) - 1)) != 0)
		return false;
	decoder->bits >>= spare;
	while (octets-- > 0)
		decoder->block[decoder->len++] =
		    (char)(decoder->bits >> (8 * octets) & 0xff);
	if (decoder->len > BLOCK - 3) {
		buf_append(out, decoder->block, decoder->len);
		decoder->len = 0;
	}
	decoder->bits = 0;
	decoder->digits = 0;
	decoder->groups++;
	return true;
}

/* Takes the next character; false where it can't stand. */
static bool
take(struct decoder *decoder, char c, struct buf *out)
{
	unsigned value = sextet(c);

	if (value == SKIP)
		return true;
	if (value == PAD) {
		decoder->pads++;
		return decoder->digits >= 2;
	}
	if (value == BAD || decoder->pads > 0)
		return false;
	decoder->bits = decoder->bits << 6 | value;
	decoder->digits++;
	return decoder->digits < 4 || end_group(decoder, out);
}

/* What is left at the end: nothing, or a group that its padding completes. */
static bool
end(struct decoder *decoder, struct buf *out)
{
	if (decoder->digits == 0 && decoder->pads == 0)
		return decoder->groups > 0;
	return decoder->digits + decoder->pads == 4 && end_group(decoder, out);
}

bool
base64_decode(struct bytes text, struct buf *out)
{
	struct decoder decoder = { .digits = 0 };
	size_t before = out->len;
	bool good = true;

	for (size_t i = 0; i < text.len && good; i++)
		good = take(&decoder, text.data[i], out);
	if (!good || !end(&decoder, out)) {
		buf_truncate(out, before);
		return false;
	}
	buf_append(out, decoder.block, decoder.len);
	return true;
}
