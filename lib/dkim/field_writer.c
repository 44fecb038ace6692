/* SPDX-License-Identifier: BSD-2-Clause */
#include "field_writer.h"

#include <stdint.h>

#define FOLD "\r\n\t"

enum {
	LINE_COLUMNS = 76,
	TAB_COLUMNS = 8
};

void
field_writer_init(struct field_writer *writer, size_t column)
{
	buf_init(&writer->text, SIZE_MAX);
	writer->column = column;
}

void
field_writer_fini(struct field_writer *writer)
{
	buf_fini(&writer->text);
}

void
field_writer_reserve(struct field_writer *writer, size_t len)
{
	size_t lines = len / (LINE_COLUMNS - TAB_COLUMNS) + 2;

	buf_reserve(&writer->text, len + lines * (sizeof FOLD - 1));
}

static void
fold(struct field_writer *writer)
{
	buf_append_str(&writer->text, FOLD);
	writer->column = TAB_COLUMNS;
}

static void
append(struct field_writer *writer, const char *text, size_t len)
{
	buf_append(&writer->text, text, len);
	writer->column += len;
}

void
field_writer_add(
    struct field_writer *writer, const char *lead, struct bytes unit)
{
	if (writer->column + strlen(lead) + unit.len > LINE_COLUMNS)
		fold(writer);
	else
		append(writer, lead, strlen(lead));
	append(writer, unit.data, unit.len);
}

void
field_writer_fill(struct field_writer *writer, struct bytes text)
{
	while (text.len > 0) {
		size_t room, len;

		if (writer->column >= LINE_COLUMNS)
			fold(writer);
		room = LINE_COLUMNS - writer->column;
		len = text.len < room ? text.len : room;
		append(writer, text.data, len);
		text.data += len;
		text.len -= len;
	}
}
