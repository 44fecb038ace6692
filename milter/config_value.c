/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_check.h"
#include "config_domains.h"
#include "config_names.h"
#include "config_settings.h"

/* A unit and what it counts; the largest first. */
struct unit {
	const char *suffix;
	int64_t factor;
};

static const struct unit second_units[] = {
	{ "d", 86400 },
	{ "h", 3600 },
	{ "m", 60 },
	{ "s", 1 },
	{ NULL, 1 },
};

static const struct unit millisecond_units[] = {
	{ "d", 86400000 },
	{ "h", 3600000 },
	{ "m", 60000 },
	{ "s", 1000 },
	{ "ms", 1 },
	{ NULL, 1000 },
};

static const struct unit size_units[] = {
	{ "G", 1 << 30 },
	{ "M", 1 << 20 },
	{ "k", 1 << 10 },
	{ NULL, 1 },
};

/* What a type's values look like. The last row of its units says what a bare
 * number counts. */
static const struct type_info {
	bool integer; /* may be written without quotes */
	size_t size;  /* of the member, 0 where that is not compared as such */
	const struct unit *units; /* NULL: none */
	const char *expected;
} types[SETTING_TYPES] = {
	[SETTING_STRING] = { false, 0, NULL, "a string in quotes" },
	[SETTING_BOOLEAN] = { false, sizeof(bool), NULL, "true or false" },
	[SETTING_NUMBER] = { true, sizeof(unsigned), NULL,
	    "a whole number without quotes" },
	[SETTING_COUNT] = { true, sizeof(size_t), NULL,
	    "a whole number without quotes" },
	[SETTING_SIZE] = { true, sizeof(size_t), size_units,
	    "a size such as \"256k\" or \"1M\"" },
	[SETTING_SECONDS] = { true, sizeof(int64_t), second_units,
	    "a time such as \"30s\", \"5m\", \"12h\" or \"14d\"" },
	[SETTING_MILLISECONDS] = { true, sizeof(int64_t), millisecond_units,
	    "a time such as \"500ms\", \"30s\" or \"5m\"" },
	[SETTING_MODE] = { false, sizeof(mode_t), NULL,
	    "an octal mode in quotes, such as \"0660\"" },
	[SETTING_WORD] = { false, sizeof(int), NULL, "a word in quotes" },
	[SETTING_CANON] = { false, 2 * sizeof(int), NULL, "a word in quotes" },
	[SETTING_STRINGS] = { false, 0, NULL,
	    "a list of strings such as [ \"a\", \"b\" ]" },
	[SETTING_NAMES] = { false, 0, NULL,
	    "a list of strings such as [ \"From\", \"To\" ], or of changes "
	    "such as [ \"+X-Mine\", \"-Cc\" ]" },
	[SETTING_NETWORKS] = { false, 0, NULL,
	    "a list of strings such as [ \"192.0.2.0/24\", \"::1\" ]" },
	[SETTING_ADDRESSES] = { false, 0, NULL,
	    "a list of strings such as [ \"a@example.com\", \"example.org\", "
	    "\".example.org\" ]" },
	[SETTING_DOMAINS] = { false, 0, NULL,
	    "a list of groups such as ( { name = \"example.com\"; } )" },
	[SETTING_KEYS] = { false, 0, NULL,
	    "a list of groups such as ( { selector = \"s\"; "
	    "file = \"/path\"; } )" },
};

_Static_assert(sizeof(enum config_action) == sizeof(int) &&
	sizeof(enum signpost_canon) == sizeof(int),
    "words are kept as int");
_Static_assert(offsetof(struct config_sign, body_canon) ==
	offsetof(struct config_sign, header_canon) +
	    sizeof(enum signpost_canon),
    "the two canonicalizations stand side by side");

static bool __attribute__((format(printf, 2, 3)))
refuse(const struct setting_source *source, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	config_problem(source->problems, source->node->file, source->node->line,
	    source->name, "%s", text);
	return false;
}

/* TEXT as it may stand in a message, cut. */
static const char *
quoted(const char *text, char out[96])
{
	snprintf(out, 96, "\"%.64s%s\"", text, strlen(text) > 64 ? "..." : "");
	return out;
}

static const char *
words_text(const struct setting_word *words, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (; words->word != NULL && used < size; words++)
		used += (size_t)snprintf(out + used, size - used, "%s\"%s\"",
		    used > 0 ? " | " : "", words->word);
	return out;
}

/* VALUE in the largest unit that leaves nothing over. */
static const char *
amount_text(enum setting_type type, int64_t value, char out[32])
{
	const struct unit *unit = types[type].units;

	if (type == SETTING_MODE) {
		snprintf(out, 32, "\"%04llo\"", (unsigned long long)value);
		return out;
	}
	while (unit != NULL && unit->suffix != NULL &&
	    (value == 0 || value % unit->factor != 0))
		unit++;
	if (unit == NULL || unit->suffix == NULL)
		snprintf(out, 32, "%lld", (long long)value);
	else
		snprintf(out, 32, "%lld%s", (long long)(value / unit->factor),
		    unit->suffix);
	return out;
}

const char *
setting_range_text(const struct setting *setting, char *out, size_t size)
{
	char least[32], most[32];

	out[0] = '\0';
	if (setting->fixed)
		snprintf(out, size, "in this version only the default");
	else if (setting->words != NULL)
		return words_text(setting->words, out, size);
	else if (setting->max > 0)
		snprintf(out, size, "%s to %s",
		    amount_text(setting->type, setting->min, least),
		    amount_text(setting->type, setting->max, most));
	return out;
}

const char *
setting_default_text(const struct setting *setting, char *out, size_t size)
{
	const char *text = setting->initial == NULL ? "" : setting->initial;
	const char *const *item;
	size_t used;

	switch (setting->type) {
	case SETTING_STRINGS:
	case SETTING_NAMES:
	case SETTING_NETWORKS:
	case SETTING_ADDRESSES:
		used = (size_t)snprintf(out, size, "[");
		for (item = setting->list;
		     item != NULL && *item != NULL && used < size; item++)
			used += (size_t)snprintf(out + used, size - used,
			    "%s \"%s\"", used > 1 ? "," : "", *item);
		if (used < size)
			snprintf(out + used, size - used, " ]");
		return out;
	case SETTING_DOMAINS:
	case SETTING_KEYS:
		snprintf(out, size, "( )");
		return out;
	case SETTING_BOOLEAN:
	case SETTING_NUMBER:
	case SETTING_COUNT:
		snprintf(out, size, "%s", text);
		return out;
	default:
		snprintf(out, size, "\"%s\"", text);
		return out;
	}
}

/* Reads digits and a unit. False where TEXT is neither, or too large. */
static bool
parse_amount(const char *text, const struct unit *units, int64_t *value_r)
{
	const char *rest = text;
	int64_t value = 0;

	for (; *rest >= '0' && *rest <= '9'; rest++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *rest - '0', &value))
			return false;
	if (rest == text)
		return false;
	while (units != NULL && units->suffix != NULL &&
	    strcmp(units->suffix, rest) != 0)
		units++;
	if (units == NULL || units->suffix == NULL) {
		*value_r = value;
		return *rest == '\0' &&
		    (units == NULL ||
			!__builtin_mul_overflow(value, units->factor, value_r));
	}
	return !__builtin_mul_overflow(value, units->factor, value_r);
}

/* An octal number. */
static bool
parse_mode(const char *text, int64_t *value_r)
{
	int64_t value = 0;
	size_t i;

	for (i = 0; text[i] != '\0'; i++) {
		if (text[i] < '0' || text[i] > '7' || i >= 6)
			return false;
		value = value * 8 + (text[i] - '0');
	}
	*value_r = value;
	return i > 0;
}

static void
store(enum setting_type type, void *place, int64_t value)
{
	unsigned number = (unsigned)value;
	size_t size = (size_t)value;
	mode_t mode = (mode_t)value;
	bool boolean = value != 0;
	int words[2] = { (int)value / 2, (int)value % 2 };
	const void *from = &value;

	if (type == SETTING_WORD)
		words[0] = (int)value;
	switch (type) {
	case SETTING_NUMBER:
		from = &number;
		break;
	case SETTING_COUNT:
	case SETTING_SIZE:
		from = &size;
		break;
	case SETTING_MODE:
		from = &mode;
		break;
	case SETTING_BOOLEAN:
		from = &boolean;
		break;
	case SETTING_WORD:
	case SETTING_CANON:
		from = words;
		break;
	default:
		break;
	}
	memcpy(place, from, types[type].size);
}

/* A scalar's text as a number, whatever the type. */
static bool
parse_scalar(const struct setting *setting, const char *text, int64_t *value_r)
{
	const struct setting_word *word;

	if (setting->type == SETTING_BOOLEAN) {
		*value_r = strcmp(text, "true") == 0;
		return true;
	}
	if (setting->type == SETTING_MODE)
		return parse_mode(text, value_r);
	if (setting->words == NULL)
		return parse_amount(text, types[setting->type].units, value_r);
	for (word = setting->words; word->word != NULL; word++)
		if (strcmp(word->word, text) == 0) {
			*value_r = word->value;
			return true;
		}
	return false;
}

static bool
set_string(const struct setting *setting, const struct setting_source *source,
    void *place)
{
	const char *text = source->node->value;
	const char *why = setting->check ? setting->check(text) : NULL;
	char shown[96], words[256];
	const char *copy = NULL;
	int64_t unused;

	if (why != NULL)
		return refuse(source, "%s: %s", quoted(text, shown), why);
	if (setting->words != NULL && !parse_scalar(setting, text, &unused))
		return refuse(source, "%s: must be %s", quoted(text, shown),
		    words_text(setting->words, words, sizeof words));
	if (setting->initial != NULL || text[0] != '\0')
		copy = arena_strdup(source->arena, text);
	memcpy(place, &copy, sizeof copy);
	return true;
}

static bool
set_scalar(const struct setting *setting, const struct setting_source *source,
    void *place)
{
	const char *text = source->node->value;
	bool parsed;
	char shown[96], range[256];
	int64_t value;

	parsed = parse_scalar(setting, text, &value);
	if (!parsed && setting->words == NULL &&
	    strspn(text, "-0123456789") != strlen(text))
		return refuse(source, "%s: must be %s", quoted(text, shown),
		    types[setting->type].expected);
	if (!parsed ||
	    (setting->max > 0 &&
		(value < setting->min || value > setting->max)))
		return refuse(source,
		    setting->words == NULL ? "%s: must be from %s"
					   : "%s: must be %s",
		    quoted(text, shown),
		    setting_range_text(setting, range, sizeof range));
	store(setting->type, place, value);
	return true;
}

static bool
set_element(const struct setting *setting, const struct setting_source *source,
    struct config_network *network, const char **string)
{
	const char *why;
	char shown[96];

	if (source->node->kind != CONFIG_STRING)
		return refuse(
		    source, "must be %s", types[setting->type].expected);
	if (setting->type == SETTING_NETWORKS)
		why = check_network(source->node->value, network);
	else if (setting->type == SETTING_ADDRESSES)
		*string = config_domains_address(
		    source->node->value, source->arena, &why);
	else
		return set_string(setting, source, string);
	if (why == NULL)
		return true;
	return refuse(
	    source, "%s: %s", quoted(source->node->value, shown), why);
}

/* A list's elements one by one, each of which is checked. */
static bool
set_list(const struct setting *setting, const struct setting_source *source,
    void *place)
{
	struct setting_source element = *source;
	size_t count = config_node_count(source->node), i = 0;
	struct config_networks networks = { NULL, count };
	struct config_strings strings = { NULL, count };
	bool ok = true;

	networks.items =
	    arena_alloc(source->arena, count + 1, sizeof *networks.items);
	strings.items =
	    arena_alloc(source->arena, count + 1, sizeof *strings.items);
	if (source->arena->failed)
		return false;
	element.node = source->node->child;
	for (; element.node != NULL; element.node = element.node->next, i++)
		ok &= set_element(
		    setting, &element, &networks.items[i], &strings.items[i]);
	if (ok && setting->type == SETTING_NETWORKS)
		memcpy(place, &networks, sizeof networks);
	if (ok && setting->type == SETTING_ADDRESSES && !source->arena->failed)
		config_domains_sort(
		    strings.items, strings.count, sizeof *strings.items);
	if (ok &&
	    (setting->type == SETTING_STRINGS ||
		setting->type == SETTING_ADDRESSES))
		memcpy(place, &strings, sizeof strings);
	if (ok && setting->type == SETTING_NAMES)
		ok = config_names_set(source, &strings, place);
	return ok;
}

/* Whether NODE is written as the setting's type asks. */
static bool
is_of_type(const struct setting *setting, enum config_kind kind)
{
	switch (setting->type) {
	case SETTING_STRINGS:
	case SETTING_NAMES:
	case SETTING_NETWORKS:
	case SETTING_ADDRESSES:
	case SETTING_DOMAINS:
	case SETTING_KEYS:
		return kind == CONFIG_LIST || kind == CONFIG_ARRAY;
	case SETTING_BOOLEAN:
		return kind == CONFIG_BOOLEAN;
	case SETTING_NUMBER:
	case SETTING_COUNT:
		return kind == CONFIG_INTEGER;
	default:
		return kind == CONFIG_STRING ||
		    (kind == CONFIG_INTEGER && types[setting->type].integer);
	}
}

bool
setting_set(const struct setting *setting, const struct setting_source *source,
    void *place)
{
	char text[256];

	if (!is_of_type(setting, source->node->kind))
		return refuse(
		    source, "must be %s", types[setting->type].expected);
	if (setting->fixed) {
		if (strcmp(source->node->value, setting->initial) == 0)
			return true;
		return refuse(source, "this version can do no more than %s",
		    setting_default_text(setting, text, sizeof text));
	}
	switch (setting->type) {
	case SETTING_DOMAINS:
	case SETTING_KEYS:
		return true;
	case SETTING_STRINGS:
	case SETTING_NAMES:
	case SETTING_NETWORKS:
	case SETTING_ADDRESSES:
		return set_list(setting, source, place);
	case SETTING_STRING:
		return set_string(setting, source, place);
	default:
		return set_scalar(setting, source, place);
	}
}

/* A list's default as nodes, so that it is set as a written one is. */
static bool
set_default_list(
    const struct setting *setting, void *place, struct arena *arena)
{
	struct config_node list = { .kind = CONFIG_LIST }, *nodes;
	struct config_problems problems = { 0 };
	struct setting_source source = { setting->name, &list, arena,
		&problems };
	size_t count = 0, i;
	bool ok;

	while (setting->list != NULL && setting->list[count] != NULL)
		count++;
	nodes = calloc(count + 1, sizeof *nodes);
	if (nodes == NULL)
		return false;
	for (i = 0; i < count; i++)
		nodes[i] = (struct config_node){ .kind = CONFIG_STRING,
			.file = "",
			.value = setting->list[i],
			.next = i + 1 < count ? &nodes[i + 1] : NULL };
	list.child = count > 0 ? nodes : NULL;
	ok = set_list(setting, &source, place);
	config_problems_fini(&problems);
	free(nodes);
	return ok;
}

bool
setting_set_default(
    const struct setting *setting, void *place, struct arena *arena)
{
	const char *copy = setting->initial;
	int64_t value;

	switch (setting->type) {
	case SETTING_DOMAINS:
	case SETTING_KEYS:
		return true;
	case SETTING_STRINGS:
	case SETTING_NAMES:
	case SETTING_NETWORKS:
	case SETTING_ADDRESSES:
		return set_default_list(setting, place, arena);
	case SETTING_STRING:
		memcpy(place, &copy, sizeof copy);
		return true;
	default:
		if (!parse_scalar(setting, setting->initial, &value))
			return false;
		store(setting->type, place, value);
		return true;
	}
}

void *
setting_place(const struct setting *setting, void *base)
{
	return (char *)base + setting->offset;
}

static bool
equal_strings(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool
setting_equal(const struct setting *setting, const void *a, const void *b)
{
	const struct config_strings *x = a, *y = b;
	const struct config_networks *m = a, *n = b;
	const char *left, *right;
	size_t i;

	switch (setting->type) {
	case SETTING_STRING:
		memcpy(&left, a, sizeof left);
		memcpy(&right, b, sizeof right);
		return equal_strings(left, right);
	case SETTING_STRINGS:
	case SETTING_NAMES:
	case SETTING_ADDRESSES:
		for (i = 0; i < x->count && x->count == y->count; i++)
			if (!equal_strings(x->items[i], y->items[i]))
				return false;
		return x->count == y->count;
	case SETTING_NETWORKS:
		return m->count == n->count &&
		    memcmp(m->items, n->items, m->count * sizeof *m->items) ==
		    0;
	default:
		return memcmp(a, b, types[setting->type].size) == 0;
	}
}
