/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * publication_json - where keys stand, as JSON and back
 *
 * {"keys": [{"name", "domain", "selector", "file", "key", "state",
 * "last_check", "since"}], "left_out": N}: those first that are not published.
 *
 * Threads: as publication.h says.
 */
#ifndef PUBLICATION_JSON_H
#define PUBLICATION_JSON_H

#include <jansson.h>

#include "publication.h"

enum {
	PUBLICATION_JSON_MAX = 1000 /* keys */
};

/* Of the keys that sign for DOMAIN; NULL: any. NULL: out of memory. */
json_t *publication_to_json(
    struct publication *publication, const char *domain);
/* Adds to PUBLICATION what JSON says of keys; false where that is not what
 * publication_to_json has made. */
bool publication_from_json(const json_t *json, struct publication *publication);

#endif
