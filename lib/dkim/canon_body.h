/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canon_body - canonical form of a body, as a stream (RFC 6376 section 3.4.3,
 * 3.4.4)
 *
 * Octets go in, cut anywhere, and come out through a function; what comes out
 * in all does not depend on the cuts. Only CRLF ends a line: a lone CR or LF is
 * an octet like any other. White space at a line's end and empty lines are
 * held back as counts, so the state is of fixed size, and long runs that need
 * no change are handed on as they lie in the input, uncopied.
 */
#ifndef CANON_BODY_H
#define CANON_BODY_H

#include <stdint.h>

#include "bytes.h"
#include "signpost.h"

/* Where canonical octets go; CTX is the caller's. */
typedef void canon_sink(void *ctx, const char *data, size_t len);

struct canon_body {
	enum signpost_canon canon;
	canon_sink *sink;
	void *ctx;
	uint64_t pending_crlf; /* line ends held back: perhaps trailing */
	bool pending_wsp;      /* relaxed: white space held back */
	bool pending_cr;       /* a CR whose LF may follow in the next piece */
	bool line_empty;       /* nothing of this line has gone out yet */
	bool any;	       /* something has gone out */
};

void canon_body_init(struct canon_body *body, enum signpost_canon canon,
    canon_sink *sink, void *ctx);
void canon_body_update(struct canon_body *body, const char *data, size_t len);
/* End of the message. */
void canon_body_final(struct canon_body *body);

#endif
