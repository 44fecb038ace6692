/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * headers - the header fields of one message, kept once, raw
 *
 * All octets lie in one buffer that is reused from message to message; fields
 * are found by number, in the order of the message, and by name through a
 * table that adding a field keeps up to date: finding and choosing take no
 * longer however many fields there are. What is returned is borrowed and good
 * until the next field is added. The public functions of signpost.h
 * (signpost_headers_...) are this module's, too.
 *
 * Threads: any number may read at once, none while a field is added.
 */
#ifndef HEADERS_H
#define HEADERS_H

#include "buf.h"
#include "signpost.h"

struct field {
	struct bytes name;  /* before the colon, white space there cut off */
	struct bytes colon; /* white space between name and colon */
	struct bytes value; /* behind the colon, line ends CRLF, none at the
	                       end */
};

size_t headers_count(const struct signpost_headers *headers);
struct field headers_get(const struct signpost_headers *headers, size_t i);
/* The last field called NAME (no case) among fields before number BEFORE;
 * SIZE_MAX for none. headers_count() as BEFORE looks at all. */
size_t headers_find_last(
    const struct signpost_headers *headers, struct bytes name, size_t before);
/* How many fields are called NAME (no case). */
size_t headers_occurrences(
    const struct signpost_headers *headers, struct bytes name);
/* The field as name, white space before the colon, colon and value. */
void headers_append_canonical(const struct signpost_headers *headers, size_t i,
    enum signpost_canon canon, struct buf *out);

/*
 * The choice that h= makes (RFC 6376 section 5.4.2): each name takes the
 * lowest field of that name not yet taken; a name with none left takes
 * nothing. Calls VISIT with the number of each field taken, in the order of
 * NAMES. NOMEM where the state could not be allocated.
 */
typedef void headers_visit(void *ctx, size_t field);
enum signpost_status headers_select(const struct signpost_headers *headers,
    const struct bytes *names, size_t count, headers_visit *visit, void *ctx);

#endif
