/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * account - what a user may do with files, found out without becoming it
 *
 * The bits of owner, group and others count, with all groups of the user, and
 * access lists (acl(5)).
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum {
	ACCOUNT_MAX_GROUPS = 256,
	ACCOUNT_WHY_BYTES = 512
};

struct account {
	char name[64];
	uid_t uid;
	gid_t groups[ACCOUNT_MAX_GROUPS];
	int group_count;
};

/* False where there is no such user. */
bool account_find(const char *name, struct account *account_r);
/* Likewise of a group. */
bool account_group(const char *name, gid_t *group_r);
bool account_is_in(const struct account *account, gid_t group);
/* Of PATH, whose state is ST; NULL where it is not there yet. BIT is S_IROTH,
 * S_IWOTH or S_IXOTH. */
bool account_may(const struct account *account, const char *path,
    const struct stat *st, mode_t bit);
/* Whether every folder above PATH is there and open to ACCOUNT; else which is
 * not, and the way out, in WHY. */
bool account_reaches(const struct account *account, const char *path,
    char why[ACCOUNT_WHY_BYTES]);

#endif
