/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DNS answers: records lie within what was read and within the caps, and no
 * more octets come out than went in.
 *
 * Needs: lib/dns/answer.c
 */
#include "../../lib/dns/answer.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct answer answer;
	size_t total = 0;

	if (!answer_read(data, size, &answer))
		return 0;
	if (answer.count > RESOLVER_MAX_RECORDS || answer.rcode > 15)
		abort();
	for (size_t i = 0; i < answer.count; i++) {
		struct bytes record = answer.records[i];

		if (record.len > RESOLVER_MAX_RECORD_BYTES ||
		    record.data != answer.text + total)
			abort();
		total += record.len;
	}
	if (total > size)
		abort();
	return 0;
}
