/* SPDX-License-Identifier: BSD-2-Clause */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

void
folder_make(struct folder *folder)
{
	memset(folder, 0, sizeof *folder);
	strcpy(folder->path, "/tmp/signpost-test.XXXXXX");
	need(mkdtemp(folder->path) != NULL, folder->path);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void
folder_remove(const struct folder *folder)
{
	need(nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0,
	    folder->path);
}

int
folder_set_up(void **state)
{
	struct folder *folder = malloc(sizeof *folder);

	need(folder != NULL, "malloc");
	folder_make(folder);
	*state = folder;
	return 0;
}

int
folder_tear_down(void **state)
{
	folder_remove(*state);
	free(*state);
	return 0;
}

const char *
folder_path(const struct folder *folder, const char *name)
{
	static char scratch[4][512];
	static unsigned turn;
	char *out = scratch[turn++ % 4];

	snprintf(out, sizeof scratch[0], "%s/%s", folder->path, name);
	return out;
}

void
folder_add(const struct folder *folder, const char *name, mode_t mode)
{
	const char *path = folder_path(folder, name);

	if (mkdir(path, mode) == 0)
		need(chmod(path, mode) == 0, path);
	else
		need(errno == EEXIST, path);
}

void
folder_write_bytes(const struct folder *folder, const char *name, mode_t mode,
    const void *data, size_t len)
{
	const char *path = folder_path(folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	need(fd >= 0 && write(fd, data, len) == (ssize_t)len &&
		fchmod(fd, mode) == 0,
	    path);
	close(fd);
}

void
folder_write(const struct folder *folder, const char *name, mode_t mode,
    const char *text)
{
	folder_write_bytes(folder, name, mode, text, strlen(text));
}
