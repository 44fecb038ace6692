/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key record and, the same octets, a private key's file: each is read or
 * refused, what was read is of a size that may be, and no record's key verifies
 * a signature of zeros.
 */
#include "key_set.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool condition)
{
	if (!condition)
		abort();
}

static void
use_key(const struct signpost *handle, const struct key_record *record)
{
	static const char zeros[64];
	struct digest digest = { .len = 32 };
	enum signpost_algorithm algorithm = record->type == KEY_RSA
	    ? SIGNPOST_RSA_SHA256
	    : SIGNPOST_ED25519_SHA256;

	must(record->bits >= (record->type == KEY_RSA ? 512 : 256) &&
	    record->bits <= SIGNPOST_MAX_RSA_BITS);
	must(crypto_verify(handle, record->key, algorithm, &digest,
		 bytes_of(zeros, sizeof zeros)) == SIGNPOST_SYNTAX);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct signpost *handle;
	const struct signpost_text text = { (const char *)data, size };
	struct signpost_private_key *private_key;
	struct signpost_key_set *keys;
	const struct key_record *record;

	if (handle == NULL)
		must(signpost_new(&handle) == SIGNPOST_OK);
	must(signpost_key_set_parse(handle, &text, 1, &keys) == SIGNPOST_OK);
	record = key_set_get(keys, 0);
	if (record->key != NULL)
		use_key(handle, record);
	else
		must(record->reason != SIGNPOST_REASON_NONE ||
		    record->bits < 512 || record->bits > SIGNPOST_MAX_RSA_BITS);
	signpost_key_set_unref(keys);

	switch (signpost_private_key_read(
	    handle, text.data, text.len, &private_key)) {
	case SIGNPOST_OK:
		must(signpost_private_key_bits(private_key) >= 256);
		signpost_private_key_unref(private_key);
		break;
	default:
		must(private_key == NULL);
	}
	return 0;
}
