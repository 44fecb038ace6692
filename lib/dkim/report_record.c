/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_record.h"

#include "quoted.h"
#include "taglist.h"

/* RFC 5322 section 3.2.3: dot-atom-text, without what makes a mail server read
 * it as a route, a file or a program, or the program that it is handed to as an
 * option. */
static bool
is_local_part(struct bytes local)
{
	static const char marks[] = "#$&'*+-=?^_`{}~";
	char last = '.';

	for (size_t i = 0; i < local.len; i++) {
		char c = local.data[i], lower = ascii_lower(c);

		if (!(lower >= 'a' && lower <= 'z') &&
		    !(c >= '0' && c <= '9') && !(c == '.' && last != '.') &&
		    (c == '\0' || strchr(marks, c) == NULL))
			return false;
		last = c;
	}
	return last != '.' && local.data[0] != '-';
}

static bool
read_address(struct bytes value, char local_r[REPORT_ADDRESS_SIZE])
{
	struct buf local;
	bool good;

	buf_init(&local, REPORT_ADDRESS_SIZE - 1);
	good = quoted_decode(value, &local) && !local.failed &&
	    is_local_part(buf_bytes(&local));
	if (good)
		memcpy(local_r, local.data, local.len + 1);
	buf_fini(&local);
	return good;
}

bool
report_record_parse(struct bytes text, struct report_record *record_r)
{
	struct taglist tags;
	const struct tag *tag;
	uint64_t percent = 100;

	*record_r = (struct report_record){ .percent = 100 };
	if (taglist_parse(text, &tags) != TAGLIST_OK)
		return false;
	tag = taglist_get(&tags, "ra");
	if (tag == NULL || !read_address(tag->value, record_r->local))
		return false;
	tag = taglist_get(&tags, "rp");
	if (tag != NULL && !taglist_number(tag->value, 3, 100, &percent))
		return false;
	record_r->percent = (unsigned)percent;
	tag = taglist_get(&tags, "rr");
	if (tag != NULL)
		record_r->kinds = tag->value;
	return true;
}

bool
report_record_wants(const struct report_record *record, enum report_kind kind)
{
	struct bytes rest = record->kinds, item;

	if (rest.data == NULL)
		return true;
	while (taglist_next_item(&rest, &item))
		if (bytes_is(item, "all") ||
		    (item.len == 1 && item.data[0] == (char)kind))
			return true;
	return false;
}
