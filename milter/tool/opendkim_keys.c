/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_keys.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base64.h"
#include "config_check.h"
#include "key_pem.h"
#include "keyfile.h"
#include "opendkim_set.h"

enum {
	PEM_LINE_BYTES = 64 /* RFC 7468 section 2 */
};

static bool
is_path(const char *data)
{
	return data[0] == '/' || strncmp(data, "./", 2) == 0 ||
	    strncmp(data, "../", 3) == 0;
}

/* Why ROW, cut into KEY, is none that signs; NULL where it is one. */
static const char *
check_key(const struct opendkim_key *key)
{
	if (key->selector[0] == '\0' || key->data[0] == '\0')
		return "must have a domain, a selector and a path, with colons "
		       "between them";
	if (strcmp(key->domain, "%") != 0 && check_domain(key->domain) != NULL)
		return "its first part is neither a domain nor \"%\"";
	if (check_selector(key->selector) != NULL)
		return "its second part is no selector";
	return NULL;
}

static void
add_key(
    struct opendkim_keys *keys, const struct opendkim_row *row, bool patterns)
{
	struct import *import = keys->conf->import;
	struct bytes rest = bytes_str(row->value == NULL ? "" : row->value);
	struct bytes domain = { 0 }, selector = { 0 };
	struct opendkim_key key = { .name = row->key, .place = row->place };
	const char *why;

	bytes_next(&rest, ':', &domain);
	if (rest.data != NULL)
		bytes_next(&rest, ':', &selector);
	key.domain = import_keep(import, domain);
	key.selector = import_keep(import, selector);
	key.data = import_keep(import, rest);
	key.is_path = is_path(key.data);
	why = check_key(&key);
	if (why == NULL && patterns && !opendkim_pattern_is_plain(key.name))
		why = "a regular expression is not understood";
	if (why != NULL)
		import_lost(import, row->place,
		    "\"%s\": %s; the key is left out", row->key, why);
	else if (import_grow(
		     import, &keys->keys, keys->count, sizeof(*keys->keys)) &&
	    import_grow(
		import, &keys->wild, keys->wild_count, sizeof(*keys->wild))) {
		if (patterns && strchr(key.name, '*') != NULL)
			keys->wild[keys->wild_count++] = keys->count;
		keys->keys[keys->count++] = key;
	}
}

static int
compare(const void *a, const void *b, void *keys)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct opendkim_key *rows = keys;
	int order = strcmp(rows[x].name, rows[y].name);

	return order != 0 ? order : (x > y) - (x < y);
}

static void
sort(struct opendkim_keys *keys)
{
	keys->by_name = calloc(keys->count + 1, sizeof(*keys->by_name));
	if (keys->by_name == NULL) {
		keys->conf->import->no_memory = true;
		keys->count = 0;
	}
	for (size_t i = 0; i < keys->count; i++)
		keys->by_name[i] = i;
	if (keys->count > 0)
		qsort_r(keys->by_name, keys->count, sizeof(*keys->by_name),
		    compare, keys->keys);
}

void
opendkim_keys_read(struct opendkim_keys *keys, const struct opendkim_conf *conf,
    struct signpost *handle, const char *folder)
{
	const struct opendkim_value *table =
	    opendkim_conf_get(conf, "KeyTable");
	struct opendkim_set set = { 0 };

	*keys = (struct opendkim_keys){
		.conf = conf, .folder = folder, .handle = handle
	};
	if (table->text != NULL)
		opendkim_set_read(conf, table, &set);
	for (size_t i = 0; i < set.count; i++)
		add_key(keys, &set.rows[i], set.patterns);
	opendkim_set_fini(&set);
	sort(keys);
}

void
opendkim_keys_fini(struct opendkim_keys *keys)
{
	free(keys->keys);
	free(keys->by_name);
	free(keys->wild);
}

/* The first of those named NAME; COUNT for none. */
static size_t
find_literal(const struct opendkim_keys *keys, const char *name)
{
	size_t low = 0, high = keys->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(keys->keys[keys->by_name[middle]].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < keys->count &&
	    strcmp(keys->keys[keys->by_name[low]].name, name) == 0)
		return keys->by_name[low];
	return keys->count;
}

struct opendkim_key *
opendkim_keys_find(const struct opendkim_keys *keys, const char *name)
{
	size_t found = find_literal(keys, name);

	for (size_t i = 0; i < keys->wild_count && keys->wild[i] < found; i++)
		if (opendkim_pattern_matches(
			keys->keys[keys->wild[i]].name, name))
			found = keys->wild[i];
	return found < keys->count ? &keys->keys[found] : NULL;
}

/* DER in base64, as PEM of the type LABEL. */
static void
write_pem(struct buf *pem, const char *label, struct bytes der)
{
	struct buf text;
	size_t room = BASE64_ENCODED_LEN(der.len);

	buf_init(&text, SIZE_MAX);
	buf_reserve(&text, room + 1);
	buf_reserve(pem, room + room / PEM_LINE_BYTES + 128);
	base64_encode(der.data, der.len, &text);
	buf_printf(pem, "-----BEGIN %s-----\n", label);
	for (size_t at = 0; at < text.len; at += PEM_LINE_BYTES) {
		size_t left = text.len - at;

		buf_append(pem, text.data + at,
		    left < PEM_LINE_BYTES ? left : PEM_LINE_BYTES);
		buf_append_char(pem, '\n');
	}
	buf_printf(pem, "-----END %s-----\n", label);
	pem->failed |= text.failed;
	buf_cleanse(&text);
}

/* NULL where DATA, PEM or DER in base64, is no key. */
static struct signpost_private_key *
read_key(struct signpost *handle, const char *data)
{
	static const char *const labels[] = { "PRIVATE KEY",
		"RSA PRIVATE KEY" };
	struct signpost_private_key *key = NULL;
	struct buf der, pem;

	buf_init(&der, KEYFILE_MAX_BYTES);
	buf_init(&pem, 2 * KEYFILE_MAX_BYTES);
	buf_reserve(&der, strlen(data) + 1);
	if (strncmp(data, "-----", 5) == 0) {
		signpost_private_key_read(handle, data, strlen(data), &key);
	} else if (base64_decode(bytes_str(data), &der) && der.len > 0) {
		for (size_t i = 0; i < 2 && key == NULL; i++) {
			buf_clear(&pem);
			write_pem(&pem, labels[i], buf_bytes(&der));
			if (!pem.failed)
				signpost_private_key_read(
				    handle, pem.data, pem.len, &key);
		}
	}
	buf_cleanse(&der);
	buf_cleanse(&pem);
	return key;
}

/* Whether the file PATH holds KEY already: of an import before. */
static bool
is_there(struct signpost *handle, const char *path,
    const struct signpost_private_key *key)
{
	struct signpost_private_key *old = NULL;
	char *text = NULL, *old_text = NULL;
	bool same = false;

	if (access(path, R_OK) == 0 && key_pem_read(handle, path, &old) == 0 &&
	    signpost_private_key_pem(key, &text) == SIGNPOST_OK &&
	    signpost_private_key_pem(old, &old_text) == SIGNPOST_OK)
		same = strcmp(text, old_text) == 0;
	signpost_string_free(text);
	signpost_string_free(old_text);
	signpost_private_key_unref(old);
	return same;
}

/* Run by root, a key is to be the daemon's. */
static void
find_owner(const struct opendkim_conf *conf, struct key_pem_place *place)
{
	const char *name = opendkim_conf_get(conf, "UserID")->text;
	const struct passwd *user = NULL;

	if (geteuid() != 0)
		return;
	if (name != NULL)
		user = getpwnam(import_keep(
		    conf->import, bytes_of(name, strcspn(name, ":"))));
	if (user == NULL)
		user = getpwnam("signpost");
	if (user == NULL)
		return;
	place->chown = true;
	place->uid = user->pw_uid;
	place->gid = user->pw_gid;
}

const char *
opendkim_keys_extract(
    const struct opendkim_keys *keys, struct opendkim_key *key)
{
	struct import *import = keys->conf->import;
	struct key_pem_place place = { .folder = keys->folder,
		.domain = strcmp(key->domain, "%") == 0 ? "any" : key->domain,
		.selector = key->selector };
	struct signpost_private_key *private_key;
	char path[PATH_MAX], whole[PATH_MAX];

	if (key->file != NULL)
		return key->file;
	find_owner(keys->conf, &place);
	private_key = read_key(keys->handle, key->data);
	if (private_key == NULL) {
		import_lost(import, key->place,
		    "\"%s\": what it has for a key is neither a path, which "
		    "begins with a /, nor a private key",
		    key->name);
	} else if (keys->folder == NULL) {
		import_lost(import, key->place,
		    "\"%s\": the key itself stands in the table, and keys are "
		    "in files here: -o DIR writes it to DIR/%s/%s.pem",
		    key->name, place.domain, key->selector);
	} else if (snprintf(path, sizeof(path), "%s/%s/%s.pem", keys->folder,
		       place.domain, key->selector) < (int)sizeof(path) &&
	    (is_there(keys->handle, path, private_key) ||
		key_pem_write(private_key, &place) == 0)) {
		key->file = import_keep(import,
		    bytes_str(realpath(path, whole) != NULL ? whole : path));
	} else {
		import_lost(import, key->place,
		    "\"%s\": its key could not be written to %s", key->name,
		    path);
	}
	signpost_private_key_unref(private_key);
	return key->file;
}
