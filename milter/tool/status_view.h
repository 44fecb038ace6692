/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * status_view - the daemon's /status page for a person
 *
 * At most 80 columns. A figure that the page lacks counts as 0, so that a
 * command and a daemon of different versions still understand each other.
 */
#ifndef STATUS_VIEW_H
#define STATUS_VIEW_H

#include <jansson.h>

#include "buf.h"

/* STATUS, with the page /keys as its member published_keys where that was
 * asked for. */
void status_view(const json_t *status, struct buf *out);
/* status_view's part about keys that sign only while they are published. */
void status_view_keys(const json_t *status, struct buf *out);

#endif
