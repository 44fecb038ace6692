/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "config_check.h"
#include "config_domains.h"
#include "config_settings.h"

/* What a caller's pointer stands in. */
struct owned {
	struct config config;
	atomic_uint refs;
	struct arena arena;
};

/* A configuration while it is made. */
struct build {
	struct config *config;
	struct arena *arena;
	struct config_problems *problems;
};

/* The struct that a group's settings go to, and how their names begin. */
struct group {
	const char *prefix;
	void *config; /* NULL where the scope has none */
	struct config_domain *domain;
	struct config_key *key;
	struct config_verify_domain *verify;
};

static void build_group(struct build *build, const struct group *group,
    const struct config_node *node);

/* Where GROUP has SETTING. An entry holds the settings of the sign group, or of
 * the verify group, in a copy of its own. */
static void *
place_in(const struct group *group, const struct setting *setting)
{
	void *base = group->config;

	if (setting->scope == SCOPE_DOMAIN)
		base = group->domain;
	if (setting->scope == SCOPE_KEY)
		base = group->key;
	if (setting->scope == SCOPE_VERIFY)
		base = group->verify;
	if (setting->scope == SCOPE_CONFIG && group->verify != NULL)
		return (char *)&group->verify->verify +
		    (setting->offset - offsetof(struct config, verify));
	if (setting->scope == SCOPE_CONFIG && group->domain != NULL)
		return (char *)&group->domain->sign +
		    (setting->offset - offsetof(struct config, sign));
	return setting_place(setting, base);
}

static bool
set_defaults(struct build *build)
{
	const struct setting *row;
	size_t i;

	for (i = 0; (row = setting_get(i)) != NULL; i++)
		if (row->scope == SCOPE_CONFIG &&
		    !setting_set_default(
			row, setting_place(row, build->config), build->arena))
			return false;
	return true;
}

/* Reports that a group lacks NAME, which it must have; a NAME that is there but
 * wrong has been reported. */
static void
require(struct build *build, const struct config_node *group,
    const char *prefix, const char *name)
{
	const struct config_node *node;
	char setting[64];

	for (node = group->child; node != NULL; node = node->next)
		if (strcmp(node->name, name) == 0)
			return;
	snprintf(setting, sizeof setting, "%s%s", prefix, name);
	config_problem(
	    build->problems, group->file, group->line, setting, "is missing");
}

/* A domain that was checked to be one, in lower case and A-labels. */
static void
to_ascii(struct build *build, const char **domain)
{
	char ascii[DOMAIN_SIZE];

	if (*domain != NULL && domain_to_ascii(bytes_str(*domain), ascii))
		*domain = arena_strdup(build->arena, ascii);
}

static void
build_key(
    struct build *build, struct config_key *key, const struct config_node *node)
{
	struct group group = { .prefix = "domains.keys.", .key = key };

	key->line = node->line;
	build_group(build, &group, node);
	to_ascii(build, &key->domain);
	require(build, node, group.prefix, "selector");
	require(build, node, group.prefix, "file");
}

static void
build_keys(struct build *build, struct config_domain *domain,
    const struct config_node *list)
{
	const struct config_node *node;

	domain->key_directory = false;
	domain->keys = arena_alloc(
	    build->arena, config_node_count(list) + 1, sizeof *domain->keys);
	if (domain->keys == NULL)
		return;
	for (node = list->child; node != NULL; node = node->next) {
		if (node->kind == CONFIG_GROUP)
			build_key(
			    build, &domain->keys[domain->key_count++], node);
		else
			config_problem(build->problems, node->file, node->line,
			    "domains.keys",
			    "must be a group: { selector = "
			    "\"s\"; file = \"/path\"; }");
	}
}

/* Puts the name of an entry, as it was written, into the form that is looked
 * for; "" where it has none that can be used. */
static void
build_name(struct build *build, const char **name, const char *setting,
    const struct config_node *node)
{
	const char *written = *name, *why;

	*name = "";
	if (written == NULL || written[0] == '\0')
		return;
	*name = config_domains_name(written, build->arena, &why);
	if (*name != NULL)
		return;
	*name = "";
	if (why != NULL)
		config_problem(build->problems, node->file, node->line, setting,
		    "\"%s\": %s", written, why);
}

static const char *
build_file(struct build *build, const struct config_node *node)
{
	if (strcmp(node->file, build->config->file) == 0)
		return build->config->file;
	return arena_strdup(build->arena, node->file);
}

static void
build_domain(struct build *build, void *entry, const struct config_node *node)
{
	struct config_domain *domain = entry;
	struct group group = { .prefix = "domains.", .domain = domain };

	*domain = (struct config_domain){ .sign = build->config->sign,
		.key_directory = true,
		.file = build_file(build, node),
		.line = node->line };
	build_group(build, &group, node);
	to_ascii(build, &domain->domain);
	require(build, node, group.prefix, "name");
	build_name(build, &domain->name, "domains.name", node);
}

static void
build_verify_domain(
    struct build *build, void *entry, const struct config_node *node)
{
	struct config_verify_domain *domain = entry;
	struct group group = { .prefix = "verify.domains.", .verify = domain };

	*domain =
	    (struct config_verify_domain){ .verify = build->config->verify,
		    .file = build_file(build, node),
		    .line = node->line };
	build_group(build, &group, node);
	require(build, node, group.prefix, "name");
	build_name(build, &domain->name, "verify.domains.name", node);
}

/* A list of entries: what one is made by, and its size in octets. */
struct entries {
	const char *setting;
	void (*make)(struct build *, void *, const struct config_node *);
	size_t size;
};

/* The entries of LIST, sorted by name. */
static void *
build_entries(struct build *build, const struct entries *entries,
    const struct config_node *list, size_t *count_r)
{
	const struct config_node *node;
	char *items;

	*count_r = 0;
	items = arena_alloc(
	    build->arena, config_node_count(list) + 1, entries->size);
	if (items == NULL)
		return NULL;
	for (node = list->child; node != NULL; node = node->next) {
		if (node->kind == CONFIG_GROUP)
			entries->make(
			    build, items + entries->size * (*count_r)++, node);
		else
			config_problem(build->problems, node->file, node->line,
			    entries->setting,
			    "must be a group: { name = "
			    "\"example.com\"; }");
	}
	if (!build->arena->failed)
		config_domains_sort(items, *count_r, entries->size);
	return items;
}

/* Where an entry stands. */
struct place {
	const char *name, *file;
	unsigned line;
};

static void
refuse_twice(
    struct build *build, const char *setting, struct place a, struct place b)
{
	const struct place *first = a.line < b.line ? &a : &b;
	const struct place *later = first == &a ? &b : &a;

	if (a.name[0] != '\0' && strcmp(a.name, b.name) == 0)
		config_problem(build->problems, later->file, later->line,
		    setting, "\"%s\" has an entry already, in line %u",
		    later->name, first->line);
}

static void
build_domains(struct build *build, const struct config_node *list)
{
	static const struct entries entries = { "domains", build_domain,
		sizeof(struct config_domain) };
	struct config *config = build->config;
	const struct config_domain *at;
	size_t i;

	config->domains =
	    build_entries(build, &entries, list, &config->domain_count);
	for (i = 1; i < config->domain_count && !build->arena->failed; i++) {
		at = &config->domains[i];
		refuse_twice(build, "domains.name",
		    (struct place){ at[-1].name, at[-1].file, at[-1].line },
		    (struct place){ at->name, at->file, at->line });
	}
}

/* Of a message whose author can't be told, no signature can be aligned with
 * the author: what is refused without one would be let in by such a From. */
static const struct config_verify_domain *
find_nobody(const struct config *config)
{
	const struct config_verify_domain *found = NULL, *at;
	size_t i;

	if (config->verify.require_aligned_pass && !config->verify.dry_run)
		return NULL;
	for (i = 0; i < config->verify_domain_count; i++) {
		at = &config->verify_domains[i];
		if (at->verify.require_aligned_pass &&
		    (found == NULL ||
			(found->verify.dry_run && !at->verify.dry_run)))
			found = at;
	}
	return found;
}

static void
build_verify_domains(struct build *build, const struct config_node *list)
{
	static const struct entries entries = { "verify.domains",
		build_verify_domain, sizeof(struct config_verify_domain) };
	struct config *config = build->config;
	const struct config_verify_domain *at;
	size_t i;

	config->verify_domains =
	    build_entries(build, &entries, list, &config->verify_domain_count);
	for (i = 1; i < config->verify_domain_count && !build->arena->failed;
	     i++) {
		at = &config->verify_domains[i];
		refuse_twice(build, "verify.domains.name",
		    (struct place){ at[-1].name, at[-1].file, at[-1].line },
		    (struct place){ at->name, at->file, at->line });
	}
	config->verify_nobody = find_nobody(config);
}

/* Whether a setting has to know to whom a message goes. */
static bool
wants_recipients(const struct config *config)
{
	size_t count = config->sign.exempt.recipients.count +
	    config->verify.exempt.recipients.count;
	size_t i;

	for (i = 0; i < config->domain_count; i++)
		count += config->domains[i].sign.exempt.recipients.count;
	for (i = 0; i < config->verify_domain_count; i++)
		count +=
		    config->verify_domains[i].verify.exempt.recipients.count;
	return count > 0 || config_counts_replays(config);
}

static void
say_unknown(
    struct build *build, const struct config_node *node, const char *name)
{
	char nearest[96];

	config_problem(build->problems, node->file, node->line, name,
	    "is not a setting; the nearest that is one: %s",
	    setting_nearest(name, nearest, sizeof nearest));
}

/* So that what is found wrong with a value later has a line, too. */
static void
keep_place(
    struct build *build, const struct config_node *node, const char *name)
{
	struct config_place *place =
	    arena_alloc(build->arena, 1, sizeof(*place));

	if (place == NULL)
		return;
	*place = (struct config_place){ arena_strdup(build->arena, name),
		build_file(build, node), node->line, build->config->places };
	build->config->places = place;
}

static void
build_setting(struct build *build, const struct group *group,
    const struct config_node *node)
{
	char name[128], nested[160];
	const struct setting *setting;
	struct group inner = *group;
	struct setting_source source = { name, node, build->arena,
		build->problems };

	snprintf(name, sizeof name, "%s%s", group->prefix, node->name);
	setting = setting_find(name);
	if (setting == NULL && group->config != NULL &&
	    group->prefix[0] == '\0' && setting_is_group(name)) {
		if (node->kind != CONFIG_GROUP) {
			config_problem(build->problems, node->file, node->line,
			    name, "must be a group: %s = { ... };", name);
			return;
		}
		snprintf(nested, sizeof nested, "%s.", name);
		inner.prefix = nested;
		build_group(build, &inner, node);
		return;
	}
	if (setting == NULL) {
		say_unknown(build, node, name);
		return;
	}
	if (group->config != NULL)
		keep_place(build, node, name);
	if (!setting_set(setting, &source, place_in(group, setting)))
		return;
	/* Entries wait until the sign group, which they start from, is read. */
	if (setting->type == SETTING_KEYS)
		build_keys(build, group->domain, node);
}

static void
build_group(struct build *build, const struct group *group,
    const struct config_node *node)
{
	const struct config_node *child;

	for (child = node->child; child != NULL; child = child->next)
		build_setting(build, group, child);
}

static const struct config_node *
find_list(const struct config_node *group)
{
	const struct config_node *node = group->child;

	while (node != NULL && strcmp(node->name, "domains") != 0)
		node = node->next;
	return node != NULL &&
		(node->kind == CONFIG_LIST || node->kind == CONFIG_ARRAY)
	    ? node
	    : NULL;
}

/* Every entry starts from the "sign" or "verify" group, wherever that
 * stands. */
static void
build_all(struct build *build, const struct config_node *root)
{
	struct group group = { .prefix = "", .config = build->config };
	const struct config_node *node, *list = find_list(root);

	build_group(build, &group, root);
	if (list != NULL)
		build_domains(build, list);
	for (node = root->child; node != NULL; node = node->next) {
		list = find_list(node);
		if (strcmp(node->name, "verify") == 0 && list != NULL)
			build_verify_domains(build, list);
	}
	build->config->wants_recipients = wants_recipients(build->config);
}

static void
free_owned(struct owned *owned)
{
	if (owned == NULL)
		return;
	arena_fini(&owned->arena);
	free(owned);
}

/* What can be made of TREE, errors or not. */
static const struct config *
make_config(const char *file, const struct config_tree *tree,
    struct config_problems *problems)
{
	const struct config_node *root = config_tree_root(tree);
	struct owned *owned = calloc(1, sizeof *owned);
	struct build build;

	if (owned == NULL)
		goto no_memory;
	atomic_init(&owned->refs, 1);
	arena_init(&owned->arena);
	build = (struct build){ &owned->config, &owned->arena, problems };
	owned->config.file = arena_strdup(&owned->arena, file);
	if (owned->config.file == NULL || !set_defaults(&build))
		goto no_memory;
	build_all(&build, root);
	if (owned->arena.failed)
		goto no_memory;
	check_together(&owned->config, root, problems);
	return &owned->config;

no_memory:
	config_problem(problems, file, 0, "", "out of memory");
	free_owned(owned);
	return NULL;
}

/* CONFIG where there are no errors. */
static const struct config *
if_good(const struct config *config, const struct config_problems *problems)
{
	if (config == NULL || problems->errors == 0)
		return config;
	config_unref(config);
	return NULL;
}

const struct config *
config_from_tree(const char *file, const struct config_tree *tree,
    struct config_problems *problems)
{
	return if_good(make_config(file, tree, problems), problems);
}

const struct config *
config_load_for_check(const char *file, struct config_problems *problems_r)
{
	const struct config *config = NULL;
	struct config_tree *tree;

	*problems_r = (struct config_problems){ 0 };
	tree = config_read_tree(file, problems_r);
	if (tree != NULL)
		config = make_config(file, tree, problems_r);
	config_tree_free(tree);
	config_problems_sort(problems_r, file);
	return config;
}

const struct config *
config_load(const char *file, struct config_problems *problems_r)
{
	return if_good(config_load_for_check(file, problems_r), problems_r);
}

const struct config *
config_ref(const struct config *config)
{
	struct owned *owned = (struct owned *)config;

	atomic_fetch_add_explicit(&owned->refs, 1, memory_order_relaxed);
	return config;
}

void
config_unref(const struct config *config)
{
	struct owned *owned = (struct owned *)config;

	if (config == NULL ||
	    atomic_fetch_sub_explicit(&owned->refs, 1, memory_order_acq_rel) >
		1)
		return;
	free_owned(owned);
}

size_t
config_needs_restart(const struct config *old, const struct config *new,
    const char **names_r, size_t max)
{
	const struct setting *row;
	size_t count = 0, i;

	for (i = 0; (row = setting_get(i)) != NULL; i++) {
		if (!row->restart || row->scope != SCOPE_CONFIG ||
		    setting_equal(row, setting_place(row, (void *)old),
			setting_place(row, (void *)new)))
			continue;
		if (count < max)
			names_r[count] = row->name;
		count++;
	}
	return count < max ? count : max;
}

bool
config_counts_replays(const struct config *config)
{
	return config->mode != MODE_SIGN &&
	    (config->replay.threshold > 0 || config->replay.recipients > 0);
}

enum config_action
config_no_key_action(enum config_no_key no_key)
{
	return no_key == NO_KEY_TEMPFAIL ? ACTION_TEMPFAIL : ACTION_ACCEPT;
}

bool
config_sends_reports(const struct config *config)
{
	return config->mode != MODE_SIGN &&
	    (config->reports.directory[0] != '\0' ||
		config->reports.sendmail[0] != '\0');
}
