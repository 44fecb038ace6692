/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text looked at for what breaks signatures, whole and in pieces that its
 * octets choose; and the same as a field of addresses.
 */
#include "hazards.h"

#include <stdint.h>
#include <stdlib.h>

enum {
	LIMIT = 20
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned
scan(const char *text, size_t len, bool pieces)
{
	struct hazard_scan scan;
	size_t at = 0;

	hazard_scan_init(&scan, LIMIT);
	while (at < len) {
		size_t piece =
		    pieces ? (unsigned char)text[at] % 40u : len - at;

		if (piece == 0 || piece > len - at)
			piece = 1;
		hazard_scan_update(&scan, text + at, piece);
		at += piece;
	}
	return hazard_scan_final(&scan);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct field field = { .name = bytes_str("To"),
		.value = bytes_of(text, size) };
	bool relaxed = hazards_readdressed(field, SIGNPOST_RELAXED);

	if (scan(text, size, false) != scan(text, size, true))
		abort();
	/* What breaks a relaxed signature breaks a simple one. */
	if (relaxed && !hazards_readdressed(field, SIGNPOST_SIMPLE))
		abort();
	hazards_of_field(field, LIMIT);
	return 0;
}
