/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keystore_files - keys and folders of keys as they are on disk, kept and
 * looked at again
 *
 * A key is read once however many threads ask for it at once; those that come
 * meanwhile wait, WAIT_S at most. What is kept, a failure too, is good for
 * key_store.ttl (but one for want of memory or descriptors, which says nothing
 * of the key); then one thread looks whether the file or folder has changed,
 * while the others go on with what was there. A folder that is gone or can't be
 * listed for now keeps its names; a key that can't be read any more is gone.
 *
 * Threads: shared; one mutex, never held while a file or folder is read.
 */
#ifndef KEYSTORE_FILES_H
#define KEYSTORE_FILES_H

#include <stdatomic.h>

#include "key_print.h"
#include "keydir.h"
#include "keystore.h"

enum key_state {
	KEY_LOADING,
	KEY_LOADED,
	KEY_FAILED,
	KEY_UNKNOWN, /* memory or descriptors did not suffice */
};

/* What became of a key's file. KEY, PRINT and WHY are constant once it is not
 * KEY_LOADING any more; TOLD is the keystore's, the rest the module's. */
struct cached_key {
	struct signpost_private_key *key; /* KEY_LOADED */
	char print[KEY_PRINT_SIZE];	  /* KEY_LOADED */
	char why[KEYFILE_WHY_BYTES];	  /* KEY_FAILED */
	atomic_uint refs;
	atomic_bool told; /* why it is not used was given to somebody */
	enum key_state state;
	int64_t check_at; /* when the file is looked at again, seconds */
	struct keyfile_stamp stamp;
};

/* A folder's names. LIST is constant, the rest the module's. */
struct key_folder {
	struct keydir_list list;
	atomic_uint refs;
	struct arena arena;
	int64_t check_at;
};

struct keystore_files;

/* CONFIG is borrowed. NULL: out of memory. */
struct keystore_files *keystore_files_new(
    struct signpost *handle, const struct config *config);
void keystore_files_free(struct keystore_files *files);
/* The key in the file PATH, with a reference for the caller; *STATE_R says
 * what became of it, KEY_LOADING where waiting took too long. NULL: memory or
 * descriptors do not suffice just now. */
struct cached_key *keystore_files_key(
    struct keystore_files *files, const char *path, enum key_state *state_r);
void cached_key_unref(struct cached_key *key);
/* The domains that have a folder in key_directory, with a reference for the
 * caller; NULL where there is no key_directory. */
struct key_folder *keystore_files_domains(struct keystore_files *files);
/* The selectors of DOMAIN, whose folder is PATH, with a reference for the
 * caller. NULL: out of memory. */
struct key_folder *keystore_files_selectors(
    struct keystore_files *files, const char *domain, const char *path);
/* The selectors of DOMAIN; NULL where it has no folder; where that can't be
 * known, a folder whose list says why. False: out of memory. */
bool keystore_files_find(struct keystore_files *files, const char *domain,
    struct key_folder **folder_r);
void key_folder_unref(struct key_folder *folder);
void keystore_files_counts(
    struct keystore_files *files, struct keystore_counts *out_r);

#endif
