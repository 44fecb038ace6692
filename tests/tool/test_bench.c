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

static int
set_up(void **state)
{
	(void)state;
	command_enter_folder();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	command_leave_folder();
	return 0;
}

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
crypto_measures_keys_digests_and_ciphers(void **state)
{
	static const char *const names[] = { "public_key", "digest", "cipher",
		"asymmetry", "cipher_to_rsa", NULL };

	(void)state;
	check_tables(run_json("bench crypto --quick --format json"), names);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(crypto_measures_keys_digests_and_ciphers),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
