/* SPDX-License-Identifier: BSD-2-Clause */
#include "required_keys.h"

#include <string.h>

#include "keydir.h"

struct walk {
	required_keys_visit *visit;
	void *ctx;
};

bool
required_keys_any(const struct config *config)
{
	bool any = config->sign.require_published;

	for (size_t i = 0; i < config->domain_count && !any; i++)
		any = config->domains[i].sign.require_published;
	return any && config->mode != MODE_VERIFY;
}

/* The domain that ENTRY signs for where a key names none; NULL: many. */
static const char *
domain_of(const struct config_domain *entry)
{
	const char *at = strrchr(entry->name, '@');
	const char *domain = at != NULL ? at + 1 : entry->name;

	if (entry->domain != NULL)
		return entry->domain;
	return domain[0] == '.' || domain[0] == '*' ? NULL : domain;
}

static void
visit_listed(const struct walk *walk, const struct config_domain *entry)
{
	const char *domain;

	for (size_t i = 0; i < entry->key_count; i++) {
		domain = entry->keys[i].domain != NULL ? entry->keys[i].domain
						       : domain_of(entry);
		if (domain != NULL)
			walk->visit(walk->ctx, domain, entry->keys[i].selector,
			    entry->keys[i].file);
	}
}

static bool
visit_folder(const struct walk *walk, const struct keydir_item *folder)
{
	struct keydir_list list;
	struct arena arena;
	bool ok;

	arena_init(&arena);
	ok = keydir_selectors(folder->path, &arena, &list);
	for (size_t i = 0; ok && i < list.count; i++)
		walk->visit(walk->ctx, folder->name, list.items[i].name,
		    list.items[i].path);
	arena_fini(&arena);
	return ok;
}

/* Whether the folder of DOMAIN is what signs for mail of DOMAIN, and needs its
 * records. */
static bool
is_required(const struct config *config, const char *domain)
{
	const struct config_domain *entry =
	    config_find_domain(config, bytes_of("", 0), domain);

	if (entry == NULL)
		return config->sign.require_published;
	return entry->sign.require_published && entry->key_directory &&
	    (entry->domain == NULL || strcmp(entry->domain, domain) == 0);
}

static bool
visit_folders(const struct walk *walk, const struct config *config)
{
	const struct keydir_item *folder;
	const struct config_domain *entry;
	struct keydir_list top;
	struct arena arena;
	bool ok;

	if (config->key_directory[0] == '\0')
		return true;
	arena_init(&arena);
	/* One that is gone may be being exchanged. */
	ok = keydir_domains(config->key_directory, &arena, &top) &&
	    top.why == NULL && top.stamp.ino != 0;
	for (size_t i = 0; ok && i < top.count; i++)
		if (is_required(config, top.items[i].name))
			ok = visit_folder(walk, &top.items[i]);
	/* Folders that entries for others take their keys from. */
	for (size_t i = 0; ok && i < config->domain_count; i++) {
		entry = &config->domains[i];
		if (!entry->sign.require_published || !entry->key_directory ||
		    domain_of(entry) == NULL)
			continue;
		folder = keydir_find(&top, domain_of(entry));
		if (folder != NULL && !is_required(config, folder->name))
			ok = visit_folder(walk, folder);
	}
	arena_fini(&arena);
	return ok;
}

bool
required_keys_each(
    const struct config *config, required_keys_visit *visit, void *ctx)
{
	const struct walk walk = { visit, ctx };

	if (config->mode == MODE_VERIFY)
		return true;
	for (size_t i = 0; i < config->domain_count; i++)
		if (config->domains[i].sign.require_published)
			visit_listed(&walk, &config->domains[i]);
	return visit_folders(&walk, config);
}
