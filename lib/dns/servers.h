/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * servers - where questions go: the list of the settings or of resolv.conf
 *
 * An entry is "ADDRESS" or "ADDRESS@PORT", ADDRESS being IPv4 or IPv6, with
 * "%INTERFACE" for a link-local one. Of a resolv.conf only the lines
 * "nameserver ADDRESS" count; one without any means this host (resolv.conf(5)).
 */
#ifndef SERVERS_H
#define SERVERS_H

#include <stdbool.h>
#include <stddef.h>

#include "resolver.h"

enum {
	SERVERS_ENTRY_SIZE = 80
};

struct servers {
	size_t count;
	char entries[RESOLVER_MAX_SERVERS][SERVERS_ENTRY_SIZE];
	char text[RESOLVER_MAX_SERVERS * (SERVERS_ENTRY_SIZE + 1)];
};

/* Reads LIST (NULL-ended), or the file RESOLV_CONF where the list is NULL or
 * empty. False with a text in ERROR. */
bool servers_read(const char *const *list, const char *resolv_conf,
    struct servers *servers_r, char *error, size_t error_size);

#endif
