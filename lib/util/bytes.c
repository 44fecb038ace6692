/* SPDX-License-Identifier: BSD-2-Clause */
#include "bytes.h"

bool
bytes_equal(struct bytes a, struct bytes b)
{
	return a.len == b.len &&
	    (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool
bytes_equal_nocase(struct bytes a, struct bytes b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (ascii_lower(a.data[i]) != ascii_lower(b.data[i]))
			return false;
	return true;
}

/* Most of what is compared differs in its first octet: how long STRING is, is
 * not asked before. */
bool
bytes_is(struct bytes a, const char *string)
{
	size_t i = 0;

	while (i < a.len && string[i] != '\0' && a.data[i] == string[i])
		i++;
	return i == a.len && string[i] == '\0';
}

bool
bytes_is_nocase(struct bytes a, const char *string)
{
	size_t i = 0;

	while (i < a.len && string[i] != '\0' &&
	    ascii_lower(a.data[i]) == ascii_lower(string[i]))
		i++;
	return i == a.len && string[i] == '\0';
}

static bool
is_space(char c)
{
	return is_wsp(c) || c == '\r' || c == '\n';
}

struct bytes
bytes_trim(struct bytes bytes)
{
	while (bytes.len > 0 && is_space(bytes.data[bytes.len - 1]))
		bytes.len--;
	while (bytes.len > 0 && is_space(bytes.data[0])) {
		bytes.data++;
		bytes.len--;
	}
	return bytes;
}

bool
bytes_next(struct bytes *rest, char delimiter, struct bytes *part_r)
{
	const char *end;

	if (rest->data == NULL)
		return false;
	end = rest->len > 0 ? memchr(rest->data, delimiter, rest->len) : NULL;
	if (end == NULL) {
		*part_r = *rest;
		*rest = (struct bytes){ NULL, 0 };
		return true;
	}
	*part_r = bytes_of(rest->data, (size_t)(end - rest->data));
	*rest = bytes_of(end + 1, rest->len - part_r->len - 1);
	return true;
}
