/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * smtp_load - sends one message over and over to a mail server
 *
 *	smtp_load PORT SESSIONS MESSAGES SENDER RECIPIENT FILE
 *
 * Talks SMTP (RFC 5321) to PORT of 127.0.0.1: SESSIONS at once, one thread
 * each, MESSAGES in all, a connection for each, as mail from strangers comes.
 * FILE holds the message, its lines ended by CRLF. Every message must be
 * accepted. Prints the seconds from the first connection to the last answer.
 */
#include <arpa/inet.h>
#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_SESSIONS = 1000,
	MAX_REPLY = 2048,
	MAX_COMMAND = 512,
	TIMEOUT_S = 120
};

/* What is sent; shared by all threads, never changed once read. */
static struct {
	struct sockaddr_in server;
	char mail[MAX_COMMAND], rcpt[MAX_COMMAND];
	char *data; /* as it goes over the wire, up to the dot at its end */
	size_t data_len;
} job;

static atomic_long left; /* messages nobody has begun */

static void
send_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len > 0; data += n, len -= (size_t)n)
		if ((n = send(fd, data, len, MSG_NOSIGNAL)) <= 0)
			err(EXIT_FAILURE, "send");
}

/* Reads one reply, of one line or of several (RFC 5321 section 4.2.1), which
 * must begin with DIGIT. */
static void
expect(int fd, char digit)
{
	char reply[MAX_REPLY];
	size_t len = 0, line = 0;
	ssize_t n;

	for (;;) {
		n = recv(fd, reply + len, sizeof(reply) - 1 - len, 0);
		if (n == 0)
			errx(EXIT_FAILURE, "the server closed the connection");
		if (n < 0)
			err(EXIT_FAILURE, "no reply");
		len += (size_t)n;
		reply[len] = '\0';
		for (char *end; (end = strstr(reply + line, "\r\n")) != NULL;
		     line = (size_t)(end + 2 - reply)) {
			if (reply[line] != digit)
				errx(EXIT_FAILURE, "reply: %s", reply + line);
			if (end < reply + line + 4 || reply[line + 3] != '-')
				return;
		}
		if (len == sizeof(reply) - 1)
			errx(EXIT_FAILURE, "a reply of more than %d octets",
			    MAX_REPLY);
	}
}

static void
ask(int fd, const char *command, char digit)
{
	send_all(fd, command, strlen(command));
	expect(fd, digit);
}

static void
send_message(void)
{
	struct timeval timeout = { .tv_sec = TIMEOUT_S };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		err(EXIT_FAILURE, "socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (const struct sockaddr *)&job.server,
		sizeof(job.server)) != 0)
		err(EXIT_FAILURE, "connect");
	expect(fd, '2');
	ask(fd, "EHLO client.test\r\n", '2');
	ask(fd, job.mail, '2');
	ask(fd, job.rcpt, '2');
	ask(fd, "DATA\r\n", '3');
	send_all(fd, job.data, job.data_len);
	expect(fd, '2');
	ask(fd, "QUIT\r\n", '2');
	close(fd);
}

static void *
run(void *ctx)
{
	(void)ctx;
	while (atomic_fetch_sub(&left, 1) > 0)
		send_message();
	return NULL;
}

/* Dots at the begin of lines are doubled (RFC 5321 section 4.5.2). */
static void
read_message(const char *name)
{
	FILE *file = fopen(name, "rb"), *out;
	int c, last = '\n';

	if (file == NULL)
		err(EXIT_FAILURE, "%s", name);
	out = open_memstream(&job.data, &job.data_len);
	if (out == NULL)
		err(EXIT_FAILURE, "memory");
	for (; (c = getc(file)) != EOF; last = c) {
		if (c == '.' && last == '\n')
			putc('.', out);
		putc(c, out);
	}
	if (last != '\n')
		errx(EXIT_FAILURE, "%s: does not end with CRLF", name);
	fputs(".\r\n", out);
	if (ferror(file) || fclose(out) != 0)
		err(EXIT_FAILURE, "%s", name);
	fclose(file);
}

static long
number(const char *text, long max)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*text == '\0' || *end != '\0' || value < 1 || value > max)
		errx(EXIT_FAILURE, "%s: from 1 to %ld", text, max);
	return value;
}

int
main(int argc, char *argv[])
{
	pthread_t threads[MAX_SESSIONS];
	struct timespec begin, end;
	long sessions, i;

	if (argc != 7)
		errx(EXIT_FAILURE,
		    "PORT SESSIONS MESSAGES SENDER RECIPIENT FILE");
	job.server = (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)number(argv[1], 65535)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	sessions = number(argv[2], MAX_SESSIONS);
	atomic_init(&left, number(argv[3], 100000000));
	snprintf(job.mail, sizeof(job.mail), "MAIL FROM:<%s>\r\n", argv[4]);
	snprintf(job.rcpt, sizeof(job.rcpt), "RCPT TO:<%s>\r\n", argv[5]);
	read_message(argv[6]);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < sessions; i++)
		if (pthread_create(&threads[i], NULL, run, NULL) != 0)
			errx(EXIT_FAILURE, "no thread");
	for (i = 0; i < sessions; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.6f\n",
	    (double)(end.tv_sec - begin.tv_sec) +
		(double)(end.tv_nsec - begin.tv_nsec) / 1e9);
	free(job.data);
	return 0;
}
