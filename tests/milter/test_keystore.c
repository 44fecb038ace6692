/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "keydir.h"
#include "keystore_fixture.h"

enum {
	MANY = 10000
};

static void
test_names_stand_in_natural_order(void **state)
{
	static const char *const ordered[] = { "", "1", "01", "2", "10", "2026",
		"2026a", "2026aa", "2026b", "2026b1", "2026b9", "2026b10",
		"2027", "99999999999999999999998", "99999999999999999999999",
		"a", "a1b2", "a1b10", "a2b1", "b" };
	size_t count = sizeof ordered / sizeof *ordered, i, j;
	int want, got;

	(void)state;
	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++) {
			got = keydir_compare(ordered[i], ordered[j]);
			want = (i > j) - (i < j);
			/* "1" and "01" are one number, and two names. */
			if ((i == 1 && j == 2) || (i == 2 && j == 1))
				assert_int_not_equal(got, 0);
			else
				assert_int_equal((got > 0) - (got < 0), want);
		}
}

/* field: E7 */
static void
test_a_folder_gives_the_greatest_selector_of_each_algorithm(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture, "example.com/s9.pem", test_keys.rsa2048);
	add_key(fixture, "example.com/s10.pem", test_keys.rsa2048);
	add_key(fixture, "example.com/e1.pem", test_keys.ed25519);
	add_key(fixture, "example.com/e0.pem", test_keys.ed25519);
	add_key(fixture, "example.com/zzz.txt", test_keys.rsa2048);
	add_key(fixture, "example.com/.z.pem", test_keys.rsa2048);
	start(fixture, false, "");
	assert_string_equal(
	    selected(fixture, "example.com"), "s10/example.com e1/example.com");
	assert_true(keystore_has(fixture->keystore, NULL, "example.com"));
	assert_string_equal(selected(fixture, "sub.example.com"), "");
	assert_false(keystore_has(fixture->keystore, NULL, "sub.example.com"));
	assert_string_equal(selected(fixture, "example.org"), "");
}

static void
test_all_signs_with_every_key_that_applies(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture, "example.com/a.pem", test_keys.rsa2048);
	add_key(fixture, "example.com/b.pem", test_keys.rsa2048);
	add_key(fixture, "example.com/c.pem", test_keys.ed25519);
	start(fixture, false,
	    "domains = ( { name = \"example.com\"; all = true; } );");
	assert_string_equal(selected(fixture, "example.com"),
	    "c/example.com b/example.com a/example.com");
}

static void
test_a_list_gives_the_first_of_each_algorithm(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture, "x/1.pem", test_keys.rsa2048);
	add_key(fixture, "x/2.pem", test_keys.ed25519);
	start(fixture, false,
	    "domains = ( { name = \"example.com\"; domain = \"b\xc3\xbc"
	    "cher.example\"; keys = (\n"
	    "{ selector = \"a\"; file = \"~/keys/x/1.pem\"; },\n"
	    "{ selector = \"b\"; file = \"~/keys/x/1.pem\"; },\n"
	    "{ selector = \"c\"; file = \"~/keys/x/2.pem\"; domain = "
	    "\"Example.ORG\"; } ); } );");
	assert_string_equal(selected(fixture, "example.com"),
	    "a/xn--bcher-kva.example c/example.org");
}

/* field: A21, A30 */
static void
test_a_folder_serves_others_only_where_an_entry_says_so(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture, "example.com/s.pem", test_keys.ed25519);
	start(fixture, false,
	    "domains = ( { name = \".example.com\"; domain = "
	    "\"example.com\"; }, { name = \"*\"; } );");
	assert_string_equal(
	    selected(fixture, "a.b.example.com"), "s/example.com");
	assert_string_equal(selected(fixture, "example.com"), "s/example.com");
	assert_string_equal(selected(fixture, "example.net"), "");
}

/* field: A18 */
static void
test_a_folder_named_in_u_labels_is_found_by_a_labels(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture,
	    "B\xc3\xbc"
	    "cher.Example/s.pem",
	    test_keys.ed25519);
	start(fixture, false, "");
	assert_string_equal(selected(fixture, "xn--bcher-kva.example"),
	    "s/xn--bcher-kva.example");
}

static void
test_an_unusable_key_leaves_its_place_to_the_next(void **state)
{
	struct fixture *fixture = *state;
	const char *text;

	add_key(fixture, "example.com/s1.pem", test_keys.rsa2048);
	add_key(fixture, "example.com/s2.pem", "not a key\n");
	add_key(fixture, "example.com/s0.pem", "");
	add_key(fixture, "example.com/e1.pem", test_keys.ed25519);
	start(fixture, false, "");
	text = selected(fixture, "example.com");
	assert_non_null(
	    strstr(text, "s1/example.com e1/example.com; 2 of 4: "));
	assert_non_null(strstr(text,
	    "/keys/example.com/s2.pem: not a private "
	    "key"));
}

/* field: C12 */
static void
test_small_keys_do_not_sign(void **state)
{
	struct fixture *fixture = *state;
	const char *text;

	add_key(fixture, "example.com/s1.pem", test_keys.rsa1024);
	add_key(fixture, "example.org/s1.pem", test_keys.rsa1024);
	start(fixture, false,
	    "domains = ( { name = \"example.com\"; min_rsa_bits = 2048; } );");
	assert_string_equal(selected(fixture, "example.org"), "s1/example.org");
	text = selected(fixture, "example.com");
	assert_non_null(strstr(text, "1 of 1: "));
	assert_non_null(
	    strstr(text, "s1.pem: 1024 bits, min_rsa_bits is 2048"));
}

static void
test_keys_outlive_the_keystore_and_the_cap(void **state)
{
	struct fixture *fixture = *state;
	struct keystore_keys keys;
	struct keystore_counts counts;

	add_key(fixture, "example.com/s.pem", test_keys.ed25519);
	add_key(fixture, "example.org/s.pem", test_keys.ed25519);
	start(fixture, false, "");
	stop(fixture);
	folder_write(&fixture->folder, "conf", 0600, "");
	start(fixture, false, "limits = { };");
	assert_true(
	    keystore_select(fixture->keystore, NULL, "example.com", &keys));
	selected(fixture, "example.org");
	keystore_counts(fixture->keystore, &counts);
	assert_int_equal(counts.entries, 2);
	stop(fixture);
	assert_string_equal(keys.items[0].selector, "s");
	assert_string_equal(keys.items[0].domain, "example.com");
	assert_int_equal(signpost_private_key_algorithm(keys.items[0].key),
	    SIGNPOST_ED25519_SHA256);
	keystore_keys_fini(&keys);
}

static void
count_key(void *ctx, const char *domain, const char *selector, const char *file)
{
	assert_string_equal(selector, "s");
	assert_non_null(strstr(file, ".pem"));
	assert_non_null(strstr(domain, "example"));
	++*(size_t *)ctx;
}

/* field: E6 */
static void
test_a_check_reports_every_key_that_is_wrong(void **state)
{
	struct fixture *fixture = *state;
	const struct config_problems *problems = &fixture->problems;
	size_t visited = 0;

	add_key(fixture, "example.com/s.pem", "x");
	add_key(fixture, "example.org/s.pem", "y");
	folder_add(&fixture->folder, "keys/not a domain/", 0755);
	start(fixture, true,
	    "domains = (\n{ name = \"example.net\"; keys = (\n"
	    "{ selector = \"s\"; file = \"~/none.pem\"; } ); },\n"
	    "{ name = \"empty.example\"; } );");
	assert_int_equal(problems->errors, 3);
	assert_int_equal(problems->count, 5);
	config_problems_sort(&fixture->problems, fixture->config->file);
	assert_string_equal(problems->items[4].setting, "domains.name");
	assert_string_equal(problems->items[3].setting, "domains.keys.file");
	assert_int_equal(problems->items[3].line, 4);
	assert_non_null(strstr(
	    problems->items[3].text, "/none.pem: No such file or directory"));
	keystore_each(fixture->keystore, count_key, &visited);
	assert_int_equal(visited, 3);
}

/* field: F1 */
static void
test_ten_thousand_domains_are_indexed_fast(void **state)
{
	struct fixture *fixture = *state;
	struct timespec before, after;
	char name[64];
	double took;
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "keys/d%d.example/", i);
		folder_add(&fixture->folder, name, 0755);
	}
	add_key(fixture, "d7777.example/s.pem", test_keys.ed25519);
	clock_gettime(CLOCK_MONOTONIC, &before);
	start(fixture, false, "");
	assert_string_equal(
	    selected(fixture, "d7777.example"), "s/d7777.example");
	clock_gettime(CLOCK_MONOTONIC, &after);
	took = (double)(after.tv_sec - before.tv_sec) +
	    (double)(after.tv_nsec - before.tv_nsec) / 1e9;
	print_message("%d domains indexed in %.3f s\n", MANY, took);
	assert_true(took < 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_stand_in_natural_order),
		cmocka_unit_test_setup_teardown(
		    test_a_folder_gives_the_greatest_selector_of_each_algorithm,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_all_signs_with_every_key_that_applies, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_list_gives_the_first_of_each_algorithm, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_folder_serves_others_only_where_an_entry_says_so,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_folder_named_in_u_labels_is_found_by_a_labels,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_an_unusable_key_leaves_its_place_to_the_next, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_small_keys_do_not_sign, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_keys_outlive_the_keystore_and_the_cap, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_check_reports_every_key_that_is_wrong, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_ten_thousand_domains_are_indexed_fast, set_up,
		    tear_down),
	};

	return cmocka_run_group_tests(tests, make_keys, drop_keys);
}
