/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server_start - from a configuration to a process that takes mail
 *
 * What needs the rights of the start comes first: sockets and the file of the
 * process. Then those rights are dropped, and what will be read again at a
 * reload is read as the user that will read it. What is wrong is told to
 * whoever started the daemon and to the log.
 *
 * Threads: the main thread, which makes the others last.
 */
#ifndef SERVER_START_H
#define SERVER_START_H

#include <stdatomic.h>

#include "daemon.h"
#include "pidfile.h"
#include "server.h"
#include "status.h"

struct server {
	struct daemon daemon; /* first: what libmilter's threads use */
	const struct server_options *options;
	const struct config *started; /* what the process started with */
	struct status_sources sources;
	struct status *status;
	struct pidfile pidfile;
	int signal_fd;
	int milter_fd;
	struct listener_stamp stamp;
	atomic_bool ready;
	atomic_bool filter_ended;
	uint64_t watchdog_us; /* 0: none asked for */
	uint64_t next_tick_ns;
};

/* Makes all parts of SERVER, whose options and configuration are set, and tells
 * of WARNINGS. Returns EX_OK, or an exit code of sysexits(3) once it has told
 * what is wrong. */
int server_start(struct server *server, const struct config_problems *warnings);
/* Frees SERVER with what a start that failed has made. */
void server_abandon(struct server *server);

/* Tells why a configuration can't be used: on standard error, and to syslog
 * where the process was to go into the background. */
void server_refuse(const struct server_options *options,
    const struct config_problems *problems);

#endif
