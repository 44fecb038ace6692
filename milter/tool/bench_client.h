/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_client - the mail server's side of the milter protocol, version 6
 *
 * Offers all steps and actions, sends what the milter wants, reads a reply
 * only where one was agreed on, and stops a body that is to be skipped. The
 * protocol is described in libmilter's documentation and by what Sendmail and
 * Postfix do; integers are big-endian, strings end with a NUL.
 *
 * Nothing here waits longer than the timeout. What the milter sends is
 * checked; a packet larger than BENCH_CLIENT_MAX_PACKET is refused.
 *
 * Threads: a client belongs to one thread.
 */
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include <sys/types.h>

#include "bench_message.h"
#include "endpoint.h"

enum {
	BENCH_CLIENT_MAX_PACKET = 1 << 20,
	BENCH_CLIENT_ERROR_SIZE = 200
};

/* What the milter is told of where a message comes from. */
struct bench_client_host {
	const char *name;
	const char *address; /* a literal IPv4 or IPv6 one */
	const char *from;    /* the sender, without angle brackets */
};

/* How a message ended. */
enum bench_client_reply {
	BENCH_REPLY_CONTINUE,
	BENCH_REPLY_ACCEPT,
	BENCH_REPLY_REJECT,
	BENCH_REPLY_TEMPFAIL,
	BENCH_REPLY_DISCARD,
	BENCH_REPLY_CODE, /* an SMTP reply of its own */
	BENCH_REPLIES
};

/* What the milter wants changed. */
enum bench_client_change {
	BENCH_CHANGE_INSERT, /* a field at a place */
	BENCH_CHANGE_ADD,    /* a field at the end */
	BENCH_CHANGE_FIELD,
	BENCH_CHANGE_DELETE, /* a field */
	BENCH_CHANGE_BODY,   /* a piece of a new one */
	BENCH_CHANGE_RECIPIENT,
	BENCH_CHANGE_SENDER,
	BENCH_CHANGE_QUARANTINE,
	BENCH_CHANGES
};

/* Counts that add up over messages. */
struct bench_client_counts {
	unsigned long replies[BENCH_REPLIES];
	unsigned long changes[BENCH_CHANGES];
	unsigned long expected; /* messages to which a field with EXPECT came */
};

struct bench_client;

/* Connects, negotiates, and says who connects. On failure *CLIENT_R may be
 * NULL; the exit code says of which kind it is, ERROR what happened. */
int bench_client_open(const struct endpoint *endpoint, unsigned timeout_ms,
    const struct bench_client_host *host, struct bench_client **client_r,
    char error[BENCH_CLIENT_ERROR_SIZE]);
/* One message, counted. EXPECT may be NULL. 0, or the exit code. */
int bench_client_message(struct bench_client *client,
    const struct bench_message *message, const char *expect,
    struct bench_client_counts *counts, char error[BENCH_CLIENT_ERROR_SIZE]);
/* The process at the other end of a unix socket; 0 where it is unknown. */
pid_t bench_client_peer(const struct bench_client *client);
/* Says goodbye. */
void bench_client_close(struct bench_client *client);

#endif
