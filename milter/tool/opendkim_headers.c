/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_headers.h"

#include "config_check.h"
#include "config_settings.h"
#include "config_text.h"
#include "opendkim_set.h"

struct headers {
	const struct opendkim_conf *conf;
	struct opendkim_set sign, omit;
};

/* A list that is being written. */
struct list {
	struct buf *out;
	bool wrote;
};

static void
write_name(struct list *list, const char *name)
{
	buf_append_str(list->out, list->wrote ? ", " : " ");
	config_text_string(list->out, name);
	list->wrote = true;
}

static bool
is_nocase(const char *a, const char *b)
{
	return bytes_is_nocase(bytes_str(a), b);
}

/* Whether SET is written as changes to OpenDKIM's list: "*,+A,-B". */
static bool
is_changes(const struct opendkim_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->rows[i].key, "*") == 0)
			return true;
	return false;
}

/* Whether SET has NAME, behind SIGN if that is not '\0'. */
static bool
has(const struct opendkim_set *set, char sign, const char *name)
{
	for (size_t i = 0; i < set->count; i++) {
		const char *key = set->rows[i].key;

		if ((sign == '\0' || key[0] == sign) &&
		    is_nocase(key + (sign != '\0'), name))
			return true;
	}
	return false;
}

/* Whether the fields NAME are to be left out. What OpenDKIM omits by itself is
 * in no list of ours. */
static bool
is_omitted(const struct headers *headers, const char *name)
{
	char sign = is_changes(&headers->omit) ? '+' : '\0';

	return has(&headers->omit, sign, name) ||
	    (is_changes(&headers->sign) && has(&headers->sign, '-', name));
}

/* Whether NAME is one that can be signed; From always is. */
static bool
is_good(const struct headers *headers, const struct opendkim_row *row,
    const char *name)
{
	const char *why = check_signed_header(name);

	if (why == NULL && (name[0] == '+' || name[0] == '-'))
		why = "not the name of a header field";
	if (why != NULL)
		import_lost(
		    headers->conf->import, row->place, "\"%s\": %s", name, why);
	return why == NULL;
}

/* The names that are signed, in full. */
static void
write_signed(const struct headers *headers, struct list *list)
{
	const char *const *name = setting_default_headers();
	bool changes = is_changes(&headers->sign);

	if (headers->sign.count == 0 || changes)
		for (; *name != NULL; name++)
			if (!is_omitted(headers, *name))
				write_name(list, *name);
	for (size_t i = 0; i < headers->sign.count; i++) {
		const struct opendkim_row *row = &headers->sign.rows[i];
		const char *key = row->key + (changes ? 1 : 0);

		if (changes && row->key[0] != '+')
			continue;
		if (!is_omitted(headers, key) && is_good(headers, row, key))
			write_name(list, key);
	}
}

/* Of what is signed once more by default, what is signed at all. */
static void
write_oversigned(const struct headers *headers, struct list *list)
{
	const char *const *name = setting_default_oversign();
	bool whole = headers->sign.count > 0 && !is_changes(&headers->sign);

	for (; *name != NULL; name++)
		if (!is_omitted(headers, *name) &&
		    (!whole || has(&headers->sign, '\0', *name) ||
			is_nocase(*name, "From")))
			write_name(list, *name);
}

static void
write_set(const struct headers *headers, const struct opendkim_set *set,
    struct list *list)
{
	for (size_t i = 0; i < set->count; i++)
		if (is_good(headers, &set->rows[i], set->rows[i].key))
			write_name(list, set->rows[i].key);
}

static void
read_set(const struct opendkim_conf *conf, const char *name,
    struct opendkim_set *set_r)
{
	const struct opendkim_value *value = opendkim_conf_get(conf, name);

	*set_r = (struct opendkim_set){ 0 };
	if (value->text != NULL)
		opendkim_set_read(conf, value, set_r);
}

void
opendkim_headers_write(
    const struct opendkim_conf *conf, const char *indent, struct buf *out)
{
	struct headers headers = { .conf = conf };
	struct opendkim_set oversign;
	struct list list = { out, false };
	bool changed;

	read_set(conf, "SignHeaders", &headers.sign);
	read_set(conf, "OmitHeaders", &headers.omit);
	read_set(conf, "OversignHeaders", &oversign);
	changed = headers.sign.count > 0 || headers.omit.count > 0;
	if (changed) {
		buf_printf(out, "%sheaders = [", indent);
		write_signed(&headers, &list);
		buf_append_str(out, " ];\n");
	}
	if (changed || oversign.count > 0) {
		list.wrote = false;
		buf_printf(out, "%soversign = [", indent);
		if (oversign.count > 0)
			write_set(&headers, &oversign, &list);
		else
			write_oversigned(&headers, &list);
		buf_append_str(out, " ];\n");
	}
	opendkim_set_fini(&headers.sign);
	opendkim_set_fini(&headers.omit);
	opendkim_set_fini(&oversign);
}
