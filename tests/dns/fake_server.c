/* SPDX-License-Identifier: BSD-2-Clause */
#include "fake_server.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	HEADER_BYTES = 12,
	MAX_QUERY = 512,
	MAX_REPLY = 20000,
	NXDOMAIN = 3,
	HUGE_RECORD = 9000
};

struct reply {
	unsigned char data[MAX_REPLY];
	size_t len;
};

static void
put(struct reply *reply, const void *data, size_t len)
{
	assert_true(reply->len + len <= sizeof(reply->data));
	memcpy(reply->data + reply->len, data, len);
	reply->len += len;
}

static void
put_u16(struct reply *reply, unsigned value)
{
	put(reply,
	    (unsigned char[]){
		(unsigned char)(value >> 8), (unsigned char)value },
	    2);
}

static void
put_u32(struct reply *reply, uint32_t value)
{
	put_u16(reply, value >> 16);
	put_u16(reply, value & 0xffff);
}

/* The owner is the name of the question, by a pointer to it. */
static void
put_record_head(struct reply *reply, unsigned type, uint32_t ttl, size_t len)
{
	put_u16(reply, 0xc000 | HEADER_BYTES);
	put_u16(reply, type);
	put_u16(reply, 1);
	put_u32(reply, ttl);
	put_u16(reply, (unsigned)len);
}

static void
put_txt(struct reply *reply, uint32_t ttl, const char *text, size_t len)
{
	put_record_head(reply, 16, ttl, len + (len + 254) / 255);
	while (len > 0) {
		unsigned char part = len > 255 ? 255 : (unsigned char)len;

		put(reply, &part, 1);
		put(reply, text, part);
		text += part;
		len -= part;
	}
}

static void
put_soa(struct reply *reply)
{
	put_record_head(reply, 6, 3600, 22);
	put(reply, "\0\0", 2);
	for (unsigned i = 0; i < 5; i++)
		put_u32(reply, 60);
}

static void
set_counts(
    struct reply *reply, unsigned rcode, unsigned answers, unsigned authorities)
{
	reply->data[2] = 0x85; /* QR, AA, RD */
	reply->data[3] = (unsigned char)(0x80 | rcode);
	reply->data[7] = (unsigned char)answers;
	reply->data[9] = (unsigned char)authorities;
}

/* Reply to the question that REPLY begins with, for NAME; false: none. */
static bool
make_reply(struct reply *reply, const char *name)
{
	static const struct {
		const char *prefix;
		unsigned rcode, answers;
		uint32_t ttl;
	} rows[] = {
		{ "found", 0, 1, 300 },
		{ "brief", 0, 1, 1 },
		{ "slow", 0, 1, 300 },
		{ "many", 0, 12, 300 },
		{ "huge", 0, 1, 300 },
		{ "nonexistent", NXDOMAIN, 0, 0 },
		{ "nodata", 0, 0, 0 },
		{ "servfail", 2, 0, 0 },
		{ "refused", 5, 0, 0 },
	};
	static const char filler[HUGE_RECORD];
	char text[300];

	if (strncmp(name, "garbage", 7) == 0) {
		reply->data[7] = 9;
		return true;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) != 0)
			continue;
		set_counts(reply, rows[i].rcode, rows[i].answers,
		    rows[i].answers == 0);
		for (unsigned k = 0; k < rows[i].answers; k++) {
			snprintf(text, sizeof(text), k == 0 ? "v=%s" : "v=%s%u",
			    name, k);
			put_txt(reply, rows[i].ttl, text, strlen(text));
		}
		if (rows[i].answers == 0)
			put_soa(reply);
		if (strcmp(rows[i].prefix, "huge") == 0) {
			set_counts(reply, 0, 2, 0);
			put_txt(reply, 300, filler, sizeof(filler));
		}
		if (strcmp(rows[i].prefix, "slow") == 0)
			usleep(200000);
		return true;
	}
	return false;
}

/* The name of QUERY in text, its end within QUERY; 0 where it has none. */
static size_t
read_name(const unsigned char *query, size_t len, char *name)
{
	size_t at = HEADER_BYTES, used = 0;

	while (at < len && query[at] != 0) {
		size_t label = query[at++];

		if (at + label >= len)
			return 0;
		if (used > 0)
			name[used++] = '.';
		memcpy(name + used, query + at, label);
		used += label;
		at += label;
	}
	name[used] = '\0';
	return at + 5 <= len ? at + 5 : 0;
}

static void
serve(struct fake_server *server, const unsigned char *query, size_t len,
    const struct sockaddr_in *peer)
{
	static const unsigned char no_counts[8] = { 0, 1 };
	static _Thread_local struct reply reply;
	char name[MAX_QUERY];
	size_t question = len > HEADER_BYTES ? read_name(query, len, name) : 0;
	const char *root = atomic_load(&server->root);

	if (question == 0)
		return;
	atomic_fetch_add(&server->questions, 1);
	reply.len = 0;
	put(&reply, query, question);
	memcpy(reply.data + 4, no_counts, sizeof(no_counts));
	if (atomic_load(&server->silent))
		return;
	if (atomic_load(&server->refuses))
		set_counts(&reply, 5, 0, 0);
	else if (!make_reply(
		     &reply, name[0] == '\0' && root != NULL ? root : name))
		return;
	sendto(server->fd, reply.data, reply.len, 0,
	    (const struct sockaddr *)peer, sizeof(*peer));
}

static void *
run(void *arg)
{
	struct fake_server *server = arg;
	unsigned char query[MAX_QUERY];
	struct sockaddr_in peer;
	socklen_t peer_len;
	ssize_t len;

	for (;;) {
		peer_len = sizeof(peer);
		len = recvfrom(server->fd, query, sizeof(query), 0,
		    (struct sockaddr *)&peer, &peer_len);
		/* An empty datagram is the end. */
		if (len <= 0)
			return NULL;
		serve(server, query, (size_t)len, &peer);
	}
}

void
fake_server_start(struct fake_server *server, uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int room = 4 << 20;

	atomic_init(&server->root, NULL);
	atomic_init(&server->silent, false);
	atomic_init(&server->refuses, false);
	atomic_init(&server->questions, 0);
	server->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(server->fd >= 0);
	setsockopt(server->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	assert_int_equal(bind(server->fd, (struct sockaddr *)&address, len), 0);
	getsockname(server->fd, (struct sockaddr *)&address, &len);
	server->port = ntohs(address.sin_port);
	snprintf(server->address, sizeof(server->address), "127.0.0.1@%u",
	    server->port);
	assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
}

void
fake_server_stop(struct fake_server *server)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons(server->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	sendto(
	    server->fd, "", 0, 0, (struct sockaddr *)&address, sizeof(address));
	pthread_join(server->thread, NULL);
	close(server->fd);
}
