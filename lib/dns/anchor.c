/* SPDX-License-Identifier: BSD-2-Clause */
#include "anchor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
	MAX_LINE = 1024
};

/* Debian's packages dns-root-data and unbound. */
static const char *const root_keys[] = {
	"/usr/share/dns/root.key",
	"/var/lib/unbound/root.key",
};

const char *
anchor_system_file(const char *path)
{
	if (path != NULL)
		return access(path, R_OK) == 0 ? path : NULL;
	for (size_t i = 0; i < sizeof(root_keys) / sizeof(root_keys[0]); i++)
		if (access(root_keys[i], R_OK) == 0)
			return root_keys[i];
	return NULL;
}

/* RFC 1035 section 5.1: a semicolon begins a comment. */
static bool
line_holds_anchor(char *line)
{
	static const char white[] = " \t\r\n";
	char *rest, *word;

	line[strcspn(line, ";")] = '\0';
	for (word = strtok_r(line, white, &rest); word != NULL;
	     word = strtok_r(NULL, white, &rest))
		if (strcasecmp(word, "DS") == 0 ||
		    strcasecmp(word, "DNSKEY") == 0)
			return true;
	return false;
}

bool
anchor_check(const char *path, char *error, size_t error_size)
{
	FILE *file = fopen(path, "re");
	char line[MAX_LINE];
	bool found = false;

	if (file == NULL) {
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
		return false;
	}
	while (!found && fgets(line, sizeof(line), file) != NULL)
		found = line_holds_anchor(line);
	fclose(file);
	if (!found)
		snprintf(error, error_size,
		    "%s: no trust anchor (DS or DNSKEY) in it", path);
	return found;
}
