/* SPDX-License-Identifier: BSD-2-Clause */
#include "log_stream.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

void
log_stream_init(struct log_stream *stream, int fd)
{
	stream->fd = fd;
	stream->lost = 0;
	pthread_mutex_init(&stream->mutex, NULL);
}

void
log_stream_fini(struct log_stream *stream)
{
	pthread_mutex_destroy(&stream->mutex);
}

/* Under the mutex: a pipe that is ready takes PIPE_BUF octets, once. */
static bool
takes_more(const struct log_stream *stream)
{
	struct pollfd fd = { .fd = stream->fd, .events = POLLOUT };
	int count;

	do
		count = poll(&fd, 1, stream->lost > 0 ? 0 : LOG_STREAM_WAIT_MS);
	while (count < 0 && errno == EINTR);
	return count != 0;
}

unsigned long
log_stream_write(struct log_stream *stream, const char *line, size_t len)
{
	unsigned long lost = 0;

	pthread_mutex_lock(&stream->mutex);
	if (takes_more(stream)) {
		lost = stream->lost;
		stream->lost = 0;
		log_stream_write_to(stream->fd, line, len);
	} else {
		stream->lost++;
	}
	pthread_mutex_unlock(&stream->mutex);
	return lost;
}

void
log_stream_write_to(int fd, const char *line, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(fd, line + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		done += (size_t)n;
	}
}
