/* SPDX-License-Identifier: BSD-2-Clause */
#include "quoted.h"

void
quoted_append(struct bytes text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char octet = (unsigned char)text.data[i];

		if (octet > 0x20 && octet < 0x7f && octet != ';' &&
		    octet != '=' && octet != '|')
			buf_append_char(out, text.data[i]);
		else
			buf_printf(out, "=%02X", octet);
	}
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool
quoted_decode(struct bytes text, struct buf *out)
{
	int high, low;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (is_wsp(c) || c == '\r' || c == '\n')
			continue;
		if (c == '=') {
			if (text.len - i < 3)
				return false;
			high = hex_digit(text.data[i + 1]);
			low = hex_digit(text.data[i + 2]);
			if (high < 0 || low < 0)
				return false;
			c = (char)(high << 4 | low);
			i += 2;
		}
		buf_append_char(out, c);
	}
	return true;
}
