/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_message - a message to measure with: made up, or read from a file
 *
 * The one that is made up has ten header fields and a body of lines of text.
 */
#ifndef BENCH_MESSAGE_H
#define BENCH_MESSAGE_H

#include <stddef.h>

#include "buf.h"
#include "signpost.h"

enum {
	BENCH_MAX_FIELDS = 1000,
	BENCH_MAX_BODY = 256 * 1024 * 1024 /* octets that are held */
};

struct bench_field {
	char *name;  /* before the colon */
	char *value; /* behind it; folded with CRLF */
};

struct bench_message {
	struct bench_field fields[BENCH_MAX_FIELDS];
	size_t field_count;
	struct buf body;
};

/* FROM is the address in From. NULL: out of memory. */
struct bench_message *bench_message_new(const char *from, size_t body_bytes);
/* The message in a file; complains, and returns the exit code, 0 for
 * success. */
int bench_message_read(const char *path, struct bench_message **message_r);
void bench_message_free(struct bench_message *message);
/* Fills DATA with lines of text, CRLF at their ends and at the very end. */
void bench_message_text(char *data, size_t len);
/* Adds all fields. */
enum signpost_status bench_message_header(
    const struct bench_message *message, struct signpost_headers *headers);

#endif
