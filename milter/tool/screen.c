/* SPDX-License-Identifier: BSD-2-Clause */
#include "screen.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum {
	INDENT = 4, /* of a row that goes on with a line */
	MIN_COLUMNS = 20,
	KEYS_SIZE = 32,
	FOOT_SIZE = 100,
};

int64_t
screen_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * The terminal.
 */

/* The alternate screen without cursor; keys come at once and unseen. */
static void
take_terminal(struct screen *screen)
{
	struct termios raw = screen->saved;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs("\033[?1049h\033[?25l\033[2J", stdout);
}

static void
give_terminal_back(const struct screen *screen)
{
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &screen->saved);
}

/* Signals come through a descriptor, so that the terminal is put in order
 * first. */
static int
catch_signals(bool terminal)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	if (terminal) {
		sigaddset(&signals, SIGTSTP);
		sigaddset(&signals, SIGWINCH);
	}
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

void
screen_open(struct screen *screen, bool wanted)
{
	memset(screen, 0, sizeof(*screen));
	screen->used = wanted && isatty(STDIN_FILENO) != 0 &&
	    isatty(STDOUT_FILENO) != 0 &&
	    tcgetattr(STDIN_FILENO, &screen->saved) == 0;
	screen->signal_fd = catch_signals(screen->used);
	if (screen->used)
		take_terminal(screen);
}

void
screen_close(struct screen *screen)
{
	if (screen->used)
		give_terminal_back(screen);
	close(screen->signal_fd);
}

/*
 * Drawing.
 */

/* The rows of a page in a window of so many columns. */
struct rows {
	struct bytes page; /* lines not begun */
	struct bytes line; /* what is left of the one under way */
	size_t columns;
	bool goes_on; /* a row of this line has been before */
};

/* How much of LINE fits WIDTH, words whole if they can be. */
static size_t
fitting(struct bytes line, size_t width)
{
	size_t len;

	if (line.len <= width)
		return line.len;
	for (len = width; len > width / 2; len--)
		if (line.data[len] == ' ')
			return len;
	return width;
}

static bool
rows_next(struct rows *rows, bool *indented_r, struct bytes *row_r)
{
	struct bytes *line = &rows->line;
	size_t len;

	if (!rows->goes_on && !bytes_next(&rows->page, '\n', line))
		return false;
	*indented_r = rows->goes_on;
	len = fitting(*line, rows->columns - (rows->goes_on ? INDENT : 0));
	*row_r = bytes_of(line->data, len);
	while (len < line->len && line->data[len] == ' ')
		len++;
	*line = bytes_of(line->data + len, line->len - len);
	rows->goes_on = line->len > 0;
	return true;
}

static size_t
count_rows(struct rows rows)
{
	struct bytes row;
	size_t count = 0;
	bool indented;

	while (rows_next(&rows, &indented, &row))
		count++;
	return count;
}

/* Never more than leaves the window full, if the page can fill it. */
static void
scroll_to(struct screen *screen, size_t top)
{
	size_t most = screen->page_rows > screen->window_rows
	    ? screen->page_rows - screen->window_rows
	    : 0;

	screen->top = top < most ? top : most;
}

/* Columns of the window; sets its rows, but for the last. */
static size_t
measure_window(struct screen *screen)
{
	struct winsize size = { .ws_row = 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	screen->window_rows = size.ws_row > 1 ? size.ws_row - 1U : 23;
	if (size.ws_col == 0)
		return 80;
	return size.ws_col > MIN_COLUMNS ? size.ws_col : MIN_COLUMNS;
}

/* The last row; what does not fit is cut off. */
static void
draw_foot(const struct screen *screen, const char *note, size_t columns)
{
	char foot[FOOT_SIZE], seen[FOOT_SIZE / 2] = "";

	if (screen->page_rows > screen->window_rows)
		snprintf(seen, sizeof(seen), ", arrows scroll: %zu of %zu",
		    screen->top + screen->window_rows, screen->page_rows);
	snprintf(foot, sizeof(foot), "%s%sq ends%s", note,
	    note[0] != '\0' ? "; " : "", seen);
	printf("\033[J\033[7m%.*s\033[m",
	    columns < FOOT_SIZE ? (int)columns : FOOT_SIZE, foot);
}

void
screen_draw(struct screen *screen, struct bytes page, const char *note)
{
	struct rows rows = { .page = page };
	struct bytes row;
	bool indented;
	size_t i;

	if (page.len > 0 && page.data[page.len - 1] == '\n')
		rows.page.len--;
	rows.columns = measure_window(screen);
	screen->page_rows = count_rows(rows);
	scroll_to(screen, screen->top);
	fputs("\033[H", stdout);
	for (i = 0; rows_next(&rows, &indented, &row); i++) {
		if (i < screen->top || i >= screen->top + screen->window_rows)
			continue;
		/* Cleared before: behind a full row the cursor is on it. */
		printf("\033[K%*s", indented ? INDENT : 0, "");
		fwrite(row.data, 1, row.len, stdout);
		putchar('\n');
	}
	draw_foot(screen, note, rows.columns);
}

/*
 * Waiting.
 */
static enum screen_event
handle_signal(struct screen *screen)
{
	struct signalfd_siginfo signal;

	if (read(screen->signal_fd, &signal, sizeof(signal)) !=
	    (ssize_t)sizeof(signal))
		return SCREEN_REDRAW;
	switch (signal.ssi_signo) {
	case SIGWINCH:
		fputs("\033[2J", stdout);
		return SCREEN_REDRAW;
	case SIGTSTP:
		give_terminal_back(screen);
		raise(SIGSTOP);
		take_terminal(screen);
		return SCREEN_REDRAW;
	default:
		return SCREEN_END;
	}
}

/* What keys send, and by how many rows they scroll; 0: a window's height. */
static const struct key {
	const char *sent;
	bool down;
	size_t rows;
} keys[] = {
	{ "\033[A", false, 1 },
	{ "\033OA", false, 1 },
	{ "k", false, 1 },
	{ "\033[B", true, 1 },
	{ "\033OB", true, 1 },
	{ "j", true, 1 },
	{ "\033[5~", false, 0 },
	{ "b", false, 0 },
	{ "\033[6~", true, 0 },
	{ " ", true, 0 },
	{ "\033[H", false, SIZE_MAX },
	{ "\033[1~", false, SIZE_MAX },
	{ "g", false, SIZE_MAX },
	{ "\033[F", true, SIZE_MAX },
	{ "\033[4~", true, SIZE_MAX },
	{ "G", true, SIZE_MAX },
};

static void
scroll(struct screen *screen, const struct key *key)
{
	size_t rows = key->rows > 0 ? key->rows : screen->window_rows;

	if (!key->down)
		scroll_to(screen, screen->top > rows ? screen->top - rows : 0);
	else
		scroll_to(screen,
		    rows < SIZE_MAX - screen->top ? screen->top + rows
						  : SIZE_MAX);
}

/* A key that is held comes several times in one reading. */
static enum screen_event
handle_keys(struct screen *screen)
{
	char sent[KEYS_SIZE];
	ssize_t len = read(STDIN_FILENO, sent, sizeof(sent));
	size_t at, k, key_len;

	if (len <= 0)
		return SCREEN_END;
	for (at = 0; at < (size_t)len; at += key_len) {
		key_len = 1;
		if (sent[at] == 'q' || sent[at] == 'Q')
			return SCREEN_END;
		for (k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			size_t n = strlen(keys[k].sent);

			if (n > (size_t)len - at ||
			    memcmp(sent + at, keys[k].sent, n) != 0)
				continue;
			scroll(screen, &keys[k]);
			key_len = n;
			break;
		}
	}
	return SCREEN_REDRAW;
}

enum screen_event
screen_wait(struct screen *screen, int64_t until_ms)
{
	struct pollfd fds[] = {
		{ .fd = screen->signal_fd, .events = POLLIN },
		{ .fd = screen->used ? STDIN_FILENO : -1, .events = POLLIN },
	};
	int64_t left_ms = until_ms - screen_now_ms();

	if (poll(fds, 2, left_ms > 0 ? (int)left_ms : 0) <= 0)
		return SCREEN_TIME;
	if (fds[0].revents != 0)
		return handle_signal(screen);
	return handle_keys(screen);
}
