/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "utf8.h"

void
command_append_plain(struct buf *line, const char *text)
{
	struct bytes left = bytes_str(text);

	while (left.len > 0) {
		size_t len = utf8_character_len(left);
		unsigned char first = (unsigned char)left.data[0];

		if (len == 0 || first < ' ' || first == 0x7f ||
		    (first == 0xc2 && (unsigned char)left.data[1] < 0xa0))
			buf_append_char(line, '?');
		else
			buf_append(line, left.data, len);
		len += len == 0;
		left = bytes_of(left.data + len, left.len - len);
	}
}

int
complain(int code, const char *where, const char *format, ...)
{
	va_list arguments;
	struct buf line;
	char *what;
	int len;

	va_start(arguments, format);
	len = vasprintf(&what, format, arguments);
	va_end(arguments);
	buf_init(&line, SIZE_MAX);
	command_append_plain(&line, where);
	buf_append_str(&line, ": ");
	command_append_plain(&line, len >= 0 ? what : "out of memory");
	/* In one piece, for those who write to the same terminal. */
	fprintf(stderr, "signpost: %s\n",
	    line.failed ? "out of memory" : line.data);
	buf_fini(&line);
	if (len >= 0)
		free(what);
	return code;
}

int
complain_file(const char *where, int error)
{
	int code = EX_IOERR;

	if (error == ENOENT || error == ENOTDIR || error == EISDIR)
		code = EX_NOINPUT;
	else if (error == EACCES || error == EPERM)
		code = EX_NOPERM;
	return complain(code, where, "%s", strerror(error));
}

int
complain_status(const char *where, enum signpost_status status)
{
	int code = EX_DATAERR;

	if (status == SIGNPOST_NOMEM)
		code = EX_OSERR;
	else if (status == SIGNPOST_CRYPTO)
		code = EX_SOFTWARE;
	return complain(code, where, "%s", signpost_status_text(status));
}
