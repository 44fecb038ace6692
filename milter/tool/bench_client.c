/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_sample.h"
#include "command.h"

enum {
	PROTOCOL_VERSION = 6,
	BODY_CHUNK = 65535,
	FLUSH_BYTES = 1 << 18, /* what is gathered before it is sent */
	HEAD_BYTES = 5,	       /* of a packet: length and command */
	MAX_WAITING_BYTES = 1 << 30,
	/* What a milter may ask to be left out, ... */
	NO_CONNECT = 0x1,
	NO_HELO = 0x2,
	NO_MAIL = 0x4,
	NO_RCPT = 0x8,
	NO_BODY = 0x10,
	NO_HEADERS = 0x20,
	NO_END_HEADERS = 0x40,
	NO_DATA = 0x200,
	/* ... what it need not answer, ... */
	NR_HEADER = 0x80,
	NR_CONNECT = 0x1000,
	NR_HELO = 0x2000,
	NR_MAIL = 0x4000,
	NR_RCPT = 0x8000,
	NR_DATA = 0x10000,
	NR_END_HEADERS = 0x40000,
	NR_BODY = 0x80000,
	/* ... and whether the space behind a colon is part of the value. */
	HEADER_LEADING_SPACE = 0x100000,
	ALL_STEPS = 0x1fffff,
	ALL_ACTIONS = 0x1ff
};

struct bench_client {
	int fd;
	uint32_t steps; /* as negotiated */
	double timeout_ns;
	double deadline_ns; /* of the reply that is waited for */
	const struct bench_client_host *host;
	unsigned long number; /* of the message, for the queue identifier */
	struct buf out;	      /* packets not sent yet */
	struct buf scratch;   /* a packet's data */
	char *error;	      /* the caller's, during a call */
	size_t in_len;
	char in[BENCH_CLIENT_MAX_PACKET + 1];
};

/* What a step came to. */
enum step {
	STEP_GO_ON,
	STEP_SKIP,  /* no more of the body */
	STEP_ENDED, /* the message has its reply */
	STEP_FAILED
};

static int
fail(struct bench_client *client, int code, const char *text)
{
	snprintf(client->error, BENCH_CLIENT_ERROR_SIZE, "%s", text);
	return code;
}

static int
fail_io(struct bench_client *client, int error)
{
	if (error == EAGAIN || error == EWOULDBLOCK)
		return fail(client, EX_TEMPFAIL,
		    "the milter has not answered in time (--timeout)");
	if (error == EPIPE || error == ECONNRESET)
		return fail(
		    client, EX_IOERR, "the milter closed the connection");
	return fail(client, EX_IOERR, strerror(error));
}

static int
flush(struct bench_client *client)
{
	size_t done = 0;

	if (client->out.failed)
		return fail(client, EX_OSERR, "out of memory");
	while (done < client->out.len) {
		ssize_t n = send(client->fd, client->out.data + done,
		    client->out.len - done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_io(client, errno);
		done += (size_t)n;
	}
	buf_clear(&client->out);
	return 0;
}

static int
read_exactly(struct bench_client *client, char *to, size_t len)
{
	while (len > 0) {
		ssize_t n = read(client->fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_io(client, errno);
		if (n == 0)
			return fail_io(client, ECONNRESET);
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

static void
start_waiting(struct bench_client *client)
{
	client->deadline_ns = bench_wall_ns() + client->timeout_ns;
}

/* Reads one packet into CLIENT->in, a NUL added. */
static int
receive(struct bench_client *client)
{
	uint32_t len;
	int code = flush(client);

	if (code == 0)
		code = read_exactly(client, (char *)&len, sizeof(len));
	if (code != 0)
		return code;
	len = ntohl(len);
	if (len == 0 || len > BENCH_CLIENT_MAX_PACKET)
		return fail(client, EX_PROTOCOL,
		    "the milter sent a packet of no sensible length: is it "
		    "one?");
	code = read_exactly(client, client->in, len);
	client->in[len] = '\0';
	client->in_len = len;
	/* A milter may say for ever that it is making progress. */
	if (code == 0 && bench_wall_ns() > client->deadline_ns)
		code = fail_io(client, EAGAIN);
	return code;
}

static void
packet(struct bench_client *client, char command, const void *data, size_t len)
{
	uint32_t length = htonl((uint32_t)len + 1);

	buf_append(&client->out, &length, sizeof(length));
	buf_append_char(&client->out, command);
	buf_append(&client->out, data, len);
}

static void
add_string(struct buf *data, const char *string)
{
	buf_append(data, string, strlen(string) + 1);
}

static void
send_scratch(struct bench_client *client, char command)
{
	if (client->scratch.failed)
		client->out.failed = true;
	packet(client, command, client->scratch.data, client->scratch.len);
	buf_clear(&client->scratch);
}

static int
negotiate(struct bench_client *client)
{
	const uint32_t offer[3] = { htonl(PROTOCOL_VERSION), htonl(ALL_ACTIONS),
		htonl(ALL_STEPS) };
	uint32_t answer[3];
	int code;

	packet(client, 'O', offer, sizeof(offer));
	start_waiting(client);
	code = receive(client);
	if (code != 0)
		return code;
	if (client->in[0] != 'O' || client->in_len < sizeof(answer) + 1)
		return fail(client, EX_PROTOCOL,
		    "what answers does not negotiate: is it a milter?");
	memcpy(answer, client->in + 1, sizeof(answer));
	client->steps = ntohl(answer[2]);
	if (ntohl(answer[0]) > PROTOCOL_VERSION ||
	    (client->steps & ~(uint32_t)ALL_STEPS) != 0)
		return fail(client, EX_PROTOCOL,
		    "the milter wants more than it was offered");
	return 0;
}

static const struct {
	char command;
	enum bench_client_reply reply;
} replies[] = {
	{ 'c', BENCH_REPLY_CONTINUE },
	{ 'a', BENCH_REPLY_ACCEPT },
	{ 'r', BENCH_REPLY_REJECT },
	{ 't', BENCH_REPLY_TEMPFAIL },
	{ 'd', BENCH_REPLY_DISCARD },
	{ 'y', BENCH_REPLY_CODE },
};

/* Whether the packet that came ends a message. */
static bool
find_reply(const struct bench_client *client, enum bench_client_reply *reply_r)
{
	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		if (replies[i].command != client->in[0])
			continue;
		*reply_r = replies[i].reply;
		return true;
	}
	return false;
}

/* Waits for the reply to a step, unless the milter gives none. */
static enum step
await(struct bench_client *client, uint32_t silent,
    struct bench_client_counts *counts, int *code_r)
{
	enum bench_client_reply reply;

	*code_r = 0;
	if ((client->steps & silent) != 0) {
		if (client->out.len >= FLUSH_BYTES)
			*code_r = flush(client);
		return *code_r == 0 ? STEP_GO_ON : STEP_FAILED;
	}
	start_waiting(client);
	do
		*code_r = receive(client);
	while (*code_r == 0 && client->in[0] == 'p');
	if (*code_r != 0)
		return STEP_FAILED;
	if (client->in[0] == 's')
		return STEP_SKIP;
	if (!find_reply(client, &reply)) {
		*code_r = fail(client, EX_PROTOCOL,
		    "the milter answered with what is no reply");
		return STEP_FAILED;
	}
	if (reply == BENCH_REPLY_CONTINUE)
		return STEP_GO_ON;
	if (counts != NULL)
		counts->replies[reply]++;
	return STEP_ENDED;
}

/* Of a connection: any answer but "continue" leaves nothing to measure. */
static int
await_connection(struct bench_client *client, uint32_t silent)
{
	int code;

	switch (await(client, silent, NULL, &code)) {
	case STEP_GO_ON:
	case STEP_SKIP:
	case STEP_FAILED:
		return code;
	case STEP_ENDED:
		break;
	}
	return fail(client, EX_NO,
	    client->in[0] == 'a'
		? "the milter lets this client's mail pass without looking "
		  "at it"
		: "the milter refuses this client");
}

static int
say_connect(struct bench_client *client)
{
	const struct bench_client_host *host = client->host;
	struct buf *data = &client->scratch;
	const uint16_t port = htons(2525);

	if ((client->steps & NO_CONNECT) != 0)
		return 0;
	buf_append_char(data, 'C');
	add_string(data, "j");
	add_string(data, "mx.example.org");
	add_string(data, "{daemon_name}");
	add_string(data, "MTA");
	add_string(data, "v");
	add_string(data, "signpost bench");
	send_scratch(client, 'D');
	add_string(data, host->name);
	buf_append_char(data, strchr(host->address, ':') != NULL ? '6' : '4');
	buf_append(data, &port, sizeof(port));
	add_string(data, host->address);
	send_scratch(client, 'C');
	return await_connection(client, NR_CONNECT);
}

static int
say_helo(struct bench_client *client)
{
	if ((client->steps & NO_HELO) != 0)
		return 0;
	add_string(&client->scratch, client->host->name);
	send_scratch(client, 'H');
	return await_connection(client, NR_HELO);
}

static int
fail_connect(struct bench_client *client, int error)
{
	int code = EX_TEMPFAIL;
	bool ours = error == EMFILE || error == ENFILE || error == ENOMEM;

	if (ours)
		code = EX_OSERR;
	else if (error == EACCES || error == EPERM)
		code = EX_NOPERM;
	snprintf(client->error, BENCH_CLIENT_ERROR_SIZE, "%s%s",
	    strerror(error),
	    code == EX_TEMPFAIL ? ": is the milter running?" : "");
	return code;
}

int
bench_client_open(const struct endpoint *endpoint, unsigned timeout_ms,
    const struct bench_client_host *host, struct bench_client **client_r,
    char error[BENCH_CLIENT_ERROR_SIZE])
{
	struct bench_client *client = calloc(1, sizeof(*client));
	int code;

	*client_r = client;
	if (client == NULL) {
		snprintf(error, BENCH_CLIENT_ERROR_SIZE, "out of memory");
		return EX_OSERR;
	}
	client->error = error;
	client->host = host;
	client->timeout_ns = timeout_ms * 1e6;
	buf_init(&client->out, MAX_WAITING_BYTES);
	buf_init(&client->scratch, MAX_WAITING_BYTES);
	client->fd = endpoint_connect(endpoint, timeout_ms);
	if (client->fd < 0) {
		code = fail_connect(client, errno);
	} else {
		code = negotiate(client);
	}
	if (code == 0)
		code = say_connect(client);
	if (code == 0)
		code = say_helo(client);
	return code;
}

static enum step
send_envelope(struct bench_client *client, struct bench_client_counts *counts,
    int *code_r)
{
	struct buf *data = &client->scratch;
	enum step step = STEP_GO_ON;

	if ((client->steps & NO_MAIL) == 0) {
		buf_append_char(data, 'M');
		add_string(data, "i");
		buf_printf(data, "bench%lu", client->number);
		buf_append_char(data, '\0');
		add_string(data, "{mail_addr}");
		add_string(data, client->host->from);
		send_scratch(client, 'D');
		buf_printf(data, "<%s>", client->host->from);
		buf_append_char(data, '\0');
		send_scratch(client, 'M');
		step = await(client, NR_MAIL, counts, code_r);
	}
	if (step == STEP_GO_ON && (client->steps & NO_RCPT) == 0) {
		buf_append_char(data, 'R');
		add_string(data, "{rcpt_addr}");
		add_string(data, "bob@example.org");
		send_scratch(client, 'D');
		add_string(data, "<bob@example.org>");
		send_scratch(client, 'R');
		step = await(client, NR_RCPT, counts, code_r);
	}
	if (step == STEP_GO_ON && (client->steps & NO_DATA) == 0) {
		packet(client, 'T', "", 0);
		step = await(client, NR_DATA, counts, code_r);
	}
	return step;
}

/* The value as both MTAs hand it over: folded with a lone LF, and without the
 * space behind the colon unless it was asked for. */
static void
add_value(struct bench_client *client, const char *value)
{
	if ((client->steps & HEADER_LEADING_SPACE) == 0 && value[0] == ' ')
		value++;
	for (;;) {
		const char *cr = strstr(value, "\r\n");

		if (cr == NULL)
			break;
		buf_append(&client->scratch, value, (size_t)(cr - value));
		value = cr + 1;
	}
	add_string(&client->scratch, value);
}

static enum step
send_header(struct bench_client *client, const struct bench_message *message,
    struct bench_client_counts *counts, int *code_r)
{
	enum step step = STEP_GO_ON;

	if ((client->steps & NO_HEADERS) == 0) {
		for (size_t i = 0;
		     i < message->field_count && step == STEP_GO_ON; i++) {
			add_string(&client->scratch, message->fields[i].name);
			add_value(client, message->fields[i].value);
			send_scratch(client, 'L');
			step = await(client, NR_HEADER, counts, code_r);
		}
	}
	if (step == STEP_GO_ON && (client->steps & NO_END_HEADERS) == 0) {
		packet(client, 'N', "", 0);
		step = await(client, NR_END_HEADERS, counts, code_r);
	}
	return step;
}

static enum step
send_body(struct bench_client *client, const struct bench_message *message,
    struct bench_client_counts *counts, int *code_r)
{
	const struct buf *body = &message->body;
	enum step step = STEP_GO_ON;
	size_t len;

	if ((client->steps & NO_BODY) != 0)
		return STEP_GO_ON;
	for (size_t at = 0; at < body->len && step == STEP_GO_ON; at += len) {
		len = body->len - at < BODY_CHUNK ? body->len - at : BODY_CHUNK;
		packet(client, 'B', body->data + at, len);
		step = await(client, NR_BODY, counts, code_r);
	}
	return step == STEP_SKIP ? STEP_GO_ON : step;
}

static const struct {
	char command;
	enum bench_client_change change;
} changes[] = {
	{ 'i', BENCH_CHANGE_INSERT },
	{ 'h', BENCH_CHANGE_ADD },
	{ 'm', BENCH_CHANGE_FIELD },
	{ 'b', BENCH_CHANGE_BODY },
	{ '+', BENCH_CHANGE_RECIPIENT },
	{ '2', BENCH_CHANGE_RECIPIENT },
	{ '-', BENCH_CHANGE_RECIPIENT },
	{ 'e', BENCH_CHANGE_SENDER },
	{ 'q', BENCH_CHANGE_QUARANTINE },
};

/* A field that is changed to nothing is deleted: number, name, value. */
static bool
deletes_field(const struct bench_client *client)
{
	size_t name_at = 1 + sizeof(uint32_t), value_at;

	if (client->in[0] != 'm' || client->in_len < name_at + 2)
		return false;
	value_at = name_at + strlen(client->in + name_at) + 1;
	return value_at >= client->in_len || client->in[value_at] == '\0';
}

/* Counts what the packet asks for; false where it is no change. */
static bool
count_change(const struct bench_client *client, const char *expect,
    struct bench_client_counts *counts, bool *found)
{
	size_t i = 0, count = sizeof(changes) / sizeof(changes[0]);
	enum bench_client_change change;

	while (i < count && changes[i].command != client->in[0])
		i++;
	if (i == count)
		return false;
	change =
	    deletes_field(client) ? BENCH_CHANGE_DELETE : changes[i].change;
	counts->changes[change]++;
	if (expect != NULL &&
	    (change == BENCH_CHANGE_INSERT || change == BENCH_CHANGE_ADD) &&
	    memmem(client->in, client->in_len, expect, strlen(expect)) != NULL)
		*found = true;
	return true;
}

static int
end_message(struct bench_client *client, const char *expect,
    struct bench_client_counts *counts)
{
	enum bench_client_reply reply;
	bool found = false;
	int code;

	packet(client, 'E', "", 0);
	start_waiting(client);
	for (;;) {
		code = receive(client);
		if (code != 0)
			return code;
		if (find_reply(client, &reply))
			break;
		if (client->in[0] == 'p' ||
		    count_change(client, expect, counts, &found))
			continue;
		return fail(client, EX_PROTOCOL,
		    "the milter ended a message with what is no reply");
	}
	counts->replies[reply]++;
	if (found)
		counts->expected++;
	return 0;
}

int
bench_client_message(struct bench_client *client,
    const struct bench_message *message, const char *expect,
    struct bench_client_counts *counts, char error[BENCH_CLIENT_ERROR_SIZE])
{
	int code = 0;
	enum step step;

	client->error = error;
	client->number++;
	step = send_envelope(client, counts, &code);
	if (step == STEP_GO_ON)
		step = send_header(client, message, counts, &code);
	if (step == STEP_GO_ON)
		step = send_body(client, message, counts, &code);
	if (step == STEP_FAILED)
		return code;
	if (step == STEP_GO_ON)
		return end_message(client, expect, counts);
	/* It has its reply, or is of no more interest, before its end. */
	packet(client, 'A', "", 0);
	return flush(client);
}

pid_t
bench_client_peer(const struct bench_client *client)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		return 0;
	return peer.pid;
}

void
bench_client_close(struct bench_client *client)
{
	char ignored[BENCH_CLIENT_ERROR_SIZE];

	if (client == NULL)
		return;
	client->error = ignored;
	if (client->fd >= 0) {
		packet(client, 'Q', "", 0);
		flush(client);
		close(client->fd);
	}
	buf_fini(&client->out);
	buf_fini(&client->scratch);
	free(client);
}
