/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_rules.h"

#include <stdlib.h>

#include "config_domains.h"
#include "config_text.h"
#include "keystore.h"

/* The keys of an entry while it is made. */
struct entry {
	const struct opendkim_rule *keys[KEYSTORE_MAX_KEYS];
	size_t count;
};

void
opendkim_rules_init(struct opendkim_rules *rules, struct import *import)
{
	*rules = (struct opendkim_rules){ .import = import };
}

void
opendkim_rules_fini(struct opendkim_rules *rules)
{
	free(rules->rules);
}

void
opendkim_rules_add(
    struct opendkim_rules *rules, const struct opendkim_rule *rule)
{
	struct import *import = rules->import;
	struct opendkim_rule copy = *rule;
	const char *why;

	copy.name = config_domains_name(rule->name, &import->arena, &why);
	if (copy.name == NULL) {
		import->no_memory |= why == NULL;
		import_lost(import, rule->place, "\"%s\": %s", rule->name,
		    why == NULL ? "out of memory" : why);
	} else if (import_row(import, rule->place) &&
	    import_grow(import, &rules->rules, rules->count, sizeof(copy))) {
		rules->rules[rules->count++] = copy;
	}
}

void
opendkim_rules_exempt(
    struct opendkim_rules *rules, const char *name, struct import_place place)
{
	/* It is the first of its name. */
	const struct opendkim_rule rule = {
		.name = name, .blocks = true, .exempt = true, .place = place
	};

	opendkim_rules_add(rules, &rule);
}

static int
compare(const void *a, const void *b)
{
	const struct opendkim_rule *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order
			  : (x->order > y->order) - (x->order < y->order);
}

/* The name of the next larger set that NAME's is part of; NULL: it is all. */
static const char *
wider(const char *name)
{
	const char *at = strrchr(name, '@'), *dot;

	if (strcmp(name, "*") == 0)
		return NULL;
	if (at != NULL)
		return at + 1;
	dot = strchr(name + 1, '.');
	return dot != NULL ? dot : "*";
}

/* The first rule for NAME; NULL for none. */
static const struct opendkim_rule *
find(const struct opendkim_rules *rules, const char *name)
{
	size_t low = 0, high = rules->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(rules->rules[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < rules->count && strcmp(rules->rules[low].name, name) == 0)
		return &rules->rules[low];
	return NULL;
}

/* What comes before RULE and matches all that it does; NULL: nothing. */
static const struct opendkim_rule *
find_shadow(
    const struct opendkim_rules *rules, const struct opendkim_rule *rule)
{
	const struct opendkim_rule *first = find(rules, rule->name);

	if (first != rule)
		return first;
	for (const char *name = wider(rule->name); name != NULL;
	     name = wider(name)) {
		first = find(rules, name);
		if (first != NULL &&
		    (first->exempt ||
			(rules->order == ORDER_FIRST &&
			    first->order < rule->order)))
			return first;
	}
	return NULL;
}

static bool
same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void
add_key(struct opendkim_rules *rules, struct entry *entry,
    const struct opendkim_rule *key)
{
	for (size_t i = 0; i < entry->count; i++)
		if (strcmp(entry->keys[i]->selector, key->selector) == 0 &&
		    same(entry->keys[i]->domain, key->domain))
			return;
	if (entry->count == KEYSTORE_MAX_KEYS)
		import_lost(rules->import, key->place,
		    "a message is signed with at most %d keys; this one is "
		    "left out for %s",
		    KEYSTORE_MAX_KEYS, entry->keys[0]->name);
	else
		entry->keys[entry->count++] = key;
}

/* The keys of all rules for NAME. */
static void
add_keys(struct opendkim_rules *rules, struct entry *entry, const char *name)
{
	const struct opendkim_rule *end = rules->rules + rules->count;

	for (const struct opendkim_rule *rule = find(rules, name);
	     rule != NULL && rule < end && strcmp(rule->name, name) == 0;
	     rule++)
		if (!rule->blocks)
			add_key(rules, entry, rule);
}

/* The keys that sign the mail of FIRST, the first rule of its name. */
static void
collect(struct opendkim_rules *rules, struct entry *entry,
    const struct opendkim_rule *first)
{
	entry->count = 0;
	if (rules->order != ORDER_ALL || first->exempt) {
		if (!first->blocks)
			entry->keys[entry->count++] = first;
		return;
	}
	for (const char *name = first->name; name != NULL; name = wider(name))
		add_keys(rules, entry, name);
}

/* The identity is the entry's, not the key's. */
static void
write_identity(
    struct opendkim_rules *rules, const struct entry *entry, struct buf *out)
{
	const char *identity =
	    entry->count > 0 ? entry->keys[0]->identity : NULL;

	for (size_t i = 1; i < entry->count; i++)
		if (!same(entry->keys[i]->identity, identity)) {
			import_lost(rules->import, entry->keys[i]->place,
			    "the signatures of one message can't differ in "
			    "their identity (i=): it is left out for \"%s\"",
			    entry->keys[0]->name);
			return;
		}
	if (identity != NULL) {
		buf_append_str(out, "\n    identity = ");
		config_text_string(out, identity);
		buf_append_char(out, ';');
	}
}

static void
write_key(const struct opendkim_rule *key, const char *entry, struct buf *out)
{
	buf_append_str(out, "{ selector = ");
	config_text_string(out, key->selector);
	buf_append_str(out, ";\n        file = ");
	config_text_string(out, key->file);
	buf_append_char(out, ';');
	if (key->domain != NULL && strcmp(key->domain, entry) != 0) {
		buf_append_str(out, " domain = ");
		config_text_string(out, key->domain);
		buf_append_char(out, ';');
	}
	buf_append_str(out, " }");
}

static void
write_entry(struct opendkim_rules *rules, const char *name,
    const struct entry *entry, struct buf *out)
{
	const char *at = strrchr(name, '@');

	buf_append_str(out, out->len == 0 ? "\n  { name = " : ",\n  { name = ");
	config_text_string(out, name);
	buf_append_str(out, ";\n    keys = ( ");
	for (size_t i = 0; i < entry->count; i++) {
		if (i > 0)
			buf_append_str(out, ",\n      ");
		write_key(entry->keys[i], at != NULL ? at + 1 : name, out);
	}
	buf_append_str(out, entry->count > 0 ? " );" : ");");
	if (rules->order == ORDER_ALL && entry->count > 1)
		buf_append_str(out, "\n    all = true;");
	write_identity(rules, entry, out);
	buf_append_str(out, " }");
}

/* An entry without keys is there only to keep mail from a wider one. */
static bool
is_needed(const struct opendkim_rules *rules, const char *name,
    const struct entry *entry)
{
	bool needed = entry->count > 0;

	for (name = wider(name); name != NULL && !needed; name = wider(name))
		needed = find(rules, name) != NULL;
	return needed;
}

static void
say_shadowed(struct opendkim_rules *rules, const struct opendkim_rule *rule,
    const struct opendkim_rule *shadow)
{
	/* One row may have become several rules. */
	if (rule->order == shadow->order)
		return;
	import_note(rules->import, rule->place,
	    "OpenDKIM never comes to \"%s\" here, as %s:%u is first and is for "
	    "all of it; it is left out",
	    rule->name, shadow->place.file, shadow->place.line);
}

/* Its list of requests for signatures forgets those in between. */
static void
say_many(struct opendkim_rules *rules, const struct entry *entry)
{
	if (entry->count > 2)
		import_note(rules->import, entry->keys[0]->place,
		    "%zu keys are for this mail; OpenDKIM 2.11 signs with the "
		    "first and the last of them only, here all sign",
		    entry->count);
}

void
opendkim_rules_write(struct opendkim_rules *rules, struct buf *out,
    opendkim_visit *visit, void *context)
{
	const struct opendkim_rule *shadow;
	struct entry entry;

	if (rules->count > 0)
		qsort(
		    rules->rules, rules->count, sizeof(*rules->rules), compare);
	for (size_t i = 0; i < rules->count; i++) {
		const struct opendkim_rule *rule = &rules->rules[i];

		shadow = find_shadow(rules, rule);
		if (shadow != NULL) {
			if (rules->order != ORDER_ALL && !shadow->exempt)
				say_shadowed(rules, rule, shadow);
			continue;
		}
		collect(rules, &entry, rule);
		say_many(rules, &entry);
		if (is_needed(rules, rule->name, &entry))
			write_entry(rules, rule->name, &entry, out);
		for (size_t k = 0; k < entry.count; k++)
			visit(context, entry.keys[k]);
	}
}
