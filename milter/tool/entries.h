/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entries - entries of "domains", keys and networks that do nothing, or hide
 * others
 *
 * Which entry applies is decided by how close its name is, never by order, so
 * that an entry without a key can hide one with keys, and an entry that names
 * its keys hides the domain's folder.
 */
#ifndef ENTRIES_H
#define ENTRIES_H

#include "keystore.h"

/* Adds a warning for each to PROBLEMS. */
void entries_check(const struct config *config, struct keystore *keystore,
    struct config_problems *problems);

#endif
