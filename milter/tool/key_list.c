/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_list.h"

#include <stdlib.h>
#include <string.h>

static bool
grow(struct key_list *list)
{
	size_t room = list->room == 0 ? 16 : 2 * list->room;
	struct key_list_item *items;

	if (list->count < list->room)
		return true;
	items = reallocarray(list->items, room, sizeof(*items));
	if (items == NULL)
		return false;
	list->items = items;
	list->room = room;
	return true;
}

static void
item_fini(struct key_list_item *item)
{
	free(item->domain);
	free(item->selector);
	free(item->file);
}

static void
visit(void *ctx, const char *domain, const char *selector, const char *file)
{
	struct key_list *list = ctx;
	const char *at = domain == NULL ? NULL : strrchr(domain, '@');
	struct key_list_item entry;

	/* Of "user@example.com", the domain has the record. */
	if (at != NULL)
		domain = at + 1;
	if (domain == NULL || selector == NULL || file == NULL)
		return; /* of a configuration with errors */
	if (list->domain != NULL && strcmp(domain, list->domain) != 0)
		return;
	if (list->selector != NULL && strcmp(selector, list->selector) != 0)
		return;
	entry.domain = strdup(domain);
	entry.selector = strdup(selector);
	entry.file = strdup(file);
	if (entry.domain != NULL && entry.selector != NULL &&
	    entry.file != NULL && grow(list)) {
		list->items[list->count++] = entry;
		return;
	}
	list->failed = true;
	item_fini(&entry);
}

static int
compare(const void *a_entry, const void *b_entry)
{
	const struct key_list_item *a = a_entry, *b = b_entry;
	int order = strcmp(a->domain, b->domain);

	if (order == 0)
		order = strcmp(a->selector, b->selector);
	return order != 0 ? order : strcmp(a->file, b->file);
}

bool
key_list_fill(struct key_list *list, struct keystore *keystore)
{
	size_t kept = 0;

	keystore_each(keystore, visit, list);
	if (list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items), compare);
	/* A key may stand in the configuration and in key_directory, too. */
	for (size_t i = 0; i < list->count; i++) {
		if (kept > 0 &&
		    compare(&list->items[i], &list->items[kept - 1]) == 0)
			item_fini(&list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
	return !list->failed;
}

void
key_list_fini(struct key_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		item_fini(&list->items[i]);
	free(list->items);
}

bool
key_list_is_any(const char *domain)
{
	return domain[0] == '.' || domain[0] == '*';
}
