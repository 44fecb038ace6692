/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * milter_load - sends one message over and over to a milter
 *
 *	milter_load SOCKET CONNECTIONS MESSAGES CLIENT WANT FILE
 *
 * Plays the mail server of the milter protocol (version 6) on a unix socket:
 * CONNECTIONS at once, one thread each, MESSAGES in all. CLIENT is the IPv4
 * address that the milter is told of. Every message must be accepted with a
 * field added that holds WANT, so that what is measured has been done.
 * Prints: messages a second, and the median and the 99th percentile of the
 * milliseconds from MAIL to the end of the message.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_FIELDS = 100,
	MAX_PACKET = 1 << 20,
	BODY_CHUNK = 65535,
	/* What a milter may ask to be left out, and not to be asked for. */
	NO_CONNECT = 0x1,
	NO_HELO = 0x2,
	NO_MAIL = 0x4,
	NO_RCPT = 0x8,
	NO_BODY = 0x10,
	NO_HEADERS = 0x20,
	NO_EOH = 0x40,
	NR_HEADER = 0x80,
	NO_DATA = 0x200,
	NR_CONNECT = 0x1000,
	NR_HELO = 0x2000,
	NR_MAIL = 0x4000,
	NR_RCPT = 0x8000,
	NR_DATA = 0x10000,
	NR_EOH = 0x40000,
	NR_BODY = 0x80000,
	HEADER_LEADING_SPACE = 0x100000,
	ALL_ACTIONS = 0x1ff,
	ALL_STEPS = 0x1fffff,
};

struct field {
	const char *name, *value;
};

/* What is sent; shared by all threads, never changed once read. */
struct message {
	struct field fields[MAX_FIELDS];
	size_t field_count;
	const char *body;
	size_t body_size;
};

struct load {
	const char *socket, *client, *want;
	struct message message;
	size_t total;
	atomic_size_t next;
	double *millis; /* of each message, by its number */
};

struct session {
	const struct load *load;
	int fd;
	uint32_t steps;	      /* what the milter negotiated */
	char out[MAX_PACKET]; /* packets not sent yet */
	size_t out_size;
	char in[MAX_PACKET];
	size_t in_size;
};

static double
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void
flush(struct session *s)
{
	size_t done = 0;

	while (done < s->out_size) {
		ssize_t n = write(s->fd, s->out + done, s->out_size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err(1, "write to the milter");
		done += (size_t)n;
	}
	s->out_size = 0;
}

static void
read_exactly(int fd, char *to, size_t size)
{
	while (size > 0) {
		ssize_t n = read(fd, to, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err(1, "read from the milter");
		if (n == 0)
			errx(1, "the milter closed the connection");
		to += n;
		size -= (size_t)n;
	}
}

/* Reads one packet into s->in, NUL added; returns its command. */
static char
receive(struct session *s)
{
	uint32_t size;

	flush(s);
	read_exactly(s->fd, (char *)&size, sizeof(size));
	size = ntohl(size);
	if (size == 0 || size >= MAX_PACKET)
		errx(1, "packet of %u bytes from the milter", size);
	read_exactly(s->fd, s->in, size);
	s->in[size] = '\0';
	s->in_size = size;
	return s->in[0];
}

/* Queues a packet of the command and SIZE bytes. */
static void
packet(struct session *s, char command, const void *data, size_t size)
{
	uint32_t length = htonl((uint32_t)size + 1);

	if (s->out_size + size + 5 > MAX_PACKET)
		flush(s);
	memcpy(s->out + s->out_size, &length, 4);
	s->out[s->out_size + 4] = command;
	memcpy(s->out + s->out_size + 5, data, size);
	s->out_size += size + 5;
}

/* Queues a packet of strings, each with its NUL; ends with a NULL. */
static void
strings(struct session *s, int command, ...)
{
	char data[65536];
	size_t size = 0;
	const char *string;
	va_list list;

	va_start(list, command);
	while ((string = va_arg(list, const char *)) != NULL) {
		size_t n = strlen(string) + 1;

		if (size + n > sizeof(data))
			errx(1, "a header field is too long");
		memcpy(data + size, string, n);
		size += n;
	}
	va_end(list);
	packet(s, (char)command, data, size);
}

/* Waits for "continue" unless the milter said that it does not answer. */
static void
step(struct session *s, uint32_t silent)
{
	char reply;

	if ((s->steps & silent) != 0)
		return;
	do
		reply = receive(s);
	while (reply == 'p');
	if (reply != 'c' && reply != 's')
		errx(1, "the milter answered a step with %.*s", (int)s->in_size,
		    s->in);
}

static void
negotiate(struct session *s)
{
	uint32_t offer[3] = { htonl(6), htonl(ALL_ACTIONS), htonl(ALL_STEPS) };
	uint32_t answer[3];

	packet(s, 'O', offer, sizeof(offer));
	if (receive(s) != 'O' || s->in_size < sizeof(answer) + 1)
		errx(1, "the milter does not negotiate");
	memcpy(answer, s->in + 1, sizeof(answer));
	s->steps = ntohl(answer[2]);
}

static void
open_session(struct session *s)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char data[128] = "client.test";
	size_t size = strlen(data) + 1;
	const uint16_t port = htons(2525);

	if (strlen(s->load->socket) >= sizeof(address.sun_path))
		errx(1, "%s: too long for a socket", s->load->socket);
	strcpy(address.sun_path, s->load->socket);
	s->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (s->fd < 0 ||
	    connect(s->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		err(1, "%s", s->load->socket);
	negotiate(s);
	if ((s->steps & NO_CONNECT) == 0) {
		strings(s, 'D', "Cj", "mx.example.org", "{daemon_name}", "MTA",
		    NULL);
		data[size++] = '4';
		memcpy(data + size, &port, 2);
		size += 2;
		size += 1 +
		    (size_t)snprintf(data + size, sizeof(data) - size, "%s",
			s->load->client);
		packet(s, 'C', data, size);
		step(s, NR_CONNECT);
	}
	if ((s->steps & NO_HELO) == 0) {
		strings(s, 'H', "client.test", NULL);
		step(s, NR_HELO);
	}
}

static void
send_envelope(struct session *s, size_t number)
{
	char id[32];

	snprintf(id, sizeof(id), "%zu", number);
	if ((s->steps & NO_MAIL) == 0) {
		strings(s, 'D', "Mi", id, NULL);
		strings(s, 'M', "<alice@example.com>", NULL);
		step(s, NR_MAIL);
	}
	if ((s->steps & NO_RCPT) == 0) {
		strings(s, 'R', "<bob@example.org>", NULL);
		step(s, NR_RCPT);
	}
	if ((s->steps & NO_DATA) == 0) {
		packet(s, 'T', "", 0);
		step(s, NR_DATA);
	}
}

static void
send_content(struct session *s)
{
	const struct message *m = &s->load->message;
	size_t size;

	for (size_t i = 0; i < m->field_count; i++) {
		const char *value = m->fields[i].value;

		if ((s->steps & NO_HEADERS) != 0)
			break;
		if ((s->steps & HEADER_LEADING_SPACE) == 0 && *value == ' ')
			value++;
		strings(s, 'L', m->fields[i].name, value, NULL);
		step(s, NR_HEADER);
	}
	if ((s->steps & NO_EOH) == 0) {
		packet(s, 'N', "", 0);
		step(s, NR_EOH);
	}
	for (size_t at = 0; at < m->body_size; at += size) {
		size = m->body_size - at;
		if (size > BODY_CHUNK)
			size = BODY_CHUNK;
		if ((s->steps & NO_BODY) != 0)
			break;
		packet(s, 'B', m->body + at, size);
		step(s, NR_BODY);
	}
}

/* Whether the packet adds a field that holds the wanted text. */
static bool
adds_wanted(const struct session *s)
{
	const char *want = s->load->want;

	if (s->in[0] != 'i' && s->in[0] != 'h')
		return false;
	return memmem(s->in, s->in_size, want, strlen(want)) != NULL;
}

static void
end_message(struct session *s)
{
	bool found = false;
	char reply;

	packet(s, 'E', "", 0);
	while ((reply = receive(s)) != 'c' && reply != 'a') {
		if (strchr("rtydq", reply) != NULL)
			errx(1, "the milter refused a message: %.*s",
			    (int)s->in_size, s->in);
		found = found || adds_wanted(s);
	}
	if (!found)
		errx(1, "no field with \"%s\" was added", s->load->want);
}

static void *
run(void *ctx)
{
	struct load *load = ctx;
	struct session *s = calloc(1, sizeof(*s));
	size_t number;

	if (s == NULL)
		err(1, "calloc");
	s->load = load;
	open_session(s);
	while ((number = atomic_fetch_add(&load->next, 1)) < load->total) {
		double start = now_ms();

		send_envelope(s, number);
		send_content(s);
		end_message(s);
		load->millis[number] = now_ms() - start;
	}
	packet(s, 'Q', "", 0);
	flush(s);
	close(s->fd);
	free(s);
	return NULL;
}

/* Cuts TEXT (with CRLF) into header fields, as a milter gets them (folded
 * with LF), and body. */
static void
parse_message(char *text, size_t size, struct message *m)
{
	char *end = memmem(text, size, "\r\n\r\n", 4);

	if (end == NULL)
		errx(1, "the message has no body, or no CRLF");
	m->body = end + 4;
	m->body_size = size - (size_t)(m->body - text);
	*end = '\0';
	for (char *line = text; line != NULL;) {
		char *next = strstr(line, "\r\n");
		char *colon = strchr(line, ':');

		while (next != NULL && (next[2] == ' ' || next[2] == '\t')) {
			memmove(next, next + 1, strlen(next));
			next = strstr(next, "\r\n");
		}
		if (next != NULL)
			*next = '\0';
		if (colon == NULL || m->field_count == MAX_FIELDS)
			errx(1, "not a header field, or one too many");
		*colon = '\0';
		m->fields[m->field_count].name = line;
		m->fields[m->field_count++].value = colon + 1;
		line = next == NULL ? NULL : next + 2;
	}
}

static char *
read_file(const char *name, size_t *size_r)
{
	FILE *file = fopen(name, "rb");
	char *text;

	if (file == NULL || (text = malloc(MAX_PACKET)) == NULL)
		err(1, "%s", name);
	*size_r = fread(text, 1, MAX_PACKET - 1, file);
	text[*size_r] = '\0';
	fclose(file);
	return text;
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
main(int argc, char **argv)
{
	static struct load load;
	pthread_t threads[1000];
	size_t connections, size;
	double start, seconds;
	char *text;

	if (argc != 7)
		errx(64,
		    "usage: milter_load SOCKET CONNECTIONS MESSAGES "
		    "CLIENT WANT FILE");
	load.socket = argv[1];
	connections = strtoul(argv[2], NULL, 10);
	load.total = strtoul(argv[3], NULL, 10);
	load.client = argv[4];
	load.want = argv[5];
	if (connections == 0 || connections > 1000 || load.total == 0)
		errx(64, "1 to 1000 connections, 1 message or more");
	text = read_file(argv[6], &size);
	parse_message(text, size, &load.message);
	load.millis = calloc(load.total, sizeof(*load.millis));
	if (load.millis == NULL)
		err(1, "calloc");
	start = now_ms();
	for (size_t i = 0; i < connections; i++)
		if (pthread_create(&threads[i], NULL, run, &load) != 0)
			errx(1, "no thread");
	for (size_t i = 0; i < connections; i++)
		pthread_join(threads[i], NULL);
	seconds = (now_ms() - start) / 1e3;
	qsort(load.millis, load.total, sizeof(*load.millis), compare);
	printf("%.1f %.2f %.2f\n", (double)load.total / seconds,
	    load.millis[load.total / 2], load.millis[load.total * 99 / 100]);
	free(load.millis);
	free(text);
	return 0;
}
