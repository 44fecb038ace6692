/* SPDX-License-Identifier: BSD-2-Clause */
#include "keystore.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "address.h"
#include "config_settings.h"
#include "keystore_files.h"

struct keystore {
	atomic_uint refs;
	const struct config *config;
	struct keystore_files *files;
	struct publication *publication; /* NULL: nothing is known of DNS */
};

/* What keystore_keys.owner points to. */
struct keys_owner {
	struct keystore *keystore;
	struct key_folder *folder; /* or NULL */
	char domain[DOMAIN_SIZE];
};

/* What keys have to be. */
struct rules {
	bool all; /* not just one of each algorithm */
	bool published;
	unsigned min_rsa_bits;
};

/* Notes that KEY can't be used. One that fails is read again, and so told of
 * again, every key_store.ttl. */
static void
note_unusable(struct keystore_keys *keys, struct cached_key *key,
    enum key_state state, const char *why)
{
	bool is_news = !keys->is_news &&
	    (state == KEY_LOADING || !atomic_exchange(&key->told, true));

	if (keys->unusable++ == 0 || is_news)
		snprintf(keys->why, sizeof keys->why, "%s", why);
	keys->is_news = keys->is_news || is_news;
}

/* Whether CANDIDATE's record is seen in DNS, where that matters; notes it where
 * not. */
static bool
is_published(const struct keystore *keystore,
    const struct keystore_key *candidate, const struct cached_key *key,
    struct keystore_keys *keys)
{
	const struct publication_key wanted = { candidate->domain,
		candidate->selector, candidate->file, key->print };
	enum standing_state state =
	    publication_allows(keystore->publication, &wanted);

	if (state == STANDING_PUBLISHED)
		return true;
	if (keys->unpublished++ == 0 && keys->unusable == 0)
		snprintf(keys->why, sizeof keys->why, "%s: %s", candidate->file,
		    standing_text(state));
	return false;
}

/* Whether there is no key of ALGORITHM yet, or all are wanted. */
static bool
is_wanted(const struct keystore_keys *keys, bool all,
    enum signpost_algorithm algorithm)
{
	for (size_t i = 0; i < keys->count && !all; i++)
		if (signpost_private_key_algorithm(keys->items[i].key) ==
		    algorithm)
			return false;
	return keys->count < KEYSTORE_MAX_KEYS;
}

/* Takes CANDIDATE, whose key is not set, where it is usable and wanted. False:
 * out of memory. */
static bool
consider(struct keystore *keystore, const struct keystore_key *candidate,
    const struct rules *rules, struct keystore_keys *keys)
{
	enum key_state state;
	struct cached_key *key =
	    keystore_files_key(keystore->files, candidate->file, &state);
	enum signpost_algorithm algorithm;
	char why[KEYFILE_WHY_BYTES] = "";

	if (key == NULL)
		return false;
	if (state != KEY_LOADED) {
		if (state == KEY_FAILED)
			memcpy(why, key->why, sizeof why);
		else
			snprintf(why, sizeof why, "%s: takes long to be read",
			    candidate->file);
		goto unusable;
	}
	algorithm = signpost_private_key_algorithm(key->key);
	if (algorithm == SIGNPOST_RSA_SHA256 &&
	    signpost_private_key_bits(key->key) < rules->min_rsa_bits) {
		snprintf(why, sizeof why, "%s: %u bits, min_rsa_bits is %u",
		    candidate->file, signpost_private_key_bits(key->key),
		    rules->min_rsa_bits);
		goto unusable;
	}
	if (is_wanted(keys, rules->all, algorithm) &&
	    (!rules->published ||
		is_published(keystore, candidate, key, keys))) {
		keys->items[keys->count] = *candidate;
		keys->items[keys->count++].key =
		    signpost_private_key_ref(key->key);
	}
	cached_key_unref(key);
	return true;

unusable:
	note_unusable(keys, key, state, why);
	cached_key_unref(key);
	return true;
}

/* Whether no further key is wanted: there are two algorithms. */
static bool
is_complete(const struct keystore_keys *keys, bool all)
{
	return keys->count >= (all ? KEYSTORE_MAX_KEYS : 2);
}

static bool
select_listed(struct keystore *keystore, const struct config_domain *entry,
    const struct rules *rules, struct keystore_keys *keys)
{
	struct keys_owner *owner = keys->owner;
	struct keystore_key candidate = { 0 };
	size_t i;

	keys->named = entry->key_count;
	for (i = 0; i < entry->key_count && !is_complete(keys, entry->all);
	     i++) {
		candidate.selector = entry->keys[i].selector;
		candidate.file = entry->keys[i].file;
		candidate.domain = entry->keys[i].domain;
		if (candidate.domain == NULL)
			candidate.domain = owner->domain;
		if (!consider(keystore, &candidate, rules, keys))
			return false;
	}
	return true;
}

static bool
select_folder(struct keystore *keystore, const struct rules *rules,
    struct keystore_keys *keys)
{
	struct keys_owner *owner = keys->owner;
	struct keystore_key candidate = { .domain = owner->domain };
	const struct keydir_list *list;
	size_t i;

	if (owner->folder == NULL &&
	    !keystore_files_find(
		keystore->files, owner->domain, &owner->folder))
		return false;
	if (owner->folder == NULL)
		return true;
	list = &owner->folder->list;
	if (list->why != NULL) {
		keys->named = keys->unusable = 1;
		snprintf(keys->why, sizeof keys->why, "%s", list->why);
		return true;
	}
	keys->named = list->count;
	for (i = 0; i < list->count && !is_complete(keys, rules->all); i++) {
		candidate.selector = list->items[i].name;
		candidate.file = list->items[i].path;
		if (!consider(keystore, &candidate, rules, keys))
			return false;
	}
	return true;
}

/* The domain signed for where a key names none, whose folder it is, too. */
static const char *
signing_domain(const struct config_domain *entry, const char *domain)
{
	return entry != NULL && entry->domain != NULL ? entry->domain : domain;
}

static bool
select_keys(struct keystore *keystore, const struct config_domain *entry,
    const struct rules *rules, struct keystore_keys *keys)
{
	if (entry != NULL && !entry->key_directory)
		return select_listed(keystore, entry, rules, keys);
	return select_folder(keystore, rules, keys);
}

bool
keystore_select(struct keystore *keystore, const struct config_domain *entry,
    const char *domain, struct keystore_keys *keys_r)
{
	struct keys_owner *owner = calloc(1, sizeof *owner);
	const struct config_sign *sign =
	    entry != NULL ? &entry->sign : &keystore->config->sign;
	struct rules rules = { .all = entry != NULL && entry->all,
		.published =
		    sign->require_published && keystore->publication != NULL,
		.min_rsa_bits = sign->min_rsa_bits };
	bool ok;

	memset(keys_r, 0, sizeof *keys_r);
	if (owner == NULL)
		return false;
	owner->keystore = keystore_ref(keystore);
	snprintf(owner->domain, sizeof owner->domain, "%s",
	    signing_domain(entry, domain));
	keys_r->owner = owner;
	ok = select_keys(keystore, entry, &rules, keys_r);
	if (ok && keys_r->count == 0 && keys_r->unusable == 0 &&
	    keys_r->unpublished > 0 && sign->on_no_usable_key == NO_KEY_SIGN) {
		rules.published = false;
		keys_r->anyway = true;
		ok = select_keys(keystore, entry, &rules, keys_r);
	}
	if (!ok)
		keystore_keys_fini(keys_r);
	return ok;
}

bool
keystore_has(struct keystore *keystore, const struct config_domain *entry,
    const char *domain)
{
	struct key_folder *folder;
	bool has;

	if (entry != NULL && !entry->key_directory)
		return entry->key_count > 0;
	/* Out of memory: there may be one, so mail must not leave unsigned. */
	if (!keystore_files_find(
		keystore->files, signing_domain(entry, domain), &folder))
		return true;
	has = folder != NULL &&
	    (folder->list.count > 0 || folder->list.why != NULL);
	key_folder_unref(folder);
	return has;
}

void
keystore_keys_fini(struct keystore_keys *keys)
{
	struct keys_owner *owner = keys->owner;
	size_t i;

	for (i = 0; i < keys->count; i++)
		signpost_private_key_unref(keys->items[i].key);
	if (owner != NULL) {
		key_folder_unref(owner->folder);
		keystore_unref(owner->keystore);
		free(owner);
	}
	memset(keys, 0, sizeof *keys);
}

void
keystore_counts(struct keystore *keystore, struct keystore_counts *out_r)
{
	keystore_files_counts(keystore->files, out_r);
}

static void
visit_listed(
    const struct config_domain *entry, keystore_visit *visit, void *ctx)
{
	const struct config_key *key;
	size_t i;

	for (i = 0; i < entry->key_count; i++) {
		key = &entry->keys[i];
		visit(ctx,
		    key->domain != NULL ? key->domain
					: signing_domain(entry, entry->name),
		    key->selector, key->file);
	}
}

void
keystore_each(struct keystore *keystore, keystore_visit *visit, void *ctx)
{
	const struct config *config = keystore->config;
	struct key_folder *top, *folder;
	size_t i, j;

	for (i = 0; i < config->domain_count; i++)
		visit_listed(&config->domains[i], visit, ctx);
	top = keystore_files_domains(keystore->files);
	for (i = 0; top != NULL && i < top->list.count; i++) {
		folder = keystore_files_selectors(keystore->files,
		    top->list.items[i].name, top->list.items[i].path);
		for (j = 0; folder != NULL && j < folder->list.count; j++)
			visit(ctx, top->list.items[i].name,
			    folder->list.items[j].name,
			    folder->list.items[j].path);
		key_folder_unref(folder);
	}
	key_folder_unref(top);
}

/* Reads a key and reports what is wrong with it, as of SETTING. */
static bool
check_one(struct keystore *keystore, const char *path, unsigned min_rsa_bits,
    struct config_problems *problems, const struct config_domain *entry)
{
	const struct config *config = keystore->config;
	const struct keystore_key candidate = { .file = path };
	const struct rules rules = { .all = true,
		.min_rsa_bits = min_rsa_bits };
	struct keystore_keys keys = { 0 };

	if (!consider(keystore, &candidate, &rules, &keys))
		return false;
	if (keys.unusable > 0 && entry != NULL)
		config_problem(problems, entry->file, entry->line,
		    "domains.keys.file", "%s", keys.why);
	else if (keys.unusable > 0)
		config_problem(
		    problems, config->file, 0, "key_directory", "%s", keys.why);
	keystore_keys_fini(&keys);
	return true;
}

static bool
check_listed(struct keystore *keystore, const struct config_domain *entry,
    struct config_problems *problems)
{
	struct config_domain at = *entry;
	size_t i;

	for (i = 0; i < entry->key_count; i++) {
		at.line = entry->keys[i].line;
		if (entry->keys[i].file == NULL)
			continue; /* has been said, see config_load_for_check */
		if (!check_one(keystore, entry->keys[i].file,
			entry->sign.min_rsa_bits, problems, &at))
			return false;
	}
	return true;
}

/* Reports of an entry for one domain that its folder holds nothing. */
static bool
check_entry(struct keystore *keystore, const struct config_domain *entry,
    struct config_problems *problems)
{
	const char *at = strrchr(entry->name, '@');
	const char *domain =
	    signing_domain(entry, at != NULL ? at + 1 : entry->name);

	if (!entry->key_directory)
		return check_listed(keystore, entry, problems);
	if (domain[0] != '\0' && domain[0] != '.' && domain[0] != '*' &&
	    !keystore_has(keystore, entry, domain))
		config_warning(problems, entry->file, entry->line,
		    "domains.name", "no key is to be found: %s/%s has none",
		    keystore->config->key_directory, domain);
	return true;
}

static bool
check_folder(struct keystore *keystore, const struct keydir_item *item,
    struct config_problems *problems)
{
	const struct config *config = keystore->config;
	const struct config_domain *entry =
	    config_find_domain(config, bytes_of("", 0), item->name);
	const struct config_sign *sign =
	    entry != NULL ? &entry->sign : &config->sign;
	struct key_folder *folder =
	    keystore_files_selectors(keystore->files, item->name, item->path);
	bool ok = folder != NULL;
	size_t i;

	if (ok && folder->list.why != NULL)
		config_problem(problems, config->file, 0, "key_directory", "%s",
		    folder->list.why);
	if (ok && folder->list.ignored > 0)
		config_warning(problems, config->file, 0, "key_directory",
		    "%s: the names of %zu files are no selectors", item->path,
		    folder->list.ignored);
	for (i = 0; ok && i < folder->list.count; i++)
		ok = check_one(keystore, folder->list.items[i].path,
		    sign->min_rsa_bits, problems, NULL);
	key_folder_unref(folder);
	return ok;
}

/* Reports of each entry what is wrong. False: out of memory. */
static bool
check_entries(struct keystore *keystore, enum keystore_check check,
    struct config_problems *problems)
{
	const struct config *config = keystore->config;
	const struct config_domain *entry;
	bool ok = true;
	size_t i, keys = 0;

	for (i = 0; ok && i < config->domain_count; i++) {
		entry = &config->domains[i];
		keys += entry->key_count;
		if (check == KEYSTORE_CHECK_ALL)
			ok = check_entry(keystore, entry, problems);
		else if (keys <= KEYSTORE_MAX_CHECKED)
			ok = check_listed(keystore, entry, problems);
	}
	return ok;
}

/* A folder that was asked for by name and is gone, not mounted or misspelled
 * would let the mail of its domains leave unsigned. */
static void
report_missing(const struct config *config, struct config_problems *problems)
{
	const char *path = config->key_directory;
	const struct setting *setting = setting_find("key_directory");

	if (strcmp(path, setting->initial) == 0)
		config_warning(problems, config->file, 0, "key_directory",
		    "%s is not there: mail is signed only with keys that "
		    "domains names",
		    path);
	else
		config_problem(problems, config->file, 0, "key_directory",
		    "%s is not there: make it, or name \"\" for none", path);
}

/* Reports of the folder of folders what is wrong, and of the keys that CHECK
 * says. False: out of memory. */
static bool
check_all(struct keystore *keystore, enum keystore_check check,
    struct config_problems *problems)
{
	const struct config *config = keystore->config;
	struct key_folder *top;
	bool all = check == KEYSTORE_CHECK_ALL;
	bool ok = true;
	size_t i;

	/* Who only verifies needs no key: neither its presence nor its rights
	 * are a reason not to start. */
	if (config->mode == MODE_VERIFY)
		return true;
	top = keystore_files_domains(keystore->files);
	if (top != NULL && top->list.why != NULL)
		config_problem(problems, config->file, 0, "key_directory", "%s",
		    top->list.why);
	if (top != NULL && top->list.why == NULL && top->list.stamp.ino == 0)
		report_missing(config, problems);
	if (top != NULL && top->list.ignored > 0)
		config_warning(problems, config->file, 0, "key_directory",
		    "%s: the names of %zu folders are no domains",
		    config->key_directory, top->list.ignored);
	if (check != KEYSTORE_CHECK_NONE)
		ok = check_entries(keystore, check, problems);
	for (i = 0; all && ok && top != NULL && i < top->list.count; i++)
		ok = check_folder(keystore, &top->list.items[i], problems);
	key_folder_unref(top);
	return ok;
}

struct keystore *
keystore_new(struct signpost *handle, const struct config *config,
    enum keystore_check check, struct config_problems *problems)
{
	struct keystore *keystore = calloc(1, sizeof *keystore);

	if (keystore == NULL)
		return NULL;
	atomic_init(&keystore->refs, 1);
	keystore->config = config_ref(config);
	keystore->files = keystore_files_new(handle, config);
	if (keystore->files == NULL || !check_all(keystore, check, problems)) {
		keystore_unref(keystore);
		return NULL;
	}
	return keystore;
}

void
keystore_set_publication(
    struct keystore *keystore, struct publication *publication)
{
	keystore->publication = publication;
}

struct keystore *
keystore_ref(struct keystore *keystore)
{
	atomic_fetch_add(&keystore->refs, 1);
	return keystore;
}

void
keystore_unref(struct keystore *keystore)
{
	if (keystore == NULL || atomic_fetch_sub(&keystore->refs, 1) > 1)
		return;
	keystore_files_free(keystore->files);
	config_unref(keystore->config);
	free(keystore);
}
