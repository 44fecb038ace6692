/* SPDX-License-Identifier: BSD-2-Clause */
#include "keystore_files.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lru.h"

enum {
	WAIT_S = 5 /* for another thread that reads the same key */
};

struct keystore_files {
	struct signpost *handle;
	const struct config *config;
	struct keyfile_user user;
	pthread_mutex_t mutex;	/* of all below, and of check_at and state */
	pthread_cond_t loaded;	/* some key is no longer KEY_LOADING */
	struct lru *keys;	/* by file: struct cached_key */
	struct lru *folders;	/* by domain: struct key_folder */
	struct key_folder *top; /* the domains of key_directory, or NULL */
	uint64_t hits, misses, failures;
};

static int64_t
now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static int64_t
next_check(const struct keystore_files *files)
{
	return now_s() + files->config->key_store.ttl_s;
}

void
cached_key_unref(struct cached_key *key)
{
	if (key == NULL || atomic_fetch_sub(&key->refs, 1) > 1)
		return;
	signpost_private_key_unref(key->key);
	free(key);
}

void
key_folder_unref(struct key_folder *folder)
{
	if (folder == NULL || atomic_fetch_sub(&folder->refs, 1) > 1)
		return;
	arena_fini(&folder->arena);
	free(folder);
}

static void
release_key(void *value)
{
	cached_key_unref(value);
}

static void
release_folder(void *value)
{
	key_folder_unref(value);
}

static struct key_folder *
folder_ref(struct key_folder *folder)
{
	atomic_fetch_add(&folder->refs, 1);
	return folder;
}

/*
 * Keys
 */

/* Reads the file at PATH into KEY; returns what state it comes to, and whether
 * it failed for lack of memory, which is no fault of the file's. */
static enum key_state
load_key(struct keystore_files *files, const char *path, struct cached_key *key)
{
	enum signpost_status status;
	struct buf text;

	buf_init(&text, KEYFILE_MAX_BYTES);
	status = keyfile_read(path, &files->user, &text, &key->stamp, key->why);
	if (status != SIGNPOST_OK) {
		buf_cleanse(&text);
		return status == SIGNPOST_NOMEM ? KEY_UNKNOWN : KEY_FAILED;
	}
	status = signpost_private_key_read(
	    files->handle, text.data, text.len, &key->key);
	buf_cleanse(&text);
	if (status == SIGNPOST_OK)
		status = key_print(files->handle, key->key, key->print);
	if (status == SIGNPOST_OK)
		return KEY_LOADED;
	/* libcrypto does not always say that it was memory it lacked. What a
	 * key is was settled before it was asked, so that a failure of its own
	 * may be gone the next time. */
	if (status == SIGNPOST_NOMEM || status == SIGNPOST_CRYPTO)
		return KEY_UNKNOWN;
	snprintf(key->why, sizeof key->why,
	    "%s: not a private key of RSA or Ed25519 in PEM without a "
	    "password (%s)",
	    path, signpost_status_text(status));
	return KEY_FAILED;
}

/* A new one, with one reference for the caller, loading. */
static struct cached_key *
key_new(struct keystore_files *files)
{
	struct cached_key *key = calloc(1, sizeof *key);

	if (key == NULL)
		return NULL;
	atomic_init(&key->refs, 1);
	atomic_init(&key->told, false);
	key->state = KEY_LOADING;
	key->check_at = next_check(files);
	return key;
}

/* Puts KEY into the table, which is locked; the caller keeps its reference. */
static void
store_key(
    struct keystore_files *files, const char *path, struct cached_key *key)
{
	atomic_fetch_add(&key->refs, 1);
	lru_put(files->keys, bytes_str(path), key, sizeof *key);
}

/* Loads KEY without the lock and says so to those who wait for it. */
static void
finish_key(
    struct keystore_files *files, const char *path, struct cached_key *key)
{
	enum key_state state = load_key(files, path, key);

	pthread_mutex_lock(&files->mutex);
	key->state = state;
	if (state == KEY_UNKNOWN)
		key->check_at = 0; /* the next message tries again */
	files->failures += state == KEY_FAILED;
	pthread_cond_broadcast(&files->loaded);
	pthread_mutex_unlock(&files->mutex);
}

/* Waits, the lock held, until another thread has read KEY. */
static void
wait_for_key(struct keystore_files *files, struct cached_key *key)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += WAIT_S;
	while (key->state == KEY_LOADING)
		if (pthread_cond_timedwait(
			&files->loaded, &files->mutex, &end) != 0)
			return;
}

/* Looks at the file of a KEY that was due: KEY itself where nothing changed,
 * else what is there now. The others go on with KEY meanwhile. */
static struct cached_key *
check_key(struct keystore_files *files, const char *path,
    struct cached_key *key, bool failed)
{
	struct cached_key *fresh;
	bool unknown;

	if (!failed && keydir_unchanged(path, &key->stamp))
		return key;
	fresh = key_new(files);
	if (fresh == NULL)
		return key;
	finish_key(files, path, fresh);
	unknown = fresh->state == KEY_UNKNOWN;
	pthread_mutex_lock(&files->mutex);
	if (unknown)
		key->check_at = 0; /* the next message tries again */
	else
		store_key(files, path, fresh);
	pthread_mutex_unlock(&files->mutex);
	cached_key_unref(unknown ? fresh : key);
	return unknown ? key : fresh;
}

/* As keystore_files_key, but with KEY_UNKNOWN. */
static struct cached_key *
find_key(
    struct keystore_files *files, const char *path, enum key_state *state_r)
{
	struct cached_key *key;
	bool due;

	pthread_mutex_lock(&files->mutex);
	key = lru_get(files->keys, bytes_str(path));
	if (key == NULL) {
		files->misses++;
		key = key_new(files);
		if (key != NULL)
			store_key(files, path, key);
		pthread_mutex_unlock(&files->mutex);
		if (key == NULL)
			return NULL;
		finish_key(files, path, key);
		*state_r = key->state;
		return key;
	}
	files->hits++;
	atomic_fetch_add(&key->refs, 1);
	wait_for_key(files, key);
	*state_r = key->state;
	due = key->state != KEY_LOADING && now_s() >= key->check_at;
	if (due)
		key->check_at = next_check(files);
	pthread_mutex_unlock(&files->mutex);
	if (due) {
		key = check_key(files, path, key, *state_r != KEY_LOADED);
		/* Nobody changes the state of a key that is loaded. */
		*state_r = key->state;
	}
	return key;
}

struct cached_key *
keystore_files_key(
    struct keystore_files *files, const char *path, enum key_state *state_r)
{
	struct cached_key *key = find_key(files, path, state_r);

	if (key == NULL || *state_r != KEY_UNKNOWN)
		return key;
	cached_key_unref(key);
	return NULL;
}

/*
 * Folders
 */

typedef bool list_function(
    const char *path, struct arena *arena, struct keydir_list *list_r);

static struct key_folder *
folder_new(struct keystore_files *files, list_function *list, const char *path)
{
	struct key_folder *folder = calloc(1, sizeof *folder);

	if (folder == NULL)
		return NULL;
	atomic_init(&folder->refs, 1);
	arena_init(&folder->arena);
	folder->check_at = next_check(files);
	if (!list(path, &folder->arena, &folder->list)) {
		key_folder_unref(folder);
		return NULL;
	}
	return folder;
}

/* Whether FOLDER, the lock held, is to be looked at again; by this thread
 * alone, then. */
static bool
is_due(struct keystore_files *files, struct key_folder *folder)
{
	if (now_s() < folder->check_at)
		return false;
	folder->check_at = next_check(files);
	return true;
}

/* Whether FOLDER was there, and could be listed. */
static bool
was_listed(const struct key_folder *folder)
{
	return folder->list.why == NULL && folder->list.stamp.ino != 0;
}

/* What PATH holds now, or NULL where FOLDER still tells the truth; it does
 * where PATH can't be listed or is gone just now, too: nobody's mail is to
 * leave unsigned while folders are exchanged. A domain that is taken away is
 * missed in the folder above. */
static struct key_folder *
look_again(struct keystore_files *files, list_function *list, const char *path,
    const struct key_folder *folder)
{
	struct key_folder *fresh;

	if (folder->list.why == NULL &&
	    keydir_unchanged(path, &folder->list.stamp))
		return NULL;
	fresh = folder_new(files, list, path);
	if (fresh != NULL && was_listed(folder) && !was_listed(fresh)) {
		key_folder_unref(fresh);
		return NULL;
	}
	return fresh;
}

struct key_folder *
keystore_files_domains(struct keystore_files *files)
{
	struct key_folder *top, *fresh = NULL, *old;
	bool due;

	if (files->config->key_directory[0] == '\0')
		return NULL;
	pthread_mutex_lock(&files->mutex);
	top = folder_ref(files->top);
	due = is_due(files, top);
	pthread_mutex_unlock(&files->mutex);
	if (due)
		fresh = look_again(
		    files, keydir_domains, files->config->key_directory, top);
	if (fresh == NULL)
		return top;
	pthread_mutex_lock(&files->mutex);
	old = files->top;
	files->top = folder_ref(fresh);
	pthread_mutex_unlock(&files->mutex);
	key_folder_unref(old);
	key_folder_unref(top);
	return fresh;
}

struct key_folder *
keystore_files_selectors(
    struct keystore_files *files, const char *domain, const char *path)
{
	struct key_folder *folder, *fresh;
	bool due = true;

	pthread_mutex_lock(&files->mutex);
	folder = lru_get(files->folders, bytes_str(domain));
	if (folder != NULL) {
		folder_ref(folder);
		due = is_due(files, folder);
	}
	pthread_mutex_unlock(&files->mutex);
	if (!due)
		return folder;
	fresh = folder == NULL
	    ? folder_new(files, keydir_selectors, path)
	    : look_again(files, keydir_selectors, path, folder);
	if (fresh == NULL)
		return folder;
	key_folder_unref(folder);
	pthread_mutex_lock(&files->mutex);
	lru_put(files->folders, bytes_str(domain), folder_ref(fresh),
	    sizeof *fresh);
	pthread_mutex_unlock(&files->mutex);
	return fresh;
}

bool
keystore_files_find(struct keystore_files *files, const char *domain,
    struct key_folder **folder_r)
{
	const struct keydir_item *item;
	struct key_folder *top;

	*folder_r = NULL;
	top = keystore_files_domains(files);
	if (top == NULL)
		return true;
	if (top->list.why != NULL) {
		*folder_r = top;
		return true;
	}
	item = keydir_find(&top->list, domain);
	if (item != NULL)
		*folder_r = keystore_files_selectors(files, domain, item->path);
	key_folder_unref(top);
	return item == NULL || *folder_r != NULL;
}

void
keystore_files_counts(
    struct keystore_files *files, struct keystore_counts *out_r)
{
	pthread_mutex_lock(&files->mutex);
	*out_r = (struct keystore_counts){ .hits = files->hits,
		.misses = files->misses,
		.evictions = lru_evictions(files->keys),
		.entries = lru_entries(files->keys),
		.failures = files->failures };
	pthread_mutex_unlock(&files->mutex);
}

struct keystore_files *
keystore_files_new(struct signpost *handle, const struct config *config)
{
	struct keystore_files *files = calloc(1, sizeof *files);
	size_t cache = config->key_store.cache;
	pthread_condattr_t attributes;

	if (files == NULL)
		return NULL;
	files->handle = handle;
	files->config = config;
	keyfile_find_user(config, &files->user);
	pthread_mutex_init(&files->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&files->loaded, &attributes);
	pthread_condattr_destroy(&attributes);
	files->keys = lru_new(cache, SIZE_MAX, release_key);
	files->folders = lru_new(cache, SIZE_MAX, release_folder);
	if (config->key_directory[0] != '\0')
		files->top =
		    folder_new(files, keydir_domains, config->key_directory);
	if (files->keys != NULL && files->folders != NULL &&
	    (files->top != NULL || config->key_directory[0] == '\0'))
		return files;
	keystore_files_free(files);
	return NULL;
}

void
keystore_files_free(struct keystore_files *files)
{
	if (files == NULL)
		return;
	lru_free(files->keys);
	lru_free(files->folders);
	key_folder_unref(files->top);
	pthread_cond_destroy(&files->loaded);
	pthread_mutex_destroy(&files->mutex);
	free(files);
}
