/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * daemon - what all connections of the daemon share
 *
 * Made by server_start.h before the first connection, and there until the
 * process ends: libmilter's threads can't be joined, so nothing that they use
 * is ever freed. The current snapshot is swapped in whole; connections and
 * messages are counted, so that the daemon can refuse what is too much and end
 * between messages.
 *
 * Threads: any; one leaf mutex, held for a few assignments. What stands before
 * it in struct daemon does not change once connections come.
 */
#ifndef DAEMON_H
#define DAEMON_H

#include <pthread.h>

#include "listener.h"
#include "log.h"
#include "publication.h"
#include "replay.h"
#include "reports.h"
#include "snapshot.h"
#include "stats.h"
#include "work.h"

struct daemon {
	struct signpost *handle;
	struct log *log;
	struct stats *stats;
	struct work *work;
	struct replay *replay;
	struct reports *reports;
	struct publication *publication;
	char host_name[256];	 /* the authserv_id where the MTA gives none */
	size_t max_connections;	 /* that open files are allowed for */
	size_t max_header_bytes; /* that libmilter takes in one field */
	/* The first descriptor that no connection may have. */
	size_t max_descriptor;
	struct listener_address address; /* of the milter socket */

	pthread_mutex_t mutex;
	/* Under the mutex: */
	struct snapshot *current;
	struct snapshot_counts former; /* of snapshots that were swapped out */
	unsigned connections;
	unsigned messages;	 /* between MAIL and the end of the message */
	uint64_t message_end_ns; /* when the last one ended, monotonic */
	bool told_no_space;	 /* no leading spaces: logged once */
};

void daemon_init(struct daemon *daemon);
/* The current snapshot, with a reference for the caller. */
struct snapshot *daemon_snapshot(struct daemon *daemon);
/* Makes SNAPSHOT current, taking the caller's reference; for one thread. */
void daemon_swap(struct daemon *daemon, struct snapshot *snapshot);
/* What is counted of keys and of DNS since the daemon's start. */
void daemon_counts(struct daemon *daemon, struct snapshot_counts *out_r);
/* Logs which DNS servers are asked and what of their answers is validated. */
void daemon_log_dns(struct daemon *daemon);
/* Warns where reports.sendmail is run without the rights of its own. */
void daemon_log_rights(struct daemon *daemon);

/* A connection comes, unless limits.max_connections are open, and goes. */
bool daemon_enter(struct daemon *daemon);
void daemon_leave(struct daemon *daemon);
/* Has libmilter start a thread where none is idle (listener_knock): before a
 * callback of a struct DAEMON blocks. */
void daemon_knock(void *daemon);
/* A message begins, with the snapshot that it keeps, and ends. */
struct snapshot *daemon_message_begin(struct daemon *daemon);
void daemon_message_end(struct daemon *daemon);
/* Whether no message is under way, nor ended so lately that libmilter may not
 * have written its reply yet. */
bool daemon_is_quiet(struct daemon *daemon);
/* Whether something depends on the recipients of messages that begin now. */
bool daemon_wants_recipients(struct daemon *daemon);
/* True the first time it is called. */
bool daemon_tell_no_space(struct daemon *daemon);

#endif
