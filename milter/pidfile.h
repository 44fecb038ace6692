/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pidfile - the file that says which process the daemon is
 *
 * It is opened with the rights of the start and stays open, so that it can be
 * emptied where its folder no longer lets it be removed. One that another
 * process has written to meanwhile is left alone.
 *
 * Threads: the main thread.
 */
#ifndef PIDFILE_H
#define PIDFILE_H

#include <stdbool.h>

struct pidfile {
	const char *path; /* NULL: none */
	int fd;
};

/* Writes the number of this process to PATH (NULL: nowhere). False with
 * errno. */
bool pidfile_open(const char *path, struct pidfile *pidfile_r);
/* Removes the file, or empties it where it can't be removed. */
void pidfile_close(struct pidfile *pidfile);

#endif
