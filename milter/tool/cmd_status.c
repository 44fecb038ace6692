/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost status - what the daemon does, and what it costs. */
#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "config_settings.h"
#include "http_get.h"
#include "load_config.h"
#include "options.h"
#include "screen.h"
#include "status_view.h"

enum {
	WATCH_MS = 1000
};

struct settings {
	const char *config_file;
	const char *socket;
	bool watch;
	bool json;
};

static const struct option_row rows[] = {
	{ 'c', "config", "FILE", "read the socket's address in this file",
	    option_string, offsetof(struct settings, config_file), 0, 0 },
	{ 0, "socket", "ADDRESS", "ask unix:/PATH or ADDRESS:PORT",
	    option_string, offsetof(struct settings, socket), 0, 0 },
	{ 0, "watch", NULL, "show it again each second, until q", option_flag,
	    offsetof(struct settings, watch), 0, 0 },
	{ 0, "json", NULL, "print JSON", option_flag,
	    offsetof(struct settings, json), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "status",
	.synopsis = "[--watch] [--json] [-c FILE | --socket ADDRESS]",
	.summary = "Shows what the running daemon does, how fast, and what it "
		   "costs.",
	.rows = rows,
	.max_operands = 0,
};

/* Where the daemon is asked. */
struct source {
	const char *address;
	struct endpoint endpoint;
	const struct config *config; /* owns ADDRESS; or NULL */
};

static bool
is_set(const char *value)
{
	return value != NULL && value[0] != '\0';
}

/* The address that the configuration names. Without a configuration the
 * daemon may still be there, started with another one: its default is asked. */
static int
read_config(const struct settings *settings, struct source *source)
{
	const char *file = settings->config_file;
	int code;

	if (file == NULL && access(LOAD_CONFIG_DEFAULT, F_OK) != 0) {
		source->address = setting_find("status.socket")->initial;
		return EX_OK;
	}
	code = load_config(file, &source->config);
	if (code != EX_OK)
		return code;
	if (is_set(source->config->status.socket))
		source->address = source->config->status.socket;
	else if (is_set(source->config->status.http))
		source->address = source->config->status.http;
	else
		return complain(EX_CONFIG, source->config->file,
		    "has status.socket = \"\": there is nobody to ask");
	return EX_OK;
}

static int
open_source(const struct settings *settings, struct source *source)
{
	int code = EX_OK;

	if (settings->socket != NULL)
		source->address = settings->socket;
	else
		code = read_config(settings, source);
	if (code != EX_OK)
		return code;
	if (!endpoint_parse(source->address, &source->endpoint))
		return complain(settings->socket != NULL ? EX_USAGE : EX_CONFIG,
		    source->address,
		    "not unix:/PATH, ADDRESS:PORT or [ADDRESS]:PORT");
	return EX_OK;
}

/* What went wrong with an update, and the exit code for that. */
struct failure {
	int code;
	char text[256];
};

static void
fail(struct failure *failure, int code, const char *text, int error)
{
	failure->code = code;
	snprintf(failure->text, sizeof(failure->text), "%s%s%s",
	    error != 0 ? strerror(error) : "", error != 0 ? ": " : "", text);
}

static void
fail_unreachable(struct failure *failure, int error)
{
	if (error == EACCES || error == EPERM)
		fail(failure, EX_NOPERM,
		    "run this as root or as a member of the socket's group",
		    error);
	else
		fail(failure, EX_TEMPFAIL,
		    "is signpostd running (systemctl status signpostd), and "
		    "with this status.socket? -c FILE or --socket ADDRESS "
		    "names another",
		    error);
}

/* The page at PATH as JSON, to be given up with json_decref; NULL after a
 * failure. */
static json_t *
fetch(const struct source *source, const char *path, struct failure *failure)
{
	json_t *status = NULL;
	struct buf body;

	buf_init(&body, HTTP_GET_MAX_BYTES);
	switch (http_get(&source->endpoint, path, &body)) {
	case HTTP_GET_UNREACHABLE:
		fail_unreachable(failure, errno);
		break;
	case HTTP_GET_TIMEOUT:
		fail(failure, EX_TEMPFAIL,
		    "the daemon takes too long to answer; try again", 0);
		break;
	case HTTP_GET_OK:
		status = json_loadb(body.data, body.len, 0, NULL);
		if (json_is_object(status))
			break;
		json_decref(status);
		status = NULL;
		/* fall through */
	case HTTP_GET_BROKEN:
		fail(failure, EX_PROTOCOL,
		    "who answers there is not signpostd's status server", 0);
		break;
	}
	buf_fini(&body);
	return status;
}

/* The status with the keys that sign only while they are published, where there
 * are any. */
static json_t *
fetch_all(const struct source *source, struct failure *failure)
{
	json_t *status = fetch(source, "/status", failure), *keys, *count;
	bool any = false;
	const char *state;

	json_object_foreach(
	    json_object_get(json_object_get(status, "published"), "keys"),
	    state, count)
	{
		any = any || json_integer_value(count) > 0;
	}
	if (!any)
		return status;
	keys = fetch(source, "/keys", failure);
	if (keys != NULL)
		json_object_set_new(status, "published_keys", keys);
	else
		json_decref(status);
	return keys != NULL ? status : NULL;
}

/* Appends what is shown of STATUS. FLAGS are those of json_dumps. */
static bool
render(const json_t *status, const struct settings *settings, size_t flags,
    struct buf *out)
{
	char *text;

	if (!settings->json) {
		status_view(status, out);
		return !out->failed;
	}
	text = json_dumps(status, flags);
	if (text == NULL)
		return false;
	buf_append_str(out, text);
	buf_append_char(out, '\n');
	free(text);
	return !out->failed;
}

/* Fetches and appends what is shown. */
static bool
update(const struct source *source, const struct settings *settings,
    size_t flags, struct buf *out, struct failure *failure_r)
{
	json_t *status = fetch_all(source, failure_r);
	bool done;

	if (status == NULL)
		return false;
	done = render(status, settings, flags, out);
	if (!done)
		fail(failure_r, EX_OSERR, "out of memory", 0);
	json_decref(status);
	return done;
}

static int
complain_failure(const struct source *source, const struct failure *failure)
{
	return complain(failure->code, source->address, "%s", failure->text);
}

static int
show_once(const struct source *source, const struct settings *settings)
{
	struct failure failure;
	int code = EX_OK;
	struct buf page;

	buf_init(&page, HTTP_GET_MAX_BYTES);
	if (update(source, settings, JSON_INDENT(2), &page, &failure))
		fwrite(page.data, 1, page.len, stdout);
	else
		code = complain_failure(source, &failure);
	buf_fini(&page);
	return code;
}

/*
 * Watching.
 */
struct watch {
	const struct source *source;
	const struct settings *settings;
	struct screen screen;
	struct buf page;   /* the last that there was */
	struct buf shown;  /* the same, with what is to be said before it */
	time_t gone_since; /* 0: the daemon answers */
	char note[32];
};

static void
draw(struct watch *watch)
{
	if (watch->screen.used)
		screen_draw(
		    &watch->screen, buf_bytes(&watch->shown), watch->note);
	fflush(stdout);
}

/* Takes PAGE over, and shows it. */
static void
show_page(struct watch *watch, struct buf page)
{
	buf_fini(&watch->page);
	watch->page = page;
	watch->gone_since = 0;
	watch->note[0] = '\0';
	buf_clear(&watch->shown);
	buf_append_bytes(&watch->shown, buf_bytes(&page));
	if (!watch->screen.used)
		fwrite(page.data, 1, page.len, stdout);
	draw(watch);
}

/* On a screen, why there is no page of this second stands above the last one
 * that there was. */
static void
show_failure(struct watch *watch, const struct failure *failure)
{
	struct tm since;

	if (!watch->screen.used) {
		complain_failure(watch->source, failure);
		return;
	}
	if (watch->gone_since == 0)
		watch->gone_since = time(NULL);
	localtime_r(&watch->gone_since, &since);
	strftime(watch->note, sizeof(watch->note), "NO ANSWER since %H:%M:%S",
	    &since);
	buf_clear(&watch->shown);
	buf_printf(&watch->shown, "%s. %s: %s\n\nThe last figures were:\n\n",
	    watch->note, watch->source->address, failure->text);
	buf_append_bytes(&watch->shown, buf_bytes(&watch->page));
	draw(watch);
}

static void
show_next(struct watch *watch)
{
	struct failure failure;
	struct buf next;

	buf_init(&next, HTTP_GET_MAX_BYTES);
	if (!watch->screen.used && !watch->settings->json)
		buf_append_char(&next, '\n');
	if (update(watch->source, watch->settings, JSON_COMPACT, &next,
		&failure)) {
		show_page(watch, next);
		return;
	}
	buf_fini(&next);
	show_failure(watch, &failure);
}

/* Each second, whatever an answer takes, until the user or a signal ends it. A
 * daemon that goes away while it is watched may come back. */
static void
watch_on(struct watch *watch)
{
	int64_t next_ms = screen_now_ms() + WATCH_MS;
	enum screen_event event;

	while (!ferror(stdout)) {
		event = screen_wait(&watch->screen, next_ms);
		if (event == SCREEN_END)
			break;
		if (event == SCREEN_REDRAW) {
			draw(watch);
			continue;
		}
		next_ms = screen_now_ms() + WATCH_MS;
		show_next(watch);
	}
}

static int
watch(const struct source *source, const struct settings *settings)
{
	struct watch watch = { .source = source, .settings = settings };
	struct failure failure;
	struct buf first;

	buf_init(&first, HTTP_GET_MAX_BYTES);
	if (!update(source, settings, JSON_COMPACT, &first, &failure)) {
		buf_fini(&first);
		return complain_failure(source, &failure);
	}
	buf_init(&watch.page, 0);
	buf_init(&watch.shown, 2 * HTTP_GET_MAX_BYTES);
	screen_open(&watch.screen, !settings->json);
	show_page(&watch, first);
	watch_on(&watch);
	screen_close(&watch.screen);
	buf_fini(&watch.shown);
	buf_fini(&watch.page);
	return EX_OK;
}

int
cmd_status(int argc, char **argv)
{
	struct settings settings = { .config_file = NULL };
	struct source source = { .config = NULL };
	int code;

	if (options_read(&usage, argc, argv, &settings, &code) == 0)
		return code;
	code = open_source(&settings, &source);
	if (code == EX_OK)
		code = settings.watch ? watch(&source, &settings)
				      : show_once(&source, &settings);
	config_unref(source.config);
	return code;
}
