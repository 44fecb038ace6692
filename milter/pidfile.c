/* SPDX-License-Identifier: BSD-2-Clause */
#include "pidfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TEXT_SIZE = 32
};

/* "PID\n" of this process; returns its length. */
static size_t
own_text(char text[TEXT_SIZE])
{
	return (size_t)snprintf(text, TEXT_SIZE, "%ld\n", (long)getpid());
}

bool
pidfile_open(const char *path, struct pidfile *pidfile_r)
{
	char text[TEXT_SIZE];
	size_t len = own_text(text);
	int error;

	*pidfile_r = (struct pidfile){ .fd = -1 };
	if (path == NULL)
		return true;
	int fd = open(
	    path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return false;
	errno = ENOSPC; /* where fewer octets are written */
	if (write(fd, text, len) == (ssize_t)len) {
		*pidfile_r = (struct pidfile){ path, fd };
		return true;
	}
	error = errno;
	close(fd);
	errno = error;
	return false;
}

/* Whether the file still holds what this process has written. */
static bool
is_own(const struct pidfile *pidfile)
{
	char want[TEXT_SIZE], text[TEXT_SIZE];
	size_t len = own_text(want);

	return pread(pidfile->fd, text, sizeof(text), 0) == (ssize_t)len &&
	    memcmp(text, want, len) == 0;
}

/* Whether PATH still leads to the file. */
static bool
is_there(const struct pidfile *pidfile)
{
	struct stat opened, there;

	return fstat(pidfile->fd, &opened) == 0 &&
	    lstat(pidfile->path, &there) == 0 &&
	    opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

void
pidfile_close(struct pidfile *pidfile)
{
	if (pidfile->path == NULL)
		return;
	/* Where it can be neither removed nor emptied, it stays. */
	if (is_own(pidfile) &&
	    !(is_there(pidfile) && unlink(pidfile->path) == 0))
		(void)!ftruncate(pidfile->fd, 0);
	close(pidfile->fd);
	*pidfile = (struct pidfile){ .fd = -1 };
}
