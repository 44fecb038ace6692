/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paths - whether the daemon's user can use the files and folders, keys apart,
 * that the configuration names, and nobody else can change them
 */
#ifndef PATHS_H
#define PATHS_H

#include "config.h"

void paths_check(const struct config *config, struct config_problems *problems);

#endif
