/* SPDX-License-Identifier: BSD-2-Clause */
#include "keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	NAMES_BYTES = 16384, /* scratch of getpwnam_r and the like */
	SETTLE_S = 2	     /* coarser than any file system's clock */
};

void
keyfile_find_user(const struct config *config, struct keyfile_user *user_r)
{
	char scratch[NAMES_BYTES];
	struct passwd pw, *found = NULL;
	struct group gr, *group = NULL;

	user_r->uid = geteuid();
	user_r->gid = getegid();
	if (user_r->uid == 0 &&
	    getpwnam_r(config->user, &pw, scratch, sizeof scratch, &found) ==
		0 &&
	    found != NULL) {
		user_r->uid = pw.pw_uid;
		user_r->gid = pw.pw_gid;
		if (getgrnam_r(config->group, &gr, scratch, sizeof scratch,
			&group) == 0 &&
		    group != NULL)
			user_r->gid = gr.gr_gid;
	}
	if (getpwuid_r(user_r->uid, &pw, scratch, sizeof scratch, &found) ==
		0 &&
	    found != NULL)
		snprintf(user_r->name, sizeof user_r->name, "%s", pw.pw_name);
	else
		snprintf(user_r->name, sizeof user_r->name, "%lu",
		    (unsigned long)user_r->uid);
}

static const char *
owner_name(uid_t uid, char out[64])
{
	char scratch[NAMES_BYTES];
	struct passwd pw, *found = NULL;

	if (getpwuid_r(uid, &pw, scratch, sizeof scratch, &found) == 0 &&
	    found != NULL)
		snprintf(out, 64, "%s", pw.pw_name);
	else
		snprintf(out, 64, "%lu", (unsigned long)uid);
	return out;
}

/* Writes what is wrong with PATH, and the way out; false. */
static bool __attribute__((format(printf, 4, 5)))
refuse(char why[KEYFILE_WHY_BYTES], const char *path, const struct stat *st,
    const char *format, ...)
{
	char owner[64], wrong[256];
	va_list args;

	va_start(args, format);
	vsnprintf(wrong, sizeof wrong, format, args);
	va_end(args);
	snprintf(why, KEYFILE_WHY_BYTES, "%s (mode %04o, owner %s) %s", path,
	    (unsigned)(st->st_mode & 07777), owner_name(st->st_uid, owner),
	    wrong);
	return false;
}

/* The bits of owner, group or others, as they count for USER; root may do
 * anything. */
static bool
may(const struct stat *st, const struct keyfile_user *user, mode_t bit)
{
	if (user->uid == 0)
		return true;
	if (st->st_uid == user->uid)
		return (st->st_mode & bit << 6) != 0;
	if (st->st_gid == user->gid)
		return (st->st_mode & bit << 3) != 0;
	return (st->st_mode & bit) != 0;
}

static bool
folder_safe(const char *path, const struct keyfile_user *user,
    char why[KEYFILE_WHY_BYTES])
{
	struct stat st;

	if (stat(path, &st) != 0) {
		snprintf(
		    why, KEYFILE_WHY_BYTES, "%s: %s", path, strerror(errno));
		return false;
	}
	if ((st.st_mode & S_IWOTH) != 0 && (st.st_mode & S_ISVTX) == 0)
		return refuse(why, path, &st,
		    "is writable by anybody: chmod o-w %s", path);
	if ((st.st_mode & S_IWGRP) != 0 && (st.st_mode & S_ISVTX) == 0)
		return refuse(why, path, &st,
		    "is writable by its group: chmod g-w %s", path);
	/* Whoever is not root finds that out by opening, groups and all. */
	if (geteuid() == 0 && !may(&st, user, S_IXOTH))
		return refuse(why, path, &st,
		    "is closed to user %s: chmod +x %s", user->name, path);
	return true;
}

/* Each folder above PATH, from the root down. */
static bool
chain_safe(const char *path, const struct keyfile_user *user,
    char why[KEYFILE_WHY_BYTES])
{
	char folder[PATH_MAX];
	const char *slash;
	size_t len;

	if (!folder_safe("/", user, why))
		return false;
	for (slash = strchr(path + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		len = (size_t)(slash - path);
		if (len >= sizeof folder)
			break;
		memcpy(folder, path, len);
		folder[len] = '\0';
		if (!folder_safe(folder, user, why))
			return false;
	}
	return true;
}

bool
keyfile_folders_safe(const char *path, const struct keyfile_user *user,
    char why[KEYFILE_WHY_BYTES])
{
	char *real;
	bool safe;

	if (!chain_safe(path, user, why))
		return false;
	real = realpath(path, NULL);
	safe = real == NULL || strcmp(real, path) == 0 ||
	    chain_safe(real, user, why);
	free(real);
	return safe;
}

static bool
file_safe(const char *path, const struct stat *st,
    const struct keyfile_user *user, char why[KEYFILE_WHY_BYTES])
{
	if (!S_ISREG(st->st_mode))
		return refuse(why, path, st, "is not a file");
	if (st->st_uid != 0 && st->st_uid != user->uid)
		return refuse(why, path, st,
		    "belongs to neither root nor %s: chown %s %s", user->name,
		    user->name, path);
	if ((st->st_mode & S_IRWXO) != 0)
		return refuse(
		    why, path, st, "is open to anybody: chmod o= %s", path);
	if ((st->st_mode & S_IWGRP) != 0)
		return refuse(why, path, st,
		    "is writable by its group: chmod g-w %s", path);
	if ((st->st_mode & S_IRGRP) != 0 && st->st_gid != user->gid)
		return refuse(why, path, st,
		    "is readable by a group that is not the daemon's: "
		    "chmod 600 %s",
		    path);
	if (geteuid() == 0 && !may(st, user, S_IROTH))
		return refuse(why, path, st,
		    "can't be read by user %s: chown %s %s", user->name,
		    user->name, path);
	if (st->st_size > KEYFILE_MAX_BYTES)
		return refuse(why, path, st, "is too large for a key");
	return true;
}

void
keyfile_stamp(const struct stat *st, struct keyfile_stamp *stamp_r)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*stamp_r = (struct keyfile_stamp){ .dev = st->st_dev,
		.ino = st->st_ino,
		.size = st->st_size,
		.mtime = st->st_mtim,
		.ctime = st->st_ctim,
		.settled = now.tv_sec - st->st_ctim.tv_sec > SETTLE_S };
}

bool
keyfile_same(const struct keyfile_stamp *a, const struct keyfile_stamp *b)
{
	return a->settled && a->dev == b->dev && a->ino == b->ino &&
	    a->size == b->size && a->mtime.tv_sec == b->mtime.tv_sec &&
	    a->mtime.tv_nsec == b->mtime.tv_nsec &&
	    a->ctime.tv_sec == b->ctime.tv_sec &&
	    a->ctime.tv_nsec == b->ctime.tv_nsec;
}

/* Says why PATH could not be opened, naming the folder that is in the way
 * where it is one. */
static void
say_closed(const char *path, const struct keyfile_user *user,
    char why[KEYFILE_WHY_BYTES])
{
	char folder[PATH_MAX];
	const char *slash;
	struct stat st;
	size_t len;

	for (slash = strchr(path + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		len = (size_t)(slash - path);
		if (len >= sizeof folder)
			return;
		memcpy(folder, path, len);
		folder[len] = '\0';
		if (faccessat(AT_FDCWD, folder, X_OK, AT_EACCESS) != 0 &&
		    errno == EACCES && stat(folder, &st) == 0) {
			refuse(why, folder, &st,
			    "is closed to user %s: chmod +x %s", user->name,
			    folder);
			return;
		}
	}
	if (stat(path, &st) == 0)
		refuse(why, path, &st, "can't be read by user %s: chown %s %s",
		    user->name, user->name, path);
}

bool
keyfile_is_shortage(int error)
{
	return error == ENOMEM || error == EMFILE || error == ENFILE;
}

/* Appends all of FD to TEXT. errno tells of a failure. */
static bool
read_all(int fd, struct buf *text)
{
	char part[4096];
	ssize_t n;

	while ((n = read(fd, part, sizeof part)) > 0)
		buf_append(text, part, (size_t)n);
	explicit_bzero(part, sizeof part);
	if (n == 0 && text->failed)
		errno = ENOMEM;
	return n == 0 && !text->failed;
}

enum signpost_status
keyfile_read(const char *path, const struct keyfile_user *user,
    struct buf *text, struct keyfile_stamp *stamp_r,
    char why[KEYFILE_WHY_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum signpost_status status = SIGNPOST_KEY;
	struct stat st;

	memset(stamp_r, 0, sizeof *stamp_r);
	if (fd < 0 || fstat(fd, &st) != 0) {
		status = keyfile_is_shortage(errno) ? SIGNPOST_NOMEM : status;
		snprintf(
		    why, KEYFILE_WHY_BYTES, "%s: %s", path, strerror(errno));
		if (errno == EACCES)
			say_closed(path, user, why);
		goto done;
	}
	keyfile_stamp(&st, stamp_r);
	if (!keyfile_folders_safe(path, user, why) ||
	    !file_safe(path, &st, user, why))
		goto done;
	if (read_all(fd, text)) {
		status = SIGNPOST_OK;
		goto done;
	}
	status = keyfile_is_shortage(errno) ? SIGNPOST_NOMEM : status;
	snprintf(why, KEYFILE_WHY_BYTES, "%s: %s", path, strerror(errno));

done:
	if (fd >= 0)
		close(fd);
	return status;
}
