/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_domains.h"

#include <stdio.h>
#include <stdlib.h>

#include "address.h"

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

static int
compare(const void *a, const void *b)
{
	const struct config_domain *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

void
config_domains_sort(struct config *config, struct config_problems *problems)
{
	const struct config_domain *entry;
	size_t i;

	if (config->domain_count == 0)
		return;
	qsort(config->domains, config->domain_count, sizeof *config->domains,
	    compare);
	for (i = 1; i < config->domain_count; i++) {
		entry = &config->domains[i];
		if (entry->name[0] != '\0' &&
		    strcmp(entry->name, entry[-1].name) == 0)
			config_problem(problems, entry->file, entry->line,
			    "domains.name",
			    "\"%s\" has an entry already, in line %u",
			    entry->name, entry[-1].line);
	}
}

static int
compare_name(const void *name, const void *entry)
{
	return strcmp(name, ((const struct config_domain *)entry)->name);
}

static const struct config_domain *
find(const struct config *config, const char *name)
{
	if (config->domain_count == 0)
		return NULL;
	return bsearch(name, config->domains, config->domain_count,
	    sizeof *config->domains, compare_name);
}

const struct config_domain *
config_find_domain(
    const struct config *config, struct bytes local, const char *domain)
{
	const struct config_domain *entry = NULL;
	const char *parent;
	char address[NAME_SIZE];

	if (local.len > 0 && strlen(domain) < DOMAIN_SIZE &&
	    join(local, domain, address))
		entry = find(config, address);
	if (entry == NULL)
		entry = find(config, domain);
	for (parent = strchr(domain, '.'); entry == NULL && parent != NULL;
	     parent = strchr(parent + 1, '.'))
		entry = find(config, parent);
	return entry != NULL ? entry : find(config, "*");
}
