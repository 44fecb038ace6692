/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_text.h"

void
config_text_string(struct buf *out, const char *value)
{
	buf_append_char(out, '"');
	for (; *value != '\0'; value++) {
		unsigned char c = (unsigned char)*value;

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_append_char(out, *value);
	}
	buf_append_char(out, '"');
}

void
config_text_comment(struct buf *out, struct bytes value)
{
	buf_append_str(out, "# ");
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.data[i];

		buf_append_char(
		    out, c < ' ' || c == 0x7f ? '?' : value.data[i]);
	}
	buf_append_char(out, '\n');
}
