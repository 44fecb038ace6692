/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "mailfile.h"

static const struct {
	const char *name, *value;
} made_up[] = {
	{ "Received",
	    " from client.test by mx.example.com with ESMTP id 1;\r\n"
	    "\tMon, 30 Nov 2026 12:00:00 +0000" },
	{ "From", NULL }, /* the caller's */
	{ "To", " Bob <bob@example.org>" },
	{ "Cc", " Carol <carol@example.org>" },
	{ "Subject", " A message to measure with" },
	{ "Date", " Mon, 30 Nov 2026 12:00:00 +0000" },
	{ "Message-ID", " <20261130120000.1@example.com>" },
	{ "MIME-Version", " 1.0" },
	{ "Content-Type", " text/plain; charset=us-ascii" },
	{ "Content-Transfer-Encoding", " 7bit" },
};

void
bench_message_text(char *data, size_t len)
{
	static const char line[] =
	    "The quick brown fox jumps over the lazy dog, and is measured.\r\n";

	for (size_t at = 0; at < len; at += sizeof(line) - 1) {
		size_t part = len - at;

		if (part > sizeof(line) - 1)
			part = sizeof(line) - 1;
		memcpy(data + at, line, part);
	}
	if (len >= 2)
		memcpy(data + len - 2, "\r\n", 2);
}

static bool
add_field(struct bench_message *message, char *name, char *value)
{
	if (name == NULL || value == NULL ||
	    message->field_count == BENCH_MAX_FIELDS) {
		free(name);
		free(value);
		return false;
	}
	message->fields[message->field_count++] =
	    (struct bench_field){ name, value };
	return true;
}

struct bench_message *
bench_message_new(const char *from, size_t body_bytes)
{
	struct bench_message *message = calloc(1, sizeof(*message));
	bool ok = message != NULL;

	if (!ok)
		return NULL;
	buf_init(&message->body, BENCH_MAX_BODY);
	for (size_t i = 0; i < sizeof(made_up) / sizeof(made_up[0]) && ok;
	     i++) {
		char *value;

		if (asprintf(&value, "%s%s%s",
			made_up[i].value != NULL ? made_up[i].value
						 : " Alice <",
			made_up[i].value != NULL ? "" : from,
			made_up[i].value != NULL ? "" : ">") < 0)
			value = NULL;
		ok = add_field(message, strdup(made_up[i].name), value);
	}
	buf_reserve(&message->body, body_bytes + 1);
	if (ok && !message->body.failed) {
		bench_message_text(message->body.data, body_bytes);
		message->body.len = body_bytes;
		return message;
	}
	bench_message_free(message);
	return NULL;
}

static int
read_header(struct mailfile *mail, struct bench_message *message)
{
	struct mail_field field;
	bool more;
	int code;

	for (;;) {
		code = mailfile_field(mail, &field, &more);
		if (code != 0 || !more)
			break;
		if (message->field_count == BENCH_MAX_FIELDS)
			return complain(EX_DATAERR, mail->name,
			    "has more than %d header fields", BENCH_MAX_FIELDS);
		if (!add_field(message,
			strndup(field.name.data, field.name.len),
			strndup(field.value.data, field.value.len)))
			return complain_status(mail->name, SIGNPOST_NOMEM);
	}
	if (code == 0 && message->field_count == 0)
		return complain(EX_DATAERR, mail->name, "has no header");
	return code;
}

static int
read_body(struct mailfile *mail, struct bench_message *message)
{
	struct bytes piece;
	bool more;
	int code;

	for (;;) {
		code = mailfile_body(mail, &piece, &more);
		if (code != 0 || !more)
			break;
		buf_append_bytes(&message->body, piece);
	}
	if (code == 0 && message->body.failed)
		return complain(EX_DATAERR, mail->name,
		    "is too large to be held in memory");
	return code;
}

int
bench_message_read(const char *path, struct bench_message **message_r)
{
	struct bench_message *message = calloc(1, sizeof(*message));
	struct mailfile *mail;
	int code;

	*message_r = NULL;
	if (message == NULL)
		return complain_status(path, SIGNPOST_NOMEM);
	buf_init(&message->body, BENCH_MAX_BODY);
	code = mailfile_open(path, false, &mail);
	if (code == 0)
		code = read_header(mail, message);
	if (code == 0)
		code = read_body(mail, message);
	mailfile_close(mail);
	if (code == 0)
		*message_r = message;
	else
		bench_message_free(message);
	return code;
}

void
bench_message_free(struct bench_message *message)
{
	if (message == NULL)
		return;
	for (size_t i = 0; i < message->field_count; i++) {
		free(message->fields[i].name);
		free(message->fields[i].value);
	}
	buf_fini(&message->body);
	free(message);
}

enum signpost_status
bench_message_header(
    const struct bench_message *message, struct signpost_headers *headers)
{
	enum signpost_status status = SIGNPOST_OK;

	for (size_t i = 0; i < message->field_count && status == SIGNPOST_OK;
	     i++) {
		const struct bench_field *field = &message->fields[i];

		status = signpost_headers_add(headers, field->name,
		    strlen(field->name), field->value, strlen(field->value));
	}
	return status;
}
