/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * daemon_keys - asks the running daemon where keys stand
 */
#ifndef DAEMON_KEYS_H
#define DAEMON_KEYS_H

#include "config.h"
#include "publication.h"

enum {
	DAEMON_KEYS_WHY = 256
};

/* Adds to PUBLICATION what the daemon of CONFIG knows of the keys that may sign
 * for DOMAIN under ENTRY (or NULL). False where it can't be asked, with WHY. */
bool daemon_keys_ask(const struct config *config,
    const struct config_domain *entry, const char *domain,
    struct publication *publication, char why[DAEMON_KEYS_WHY]);

#endif
