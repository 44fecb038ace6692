/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "publication.h"
#include "publication_file.h"

static const char one[KEY_PRINT_SIZE] =
    "1111111111111111111111111111111111111111111111111111111111111111";
static const char two[KEY_PRINT_SIZE] =
    "2222222222222222222222222222222222222222222222222222222222222222";

static const struct publication_key s1 = { "a.test", "s1", "/k/s1.pem", one };
static const struct publication_key s2 = { "a.test", "s2", "/k/s2.pem", two };
static const struct publication_key b1 = { "b.test", "s1", "/k/b1.pem", one };

enum {
	MANY = 64
};

static int
set_up(void **state)
{
	*state = publication_new();
	assert_non_null(*state);
	return 0;
}

static int
tear_down(void **state)
{
	publication_free(*state);
	return 0;
}

static void
walk(struct publication *publication, const struct publication_key *keys,
    size_t count)
{
	publication_begin_walk(publication);
	for (size_t i = 0; i < count; i++)
		publication_note(publication, &keys[i]);
	publication_end_walk(publication);
}

static size_t
take_due(struct publication *publication, struct publication_entry **entries)
{
	uint64_t next_ms;

	return publication_take_due(publication, entries, MANY, &next_ms);
}

/* Looks all that are due up, which comes to CHECK for the key of PRINT. */
static size_t
look_up(struct publication *publication, enum standing_check check,
    const char *print)
{
	struct publication_entry *entries[MANY];
	size_t count = take_due(publication, entries);

	for (size_t i = 0; i < count; i++) {
		publication_tell(publication, entries[i], check, print);
		publication_set_due(publication, entries[i], 3600000);
	}
	return count;
}

static uint64_t
count_of(struct publication *publication, enum standing_state state)
{
	uint64_t counts[STANDING_STATES];

	publication_counts(publication, counts);
	return counts[state];
}

static void
test_a_key_signs_from_when_its_record_was_seen(void **state)
{
	struct publication *publication = *state;

	walk(publication, &s1, 1);
	assert_int_equal(
	    publication_allows(publication, &s1), STANDING_WAITING);
	assert_int_equal(look_up(publication, CHECK_MATCHES, one), 1);
	assert_int_equal(
	    publication_allows(publication, &s1), STANDING_PUBLISHED);
	assert_true(publication_is_left(publication, "a.test"));
	assert_false(publication_is_left(publication, "b.test"));
	assert_int_equal(look_up(publication, CHECK_MATCHES, one), 0);
}

static void
test_what_is_known_is_of_one_key(void **state)
{
	struct publication *publication = *state;
	struct publication_key replaced = s1;

	replaced.print = two;
	walk(publication, &s1, 1);
	look_up(publication, CHECK_MATCHES, one);
	assert_int_equal(
	    publication_allows(publication, &replaced), STANDING_WAITING);
	/* The file has another key now, and so the old one is no more. */
	assert_int_equal(look_up(publication, CHECK_DIFFERS, two), 1);
	assert_int_equal(
	    publication_allows(publication, &replaced), STANDING_DIFFERS);
	assert_int_equal(
	    publication_allows(publication, &s1), STANDING_WAITING);
}

static void
test_what_mail_asks_for_is_looked_up_first(void **state)
{
	struct publication *publication = *state;
	struct publication_entry *entries[MANY];
	struct publication_key key = s1;
	char selectors[MANY][8];
	uint64_t next_ms;

	publication_begin_walk(publication);
	for (size_t i = 0; i < MANY; i++) {
		snprintf(selectors[i], sizeof selectors[i], "x%zu", i);
		key.selector = selectors[i];
		publication_note(publication, &key);
	}
	publication_end_walk(publication);
	key.selector = "x40";
	publication_allows(publication, &key);
	publication_allows(publication, &b1);
	assert_int_equal(
	    publication_take_due(publication, entries, 4, &next_ms), 4);
	assert_string_equal(entries[0]->selector, "x40");
	assert_string_equal(entries[1]->domain, "b.test");
	/* The others have the other half, each in its turn. */
	assert_string_equal(entries[2]->selector, "x0");
	assert_string_equal(entries[3]->selector, "x1");
	assert_int_equal(next_ms, 0);
	for (size_t i = 0; i < 4; i++)
		publication_set_due(publication, entries[i], 0);
	assert_int_equal(
	    publication_take_due(publication, entries, 2, &next_ms), 2);
	assert_string_equal(entries[0]->selector, "x2");
}

static void
test_a_key_that_no_walk_meets_is_forgotten_in_the_end(void **state)
{
	struct publication *publication = *state;
	const struct publication_key both[] = { s1, s2 };

	walk(publication, both, 2);
	look_up(publication, CHECK_MATCHES, one);
	/* Its folder is being exchanged, say. */
	walk(publication, &s2, 1);
	walk(publication, &s2, 1);
	assert_int_equal(count_of(publication, STANDING_PUBLISHED), 2);
	walk(publication, both, 2);
	assert_int_equal(
	    publication_allows(publication, &s1), STANDING_PUBLISHED);
	for (int i = 0; i < 3; i++)
		walk(publication, &s2, 1);
	assert_int_equal(count_of(publication, STANDING_PUBLISHED), 1);
	/* Mail that knows of a domain alone keeps it. */
	publication_allows(publication, &b1);
	for (int i = 0; i < 5; i++)
		walk(publication, &s2, 1);
	assert_int_equal(count_of(publication, STANDING_WAITING), 1);
	publication_clear(publication);
	assert_int_equal(count_of(publication, STANDING_WAITING), 0);
}

static void
test_mail_that_makes_domains_up_fills_no_memory(void **state)
{
	struct publication *publication = *state;
	struct publication_key key = b1;
	char domain[32];

	key.domain = domain;
	for (int i = 0; i < PUBLICATION_MAX_BY_MAIL + 100; i++) {
		snprintf(domain, sizeof domain, "d%d.test", i);
		assert_int_equal(
		    publication_allows(publication, &key), STANDING_WAITING);
	}
	assert_int_equal(
	    count_of(publication, STANDING_WAITING), PUBLICATION_MAX_BY_MAIL);
	/* A walk makes room, and what is published stays. */
	publication_restore(publication, &s1, STANDING_PUBLISHED, false);
	walk(publication, &s1, 1);
	assert_int_equal(count_of(publication, STANDING_WAITING), 0);
	assert_int_equal(count_of(publication, STANDING_PUBLISHED), 1);
	publication_allows(publication, &key);
	assert_int_equal(count_of(publication, STANDING_WAITING), 1);
}

static void
test_a_reload_has_those_that_are_not_well_looked_up(void **state)
{
	struct publication *publication = *state;

	walk(publication, &s1, 1);
	look_up(publication, CHECK_MATCHES, one);
	walk(publication, (const struct publication_key[]){ s1, s2 }, 2);
	look_up(publication, CHECK_NO_RECORD, two);
	assert_int_equal(look_up(publication, CHECK_NO_RECORD, two), 0);
	publication_hurry(publication);
	assert_int_equal(look_up(publication, CHECK_NO_RECORD, two), 1);
	assert_int_equal(
	    publication_allows(publication, &s1), STANDING_PUBLISHED);
}

static void
test_what_is_published_outlives_a_restart(void **state)
{
	struct publication *publication = *state, *next = publication_new();
	struct publication_key other = s1;
	struct folder folder;
	char path[512];

	other.print = two;
	folder_make(&folder);
	snprintf(path, sizeof path, "%s", folder_path(&folder, "published"));
	assert_true(publication_file_read(path, next)); /* not there yet */
	walk(publication, (const struct publication_key[]){ s1 }, 1);
	publication_allows(publication, &b1);
	look_up(publication, CHECK_MATCHES, one);
	walk(publication, (const struct publication_key[]){ s1, s2 }, 2);
	assert_true(publication_file_write(path, publication));
	assert_true(publication_file_read(path, next));
	assert_int_equal(publication_allows(next, &other), STANDING_WAITING);
	assert_int_equal(publication_allows(next, &s1), STANDING_PUBLISHED);
	assert_int_equal(publication_allows(next, &s2), STANDING_WAITING);
	assert_int_equal(publication_allows(next, &b1), STANDING_PUBLISHED);
	/* A look-up that fails takes nothing back. */
	look_up(next, CHECK_FAILED, one);
	assert_int_equal(publication_allows(next, &s1), STANDING_PUBLISHED);
	for (int i = 0; i < 3; i++)
		walk(next, &s1, 1);
	assert_int_equal(publication_allows(next, &b1), STANDING_PUBLISHED);
	assert_false(publication_file_write("/nowhere/x", publication));
	publication_free(next);
	unlink(path);
	folder_remove(&folder);
}

#define PRINT "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* How many keys a file of TEXT has; its path is left in PATH. */
static uint64_t
count_read(const char *path, const char *text)
{
	struct publication *publication = publication_new();
	uint64_t counts[STANDING_STATES];
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
	assert_true(publication_file_read(path, publication));
	publication_counts(publication, counts);
	publication_free(publication);
	return counts[STANDING_PUBLISHED];
}

static void
test_lines_of_the_file_that_are_none_are_passed_over(void **state)
{
	static const struct {
		const char *text;
		uint64_t want;
	} rows[] = {
		{ PRINT " here x.test s /x\n", 1 },
		{ PRINT " mail x.test s /x y\n", 1 },
		{ "junk\n" PRINT " here x.test s /x\n\n", 1 },
		{ PRINT " here x.test s /x", 0 }, /* it was cut */
		{ PRINT " here x.test s x\n", 0 },
		{ PRINT " here x.test s\n", 0 },
		{ PRINT " here x.test  /x\n", 0 },
		{ PRINT " here \xff.test s /x\n", 0 },
		{ PRINT " here x.test \x1b[2J /x\n", 0 },
		{ "x" PRINT " here x.test s /x\n", 0 },
		{ PRINT, 0 },
		{ "", 0 },
	};
	struct folder folder;
	char path[512], text[9000];

	(void)state;
	folder_make(&folder);
	snprintf(path, sizeof path, "%s", folder_path(&folder, "published"));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(count_read(path, rows[i].text), rows[i].want);
	}
	/* What is behind the longest line is no line of its own. */
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	memcpy(text + 5119, PRINT " here x.test s /", sizeof PRINT + 15);
	text[sizeof text - 2] = '\n';
	assert_int_equal(count_read(path, text), 0);
	unlink(path);
	folder_remove(&folder);
}

static void
test_a_file_that_is_no_file_is_not_waited_for(void **state)
{
	static const char *const links[] = { "/dev/zero", "/dev/tty", "/" };
	struct publication *publication = *state;
	struct folder folder;
	char path[512], new_path[520];

	folder_make(&folder);
	snprintf(path, sizeof path, "%s", folder_path(&folder, "published"));
	snprintf(new_path, sizeof new_path, "%s.new", path);
	for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
		assert_int_equal(symlink(links[i], path), 0);
		assert_false(publication_file_read(path, publication));
		unlink(path);
	}
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(mkfifo(new_path, 0600), 0);
	alarm(20);
	assert_false(publication_file_read(path, publication));
	assert_false(publication_file_write(path, publication));
	alarm(0);
	unlink(path);
	unlink(new_path);
	folder_remove(&folder);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_key_signs_from_when_its_record_was_seen),
		TEST(test_what_is_known_is_of_one_key),
		TEST(test_what_mail_asks_for_is_looked_up_first),
		TEST(test_a_key_that_no_walk_meets_is_forgotten_in_the_end),
		TEST(test_mail_that_makes_domains_up_fills_no_memory),
		TEST(test_a_reload_has_those_that_are_not_well_looked_up),
		TEST(test_what_is_published_outlives_a_restart),
		TEST(test_lines_of_the_file_that_are_none_are_passed_over),
		TEST(test_a_file_that_is_no_file_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
