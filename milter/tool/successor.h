/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * successor - the keys that a domain has, and the name of the next one
 *
 * Functions complain of what goes wrong and return the exit code; 0 is
 * success.
 */
#ifndef SUCCESSOR_H
#define SUCCESSOR_H

#include "address.h"
#include "config.h"

/* Kinds of keys, in the order in which they are made. */
enum {
	SUCCESSOR_KINDS = 2
};

struct successor {
	/* The entry that names its keys itself, or NULL: the folder counts. */
	const struct config_domain *entry;
	/* Of each kind, those of the key that comes first;
	 * 0: it has none. */
	unsigned bits[SUCCESSOR_KINDS];
	char greatest[DOMAIN_SIZE]; /* selector, in natural order; "": none */
};

/* Kind I, under SUCCESSOR_KINDS. */
enum signpost_algorithm successor_kind(size_t i);

/* Looks at the keys of DOMAIN: those that CONFIG (or NULL) names for it, and
 * those in FOLDER/DOMAIN. */
int successor_look(struct signpost *handle, const struct config *config,
    const char *folder, const char *domain, struct successor *successor_r);
/* A selector with the day of NOW in it, seconds since 1970, that is greater
 * than GREATEST. False: there is none that is short enough. */
bool successor_selector(
    const char *greatest, int64_t now, char selector_r[DOMAIN_SIZE]);

#endif
