/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_DEPTH = 16, /* of groups, whose names stand before a setting's */
	MAX_NAME = 64,
	MAX_INCLUDE_PATH = 4096
};

/* What all files of one configuration share. */
struct scan {
	struct config_problems *problems;
	size_t bytes, files;
	unsigned depth; /* groups open */
	char names[MAX_DEPTH][MAX_NAME];
	bool unreadable; /* libconfig need not try */
	bool full;	 /* a cap was met: no further file is looked at */
};

/* One file. */
struct source {
	struct scan *scan;
	const char *file;
	const char *text;
	size_t len, at;
	unsigned line;
	unsigned includes; /* how deep this one is */
};

static bool scan_file(struct scan *scan, const char *file, unsigned includes,
    const struct source *from);

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '*';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
peek(const struct source *source, size_t ahead)
{
	return source->len - source->at > ahead
	    ? source->text[source->at + ahead]
	    : '\0';
}

/* "group.setting" of where the source is. */
static const char *
setting_here(const struct scan *scan, char *out, size_t size)
{
	size_t used = 0, i;

	out[0] = '\0';
	for (i = 0; i <= scan->depth && i < MAX_DEPTH && used < size; i++)
		if (scan->names[i][0] != '\0')
			used += (size_t)snprintf(out + used, size - used,
			    "%s%s", used > 0 ? "." : "", scan->names[i]);
	return out;
}

static void
problem_here(const struct source *source, unsigned line, const char *text)
{
	char setting[MAX_DEPTH * MAX_NAME];

	config_problem(source->scan->problems, source->file, line,
	    setting_here(source->scan, setting, sizeof setting), "%s", text);
}

static void
skip_line(struct source *source)
{
	while (source->at < source->len && peek(source, 0) != '\n')
		source->at++;
}

static void
skip_comment(struct source *source)
{
	unsigned line = source->line;

	for (source->at += 2; source->at < source->len; source->at++) {
		if (peek(source, 0) == '*' && peek(source, 1) == '/') {
			source->at += 2;
			return;
		}
		source->line += peek(source, 0) == '\n';
	}
	config_problem(source->scan->problems, source->file, line, "",
	    "this comment is never closed: write */ where it ends");
	source->scan->unreadable = true;
}

static void
skip_string(struct source *source)
{
	unsigned line = source->line;

	for (source->at++; source->at < source->len; source->at++) {
		char c = peek(source, 0);

		if (c == '"') {
			source->at++;
			return;
		}
		source->line += c == '\n';
		if (c != '\\')
			continue;
		if ((peek(source, 1) == 'x' || peek(source, 1) == 'X') &&
		    peek(source, 2) == '0' && peek(source, 3) == '0')
			problem_here(
			    source, source->line, "\\x00 would end the string");
		source->at++;
		source->line += peek(source, 0) == '\n';
	}
	config_problem(source->scan->problems, source->file, line, "",
	    "this string is never closed: write \" where it ends");
	source->scan->unreadable = true;
}

static void
take_name(struct source *source)
{
	struct scan *scan = source->scan;
	size_t start = source->at, len;

	while (is_name(peek(source, 0)) || is_digit(peek(source, 0)) ||
	    peek(source, 0) == '_' || peek(source, 0) == '-')
		source->at++;
	len = source->at - start;
	if (scan->depth >= MAX_DEPTH || len >= MAX_NAME)
		return;
	memcpy(scan->names[scan->depth], source->text + start, len);
	scan->names[scan->depth][len] = '\0';
}

/* Whether libconfig would read the integer TEXT as what it says: 32 bits, or
 * 64 with an L behind it. */
static bool
fits(const char *text)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, hex ? 16 : 10);
	if (end == text || (*end != '\0' && *end != 'L'))
		return true; /* a float, or a syntax error */
	return errno == 0 &&
	    (*end == 'L' || (value >= INT_MIN && value <= INT_MAX));
}

static void
take_number(struct source *source)
{
	char token[64], text[160];
	size_t start = source->at, len;

	source->at++;
	while (is_name(peek(source, 0)) || is_digit(peek(source, 0)) ||
	    peek(source, 0) == '.')
		source->at++;
	len = source->at - start;
	if (len < sizeof token) {
		memcpy(token, source->text + start, len);
		token[len] = '\0';
		if (fits(token))
			return;
	} else {
		snprintf(token, sizeof token, "%.20s...", source->text + start);
	}
	snprintf(
	    text, sizeof text, "%s is out of range for any setting", token);
	problem_here(source, source->line, text);
}

/* At an "@" that begins a line: follows @include "FILE". */
static void
take_include(struct source *source)
{
	static const char word[] = "@include";
	char path[MAX_INCLUDE_PATH];
	size_t len = 0;

	source->at++;
	if (source->len - source->at < sizeof word - 2 ||
	    memcmp(source->text + source->at, word + 1, sizeof word - 2) != 0)
		return;
	source->at += sizeof word - 2;
	while (is_wsp(peek(source, 0)))
		source->at++;
	if (peek(source, 0) != '"')
		return;
	for (source->at++; source->at < source->len; source->at++) {
		if (peek(source, 0) == '"')
			break;
		if (peek(source, 0) == '\\')
			source->at++;
		if (len < sizeof path - 1)
			path[len++] = peek(source, 0);
	}
	source->at++;
	path[len] = '\0';
	if (!scan_file(source->scan, path, source->includes + 1, source))
		source->scan->unreadable = true;
}

/* Whether only white space stands before the source's place in its line. */
static bool
begins_line(const struct source *source)
{
	size_t i = source->at;

	while (i > 0 && is_wsp(source->text[i - 1]))
		i--;
	return i == 0 || source->text[i - 1] == '\n';
}

static void
open_group(struct scan *scan)
{
	scan->depth++;
	if (scan->depth < MAX_DEPTH)
		scan->names[scan->depth][0] = '\0';
}

static void
scan_text(struct source *source)
{
	struct scan *scan = source->scan;

	while (source->at < source->len) {
		char c = peek(source, 0);

		if (c == '#' || (c == '/' && peek(source, 1) == '/'))
			skip_line(source);
		else if (c == '/' && peek(source, 1) == '*')
			skip_comment(source);
		else if (c == '"')
			skip_string(source);
		else if (c == '@' && begins_line(source))
			take_include(source);
		else if (is_name(c))
			take_name(source);
		else if (is_digit(c) || c == '-' || c == '+' || c == '.')
			take_number(source);
		else {
			source->line += c == '\n';
			source->at++;
			if (c == '{')
				open_group(scan);
			if (c == '}' && scan->depth > 0)
				scan->depth--;
		}
	}
}

/* Why FD can't be part of a configuration, or NULL with its size. */
static const char *
refuse(const struct scan *scan, int fd, unsigned includes, struct stat *st_r)
{
	if (includes > CONFIG_SCAN_MAX_INCLUDES)
		return "included too deep: does a file include itself?";
	if (scan->full)
		return "too many files are included";
	if (fd < 0 || fstat(fd, st_r) != 0)
		return strerror(errno);
	if (!S_ISREG(st_r->st_mode))
		return "not a file";
	if ((uint64_t)st_r->st_size > CONFIG_SCAN_MAX_BYTES - scan->bytes)
		return "the configuration is larger than 64 megabytes";
	return NULL;
}

/* Reads SIZE octets, or as many as there are. NULL: the problem is errno. */
static char *
read_text(int fd, size_t size, size_t *len_r)
{
	char *text = malloc(size + 1);
	size_t len = 0;
	ssize_t n = 1;

	while (text != NULL && len < size && n > 0) {
		n = read(fd, text + len, size - len);
		if (n > 0)
			len += (size_t)n;
	}
	if (text != NULL && n < 0) {
		free(text);
		return NULL;
	}
	*len_r = len;
	return text;
}

/* Reports that FILE, which FROM (or NULL) includes, can't be read. A daemon
 * that root has started may have read it with root's rights once. */
static void
say_unreadable(struct scan *scan, const char *file, const struct source *from,
    const char *why, bool denied)
{
	const char *way_out = denied
	    ? ": the daemon's group needs to: chgrp signpost FILE, chmod 0640 "
	      "FILE, and chmod g+x its folder"
	    : "";

	if (from == NULL)
		config_problem(scan->problems, file, 0, "",
		    "cannot be read: %s%s", why, way_out);
	else
		config_problem(scan->problems, from->file, from->line, "",
		    "cannot include %s: %s%s", file, why, way_out);
}

static bool
scan_file(struct scan *scan, const char *file, unsigned includes,
    const struct source *from)
{
	struct source source = {
		.scan = scan, .file = file, .line = 1, .includes = includes
	};
	struct stat st;
	char *text = NULL;
	int fd;
	bool denied;
	const char *why;

	if (scan->full)
		return false; /* has been said */
	scan->full = includes > CONFIG_SCAN_MAX_INCLUDES ||
	    scan->files >= CONFIG_SCAN_MAX_FILES;
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	denied = fd < 0 && errno == EACCES;
	why = refuse(scan, fd, includes, &st);
	if (why == NULL) {
		text = read_text(fd, (size_t)st.st_size, &source.len);
		if (text == NULL)
			why = strerror(errno);
	}
	if (fd >= 0)
		close(fd);
	if (why != NULL) {
		say_unreadable(scan, file, from, why, denied);
		return false;
	}
	if ((st.st_mode & S_IWOTH) != 0)
		config_warning(scan->problems, file, 0, "",
		    "anybody can write to it: chmod o-w %s", file);
	if (memchr(text, '\0', source.len) != NULL)
		config_problem(
		    scan->problems, file, 0, "", "not a text: it holds a NUL");
	/* All defaults would sign nothing: a full disk or an editor has left
	 * nothing of the file, and the daemon is to go on with what it has. */
	if (source.len == 0 && from == NULL)
		config_problem(scan->problems, file, 0, "",
		    "is empty: where all defaults are wanted, a comment says "
		    "so");
	scan->files++;
	scan->bytes += source.len;
	source.text = text;
	scan_text(&source);
	free(text);
	return true;
}

bool
config_scan(const char *file, struct config_problems *problems)
{
	struct scan scan = { .problems = problems };

	return scan_file(&scan, file, 0, NULL) && !scan.unreadable;
}
