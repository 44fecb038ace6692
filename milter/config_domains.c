/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_domains.h"

#include <stdio.h>
#include <stdlib.h>

#include "address.h"

static const char null_sender[] = "<>";

enum {
	NAME_SIZE = CONFIG_MAX_LOCAL + 1 + DOMAIN_SIZE
};

/* LOCAL, "@" and DOMAIN, letters of LOCAL in lower case: no system that
 * matters tells mailboxes apart by case. */
static bool
join(struct bytes local, const char *domain, char out[NAME_SIZE])
{
	size_t i;

	if (local.len > CONFIG_MAX_LOCAL)
		return false;
	for (i = 0; i < local.len; i++)
		out[i] = ascii_lower(local.data[i]);
	snprintf(out + i, NAME_SIZE - i, "@%s", domain);
	return true;
}

const char *
config_domains_name(const char *name, struct arena *arena, const char **why_r)
{
	static const char form[] =
	    "must be a domain, \".\" and a domain for its subdomains, an "
	    "address, or \"*\"";
	const char *at = strrchr(name, '@');
	const char *domain = at != NULL ? at + 1 : name;
	char ascii[DOMAIN_SIZE], out[NAME_SIZE];

	*why_r = NULL;
	if (strcmp(name, "*") == 0)
		return arena_strdup(arena, name);
	*why_r = form;
	if (at == NULL && name[0] == '.')
		domain++;
	if (!domain_to_ascii(bytes_str(domain), ascii) || at == name)
		return NULL;
	if (at == NULL)
		snprintf(
		    out, sizeof out, "%s%s", name[0] == '.' ? "." : "", ascii);
	else if (!join(bytes_of(name, (size_t)(at - name)), ascii, out))
		return NULL;
	*why_r = NULL;
	return arena_strdup(arena, out);
}

const char *
config_domains_address(
    const char *name, struct arena *arena, const char **why_r)
{
	*why_r = NULL;
	if (strcmp(name, null_sender) == 0)
		return arena_strdup(arena, name);
	return config_domains_name(name, arena, why_r);
}

/* What is found by its name, which is its first member or itself. */
struct list {
	const void *items;
	size_t count, size; /* of each, in octets */
};

static const char *
name_of(const void *item)
{
	return *(const char *const *)item;
}

static int
compare(const void *a, const void *b)
{
	return strcmp(name_of(a), name_of(b));
}

void
config_domains_sort(void *items, size_t count, size_t size)
{
	if (count > 0)
		qsort(items, count, size, compare);
}

static int
compare_name(const void *name, const void *item)
{
	return strcmp(name, name_of(item));
}

static const void *
find(const struct list *list, const char *name)
{
	if (list->count == 0)
		return NULL;
	return bsearch(
	    name, list->items, list->count, list->size, compare_name);
}

static const void *
find_for(const struct list *list, struct bytes local, const char *domain)
{
	const void *item = NULL;
	const char *parent;
	char address[NAME_SIZE];

	if (local.len > 0 && strlen(domain) < DOMAIN_SIZE &&
	    join(local, domain, address))
		item = find(list, address);
	if (item == NULL)
		item = find(list, domain);
	for (parent = strchr(domain, '.'); item == NULL && parent != NULL;
	     parent = strchr(parent + 1, '.'))
		item = find(list, parent);
	return item != NULL ? item : find(list, "*");
}

const struct config_domain *
config_find_domain(
    const struct config *config, struct bytes local, const char *domain)
{
	return find_for(&(struct list){ config->domains, config->domain_count,
			    sizeof *config->domains },
	    local, domain);
}

const struct config_verify_domain *
config_find_verify(
    const struct config *config, struct bytes local, const char *domain)
{
	return find_for(
	    &(struct list){ config->verify_domains, config->verify_domain_count,
		sizeof *config->verify_domains },
	    local, domain);
}

bool
config_in_addresses(const struct config_strings *addresses, struct bytes path)
{
	struct list list = { addresses->items, addresses->count,
		sizeof *addresses->items };
	char domain[DOMAIN_SIZE];
	struct address address;

	if (list.count == 0)
		return false;
	path = bytes_trim(path);
	if (path.len == 0 || bytes_equal(path, bytes_str(null_sender)))
		return find(&list, null_sender) != NULL;
	if (!address_from_path(path, &address) ||
	    !domain_to_ascii(address.domain, domain))
		return find(&list, "*") != NULL;
	return find_for(&list, address.local, domain) != NULL;
}
