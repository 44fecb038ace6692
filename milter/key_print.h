/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key_print - what tells one key from another without giving it away
 *
 * Threads: pure functions.
 */
#ifndef KEY_PRINT_H
#define KEY_PRINT_H

#include "crypto.h"

enum {
	KEY_PRINT_SIZE = 2 * HASH_MAX_BYTES + 1
};

/* The SHA-256 of the record of KEY's public half, in hexadecimal. */
enum signpost_status key_print(const struct signpost *handle,
    const struct signpost_private_key *key, char print_r[KEY_PRINT_SIZE]);

#endif
