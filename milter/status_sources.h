/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * status_sources - the part of the status that others are asked for
 *
 * Threads: the status server's.
 */
#ifndef STATUS_SOURCES_H
#define STATUS_SOURCES_H

#include "metrics.h"
#include "status.h"

/* Fills in what workers, keys, DNS and the replay table know. */
void status_read_sources(
    const struct status_sources *sources, struct metrics_readings *readings);

#endif
