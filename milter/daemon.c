/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon.h"

#include <string.h>
#include <unistd.h>

#include "rights.h"

enum {
	/* libmilter writes a reply after our callback has returned, and says
	 * nothing when it has. */
	REPLY_NS = 300000000
};

void
daemon_init(struct daemon *daemon)
{
	*daemon = (struct daemon){ 0 };
	pthread_mutex_init(&daemon->mutex, NULL);
	if (gethostname(daemon->host_name, sizeof(daemon->host_name) - 1) < 0 ||
	    daemon->host_name[0] == '\0')
		strcpy(daemon->host_name, "localhost");
}

struct snapshot *
daemon_snapshot(struct daemon *daemon)
{
	pthread_mutex_lock(&daemon->mutex);
	struct snapshot *snapshot = snapshot_ref(daemon->current);
	pthread_mutex_unlock(&daemon->mutex);
	return snapshot;
}

void
daemon_swap(struct daemon *daemon, struct snapshot *snapshot)
{
	keystore_set_publication(snapshot->keystore, daemon->publication);
	struct snapshot *old = daemon->current;
	struct snapshot_counts former = daemon->former;

	/* Counting takes other mutexes: not under this one. */
	if (old != NULL)
		snapshot_counts_keep(&former, old, snapshot);
	pthread_mutex_lock(&daemon->mutex);
	daemon->current = snapshot;
	daemon->former = former;
	pthread_mutex_unlock(&daemon->mutex);
	snapshot_unref(old);
	/* It may require other keys to be published. */
	publication_wake(daemon->publication);
}

void
daemon_counts(struct daemon *daemon, struct snapshot_counts *out_r)
{
	struct snapshot_counts former;

	pthread_mutex_lock(&daemon->mutex);
	struct snapshot *snapshot = snapshot_ref(daemon->current);
	former = daemon->former;
	pthread_mutex_unlock(&daemon->mutex);
	snapshot_counts(snapshot, out_r);
	snapshot_unref(snapshot);
	snapshot_counts_add(out_r, &former);
}

void
daemon_log_dns(struct daemon *daemon)
{
	struct snapshot *snapshot = daemon_snapshot(daemon);

	log_line(daemon->log, LOG_NOTICE, "DNS servers: %s; %s",
	    resolver_servers_text(snapshot->resolver),
	    resolver_dnssec_text(snapshot->resolver));
	snapshot_unref(snapshot);
}

void
daemon_log_rights(struct daemon *daemon)
{
	struct snapshot *snapshot = daemon_snapshot(daemon);
	const char *program = snapshot->config->reports.sendmail;

	if (program[0] != '\0' && !rights_may_grow())
		log_line(daemon->log, LOG_WARNING,
		    "reports.sendmail: %s is run without the rights of its "
		    "own: restart signpostd, or see there, SYSTEMD",
		    program);
	snapshot_unref(snapshot);
}

bool
daemon_enter(struct daemon *daemon)
{
	pthread_mutex_lock(&daemon->mutex);
	/* Without a free descriptor libmilter would accept in a tight loop. */
	bool full = daemon->connections >= daemon->max_connections ||
	    daemon->connections >=
		daemon->current->config->limits.max_connections;
	if (!full)
		daemon->connections++;
	pthread_mutex_unlock(&daemon->mutex);

	if (full) {
		stats_add(daemon->stats, COUNT_CONNECTIONS_REFUSED, 1);
		log_often(daemon->log, LOG_KIND_CONNECTION, LOG_WARNING,
		    "connection refused: there are as many as "
		    "limits.max_connections, or the files that may be open, "
		    "allow for");
		return false;
	}
	stats_add(daemon->stats, COUNT_CONNECTIONS, 1);
	stats_connections_open(daemon->stats, 1);
	return true;
}

void
daemon_leave(struct daemon *daemon)
{
	stats_connections_open(daemon->stats, -1);
	pthread_mutex_lock(&daemon->mutex);
	daemon->connections--;
	pthread_mutex_unlock(&daemon->mutex);
}

void
daemon_knock(void *daemon)
{
	const struct daemon *knocked = daemon;

	listener_knock(&knocked->address);
}

struct snapshot *
daemon_message_begin(struct daemon *daemon)
{
	pthread_mutex_lock(&daemon->mutex);
	daemon->messages++;
	struct snapshot *snapshot = snapshot_ref(daemon->current);
	pthread_mutex_unlock(&daemon->mutex);
	return snapshot;
}

void
daemon_message_end(struct daemon *daemon)
{
	uint64_t now = stats_monotonic_ns();

	pthread_mutex_lock(&daemon->mutex);
	daemon->messages--;
	daemon->message_end_ns = now;
	pthread_mutex_unlock(&daemon->mutex);
}

bool
daemon_is_quiet(struct daemon *daemon)
{
	uint64_t now = stats_monotonic_ns();

	pthread_mutex_lock(&daemon->mutex);
	bool quiet = daemon->messages == 0 &&
	    (daemon->message_end_ns == 0 ||
		now >= daemon->message_end_ns + REPLY_NS);
	pthread_mutex_unlock(&daemon->mutex);
	return quiet;
}

bool
daemon_wants_recipients(struct daemon *daemon)
{
	pthread_mutex_lock(&daemon->mutex);
	bool wants = daemon->current->config->wants_recipients;
	pthread_mutex_unlock(&daemon->mutex);
	return wants;
}

bool
daemon_tell_no_space(struct daemon *daemon)
{
	pthread_mutex_lock(&daemon->mutex);
	bool first = !daemon->told_no_space;
	daemon->told_no_space = true;
	pthread_mutex_unlock(&daemon->mutex);
	return first;
}
