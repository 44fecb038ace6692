/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of status_view.h that shows where keys stand. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "status_view.h"

enum {
	MARGIN = 16,
	COLUMNS = 80,
	MAX_KEYS = 20
};

static const char *
text(const json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));

	return value != NULL ? value : "?";
}

/* Of a record that is not as it should be, what was seen last. */
static const char *
remark(const json_t *key)
{
	const char *check = text(key, "last_check");

	if (strcmp(check, "failed") == 0)
		return " (the look-up fails)";
	if (strcmp(check, "no_key") == 0)
		return " (its file can't be read)";
	if (strcmp(check, "no_record") == 0 &&
	    strcmp(text(key, "state"), "published") == 0)
		return " (missed, and to be confirmed)";
	return strcmp(check, "none") == 0 ? " (not looked up yet)" : "";
}

/* A line for KEY, cut where it is too wide. */
static void
view_key(const json_t *key, struct buf *out)
{
	char line[COLUMNS + 1];
	int len = snprintf(line, sizeof(line), "%-*s%-10s %s%s", MARGIN, "",
	    text(key, "state"), text(key, "name"), remark(key));

	buf_printf(out, "%.*s%s\n", len > COLUMNS ? COLUMNS - 3 : COLUMNS, line,
	    len > COLUMNS ? "..." : "");
}

void
status_view_keys(const json_t *status, struct buf *out)
{
	const json_t *keys =
	    json_object_get(json_object_get(status, "published_keys"), "keys");
	json_t *counts =
	    json_object_get(json_object_get(status, "published"), "keys");
	const char *state, *comma = "";
	json_int_t all = 0;
	json_t *member, *key;
	size_t i;

	json_object_foreach(counts, state, member)
	{
		all += json_integer_value(member);
	}
	if (all == 0)
		return; /* sign.require_published is not set */
	buf_printf(out, "%-*s", MARGIN, "Published keys");
	json_object_foreach(counts, state, member)
	{
		if (json_integer_value(member) == 0)
			continue;
		buf_printf(out, "%s%s %" JSON_INTEGER_FORMAT, comma, state,
		    json_integer_value(member));
		comma = "  ";
	}
	buf_append_char(out, '\n');
	json_array_foreach(keys, i, key)
	{
		if (i >= MAX_KEYS)
			break;
		view_key(key, out);
	}
	if (all > (json_int_t)i)
		buf_printf(out,
		    "%-*sand %" JSON_INTEGER_FORMAT " more: --json\n", MARGIN,
		    "", all - (json_int_t)i);
}
