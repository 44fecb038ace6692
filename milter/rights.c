/* SPDX-License-Identifier: BSD-2-Clause */
#include "rights.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

void
rights_harden(bool runs_programs)
{
	struct rlimit none = { 0, 0 };

	if (!runs_programs)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
}

bool
rights_may_grow(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
}

static bool
find_ids(const char *user, const char *group, struct passwd **passwd_r,
    gid_t *gid_r, char *error, size_t error_size)
{
	struct passwd *passwd = getpwnam(user);

	if (passwd == NULL) {
		snprintf(error, error_size,
		    "user: there is no user %s: adduser --system --group %s",
		    user, user);
		return false;
	}
	*gid_r = passwd->pw_gid;
	if (group != NULL && group[0] != '\0') {
		const struct group *entry = getgrnam(group);
		if (entry == NULL) {
			snprintf(error, error_size,
			    "group: there is no group %s: addgroup --system %s",
			    group, group);
			return false;
		}
		*gid_r = entry->gr_gid;
	}
	*passwd_r = passwd;
	return true;
}

static bool
is_to_drop(const char *user)
{
	return geteuid() == 0 && user != NULL && user[0] != '\0';
}

bool
rights_known(
    const char *user, const char *group, char *error, size_t error_size)
{
	struct passwd *passwd;
	gid_t gid;

	return !is_to_drop(user) ||
	    find_ids(user, group, &passwd, &gid, error, error_size);
}

uid_t
rights_user(const char *user)
{
	const struct passwd *passwd = NULL;

	if (is_to_drop(user))
		passwd = getpwnam(user);
	return passwd != NULL ? passwd->pw_uid : geteuid();
}

bool
rights_drop(const char *user, const char *group, char *error, size_t error_size)
{
	struct passwd *passwd;
	gid_t gid;

	if (is_to_drop(user)) {
		if (!find_ids(user, group, &passwd, &gid, error, error_size))
			return false;
		if (initgroups(passwd->pw_name, gid) < 0 || setgid(gid) < 0 ||
		    setuid(passwd->pw_uid) < 0) {
			snprintf(error, error_size, "can't become user %s: %s",
			    user, strerror(errno));
			return false;
		}
		/* What can be undone is not dropped. */
		if (passwd->pw_uid != 0 && (setuid(0) == 0 || geteuid() == 0)) {
			snprintf(error, error_size,
			    "root's rights could not be dropped");
			return false;
		}
	}
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return true;
}

const char *
rights_advice(int error)
{
	return error == EROFS
	    ? "; a service may write in few places: signpostd(8), SYSTEMD"
	    : "";
}

size_t
rights_open_files(size_t wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	if (limit.rlim_max < wanted) {
		struct rlimit more = { wanted, wanted };
		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			return wanted;
	}
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_max;
}
