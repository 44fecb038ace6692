/* SPDX-License-Identifier: BSD-2-Clause */
#include "entries.h"

#include <string.h>

struct entries {
	const struct config *config;
	struct keystore *keystore;
	struct config_problems *problems;
};

static const char *
domain_of(const struct config_domain *entry)
{
	const char *at = strrchr(entry->name, '@');

	return at != NULL ? at + 1 : entry->name;
}

static bool
is_for_many(const struct config_domain *entry)
{
	return entry->name[0] == '.' || entry->name[0] == '*';
}

/* Whether ENTRY has a key, as far as that can be told. */
static bool
has_key(const struct entries *entries, const struct config_domain *entry)
{
	if (entry->key_directory && entry->domain == NULL && is_for_many(entry))
		return true;
	return keystore_has(entries->keystore, entry, domain_of(entry));
}

/* The entry that would apply if ENTRY were not there; NULL: none. A name that
 * begins with a dot finds the entry that is so called, or those above. */
static const struct config_domain *
next_entry(const struct config *config, const struct config_domain *entry)
{
	const char *domain = domain_of(entry);

	if (strcmp(domain, "*") == 0)
		return NULL;
	if (domain == entry->name) {
		domain = strchr(domain + 1, '.');
		if (domain == NULL)
			domain = "*";
	}
	return config_find_domain(config, bytes_of("", 0), domain);
}

static void
check_entry(const struct entries *entries, const struct config_domain *entry)
{
	const struct config_domain *next;

	if (entry->name[0] == '\0' || has_key(entries, entry))
		return;
	next = next_entry(entries->config, entry);
	if (next != NULL &&
	    keystore_has(entries->keystore, next, domain_of(entry)))
		config_warning(entries->problems, entry->file, entry->line,
		    "domains.name",
		    "\"%s\" has no key, and hides \"%s\" in %s:%u, which has: "
		    "give it keys, or take it out",
		    entry->name, next->name, next->file, next->line);
	else if (!entry->key_directory)
		config_warning(entries->problems, entry->file, entry->line,
		    "domains.keys",
		    "is empty, so that mail of \"%s\" is not signed: name a "
		    "key",
		    entry->name);
}

/* Whether the folder of DOMAIN is where ENTRY takes its keys from. */
static bool
uses_folder(const struct config_domain *entry, const char *domain)
{
	return entry->key_directory &&
	    strcmp(entry->domain != NULL ? entry->domain : domain_of(entry),
		domain) == 0;
}

static bool
names_file(const struct config_domain *entry, const char *file)
{
	for (size_t i = 0; i < entry->key_count; i++)
		if (entry->keys[i].file != NULL &&
		    strcmp(entry->keys[i].file, file) == 0)
			return true;
	return false;
}

/* A key of DOMAIN's folder, or one that an entry names. */
static void
check_key(void *ctx, const char *domain, const char *selector, const char *file)
{
	const struct entries *entries = ctx;
	const struct config *config = entries->config;
	const struct config_domain *applies;

	(void)selector;
	if (file == NULL || domain == NULL ||
	    entries->problems->count >= CONFIG_MAX_PROBLEMS)
		return;
	applies = config_find_domain(config, bytes_of("", 0), domain);
	if (applies == NULL ||
	    (applies->key_directory &&
		(applies->domain == NULL ||
		    strcmp(applies->domain, domain) == 0)))
		return;
	for (size_t i = 0; i < config->domain_count; i++)
		if (uses_folder(&config->domains[i], domain) ||
		    names_file(&config->domains[i], file))
			return;
	config_warning(entries->problems, applies->file, applies->line,
	    "domains.keys",
	    "%s never signs, as \"%s\" applies to %s and %s: name the key "
	    "there, or take it away",
	    file, applies->name, domain,
	    applies->key_directory ? "has another domain's keys"
				   : "names its keys itself");
}

void
entries_check(const struct config *config, struct keystore *keystore,
    struct config_problems *problems)
{
	struct entries entries = { config, keystore, problems };

	for (size_t i = 0; i < config->domain_count; i++)
		check_entry(&entries, &config->domains[i]);
	keystore_each(keystore, check_key, &entries);
}
