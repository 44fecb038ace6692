/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command_run - runs the built command and keeps what it says
 *
 * The command is the one that the environment's SIGNPOST names. Whatever
 * fails here that is not the command fails the test.
 */
#ifndef COMMAND_RUN_H
#define COMMAND_RUN_H

#include "buf.h"

enum {
	COMMAND_MAX_ARGUMENTS = 40,
	COMMAND_TIMEOUT_MS = 120000 /* then it is killed and the test fails */
};

struct command_run {
	int code; /* exit code, or 128 and the signal that ended it */
	long max_rss_kb;
	struct buf out, err;
};

/* A test's own folder, which becomes the working directory; as cmocka wants
 * them, without a use for STATE. */
int command_enter_folder(void **state);
int command_leave_folder(void **state);
void command_write_file(const char *path, const void *data, size_t len);
/* Runs the command with ARGUMENTS (NULL-ended, without its name) and INPUT on
 * standard input through a pipe. */
void command_run(const char *const *arguments, struct bytes input,
    struct command_run *run_r);
/* As command_run, the arguments in one string with spaces between them. */
void command_line(
    const char *line, struct bytes input, struct command_run *run_r);
void command_run_fini(struct command_run *run);

#endif
