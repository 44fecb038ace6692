/* SPDX-License-Identifier: BSD-2-Clause */
#include "http_get.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stats.h"

static bool
send_request(int fd, const char *path)
{
	struct buf request;
	size_t sent = 0;
	ssize_t n = 0;
	bool done;

	buf_init(&request, 1024);
	buf_printf(
	    &request, "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", path);
	while (!request.failed && sent < request.len && n >= 0) {
		n = send(
		    fd, request.data + sent, request.len - sent, MSG_NOSIGNAL);
		sent += n > 0 ? (size_t)n : 0;
	}
	done = !request.failed && n >= 0;
	buf_fini(&request);
	return done;
}

/* All that comes until the server closes. */
static enum http_get_outcome
read_answer(int fd, struct buf *answer)
{
	uint64_t end_ns =
	    stats_monotonic_ns() + HTTP_GET_MAX_MS * UINT64_C(1000000);
	char piece[16384];
	ssize_t n;

	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0) {
		buf_append(answer, piece, (size_t)n);
		if (answer->failed)
			return HTTP_GET_BROKEN;
		if (stats_monotonic_ns() > end_ns)
			return HTTP_GET_TIMEOUT;
	}
	if (n == 0)
		return HTTP_GET_OK;
	return errno == EAGAIN ? HTTP_GET_TIMEOUT : HTTP_GET_BROKEN;
}

/* "HTTP/1.1 200 ..." */
static bool
is_ok(struct bytes answer)
{
	return answer.len > 12 && memcmp(answer.data, "HTTP/1.", 7) == 0 &&
	    memcmp(answer.data + 8, " 200", 4) == 0;
}

/* The body of ANSWER goes to BODY. */
static enum http_get_outcome
take_body(struct bytes answer, struct buf *body)
{
	const char *end;

	if (!is_ok(answer))
		return HTTP_GET_BROKEN;
	end = memmem(answer.data, answer.len, "\r\n\r\n", 4);
	if (end == NULL)
		return HTTP_GET_BROKEN;
	end += 4;
	buf_append(body, end, answer.len - (size_t)(end - answer.data));
	return body->failed ? HTTP_GET_BROKEN : HTTP_GET_OK;
}

enum http_get_outcome
http_get(const struct endpoint *endpoint, const char *path, struct buf *body)
{
	enum http_get_outcome outcome;
	struct buf answer;
	int fd;

	buf_clear(body);
	fd = endpoint_connect(endpoint, HTTP_GET_MAX_MS);
	if (fd < 0)
		return HTTP_GET_UNREACHABLE;
	buf_init(&answer, HTTP_GET_MAX_BYTES);
	/* A server that refuses may close before it has read everything. */
	send_request(fd, path);
	outcome = read_answer(fd, &answer);
	if (outcome == HTTP_GET_OK)
		outcome = take_body(buf_bytes(&answer), body);
	buf_fini(&answer);
	close(fd);
	return outcome;
}
