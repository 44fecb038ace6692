/* SPDX-License-Identifier: BSD-2-Clause */
/* Each measurement, quick: what it prints has the right form. How fast the
 * machine is, is nobody's business here. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EMPTY	     bytes_str("")

static json_t *
run_json(const char *line)
{
	struct command_run run;
	json_t *root;

	command_line(line, EMPTY, &run);
	if (run.code != EX_OK)
		fail_msg("%s: %s", line, run.err.data);
	assert_int_equal(run.err.len, 0);
	root = json_loads(run.out.data, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	command_run_fini(&run);
	return root;
}

static json_t *
table_of(json_t *root, const char *name)
{
	json_t *tables = json_object_get(root, "tables"), *table;
	size_t i;

	json_array_foreach(tables, i, table)
	{
		if (strcmp(json_string_value(json_object_get(table, "name")),
			name) == 0)
			return table;
	}
	fail_msg("no table %s", name);
	return NULL;
}

/* Every row has every column, and every measured row what belongs to one. */
static void
check_table(json_t *table)
{
	json_t *columns = json_object_get(table, "columns"), *column;
	json_t *rows = json_object_get(table, "rows"), *row;
	size_t i, c;

	assert_true(json_array_size(rows) > 0);
	json_array_foreach(rows, i, row)
	{
		json_t *mean = json_object_get(row, "mean_ns");

		assert_int_equal(
		    json_object_size(row), json_array_size(columns));
		json_array_foreach(columns, c, column)
		{
			const char *name =
			    json_string_value(json_object_get(column, "name"));

			assert_non_null(json_object_get(row, name));
		}
		if (!json_is_number(mean))
			continue;
		assert_true(json_number_value(mean) > 0);
		if (json_object_get(row, "samples") != NULL)
			assert_true(json_number_value(
					json_object_get(row, "samples")) >= 1);
	}
}

static void
check_tables(json_t *root, const char *const *names)
{
	for (; *names != NULL; names++)
		check_table(table_of(root, *names));
	json_decref(root);
}

static void
without_a_name_all_are_made(void **state)
{
	static const char *const names[] = { "public_key", "digest", "cipher",
		"asymmetry", "cipher_to_rsa", "mail", "crossing",
		"mail_asymmetry", "stream", "history_1995", "history_cryptopp",
		"history_2001", "history_claims", "history_2014", NULL };
	json_t *root = run_json("bench --quick --format json --html page.html");
	char *page = calloc(1, 1 << 20);
	FILE *file = fopen("page.html", "r");

	(void)state;
	assert_int_equal(
	    json_array_size(json_object_get(root, "tables")), COUNT(names) - 1);
	check_tables(root, names);
	assert_non_null(page);
	assert_non_null(file);
	assert_true(fread(page, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	assert_memory_equal(page, "<!DOCTYPE html>", 15);
	assert_non_null(strstr(page, "</html>"));
	for (size_t i = 0; names[i] != NULL; i++) {
		char id[64];

		snprintf(id, sizeof(id), "<h2 id=\"%s\">", names[i]);
		assert_non_null(strstr(page, id));
	}
	free(page);
}

/* Commas that part columns: a note of a noisy measurement may hold one, in
 * quotes (RFC 4180 section 2). */
static size_t
count_commas(const char *line)
{
	bool quoted = false;
	size_t count = 0;

	for (; *line != '\n' && *line != '\0'; line++) {
		if (*line == '"')
			quoted = !quoted;
		if (*line == ',' && !quoted)
			count++;
	}
	return count;
}

static void
crypto_prints_csv(void **state)
{
	struct command_run run;
	const char *line, *next;
	size_t commas, lines = 0;

	(void)state;
	command_line("bench crypto --quick --format csv", EMPTY, &run);
	assert_int_equal(run.code, EX_OK);
	assert_int_equal(run.err.len, 0);
	assert_memory_equal(run.out.data, "table,algorithm,bits,", 21);
	commas = count_commas(run.out.data);
	for (line = run.out.data; *line != '\0'; line = next + 1) {
		next = strchr(line, '\n');
		assert_non_null(next);
		assert_int_equal(count_commas(line), commas);
		lines++;
	}
	assert_true(lines > 50);
	command_run_fini(&run);
}

static void
mail_measures_whole_messages_of_the_sizes_asked_for(void **state)
{
	static const char *const names[] = { "mail", "crossing",
		"mail_asymmetry", NULL };
	json_t *root =
	    run_json("bench mail --quick --sizes 0,1k,3000 --format json");
	json_t *rows = json_object_get(table_of(root, "mail"), "rows"), *row;
	json_int_t total = 0;
	size_t i;

	(void)state;
	json_array_foreach(rows, i, row)
	{
		total += json_integer_value(json_object_get(row, "body_bytes"));
	}
	/* Five keys, two canonicalizations, signing and verifying. */
	assert_int_equal(json_array_size(rows), 5 * 2 * 2 * 3);
	assert_int_equal(total, 5 * 2 * 2 * (0 + 1024 + 3000));
	check_tables(root, names);
}

static void
stream_measures_beside_the_bare_digest(void **state)
{
	static const char *const names[] = { "stream", NULL };
	static const char *const lines[] = {
		"bench stream --quick --bytes 3M --format json",
		"bench stream --bytes 1 --format json",
		"bench stream --bytes 1000 --piece 7 --format json",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		json_t *root = run_json(lines[i]);
		json_t *table = table_of(root, "stream");

		assert_int_equal(
		    json_array_size(json_object_get(table, "rows")), 3);
		check_tables(root, names);
	}
}

static void
history_has_the_originals_beside_it(void **state)
{
	json_t *root = run_json("bench history --quick --format json");
	json_t *rows = json_object_get(table_of(root, "history_2014"), "rows");
	json_t *row;
	size_t i, with_original = 0;

	(void)state;
	json_array_foreach(rows, i, row)
	{
		if (json_is_number(json_object_get(row, "original_ns")))
			with_original++;
	}
	assert_int_equal(with_original, json_array_size(rows));
	json_decref(root);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_name_all_are_made),
		cmocka_unit_test(crypto_prints_csv),
		cmocka_unit_test(
		    mail_measures_whole_messages_of_the_sizes_asked_for),
		cmocka_unit_test(stream_measures_beside_the_bare_digest),
		cmocka_unit_test(history_has_the_originals_beside_it),
	};

	return cmocka_run_group_tests(
	    tests, command_enter_folder, command_leave_folder);
}
