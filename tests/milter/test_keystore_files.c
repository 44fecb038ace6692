/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "keystore_fixture.h"

enum {
	NOBODY = 65534,
	THREADS = 8
};

/* Each makes the key unsafe, and names what must be mended. */
static void
test_an_unsafe_key_is_refused_with_the_way_out(void **state)
{
	static const struct {
		const char *path; /* whose mode is changed */
		mode_t mode;
		int uid; /* -1: not changed */
		const char *want;
	} rows[] = {
		{ "keys/example.com/s.pem", 0644, -1,
		    "s.pem (mode 0644, owner root) is open to anybody: "
		    "chmod o= /" },
		{ "keys/example.com/s.pem", 0620, -1,
		    "is writable by its group: chmod g-w /" },
		{ "keys/example.com/s.pem", 0600, NOBODY,
		    "belongs to neither root nor root: chown root /" },
		{ "keys/example.com", 0777, -1,
		    "keys/example.com (mode 0777, owner root) is writable by "
		    "anybody: chmod o-w /" },
		{ "keys", 0775, -1, "is writable by its group: chmod g-w /" },
		{ "keys", 01777, -1, NULL },
		{ "keys/example.com/s.pem", 0640, -1, NULL },
		{ "keys/example.com/s.pem", 0400, -1, NULL },
	};
	struct fixture *fixture;
	const char *text, *path;
	size_t i;

	if (geteuid() != 0)
		skip();
	tear_down(state);
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		set_up((void **)&fixture);
		add_key(fixture, "example.com/s.pem", test_keys.ed25519);
		path = folder_path(&fixture->folder, rows[i].path);
		if (rows[i].uid >= 0)
			assert_int_equal(chown(path, (uid_t)rows[i].uid, 0), 0);
		assert_int_equal(chmod(path, rows[i].mode), 0);
		start(fixture, false, "");
		text = selected(fixture, "example.com");
		if (rows[i].want == NULL)
			assert_string_equal(text, "s/example.com");
		else if (strstr(text, rows[i].want) == NULL)
			fail_msg("row %zu: %s", i, text);
		assert_true(
		    keystore_has(fixture->keystore, NULL, "example.com"));
		tear_down((void **)&fixture);
	}
	set_up(state);
}

/* As root, what is checked is what the daemon's user may do. */
static void
test_root_checks_for_the_daemons_user(void **state)
{
	struct fixture *fixture = *state;
	struct config_problems problems = { 0 };
	char body[512];

	if (geteuid() != 0)
		skip();
	add_key(fixture, "example.com/s.pem", test_keys.ed25519);
	snprintf(body, sizeof body,
	    "user = \"nobody\"; group = \"nogroup\"; key_directory = "
	    "\"%s/keys\";",
	    fixture->folder.path);
	folder_write(&fixture->folder, "conf", 0600, body);
	fixture->config =
	    config_load(folder_path(&fixture->folder, "conf"), &problems);
	fixture->keystore =
	    keystore_new(test_keys.handle, fixture->config, true, &problems);
	assert_int_equal(problems.errors, 1);
	assert_non_null(strstr(problems.items[0].text,
	    "(mode 0700, owner root) is closed to user nobody: chmod +x "));
	config_problems_fini(&problems);
	keystore_unref(fixture->keystore);

	assert_int_equal(chmod(fixture->folder.path, 0711), 0);
	fixture->keystore =
	    keystore_new(test_keys.handle, fixture->config, true, &problems);
	assert_int_equal(problems.errors, 1);
	assert_string_equal(problems.items[0].setting, "key_directory");
	assert_non_null(strstr(problems.items[0].text,
	    "s.pem (mode 0600, owner root) can't be read by user nobody: "
	    "chown nobody /"));
	config_problems_fini(&problems);
	keystore_unref(fixture->keystore);

	assert_int_equal(
	    chown(folder_path(&fixture->folder, "keys/example.com/s.pem"),
		NOBODY, 0),
	    0);
	fixture->keystore =
	    keystore_new(test_keys.handle, fixture->config, true, &problems);
	assert_int_equal(problems.errors, 0);
	config_problems_fini(&problems);
}

/* Who only verifies starts whatever becomes of a folder that it never uses. */
static void
test_keys_do_not_matter_to_who_only_verifies(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture, "example.com/s.pem", "no key");
	assert_int_equal(chmod(folder_path(&fixture->folder, "keys"), 0777), 0);
	start(fixture, true, "mode = \"verify\";");
	assert_int_equal(fixture->problems.count, 0);
	stop(fixture);
	start(fixture, true, "mode = \"sign\";");
	assert_int_not_equal(fixture->problems.errors, 0);
}

static void
test_links_are_followed(void **state)
{
	struct fixture *fixture = *state;
	char target[256];

	add_key(fixture, "store/real.pem", test_keys.ed25519);
	folder_add(&fixture->folder, "keys/example.com/", 0755);
	snprintf(target, sizeof target, "%s/keys/store/real.pem",
	    fixture->folder.path);
	assert_int_equal(
	    symlink(target,
		folder_path(&fixture->folder, "keys/example.com/s.pem")),
	    0);
	assert_int_equal(symlink("example.com",
			     folder_path(&fixture->folder, "keys/example.org")),
	    0);
	start(fixture, false, "");
	assert_string_equal(selected(fixture, "example.com"), "s/example.com");
	assert_string_equal(selected(fixture, "example.org"), "s/example.org");
	/* The folder that the link leads to counts, too. */
	stop(fixture);
	assert_int_equal(
	    chmod(folder_path(&fixture->folder, "keys/store"), 0777), 0);
	start(fixture, false, "");
	assert_non_null(
	    strstr(selected(fixture, "example.com"), "keys/store (mode 0777"));
}

static void
test_a_key_that_is_no_file_or_too_large_is_refused(void **state)
{
	struct fixture *fixture = *state;
	char *large = calloc(1, 70001);

	memset(large, 'x', 70000);
	add_key(fixture, "example.com/s.pem", large);
	free(large);
	folder_add(&fixture->folder, "keys/example.org/", 0755);
	assert_int_equal(
	    mkfifo(
		folder_path(&fixture->folder, "keys/example.org/s.pem"), 0600),
	    0);
	start(fixture, false,
	    "domains = ( { name = \"example.net\"; keys = ( { selector = "
	    "\"s\"; file = \"~/keys/example.org/s.pem\"; } ); } );");
	assert_non_null(
	    strstr(selected(fixture, "example.com"), "is too large for a key"));
	assert_string_equal(selected(fixture, "example.org"), "");
	assert_non_null(
	    strstr(selected(fixture, "example.net"), "is not a file"));
}

static void
test_a_folder_that_cannot_be_listed_counts_as_a_key(void **state)
{
	struct fixture *fixture = *state;

	folder_write(&fixture->folder, "keys/file", 0600, "");
	folder_add(&fixture->folder, "keys/example.com/", 0755);
	start(fixture, false, "");
	assert_false(keystore_has(fixture->keystore, NULL, "example.com"));
	stop(fixture);
	/* A file where key_directory should be. */
	rmdir(folder_path(&fixture->folder, "keys/example.com"));
	unlink(folder_path(&fixture->folder, "keys/file"));
	rmdir(folder_path(&fixture->folder, "keys"));
	folder_write(&fixture->folder, "keys", 0600, "");
	start(fixture, false, "");
	assert_int_equal(fixture->problems.errors, 1);
	assert_true(keystore_has(fixture->keystore, NULL, "example.com"));
	assert_non_null(strstr(selected(fixture, "example.com"), "1 of 1: "));
}

static void
test_a_key_dropped_in_replaced_or_taken_away_is_seen(void **state)
{
	struct fixture *fixture = *state;
	struct keystore_keys keys;
	struct signpost_private_key *first;

	start(fixture, false, "");
	assert_string_equal(selected(fixture, "example.com"), "");
	add_key(fixture, "example.com/s1.pem", test_keys.rsa1024);
	pause_ms(1100);
	assert_string_equal(selected(fixture, "example.com"), "s1/example.com");
	assert_true(
	    keystore_select(fixture->keystore, NULL, "example.com", &keys));
	first = signpost_private_key_ref(keys.items[0].key);
	keystore_keys_fini(&keys);

	/* In place: same name, another key. */
	add_key(fixture, "example.com/s1.pem", test_keys.rsa2048);
	add_key(fixture, "example.com/s2.pem", test_keys.ed25519);
	pause_ms(1100);
	assert_string_equal(
	    selected(fixture, "example.com"), "s2/example.com s1/example.com");
	assert_true(
	    keystore_select(fixture->keystore, NULL, "example.com", &keys));
	assert_int_equal(signpost_private_key_bits(first), 1024);
	assert_int_equal(signpost_private_key_bits(keys.items[1].key), 2048);
	keystore_keys_fini(&keys);
	signpost_private_key_unref(first);

	unlink(folder_path(&fixture->folder, "keys/example.com/s1.pem"));
	pause_ms(1100);
	assert_string_equal(selected(fixture, "example.com"), "s2/example.com");
}

/* Nobody's mail is to leave unsigned while folders are exchanged; a domain that
 * is taken away is no longer signed for. */
static void
test_a_folder_that_is_gone_for_a_while_keeps_its_keys_known(void **state)
{
	struct fixture *fixture = *state;
	char there[256], away[256];

	add_key(fixture, "example.com/s.pem", test_keys.ed25519);
	add_key(fixture, "example.org/s.pem", test_keys.ed25519);
	snprintf(there, sizeof there, "%s/keys", fixture->folder.path);
	snprintf(away, sizeof away, "%s/keys.old", fixture->folder.path);
	start(fixture, false, "");
	assert_string_equal(selected(fixture, "example.com"), "s/example.com");

	assert_int_equal(rename(there, away), 0);
	pause_ms(1100);
	assert_true(keystore_has(fixture->keystore, NULL, "example.com"));
	assert_non_null(strstr(selected(fixture, "example.com"), "1 of 1: "));

	assert_int_equal(rename(away, there), 0);
	pause_ms(1100);
	assert_string_equal(selected(fixture, "example.com"), "s/example.com");

	unlink(folder_path(&fixture->folder, "keys/example.org/s.pem"));
	rmdir(folder_path(&fixture->folder, "keys/example.org"));
	pause_ms(1100);
	assert_false(keystore_has(fixture->keystore, NULL, "example.org"));
}

static void
test_a_failed_key_is_tried_again(void **state)
{
	struct fixture *fixture = *state;
	struct keystore_counts counts;

	add_key(fixture, "example.com/s.pem", "nothing\n");
	start(fixture, false, "");
	assert_non_null(strstr(selected(fixture, "example.com"), "1 of 1"));
	selected(fixture, "example.com");
	keystore_counts(fixture->keystore, &counts);
	assert_int_equal(counts.failures, 1); /* remembered */
	add_key(fixture, "example.com/s.pem", test_keys.ed25519);
	pause_ms(1100);
	assert_string_equal(selected(fixture, "example.com"), "s/example.com");
}

static void
ignore(void *ctx, const char *domain, const char *selector, const char *file)
{
	(void)ctx;
	(void)domain;
	(void)selector;
	(void)file;
}

/* While LEAST is the first descriptor that this process may not open. */
static void
limit_descriptors(rlim_t least, struct rlimit *before_r)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, before_r), 0);
	limit = *before_r;
	limit.rlim_cur = least;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* A shortage says nothing of a key: the message is to be put off, not signed
 * with the other key alone, and a key that was had stays in use. */
static void
test_a_shortage_of_descriptors_is_not_kept_as_a_failed_key(void **state)
{
	struct fixture *fixture = *state;
	struct keystore_keys keys;
	struct rlimit before;

	add_key(fixture, "example.com/e.pem", test_keys.ed25519);
	add_key(fixture, "example.com/s.pem", test_keys.rsa1024);
	start(fixture, false, "");
	limit_descriptors(0, &before);
	/* The folder can't be listed. */
	assert_true(keystore_has(fixture->keystore, NULL, "example.com"));
	assert_false(
	    keystore_select(fixture->keystore, NULL, "example.com", &keys));
	setrlimit(RLIMIT_NOFILE, &before);
	/* Nor kept as one without keys. */
	keystore_each(fixture->keystore, ignore, NULL);
	limit_descriptors(0, &before);
	/* The keys can't be read. */
	for (int i = 0; i < 2; i++)
		assert_false(keystore_select(
		    fixture->keystore, NULL, "example.com", &keys));
	setrlimit(RLIMIT_NOFILE, &before);
	assert_string_equal(
	    selected(fixture, "example.com"), "s/example.com e/example.com");

	/* They can't be read again. */
	add_key(fixture, "example.com/s.pem", test_keys.rsa2048);
	pause_ms(1100);
	limit_descriptors(0, &before);
	assert_string_equal(
	    selected(fixture, "example.com"), "s/example.com e/example.com");
	setrlimit(RLIMIT_NOFILE, &before);
	assert_true(
	    keystore_select(fixture->keystore, NULL, "example.com", &keys));
	assert_int_equal(signpost_private_key_bits(keys.items[0].key), 2048);
	keystore_keys_fini(&keys);
}

struct race {
	struct fixture *fixture;
	atomic_bool done;
	atomic_uint selected;
};

static void *
keep_selecting(void *arg)
{
	struct race *race = arg;
	struct keystore_keys keys;
	char domain[32];
	unsigned i;

	for (i = 0; !atomic_load(&race->done); i++) {
		snprintf(domain, sizeof domain, "d%u.example", i % 20);
		if (!keystore_select(
			race->fixture->keystore, NULL, domain, &keys))
			abort();
		/* Each folder always has one that can be used. */
		if (keys.count == 0)
			abort();
		keystore_keys_fini(&keys);
		keystore_has(race->fixture->keystore, NULL, domain);
		atomic_fetch_add(&race->selected, 1);
	}
	return NULL;
}

static void
test_threads_select_while_files_change(void **state)
{
	struct fixture *fixture = *state;
	struct race race = { .fixture = fixture };
	pthread_t threads[THREADS];
	char name[64];
	unsigned i, round;

	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "d%u.example/a.pem", i);
		add_key(fixture, name, test_keys.ed25519);
	}
	start(fixture, false, "");
	for (i = 0; i < THREADS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, keep_selecting, &race),
		    0);
	for (round = 0; round < 30; round++) {
		snprintf(name, sizeof name, "d%u.example/b%u.pem", round % 20,
		    round);
		add_key(fixture, name,
		    round % 3 == 0
			? "junk"
			: (round % 2 ? test_keys.rsa1024 : test_keys.ed25519));
		pause_ms(100);
	}
	atomic_store(&race.done, true);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_true(atomic_load(&race.selected) > 1000);
}

/* However many threads ask at once, a file is read once. */
/* field: F2 */
static void
test_a_key_is_read_once_for_all_that_wait(void **state)
{
	struct fixture *fixture = *state;
	struct race race = { .fixture = fixture };
	struct keystore_counts counts;
	pthread_t threads[THREADS];
	char name[64];
	size_t i;

	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "d%zu.example/a.pem", i);
		add_key(fixture, name, test_keys.rsa2048);
	}
	start(fixture, false, "");
	for (i = 0; i < THREADS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, keep_selecting, &race),
		    0);
	pause_ms(300);
	atomic_store(&race.done, true);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	keystore_counts(fixture->keystore, &counts);
	assert_int_equal(counts.misses, 20);
	assert_int_equal(counts.entries, 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_an_unsafe_key_is_refused_with_the_way_out, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_root_checks_for_the_daemons_user, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_keys_do_not_matter_to_who_only_verifies, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_links_are_followed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_key_that_is_no_file_or_too_large_is_refused, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_folder_that_cannot_be_listed_counts_as_a_key, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_key_dropped_in_replaced_or_taken_away_is_seen,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_folder_that_is_gone_for_a_while_keeps_its_keys_known,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_failed_key_is_tried_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_shortage_of_descriptors_is_not_kept_as_a_failed_key,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_threads_select_while_files_change, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_key_is_read_once_for_all_that_wait, set_up,
		    tear_down),
	};

	return cmocka_run_group_tests(tests, make_keys, drop_keys);
}
