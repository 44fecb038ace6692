/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen - a page that is drawn again and again on a terminal
 *
 * Takes the alternate screen, so that the terminal is afterwards what it was:
 * at the end, by whatever signal, and while the command is stopped (Ctrl-Z).
 * A line that is too long for the window goes on in the next row; a page that
 * is too long can be scrolled. Where there is no terminal only the waiting is
 * left, and the signals that end it.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "bytes.h"

struct screen {
	bool used; /* there is a terminal, and the page is drawn on it */
	struct termios saved;
	int signal_fd;
	size_t top; /* the first row shown */
	/* Of the last drawing: those of the window without the last one, and
	 * those of the page. */
	size_t window_rows, page_rows;
};

enum screen_event {
	SCREEN_TIME, /* the time is over */
	SCREEN_REDRAW, /* the window, or what is to be seen of the page, changed */
	SCREEN_END,    /* q, a signal to end, or nobody is there any more */
};

/* Takes the terminal, if WANTED and standard input and output are one. */
void screen_open(struct screen *screen, bool wanted);
/* Draws over what is there, without flicker. NOTE is to be seen wherever the
 * page was scrolled to; "" for none. */
void screen_draw(struct screen *screen, struct bytes page, const char *note);
/* Waits until UNTIL_MS of screen_now_ms or until something happens. */
enum screen_event screen_wait(struct screen *screen, int64_t until_ms);
void screen_close(struct screen *screen);
/* Milliseconds of a clock that never goes back. */
int64_t screen_now_ms(void);

#endif
