/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Authentication-Results: whatever a message chose, what is written stays one
 * field of two results whose id is ours; whatever a field says, reading it
 * ends.
 */
#include "authres.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool condition)
{
	if (!condition)
		abort();
}

/* Semicolons outside of quotes and comments; line ends only as folding. */
static size_t
count_results(struct bytes value)
{
	bool quoted = false, comment = false;
	size_t count = 0;

	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.data[i];

		if (c == '\r') {
			must(!quoted && i + 2 < value.len);
			must(value.data[i + 1] == '\n');
			must(value.data[i + 2] == '\t');
			i += 2;
			continue;
		}
		must(c >= ' ' && c != 0x7f);
		if (quoted && c == '\\')
			i++;
		else if (c == '"' && !comment)
			quoted = !quoted;
		else if (c == '(' && !quoted)
			comment = true;
		else if (c == ')' && !quoted)
			comment = false;
		else if (c == ';' && !quoted && !comment)
			count++;
	}
	must(!quoted && !comment);
	return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	size_t half = size / 2;
	struct signpost_verdict verdict = {
		.result = SIGNPOST_PASS,
		.domain = text,
		.domain_len = half,
		.identity = size % 3 == 0 ? NULL : text + half,
		.identity_len = size % 3 == 0 ? 0 : size - half,
		.selector = text + half,
		.selector_len = size - half,
		.algorithm_name = text,
		.algorithm_name_len = size,
		.b = text,
		.b_len = size,
		.key_bits = 1024,
	};
	struct buf out;

	authres_claims(bytes_of(text, size), "mx.example.org");
	buf_init(&out, SIZE_MAX);
	authres_begin(&out, "mx.example.org");
	authres_add(&out, &verdict);
	authres_add(&out, &verdict);
	must(!out.failed);
	must(count_results(buf_bytes(&out)) == 2);
	must(authres_claims(buf_bytes(&out), "MX.example.org."));
	buf_fini(&out);
	return 0;
}
