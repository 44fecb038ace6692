/* SPDX-License-Identifier: BSD-2-Clause */
#include "mailfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"

/* A file that vanishes with its descriptor. */
static int
open_spool(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (folder == NULL || folder[0] == '\0')
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/signpost.XXXXXX", folder) >=
	    (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Sees to it that the octets to come can be read again. */
static int
keep_octets(struct mailfile *mail)
{
	mail->start = lseek(mail->fd, 0, SEEK_CUR);
	mail->seekable = mail->start >= 0;
	if (mail->seekable)
		return 0;
	mail->start = 0;
	mail->spool = open_spool();
	return mail->spool >= 0 ? 0 : complain_file("temporary file", errno);
}

int
mailfile_open(const char *path, bool keep, struct mailfile **mail_r)
{
	bool standard_input = path == NULL || strcmp(path, "-") == 0;
	struct mailfile *mail = calloc(1, sizeof(*mail));
	int code = 0;

	*mail_r = mail;
	if (mail == NULL)
		return complain_status("message", SIGNPOST_NOMEM);
	mail->name = standard_input ? "standard input" : path;
	mail->line_end = "\r\n";
	mail->spool = -1;
	buf_init(&mail->field, MAILFILE_MAX_HEADER_BYTES);
	buf_init(&mail->body, SIZE_MAX);
	mail->fd =
	    standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (mail->fd < 0)
		code = complain_file(path, errno);
	else if (keep)
		code = keep_octets(mail);
	if (code == 0)
		return 0;
	mailfile_close(mail);
	*mail_r = NULL;
	return code;
}

void
mailfile_close(struct mailfile *mail)
{
	if (mail == NULL)
		return;
	if (mail->fd > STDIN_FILENO)
		close(mail->fd);
	if (mail->spool >= 0)
		close(mail->spool);
	buf_fini(&mail->field);
	buf_fini(&mail->body);
	free(mail);
}

static ssize_t
read_some(int fd, char *data, size_t size)
{
	ssize_t len;

	do
		len = read(fd, data, size);
	while (len < 0 && errno == EINTR);
	return len;
}

static int
write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t written = write(fd, data, len);

		if (written < 0 && errno != EINTR)
			return complain_file("temporary file", errno);
		if (written > 0) {
			data += written;
			len -= (size_t)written;
		}
	}
	return 0;
}

/* Sees to it that INPUT holds an octet unless there are no more. */
static int
fill(struct mailfile *mail)
{
	ssize_t len;

	if (mail->at < mail->len || mail->eof)
		return 0;
	len = read_some(mail->fd, mail->input, sizeof(mail->input));
	if (len < 0)
		return complain_file(mail->name, errno);
	mail->at = 0;
	mail->len = (size_t)len;
	mail->eof = len == 0;
	return mail->spool < 0 ? 0
			       : write_all(mail->spool, mail->input, mail->len);
}

/* Appends the rest of the line, with its end, to FIELD. */
static int
append_line(struct mailfile *mail)
{
	bool ended = false;

	while (!ended) {
		const char *start, *end;
		size_t len;
		int code = fill(mail);

		if (code != 0 || mail->at == mail->len)
			return code;
		start = mail->input + mail->at;
		len = mail->len - mail->at;
		end = memchr(start, '\n', len);
		ended = end != NULL;
		if (ended)
			len = (size_t)(end - start) + 1;
		mail->at += len;
		mail->header_bytes += len;
		buf_append(&mail->field, start, len);
		if (mail->field.failed ||
		    mail->header_bytes > MAILFILE_MAX_HEADER_BYTES)
			return complain(EX_DATAERR, mail->name,
			    "the header is larger than %d octets",
			    MAILFILE_MAX_HEADER_BYTES);
	}
	return 0;
}

/* The line end that LINE has, as octets. */
static size_t
line_end_len(struct bytes line)
{
	if (line.len == 0 || line.data[line.len - 1] != '\n')
		return 0;
	return line.len > 1 && line.data[line.len - 2] == '\r' ? 2 : 1;
}

/* How many octets of LINE are a field's name (RFC 5322 section 3.6.8), with
 * the white space that obsolete syntax lets stand behind it; 0 for none. */
static size_t
name_len(struct bytes line)
{
	size_t name = 0, len;

	while (name < line.len && line.data[name] > ' ' &&
	    line.data[name] < 0x7f && line.data[name] != ':')
		name++;
	len = name;
	while (len < line.len && is_wsp(line.data[len]))
		len++;
	return name > 0 && len < line.len && line.data[len] == ':' ? len : 0;
}

/* Reads the first line of a field, or of what follows the header, to FIELD. */
static int
read_first_line(struct mailfile *mail)
{
	bool first = mail->header_bytes == 0;
	struct bytes line;
	int code;

	buf_clear(&mail->field);
	code = append_line(mail);
	if (code != 0 || !first)
		return code;
	line = buf_bytes(&mail->field);
	if (line_end_len(line) == 1)
		mail->line_end = "\n";
	if (line.len < 5 || memcmp(line.data, "From ", 5) != 0)
		return 0;
	mail->mbox_line = line.len;
	buf_clear(&mail->field);
	return append_line(mail);
}

/* Appends the lines that continue a field. */
static int
append_folded(struct mailfile *mail)
{
	for (;;) {
		int code = fill(mail);

		if (code != 0)
			return code;
		if (mail->at == mail->len || !is_wsp(mail->input[mail->at]))
			return 0;
		code = append_line(mail);
		if (code != 0)
			return code;
	}
}

int
mailfile_field(struct mailfile *mail, struct mail_field *field_r, bool *more_r)
{
	struct bytes field;
	size_t name;
	int code = read_first_line(mail);

	*more_r = false;
	if (code != 0)
		return code;
	field = buf_bytes(&mail->field);
	name = field.len > 0 ? name_len(field) : 0;
	if (name == 0) {
		/* An empty line is the header's; any other is the body's. */
		mail->field_is_body = field.len > line_end_len(field);
		return 0;
	}
	code = append_folded(mail);
	if (code != 0)
		return code;
	field = buf_bytes(&mail->field);
	field.len -= line_end_len(field);
	field_r->name = bytes_of(field.data, name);
	field_r->value = bytes_of(field.data + name + 1, field.len - name - 1);
	*more_r = true;
	return 0;
}

int
mailfile_header(struct mailfile *mail, struct signpost_headers *headers)
{
	struct mail_field field;
	size_t count = 0;
	bool more;
	int code;

	while ((code = mailfile_field(mail, &field, &more)) == 0 && more) {
		enum signpost_status status =
		    signpost_headers_add(headers, field.name.data,
			field.name.len, field.value.data, field.value.len);

		if (status != SIGNPOST_OK)
			return complain_status(mail->name, status);
		count++;
	}
	if (code == 0 && count == 0)
		return complain(EX_DATAERR, mail->name,
		    "this is no message: it has no header");
	return code;
}

/* PIECE with CRLF for every lone LF; a view of it where it has none. */
static int
fix_line_ends(struct mailfile *mail, struct bytes piece, struct bytes *fixed_r)
{
	struct buf *body = &mail->body;
	size_t start = 0;

	buf_clear(body);
	for (size_t i = 0; i < piece.len; i++) {
		const char *lf = memchr(piece.data + i, '\n', piece.len - i);

		if (lf == NULL)
			break;
		i = (size_t)(lf - piece.data);
		if (i > 0 ? lf[-1] == '\r' : mail->behind_cr)
			continue;
		buf_append(body, piece.data + start, i - start);
		buf_append_str(body, "\r\n");
		start = i + 1;
	}
	mail->behind_cr = piece.data[piece.len - 1] == '\r';
	*fixed_r = piece;
	if (start == 0)
		return 0;
	buf_append(body, piece.data + start, piece.len - start);
	*fixed_r = buf_bytes(body);
	return body->failed ? complain_status(mail->name, SIGNPOST_NOMEM) : 0;
}

int
mailfile_body(struct mailfile *mail, struct bytes *piece_r, bool *more_r)
{
	struct bytes piece;
	int code;

	*more_r = false;
	if (mail->field_is_body) {
		/* In one piece, which the cap on the header keeps bounded. */
		mail->field_is_body = false;
		piece = buf_bytes(&mail->field);
	} else {
		code = fill(mail);
		if (code != 0)
			return code;
		if (mail->at == mail->len)
			return 0;
		piece = bytes_of(mail->input + mail->at, mail->len - mail->at);
		mail->at = mail->len;
	}
	*more_r = true;
	return fix_line_ends(mail, piece, piece_r);
}

/* Writes LEN octets of FD to OUT, or all up to its end. */
static int
copy(struct mailfile *mail, int fd, size_t most, FILE *out)
{
	while (most > 0) {
		size_t size = sizeof(mail->input);
		ssize_t len;

		len = read_some(fd, mail->input, size < most ? size : most);
		if (len < 0)
			return complain_file(mail->name, errno);
		if (len == 0)
			return 0;
		if (fwrite(mail->input, 1, (size_t)len, out) != (size_t)len)
			return complain_file("standard output", errno);
		most -= (size_t)len;
	}
	return 0;
}

/* Copies MOST octets that begin SKIP octets into the message. */
static int
copy_from(struct mailfile *mail, size_t skip, size_t most, FILE *out)
{
	int fd = mail->seekable ? mail->fd : mail->spool;

	if (lseek(fd, mail->start + (off_t)skip, SEEK_SET) < 0)
		return complain_file(mail->name, errno);
	return copy(mail, fd, most, out);
}

int
mailfile_copy_mbox_line(struct mailfile *mail, FILE *out)
{
	return copy_from(mail, 0, mail->mbox_line, out);
}

int
mailfile_copy(struct mailfile *mail, FILE *out)
{
	return copy_from(mail, mail->mbox_line, SIZE_MAX, out);
}
