/* SPDX-License-Identifier: BSD-2-Clause */
#include "utf8.h"

/* RFC 3629 section 4: what the first octet says of length and second octet. */
static const struct lead {
	unsigned char first, last;
	unsigned char len;
	unsigned char low, high; /* of the second octet */
} leads[] = {
	{ 0x00, 0x7f, 1, 0, 0 },
	{ 0xc2, 0xdf, 2, 0x80, 0xbf },
	{ 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf },
	{ 0xed, 0xed, 3, 0x80, 0x9f },
	{ 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf },
	{ 0xf4, 0xf4, 4, 0x80, 0x8f },
};

size_t
utf8_character_len(struct bytes text)
{
	const unsigned char *s = (const unsigned char *)text.data;
	const struct lead *lead = NULL;

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
		if (s[0] >= leads[i].first && s[0] <= leads[i].last)
			lead = &leads[i];
	if (lead == NULL || text.len < lead->len)
		return 0;
	if (lead->len > 1 && (s[1] < lead->low || s[1] > lead->high))
		return 0;
	for (size_t i = 2; i < lead->len; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return lead->len;
}
