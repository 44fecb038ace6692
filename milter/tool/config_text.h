/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_text - values as they are written in signpost.conf(5)
 */
#ifndef CONFIG_TEXT_H
#define CONFIG_TEXT_H

#include "buf.h"

/* Appends VALUE in quotes. */
void config_text_string(struct buf *out, const char *value);
/* Appends VALUE behind "# " in a line of its own, whatever is in it. */
void config_text_comment(struct buf *out, struct bytes value);

#endif
