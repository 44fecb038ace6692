/* SPDX-License-Identifier: BSD-2-Clause */
#include "publication_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* A path, two names and what is around them; what is longer is no line
	 * of ours. */
	LINE_BYTES = PATH_MAX + 1024,
	NAME_MAX_BYTES = 253,
};

static const char head[] = "Signpost: keys whose record was seen in DNS";
static const char by_mail[] = "mail", by_walk[] = "here";

/* Cuts the first word off *TEXT. */
static const char *
next_word(char **text)
{
	char *word = strsep(text, " ");

	return word != NULL ? word : "";
}

/* Names of DNS as keys have them; the file may hold anything. */
static bool
is_name(const char *text)
{
	size_t len = 0;

	while (text[len] > ' ' && text[len] <= '~')
		len++;
	return len > 0 && len <= NAME_MAX_BYTES && text[len] == '\0';
}

/* PRINT "mail"|"here" DOMAIN SELECTOR FILE */
static void
read_line(char *line, struct publication *publication)
{
	struct publication_key key;
	const char *source;

	key.print = next_word(&line);
	source = next_word(&line);
	key.domain = next_word(&line);
	key.selector = next_word(&line);
	key.file = line;
	if (strlen(key.print) == KEY_PRINT_SIZE - 1 && is_name(key.print) &&
	    is_name(key.domain) && is_name(key.selector) && key.file != NULL &&
	    key.file[0] == '/')
		publication_restore(publication, &key, STANDING_PUBLISHED,
		    strcmp(source, by_mail) == 0);
}

/* NULL with errno: it is not there, or is no regular file. A FIFO must not
 * keep the daemon from starting, nor a device be read for ever. */
static FILE *
open_regular(const char *file)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *stream = NULL;
	struct stat status;
	int error;

	if (fd >= 0 && fstat(fd, &status) == 0) {
		errno = EINVAL;
		if (S_ISREG(status.st_mode))
			stream = fdopen(fd, "r");
	}
	if (stream == NULL && fd >= 0) {
		error = errno;
		close(fd);
		errno = error;
	}
	return stream;
}

bool
publication_file_read(const char *file, struct publication *publication)
{
	FILE *stream = open_regular(file);
	char line[LINE_BYTES];
	bool begins = true, ends, ok;

	if (stream == NULL)
		return errno == ENOENT;
	while (fgets(line, sizeof line, stream) != NULL) {
		ends = strchr(line, '\n') != NULL;
		line[strcspn(line, "\n")] = '\0';
		if (begins && ends)
			read_line(line, publication);
		begins = ends;
	}
	ok = ferror(stream) == 0;
	fclose(stream);
	return ok;
}

static void
write_key(void *ctx, const struct publication_entry *key)
{
	if (key->standing.state == STANDING_PUBLISHED &&
	    strchr(key->file, '\n') == NULL)
		buf_printf(ctx, "%s %s %s %s %s\n", key->print,
		    key->by_mail ? by_mail : by_walk, key->domain,
		    key->selector, key->file);
}

static bool
write_text(const char *file, const struct buf *text)
{
	/* Without waiting for a reader, should it be a FIFO. */
	int fd = open(file,
	    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
	    0600);
	size_t done = 0;
	ssize_t len = 0;
	bool ok;

	if (fd < 0)
		return false;
	while (done < text->len && len >= 0) {
		len = write(fd, text->data + done, text->len - done);
		done += len > 0 ? (size_t)len : 0;
	}
	ok = len >= 0 && fsync(fd) == 0;
	return close(fd) == 0 && ok;
}

bool
publication_file_write(const char *file, struct publication *publication)
{
	char new_file[PATH_MAX];
	struct buf text;
	bool ok;

	if (snprintf(new_file, sizeof new_file, "%s.new", file) >=
	    (int)sizeof new_file) {
		errno = ENAMETOOLONG;
		return false;
	}
	buf_init(&text, SIZE_MAX);
	buf_printf(&text, "%s\n", head);
	publication_each(publication, write_key, &text);
	errno = ENOMEM;
	ok = !text.failed && write_text(new_file, &text) &&
	    rename(new_file, file) == 0;
	buf_fini(&text);
	return ok;
}
