/* SPDX-License-Identifier: BSD-2-Clause */
#include "header_hash.h"

#include "canon_header.h"

struct run {
	const struct header_hash *input;
	struct hash *hash;
	struct buf *scratch;
	bool failed;
};

static void
hash_field(void *ctx, size_t field)
{
	struct run *run = ctx;

	if (field == run->input->own)
		return;
	buf_clear(run->scratch);
	headers_append_canonical(
	    run->input->headers, field, run->input->canon, run->scratch);
	buf_append_str(run->scratch, "\r\n");
	hash_update(run->hash, run->scratch->data, run->scratch->len);
	if (run->scratch->failed)
		run->failed = true;
}

enum signpost_status
header_hash_run(const struct header_hash *input, struct hash *hash,
    struct buf *scratch, struct digest *digest_r)
{
	struct run run = { input, hash, scratch, false };
	enum signpost_status selected, finished;

	selected = headers_select(
	    input->headers, input->names, input->count, hash_field, &run);
	buf_clear(scratch);
	canon_header(input->canon, input->own_name, input->own_value, scratch);
	hash_update(hash, scratch->data, scratch->len);
	finished = hash_final(hash, digest_r);
	if (selected != SIGNPOST_OK)
		return selected;
	if (run.failed || scratch->failed)
		return SIGNPOST_NOMEM;
	return finished;
}
