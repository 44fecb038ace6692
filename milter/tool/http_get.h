/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * http_get - one page of the daemon's status server
 *
 * Speaks just enough of HTTP/1.0 for a server of ours, and trusts it no more
 * than any: size and time of the answer are capped.
 */
#ifndef HTTP_GET_H
#define HTTP_GET_H

#include "buf.h"
#include "endpoint.h"

enum {
	HTTP_GET_MAX_BYTES = 4 * 1024 * 1024,
	HTTP_GET_MAX_MS = 5000
};

enum http_get_outcome {
	HTTP_GET_OK,
	HTTP_GET_UNREACHABLE, /* nobody answers there: see errno */
	HTTP_GET_TIMEOUT,
	HTTP_GET_BROKEN, /* not HTTP, too long, or not 200 */
};

/* Fetches PATH; the body goes to BODY, which is cleared. */
enum http_get_outcome http_get(
    const struct endpoint *endpoint, const char *path, struct buf *body);

#endif
