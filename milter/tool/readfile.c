/* SPDX-License-Identifier: BSD-2-Clause */
#include "readfile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "command.h"

enum {
	PIECE_BYTES = 16384
};

static int
read_all(int fd, const char *path, struct buf *text)
{
	char piece[PIECE_BYTES];
	ssize_t len;

	while ((len = read(fd, piece, sizeof(piece))) != 0) {
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return complain_file(path, errno);
		buf_append(text, piece, (size_t)len);
		if (text->failed)
			return complain(EX_DATAERR, path,
			    "larger than %zu octets, or than memory",
			    text->max);
	}
	explicit_bzero(piece, sizeof(piece));
	return 0;
}

int
readfile(const char *path, struct buf *text)
{
	int fd, code;

	if (strcmp(path, "-") == 0)
		return read_all(STDIN_FILENO, "standard input", text);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return complain_file(path, errno);
	code = read_all(fd, path, text);
	close(fd);
	return code;
}
