/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * status - the HTTP server: / for people, /status, /keys, /history, /metrics,
 * /healthz
 *
 * Read only. One thread serves both listeners (unix socket, TCP). Clients are
 * not trusted: connections, header bytes and idle time are capped, and so is
 * the life of a connection, so that none holds its place by trickling. What
 * the pages show is asked of the sources handed in and printed by metrics.c;
 * the page for people (status_page.h) is the same for all, and asks for it.
 *
 * Threads: the server's own thread calls the sources' functions.
 */
#ifndef STATUS_H
#define STATUS_H

#include "publication.h"
#include "replay.h"
#include "snapshot.h"
#include "stats.h"
#include "work.h"

/* Where the figures come from; valid until status_free. A source that is NULL
 * shows 0. */
struct status_sources {
	struct stats *stats;
	struct work *work;
	struct replay *replay;
	struct publication *publication;
	/* Calls below are made for each page. */
	void (*counts)(void *ctx, struct snapshot_counts *out_r);
	bool (*ready)(void *ctx);
	void *ctx;
	int64_t started; /* seconds since 1970 */
};

enum {
	STATUS_MAX_LISTENERS = 2,
	STATUS_MAX_CONNECTIONS = 64, /* a listener; more wait to be accepted */
	/* Descriptors that are open at most. */
	STATUS_MAX_FILES =
	    STATUS_MAX_LISTENERS * (STATUS_MAX_CONNECTIONS + 1) + 8
};

struct status;

/* A listening socket of its own for each that is set ("" or NULL: none).
 * Called before rights are dropped; serves from status_start on. False with a
 * text in ERROR. */
bool status_new(const struct status_sources *sources, const char *unix_socket,
    unsigned unix_mode, const char *http, struct status **status_r, char *error,
    size_t error_size);
/* Makes the server's thread; on the main thread, whose CPU time is shown as
 * that of "other", and after the last fork. */
bool status_start(struct status *status);
/* Stops serving and removes the socket's file. */
void status_free(struct status *status);
/* Version of the libmicrohttpd that runs. */
const char *status_version(void);
/* CPU time of the server's thread. */
uint64_t status_cpu_ns(struct status *status);

#endif
