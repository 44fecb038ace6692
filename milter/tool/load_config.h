/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load_config - the configuration, for a command
 */
#ifndef LOAD_CONFIG_H
#define LOAD_CONFIG_H

#include "config.h"

#define LOAD_CONFIG_DEFAULT SYSCONFDIR "/signpost/signpost.conf"

/* Reads FILE (NULL: the default). Prints all problems where it can't be used,
 * and returns the exit code; 0 is success. Warnings are for "signpostd -t". */
int load_config(const char *file, const struct config **config_r);
/* Prints problems, each as "signpost: FILE:LINE: SETTING: TEXT". */
void load_config_complain(const struct config_problems *problems);

#endif
