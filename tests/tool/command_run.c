/* SPDX-License-Identifier: BSD-2-Clause */
#include "command_run.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

int
command_enter_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/signpost-tool.XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int
command_leave_folder(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	return 0;
}

void
command_write_file(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* The ends of the pipes to the command; -1 where closed. */
struct pipes {
	struct bytes input; /* what is still to be written */
	struct pollfd ends[3];
};

static void
close_end(struct pollfd *end)
{
	close(end->fd);
	end->fd = -1;
}

static void
write_input(struct pipes *pipes)
{
	ssize_t len =
	    write(pipes->ends[0].fd, pipes->input.data, pipes->input.len);

	if (len > 0) {
		pipes->input.data += len;
		pipes->input.len -= (size_t)len;
	}
	/* A command that ends early need not read all. */
	if (pipes->input.len == 0 || (len < 0 && errno != EAGAIN))
		close_end(&pipes->ends[0]);
}

static void
read_output(struct pollfd *end, struct buf *out)
{
	char piece[65536];
	ssize_t len = read(end->fd, piece, sizeof(piece));

	if (len > 0)
		buf_append(out, piece, (size_t)len);
	else
		close_end(end);
}

/* False where the command has not ended in time. */
static bool
serve(struct pipes *pipes, struct command_run *run)
{
	if (pipes->input.len == 0)
		close_end(&pipes->ends[0]);
	while (pipes->ends[1].fd >= 0 || pipes->ends[2].fd >= 0) {
		if (poll(pipes->ends, 3, COMMAND_TIMEOUT_MS) <= 0)
			return false;
		if (pipes->ends[0].fd >= 0 && pipes->ends[0].revents != 0)
			write_input(pipes);
		if (pipes->ends[1].revents != 0 && pipes->ends[1].fd >= 0)
			read_output(&pipes->ends[1], &run->out);
		if (pipes->ends[2].revents != 0 && pipes->ends[2].fd >= 0)
			read_output(&pipes->ends[2], &run->err);
	}
	if (pipes->ends[0].fd >= 0)
		close_end(&pipes->ends[0]);
	return true;
}

static pid_t
start(const char *const *arguments, struct pipes *pipes)
{
	const char *argv[COMMAND_MAX_ARGUMENTS + 2] = { "signpost" };
	const char *path = getenv("SIGNPOST");
	int in[2], out[2], err[2];
	pid_t pid;

	assert_non_null(path);
	for (size_t i = 0; arguments[i] != NULL; i++) {
		assert_true(i < COMMAND_MAX_ARGUMENTS);
		argv[i + 1] = arguments[i];
	}
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(err, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGPIPE, SIG_DFL);
		if (dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1 &&
		    dup2(err[1], 2) == 2)
			execv(path, (char **)(uintptr_t)argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	close(err[1]);
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	pipes->ends[0] = (struct pollfd){ in[1], POLLOUT, 0 };
	pipes->ends[1] = (struct pollfd){ out[0], POLLIN, 0 };
	pipes->ends[2] = (struct pollfd){ err[0], POLLIN, 0 };
	return pid;
}

void
command_run(
    const char *const *arguments, struct bytes input, struct command_run *run_r)
{
	struct pipes pipes = { .input = input };
	struct rusage usage;
	int status;
	bool ended;
	pid_t pid;

	*run_r = (struct command_run){ 0 };
	buf_init(&run_r->out, SIZE_MAX);
	buf_init(&run_r->err, SIZE_MAX);
	signal(SIGPIPE, SIG_IGN);
	pid = start(arguments, &pipes);
	ended = serve(&pipes, run_r);
	if (!ended)
		kill(pid, SIGKILL);
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(ended);
	run_r->code =
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	run_r->max_rss_kb = usage.ru_maxrss;
	buf_append_char(&run_r->out, '\0');
	buf_append_char(&run_r->err, '\0');
	assert_false(run_r->out.failed || run_r->err.failed);
	buf_truncate(&run_r->out, run_r->out.len - 1);
	buf_truncate(&run_r->err, run_r->err.len - 1);
}

void
command_line(const char *line, struct bytes input, struct command_run *run_r)
{
	const char *arguments[COMMAND_MAX_ARGUMENTS + 1];
	char *copy = strdup(line), *rest = copy, *word;
	size_t count = 0;

	assert_non_null(copy);
	while ((word = strsep(&rest, " ")) != NULL) {
		assert_true(count < COMMAND_MAX_ARGUMENTS);
		if (word[0] != '\0')
			arguments[count++] = word;
	}
	arguments[count] = NULL;
	command_run(arguments, input, run_r);
	free(copy);
}

void
command_run_fini(struct command_run *run)
{
	buf_fini(&run->out);
	buf_fini(&run->err);
}
