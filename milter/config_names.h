/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_names - lists of names that may be written as changes
 *
 * A list takes the place of the one that was there (the default, or for an
 * entry of "domains" that of the "sign" group); where each name has "+" or "-"
 * before it, it adds to that one or takes from it. Names are told apart
 * without case.
 */
#ifndef CONFIG_NAMES_H
#define CONFIG_NAMES_H

#include "config_settings.h"

/* NAME without the "+" or "-" before it. */
const char *config_names_bare(const char *name);
bool config_names_have(const struct config_strings *names, struct bytes name);
/* Puts WRITTEN, or what it makes of the list there, at PLACE. False where
 * changes and names are mixed, with a problem, or out of memory; a name taken
 * away that is not there is a warning. */
bool config_names_set(const struct setting_source *source,
    const struct config_strings *written, struct config_strings *place);

#endif
