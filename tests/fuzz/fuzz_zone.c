/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Zone files: a fault is named with its line; what was read can be looked up,
 * and what is found lies within the zone.
 *
 * Needs: milter/tool/zone.c
 */
#include "../../milter/tool/zone.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "", "a", "a.test", "b.a.test" };
	struct bytes records[8];
	struct zone_error error;
	struct zone *zone =
	    zone_parse(bytes_of((const char *)data, size), &error);
	size_t count;

	if (zone == NULL) {
		if (error.text[0] == '\0' || error.line == 0)
			abort();
		return 0;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		enum zone_answer answer =
		    zone_find(zone, names[i], records, 8, &count);

		if ((answer == ZONE_FOUND) != (count > 0) || count > 8)
			abort();
		for (size_t n = 0; n < count; n++)
			if (records[n].len > size)
				abort();
	}
	zone_free(zone);
	return 0;
}
