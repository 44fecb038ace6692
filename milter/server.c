/* SPDX-License-Identifier: BSD-2-Clause */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "listener.h"
#include "reload.h"
#include "server_start.h"

enum {
	TICK_MS = 1000,
	DRAIN_MS = 20,
	FINISH_US = 15000000, /* to answer the status requests under way */
};

/* The caller has seen the errors of the start; there are none from now on. */
static void
leave_terminal(struct server *server)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || chdir("/") < 0)
		log_line(server->daemon.log, LOG_WARNING, "/dev/null: %s",
		    strerror(errno));
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

static void
announce_ready(struct server *server)
{
	uint64_t watchdog_us = 0;

	if (sd_watchdog_enabled(0, &watchdog_us) > 0)
		server->watchdog_us = watchdog_us;
	atomic_store(&server->ready, true);
	sd_notifyf(0, "READY=1\nSTATUS=Serves %s", server->started->socket);
	log_line(server->daemon.log, LOG_NOTICE, "signpostd %s serves %s",
	    signpost_version(), server->started->socket);
	daemon_log_dns(&server->daemon);
	daemon_log_rights(&server->daemon);
	if (server->options->ready_fd < 0)
		return;
	leave_terminal(server);
	if (write(server->options->ready_fd, "", 1) < 0)
		log_line(server->daemon.log, LOG_NOTICE,
		    "whoever started this has gone");
	close(server->options->ready_fd);
}

static void
do_reload(struct server *server)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
	    (unsigned long long)(stats_monotonic_ns() / 1000));
	bool done = reload(
	    &server->daemon, server->options->config_file, server->started);
	sd_notifyf(0, "READY=1\nSTATUS=Serves %s%s", server->started->socket,
	    done ? ""
		 : " with the configuration from before: the new one can't be "
		   "used, and the log says why");
}

static void
tick(struct server *server)
{
	uint64_t now = stats_monotonic_ns();

	if (now < server->next_tick_ns)
		return;
	stats_tick(server->daemon.stats, now);
	log_tick(server->daemon.log, now);
	server->next_tick_ns = now + (uint64_t)TICK_MS * 1000000;
	if (server->watchdog_us > 0)
		sd_notify(0, "WATCHDOG=1");
}

/* Waits for MS milliseconds or a signal; which signals have come. */
static void
wait_for_signals(struct server *server, int ms, bool *hup_r, bool *stop_r)
{
	struct pollfd waiting = { .fd = server->signal_fd, .events = POLLIN };
	struct signalfd_siginfo info;

	*hup_r = *stop_r = false;
	if (poll(&waiting, 1, ms) <= 0)
		return;
	while (read(server->signal_fd, &info, sizeof(info)) ==
	    (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			*hup_r = true;
		else
			*stop_r = true;
	}
}

/* False where libmilter has given up. */
static bool
serve(struct server *server)
{
	bool hup, stop = false;

	while (!stop && !atomic_load(&server->filter_ended)) {
		wait_for_signals(server, TICK_MS, &hup, &stop);
		if (hup && !stop)
			do_reload(server);
		tick(server);
	}
	return stop;
}

static void
drain(struct server *server)
{
	struct snapshot *snapshot = daemon_snapshot(&server->daemon);
	uint64_t stop_us =
	    (uint64_t)snapshot->config->limits.stop_timeout_ms * 1000;
	uint64_t end = stats_monotonic_ns() + stop_us * 1000;
	bool hup, stop;

	snapshot_unref(snapshot);
	atomic_store(&server->ready, false);
	/* The setting counts, not the time that the unit gives any service. */
	sd_notifyf(0,
	    "STOPPING=1\nSTATUS=Finishes the messages in flight\n"
	    "EXTEND_TIMEOUT_USEC=%" PRIu64,
	    stop_us + FINISH_US);
	listener_stop(
	    server->milter_fd, server->started->socket, &server->stamp);
	while (
	    !daemon_is_quiet(&server->daemon) && stats_monotonic_ns() < end) {
		wait_for_signals(server, DRAIN_MS, &hup, &stop);
		tick(server);
	}
}

static _Noreturn void
finish(struct server *server, int code)
{
	if (!daemon_is_quiet(&server->daemon))
		log_line(server->daemon.log, LOG_WARNING,
		    "%smessages in flight are cut, and the MTA will try them "
		    "again",
		    code == EX_OK ? "limits.stop_timeout has passed: " : "");
	log_tick(server->daemon.log, UINT64_MAX);
	log_line(server->daemon.log, LOG_NOTICE, "signpostd ends");
	status_free(server->status);
	pidfile_close(&server->pidfile);
	/* Not exit: that runs what libraries have registered for it, libmilter
	 * and libcrypto among them, under the feet of libmilter's threads. */
	_exit(code);
}

int
server_run(const struct server_options *options, const struct config *config,
    const struct config_problems *warnings)
{
	struct server *server = calloc(1, sizeof(*server));

	if (server == NULL) {
		config_unref(config);
		return EX_OSERR;
	}
	daemon_init(&server->daemon);
	server->options = options;
	server->started = config;
	server->signal_fd = server->milter_fd = -1;
	int code = server_start(server, warnings);
	if (code != EX_OK) {
		server_abandon(server);
		return code;
	}
	announce_ready(server);
	if (!serve(server)) {
		log_line(server->daemon.log, LOG_CRIT,
		    "libmilter has given up; see the system's log");
		code = EX_UNAVAILABLE;
	} else {
		drain(server);
	}
	finish(server, code);
}
