/* SPDX-License-Identifier: BSD-2-Clause */
#include "servers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_LINE = 1024
};

static bool
port_is_valid(const char *text)
{
	char *end;
	unsigned long port;

	if (*text < '0' || *text > '9')
		return false;
	port = strtoul(text, &end, 10);
	return *end == '\0' && port > 0 && port <= UINT16_MAX;
}

static bool
entry_is_valid(const char *entry)
{
	char address[SERVERS_ENTRY_SIZE];
	struct in_addr in4;
	struct in6_addr in6;
	char *port, *interface;

	if (strlen(entry) >= sizeof(address))
		return false;
	strcpy(address, entry);
	port = strchr(address, '@');
	if (port != NULL) {
		*port = '\0';
		if (!port_is_valid(port + 1))
			return false;
	}
	if (inet_pton(AF_INET, address, &in4) == 1)
		return true;
	interface = strchr(address, '%');
	if (interface != NULL)
		*interface = '\0';
	return inet_pton(AF_INET6, address, &in6) == 1;
}

static bool
add(struct servers *servers, const char *entry)
{
	size_t used = strlen(servers->text);

	if (!entry_is_valid(entry))
		return false;
	strcpy(servers->entries[servers->count++], entry);
	snprintf(servers->text + used, sizeof(servers->text) - used, "%s%s",
	    used > 0 ? " " : "", entry);
	return true;
}

static bool
read_list(const char *const *list, struct servers *servers, char *error,
    size_t error_size)
{
	for (; *list != NULL; list++) {
		if (servers->count == RESOLVER_MAX_SERVERS) {
			snprintf(error, error_size, "more than %d servers",
			    RESOLVER_MAX_SERVERS);
			return false;
		}
		if (!add(servers, *list)) {
			snprintf(error, error_size,
			    "\"%s\" is not a server: write ADDRESS or "
			    "ADDRESS@PORT",
			    *list);
			return false;
		}
	}
	return true;
}

static bool
read_file(
    const char *path, struct servers *servers, char *error, size_t error_size)
{
	static const char white[] = " \t\r\n";
	FILE *file = fopen(path, "re");
	char line[MAX_LINE];

	if (file == NULL) {
		snprintf(error, error_size,
		    "%s: %s; name the DNS servers in dns.servers", path,
		    strerror(errno));
		return false;
	}
	while (servers->count < RESOLVER_MAX_SERVERS &&
	    fgets(line, sizeof(line), file) != NULL) {
		char *rest, *word = strtok_r(line, white, &rest);

		if (word == NULL || strcmp(word, "nameserver") != 0)
			continue;
		word = strtok_r(NULL, white, &rest);
		/* Like the C library, pass over what is no address. */
		if (word != NULL)
			add(servers, word);
	}
	fclose(file);
	return true;
}

bool
servers_read(const char *const *list, const char *resolv_conf,
    struct servers *servers_r, char *error, size_t error_size)
{
	servers_r->count = 0;
	servers_r->text[0] = '\0';
	if (list != NULL && list[0] != NULL)
		return read_list(list, servers_r, error, error_size);
	if (!read_file(resolv_conf, servers_r, error, error_size))
		return false;
	if (servers_r->count == 0)
		add(servers_r, "127.0.0.1");
	return true;
}
