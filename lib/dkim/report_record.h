/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_record - where and of what a domain wants reports of its signatures
 * that fail (RFC 6651 section 3.2): the TXT record at _report._domainkey.DOMAIN
 */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include "bytes.h"

enum {
	REPORT_ADDRESS_SIZE = 65 /* RFC 5321 section 4.5.3.1.1, and a NUL */
};

/* Kinds of failures, rr= (RFC 6651 section 5.1). */
enum report_kind {
	REPORT_DNS = 'd',
	REPORT_OTHER = 'o',
	REPORT_POLICY = 'p',
	REPORT_SYNTAX = 's',
	REPORT_MISMATCH = 'v',
	REPORT_EXPIRED = 'x',
};

struct report_record {
	char local[REPORT_ADDRESS_SIZE]; /* ra=: the address before the "@" */
	unsigned percent;		 /* rp= */
	struct bytes kinds;		 /* rr=; borrowed; data NULL: all */
};

/* False where TEXT is malformed or names no address that can be written as it
 * stands, without quotes, or one that a mail server may take for more than a
 * mailbox. */
bool report_record_parse(struct bytes text, struct report_record *record_r);
bool report_record_wants(
    const struct report_record *record, enum report_kind kind);

#endif
