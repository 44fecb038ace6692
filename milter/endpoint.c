/* SPDX-License-Identifier: BSD-2-Clause */
#include "endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	BACKLOG = 128
};

static bool
parse_unix(const char *path, struct endpoint *endpoint_r)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&endpoint_r->address;
	size_t len = strlen(path);

	if (path[0] != '/' || len >= sizeof(un->sun_path))
		return false;
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path, len + 1);
	endpoint_r->len =
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
	return true;
}

/* 1 to 65535; 0 where TEXT is not that. */
static in_port_t
parse_port(const char *text)
{
	unsigned long port = 0;
	size_t i;

	for (i = 0; text[i] >= '0' && text[i] <= '9' && i < 5; i++)
		port = port * 10 + (unsigned long)(text[i] - '0');
	return text[i] == '\0' && port <= UINT16_MAX ? (in_port_t)port : 0;
}

static bool
parse_tcp(const char *text, struct endpoint *endpoint_r)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&endpoint_r->address;
	struct sockaddr_in *in = (struct sockaddr_in *)&endpoint_r->address;
	const char *colon = strrchr(text, ':');
	char address[INET6_ADDRSTRLEN + 2];
	in_port_t port = colon != NULL ? parse_port(colon + 1) : 0;
	size_t len = colon != NULL ? (size_t)(colon - text) : 0;

	if (port == 0 || len == 0 || len >= sizeof(address))
		return false;
	memcpy(address, text, len);
	address[len] = '\0';
	if (inet_pton(AF_INET, address, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		endpoint_r->len = sizeof(*in);
		return true;
	}
	if (address[0] != '[' || address[len - 1] != ']')
		return false;
	address[len - 1] = '\0';
	if (inet_pton(AF_INET6, address + 1, &in6->sin6_addr) != 1)
		return false;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	endpoint_r->len = sizeof(*in6);
	return true;
}

bool
endpoint_parse(const char *text, struct endpoint *endpoint_r)
{
	memset(endpoint_r, 0, sizeof(*endpoint_r));
	if (strncmp(text, "unix:", 5) == 0)
		return parse_unix(text + 5, endpoint_r);
	if (text[0] == '/')
		return parse_unix(text, endpoint_r);
	return parse_tcp(text, endpoint_r);
}

const char *
endpoint_path(const struct endpoint *endpoint)
{
	if (endpoint->address.ss_family != AF_UNIX)
		return NULL;
	return ((const struct sockaddr_un *)&endpoint->address)->sun_path;
}

static const struct sockaddr *
address_of(const struct endpoint *endpoint)
{
	return (const struct sockaddr *)&endpoint->address;
}

bool
endpoint_is_stale(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	struct stat st;
	bool stale;
	int fd;

	if (len >= sizeof(address.sun_path) || lstat(path, &st) != 0 ||
	    !S_ISSOCK(st.st_mode))
		return false;
	memcpy(address.sun_path, path, len + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	stale = connect(fd, (const struct sockaddr *)&address,
		    sizeof(address)) != 0 &&
	    errno == ECONNREFUSED;
	close(fd);
	return stale;
}

static bool
bind_unix(int fd, const struct endpoint *endpoint, unsigned mode)
{
	const char *path = endpoint_path(endpoint);

	/* On Linux the file gets the mode of the socket, so that it is at no
	 * time open to more than MODE; umask may have taken some of it. */
	if (fchmod(fd, (mode_t)mode) != 0)
		return false;
	if (bind(fd, address_of(endpoint), endpoint->len) != 0) {
		if (errno != EADDRINUSE)
			return false;
		if (!endpoint_is_stale(path)) {
			errno = EADDRINUSE;
			return false;
		}
		if (unlink(path) != 0 ||
		    bind(fd, address_of(endpoint), endpoint->len) != 0)
			return false;
	}
	return chmod(path, (mode_t)mode) == 0;
}

static bool
bind_tcp(int fd, const struct endpoint *endpoint)
{
	int on = 1;

	/* After a restart the port is free at once. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
		return false;
	if (endpoint->address.ss_family == AF_INET6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0)
		return false;
	return bind(fd, address_of(endpoint), endpoint->len) == 0;
}

int
endpoint_listen(const struct endpoint *endpoint, unsigned mode, char *error,
    size_t error_size)
{
	bool bound;
	int fd;

	fd = socket(endpoint->address.ss_family,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		goto fail;
	bound = endpoint_path(endpoint) != NULL ? bind_unix(fd, endpoint, mode)
						: bind_tcp(fd, endpoint);
	if (!bound || listen(fd, BACKLOG) != 0)
		goto fail;
	return fd;
fail:
	snprintf(error, error_size, "%s",
	    errno == EADDRINUSE ? "another process listens there, or a file "
				  "that is not a socket is in the way"
				: strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int
endpoint_connect(const struct endpoint *endpoint, unsigned timeout_ms)
{
	struct timeval timeout = { .tv_sec = timeout_ms / 1000,
		.tv_usec = (suseconds_t)(timeout_ms % 1000) * 1000 };
	int fd, saved;

	fd = socket(endpoint->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (setsockopt(
		fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) == 0 &&
	    setsockopt(
		fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) == 0 &&
	    connect(fd, address_of(endpoint), endpoint->len) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}
