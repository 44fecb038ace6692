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
	daemon_swap(daemon, next);
	return true;
}

/* A rotated log is left behind whether the new set can be used or not. */
static void
reopen_log(struct daemon *daemon)
{
	struct snapshot *current = daemon_snapshot(daemon);

	log_reopen(daemon->log, current->config->log.level);
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
	if (done)
		daemon_log_dns(daemon);
	return done;
}
