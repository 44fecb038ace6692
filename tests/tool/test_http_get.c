/* SPDX-License-Identifier: BSD-2-Clause */
#include "http_get.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* A server that takes one connection and says TEXT, REPEAT times. */
struct server {
	char folder[32];
	char address[64];
	struct endpoint endpoint;
	int listening;
	const char *text;
	unsigned repeat;
	char request[256];
	pthread_t thread;
};

static void *
serve_one(void *arg)
{
	struct server *server = arg;
	int fd = accept(server->listening, NULL, NULL);
	ssize_t n;

	n = recv(fd, server->request, sizeof(server->request) - 1, 0);
	server->request[n > 0 ? n : 0] = '\0';
	for (unsigned i = 0; i < server->repeat && n >= 0; i++)
		n = send(fd, server->text, strlen(server->text), MSG_NOSIGNAL);
	close(fd);
	return NULL;
}

static void
begin(struct server *server, const char *text, unsigned repeat)
{
	char error[128];

	memset(server, 0, sizeof(*server));
	server->text = text;
	server->repeat = repeat;
	strcpy(server->folder, "/tmp/signpost-http.XXXXXX");
	assert_non_null(mkdtemp(server->folder));
	snprintf(server->address, sizeof(server->address), "unix:%s/s",
	    server->folder);
	assert_true(endpoint_parse(server->address, &server->endpoint));
	server->listening =
	    endpoint_listen(&server->endpoint, 0600, error, sizeof(error));
	assert_true(server->listening >= 0);
	assert_int_equal(
	    fcntl(server->listening, F_SETFL, 0), 0); /* accept waits */
	assert_int_equal(
	    pthread_create(&server->thread, NULL, serve_one, server), 0);
}

static void
end(struct server *server)
{
	pthread_join(server->thread, NULL);
	close(server->listening);
	unlink(endpoint_path(&server->endpoint));
	assert_int_equal(rmdir(server->folder), 0);
}

static void
answers_are_taken_or_refused_whole(void **state)
{
	static const struct {
		const char *name, *input;
		unsigned repeat;
		enum http_get_outcome want;
		const char *want_body;
	} rows[] = {
		{ "a page", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nhello\n", 1,
		    HTTP_GET_OK, "hello\n" },
		{ "an empty page", "HTTP/1.0 200 OK\r\n\r\n", 1, HTTP_GET_OK,
		    "" },
		{ "not found", "HTTP/1.1 404 Not Found\r\n\r\nhello", 1,
		    HTTP_GET_BROKEN, "" },
		{ "no header's end", "HTTP/1.1 200 OK\r\nA: b\r\n", 1,
		    HTTP_GET_BROKEN, "" },
		{ "another protocol", "220 mx.example.com ESMTP\r\n", 1,
		    HTTP_GET_BROKEN, "" },
		{ "nothing", "", 1, HTTP_GET_BROKEN, "" },
		{ "short", "HTTP/1.", 1, HTTP_GET_BROKEN, "" },
		{ "too much", "HTTP/1.1 200 OK\r\n\r\n0123456789012345", 200000,
		    HTTP_GET_BROKEN, "" },
	};
	struct server server;
	struct buf body;

	(void)state;
	buf_init(&body, HTTP_GET_MAX_BYTES);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(&server, rows[i].input, rows[i].repeat);
		print_message("%s\n", rows[i].name);
		assert_int_equal(
		    http_get(&server.endpoint, "/status", &body), rows[i].want);
		assert_true(bytes_is(buf_bytes(&body), rows[i].want_body));
		end(&server);
		assert_memory_equal(
		    server.request, "GET /status HTTP/1.0\r\n", 22);
	}
	buf_fini(&body);
}

static void
nobody_there_is_told_with_its_cause(void **state)
{
	struct endpoint endpoint;
	struct buf body;

	(void)state;
	buf_init(&body, HTTP_GET_MAX_BYTES);
	assert_true(endpoint_parse("unix:/nonexistent/s", &endpoint));
	assert_int_equal(http_get(&endpoint, "/", &body), HTTP_GET_UNREACHABLE);
	assert_int_equal(errno, ENOENT);
	buf_fini(&body);
}

static void
addresses_are_literal(void **state)
{
	static const struct {
		const char *name, *input;
		bool want;
	} rows[] = {
		{ "unix", "unix:/run/s", true },
		{ "a path", "/run/s", true },
		{ "a relative path", "unix:run/s", false },
		{ "IPv4", "127.0.0.1:80", true },
		{ "IPv6", "[::1]:80", true },
		{ "a name", "localhost:80", false },
		{ "no port", "127.0.0.1", false },
		{ "port 0", "127.0.0.1:0", false },
		{ "port too great", "127.0.0.1:65536", false },
		{ "port that wraps", "127.0.0.1:4294967376", false },
		{ "port with more", "127.0.0.1:80x", false },
		{ "IPv6 without brackets", "::1:80", false },
		{ "brackets without an address", "[]:80", false },
		{ "half a bracket", "[::1:80", false },
		{ "nothing", "", false },
		{ "too long a path",
		    "/0123456789012345678901234567890123456789012345678901234"
		    "56789012345678901234567890123456789012345678901234567890",
		    false },
	};
	struct endpoint endpoint;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (endpoint_parse(rows[i].input, &endpoint) != rows[i].want)
			fail_msg("%s: %s", rows[i].name, rows[i].input);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_taken_or_refused_whole),
		cmocka_unit_test(nobody_there_is_told_with_its_cause),
		cmocka_unit_test(addresses_are_literal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
