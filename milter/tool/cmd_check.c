/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost check - whether the daemon, its keys and Postfix fit together. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "entries.h"
#include "json_text.h"
#include "load_config.h"
#include "options.h"
#include "paths.h"
#include "postfix.h"
#include "setup.h"

struct settings {
	const char *config_file, *postfix;
	bool json;
};

#define AT(member) offsetof(struct settings, member)

static const struct option_row rows[] = {
	{ 0, "postfix", "DIR", "where main.cf stands (" POSTFIX_FOLDER ")",
	    option_string, AT(postfix), 0, 0 },
	{ 0, "json", NULL, "print JSON", option_flag, AT(json), 0, 0 },
	{ 'c', "config", "FILE", "the configuration", option_string,
	    AT(config_file), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "check",
	.synopsis = "[--postfix DIR] [--json] [-c FILE]",
	.summary = "Checks the configuration, every key, the rights of files "
		   "and folders, and\nwhether Postfix reaches the socket. "
		   "Exits with 0 where mail will be served, 78\nwhere not.",
	.rows = rows,
	.max_operands = 0,
};

static void
print_problems(const struct config_problems *problems)
{
	char text[1280];

	for (size_t i = 0; i < problems->count; i++) {
		config_problem_text(&problems->items[i], text, sizeof(text));
		puts(text);
	}
	if (problems->dropped > 0)
		printf("and %zu more\n", problems->dropped);
	if (problems->count == 0)
		puts("nothing is wrong");
}

static json_t *
problem_json(const struct config_problem *problem)
{
	return json_pack("{so sI so so sb}", "file",
	    json_text(bytes_str(problem->file)), "line",
	    (json_int_t)problem->line, "setting",
	    json_text(bytes_str(problem->setting)), "text",
	    json_text(bytes_str(problem->text)), "warning", problem->warning);
}

static int
print_json(const struct config_problems *problems)
{
	json_t *list = json_array(), *object;
	bool ok = list != NULL;

	for (size_t i = 0; ok && i < problems->count; i++)
		ok = json_array_append_new(
			 list, problem_json(&problems->items[i])) == 0;
	object = json_pack("{sb so sI}", "ok", problems->errors == 0,
	    "problems", list, "dropped", (json_int_t)problems->dropped);
	ok = ok && object != NULL &&
	    (json_dumpf(object, stdout, JSON_INDENT(2)) == 0 || ferror(stdout));
	json_decref(object);
	putchar('\n');
	return ok ? 0 : complain_status("JSON", SIGNPOST_NOMEM);
}

/* Returns the exit code; 0 is success. */
static int
check(const struct config *config, const struct settings *settings,
    struct config_problems *problems)
{
	struct signpost *handle;
	struct keystore *keystore;
	enum signpost_status status = signpost_new(&handle);

	if (status != SIGNPOST_OK)
		return complain_status("check", status);
	keystore = setup_check(handle, config, problems);
	if (keystore != NULL) {
		entries_check(config, keystore, problems);
		paths_check(config, problems);
		postfix_check(config, settings->postfix, problems);
	}
	keystore_unref(keystore);
	signpost_free(handle);
	return keystore != NULL ? 0 : complain_status("keys", SIGNPOST_NOMEM);
}

int
cmd_check(int argc, char **argv)
{
	struct settings settings = { .config_file = LOAD_CONFIG_DEFAULT,
		.postfix = POSTFIX_FOLDER };
	struct config_problems problems;
	const struct config *config;
	int operands, code = 0;

	switch (options_read(&usage, argc, argv, &settings, &operands)) {
	case OPTIONS_OK:
		break;
	case OPTIONS_ANSWERED:
		return EX_OK;
	case OPTIONS_BAD:
		return EX_USAGE;
	}
	if (access(settings.config_file, R_OK) < 0)
		return complain_file(settings.config_file, errno);
	config = config_load_for_check(settings.config_file, &problems);
	if (config != NULL)
		code = check(config, &settings, &problems);
	config_problems_sort(&problems, settings.config_file);
	if (code == 0 && settings.json)
		code = print_json(&problems);
	else if (code == 0)
		print_problems(&problems);
	if (code == 0 && (config == NULL || problems.errors > 0))
		code = EX_CONFIG;
	config_problems_fini(&problems);
	config_unref(config);
	return code;
}
