/* SPDX-License-Identifier: BSD-2-Clause */
#include "paths.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "account.h"
#include "keyfile.h"
#include "listener.h"
#include "required_keys.h"

struct paths {
	const struct config *config;
	struct account user; /* the daemon's */
	struct config_problems *problems;
};

/* What the daemon's user does with a path. */
struct use {
	mode_t bit;
	const char *done, *command;
};

static const struct use reads = { S_IROTH, "read", "chmod o+r" };
static const struct use writes = { S_IWOTH, "written to", "chown" };
static const struct use runs = { S_IXOTH, "run", "chmod +x" };

static void
check_use(const struct paths *paths, const char *setting, const char *path,
    const struct use *use)
{
	const struct config *config = paths->config;
	char why[ACCOUNT_WHY_BYTES];
	struct stat st;

	if (path == NULL || path[0] != '/')
		return;
	if (!account_reaches(&paths->user, path, why))
		config_problem(
		    paths->problems, config->file, 0, setting, "%s", why);
	else if (stat(path, &st) < 0)
		config_problem(paths->problems, config->file, 0, setting,
		    "%s: %s", path, strerror(errno));
	else if (!account_may(&paths->user, path, &st, use->bit))
		config_problem(paths->problems, config->file, 0, setting,
		    "%s (mode %04o) can't be %s by user %s: %s %s%s%s", path,
		    (unsigned)(st.st_mode & 07777), use->done, paths->user.name,
		    use->command, use == &writes ? paths->user.name : "",
		    use == &writes ? " " : "", path);
}

/* Who writes it chooses the keys and the programs that are run. */
static void
check_configuration(const struct paths *paths)
{
	const char *file = paths->config->file;
	struct stat st;

	if (stat(file, &st) < 0)
		return;
	if ((st.st_mode & S_IWOTH) != 0)
		config_problem(paths->problems, file, 0, "",
		    "is writable by anybody: chmod o-w %s", file);
	if (!account_may(&paths->user, file, &st, S_IROTH))
		config_warning(paths->problems, file, 0, "",
		    "can't be read by user %s, so that no reload succeeds: "
		    "chgrp %s %s; chmod g+r %s",
		    paths->user.name, paths->config->group, file, file);
}

/* That a start makes such a folder is usual. */
static void
check_socket(const struct paths *paths, const char *setting, const char *socket)
{
	const char *path = listener_path(socket);
	char why[ACCOUNT_WHY_BYTES];

	if (path == NULL || path[0] != '/')
		return;
	if (!account_reaches(&paths->user, path, why))
		config_warning(paths->problems, paths->config->file, 0, setting,
		    "%s, unless the start of the service mends that", why);
}

/* What is seen in DNS is kept there, in a file that is renamed. */
static void
check_published_file(const struct paths *paths)
{
	const struct config *config = paths->config;
	const char *file = config->published.file;
	char folder[PATH_MAX], why[ACCOUNT_WHY_BYTES];
	struct stat st;

	if (file[0] != '/' || !required_keys_any(config) ||
	    strlen(file) >= sizeof(folder))
		return;
	memcpy(folder, file, strlen(file) + 1);
	*strrchr(folder, '/') = '\0';
	if (stat(folder[0] != '\0' ? folder : "/", &st) == 0 &&
	    account_reaches(&paths->user, file, why) &&
	    account_may(
		&paths->user, folder[0] != '\0' ? folder : "/", &st, S_IWOTH))
		return;
	config_warning(paths->problems, config->file, 0, "published.file",
	    "user %s can't write to %s, so that a restart forgets which keys "
	    "are published, unless the start of the service mends that: "
	    "install -d -o %s %s",
	    paths->user.name, folder, paths->user.name, folder);
}

void
paths_check(const struct config *config, struct config_problems *problems)
{
	struct paths paths = { .config = config, .problems = problems };
	struct keyfile_user user;

	keyfile_find_user(config, &user);
	if (!account_find(user.name, &paths.user))
		return;
	check_configuration(&paths);
	check_socket(&paths, "socket", config->socket);
	check_socket(&paths, "status.socket", config->status.socket);
	check_published_file(&paths);
	check_use(&paths, "dns.trust_anchor", config->dns.trust_anchor, &reads);
	check_use(
	    &paths, "reports.directory", config->reports.directory, &writes);
	check_use(&paths, "reports.sendmail", config->reports.sendmail, &runs);
}
