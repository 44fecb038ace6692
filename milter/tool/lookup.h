/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup - where "signpost verify" finds keys: in a zone file, or in DNS
 *
 * Functions complain of what goes wrong and return the exit code; 0 is
 * success. A look-up that fails is no such thing: the signature's verdict says
 * so.
 */
#ifndef LOOKUP_H
#define LOOKUP_H

#include "options.h"
#include "signpost.h"

struct lookup_settings {
	const char *zone_file;		/* NULL: DNS */
	struct option_strings servfail; /* names that fail to be looked up */
	struct option_strings servers;	/* none: those of resolv.conf */
	int64_t timeout_s;
};

struct lookup;

int lookup_new(struct signpost *handle, const struct lookup_settings *settings,
    struct lookup **lookup_r);
void lookup_free(struct lookup *lookup);
/* Gives VERIFIER what is found at each of its key names. */
int lookup_keys(struct lookup *lookup, struct signpost_verifier *verifier);

#endif
