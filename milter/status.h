/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * status - the HTTP server: /metrics, /status, /healthz
 *
 * Read only. One libmicrohttpd daemon a listener (unix socket, TCP), on
 * threads of its own. What it shows it asks of the sources handed in.
 *
 * Threads: the server's own thread calls the sources' functions.
 */
#ifndef STATUS_H
#define STATUS_H

#include "key_cache.h"
#include "keystore.h"
#include "stats.h"
#include "work.h"

/* Where the figures come from; valid until status_free. */
struct status_sources {
	struct stats *stats;
	struct work *work;
	/* Calls below are made for each page. */
	void (*keystore)(void *ctx, struct keystore_counts *out_r);
	void (*key_cache)(void *ctx, struct key_cache_counts *out_r);
	void (*resolver)(
	    void *ctx, struct resolver_counts *out_r, uint64_t *cpu_ns_r);
	bool (*ready)(void *ctx);
	void *ctx;
	int64_t started; /* seconds since 1970 */
};

struct status;

/* A listening socket of its own for each that is set ("" or NULL: none).
 * Called before rights are dropped; serves from status_start on. False with a
 * text in ERROR. */
bool status_new(const struct status_sources *sources, const char *unix_socket,
    unsigned unix_mode, const char *http, struct status **status_r, char *error,
    size_t error_size);
bool status_start(struct status *status);
void status_free(struct status *status);
/* CPU time of the server's threads. */
uint64_t status_cpu_ns(struct status *status);

#endif
