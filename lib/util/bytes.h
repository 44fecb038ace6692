/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bytes - a borrowed view of some octets
 *
 * A view owns nothing and lives no longer than what it points into. It may
 * hold any octet, NUL included. Letters are ASCII's: no locale is asked.
 */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bytes {
	const char *data;
	size_t len;
};

static inline struct bytes
bytes_of(const char *data, size_t len)
{
	return (struct bytes){ data, len };
}

static inline struct bytes
bytes_str(const char *string)
{
	return (struct bytes){ string, strlen(string) };
}

/* RFC 5234: WSP */
static inline bool
is_wsp(char c)
{
	return c == ' ' || c == '\t';
}

static inline char
ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool bytes_equal(struct bytes a, struct bytes b);
bool bytes_equal_nocase(struct bytes a, struct bytes b);
bool bytes_is(struct bytes a, const char *string);
bool bytes_is_nocase(struct bytes a, const char *string);
/* Without white space (SP, TAB, CR, LF) at either end. */
struct bytes bytes_trim(struct bytes bytes);
/* Cuts off and returns what stands before the first DELIMITER, or all of
 * *REST when there is none (*REST_R then has data == NULL). Returns false when
 * nothing was left to cut: rest->data == NULL. */
bool bytes_next(struct bytes *rest, char delimiter, struct bytes *part_r);

#endif
