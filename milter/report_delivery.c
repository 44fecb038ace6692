/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_delivery.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	WAIT_MS = 30000,
	STEP_MS = 20,
};

static bool
write_all(int fd, struct bytes text)
{
	while (text.len > 0) {
		ssize_t written = write(fd, text.data, text.len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		text.data += written;
		text.len -= (size_t)written;
	}
	return true;
}

bool
report_deliver_file(const char *folder, const char *name, struct bytes message)
{
	char temporary[PATH_MAX], path[PATH_MAX];
	int fd;
	bool good;

	if (snprintf(temporary, sizeof(temporary), "%s/.%s.new", folder,
		name) >= (int)sizeof(temporary) ||
	    snprintf(path, sizeof(path), "%s/%s.eml", folder, name) >=
		(int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	fd = open(temporary,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0)
		return false;
	good = write_all(fd, message);
	good = close(fd) == 0 && good;
	good = good && rename(temporary, path) == 0;
	if (!good)
		unlink(temporary);
	return good;
}

/* The daemon's own signals and descriptors are none of the program's. */
static bool
spawn(const char *program, const char *to, int input, pid_t *pid_r)
{
	static const char quiet[] = "/dev/null";
	const char *const arguments[] = { program, "-i", "-f", "<>", "--", to,
		NULL };
	const char *const environment[] = {
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL
	};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	bool good;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return false;
	if (posix_spawnattr_init(&attributes) != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return false;
	}
	sigemptyset(&none);
	sigfillset(&all);
	good = posix_spawn_file_actions_adddup2(&actions, input, 0) == 0 &&
	    posix_spawn_file_actions_addopen(&actions, 1, quiet, O_WRONLY, 0) ==
		0 &&
	    posix_spawn_file_actions_addopen(&actions, 2, quiet, O_WRONLY, 0) ==
		0 &&
	    posix_spawn_file_actions_addclosefrom_np(&actions, 3) == 0 &&
	    posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
	    posix_spawnattr_setsigdefault(&attributes, &all) == 0 &&
	    posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0 &&
	    posix_spawn(pid_r, program, &actions, &attributes,
		(char *const *)(uintptr_t)arguments,
		(char *const *)(uintptr_t)environment) == 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return good;
}

static bool
ends_well(pid_t pid)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };
	int status = 0;
	pid_t ended;

	for (int ms = 0; ms < WAIT_MS; ms += STEP_MS) {
		ended = waitpid(pid, &status, WNOHANG);
		if (ended != 0)
			return ended == pid && WIFEXITED(status) &&
			    WEXITSTATUS(status) == 0;
		nanosleep(&step, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return false;
}

bool
report_deliver_program(
    const char *program, const char *to, struct bytes message)
{
	int ends[2];
	pid_t pid;
	bool good;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	good = spawn(program, to, ends[0], &pid);
	close(ends[0]);
	if (!good) {
		close(ends[1]);
		return false;
	}
	/* A pipe takes 64 kB unread: who does not read makes nobody wait. */
	good = fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 &&
	    write_all(ends[1], message);
	/* Before it sees an end, and sends the part that it has. */
	if (!good)
		kill(pid, SIGKILL);
	close(ends[1]);
	return ends_well(pid) && good;
}
