/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key_pem - a private key read from a file, made into one, or shown as the DNS
 * record of its public half
 *
 * Functions complain of what goes wrong and return the exit code; 0 is
 * success.
 */
#ifndef KEY_PEM_H
#define KEY_PEM_H

#include <stdio.h>
#include <sys/types.h>

#include "signpost.h"

/* Where a new key goes, and whose it is. */
struct key_pem_place {
	const char *folder;   /* made where it is missing, but no parent */
	const char *domain;   /* its folder in FOLDER, made likewise */
	const char *selector; /* SELECTOR.pem in that */
	bool chown;	      /* to UID and GID; else to who runs this */
	uid_t uid;
	gid_t gid;
};

int key_pem_read(struct signpost *handle, const char *path,
    struct signpost_private_key **key_r);
/* Writes KEY, readable by its owner alone, whole or not at all and never over
 * a file that is there. */
int key_pem_write(
    const struct signpost_private_key *key, const struct key_pem_place *place);
/* Prints the record as a line of a zone file, in strings of at most 255
 * octets. DOMAIN may be NULL: the name is then relative to the zone. */
int key_pem_print_record(const struct signpost_private_key *key,
    const char *domain, const char *selector);

#endif
