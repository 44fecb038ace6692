/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copied_fields - z=, the copies of header fields that a signature carries (RFC
 * 6376 section 3.5)
 *
 * They serve diagnosis alone: no result depends on them. The work of comparing
 * is linear in the header's size, and the copies that are looked at are few.
 */
#ifndef COPIED_FIELDS_H
#define COPIED_FIELDS_H

#include "field_writer.h"
#include "headers.h"
#include "signature.h"

enum {
	/* Octets of z=: mail servers cap whole headers (Sendmail at 32 kB). */
	COPIED_FIELDS_MAX_BYTES = 8192
};

/* Writes the tag with the fields that NAMES choose as h= does; writes nothing
 * where it would be too long. */
enum signpost_status copied_fields_write(const struct signpost_headers *headers,
    const struct bytes *names, size_t count, struct field_writer *writer);
/* The names of the fields that SIGNATURE covers and that differ from its copies
 * of them, colons between; where none differs, those covered that it has no
 * copy of. To be freed with free(); NULL: out of memory. SIGNATURE may be NULL:
 * there are none then. */
char *copied_fields_changed(
    const struct signpost_headers *headers, const struct signature *signature);

#endif
