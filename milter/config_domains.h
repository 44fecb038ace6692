/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_domains - the names of the entries of "domains" and "verify.domains",
 * and the lists of addresses that are written likewise
 *
 * A name is an exact domain, ".example.com" for the subdomains of one,
 * "user@example.com" or "*". Sorted by name, they are found in logarithmic
 * time.
 *
 * Threads: none of its own.
 */
#ifndef CONFIG_DOMAINS_H
#define CONFIG_DOMAINS_H

#include "arena.h"
#include "config.h"

enum {
	/* RFC 5321 section 4.5.3.1.1 allows 64; longer ones are seen. */
	CONFIG_MAX_LOCAL = 256
};

/* NAME in lower case and A-labels; NULL with *WHY_R where it is no name of an
 * entry, or with NULL there when out of memory. */
const char *config_domains_name(
    const char *name, struct arena *arena, const char **why_r);
/* The same for an address of struct config_exempt, which "<>" is, too. */
const char *config_domains_address(
    const char *name, struct arena *arena, const char **why_r);
/* Sorts COUNT items of SIZE octets by name, which each has as its first member
 * or is itself. */
void config_domains_sort(void *items, size_t count, size_t size);

#endif
