/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * required_keys - the keys that sign only once their record is published
 *
 * Names only: no key is read. What is for domains that can't be named ("*",
 * ".example.com" without a domain to sign for) is left out; mail names those.
 *
 * Threads: none of its own.
 */
#ifndef REQUIRED_KEYS_H
#define REQUIRED_KEYS_H

#include "config.h"

/* Whether CONFIG requires it of any key. */
bool required_keys_any(const struct config *config);
/* Calls VISIT for each. False: key_directory, memory or descriptors did not let
 * all be found. */
typedef void required_keys_visit(
    void *ctx, const char *domain, const char *selector, const char *file);
bool required_keys_each(
    const struct config *config, required_keys_visit *visit, void *ctx);

#endif
