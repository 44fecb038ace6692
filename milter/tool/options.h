/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options - a command's options as a table
 *
 * A row names an option, says what its argument is and where it goes, and is
 * its own help. --help and --version are every command's. Anything wrong is
 * complained of with the option's name and what would be right.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option_row;

/* Stores what an option says in SETTINGS. False after a complaint; COMMAND is
 * for that. */
typedef bool option_take(const struct option_row *row, const char *command,
    void *settings, const char *argument);

struct option_row {
	char letter;	      /* '\0' for none */
	const char *name;     /* without dashes; NULL for none */
	const char *argument; /* what the help calls it; NULL takes none */
	const char *help;
	option_take *take;
	size_t offset;	  /* of the member in the settings */
	int64_t min, max; /* of a number */
};

struct command_usage {
	const char *command;
	const char *synopsis; /* behind the command's name */
	const char *summary;
	const struct option_row *rows; /* ended by one without take */
	int max_operands;
};

/* Reads ARGV into SETTINGS. Returns where in ARGV the operands begin, up to a
 * NULL, and EX_OK in *CODE_R; 0 where nothing is left to do, as --help or
 * --version was answered or something wrong complained of: *CODE_R is the exit
 * code then. */
int options_read(const struct command_usage *usage, int argc, char **argv,
    void *settings, int *code_r);

/* Members: bool, const char *, unsigned, int64_t (seconds since 1970,
 * seconds, and octets), and an array of strings that grows. */
option_take option_flag;
option_take option_string;
option_take option_unsigned;
option_take option_time;
option_take option_duration;
option_take option_bytes;
option_take option_list;

enum {
	OPTION_LIST_MAX = 64
};

struct option_strings {
	const char *items[OPTION_LIST_MAX + 1]; /* NULL-ended */
	size_t count;
};

#endif
