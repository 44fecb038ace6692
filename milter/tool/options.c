/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

enum {
	MAX_ROWS = 32,
	HELP_COLUMN = 28,
	/* What getopt_long returns for rows without a letter begins here. */
	FIRST_CODE = 256
};

static const struct option_row shared_rows[] = {
	{ .letter = 'h', .name = "help", .help = "show this and exit" },
	{ .letter = 'V',
	    .name = "version",
	    .help = "show the version and exit" },
};

/* How an option is named to the user. */
static const char *
row_text(const struct option_row *row, char text[64])
{
	if (row->name != NULL && row->letter != '\0')
		snprintf(text, 64, "-%c, --%s", row->letter, row->name);
	else if (row->name != NULL)
		snprintf(text, 64, "--%s", row->name);
	else
		snprintf(text, 64, "-%c", row->letter);
	return text;
}

static bool
refuse(const struct option_row *row, const char *command, const char *argument,
    const char *wanted)
{
	char option[64];

	complain(EX_USAGE, command, "%s \"%s\": %s", row_text(row, option),
	    argument, wanted);
	return false;
}

static void *
member(const struct option_row *row, void *settings)
{
	return (char *)settings + row->offset;
}

bool
option_flag(const struct option_row *row, const char *command, void *settings,
    const char *argument)
{
	(void)command;
	(void)argument;
	*(bool *)member(row, settings) = true;
	return true;
}

bool
option_string(const struct option_row *row, const char *command, void *settings,
    const char *argument)
{
	if (argument[0] == '\0')
		return refuse(row, command, argument, "must not be empty");
	*(const char **)member(row, settings) = argument;
	return true;
}

/* The number at the front of TEXT; *END_R is behind it. False where there is
 * none or it is out of range. */
static bool
read_number(const char *text, const char **end_r, int64_t *number_r)
{
	char *end;
	long long number;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	number = strtoll(text, &end, 10);
	*end_r = end;
	*number_r = number;
	return errno == 0;
}

static bool
take_number(const struct option_row *row, const char *command,
    const char *argument, int64_t *number_r)
{
	char wanted[96];
	const char *end;

	if (read_number(argument, &end, number_r) && *end == '\0' &&
	    *number_r >= row->min && *number_r <= row->max)
		return true;
	snprintf(wanted, sizeof(wanted),
	    "wants a number from %" PRId64 " to %" PRId64, row->min, row->max);
	return refuse(row, command, argument, wanted);
}

bool
option_unsigned(const struct option_row *row, const char *command,
    void *settings, const char *argument)
{
	int64_t number;

	assert(row->min >= 0 && row->max <= UINT_MAX);
	if (!take_number(row, command, argument, &number))
		return false;
	*(unsigned *)member(row, settings) = (unsigned)number;
	return true;
}

bool
option_time(const struct option_row *row, const char *command, void *settings,
    const char *argument)
{
	return take_number(row, command, argument, member(row, settings));
}

struct unit {
	const char *name; /* NULL ends a table */
	int64_t size;
};

/* A number and one of UNITS behind it. WANTED says so to the user. */
static bool
take_with_unit(const struct option_row *row, const char *command,
    const char *argument, const struct unit *units, const char *wanted,
    int64_t *number_r)
{
	const char *name;
	int64_t number = 0;

	if (!read_number(argument, &name, &number))
		name = "?";
	while (units->name != NULL && strcmp(name, units->name) != 0)
		units++;
	if (units->name == NULL)
		return refuse(row, command, argument, wanted);
	if (number > row->max / units->size || number * units->size < row->min)
		return refuse(row, command, argument, "is out of range");
	*number_r = number * units->size;
	return true;
}

bool
option_duration(const struct option_row *row, const char *command,
    void *settings, const char *argument)
{
	static const struct unit units[] = { { "", 1 }, { "s", 1 }, { "m", 60 },
		{ "h", 3600 }, { "d", 86400 }, { NULL, 0 } };

	return take_with_unit(row, command, argument, units,
	    "wants seconds, or a number with s, m, h or d",
	    member(row, settings));
}

bool
option_bytes(const struct option_row *row, const char *command, void *settings,
    const char *argument)
{
	static const struct unit units[] = { { "", 1 }, { "k", 1 << 10 },
		{ "M", 1 << 20 }, { "G", 1 << 30 }, { NULL, 0 } };

	return take_with_unit(row, command, argument, units,
	    "wants bytes, or a number with k, M or G", member(row, settings));
}

bool
option_list(const struct option_row *row, const char *command, void *settings,
    const char *argument)
{
	struct option_strings *strings = member(row, settings);

	if (strings->count == OPTION_LIST_MAX)
		return refuse(row, command, argument, "is one too many");
	strings->items[strings->count++] = argument;
	return true;
}

static void
print_row(const struct option_row *row)
{
	char option[64];
	int width = printf(
	    "  %s%s", row->letter == '\0' ? "    " : "", row_text(row, option));

	if (row->argument != NULL)
		width += printf(" %s", row->argument);
	if (width >= HELP_COLUMN) {
		putchar('\n');
		width = 0;
	}
	printf("%*s%s\n", HELP_COLUMN - width, "", row->help);
}

static void
print_help(const struct command_usage *usage)
{
	printf("usage: signpost %s %s\n\n%s\n\n", usage->command,
	    usage->synopsis, usage->summary);
	for (const struct option_row *row = usage->rows; row->take != NULL;
	     row++)
		print_row(row);
	for (size_t i = 0; i < sizeof(shared_rows) / sizeof(shared_rows[0]);
	     i++)
		print_row(&shared_rows[i]);
	printf("\nsignpost(1) says more.\n");
}

/* What getopt_long wants to know, made of the table. */
struct scanner {
	char letters[2 * MAX_ROWS + 2];
	struct option names[MAX_ROWS + 1];
};

static int
row_code(const struct option_row *row, size_t i)
{
	return row->letter != '\0' ? row->letter : FIRST_CODE + (int)i;
}

static void
add_row(struct scanner *scanner, const struct option_row *row, size_t i)
{
	size_t len = strlen(scanner->letters), names = 0;

	assert(i < MAX_ROWS);
	if (row->letter != '\0') {
		scanner->letters[len++] = row->letter;
		if (row->argument != NULL)
			scanner->letters[len] = ':';
	}
	if (row->name == NULL)
		return;
	while (scanner->names[names].name != NULL)
		names++;
	scanner->names[names] = (struct option){ .name = row->name,
		.has_arg =
		    row->argument != NULL ? required_argument : no_argument,
		.val = row_code(row, i) };
}

static void
scanner_init(struct scanner *scanner, const struct command_usage *usage)
{
	size_t i;

	*scanner = (struct scanner){ .letters = ":" };
	for (i = 0; usage->rows[i].take != NULL; i++)
		add_row(scanner, &usage->rows[i], i);
	add_row(scanner, &shared_rows[0], i);
	add_row(scanner, &shared_rows[1], i + 1);
}

static const struct option_row *
find_row(const struct command_usage *usage, int code)
{
	for (size_t i = 0; usage->rows[i].take != NULL; i++)
		if (row_code(&usage->rows[i], i) == code)
			return &usage->rows[i];
	return NULL;
}

/* Complains of what getopt_long could not make sense of; false. */
static bool
complain_option(const struct command_usage *usage, int code, char **argv)
{
	const struct option_row *row = find_row(usage, optopt);
	char option[64];

	if (code == ':' && row != NULL)
		complain(EX_USAGE, usage->command, "%s wants %s",
		    row_text(row, option), row->argument);
	else if (optopt > 0 && optopt < FIRST_CODE && row == NULL)
		complain(EX_USAGE, usage->command,
		    "no option -%c; \"signpost %s --help\" lists them", optopt,
		    usage->command);
	else
		complain(EX_USAGE, usage->command,
		    "no option %s, or not so used; \"signpost %s --help\" "
		    "lists them",
		    argv[optind - 1], usage->command);
	return false;
}

/* False where nothing is left to do; *CODE_R is the exit code then. */
static bool
take_options(const struct command_usage *usage, int argc, char **argv,
    void *settings, int *code_r)
{
	struct scanner scanner;
	int code;

	scanner_init(&scanner, usage);
	*code_r = EX_USAGE;
	opterr = 0;
	optind = 0;
	while ((code = getopt_long(
		    argc, argv, scanner.letters, scanner.names, NULL)) != -1) {
		const struct option_row *row = find_row(usage, code);

		if (code == 'h' && row == NULL) {
			print_help(usage);
			*code_r = EX_OK;
			return false;
		}
		if (code == 'V' && row == NULL) {
			printf("signpost %s\n", signpost_version());
			*code_r = EX_OK;
			return false;
		}
		if (code == '?' || code == ':')
			return complain_option(usage, code, argv);
		if (!row->take(row, usage->command, settings, optarg))
			return false;
	}
	return true;
}

int
options_read(const struct command_usage *usage, int argc, char **argv,
    void *settings, int *code_r)
{
	if (!take_options(usage, argc, argv, settings, code_r))
		return 0;
	if (argc - optind <= usage->max_operands) {
		*code_r = EX_OK;
		return optind;
	}
	*code_r = complain(EX_USAGE, usage->command,
	    "\"%s\" is one argument too many",
	    argv[optind + usage->max_operands]);
	return 0;
}
