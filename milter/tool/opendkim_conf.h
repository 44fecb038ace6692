/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_conf - opendkim.conf(5) as it is written
 *
 * A line is a name, white space and a value; what follows a "#" is a comment;
 * of settings that are given again the last one counts, and Include reads
 * another file in its place. A table (opendkim_conf_names.c) says which names
 * there are, of what type each is, and what becomes of it here.
 */
#ifndef OPENDKIM_CONF_H
#define OPENDKIM_CONF_H

#include "import.h"

enum {
	OPENDKIM_MAX_INCLUDES = 5, /* deep; OpenDKIM's own limit */
	OPENDKIM_MAX_NAMES = 256
};

enum opendkim_type {
	OPENDKIM_STRING,
	OPENDKIM_BOOLEAN,
	OPENDKIM_INTEGER,
	OPENDKIM_INCLUDE,
};

/* What becomes of a setting. */
enum opendkim_fate {
	FATE_TAKEN,	 /* translated, by what asks for it */
	FATE_NONE,	 /* Signpost needs no such setting */
	FATE_LOST,	 /* has no equivalent; TEXT says what to do */
	FATE_LOST_IF_ON, /* a boolean: the same where it is true */
	FATE_OLD,	 /* OpenDKIM itself does not know it any more */
};

struct opendkim_name {
	const char *name;
	enum opendkim_type type;
	enum opendkim_fate fate;
	const char *text;
};

/* Row I of the table; NULL beyond its end. */
const struct opendkim_name *opendkim_name_get(size_t i);
/* The row of NAME, whatever its case; OPENDKIM_MAX_NAMES for none. */
size_t opendkim_name_find(struct bytes name);

struct opendkim_value {
	const char *text; /* NULL: not set */
	struct import_place place;
};

struct opendkim_conf {
	struct import *import;
	const char *file;				  /* the first */
	struct opendkim_value values[OPENDKIM_MAX_NAMES]; /* by row */
};

/* Reads FILE and what it includes; what is wrong with them is bad input. */
void opendkim_conf_read(
    struct opendkim_conf *conf, struct import *import, const char *file);
/* The setting NAME, which the table has; TEXT is NULL where it is not set. */
const struct opendkim_value *opendkim_conf_get(
    const struct opendkim_conf *conf, const char *name);
/* Whether the boolean NAME is set and true. */
bool opendkim_conf_is_on(const struct opendkim_conf *conf, const char *name);
/* The integer NAME; false where it is not set. */
bool opendkim_conf_number(
    const struct opendkim_conf *conf, const char *name, long *number_r);
/* PATH as OpenDKIM would open it: relative ones from BaseDirectory. False, as
 * lost, where that can't be known. */
bool opendkim_conf_path(const struct opendkim_conf *conf,
    struct import_place place, const char *path, const char **path_r);

#endif
