/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_reply - SMTP replies as they are written in the configuration
 *
 * "550 5.7.1 No signature of {domain} passes: {reason}": a code (RFC 5321
 * section 4.2), perhaps an enhanced status code of the same class (RFC 3463),
 * and a text of printable ASCII, in which {domain} stands for the domain of
 * From and {reason} for what was wrong. There is no way to have anything else
 * of a message in a reply.
 *
 * Threads: pure functions.
 */
#ifndef CONFIG_REPLY_H
#define CONFIG_REPLY_H

#include "bytes.h"

struct config_reply {
	char code[4];	   /* "550" */
	char enhanced[12]; /* "5.7.1", or "" */
	const char *text;  /* within what was read */
};

/* Why VALUE is no reply, or NULL. */
const char *config_reply_read(const char *value, struct config_reply *reply_r);
/* The text with what stands for its words, cut to SIZE octets. */
void config_reply_write(const char *text, const char *domain,
    const char *reason, char *out, size_t size);

#endif
