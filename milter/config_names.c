/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_names.h"

#include <string.h>

static bool
is_change(const char *name)
{
	return name[0] == '+' || name[0] == '-';
}

const char *
config_names_bare(const char *name)
{
	return is_change(name) ? name + 1 : name;
}

bool
config_names_have(const struct config_strings *names, struct bytes name)
{
	for (size_t i = 0; i < names->count; i++)
		if (bytes_is_nocase(name, names->items[i]))
			return true;
	return false;
}

static void
take_away(struct config_strings *names, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++)
		if (!bytes_is_nocase(bytes_str(names->items[i]), name))
			names->items[kept++] = names->items[i];
	names->count = kept;
}

static void
change(const struct setting_source *source, struct config_strings *names,
    const char *written)
{
	const char *name = config_names_bare(written);
	bool there = config_names_have(names, bytes_str(name));

	if (written[0] == '-' && !there)
		config_warning(source->problems, source->node->file,
		    source->node->line, source->name,
		    "\"%s\": is not there to be taken away", written);
	else if (written[0] == '-')
		take_away(names, name);
	else if (!there)
		names->items[names->count++] = name;
}

bool
config_names_set(const struct setting_source *source,
    const struct config_strings *written, struct config_strings *place)
{
	struct config_strings names = { NULL, place->count };
	size_t changes = 0;

	for (size_t i = 0; i < written->count; i++)
		changes += is_change(written->items[i]);
	if (changes == 0) {
		*place = *written;
		return true;
	}
	if (changes < written->count) {
		config_problem(source->problems, source->node->file,
		    source->node->line, source->name,
		    "a + or - must stand before each name, or before none");
		return false;
	}
	names.items = arena_alloc(source->arena,
	    place->count + written->count + 1, sizeof *names.items);
	if (names.items == NULL)
		return false;
	if (place->count > 0)
		memcpy(names.items, place->items,
		    place->count * sizeof *names.items);
	for (size_t i = 0; i < written->count; i++)
		change(source, &names, written->items[i]);
	names.items[names.count] = NULL;
	*place = names;
	return true;
}
