/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * setup - whether the daemon could start as it is configured
 *
 * What "signpostd -t" and "signpost check" have in common.
 *
 * Threads: none of its own.
 */
#ifndef SETUP_H
#define SETUP_H

#include "keystore.h"

/* Reads every key that CONFIG names, whatever else is wrong with it, and looks
 * for the daemon's user; PROBLEMS gets what is wrong. Returns the keys; NULL:
 * out of memory. */
struct keystore *setup_check(struct signpost *handle,
    const struct config *config, struct config_problems *problems);

#endif
