/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_conf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

/* The files that are being read, each by the one before. */
struct reading {
	struct opendkim_conf *conf;
	const char *file;
	unsigned depth;
};

static void read_file(struct reading *reading, struct import_place from);

static bool
is_true(const char *text)
{
	return text[0] != '\0' && strchr("tTyY1", text[0]) != NULL;
}

/* Why TEXT is no value of TYPE; NULL where it is one. */
static const char *
check_type(enum opendkim_type type, const char *text)
{
	char *end;

	if (text[0] == '\0')
		return "has no value, and OpenDKIM refuses that";
	if (type == OPENDKIM_BOOLEAN && strchr("tTyY1fFnN0", text[0]) == NULL)
		return "must be yes or no, and OpenDKIM refuses anything else";
	if (type == OPENDKIM_INTEGER) {
		errno = 0;
		(void)strtol(text, &end, 0);
		if (*end != '\0' || errno != 0)
			return "must be a number, and OpenDKIM refuses "
			       "anything else";
	}
	return NULL;
}

static void
include(struct reading *reading, const char *file, struct import_place place)
{
	struct reading inner = { reading->conf, file, reading->depth + 1 };

	if (inner.depth > OPENDKIM_MAX_INCLUDES)
		import_bad(reading->conf->import, EX_DATAERR, place,
		    "files that include each other more than %d deep, or in a "
		    "circle",
		    OPENDKIM_MAX_INCLUDES);
	else
		read_file(&inner, place);
}

static void
take_value(struct reading *reading, size_t row, struct bytes text,
    struct import_place place)
{
	struct import *import = reading->conf->import;
	const struct opendkim_name *name = opendkim_name_get(row);
	struct opendkim_value *value = &reading->conf->values[row];
	const char *copy = import_keep(import, text);
	const char *why = check_type(name->type, copy);

	place.setting = name->name;
	if (why != NULL) {
		import_bad(import, EX_DATAERR, place, "%s", why);
		return;
	}
	if (name->type == OPENDKIM_INCLUDE) {
		include(reading, copy, place);
		return;
	}
	if (value->text != NULL)
		import_note(import, value->place,
		    "is given again in %s:%u, which is the one that counts",
		    place.file, place.line);
	*value = (struct opendkim_value){ copy, place };
}

/* A line without its comment. */
static void
take_line(struct reading *reading, struct bytes line, struct import_place place)
{
	struct import *import = reading->conf->import;
	struct bytes name;
	size_t row;

	line = bytes_trim(line);
	if (line.len == 0)
		return;
	name = bytes_of(line.data, 0);
	while (name.len < line.len && !is_wsp(line.data[name.len]))
		name.len++;
	row = opendkim_name_find(name);
	if (row < OPENDKIM_MAX_NAMES) {
		take_value(reading, row,
		    bytes_trim(
			bytes_of(line.data + name.len, line.len - name.len)),
		    place);
		return;
	}
	place.setting = import_keep(
	    import, bytes_of(name.data, name.len < 64 ? name.len : 64));
	import_lost(import, place,
	    "OpenDKIM 2.11 has no such setting and would not start: look for "
	    "a slip, or leave the line out");
}

static void
read_file(struct reading *reading, struct import_place from)
{
	struct import_place place = { reading->file, 0, "" };
	struct bytes rest, line;
	struct buf text;
	size_t i;

	buf_init(&text, IMPORT_MAX_BYTES);
	if (import_read(reading->conf->import, from, reading->file, &text)) {
		rest = bytes_of(text.len > 0 ? text.data : "", text.len);
		while (bytes_next(&rest, '\n', &line)) {
			place.line++;
			for (i = 0; i < line.len && line.data[i] != '#' &&
			     line.data[i] != '\r';
			     i++)
				;
			take_line(reading, bytes_of(line.data, i), place);
		}
	}
	/* A key may stand in it, or a database's password. */
	buf_cleanse(&text);
}

void
opendkim_conf_read(
    struct opendkim_conf *conf, struct import *import, const char *file)
{
	struct reading reading = { conf, file, 0 };

	*conf = (struct opendkim_conf){ .import = import, .file = file };
	read_file(&reading, (struct import_place){ file, 0, "" });
}

const struct opendkim_value *
opendkim_conf_get(const struct opendkim_conf *conf, const char *name)
{
	return &conf->values[opendkim_name_find(bytes_str(name))];
}

bool
opendkim_conf_is_on(const struct opendkim_conf *conf, const char *name)
{
	const struct opendkim_value *value = opendkim_conf_get(conf, name);

	return value->text != NULL && is_true(value->text);
}

bool
opendkim_conf_number(
    const struct opendkim_conf *conf, const char *name, long *number_r)
{
	const struct opendkim_value *value = opendkim_conf_get(conf, name);

	if (value->text == NULL)
		return false;
	*number_r = strtol(value->text, NULL, 0);
	return true;
}

bool
opendkim_conf_path(const struct opendkim_conf *conf, struct import_place place,
    const char *path, const char **path_r)
{
	const struct opendkim_value *base =
	    opendkim_conf_get(conf, "BaseDirectory");
	char whole[PATH_MAX];

	*path_r = path;
	if (path[0] == '/')
		return true;
	if (base->text == NULL || base->text[0] != '/') {
		import_lost(conf->import, place,
		    "\"%s\" is relative to the folder that OpenDKIM is started "
		    "in: write the whole path, or BaseDirectory",
		    path);
		return false;
	}
	if (snprintf(whole, sizeof(whole), "%s/%s", base->text, path) >=
	    (int)sizeof(whole)) {
		import_lost(conf->import, place, "\"%s\" is too long", path);
		return false;
	}
	*path_r = import_keep(conf->import, bytes_str(whole));
	return true;
}
