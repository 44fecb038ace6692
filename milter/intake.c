/* SPDX-License-Identifier: BSD-2-Clause */
#include "intake.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* The C library's other name of close(), which no header has. */
int __close(int fd);

enum {
	/* A message without an attachment, with what is around it. */
	AHEAD_BYTES = 16384,
	/* How long libmilter waits for more of a connection. */
	LINGER_MS = 1,
	/* Descriptors beyond go through as they are. */
	MAX_DESCRIPTORS = 65536,
	/* Of a packet: four octets of length, and what it is. */
	HEAD_BYTES = 5,
};

/* Packets that something is done about (the SMFIC_ of mfdef.h). */
enum {
	PACKET_MACROS = 'D',
	PACKET_END_OF_MESSAGE = 'E',
	PACKET_QUIT = 'Q',
	PACKET_QUIT_FOR_ANOTHER = 'K',
};

/* What libmilter is reading, or has read. */
struct packet {
	unsigned char head[HEAD_BYTES];
	size_t head_len;
	size_t left; /* octets of its data to come */
	bool odd;    /* so many NULs are in the data, if it is macros */
};

/* What a thread has read of the connection that it is at work for. */
struct intake {
	bool at_work;
	bool gives_up;	/* at the next question whether to go on */
	int connection; /* while AT_WORK */
	char *data;	/* NULL: nothing that libmilter has not had */
	size_t at, end;
	struct packet packet;
	const char *refusal; /* of the last packet, or NULL */
};

/* A thread's own: the C library's functions take no pointer of ours. */
static _Thread_local struct intake own;

enum state {
	NO_CONNECTION,
	CONNECTION,
	/* Something has come, or it is new, and no thread is at work for it. */
	WAITING_CONNECTION,
};

/* By descriptor; and how many of them wait. */
static atomic_int states[MAX_DESCRIPTORS];
static atomic_int waiting;

static void
set_state(int descriptor, enum state state)
{
	int before;

	if (descriptor < 0 || descriptor >= MAX_DESCRIPTORS)
		return;
	before = atomic_exchange(&states[descriptor], (int)state);
	atomic_fetch_add(&waiting,
	    (state == WAITING_CONNECTION) - (before == WAITING_CONNECTION));
}

static bool
is_connection(int descriptor)
{
	return descriptor >= 0 && descriptor < MAX_DESCRIPTORS &&
	    atomic_load(&states[descriptor]) != NO_CONNECTION;
}

void
intake_accepted(int descriptor)
{
	set_state(descriptor, WAITING_CONNECTION);
}

void
intake_message_ended(void)
{
	own.gives_up = atomic_load(&waiting) > 0;
}

bool
intake_ends_message(void)
{
	return own.at_work && own.packet.head_len == HEAD_BYTES &&
	    own.packet.head[HEAD_BYTES - 1] == PACKET_END_OF_MESSAGE;
}

const char *
intake_take_refusal(void)
{
	const char *refusal = own.refusal;

	own.refusal = NULL;
	return refusal;
}

static void
drop_data(void)
{
	free(own.data);
	own.data = NULL;
}

static void
begin_work(int connection)
{
	if (own.at_work && own.connection == connection)
		return;
	drop_data();
	set_state(connection, CONNECTION);
	own.at_work = true;
	own.gives_up = false;
	own.connection = connection;
	own.packet = (struct packet){ 0 };
	own.refusal = NULL;
}

static void
end_work(void)
{
	drop_data();
	own.at_work = false;
}

static bool
has_data(int connection)
{
	return own.data != NULL && own.connection == connection;
}

/* Takes what has come, if something has. An end or an error is left to
 * read(). */
static void
take(int connection)
{
	char *data = malloc(AHEAD_BYTES);
	ssize_t len;

	if (data == NULL)
		return;
	len = recv(connection, data, AHEAD_BYTES, MSG_DONTWAIT);
	if (len <= 0) {
		free(data);
		return;
	}
	own.data = data;
	own.at = 0;
	own.end = (size_t)len;
}

static int
poll_kernel(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct timespec timeout = { timeout_ms / 1000,
		timeout_ms % 1000 * 1000000 };

	return ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, NULL);
}

static int
say_readable(struct pollfd *one)
{
	one->revents = POLLIN;
	return 1;
}

/* Whether the thread goes on with a connection. */
static int
poll_for_more(struct pollfd *one)
{
	int count;

	begin_work(one->fd);
	if (!has_data(one->fd) && !own.gives_up)
		take(one->fd);
	if (has_data(one->fd))
		return say_readable(one);
	one->revents = 0;
	count = own.gives_up ? 0 : poll_kernel(one, 1, LINGER_MS);
	if (count == 0)
		end_work();
	else if (count > 0)
		take(one->fd);
	return count;
}

/* The poll() of all connections that no thread is at work for: those for which
 * something has come will get one. */
static int
poll_for_any(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	int ready = poll_kernel(fds, count, timeout_ms);

	for (nfds_t i = 0; ready > 0 && i < count; i++)
		if (fds[i].revents != 0 && is_connection(fds[i].fd))
			set_state(fds[i].fd, WAITING_CONNECTION);
	return ready;
}

/* Apart from poll(), whose declaration has FDS hold nothing before the call. */
static __attribute__((noinline)) int
poll_any(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	if (count > 1)
		return poll_for_any(fds, count, timeout_ms);
	if (count == 1 && fds->events == POLLIN && timeout_ms == LINGER_MS &&
	    is_connection(fds->fd))
		return poll_for_more(fds);
	if (count == 1 && (fds->events & POLLIN) != 0 && has_data(fds->fd))
		return say_readable(fds);
	return poll_kernel(fds, count, timeout_ms);
}

int
poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	return poll_any(fds, count, timeout_ms);
}

static ssize_t
hand_on(char *to, size_t len)
{
	size_t part = own.end - own.at;

	if (part > len)
		part = len;
	memcpy(to, own.data + own.at, part);
	own.at += part;
	if (own.at == own.end)
		drop_data();
	return (ssize_t)part;
}

/* LEN octets, and what else has come behind them. */
static ssize_t
read_ahead(void *to, size_t len)
{
	char *data = malloc(AHEAD_BYTES);
	struct iovec parts[2] = { { to, len }, { data, AHEAD_BYTES } };
	ssize_t got = readv(own.connection, parts, data != NULL ? 2 : 1);

	if (got <= (ssize_t)len) {
		free(data);
		return got;
	}
	own.data = data;
	own.at = 0;
	own.end = (size_t)got - len;
	return (ssize_t)len;
}

/* libmilter passes over the next client's address behind a QUIT_NC that follows
 * the end of a message, so that another's mail would be signed: no MTA sends
 * one, and it is the end. */
static void
begin_data(struct packet *packet, unsigned char *kind)
{
	uint32_t len;

	memcpy(&len, packet->head, sizeof(len));
	len = ntohl(len);
	/* libmilter takes these for a packet without data. */
	if (len == 0 || len > INT32_MAX)
		own.refusal = "a packet of an impossible length";
	packet->left = len - 1;
	if (*kind == PACKET_QUIT_FOR_ANOTHER)
		*kind = PACKET_QUIT;
}

static size_t
follow_head(struct packet *packet, unsigned char *octets, size_t len)
{
	size_t part = HEAD_BYTES - packet->head_len;

	if (part > len)
		part = len;
	memcpy(packet->head + packet->head_len, octets, part);
	packet->head_len += part;
	if (packet->head_len == HEAD_BYTES)
		begin_data(packet, octets + part - 1);
	return part;
}

/* Macros are a stage and pairs of strings: libmilter looks for the next name
 * behind the end of its table where the last has no value. */
static size_t
follow_data(struct packet *packet, const unsigned char *octets, size_t len)
{
	size_t part = packet->left < len ? packet->left : len;

	packet->left -= part;
	if (packet->head[HEAD_BYTES - 1] != PACKET_MACROS)
		return part;
	for (size_t i = 0; i < part; i++)
		packet->odd ^= octets[i] == '\0';
	if (packet->left == 0 && packet->odd)
		own.refusal = "a list of macros whose last has no value";
	return part;
}

/* What libmilter is about to get; a packet that it does not bear is the end of
 * the connection. */
static ssize_t
follow(void *data, ssize_t len)
{
	struct packet *packet = &own.packet;
	unsigned char *octets = data, *end = octets + (len > 0 ? len : 0);

	while (octets < end && own.refusal == NULL) {
		if (packet->head_len == HEAD_BYTES && packet->left == 0)
			*packet = (struct packet){ 0 };
		if (packet->head_len < HEAD_BYTES)
			octets +=
			    follow_head(packet, octets, (size_t)(end - octets));
		else
			octets +=
			    follow_data(packet, octets, (size_t)(end - octets));
	}
	return own.refusal == NULL ? len : 0;
}

ssize_t
read(int fd, void *to, size_t len)
{
	struct iovec whole = { to, len };

	if (has_data(fd))
		return follow(to, hand_on(to, len));
	if (own.at_work && own.connection == fd)
		return follow(to, read_ahead(to, len));
	return readv(fd, &whole, 1);
}

/* A descriptor of this number is another file from now on. */
int
close(int fd)
{
	if (own.at_work && own.connection == fd)
		end_work();
	set_state(fd, NO_CONNECTION);
	return __close(fd);
}
