/* SPDX-License-Identifier: BSD-2-Clause */
#include "reload.h"

enum {
	MAX_RESTART_NAMES = 64,
};

static void
log_problems(struct log *log, const struct config_problems *problems)
{
	char text[1024];

	for (size_t i = 0; i < problems->count; i++) {
		config_problem_text(&problems->items[i], text, sizeof(text));
		log_line(log,
		    problems->items[i].warning ? LOG_WARNING : LOG_ERR, "%s",
		    text);
	}
	if (problems->dropped > 0)
		log_line(
		    log, LOG_ERR, "and %zu problems more", problems->dropped);
}

static void
log_restart_settings(struct daemon *daemon, const struct config *started,
    const struct config *config)
{
	const char *names[MAX_RESTART_NAMES];
	size_t count =
	    config_needs_restart(started, config, names, MAX_RESTART_NAMES);

	for (size_t i = 0; i < count && i < MAX_RESTART_NAMES; i++)
		log_line(daemon->log, LOG_WARNING,
		    "%s has changed: that takes a restart", names[i]);
}

/* What a limit can't be raised over while the process lives. */
static void
log_fixed_limits(struct daemon *daemon, const struct config *config)
{
	const struct {
		const char *name;
		size_t wanted, fixed;
	} rows[] = {
		{ "limits.max_connections", config->limits.max_connections,
		    daemon->max_connections },
		{ "limits.max_header_bytes", config->limits.max_header_bytes,
		    daemon->max_header_bytes },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].wanted > rows[i].fixed)
			log_line(daemon->log, LOG_WARNING,
			    "%s is raised to %zu: more than %zu takes a "
			    "restart",
			    rows[i].name, rows[i].wanted, rows[i].fixed);
}

static bool
swap_in(struct daemon *daemon, const struct config *config,
    const struct config *started, struct config_problems *problems)
{
	struct snapshot *previous = daemon_snapshot(daemon);
	struct snapshot *next = snapshot_new(
	    daemon->handle, daemon->stats, config, previous, problems);

	snapshot_unref(previous);
	if (next == NULL)
		return false;
	if (problems->errors > 0) {
		snapshot_unref(next);
		return false;
	}
	log_restart_settings(daemon, started, next->config);
	log_fixed_limits(daemon, next->config);
	daemon_swap(daemon, next);
	return true;
}

/* A rotated log is left behind whether the new set can be used or not. */
static void
reopen_log(struct daemon *daemon)
{
	struct snapshot *current = daemon_snapshot(daemon);

	log_reopen(daemon->log, current->config->log.level);
	log_set_limit(daemon->log, current->config->log.per_minute);
	snapshot_unref(current);
}

bool
reload(struct daemon *daemon, const char *file, const struct config *started)
{
	struct config_problems problems;
	const struct config *config = config_load(file, &problems);
	bool done =
	    config != NULL && swap_in(daemon, config, started, &problems);

	reopen_log(daemon);
	log_problems(daemon->log, &problems);
	config_problems_fini(&problems);
	stats_add(
	    daemon->stats, done ? COUNT_RELOADS_OK : COUNT_RELOADS_FAILED, 1);
	log_line(daemon->log, done ? LOG_NOTICE : LOG_ERR, "%s",
	    done ? "configuration read again: in use from the next message on"
		 : "configuration not changed: the new one can't be used");
	if (done) {
		daemon_log_dns(daemon);
		daemon_log_rights(daemon);
	}
	return done;
}
