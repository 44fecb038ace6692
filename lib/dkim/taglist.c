/* SPDX-License-Identifier: BSD-2-Clause */
#include "taglist.h"

static bool
is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* VALCHAR, the semicolon and octets beyond ASCII */
static bool
is_text(char c)
{
	unsigned char octet = (unsigned char)c;

	return octet >= 0x21 && octet != 0x7f;
}

/* Whether TEXT is made of text and folding white space: a CRLF counts where
 * white space follows it, any other control character never. */
static bool
has_only_text(struct bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (is_text(text.data[i]) || is_wsp(text.data[i]))
			continue;
		if (text.len - i < 3 || text.data[i] != '\r' ||
		    text.data[i + 1] != '\n' || !is_wsp(text.data[i + 2]))
			return false;
		i += 2;
	}
	return true;
}

static bool
is_name(struct bytes name)
{
	if (name.len == 0 || !is_alpha(name.data[0]))
		return false;
	for (size_t i = 1; i < name.len; i++) {
		char c = name.data[i];

		if (!is_alpha(c) && !is_digit(c) && c != '_')
			return false;
	}
	return true;
}

static bool
has(const struct taglist *list, struct bytes name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (bytes_equal(list->tags[i].name, name))
			return true;
	}
	return false;
}

static enum taglist_status
add_tag(struct taglist *list, struct bytes spec)
{
	struct tag tag;

	if (!bytes_next(&spec, '=', &tag.name) || spec.data == NULL)
		return TAGLIST_SYNTAX;
	tag.name = bytes_trim(tag.name);
	tag.raw = spec;
	tag.value = bytes_trim(spec);
	if (!is_name(tag.name))
		return TAGLIST_SYNTAX;
	if (has(list, tag.name))
		return TAGLIST_REPEATED;
	if (list->count == TAGLIST_MAX_TAGS)
		return TAGLIST_SYNTAX;
	list->tags[list->count++] = tag;
	return TAGLIST_OK;
}

enum taglist_status
taglist_parse(struct bytes text, struct taglist *list_r)
{
	enum taglist_status status =
	    has_only_text(text) ? TAGLIST_OK : TAGLIST_SYNTAX;
	struct bytes rest = text;
	struct bytes spec;

	list_r->count = 0;
	while (bytes_next(&rest, ';', &spec)) {
		enum taglist_status added;

		/* One semicolon may end the list. */
		if (rest.data == NULL && list_r->count > 0 &&
		    bytes_trim(spec).len == 0)
			break;
		added = add_tag(list_r, spec);
		if (status == TAGLIST_OK)
			status = added;
		if (list_r->count == TAGLIST_MAX_TAGS && added != TAGLIST_OK)
			break;
	}
	if (list_r->count == 0)
		return TAGLIST_SYNTAX;
	return status;
}

const struct tag *
taglist_get(const struct taglist *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (bytes_is(list->tags[i].name, name))
			return &list->tags[i];
	}
	return NULL;
}

bool
taglist_next_item(struct bytes *rest, struct bytes *item_r)
{
	if (!bytes_next(rest, ':', item_r))
		return false;
	*item_r = bytes_trim(*item_r);
	return true;
}

bool
taglist_number(
    struct bytes value, size_t max_digits, uint64_t max, uint64_t *number_r)
{
	uint64_t number = 0;

	if (value.len == 0 || value.len > max_digits)
		return false;
	for (size_t i = 0; i < value.len; i++) {
		uint64_t digit;

		if (!is_digit(value.data[i]))
			return false;
		digit = (uint64_t)(value.data[i] - '0');
		number = digit > max || number > (max - digit) / 10
		    ? max
		    : number * 10 + digit;
	}
	*number_r = number;
	return true;
}
