/* SPDX-License-Identifier: BSD-2-Clause */
#include "listener.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "endpoint.h"

const char *
listener_path(const char *socket)
{
	static const char *const prefixes[] = { "unix:", "local:" };

	for (size_t i = 0; i < 2; i++)
		if (strncasecmp(socket, prefixes[i], strlen(prefixes[i])) == 0)
			return socket + strlen(prefixes[i]);
	return strchr(socket, ':') == NULL ? socket : NULL;
}

bool
listener_clear(const char *socket, char *error, size_t error_size)
{
	const char *path = listener_path(socket);
	struct stat st;

	if (path == NULL || (lstat(path, &st) < 0 && errno == ENOENT))
		return true;
	if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path)) {
		snprintf(error, error_size, "%s: the path is too long", path);
		return false;
	}
	if (!S_ISSOCK(st.st_mode)) {
		snprintf(error, error_size,
		    "%s: is there and not a socket; move it away", path);
		return false;
	}
	if (!endpoint_is_stale(path)) {
		snprintf(error, error_size,
		    "%s: another process answers on it; stop that first", path);
		return false;
	}
	if (unlink(path) < 0) {
		snprintf(error, error_size,
		    "%s: left over, and can't be removed: %s", path,
		    strerror(errno));
		return false;
	}
	return true;
}

/* Who is not root can give a file to a group of its own only. */
static void
tell_no_owner(
    const char *path, const char *group, char *error, size_t error_size)
{
	int why = errno;
	const struct passwd *user = getpwuid(geteuid());

	if (why == EPERM && group != NULL && group[0] != '\0' && user != NULL)
		snprintf(error, error_size,
		    "%s: can't be given to group %s, which user %s is not in: "
		    "adduser %s %s",
		    path, group, user->pw_name, user->pw_name, group);
	else
		snprintf(error, error_size,
		    "%s: can't be given to its user and group %s: %s", path,
		    group != NULL ? group : "", strerror(why));
}

bool
listener_set_access(const char *socket, uid_t owner, const char *group,
    mode_t mode, char *error, size_t error_size)
{
	const char *path = listener_path(socket);
	gid_t gid = (gid_t)-1;

	if (path == NULL)
		return true;
	if (group != NULL && group[0] != '\0') {
		const struct group *entry = getgrnam(group);
		if (entry == NULL) {
			snprintf(error, error_size,
			    "socket_group: there is no group %s: addgroup it, "
			    "or name the MTA's",
			    group);
			return false;
		}
		gid = entry->gr_gid;
	}
	if (lchown(path, owner, gid) < 0) {
		tell_no_owner(path, group, error, error_size);
		return false;
	}
	if (chmod(path, mode) < 0) {
		snprintf(error, error_size, "%s: can't be given mode %04o: %s",
		    path, (unsigned)mode, strerror(errno));
		return false;
	}
	return true;
}

struct listener_address
listener_address(int descriptor)
{
	struct listener_address address = { .len = sizeof(address.address) };

	if (getsockname(descriptor, (struct sockaddr *)&address.address,
		&address.len) < 0)
		address.len = 0;
	return address;
}

void
listener_knock(const struct listener_address *address)
{
	int fd;

	if (address->len == 0)
		return;
	fd = socket(address->address.ss_family,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	/* Where it fails, another's or a later one does. */
	(void)connect(
	    fd, (const struct sockaddr *)&address->address, address->len);
	close(fd);
}

struct listener_stamp
listener_stamp(const char *socket)
{
	const char *path = listener_path(socket);
	struct stat st;

	if (path == NULL || lstat(path, &st) < 0)
		return (struct listener_stamp){ 0 };
	return (struct listener_stamp){ st.st_dev, st.st_ino };
}

bool
listener_stop(
    int descriptor, const char *socket, const struct listener_stamp *stamp)
{
	struct listener_stamp now = listener_stamp(socket);

	if (now.inode != 0 && now.inode == stamp->inode &&
	    now.device == stamp->device)
		unlink(listener_path(socket));
	/* libmilter polls the descriptor, and ends all sessions when that
	 * fails; an eventfd that is never written to is never ready. */
	int quiet = eventfd(0, EFD_CLOEXEC);
	if (quiet < 0)
		return false;
	bool done = dup2(quiet, descriptor) == descriptor;
	close(quiet);
	return done;
}
