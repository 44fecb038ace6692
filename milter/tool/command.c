/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
complain(int code, const char *where, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "signpost: %s: ", where);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
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
