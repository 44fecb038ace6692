/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reload - the configuration read again while mail goes on
 *
 * The new set is made whole beside the old one, then swapped in; where
 * anything is wrong with it every problem is logged and the old one stays.
 *
 * Threads: one at a time.
 */
#ifndef RELOAD_H
#define RELOAD_H

#include "daemon.h"

/* Reads FILE. STARTED is what the process started with: settings that need a
 * restart are compared with it and logged. Returns whether the new set is now
 * the current one. */
bool reload(
    struct daemon *daemon, const char *file, const struct config *started);

#endif
