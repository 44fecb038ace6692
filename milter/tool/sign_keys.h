/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sign_keys - signatures with the keys that the command line names
 */
#ifndef SIGN_KEYS_H
#define SIGN_KEYS_H

#include "sign_settings.h"

/* What the signatures are for; NAME is the message's, for complaints. */
struct sign_message {
	const char *name;
	const struct signpost_headers *headers;
	struct signpost_signer *signer;
};

/* Functions complain of what goes wrong and return the exit code; 0 is
 * success. What the command line says of canonicalization, header fields and
 * so on always wins. */

/* Adds the signatures whose keys the command line names. */
int sign_keys_add_named(struct signpost *handle,
    const struct sign_settings *settings, const struct sign_message *message);
/* What this and sign_configured share: puts what the command line says into
 * OPTIONS, and adds one signature. */
void sign_keys_override(struct signpost_sign_options *options,
    const struct sign_settings *settings);
int sign_keys_add_one(const struct sign_message *message,
    const struct signpost_sign_options *options,
    struct signpost_private_key *key);

#endif
