/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server - the life of the daemon's process
 *
 * Has all parts made (server_start.h), then waits for signals: HUP reads the
 * configuration again; TERM and INT take no more connections, let the messages
 * in flight end (for stop_timeout at most) and end the process. Connections of
 * an MTA that hold no message are not waited for: an MTA keeps some open as
 * long as it likes.
 *
 * Threads: the main thread. Signals are blocked in all.
 */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>

#include "config.h"

struct server_options {
	const char *config_file; /* absolute */
	const char *pid_file;	 /* NULL: none */
	bool foreground;
	int ready_fd; /* gets an octet once connections are taken; -1: none */
};

/* Serves with CONFIG, whose reference it takes and of which WARNINGS are to be
 * told. Returns an exit code of sysexits(3) where it could not start, and ends
 * the process otherwise. */
int server_run(const struct server_options *options,
    const struct config *config, const struct config_problems *warnings);

#endif
