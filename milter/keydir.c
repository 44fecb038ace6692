/* SPDX-License-Identifier: BSD-2-Clause */
#include "keydir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "address.h"

static const char suffix[] = ".pem";

/* What a kind of folder holds. */
struct kind {
	unsigned char type; /* of dirent(3), beside links */
	const char *suffix;
	size_t max;
	int (*order)(const void *, const void *);
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Compares the runs of digits at *A and *B as numbers, and steps over them. */
static int
compare_numbers(const char **a, const char **b)
{
	size_t a_len, b_len;
	int order;

	while (**a == '0')
		(*a)++;
	while (**b == '0')
		(*b)++;
	a_len = strspn(*a, "0123456789");
	b_len = strspn(*b, "0123456789");
	order =
	    a_len != b_len ? (a_len > b_len ? 1 : -1) : strncmp(*a, *b, a_len);
	*a += a_len;
	*b += b_len;
	return order;
}

int
keydir_compare(const char *a, const char *b)
{
	const char *x = a, *y = b;
	int order = 0;

	while (order == 0 && *x != '\0' && *y != '\0') {
		if (is_digit(*x) && is_digit(*y))
			order = compare_numbers(&x, &y);
		else
			order = (unsigned char)*x++ - (unsigned char)*y++;
	}
	if (order == 0)
		order = (*x != '\0') - (*y != '\0');
	return order != 0 ? order : strcmp(a, b);
}

static int
by_name(const void *a, const void *b)
{
	const struct keydir_item *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int
greatest_first(const void *a, const void *b)
{
	const struct keydir_item *x = a, *y = b;

	return keydir_compare(y->name, x->name);
}

static const struct kind domains_kind = { DT_DIR, "", KEYDIR_MAX_DOMAINS,
	by_name };
static const struct kind selectors_kind = { DT_REG, suffix,
	4 * KEYDIR_MAX_SELECTORS, greatest_first };

/* The name that ENTRY stands for, in A-labels. False where it is of another
 * kind; IGNORED counts those that only look like one. */
static bool
take_name(const struct kind *kind, const struct dirent *entry,
    char name[DOMAIN_SIZE], size_t *ignored)
{
	size_t len = strlen(entry->d_name), cut = strlen(kind->suffix);

	if (entry->d_name[0] == '.' || len <= cut ||
	    strcmp(entry->d_name + len - cut, kind->suffix) != 0)
		return false;
	if (entry->d_type != kind->type && entry->d_type != DT_LNK &&
	    entry->d_type != DT_UNKNOWN)
		return false;
	if (domain_to_ascii(bytes_of(entry->d_name, len - cut), name))
		return true;
	(*ignored)++;
	return false;
}

static bool
add_item(struct arena *arena, struct keydir_list *list, const char *name,
    const char *folder, const char *file)
{
	struct keydir_item *items = list->items, *item;
	size_t size = strlen(folder) + strlen(file) + 2;
	char *path;

	if ((list->count & (list->count - 1)) == 0)
		items = reallocarray(
		    items, list->count ? 2 * list->count : 1, sizeof *items);
	if (items == NULL)
		return false;
	list->items = items;
	item = &items[list->count++];
	path = arena_alloc(arena, 1, size);
	item->name = arena_strdup(arena, name);
	item->path = path;
	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, file);
	return !arena->failed;
}

static const char *
why_unread(int error)
{
	return error == EACCES
	    ? "Permission denied to the user that this runs as; signpostd -t, "
	      "run by root, says what to change"
	    : strerror(error);
}

/* Reads the names out of DIR, in any order. */
static bool
read_names(const struct kind *kind, DIR *dir, const char *path,
    struct arena *arena, struct keydir_list *list)
{
	char name[DOMAIN_SIZE];
	struct dirent *entry;

	while ((errno = 0, entry = readdir(dir)) != NULL) {
		if (!take_name(kind, entry, name, &list->ignored))
			continue;
		if (list->count >= kind->max) {
			list->why = "holds too many keys";
			return true;
		}
		if (!add_item(arena, list, name, path, entry->d_name))
			return false;
	}
	if (errno != 0)
		list->why = why_unread(errno);
	return !keyfile_is_shortage(errno);
}

/* Sorts, and drops all but the first of those that stand for the same name
 * (one written in U-labels, one in A-labels). */
static void
put_in_order(const struct kind *kind, struct keydir_list *list)
{
	size_t kept = 0, i;

	if (list->count > 0)
		qsort(
		    list->items, list->count, sizeof *list->items, kind->order);
	for (i = 0; i < list->count; i++) {
		if (kept > 0 &&
		    strcmp(list->items[i].name, list->items[kept - 1].name) ==
			0) {
			list->ignored++;
			continue;
		}
		list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

/* Moves what was gathered on the heap, and its reason, to the arena. */
static bool
settle(struct arena *arena, const char *path, struct keydir_list *list)
{
	struct keydir_item *items = list->items;
	char why[KEYFILE_WHY_BYTES];

	list->items = arena_alloc(arena, list->count + 1, sizeof *items);
	if (list->items != NULL && items != NULL)
		memcpy(list->items, items, list->count * sizeof *items);
	free(items);
	if (list->why != NULL) {
		snprintf(why, sizeof why, "%s: %s", path, list->why);
		list->why = arena_strdup(arena, why);
	}
	return !arena->failed;
}

static bool
list_folder(const struct kind *kind, const char *path, struct arena *arena,
    struct keydir_list *list_r)
{
	DIR *dir = opendir(path);
	bool ok = true;
	struct stat st;

	*list_r = (struct keydir_list){ 0 };
	if (dir == NULL && errno != ENOENT) {
		list_r->why = why_unread(errno);
		ok = !keyfile_is_shortage(errno);
	}
	/* The stamp comes first: what is added while the names are read must
	 * be seen next time. */
	if (dir != NULL && fstat(dirfd(dir), &st) == 0)
		keyfile_stamp(&st, &list_r->stamp);
	if (dir != NULL) {
		ok = read_names(kind, dir, path, arena, list_r);
		closedir(dir);
	}
	if (ok)
		put_in_order(kind, list_r);
	return settle(arena, path, list_r) && ok;
}

bool
keydir_domains(
    const char *path, struct arena *arena, struct keydir_list *list_r)
{
	return list_folder(&domains_kind, path, arena, list_r);
}

bool
keydir_selectors(
    const char *path, struct arena *arena, struct keydir_list *list_r)
{
	if (!list_folder(&selectors_kind, path, arena, list_r))
		return false;
	if (list_r->count > KEYDIR_MAX_SELECTORS)
		list_r->count = KEYDIR_MAX_SELECTORS;
	return true;
}

const struct keydir_item *
keydir_find(const struct keydir_list *list, const char *domain)
{
	struct keydir_item wanted = { domain, NULL };

	if (list->count == 0)
		return NULL;
	return bsearch(
	    &wanted, list->items, list->count, sizeof *list->items, by_name);
}

bool
keydir_unchanged(const char *path, const struct keyfile_stamp *stamp)
{
	struct keyfile_stamp now;
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == ENOENT && stamp->ino == 0;
	keyfile_stamp(&st, &now);
	return keyfile_same(stamp, &now);
}
