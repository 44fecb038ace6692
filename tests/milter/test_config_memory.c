/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration, keystore and choice of keys, with each allocation failing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config_read.h"
#include "failing_alloc.h"
#include "keystore_fixture.h"

static const char text[] =
    "dns = { servers = [ \"127.0.0.1@53\" ]; }; trusted_networks = [ "
    "\"10.0.0.0/8\" ];\n"
    "domains = ( { name = \"b\xc3\xbc"
    "cher.example\"; headers = [ \"From\" ]; "
    "},\n"
    "{ name = \"listed.example\"; domain = \"example.com\"; keys = ( { "
    "selector = \"s\"; file = \"~/keys/example.com/s.pem\"; } ); } );\n";

/* The rows of a tree with a setting of each kind, and one that is none. */
static const char rows[] =
    "F0\0\0conf\0g0\0\0\0g1\0dns\0\0s1\0timeout\0"
    "5s\0a1\0servers\0\0"
    "s1\0\0"
    "127.0.0.1\0e0\0\0\0e0\0\0\0l2\0domains\0\0g2\0\0\0s2\0name\0"
    "a.example\0s2\0expire\0"
    "1d\0l2\0keys\0\0g2\0\0\0s2\0selector\0s\0"
    "s2\0file\0/k\0e0\0\0\0e0\0\0\0e0\0\0\0e0\0\0\0e0\0\0\0.0\0\0";

static void
test_a_tree_and_a_configuration_are_made_whole_or_not_at_all(void **state)
{
	struct config_problems problems;
	const struct config *config;
	struct config_tree *tree;
	size_t n;

	(void)state;
	for (n = 0;; n++) {
		problems = (struct config_problems){ 0 };
		failing_alloc_after(n);
		config = NULL;
		tree =
		    config_tree_parse(bytes_of(rows, sizeof rows), &problems);
		if (tree != NULL)
			config = config_from_tree("conf", tree, &problems);
		failing_alloc_never();
		if (tree != NULL)
			assert_true((config == NULL) == (problems.errors > 0));
		config_unref(config);
		config_tree_free(tree);
		config_problems_fini(&problems);
		if (config != NULL)
			break;
	}
	assert_true(n > 5);
}

static void
test_a_file_is_loaded_whole_or_not_at_all(void **state)
{
	struct fixture *fixture = *state;
	struct config_problems problems;
	const struct config *config;
	const char *path;
	size_t n;

	add_key(fixture, "example.com/s.pem", test_keys.ed25519);
	start(fixture, false, text);
	path = fixture->config->file;
	for (n = 0;; n++) {
		failing_alloc_after(n);
		config = config_load(path, &problems);
		failing_alloc_never();
		assert_true((config == NULL) == (problems.errors > 0));
		config_problems_fini(&problems);
		config_unref(config);
		if (config != NULL)
			break;
	}
	assert_true(n > 10);
}

/* One whole use of a keystore; whether memory sufficed. A message of a domain
 * that has a key is never told that it has none. */
static bool
use_keystore(struct fixture *fixture, bool once, size_t n)
{
	struct config_problems problems = { 0 };
	struct keystore_keys keys;
	struct keystore *keystore;
	bool enough;

	if (once)
		failing_alloc_once(n);
	else
		failing_alloc_after(n);
	keystore =
	    keystore_new(test_keys.handle, fixture->config, true, &problems);
	enough = keystore != NULL;
	if (keystore != NULL) {
		assert_true(keystore_has(keystore, NULL, "example.com"));
		if (keystore_select(keystore, NULL, "example.com", &keys)) {
			assert_int_equal(keys.named, 1);
			assert_int_equal(keys.count + keys.unusable, 1);
			enough = keys.count == 1;
			keystore_keys_fini(&keys);
		} else {
			enough = false;
		}
	}
	enough &= !failing_alloc_failed();
	failing_alloc_never();
	/* What failed for lack of memory is tried again at once. */
	if (keystore != NULL) {
		assert_true(
		    keystore_select(keystore, NULL, "example.com", &keys));
		assert_int_equal(keys.count, 1);
		keystore_keys_fini(&keys);
	}
	keystore_unref(keystore);
	config_problems_fini(&problems);
	return enough;
}

static void
test_a_keystore_out_of_memory_never_says_that_there_is_no_key(void **state)
{
	struct fixture *fixture = *state;
	size_t n;

	add_key(fixture, "example.com/s.pem", test_keys.ed25519);
	start(fixture, false, text);
	for (n = 0; !use_keystore(fixture, false, n); n++)
		assert_true(n < 10000);
	assert_true(n > 10);
	for (n = 0; !use_keystore(fixture, true, n); n++)
		assert_true(n < 10000);
	assert_true(n > 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    test_a_tree_and_a_configuration_are_made_whole_or_not_at_all),
		cmocka_unit_test_setup_teardown(
		    test_a_file_is_loaded_whole_or_not_at_all, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_keystore_out_of_memory_never_says_that_there_is_no_key,
		    set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, make_keys, drop_keys);
}
