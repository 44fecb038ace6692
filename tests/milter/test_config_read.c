/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_read.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"

enum {
	THREADS = 8
};

/* Loads NAME, which must fail with what WANT says of the first problem. */
static void
assert_problem(const struct folder *folder, const char *name, const char *want)
{
	struct config_problems problems;
	char text[2048], full[2048];

	assert_null(config_load(folder_path(folder, name), &problems));
	assert_true(problems.count > 0);
	config_problem_text(&problems.items[0], text, sizeof text);
	snprintf(full, sizeof full, "%s/%s", folder->path, want);
	if (strncmp(text, full, strlen(full)) != 0)
		fail_msg("got %s, want %s", text, full);
	config_problems_fini(&problems);
}

static void
test_includes_are_found_from_the_main_files_folder(void **state)
{
	const struct folder *folder = *state;
	const struct config *config;
	struct config_problems problems;
	char text[256];

	folder_add(folder, "sub", 0755);
	snprintf(text, sizeof text,
	    "@include \"sub/a\"\n  @include\t\"%s/sub/b\"\n", folder->path);
	folder_write(folder, "conf", 0600, text);
	folder_write(folder, "sub/a", 0600, "mode = \"sign\";\n");
	folder_write(folder, "sub/b", 0600, "dns = { timeout = 1; };\n");
	config = config_load(folder_path(folder, "conf"), &problems);
	assert_non_null(config);
	assert_int_equal(problems.count, 0);
	assert_int_equal(config->mode, MODE_SIGN);
	assert_int_equal(config->dns.timeout_ms, 1000);
	config_unref(config);

	folder_write(folder, "sub/b", 0600, "dns = {\n timeout = 0; };\n");
	assert_problem(folder, "conf", "sub/b:2: dns.timeout: \"0\": must be");
	folder_write(folder, "sub/b", 0600, "dns = {\n timeout = = ; };\n");
	assert_problem(folder, "conf", "sub/b:2: syntax error");
	folder_write(folder, "sub/b", 0600, "x = 5000000000;\n");
	assert_problem(folder, "conf", "sub/b:1: x: 5000000000 is out of");
}

static void
test_what_only_looks_like_an_include_is_none(void **state)
{
	const struct folder *folder = *state;
	struct config_problems problems;
	const struct config *config;

	folder_write(folder, "conf", 0600,
	    "# @include \"a\"\n/*\n@include \"b\"\n*/\n// @include \"c\"\n"
	    "user = \"x\n@include \\\"d\\\"\n\";\n");
	config = config_load(folder_path(folder, "conf"), &problems);
	assert_non_null(config);
	assert_int_equal(problems.count, 0);
	assert_string_equal(config->user, "x\n@include \"d\"\n");
	config_unref(config);
}

static void
test_what_cannot_be_included_is_told_where_it_is_asked_for(void **state)
{
	const struct folder *folder = *state;

	folder_write(folder, "conf", 0600, "\n@include \"none\"\n");
	assert_problem(folder, "conf",
	    "conf:2: cannot include none: No such file or directory");
	folder_add(folder, "sub", 0755);
	folder_write(folder, "conf", 0600, "@include \"sub\"\n");
	assert_problem(
	    folder, "conf", "conf:1: cannot include sub: not a file");
	assert_int_equal(mkfifo(folder_path(folder, "fifo"), 0600), 0);
	folder_write(folder, "conf", 0600, "@include \"fifo\"\n");
	assert_problem(
	    folder, "conf", "conf:1: cannot include fifo: not a file");
	folder_write(folder, "conf", 0600, "@include \"conf\"\n");
	assert_problem(folder, "conf",
	    "conf:1: cannot include conf: included too deep: does a file "
	    "include itself?");
}

/* Ten files that each include the next one ten times: 10^10 in all. */
static void
test_includes_that_multiply_are_stopped(void **state)
{
	const struct folder *folder = *state;
	struct config_problems problems;
	char name[16], text[512];
	size_t used;
	int i, j;

	for (i = 0; i < 10; i++) {
		for (used = 0, j = 0; j < 10; j++)
			used += (size_t)snprintf(text + used,
			    sizeof text - used, "@include \"f%d\"\n", i + 1);
		snprintf(name, sizeof name, "f%d", i);
		folder_write(folder, name, 0600, text);
	}
	folder_write(folder, "f10", 0600, "");
	assert_null(config_load(folder_path(folder, "f0"), &problems));
	assert_int_equal(problems.count, 1);
	assert_non_null(
	    strstr(problems.items[0].text, "too many files are included"));
	config_problems_fini(&problems);
}

static void
test_a_file_that_cannot_be_read_is_told(void **state)
{
	const struct folder *folder = *state;

	assert_problem(
	    folder, "none", "none: cannot be read: No such file or directory");
	folder_add(folder, "sub", 0755);
	assert_problem(folder, "sub", "sub: cannot be read: not a file");
	folder_write_bytes(folder, "nul", 0600, "user = \"a\0b\";\n", 14);
	assert_problem(folder, "nul", "nul: not a text: it holds a NUL");
	folder_write(folder, "open", 0666, "user = \"\";\n");
	assert_problem(
	    folder, "open", "open: warning: anybody can write to it: chmod");
	folder_write(folder, "bytes", 0600, "\xff\xfe\x01\x02");
	assert_problem(folder, "bytes", "bytes:1: syntax error");
	if (geteuid() != 0) {
		folder_write(folder, "closed", 0000, "");
		assert_problem(folder, "closed",
		    "closed: cannot be read: Permission denied");
	}
}

static void
test_deep_nesting_is_refused(void **state)
{
	const struct folder *folder = *state;
	char text[200000], *at = text;

	at += sprintf(at, "domains = ");
	memset(at, '(', 90000);
	memset(at + 90000, ')', 90000);
	strcpy(at + 180000, ";");
	folder_write(folder, "conf", 0600, text);
	assert_problem(folder, "conf", "conf:");

	at = text + sprintf(text, "domains = ");
	memset(at, '(', 20);
	memset(at + 20, ')', 20);
	strcpy(at + 40, ";");
	folder_write(folder, "conf", 0600, text);
	assert_problem(folder, "conf",
	    "conf:1: groups and lists stand too deep in each other");
}

static size_t
open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static void *
keep_loading(void *arg)
{
	const struct folder *folder = arg;
	struct config_problems problems;
	const struct config *config;
	char path[128];
	int i;

	snprintf(path, sizeof path, "%s/conf", folder->path);
	for (i = 0; i < 20; i++) {
		free(malloc(1000));
		config = config_load(path, &problems);
		if (config == NULL) {
			print_error("%s\n", problems.items[0].text);
			abort();
		}
		config_unref(config);
		config_problems_fini(&problems);
	}
	return NULL;
}

/* Loading from several threads, which allocate meanwhile, works and leaves no
 * descriptor and no process behind. */
static void
test_threads_may_load_at_the_same_time(void **state)
{
	const struct folder *folder = *state;
	pthread_t threads[THREADS];
	size_t before, i;

	folder_write(folder, "conf", 0600, "dns = { timeout = \"1s\"; };");
	before = open_descriptors();
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, keep_loading,
				     (void *)folder),
		    0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* The parser's process has the parent's signals neither blocked nor handled,
 * and nobody else may reap it. */
static void
test_a_process_that_ignores_its_children_can_load(void **state)
{
	const struct folder *folder = *state;
	struct config_problems problems;
	const struct config *config;

	folder_write(folder, "conf", 0600, "\n");
	signal(SIGCHLD, SIG_IGN);
	config = config_load(folder_path(folder, "conf"), &problems);
	signal(SIGCHLD, SIG_DFL);
	assert_non_null(config);
	config_unref(config);
}

/* What the reader makes of rows: the rows, "/" for NUL, and how many nodes the
 * root has; -1 for none. */
static void
test_rows_are_believed_no_more_than_any_input(void **state)
{
	static const struct {
		const char *rows;
		int want;
	} table[] = {
		{ "F0//file/g0///e0///.0///", 0 },
		{ "F0//file/g0///s1/a/b/i2/c/1/e0///.0///", 2 },
		{ "g0///l1/d//g1///s1/n/x/e0///e0///e0///.0///", 1 },
		{ "", -1 },
		{ "g", -1 },
		{ "g0///e0///", -1 },		/* no end */
		{ "g0///e0///.0///.0///", -1 }, /* more behind it */
		{ "g0///e0///.0///x", -1 },
		{ "g0///.0///", -1 }, /* never closed */
		{ "e0///.0///", -1 }, /* never opened */
		{ "g0///e0///e0///.0///", -1 },
		{ "s1/a/b/.0///", -1 },		     /* no root */
		{ "l0///e0///.0///", -1 },	     /* a root that is none */
		{ "g0///e0///g0///e0///.0///", -1 }, /* two */
		{ "g0///x1/a/b/e0///.0///", -1 },    /* unknown */
		{ "g0x///e0///.0///", -1 },
		{ "g99999999999///e0///.0///", -1 },
		{ "p1/a/b/.0///", -1 },
	};
	struct config_problems problems;
	const struct config_node *node;
	struct config_tree *tree;
	char rows[256];
	size_t i, j;
	int count;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		problems = (struct config_problems){ 0 };
		strcpy(rows, table[i].rows);
		for (j = 0; j < strlen(table[i].rows); j++)
			if (rows[j] == '/')
				rows[j] = '\0';
		tree = config_tree_parse(
		    bytes_of(rows, strlen(table[i].rows)), &problems);
		count = -1;
		if (tree != NULL) {
			node = config_tree_root(tree)->child;
			for (count = 0; node != NULL; node = node->next)
				count++;
		}
		if (count != table[i].want)
			fail_msg("%s: %d", table[i].rows, count);
		config_tree_free(tree);
		config_problems_fini(&problems);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_includes_are_found_from_the_main_files_folder,
		    folder_set_up, folder_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_what_only_looks_like_an_include_is_none, folder_set_up,
		    folder_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_what_cannot_be_included_is_told_where_it_is_asked_for,
		    folder_set_up, folder_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_includes_that_multiply_are_stopped, folder_set_up,
		    folder_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_file_that_cannot_be_read_is_told, folder_set_up,
		    folder_tear_down),
		cmocka_unit_test_setup_teardown(test_deep_nesting_is_refused,
		    folder_set_up, folder_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_threads_may_load_at_the_same_time, folder_set_up,
		    folder_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_process_that_ignores_its_children_can_load,
		    folder_set_up, folder_tear_down),
		cmocka_unit_test(test_rows_are_believed_no_more_than_any_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
