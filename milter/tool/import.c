/* SPDX-License-Identifier: BSD-2-Clause */
#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "command.h"

void
import_init(struct import *import)
{
	*import = (struct import){ 0 };
	arena_init(&import->arena);
	buf_init(&import->files, SIZE_MAX);
}

void
import_fini(struct import *import)
{
	buf_fini(&import->files);
	config_problems_fini(&import->problems);
	arena_fini(&import->arena);
}

typedef void add_problem(struct config_problems *problems, const char *file,
    unsigned line, const char *setting, const char *format, ...);

__attribute__((format(printf, 4, 0))) static void
say(struct import *import, add_problem *add, struct import_place place,
    const char *format, va_list arguments)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, arguments);
	add(&import->problems, place.file, place.line, place.setting, "%s",
	    text);
}

void
import_lost(
    struct import *import, struct import_place place, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(import, config_problem, place, format, arguments);
	va_end(arguments);
}

void
import_note(
    struct import *import, struct import_place place, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(import, config_warning, place, format, arguments);
	va_end(arguments);
}

void
import_bad(struct import *import, int code, struct import_place place,
    const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(import, config_problem, place, format, arguments);
	va_end(arguments);
	if (import->code == 0)
		import->code = code;
}

void
import_print_problems(struct import *import, const char *first_file)
{
	struct config_problems *problems = &import->problems;
	char text[2048];
	struct buf line;

	config_problems_sort(problems, first_file);
	buf_init(&line, SIZE_MAX);
	for (size_t i = 0; i < problems->count; i++) {
		config_problem_text(&problems->items[i], text, sizeof(text));
		buf_clear(&line);
		command_append_plain(&line, text);
		fprintf(stderr, "signpost: %s\n",
		    line.failed ? "out of memory" : line.data);
	}
	if (problems->dropped > 0)
		fprintf(stderr, "signpost: and %zu more\n", problems->dropped);
	buf_fini(&line);
}

const char *
import_keep(struct import *import, struct bytes bytes)
{
	char *copy = arena_alloc(&import->arena, bytes.len + 1, 1);

	if (copy == NULL) {
		import->no_memory = true;
		return "";
	}
	if (bytes.len > 0)
		memcpy(copy, bytes.data, bytes.len);
	return copy;
}

bool
import_grow(
    struct import *import, void *array_place, size_t count, size_t element_size)
{
	void **place = array_place, *larger;

	/* At each power of two, from 8 on. */
	if (count != 0 && (count < 8 || (count & (count - 1)) != 0))
		return true;
	larger = reallocarray(*place, count < 8 ? 8 : 2 * count, element_size);
	if (larger == NULL) {
		import->no_memory = true;
		return false;
	}
	*place = larger;
	return true;
}

bool
import_row(struct import *import, struct import_place place)
{
	if (import->rows == IMPORT_MAX_ROWS)
		import_bad(import, EX_DATAERR, place,
		    "there are more than %d rows in all tables: split the "
		    "configuration, or write signpost.conf with a program",
		    IMPORT_MAX_ROWS);
	return import->rows++ < IMPORT_MAX_ROWS;
}

/* Bad input: WHAT is wrong with the file PATH. */
static void
refuse(struct import *import, int code, struct import_place place,
    const char *path, const char *what)
{
	if (strcmp(place.file, path) == 0)
		import_bad(import, code, place, "%s", what);
	else
		import_bad(import, code, place, "%s: %s", path, what);
}

static int
code_of(int error)
{
	if (error == ENOENT || error == ENOTDIR || error == EISDIR)
		return EX_NOINPUT;
	return error == EACCES || error == EPERM ? EX_NOPERM : EX_IOERR;
}

/* False with errno. A file that a link or a device stands for is read, too, as
 * long as reading ends. */
static bool
read_text(int fd, struct buf *text)
{
	char piece[16384];
	ssize_t len;

	while ((len = read(fd, piece, sizeof(piece))) != 0 && !text->failed) {
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return false;
		buf_append(text, piece, (size_t)len);
	}
	explicit_bzero(piece, sizeof(piece));
	return true;
}

/* Complains of what is no text that any program wrote. */
static bool
is_text(struct import *import, struct import_place place, const char *path,
    const struct buf *text)
{
	const char *nul;
	unsigned line = 1;

	if (text->failed) {
		refuse(import, EX_DATAERR, place, path,
		    "is larger than 64 MiB, or than memory");
		return false;
	}
	nul = text->len == 0 ? NULL : memchr(text->data, '\0', text->len);
	if (nul == NULL)
		return true;
	for (const char *at = text->data; at < nul; at++)
		line += *at == '\n';
	import_bad(import, EX_DATAERR,
	    (struct import_place){ path, line, place.setting },
	    "there is a NUL: this is not a text");
	return false;
}

bool
import_read(struct import *import, struct import_place place, const char *path,
    struct buf *text)
{
	/* Not blocking: opening a pipe would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int error = errno;
	bool ok = false;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		refuse(import, code_of(error), place, path, strerror(error));
	} else if (!S_ISREG(st.st_mode)) {
		refuse(import, EX_NOINPUT, place, path, "is not a file");
	} else if (!read_text(fd, text)) {
		refuse(import, code_of(errno), place, path, strerror(errno));
	} else {
		ok = is_text(import, place, path, text);
	}
	if (fd >= 0)
		close(fd);
	buf_append_str(&import->files, path);
	buf_append_char(&import->files, '\n');
	return ok;
}
