/* SPDX-License-Identifier: BSD-2-Clause */
#include "account.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
account_find(const char *name, struct account *account_r)
{
	const struct passwd *passwd = getpwnam(name);

	if (passwd == NULL)
		return false;
	snprintf(account_r->name, sizeof(account_r->name), "%s", name);
	account_r->uid = passwd->pw_uid;
	account_r->group_count = ACCOUNT_MAX_GROUPS;
	if (getgrouplist(name, passwd->pw_gid, account_r->groups,
		&account_r->group_count) < 0)
		account_r->group_count = ACCOUNT_MAX_GROUPS;
	return true;
}

bool
account_group(const char *name, gid_t *group_r)
{
	const struct group *group = getgrnam(name);

	if (group != NULL)
		*group_r = group->gr_gid;
	return group != NULL;
}

bool
account_is_in(const struct account *account, gid_t group)
{
	for (int i = 0; i < account->group_count; i++)
		if (account->groups[i] == group)
			return true;
	return false;
}

bool
account_may(const struct account *account, const struct stat *st, mode_t bit)
{
	if (account->uid == 0)
		return true;
	if (st->st_uid == account->uid)
		return (st->st_mode & bit << 6) != 0;
	if (account_is_in(account, st->st_gid))
		return (st->st_mode & bit << 3) != 0;
	return (st->st_mode & bit) != 0;
}

static bool
may_enter(const struct account *account, const char *folder,
    char why[ACCOUNT_WHY_BYTES])
{
	struct stat st;

	if (stat(folder, &st) < 0) {
		snprintf(why, ACCOUNT_WHY_BYTES, "%s: %s%s", folder,
		    strerror(errno), errno == EACCES ? "; root sees more" : "");
		return false;
	}
	if (S_ISDIR(st.st_mode) && account_may(account, &st, S_IXOTH))
		return true;
	snprintf(why, ACCOUNT_WHY_BYTES,
	    "%s (mode %04o) is closed to user %s: chmod +x %s", folder,
	    (unsigned)(st.st_mode & 07777), account->name, folder);
	return false;
}

static bool
may_walk(const struct account *account, const char *path,
    char why[ACCOUNT_WHY_BYTES])
{
	char folder[PATH_MAX];

	if (!may_enter(account, "/", why))
		return false;
	for (const char *slash = strchr(path + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		size_t len = (size_t)(slash - path);

		if (len >= sizeof(folder))
			return true;
		memcpy(folder, path, len);
		folder[len] = '\0';
		if (!may_enter(account, folder, why))
			return false;
	}
	return true;
}

bool
account_reaches(const struct account *account, const char *path,
    char why[ACCOUNT_WHY_BYTES])
{
	char folder[PATH_MAX], real[PATH_MAX + 1];

	if (!may_walk(account, path, why))
		return false;
	/* Where a folder is a link, those above what it leads to count. */
	snprintf(folder, sizeof(folder), "%.*s",
	    (int)(strrchr(path, '/') - path), path);
	if (folder[0] == '\0' || realpath(folder, real) == NULL)
		return true;
	strcat(real, "/");
	return may_walk(account, real, why);
}
