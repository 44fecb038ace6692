/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session - one connection of an MTA and the message on it
 *
 * Between filter.c, which libmilter calls, and message.c, which does the work:
 * asks the MTA for what it knows of the client, and tells it what is to be
 * changed. Errors on the way are kept until the end of the message, as no
 * other step is answered.
 *
 * Ownership: made when a connection is negotiated, freed when it is closed;
 * one allocation with all that is reused from message to message.
 *
 * Threads: libmilter calls on any of its threads, one at a time.
 */
#ifndef SESSION_H
#define SESSION_H

#include <sys/socket.h>

#include "message.h"

struct smfi_str; /* libmilter's connection */

struct session {
	struct daemon *daemon;
	struct smfi_str *ctx;
	bool leading_space;  /* values come and go with theirs */
	bool can_quarantine; /* the MTA offers it */
	bool has_client;
	struct sockaddr_storage client;
	struct message message;
};

/* NULL: out of memory. */
struct session *session_new(struct daemon *daemon, struct smfi_str *ctx);
void session_free(struct session *session);
/* ADDRESS is NULL where the MTA knows none. */
void session_connect(
    struct session *session, const char *host, const struct sockaddr *address);
/* ARGS: the sender and the parameters of MAIL FROM, NULL-ended. */
void session_mail(struct session *session, char **args);
/* A recipient that the MTA accepts. */
void session_recipient(struct session *session, const char *path);
void session_header(
    struct session *session, const char *name, const char *value);
void session_end_headers(struct session *session);
/* Returns whether the octets were hashed. */
bool session_body(struct session *session, const void *data, size_t len);
/* Returns what libmilter is to tell the MTA (SMFIS_...). */
int session_end_message(struct session *session);
/* The message on the connection, if any, is given up. */
void session_abort(struct session *session);

#endif
