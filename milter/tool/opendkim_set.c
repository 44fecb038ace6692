/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_set.h"

#include <stdlib.h>

/* A set while it is read. */
struct reading {
	const struct opendkim_conf *conf;
	struct opendkim_set *set;
	struct import_place place;
};

typedef void read_set(struct reading *reading, const char *text);

static void read_list(struct reading *reading, const char *text);
static void read_file(struct reading *reading, const char *text);
static void read_patterns(struct reading *reading, const char *text);

/* How a setting begins; READ is NULL for what is in a database. */
static const struct {
	const char *prefix;
	read_set *read;
} kinds[] = {
	{ "csl", read_list },
	{ "file", read_file },
	{ "refile", read_patterns },
	{ "db", NULL },
	{ "dsn", NULL },
	{ "erlang", NULL },
	{ "ldap", NULL },
	{ "ldapi", NULL },
	{ "ldaps", NULL },
	{ "lua", NULL },
	{ "mdb", NULL },
	{ "memcache", NULL },
	{ "repute", NULL },
	{ "socket", NULL },
};

static void
add_row(struct reading *reading, struct bytes key, struct bytes value)
{
	struct import *import = reading->conf->import;
	struct opendkim_set *set = reading->set;

	if (!import_row(import, reading->place) ||
	    !import_grow(import, &set->rows, set->count, sizeof(*set->rows)))
		return;
	set->rows[set->count++] = (struct opendkim_row){
		.key = import_keep(import, key),
		.value = value.data == NULL ? NULL : import_keep(import, value),
		.place = reading->place,
	};
}

static void
read_list(struct reading *reading, const char *text)
{
	struct bytes rest = bytes_str(text), part, key;
	size_t max = reading->conf->import->rows;

	while (max <= IMPORT_MAX_ROWS && bytes_next(&rest, ',', &part)) {
		bytes_next(&part, '=', &key);
		key = bytes_trim(key);
		if (part.data != NULL)
			part = bytes_trim(part);
		if (key.len > 0)
			add_row(reading, key, part);
		max = reading->conf->import->rows;
	}
}

static bool
is_space(char c)
{
	return is_wsp(c) || (c >= '\n' && c <= '\r');
}

/* A line without its comment: its first word, and what follows. */
static void
take_line(struct reading *reading, struct bytes line)
{
	struct bytes key = bytes_of(line.data, 0), value;

	if (reading->set->patterns && line.len > 0 && is_space(line.data[0])) {
		if (bytes_trim(line).len > 0)
			import_note(reading->conf->import, reading->place,
			    "OpenDKIM skips a line of a refile that begins "
			    "with white space, and it is left out");
		return;
	}
	line = bytes_trim(line);
	key.data = line.data;
	while (key.len < line.len && !is_space(line.data[key.len]))
		key.len++;
	if (key.len == 0)
		return;
	value = bytes_trim(bytes_of(line.data + key.len, line.len - key.len));
	if (value.len == 0)
		value.data = NULL;
	add_row(reading, key, value);
}

static void
read_file(struct reading *reading, const char *text)
{
	struct import *import = reading->conf->import;
	struct bytes rest, line, part;
	const char *path;
	struct buf all;

	if (!opendkim_conf_path(reading->conf, reading->place, text, &path))
		return;
	buf_init(&all, IMPORT_MAX_BYTES);
	if (!import_read(import, reading->place, path, &all))
		goto done;
	reading->place.file = path;
	reading->place.line = 0;
	rest = bytes_of(all.len > 0 ? all.data : "", all.len);
	while (
	    import->rows <= IMPORT_MAX_ROWS && bytes_next(&rest, '\n', &line)) {
		reading->place.line++;
		if (line.len > OPENDKIM_LINE_BYTES)
			import_note(import, reading->place,
			    "OpenDKIM reads no more than %d octets of a line "
			    "and takes the rest for a line of its own; here "
			    "all of it is one",
			    OPENDKIM_LINE_BYTES);
		bytes_next(&line, '#', &part);
		take_line(reading, part);
	}
done:
	buf_cleanse(&all);
}

static void
read_patterns(struct reading *reading, const char *text)
{
	reading->set->patterns = true;
	read_file(reading, text);
}

static void
read_unknown(struct reading *reading, const char *text)
{
	import_note(reading->conf->import, reading->place,
	    "OpenDKIM takes what stands before the first colon for a type of "
	    "table and would not start; taken here for a list");
	read_list(reading, text);
}

static void
refuse_database(struct reading *reading)
{
	/* Its description may hold a password. */
	import_lost(reading->conf->import, reading->place,
	    "a table in a database is not read: write its rows to a file, each "
	    "a key, white space and the value, name that here, and import "
	    "again");
}

/* Chooses by the prefix, as OpenDKIM does: a colon behind the first comma is
 * part of a list. */
static bool
read_any(struct reading *reading, const char *text)
{
	size_t len = strcspn(text, ":,"), total = strlen(text);

	if (text[len] != ':') {
		bool is_db = total >= 3 && strcmp(text + total - 3, ".db") == 0;

		if (is_db)
			refuse_database(reading);
		else if (text[0] == '/')
			read_file(reading, text);
		else
			read_list(reading, text);
		return !is_db;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!bytes_is_nocase(bytes_of(text, len), kinds[i].prefix))
			continue;
		if (kinds[i].read != NULL)
			kinds[i].read(reading, text + len + 1);
		else
			refuse_database(reading);
		return kinds[i].read != NULL;
	}
	read_unknown(reading, text);
	return true;
}

bool
opendkim_set_read(const struct opendkim_conf *conf,
    const struct opendkim_value *value, struct opendkim_set *set_r)
{
	struct reading reading = { conf, set_r, value->place };

	*set_r = (struct opendkim_set){ 0 };
	return read_any(&reading, value->text);
}

void
opendkim_set_fini(struct opendkim_set *set)
{
	free(set->rows);
}

bool
opendkim_pattern_is_plain(const char *pattern)
{
	return strpbrk(pattern, "^$[](){}|?\\") == NULL;
}

bool
opendkim_pattern_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text != '\0') {
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star != NULL) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
