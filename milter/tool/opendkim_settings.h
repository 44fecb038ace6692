/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_settings - the settings of OpenDKIM that one of ours each stands for
 */
#ifndef OPENDKIM_SETTINGS_H
#define OPENDKIM_SETTINGS_H

#include "opendkim_conf.h"

/* Appends all that is not about keys and domains. */
void opendkim_settings_write(const struct opendkim_conf *conf, struct buf *out);
/* Names what is set and has no equivalent. */
void opendkim_settings_say_lost(const struct opendkim_conf *conf);

#endif
