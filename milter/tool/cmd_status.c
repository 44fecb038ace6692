/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost status - what the daemon does, and what it costs. */
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "command.h"
#include "http_get.h"
#include "load_config.h"
#include "options.h"
#include "status_view.h"

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

static const char default_socket[] =
    "unix:" RUNSTATEDIR "/signpost/status.sock";

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
		source->address = default_socket;
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

/* The page as JSON, to be given up with json_decref; NULL after a failure. */
static json_t *
fetch(const struct source *source, struct failure *failure)
{
	json_t *status = NULL;
	struct buf body;

	buf_init(&body, HTTP_GET_MAX_BYTES);
	switch (http_get(&source->endpoint, "/status", &body)) {
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
	json_t *status = fetch(source, failure_r);
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
struct screen {
	bool used; /* a terminal, and not JSON */
	struct termios saved;
};

/* The alternate screen without cursor; keys come at once and unseen. */
static void
screen_open(struct screen *screen)
{
	struct termios raw;

	if (!screen->used)
		return;
	if (tcgetattr(STDIN_FILENO, &screen->saved) != 0) {
		screen->used = false;
		return;
	}
	raw = screen->saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs("\033[?1049h\033[?25l\033[2J", stdout);
}

static void
screen_close(const struct screen *screen)
{
	if (!screen->used)
		return;
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &screen->saved);
}

static int
screen_rows(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2)
		return 24;
	return size.ws_row;
}

/* Draws over what is there: no flicker, and no scrolling where the terminal
 * is too low. */
static void
screen_draw(const struct buf *page)
{
	struct bytes rest = buf_bytes(page), line;
	int row, left = 0, row_count = screen_rows();

	fputs("\033[H", stdout);
	for (row = 1; bytes_next(&rest, '\n', &line); row++) {
		if (row >= row_count) {
			left += line.len > 0;
			continue;
		}
		fwrite(line.data, 1, line.len, stdout);
		fputs("\033[K\n", stdout);
	}
	fputs("\033[J\033[7mq ends", stdout);
	if (left > 0)
		printf("; a taller window shows %d more lines", left);
	fputs("\033[m", stdout);
}

/* The page, or why there is none. */
static void
show(const struct screen *screen, const struct source *source, struct buf *page,
    const struct failure *failure)
{
	if (screen->used && failure->code != EX_OK)
		buf_printf(page, "%s: %s\n", source->address, failure->text);
	if (screen->used)
		screen_draw(page);
	else if (failure->code != EX_OK)
		complain_failure(source, failure);
	else
		fwrite(page->data, 1, page->len, stdout);
	fflush(stdout);
}

/* Waits a second; true where the user or a signal wants to end. */
static bool
wait_for_end(const struct screen *screen, int signal_fd)
{
	struct pollfd fds[] = {
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = screen->used ? STDIN_FILENO : -1, .events = POLLIN },
	};
	char key;

	if (poll(fds, 2, 1000) <= 0)
		return false;
	if (fds[0].revents != 0)
		return true;
	return read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q';
}

/* Signals that end the command come through a descriptor, so that the
 * terminal is put in order first. */
static int
ending_signals(void)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, NULL);
	return signalfd(-1, &ending, SFD_CLOEXEC);
}

/* A daemon that goes away while it is watched may come back. */
static void
watch_on(const struct source *source, const struct settings *settings,
    struct screen *screen, struct buf *page)
{
	struct failure failure = { .code = EX_OK };
	int signal_fd = ending_signals();

	screen_open(screen);
	for (;;) {
		show(screen, source, page, &failure);
		if (ferror(stdout) || wait_for_end(screen, signal_fd))
			break;
		buf_clear(page);
		failure.code = EX_OK;
		if (!screen->used && !settings->json)
			buf_append_char(page, '\n');
		update(source, settings, JSON_COMPACT, page, &failure);
	}
	screen_close(screen);
	close(signal_fd);
}

static int
watch(const struct source *source, const struct settings *settings)
{
	struct screen screen = { .used = !settings->json &&
		    isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 };
	struct failure failure;
	int code = EX_OK;
	struct buf page;

	buf_init(&page, HTTP_GET_MAX_BYTES);
	if (update(source, settings, JSON_COMPACT, &page, &failure))
		watch_on(source, settings, &screen, &page);
	else
		code = complain_failure(source, &failure);
	buf_fini(&page);
	return code;
}

int
cmd_status(int argc, char **argv)
{
	struct settings settings = { .config_file = NULL };
	struct source source = { .config = NULL };
	int code, operands;

	switch (options_read(&usage, argc, argv, &settings, &operands)) {
	case OPTIONS_ANSWERED:
		return EX_OK;
	case OPTIONS_BAD:
		return EX_USAGE;
	case OPTIONS_OK:
		break;
	}
	code = open_source(&settings, &source);
	if (code == EX_OK)
		code = settings.watch ? watch(&source, &settings)
				      : show_once(&source, &settings);
	config_unref(source.config);
	return code;
}
