/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_set - a data set of OpenDKIM: rows of a key and perhaps a value
 *
 * A list in the setting itself ("a,b=c", "csl:a,b"), a file with a row a line
 * ("/path", "file:/path"), or such a file whose keys are patterns in which "*"
 * stands for anything and of which the first that matches counts
 * ("refile:/path"). Databases are not read.
 */
#ifndef OPENDKIM_SET_H
#define OPENDKIM_SET_H

#include "opendkim_conf.h"

enum {
	OPENDKIM_LINE_BYTES = 1023 /* of a file's line, that OpenDKIM reads */
};

struct opendkim_row {
	const char *key;
	const char *value; /* NULL: none */
	struct import_place place;
};

struct opendkim_set {
	struct opendkim_row *rows;
	size_t count;
	bool patterns; /* keys are patterns, and their order counts */
};

/* Reads the set that VALUE describes. False where it is not read, with a
 * problem; SET_R is empty then, and always to be freed. */
bool opendkim_set_read(const struct opendkim_conf *conf,
    const struct opendkim_value *value, struct opendkim_set *set_r);
void opendkim_set_fini(struct opendkim_set *set);

/* Whether PATTERN has no meaning beyond "*": OpenDKIM makes an extended
 * regular expression of it and escapes no more than "." and "+". */
bool opendkim_pattern_is_plain(const char *pattern);
/* Whether TEXT as a whole matches a plain PATTERN; letters count as they are. */
bool opendkim_pattern_matches(const char *pattern, const char *text);

#endif
