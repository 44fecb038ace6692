/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_print.h"

#include <stdio.h>
#include <string.h>

enum signpost_status
key_print(const struct signpost *handle, const struct signpost_private_key *key,
    char print_r[KEY_PRINT_SIZE])
{
	enum signpost_status status;
	struct hash *hash = NULL;
	struct digest digest = { .len = 0 };
	char *record = NULL;

	print_r[0] = '\0';
	status = signpost_private_key_record(key, &record);
	if (status == SIGNPOST_OK)
		status = hash_new(handle, HASH_SHA256, &hash);
	if (status == SIGNPOST_OK) {
		hash_update(hash, record, strlen(record));
		status = hash_final(hash, &digest);
		hash_free(hash);
	}
	signpost_string_free(record);
	for (size_t i = 0; status == SIGNPOST_OK && i < digest.len; i++)
		snprintf(print_r + 2 * i, 3, "%02x", digest.data[i]);
	return status;
}
