/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * field_writer - the value of a header field, folded as it is written
 *
 * What is added as one unit stays on one line. A unit that would make its line
 * longer than 76 columns begins a new one, behind CRLF and TAB.
 */
#ifndef FIELD_WRITER_H
#define FIELD_WRITER_H

#include "buf.h"

struct field_writer {
	struct buf text; /* failed: out of memory */
	size_t column;	 /* of the present line, a TAB counting 8 */
};

/* COLUMN is how much of the first line is taken. */
void field_writer_init(struct field_writer *writer, size_t column);
void field_writer_fini(struct field_writer *writer);
/* Sees to it that LEN octets can be filled in without another allocation. */
void field_writer_reserve(struct field_writer *writer, size_t len);
/* Adds a unit, behind LEAD (a space or nothing) where it begins no line. */
void field_writer_add(
    struct field_writer *writer, const char *lead, struct bytes unit);
/* Adds text that may be cut anywhere. */
void field_writer_fill(struct field_writer *writer, struct bytes text);

#endif
