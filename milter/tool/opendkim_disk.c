/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_disk.h"

#include <dirent.h>
#include <sys/stat.h>

#include "config_check.h"
#include "opendkim_pattern.h"

/* The first part of a path that has "%" in it: BEFORE%AFTER. */
struct part {
	const char *folder;
	struct bytes before, after;
};

static struct part
cut(struct import *import, const char *path)
{
	const char *percent = strchr(path, '%'), *slash = percent;
	struct part part;

	while (slash > path && slash[-1] != '/')
		slash--;
	part.folder =
	    import_keep(import, bytes_of(path, (size_t)(slash - path)));
	part.before = bytes_of(slash, (size_t)(percent - slash));
	part.after = bytes_of(percent + 1, strcspn(percent + 1, "/"));
	return part;
}

/* The domain in NAME, "" where it is not of this form. */
static const char *
domain_in(struct import *import, const struct part *part, const char *name)
{
	size_t len = strlen(name), around = part->before.len + part->after.len;
	const char *domain;

	if (len <= around ||
	    memcmp(name, part->before.data, part->before.len) != 0 ||
	    memcmp(name + len - part->after.len, part->after.data,
		part->after.len) != 0)
		return "";
	domain = import_keep(
	    import, bytes_of(name + part->before.len, len - around));
	return check_domain(domain) == NULL ? domain : "";
}

static void
add(struct opendkim_found *found, const char *domain, const char *path)
{
	struct opendkim_rule rule = found->rule;
	struct stat st;

	rule.name = domain;
	rule.domain = domain;
	rule.file = opendkim_with_domain(found->import, path, domain);
	if (stat(rule.file, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	opendkim_rules_add(found->rules, &rule);
	found->count++;
}

void
opendkim_disk_find(struct opendkim_found *found, const char *path)
{
	struct part part = cut(found->import, path);
	DIR *folder = opendir(part.folder);
	const struct dirent *entry;
	const char *domain;
	size_t seen = 0;

	while (folder != NULL && (entry = readdir(folder)) != NULL &&
	    seen++ < OPENDKIM_MAX_FOUND) {
		domain = domain_in(found->import, &part, entry->d_name);
		if (domain[0] != '\0' &&
		    opendkim_is_in(domain, found->rule.name))
			add(found, domain, path);
	}
	if (folder != NULL)
		closedir(folder);
}
