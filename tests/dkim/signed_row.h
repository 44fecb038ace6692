/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signed_row - a signature to be made by the reference signer, what becomes of
 * it on its way, and the result that it must have
 *
 * A row that says nothing is signed relaxed/relaxed, with RSA, and arrives as
 * it was signed.
 */
#ifndef SIGNED_ROW_H
#define SIGNED_ROW_H

#include "reference_signer.h"

#define FIELDS                           \
	"Received: from a by b; now\r\n" \
	"From: A <a@example.com>\r\n"    \
	"To: b@example.org\r\n"          \
	"Subject:  Hello,\r\n\tworld \r\n"
#define BODY		   "Hi.\r\n\r\nHow are  you? \r\n\r\n"
#define BODY_RELAXED_BYTES 21 /* canonical */

/* Pieces of templates: all that the row at hand does not change. */
#define V    " v=1;"
#define A    " a=rsa-sha256;"
#define C    " c=relaxed/relaxed;"
#define D    " d=example.com;"
#define S    " s=s1;"
#define H    " h=from:to:subject;"
#define BH   " bh=%H;"
#define B    " b=%B"
#define HEAD V A C D S
#define TAIL H BH B
#define ED   " a=ed25519-sha256;"
#define SHA1 " a=rsa-sha1;"

struct signed_row {
	const char *name;
	const char *template;
	enum signpost_result result;
	enum signpost_reason reason;
	const char *record;  /* NULL: the one of the key that signs */
	const char *record2; /* another at the same name */
	enum signpost_key_answer answer;
	enum reference_key key;
	bool sha1;
	size_t limit;	      /* + 1; 0 for none */
	const char *body;     /* that arrives; NULL: the one signed */
	const char *added;    /* fields on top when it arrives */
	const char *tampered; /* fields instead of FIELDS when it arrives */
	const char *names;    /* signed; NULL: those of H */
	bool allow_sha1;
	int64_t max_age_s;
	bool accept_unsigned;
	unsigned max_rsa_bits; /* 0 for the default */
	bool simple;	       /* signs simple/simple */
	bool no_key_asked;     /* decided without; syntax always is */
};

#define PASS	     .result = SIGNPOST_PASS
#define FAIL(r)	     .result = SIGNPOST_FAIL, .reason = SIGNPOST_REASON_##r
#define NEUTRAL(r)   .result = SIGNPOST_NEUTRAL, .reason = SIGNPOST_REASON_##r
#define POLICY(r)    .result = SIGNPOST_POLICY, .reason = SIGNPOST_REASON_##r
#define TEMPERROR(r) .result = SIGNPOST_TEMPERROR, .reason = SIGNPOST_REASON_##r
#define PERMERROR(r) .result = SIGNPOST_PERMERROR, .reason = SIGNPOST_REASON_##r

/* The field that the template of ROW gives; to be freed. */
char *signed_row_field(const struct signed_row *row);
/* Verifies each row, the key before and after the body, the body cut in several
 * ways, and fails the test where the result is not the one of the row. */
void signed_rows_check(
    struct signpost *handle, const struct signed_row *rows, size_t count);

#endif
