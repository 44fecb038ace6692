/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command - what the commands of "signpost" share: their entry points and how
 * they complain
 *
 * A command is a function from its own arguments (argv[0] is its name) to an
 * exit code of sysexits(3), and a row of the table in main.c. Results go to
 * standard output, which main.c checks at the end; complaints go to standard
 * error as "signpost: WHERE: WHAT".
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <sysexits.h>

#include "buf.h"
#include "signpost.h"

enum {
	EX_NO = 1 /* the answer is no */
};

int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_dns(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_keygen(int argc, char **argv);
int cmd_sign(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_verify(int argc, char **argv);

/* Appends TEXT, which may come from a hostile file, so that it does nothing to
 * a terminal: what is a control (C0, C1) or no UTF-8 is "?". */
void command_append_plain(struct buf *line, const char *text);
/* Prints "signpost: WHERE: WHAT"; WHAT is formatted. Returns CODE. */
int complain(int code, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Complains that the file WHERE could not be worked with, because of ERROR (of
 * errno), and returns the exit code that fits: EX_NOINPUT, EX_NOPERM or
 * EX_IOERR. */
int complain_file(const char *where, int error);
/* Complains about a call that failed: EX_OSERR for lack of memory, EX_SOFTWARE
 * where libcrypto fails, EX_DATAERR for the rest. */
int complain_status(const char *where, enum signpost_status status);

#endif
