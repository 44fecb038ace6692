/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_text.h"

#include <stdint.h>

#include "buf.h"
#include "utf8.h"

json_t *
json_text(struct bytes text)
{
	struct buf clean;
	json_t *string = NULL;

	buf_init(&clean, SIZE_MAX);
	while (text.len > 0) {
		size_t len = utf8_character_len(text);

		if (len == 0)
			buf_append_str(&clean, "\xef\xbf\xbd");
		else
			buf_append(&clean, text.data, len);
		len += len == 0;
		text = bytes_of(text.data + len, text.len - len);
	}
	if (!clean.failed)
		string =
		    json_stringn(clean.len > 0 ? clean.data : "", clean.len);
	buf_fini(&clean);
	return string;
}
