/* SPDX-License-Identifier: BSD-2-Clause */
#include "server_start.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "checker.h"
#include "config_scan.h"
#include "filter.h"
#include "listener.h"
#include "rights.h"

enum {
	/* libmilter, log, signals, and files that are read: keys by several
	 * messages, the configuration by a reload; and the checker. */
	OTHER_FILES = 128 + CHECKER_MAX_FILES,
	/* Beside connections. After a reload that changes DNS, messages under
	 * way keep the resolver from before it. */
	EXTRA_FILES = 2 * RESOLVER_MAX_FILES + STATUS_MAX_FILES + OTHER_FILES,
	/* Of these, that are left whatever the MTA does. */
	RESERVED_FILES = 256,
	MIN_CONNECTIONS = 16,
};

static void
get_counts(void *ctx, struct snapshot_counts *out_r)
{
	struct server *server = ctx;

	daemon_counts(&server->daemon, out_r);
}

static bool
get_ready(void *ctx)
{
	struct server *server = ctx;

	return atomic_load(&server->ready);
}

static bool
open_log(struct server *server)
{
	const struct config *config = server->started;
	const char *to = config->log.to;
	char error[256];

	if (to == NULL || to[0] == '\0')
		to = server->options->foreground ? "stderr" : "syslog";
	server->daemon.log = log_new(to,
	    config->log.format != NULL &&
		    strcmp(config->log.format, "json") == 0
		? LOG_JSON
		: LOG_TEXT,
	    config->log.level, error, sizeof(error));
	if (server->daemon.log == NULL)
		fprintf(stderr, "signpostd: log.to: %s\n", error);
	else if (!server->options->foreground && strcmp(to, "stderr") == 0)
		fprintf(stderr,
		    "signpostd: log.to: \"stderr\" ends here, in the "
		    "background: take -f, or another log\n");
	if (server->daemon.log == NULL)
		return false;
	log_set_limit(server->daemon.log, config->log.per_minute);
	return true;
}

/* What is wrong at a start goes to whoever started the daemon and to the
 * log. */
static void
tell(struct server *server, int level, const char *text)
{
	if (!log_is_on_stderr(server->daemon.log))
		fprintf(stderr, "signpostd: %s\n", text);
	log_line(server->daemon.log, level, "%s", text);
}

static void
complain(struct server *server, const char *text)
{
	tell(server, LOG_ERR, text);
}

static void
tell_problem(struct server *server, const struct config_problem *problem)
{
	char text[1024];

	config_problem_text(problem, text, sizeof(text));
	tell(server, problem->warning ? LOG_WARNING : LOG_ERR, text);
}

static void
tell_problems(struct server *server, const struct config_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		tell_problem(server, &problems->items[i]);
}

static bool
block_signals(struct server *server)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
		return false;
	server->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return server->signal_fd >= 0;
}

static bool
open_milter(struct server *server)
{
	const struct config *config = server->started;
	const char *group = config->socket_group;
	char error[256];

	/* Root's socket would be of root's group. */
	if (group[0] == '\0' && geteuid() == 0)
		group = config->group;
	if (!listener_clear(config->socket, error, sizeof(error))) {
		complain(server, error);
		return false;
	}
	/* Nobody connects before the socket has its mode and group. */
	mode_t mask = umask(0177);
	bool opened = filter_open(
	    &server->daemon, config, &server->milter_fd, error, sizeof(error));
	umask(mask);
	if (opened)
		opened = listener_set_access(config->socket,
		    rights_user(config->user), group, config->socket_mode,
		    error, sizeof(error));
	if (!opened)
		complain(server, error);
	server->stamp = listener_stamp(config->socket);
	if (opened)
		server->daemon.address = listener_address(server->milter_fd);
	return opened;
}

static bool
is_set(const char *value)
{
	return value != NULL && value[0] != '\0';
}

static bool
open_status(struct server *server)
{
	const struct config *config = server->started;
	char error[256];

	server->sources = (struct status_sources){
		.stats = server->daemon.stats,
		.work = server->daemon.work,
		.replay = server->daemon.replay,
		.publication = server->daemon.publication,
		.counts = get_counts,
		.ready = get_ready,
		.ctx = server,
		.started = (int64_t)time(NULL),
	};
	if (!status_new(&server->sources, config->status.socket,
		config->status.socket_mode, config->status.http,
		&server->status, error, sizeof(error)) ||
	    /* Root's socket would be root's alone. */
	    (geteuid() == 0 && is_set(config->status.socket) &&
		!listener_set_access(config->status.socket,
		    rights_user(config->user), config->group,
		    config->status.socket_mode, error, sizeof(error)))) {
		complain(server, error);
		return false;
	}
	return true;
}

static bool
write_pid(struct server *server)
{
	const char *path = server->options->pid_file;
	char text[256];

	if (pidfile_open(path, &server->pidfile))
		return true;
	snprintf(text, sizeof(text), "%s: %s", path, strerror(errno));
	complain(server, text);
	return false;
}

static bool
load_snapshot(struct server *server)
{
	struct config_problems problems = { 0 };
	struct snapshot *snapshot = snapshot_new(server->daemon.handle,
	    server->daemon.stats, config_ref(server->started), NULL, &problems);

	tell_problems(server, &problems);
	bool good = snapshot != NULL && problems.errors == 0;
	config_problems_fini(&problems);
	if (!good) {
		snapshot_unref(snapshot);
		return false;
	}
	daemon_swap(&server->daemon, snapshot);
	return true;
}

/* A reload reads the configuration with the rights that are left: where that
 * can't be, the time to hear of it is not after the first change. */
static void
warn_of_unreadable(struct server *server)
{
	struct config_problems problems = { 0 };
	char text[1024], line[1100];

	config_scan(server->options->config_file, &problems);
	for (size_t i = 0; i < problems.count; i++) {
		if (problems.items[i].warning)
			continue; /* has been said */
		config_problem_text(&problems.items[i], text, sizeof(text));
		snprintf(line, sizeof(line), "a reload will fail: %s", text);
		tell(server, LOG_WARNING, line);
	}
	config_problems_fini(&problems);
}

static void *
run_filter(void *arg)
{
	struct server *server = arg;

	filter_run();
	atomic_store(&server->filter_ended, true);
	return NULL;
}

static bool
start_threads(struct server *server)
{
	pthread_t thread;

	if (server->status != NULL && !status_start(server->status)) {
		complain(server, "the status server can't be started");
		return false;
	}
	if (!checker_start(&server->daemon)) {
		complain(server, "no thread to look keys' records up");
		return false;
	}
	if (pthread_create(&thread, NULL, run_filter, server) != 0 ||
	    pthread_detach(thread) != 0) {
		complain(server, "no thread for the milter");
		return false;
	}
	return true;
}

static void
set_max_connections(struct server *server)
{
	size_t wanted = server->started->limits.max_connections + EXTRA_FILES;
	size_t files = rights_open_files(wanted);

	server->daemon.max_connections = files > EXTRA_FILES + MIN_CONNECTIONS
	    ? files - EXTRA_FILES
	    : MIN_CONNECTIONS;
	/* Those that the MTA has not begun to use, and those that are refused
	 * until it hangs up, count for nothing but their descriptors. */
	server->daemon.max_descriptor =
	    files - (files / 4 < RESERVED_FILES ? files / 4 : RESERVED_FILES);
	if (files < wanted)
		log_line(server->daemon.log, LOG_WARNING,
		    "limits.max_connections: %zu at most, as only %zu open "
		    "files are allowed",
		    server->daemon.max_connections, files);
}

int
server_start(struct server *server, const struct config_problems *warnings)
{
	const struct config *config = server->started;
	char error[256];

	if (!open_log(server))
		return EX_CONFIG;
	tell_problems(server, warnings);
	if (!rights_known(config->user, config->group, error, sizeof(error))) {
		complain(server, error);
		return EX_CONFIG;
	}
	if (signpost_new(&server->daemon.handle) != SIGNPOST_OK ||
	    (server->daemon.stats = stats_new()) == NULL ||
	    (server->daemon.replay = replay_new(config->replay.entries)) ==
		NULL ||
	    (server->daemon.publication = publication_new()) == NULL ||
	    (server->daemon.reports = reports_new(server->daemon.log,
		 server->daemon.stats, server->daemon.host_name)) == NULL ||
	    !block_signals(server)) {
		complain(server, "libcrypto or the system is not usable");
		return EX_OSERR;
	}
	rights_harden(config->reports.sendmail[0] != '\0');
	set_max_connections(server);
	if (!open_milter(server))
		return EX_UNAVAILABLE;
	if (!work_new(config->workers.threads, config->workers.queue,
		config->workers.direct, &server->daemon.work)) {
		complain(server, "workers can't be started");
		return EX_OSERR;
	}
	work_on_stuck(server->daemon.work, daemon_knock, &server->daemon);
	if (!open_status(server) || !write_pid(server))
		return EX_UNAVAILABLE;
	if (!rights_drop(config->user, config->group, error, sizeof(error))) {
		complain(server, error);
		return EX_NOPERM;
	}
	/* As whom it will be opened again: better to hear of that now. */
	log_reopen(server->daemon.log, config->log.level);
	if (!load_snapshot(server))
		return EX_CONFIG;
	warn_of_unreadable(server);
	return start_threads(server) ? EX_OK : EX_OSERR;
}

void
server_abandon(struct server *server)
{
	/* libmilter has no thread yet. */
	if (server->milter_fd >= 0)
		listener_stop(
		    server->milter_fd, server->started->socket, &server->stamp);
	status_free(server->status);
	pidfile_close(&server->pidfile);
	snapshot_unref(server->daemon.current);
	work_free(server->daemon.work);
	replay_free(server->daemon.replay);
	reports_free(server->daemon.reports);
	publication_free(server->daemon.publication);
	stats_free(server->daemon.stats);
	signpost_free(server->daemon.handle);
	log_free(server->daemon.log);
	if (server->signal_fd >= 0)
		close(server->signal_fd);
	config_unref(server->started);
	free(server);
}

void
server_refuse(const struct server_options *options,
    const struct config_problems *problems)
{
	struct server server = { .options = options };
	char error[256];

	server.daemon.log = log_new(options->foreground ? "stderr" : "syslog",
	    LOG_TEXT, LOG_INFO, error, sizeof(error));
	if (server.daemon.log != NULL)
		tell_problems(&server, problems);
	log_free(server.daemon.log);
}
