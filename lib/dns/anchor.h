/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * anchor - the file of DNSSEC trust anchors
 */
#ifndef ANCHOR_H
#define ANCHOR_H

#include <stdbool.h>
#include <stddef.h>

/* Where this system keeps the root's anchor, at PATH or, where that is NULL, in
 * one of the usual places; NULL for nowhere. */
const char *anchor_system_file(const char *path);
/* Whether PATH can be read and holds an anchor; false with a text in ERROR. Of
 * a file without any libunbound says nothing, and validates nothing. */
bool anchor_check(const char *path, char *error, size_t error_size);

#endif
