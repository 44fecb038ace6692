/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault - what peer_signpost does wrong on purpose
 *
 * Each distorts what goes into the library or comes out of it as a fault of
 * its kind in a verifier or signer would. The driver's self-test plants them
 * one by one and wants each one found.
 */
#ifndef FAULT_H
#define FAULT_H

#include "frame.h"
#include "signpost.h"

enum fault {
	FAULT_NONE,
	FAULT_FIRST_STRING,   /* reads one string of a TXT record */
	FAULT_FIRST_RECORD,   /* reads one record of those at a name */
	FAULT_ONE_SPACE,      /* white space before a value becomes one SP */
	FAULT_UNFOLD,	      /* takes the line ends out of a value */
	FAULT_LF_ENDS_LINE,   /* makes CRLF of a lone LF in the body */
	FAULT_NUL_ENDS_BODY,  /* reads the body as a string */
	FAULT_TRIM_LINES,     /* loses white space at the ends of lines */
	FAULT_REVERSE,	      /* reads the header from below */
	FAULT_OLD_CLOCK,      /* takes it to be 1970 */
	FAULT_DNS_DENIES,     /* takes a failed look-up for "no such name" */
	FAULT_SWAP,	      /* tells two signatures' results crosswise */
	FAULT_BODY_PASSES,    /* passes what has another body hash */
	FAULT_REVOKED_PASSES, /* passes what has a revoked key */
	FAULT_NO_OVERSIGN,    /* signs no name more often than it is there */
	FAULTS
};

/* The fault called NAME; ends the program where there is none. */
enum fault fault_named(const char *name);
/* What the value of a field becomes, in its place. */
void fault_value(enum fault fault, struct item *value);
/* What the body becomes; *BODY_R may be memory of its own, never freed. */
struct item fault_body(enum fault fault, const struct item *body);
enum signpost_result fault_result(
    enum fault fault, const struct signpost_verdict *verdict);

#endif
