/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * endpoint - an address to listen at or to connect to
 *
 * "unix:/PATH" or "/PATH"; "ADDRESS:PORT" with a literal IPv4 address,
 * "[ADDRESS]:PORT" with a literal IPv6 one. No name is ever looked up.
 */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct endpoint {
	struct sockaddr_storage address;
	socklen_t len;
};

/* False where TEXT is none of the above. */
bool endpoint_parse(const char *text, struct endpoint *endpoint_r);
/* The path of a unix socket; NULL for TCP. */
const char *endpoint_path(const struct endpoint *endpoint);
/* Whether the unix socket at PATH is left over: nobody listens behind it. False
 * where that can't be known, or PATH is no socket. */
bool endpoint_is_stale(const char *path);
/* A listening socket that does not block and is closed on exec; a unix socket
 * gets MODE, and a file left behind by a process that is gone is replaced. -1
 * with a text in ERROR. */
int endpoint_listen(const struct endpoint *endpoint, unsigned mode, char *error,
    size_t error_size);
/* A connected socket on which no read or write takes longer than TIMEOUT_MS;
 * -1 with errno. */
int endpoint_connect(const struct endpoint *endpoint, unsigned timeout_ms);

#endif
