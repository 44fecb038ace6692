/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keyfile - private keys in files, and whether they are kept safely
 *
 * A key's file belongs to root or to the daemon's user, is readable by nobody
 * else (but a group that is the daemon's), and stands in folders that neither
 * group nor others can write to, up to the root, unless sticky as /tmp is.
 * Symbolic links are followed; owner and mode are those of what was opened,
 * so nothing can be swapped between check and use. Where something is wrong
 * the text names the object that is, its mode and owner, and the command that
 * mends it.
 *
 * Threads: none of its own.
 */
#ifndef KEYFILE_H
#define KEYFILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "buf.h"
#include "config.h"
#include "signpost.h"

enum {
	KEYFILE_MAX_BYTES = 65536,
	KEYFILE_WHY_BYTES = 512
};

/* Who must be able to read the keys. */
struct keyfile_user {
	uid_t uid;
	gid_t gid;
	char name[64];
};

/* Tells one state of a file or folder from another. */
struct keyfile_stamp {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
	bool settled; /* changed long enough ago for its times to be told from
	                 those of a change yet to come */
};

/* The daemon's user: as root the one that CONFIG names, where there is such a
 * user, else whoever runs this. */
void keyfile_find_user(
    const struct config *config, struct keyfile_user *user_r);
/* Reads the file PATH for USER. TEXT holds a private key then: buf_cleanse it.
 * SIGNPOST_KEY: it can't be used, with why in WHY. SIGNPOST_NOMEM: that can't be
 * known, as memory or descriptors do not suffice just now. */
enum signpost_status keyfile_read(const char *path,
    const struct keyfile_user *user, struct buf *text,
    struct keyfile_stamp *stamp_r, char why[KEYFILE_WHY_BYTES]);
/* Whether the folders above PATH are safe, and open to USER. */
bool keyfile_folders_safe(const char *path, const struct keyfile_user *user,
    char why[KEYFILE_WHY_BYTES]);
/* Whether ERROR, of errno(3), says nothing of a file but that memory or
 * descriptors do not suffice just now. */
bool keyfile_is_shortage(int error);

void keyfile_stamp(const struct stat *st, struct keyfile_stamp *stamp_r);
/* Whether nothing has changed from A to B, as far as can be known. */
bool keyfile_same(const struct keyfile_stamp *a, const struct keyfile_stamp *b);

#endif
