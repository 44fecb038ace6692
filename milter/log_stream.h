/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * log_stream - lines to standard error, whoever reads it
 *
 * A pipe or a terminal takes no more once its reader does not read, and
 * write(2) waits for that for ever: mail would stand still for its log, and no
 * signal end the daemon. A line waits LOG_STREAM_WAIT_MS; while it is lost for
 * that, those behind it do not wait at all.
 *
 * Threads: any; a mutex is held while a line waits.
 */
#ifndef LOG_STREAM_H
#define LOG_STREAM_H

#include <pthread.h>
#include <stddef.h>

enum {
	LOG_STREAM_WAIT_MS = 1000
};

struct log_stream {
	int fd;
	pthread_mutex_t mutex;
	unsigned long lost; /* lines since the last that was written */
};

void log_stream_init(struct log_stream *stream, int fd);
void log_stream_fini(struct log_stream *stream);
/* Writes a line of at most PIPE_BUF octets. Returns how many were lost before
 * it, once. */
unsigned long log_stream_write(
    struct log_stream *stream, const char *line, size_t len);
/* Writes what FD takes of a line; what is left after a short write (a full
 * disk, a pipe) follows if it can. */
void log_stream_write_to(int fd, const char *line, size_t len);

#endif
