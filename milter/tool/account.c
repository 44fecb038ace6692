/* SPDX-License-Identifier: BSD-2-Clause */
#include "account.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

/* An access list as the kernel has it in the extended attribute: the version
 * in 4 octets, then for each entry tag (2), bits (2) and id (4), the lowest
 * octet first. */
enum {
	LIST_VERSION = 2,
	LIST_HEAD = 4,
	LIST_ENTRY = 8,
	MAX_LIST = 256
};

enum {
	LIST_USER = 0x02,
	LIST_OWN_GROUP = 0x04,
	LIST_GROUP = 0x08,
	LIST_MASK = 0x10
};

struct list_entry {
	unsigned tag;
	mode_t bits; /* as those for others */
	uint32_t id; /* of the user or group */
};

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

/* Reads the access list of PATH, as the kernel gives it; how many entries. 0
 * where there is none. */
static size_t
read_list(const char *path, struct list_entry entries[MAX_LIST])
{
	unsigned char data[LIST_HEAD + MAX_LIST * LIST_ENTRY];
	ssize_t len;
	size_t count;

	len = path == NULL
	    ? -1
	    : getxattr(path, "system.posix_acl_access", data, sizeof(data));
	if (len < LIST_HEAD || data[0] != LIST_VERSION)
		return 0;
	count = ((size_t)len - LIST_HEAD) / LIST_ENTRY;
	for (size_t i = 0; i < count; i++) {
		const unsigned char *at = data + LIST_HEAD + i * LIST_ENTRY;

		entries[i].tag = at[0];
		entries[i].bits = at[2];
		entries[i].id = at[4] | (uint32_t)at[5] << 8 |
		    (uint32_t)at[6] << 16 | (uint32_t)at[7] << 24;
	}
	return count;
}

/* acl(5), "ACCESS CHECK ALGORITHM", for who is not the owner: an entry for the
 * user decides, else those for its groups, of which one that allows it is
 * enough, else the one for others. */
static bool
list_allows(const struct account *account, const struct stat *st,
    const struct list_entry *entries, size_t count, mode_t bit)
{
	mode_t mask = S_IRWXO, groups = 0;
	bool in_group = false;

	for (size_t i = 0; i < count; i++)
		if (entries[i].tag == LIST_MASK)
			mask = entries[i].bits;
	for (size_t i = 0; i < count; i++) {
		const struct list_entry *entry = &entries[i];
		bool is_own = entry->tag == LIST_OWN_GROUP;

		if (entry->tag == LIST_USER && entry->id == account->uid)
			return (entry->bits & mask & bit) != 0;
		if ((is_own || entry->tag == LIST_GROUP) &&
		    account_is_in(account, is_own ? st->st_gid : entry->id)) {
			in_group = true;
			groups |= entry->bits;
		}
	}
	return in_group ? (groups & mask & bit) != 0 : (st->st_mode & bit) != 0;
}

bool
account_may(const struct account *account, const char *path,
    const struct stat *st, mode_t bit)
{
	struct list_entry entries[MAX_LIST];
	size_t count;

	if (account->uid == 0)
		return true;
	if (st->st_uid == account->uid)
		return (st->st_mode & bit << 6) != 0;
	count = read_list(path, entries);
	if (count > 0)
		return list_allows(account, st, entries, count, bit);
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
	if (S_ISDIR(st.st_mode) && account_may(account, folder, &st, S_IXOTH))
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
