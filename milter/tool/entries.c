/* SPDX-License-Identifier: BSD-2-Clause */
#include "entries.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum {
	NETWORK_SIZE = INET6_ADDRSTRLEN + sizeof("/128")
};

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

/* The algorithm of a key that can be used; false where it is none. */
static bool
find_algorithm(const struct entries *entries, const struct config_domain *entry,
    size_t i, enum signpost_algorithm *algorithm_r)
{
	struct config_domain one = *entry;
	struct keystore_keys keys;
	bool found;

	one.keys = &entry->keys[i];
	one.key_count = 1;
	if (!keystore_select(entries->keystore, &one, domain_of(entry), &keys))
		return false;
	found = keys.count > 0;
	if (found)
		*algorithm_r =
		    signpost_private_key_algorithm(keys.items[0].key);
	keystore_keys_fini(&keys);
	return found;
}

/* Of each algorithm the first key that is listed signs. Where keys must be
 * published those behind it have their turn, too. */
static void
check_listed(const struct entries *entries, const struct config_domain *entry)
{
	const struct config_key *first[SIGNPOST_ALGORITHM_UNKNOWN] = { NULL };
	enum signpost_algorithm algorithm;

	if (entry->name[0] == '\0' || entry->all ||
	    entry->sign.require_published)
		return;
	for (size_t i = 0; i < entry->key_count; i++) {
		const struct config_key *key = &entry->keys[i];

		if (!find_algorithm(entries, entry, i, &algorithm))
			continue;
		if (first[algorithm] != NULL)
			config_warning(entries->problems, entry->file,
			    key->line, "domains.keys",
			    "\"%s\" of \"%s\" never signs: \"%s\" before it "
			    "is %s, too, and the first signs: take one out, or "
			    "write all = true;",
			    key->selector, entry->name,
			    first[algorithm]->selector,
			    signpost_algorithm_name(algorithm));
		else
			first[algorithm] = key;
	}
}

static const char *
network_text(const struct config_network *network, char text[NETWORK_SIZE])
{
	bool is_four =
	    network->bits >= 96 && IN6_IS_ADDR_V4MAPPED(&network->address);
	char address[INET6_ADDRSTRLEN] = "";

	inet_ntop(is_four ? AF_INET : AF_INET6,
	    network->address.s6_addr + (is_four ? 12 : 0), address,
	    sizeof(address));
	snprintf(text, NETWORK_SIZE, "%s/%u", address,
	    network->bits - (is_four ? 96 : 0));
	return text;
}

/* The network that makes the one at I needless; of two that are the same, the
 * first. */
static const struct config_network *
find_around(const struct config_networks *networks, size_t i)
{
	const struct config_network *inner = &networks->items[i];

	for (size_t j = 0; j < networks->count; j++) {
		const struct config_network *outer = &networks->items[j];

		if (j != i && config_network_within(inner, outer) &&
		    (j < i || outer->bits < inner->bits))
			return outer;
	}
	return NULL;
}

static void
check_networks(const struct entries *entries)
{
	const struct config_networks *networks =
	    &entries->config->trusted_networks;
	char inner[NETWORK_SIZE], outer[NETWORK_SIZE];

	for (size_t i = 0; i < networks->count &&
	     entries->problems->count < CONFIG_MAX_PROBLEMS;
	     i++) {
		const struct config_network *around = find_around(networks, i);

		if (around != NULL)
			config_warning(entries->problems, entries->config->file,
			    0, "trusted_networks",
			    "%s is in %s and adds nothing: take it out",
			    network_text(&networks->items[i], inner),
			    network_text(around, outer));
	}
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

	check_networks(&entries);
	for (size_t i = 0; i < config->domain_count; i++) {
		check_entry(&entries, &config->domains[i]);
		check_listed(&entries, &config->domains[i]);
	}
	keystore_each(keystore, check_key, &entries);
}
