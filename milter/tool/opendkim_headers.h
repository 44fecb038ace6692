/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_headers - SignHeaders, OmitHeaders and OversignHeaders as the
 * settings headers and oversign
 */
#ifndef OPENDKIM_HEADERS_H
#define OPENDKIM_HEADERS_H

#include "opendkim_conf.h"

/* Appends what they come to, each setting in a line behind INDENT; nothing
 * where none is set, as the defaults here are wider than OpenDKIM's. */
void opendkim_headers_write(
    const struct opendkim_conf *conf, const char *indent, struct buf *out);

#endif
