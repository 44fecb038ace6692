/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mail_date - a time as the fields of a message have it (RFC 5322 section 3.3)
 *
 * In UTC and English, whatever zone and locale the process has.
 *
 * Threads: pure functions.
 */
#ifndef MAIL_DATE_H
#define MAIL_DATE_H

#include <stdint.h>

enum {
	MAIL_DATE_SIZE = 40
};

/* SECONDS since 1970, of the years 1970 to 9999, as
 * "Mon, 30 Nov 2026 10:00:00 +0000". */
void mail_date(int64_t seconds, char text_r[MAIL_DATE_SIZE]);

#endif
