/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * postfix - whether Postfix finds the milter socket and may connect to it
 *
 * Read are main.cf and, for who runs in the chroot or has milters of its own,
 * master.cf (postfix_conf.h). Where there is no main.cf, nothing is looked at.
 */
#ifndef POSTFIX_H
#define POSTFIX_H

#include "config.h"

#define POSTFIX_FOLDER "/etc/postfix"

/* FOLDER is where main.cf stands. */
void postfix_check(const struct config *config, const char *folder,
    struct config_problems *problems);

#endif
