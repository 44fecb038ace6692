/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mailfile - a message read from a file or from standard input, piece by piece
 *
 * First the header fields come, one a call, then the body in pieces of at most
 * some 64 kB; nothing is held whole. A lone LF ends a line as CRLF would, and
 * the body's pieces have CRLF throughout. The header ends with an empty line
 * or, as for the MTAs, before the first line that is no field. A "From " line
 * that a mailbox file begins with is no part of the message.
 *
 * The same octets can be had once more with mailfile_copy: from the file or,
 * where that can't be rewound and was opened with KEEP, from a temporary file
 * without a name.
 *
 * Functions complain of what goes wrong and then return the exit code; 0 is
 * success.
 */
#ifndef MAILFILE_H
#define MAILFILE_H

#include <stdio.h>
#include <sys/types.h>

#include "buf.h"
#include "signpost.h"

enum {
	MAILFILE_PIECE_BYTES = 65536,
	/* Octets of a header that are taken. */
	MAILFILE_MAX_HEADER_BYTES = 16 * 1024 * 1024
};

struct mailfile {
	const char *name; /* for complaints */
	int fd;
	off_t start; /* where the message is in fd, or in spool */
	bool seekable;
	int spool; /* -1: none */
	bool eof;
	bool field_is_body;   /* FIELD holds the first line of the body */
	bool behind_cr;	      /* the last octet of the body so far is a CR */
	const char *line_end; /* that of the first line; CRLF for none */
	size_t mbox_line;     /* octets of the "From " line */
	size_t header_bytes;
	size_t at, len; /* what of INPUT is still to be read */
	struct buf field;
	struct buf body;
	char input[MAILFILE_PIECE_BYTES];
};

struct mail_field {
	struct bytes name;  /* before the colon */
	struct bytes value; /* behind it, without the line end at its end */
};

/* Opens the file PATH; NULL or "-" is standard input. */
int mailfile_open(const char *path, bool keep, struct mailfile **mail_r);
void mailfile_close(struct mailfile *mail);
/* The next field; *MORE_R is false where there is none. The views live until
 * the next call. */
int mailfile_field(
    struct mailfile *mail, struct mail_field *field_r, bool *more_r);
/* All fields, into HEADERS. A message without any is EX_DATAERR. */
int mailfile_header(struct mailfile *mail, struct signpost_headers *headers);
/* The next piece of the body, after the last field. */
int mailfile_body(struct mailfile *mail, struct bytes *piece_r, bool *more_r);
/* Writes the "From " line, if there was one, to OUT, byte for byte. */
int mailfile_copy_mbox_line(struct mailfile *mail, FILE *out);
/* Writes the rest of the message likewise, once all of it has been read. */
int mailfile_copy(struct mailfile *mail, FILE *out);

#endif
