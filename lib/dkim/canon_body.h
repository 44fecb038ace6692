/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canon_body - canonical form of a body, as a stream (RFC 6376 section 3.4.3,
 * 3.4.4)
 *
 * Octets go in, cut anywhere, and come out through a function; what comes out
 * in all does not depend on the cuts. Only CRLF ends a line: a lone CR or LF is
 * an octet like any other. What may yet prove to stand at the end of a line or
 * of the body is held back as counts, so the state is of fixed size, and runs
 * that need no change are handed on as they lie in the input, uncopied. The
 * work is linear in the octets, whatever they are.
 */
#ifndef CANON_BODY_H
#define CANON_BODY_H

#include <stdint.h>

#include "bytes.h"
#include "signpost.h"

/* Where canonical octets go; CTX is the caller's. */
typedef void canon_sink(void *ctx, const char *data, size_t len);

/* What is held back stands in this order: line ends, white space, CR. */
struct canon_body {
	enum signpost_canon canon;
	canon_sink *sink;
	void *ctx;
	uint64_t pending_crlf; /* line ends: perhaps the body's last */
	bool pending_wsp;      /* relaxed: perhaps the line's last */
	bool pending_cr;       /* perhaps half a line end */
	bool any;	       /* something has gone out */
};

void canon_body_init(struct canon_body *body, enum signpost_canon canon,
    canon_sink *sink, void *ctx);
void canon_body_update(struct canon_body *body, const char *data, size_t len);
/* End of the message. */
void canon_body_final(struct canon_body *body);

#endif
