/* SPDX-License-Identifier: BSD-2-Clause */
#include "publication_json.h"

#include <string.h>

struct page {
	json_t *keys;
	const char *domain;
	bool published; /* whose turn it is */
	size_t left_out;
	bool failed;
};

static void
add_key(void *ctx, const struct publication_entry *key)
{
	struct page *page = ctx;
	char name[600];
	json_t *object;

	if ((key->standing.state == STANDING_PUBLISHED) != page->published ||
	    (page->domain != NULL && strcmp(key->domain, page->domain) != 0))
		return;
	if (json_array_size(page->keys) >= PUBLICATION_JSON_MAX) {
		page->left_out++;
		return;
	}
	publication_name(key->domain, key->selector, name, sizeof name);
	/* A path may be no UTF-8, and then is not shown. */
	object = json_pack("{ss ss ss ss ss ss sI}", "name", name, "domain",
	    key->domain, "selector", key->selector, "key", key->print, "state",
	    standing_token(key->standing.state), "last_check",
	    key->checked ? standing_check_token(key->last) : "none", "since",
	    (json_int_t)key->changed_s);
	if (object != NULL)
		json_object_set_new(object, "file", json_string(key->file));
	if (json_array_append_new(page->keys, object) != 0)
		page->failed = true;
}

json_t *
publication_to_json(struct publication *publication, const char *domain)
{
	struct page page = { json_array(), domain, false, 0, false };
	json_t *json;

	if (page.keys == NULL)
		return NULL;
	publication_each(publication, add_key, &page);
	page.published = true;
	publication_each(publication, add_key, &page);
	json = json_pack("{so sI}", "keys", page.keys, "left_out",
	    (json_int_t)page.left_out);
	if (!page.failed)
		return json;
	json_decref(json);
	return NULL;
}

static const char *
text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

bool
publication_from_json(const json_t *json, struct publication *publication)
{
	const json_t *keys = json_object_get(json, "keys");
	enum standing_state state;
	json_t *object;
	size_t i;

	json_array_foreach(keys, i, object)
	{
		const struct publication_key key = { text(object, "domain"),
			text(object, "selector"), text(object, "file"),
			text(object, "key") };
		const char *token = text(object, "state");

		if (key.domain == NULL || key.selector == NULL ||
		    key.file == NULL || key.print == NULL || token == NULL ||
		    !standing_read(token, &state))
			return false;
		publication_restore(publication, &key, state, false);
	}
	return json_is_array(keys);
}
