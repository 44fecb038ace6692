/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sign_configured - signatures as the configuration has them for the domain in
 * From
 *
 * The daemon's own policy and keystore decide, as for a message that comes
 * from no client, from a user and with an envelope that are those of From.
 */
#ifndef SIGN_CONFIGURED_H
#define SIGN_CONFIGURED_H

#include "sign_keys.h"

/* Adds the signatures; what the command line says of canonicalization, header
 * fields and so on wins. Complains of what goes wrong and returns the exit
 * code; 0 is success. */
int sign_configured_add(struct signpost *handle,
    const struct sign_settings *settings, const struct sign_message *message);

#endif
