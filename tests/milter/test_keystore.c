/* SPDX-License-Identifier: BSD-2-Clause */
#include "keystore.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "keydir.h"

enum {
	NOBODY = 65534,
	THREADS = 8,
	MANY = 10000
};

static struct signpost *handle;
/* PEM texts: RSA of 1024 and 2048 bits, and Ed25519. */
static char *rsa1024, *rsa2048, *ed25519;

static char *
make_pem(enum signpost_algorithm algorithm, unsigned bits)
{
	struct signpost_private_key *key;
	char *pem;

	assert_int_equal(
	    signpost_private_key_generate(handle, algorithm, bits, &key),
	    SIGNPOST_OK);
	assert_int_equal(signpost_private_key_pem(key, &pem), SIGNPOST_OK);
	signpost_private_key_unref(key);
	return pem;
}

static int
make_keys(void **state)
{
	(void)state;
	assert_int_equal(signpost_new(&handle), SIGNPOST_OK);
	rsa1024 = make_pem(SIGNPOST_RSA_SHA256, 1024);
	rsa2048 = make_pem(SIGNPOST_RSA_SHA256, 2048);
	ed25519 = make_pem(SIGNPOST_ED25519_SHA256, 0);
	return 0;
}

static int
drop_keys(void **state)
{
	(void)state;
	signpost_string_free(rsa1024);
	signpost_string_free(rsa2048);
	signpost_string_free(ed25519);
	signpost_free(handle);
	return 0;
}

/* A configuration with key_directory in a folder of its own. */
struct fixture {
	struct folder folder;
	const struct config *config;
	struct keystore *keystore;
	struct config_problems problems;
};

static int
set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);

	folder_make(&fixture->folder);
	folder_add(&fixture->folder, "keys/", 0755);
	*state = fixture;
	return 0;
}

static void
stop(struct fixture *fixture)
{
	keystore_unref(fixture->keystore);
	config_unref(fixture->config);
	config_problems_fini(&fixture->problems);
	fixture->keystore = NULL;
	fixture->config = NULL;
}

static int
tear_down(void **state)
{
	struct fixture *fixture = *state;

	stop(fixture);
	folder_remove(&fixture->folder);
	free(fixture);
	return 0;
}

/* A key of TEXT at keys/NAME. */
static void
add_key(struct fixture *fixture, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "keys/%s", name);
	*strrchr(path, '/') = '\0';
	strcat(path, "/");
	folder_add(&fixture->folder, path, 0755);
	snprintf(path, sizeof path, "keys/%s", name);
	folder_write(&fixture->folder, path, 0600, text);
}

/* Loads a configuration of TEXT, "%s" in it being the folder, and opens the
 * keystore. */
static void
start(struct fixture *fixture, bool check, const char *text)
{
	const char *root = fixture->folder.path;
	char body[4096], full[8192], *at;
	size_t used = 0;

	for (at = body; *text != '\0'; text++) {
		if (*text == '~')
			at += sprintf(at, "%s", root);
		else
			*at++ = *text;
	}
	*at = '\0';
	used = (size_t)snprintf(full, sizeof full,
	    "user = \"root\"; group = \"root\"; key_directory = "
	    "\"%s/keys\"; key_store = { ttl = \"1s\"; };\n%s\n",
	    root, body);
	assert_true(used < sizeof full);
	folder_write(&fixture->folder, "conf", 0600, full);
	fixture->config = config_load(
	    folder_path(&fixture->folder, "conf"), &fixture->problems);
	if (fixture->config == NULL)
		print_error("%s\n", fixture->problems.items[0].text);
	assert_non_null(fixture->config);
	fixture->keystore =
	    keystore_new(handle, fixture->config, check, &fixture->problems);
	assert_non_null(fixture->keystore);
}

/* "selector/domain selector/domain ..." of what signs for DOMAIN. */
static const char *
selected(struct fixture *fixture, const char *domain)
{
	static char text[1024];
	const struct config_domain *entry =
	    config_find_domain(fixture->config, bytes_of("", 0), domain);
	struct keystore_keys keys;
	size_t i, used = 0;

	text[0] = '\0';
	assert_true(keystore_select(fixture->keystore, entry, domain, &keys));
	for (i = 0; i < keys.count; i++)
		used += (size_t)snprintf(text + used, sizeof text - used,
		    "%s%s/%s", i > 0 ? " " : "", keys.items[i].selector,
		    keys.items[i].domain);
	if (keys.unusable > 0)
		snprintf(text + used, sizeof text - used, "%s%zu of %zu: %s",
		    used > 0 ? "; " : "", keys.unusable, keys.named, keys.why);
	keystore_keys_fini(&keys);
	return text;
}

static void
pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

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

static void
test_a_folder_gives_the_greatest_selector_of_each_algorithm(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture, "example.com/s9.pem", rsa2048);
	add_key(fixture, "example.com/s10.pem", rsa2048);
	add_key(fixture, "example.com/e1.pem", ed25519);
	add_key(fixture, "example.com/e0.pem", ed25519);
	add_key(fixture, "example.com/zzz.txt", rsa2048);
	add_key(fixture, "example.com/.z.pem", rsa2048);
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

	add_key(fixture, "example.com/a.pem", rsa2048);
	add_key(fixture, "example.com/b.pem", rsa2048);
	add_key(fixture, "example.com/c.pem", ed25519);
	start(fixture, false,
	    "domains = ( { name = \"example.com\"; all = true; } );");
	assert_string_equal(selected(fixture, "example.com"),
	    "c/example.com b/example.com a/example.com");
}

static void
test_a_list_gives_the_first_of_each_algorithm(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture, "x/1.pem", rsa2048);
	add_key(fixture, "x/2.pem", ed25519);
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

static void
test_a_folder_serves_others_only_where_an_entry_says_so(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture, "example.com/s.pem", ed25519);
	start(fixture, false,
	    "domains = ( { name = \".example.com\"; domain = "
	    "\"example.com\"; }, { name = \"*\"; } );");
	assert_string_equal(
	    selected(fixture, "a.b.example.com"), "s/example.com");
	assert_string_equal(selected(fixture, "example.com"), "s/example.com");
	assert_string_equal(selected(fixture, "example.net"), "");
}

static void
test_a_folder_named_in_u_labels_is_found_by_a_labels(void **state)
{
	struct fixture *fixture = *state;

	add_key(fixture,
	    "B\xc3\xbc"
	    "cher.Example/s.pem",
	    ed25519);
	start(fixture, false, "");
	assert_string_equal(selected(fixture, "xn--bcher-kva.example"),
	    "s/xn--bcher-kva.example");
}

static void
test_an_unusable_key_leaves_its_place_to_the_next(void **state)
{
	struct fixture *fixture = *state;
	const char *text;

	add_key(fixture, "example.com/s1.pem", rsa2048);
	add_key(fixture, "example.com/s2.pem", "not a key\n");
	add_key(fixture, "example.com/e1.pem", ed25519);
	start(fixture, false, "");
	text = selected(fixture, "example.com");
	assert_non_null(
	    strstr(text, "s1/example.com e1/example.com; 1 of 3: "));
	assert_non_null(strstr(text,
	    "/keys/example.com/s2.pem: not a private "
	    "key"));
}

static void
test_small_keys_do_not_sign(void **state)
{
	struct fixture *fixture = *state;
	const char *text;

	add_key(fixture, "example.com/s1.pem", rsa1024);
	add_key(fixture, "example.org/s1.pem", rsa1024);
	start(fixture, false,
	    "domains = ( { name = \"example.com\"; min_rsa_bits = 2048; } );");
	assert_string_equal(selected(fixture, "example.org"), "s1/example.org");
	text = selected(fixture, "example.com");
	assert_non_null(strstr(text, "1 of 1: "));
	assert_non_null(
	    strstr(text, "s1.pem: 1024 bits, min_rsa_bits is 2048"));
}

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
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		set_up((void **)&fixture);
		add_key(fixture, "example.com/s.pem", ed25519);
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
	*state = NULL;
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
	add_key(fixture, "example.com/s.pem", ed25519);
	snprintf(body, sizeof body,
	    "user = \"nobody\"; group = \"nogroup\"; key_directory = "
	    "\"%s/keys\";",
	    fixture->folder.path);
	folder_write(&fixture->folder, "conf", 0600, body);
	fixture->config =
	    config_load(folder_path(&fixture->folder, "conf"), &problems);
	fixture->keystore =
	    keystore_new(handle, fixture->config, true, &problems);
	assert_int_equal(problems.errors, 1);
	assert_non_null(strstr(problems.items[0].text,
	    "(mode 0700, owner root) is closed to user nobody: chmod +x "));
	config_problems_fini(&problems);
	keystore_unref(fixture->keystore);

	assert_int_equal(chmod(fixture->folder.path, 0711), 0);
	fixture->keystore =
	    keystore_new(handle, fixture->config, true, &problems);
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
	    keystore_new(handle, fixture->config, true, &problems);
	assert_int_equal(problems.errors, 0);
	config_problems_fini(&problems);
}

static void
test_links_are_followed(void **state)
{
	struct fixture *fixture = *state;
	char target[256];

	add_key(fixture, "store/real.pem", ed25519);
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
	add_key(fixture, "example.com/s1.pem", rsa1024);
	pause_ms(1100);
	assert_string_equal(selected(fixture, "example.com"), "s1/example.com");
	assert_true(
	    keystore_select(fixture->keystore, NULL, "example.com", &keys));
	first = signpost_private_key_ref(keys.items[0].key);
	keystore_keys_fini(&keys);

	/* In place: same name, another key. */
	add_key(fixture, "example.com/s1.pem", rsa2048);
	add_key(fixture, "example.com/s2.pem", ed25519);
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
	add_key(fixture, "example.com/s.pem", ed25519);
	pause_ms(1100);
	assert_string_equal(selected(fixture, "example.com"), "s/example.com");
}

static void
test_keys_outlive_the_keystore_and_the_cap(void **state)
{
	struct fixture *fixture = *state;
	struct keystore_keys keys;
	struct keystore_counts counts;

	add_key(fixture, "example.com/s.pem", ed25519);
	add_key(fixture, "example.org/s.pem", ed25519);
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
		add_key(fixture, name, ed25519);
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
		    round % 3 == 0 ? "junk" : (round % 2 ? rsa1024 : ed25519));
		pause_ms(100);
	}
	atomic_store(&race.done, true);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_true(atomic_load(&race.selected) > 1000);
}

/* However many threads ask at once, a file is read once. */
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
		add_key(fixture, name, rsa2048);
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
	add_key(fixture, "d7777.example/s.pem", ed25519);
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
		    test_an_unsafe_key_is_refused_with_the_way_out, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_root_checks_for_the_daemons_user, set_up, tear_down),
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
		    test_a_failed_key_is_tried_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_keys_outlive_the_keystore_and_the_cap, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_check_reports_every_key_that_is_wrong, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_threads_select_while_files_change, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    test_a_key_is_read_once_for_all_that_wait, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    test_ten_thousand_domains_are_indexed_fast, set_up,
		    tear_down),
	};

	return cmocka_run_group_tests(tests, make_keys, drop_keys);
}
