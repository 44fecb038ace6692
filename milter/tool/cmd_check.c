/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost check - whether the daemon, its keys and Postfix fit together. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "entries.h"
#include "json_text.h"
#include "load_config.h"
#include "options.h"
#include "paths.h"
#include "postfix.h"
#include "published.h"
#include "setup.h"

struct settings {
	const char *config_file, *postfix;
	bool dns, json;
};

#define AT(member) offsetof(struct settings, member)

static const struct option_row rows[] = {
	{ 0, "dns", NULL, "compare each key with its record in DNS",
	    option_flag, AT(dns), 0, 0 },
	{ 0, "postfix", "DIR", "where main.cf stands (" POSTFIX_FOLDER ")",
	    option_string, AT(postfix), 0, 0 },
	{ 0, "json", NULL, "print JSON", option_flag, AT(json), 0, 0 },
	{ 'c', "config", "FILE", "the configuration", option_string,
	    AT(config_file), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "check",
	.synopsis = "[--dns] [--postfix DIR] [--json] [-c FILE]",
	.summary = "Checks the configuration, every key, the rights of files "
		   "and folders, and\nwhether Postfix reaches the socket. "
		   "Exits with 0 where mail will be served, 78\nwhere not; "
		   "with --dns also 1 where a record is not that of its key, "
		   "75 where\none could not be looked up for now.",
	.rows = rows,
	.max_operands = 0,
};

/* What was found. */
struct findings {
	struct config_problems problems;
	struct key_list keys;
	struct published_record *records; /* one for each key, or NULL */
};

static void
print_findings(const struct findings *findings)
{
	const struct config_problems *problems = &findings->problems;
	char text[1280];

	for (size_t i = 0; i < problems->count; i++) {
		config_problem_text(&problems->items[i], text, sizeof(text));
		puts(text);
	}
	if (problems->dropped > 0)
		printf("and %zu more\n", problems->dropped);
	if (problems->count == 0)
		puts(findings->records == NULL
			? "nothing is wrong"
			: "nothing is wrong on this machine; of the records:");
	for (size_t i = 0;
	     findings->records != NULL && i < findings->keys.count; i++)
		printf("%s: %s: %s%s\n", findings->keys.items[i].file,
		    findings->records[i].name, findings->records[i].text,
		    findings->records[i].signs ? "; it signs" : "");
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

/* An array, as json_pack wants it: NULL fails there. */
static json_t *
records_json(const struct findings *findings)
{
	json_t *list = json_array();

	for (size_t i = 0; findings->records != NULL && list != NULL &&
	     i < findings->keys.count;
	     i++) {
		const struct published_record *record = &findings->records[i];
		json_t *object = json_pack("{so so ss sb so}", "name",
		    json_text(bytes_str(record->name)), "file",
		    json_text(bytes_str(findings->keys.items[i].file)), "state",
		    published_token(record->state), "signs", record->signs,
		    "text", json_text(bytes_str(record->text)));

		if (json_array_append_new(list, object) != 0) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

static int
print_json(const struct findings *findings)
{
	const struct config_problems *problems = &findings->problems;
	json_t *list = json_array(), *object;
	bool ok = list != NULL;

	for (size_t i = 0; ok && i < problems->count; i++)
		ok = json_array_append_new(
			 list, problem_json(&problems->items[i])) == 0;
	object = json_pack("{sb so sI so}", "ok", problems->errors == 0,
	    "problems", list, "dropped", (json_int_t)problems->dropped,
	    "records", records_json(findings));
	ok = ok && object != NULL &&
	    (json_dumpf(object, stdout, JSON_INDENT(2)) == 0 || ferror(stdout));
	json_decref(object);
	putchar('\n');
	return ok ? 0 : complain_status("JSON", SIGNPOST_NOMEM);
}

/* Returns the exit code; 0 is success. */
static int
check_records(struct signpost *handle, const struct config *config,
    struct keystore *keystore, struct findings *findings)
{
	if (!key_list_fill(&findings->keys, keystore))
		return complain_status("keys", SIGNPOST_NOMEM);
	return published_check(
	    handle, config, keystore, &findings->keys, &findings->records);
}

static int
check(const struct config *config, const struct settings *settings,
    struct findings *findings)
{
	struct config_problems *problems = &findings->problems;
	struct signpost *handle;
	struct keystore *keystore;
	enum signpost_status status = signpost_new(&handle);
	int code = 0;

	if (status != SIGNPOST_OK)
		return complain_status("check", status);
	keystore = setup_check(handle, config, problems);
	if (keystore != NULL) {
		entries_check(config, keystore, problems);
		paths_check(config, problems);
		postfix_check(config, settings->postfix, problems);
	} else {
		code = complain_status("keys", SIGNPOST_NOMEM);
	}
	if (code == 0 && settings->dns)
		code = check_records(handle, config, keystore, findings);
	keystore_unref(keystore);
	signpost_free(handle);
	return code;
}

int
cmd_check(int argc, char **argv)
{
	struct settings settings = { .config_file = LOAD_CONFIG_DEFAULT,
		.postfix = POSTFIX_FOLDER };
	struct findings findings = { 0 };
	const struct config *config;
	int code;

	if (options_read(&usage, argc, argv, &settings, &code) == 0)
		return code;
	if (access(settings.config_file, R_OK) < 0)
		return complain_file(settings.config_file, errno);
	config =
	    config_load_for_check(settings.config_file, &findings.problems);
	if (config != NULL)
		code = check(config, &settings, &findings);
	if (config != NULL)
		config_problems_place(&findings.problems, config);
	config_problems_sort(&findings.problems, settings.config_file);
	if (code == 0 && settings.json)
		code = print_json(&findings);
	else if (code == 0)
		print_findings(&findings);
	if (code == 0 && (config == NULL || findings.problems.errors > 0))
		code = EX_CONFIG;
	if (code == 0 && findings.records != NULL)
		code = published_code(findings.records, findings.keys.count);
	free(findings.records);
	key_list_fini(&findings.keys);
	config_problems_fini(&findings.problems);
	config_unref(config);
	return code;
}
