/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "asking.h"
#include "caching.h"
#include "monotonic.h"

enum {
	NAMES = 1000,
	THREADS = 50,
	RACE_ROUNDS = 300,
	HIT_ROUNDS = 200000
};

/* As many as DNS gave, by answer. */
static void
count_answer(void *ctx, enum resolver_answer answer, uint64_t elapsed_ns)
{
	atomic_uint *answers = ctx;

	atomic_fetch_add(&answers[answer], 1);
	assert_true(elapsed_ns > 0);
}

static void
test_answers_are_kept(void **state)
{
	static const struct {
		const char *name;
		enum resolver_answer want;
	} rows[] = {
		{ "found.example.com", RESOLVER_FOUND },
		{ "nonexistent.example.com", RESOLVER_NO_NAME },
		{ "nodata.example.com", RESOLVER_NO_NAME },
		{ "servfail.example.com", RESOLVER_FAILED },
		{ "no such label.example.com", RESOLVER_NO_NAME },
	};
	struct key_cache_settings settings = caching_settings(NULL);
	struct fixture fixture;
	struct key_cache_counts counts;
	atomic_uint answers[RESOLVER_BOGUS + 1] = { 0 };

	(void)state;
	settings.failure_ttl_s = 60;
	settings.answered = count_answer;
	settings.answered_ctx = answers;
	caching_begin(&fixture, &settings, 5000, 100);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned questions;

		print_message("%s\n", rows[i].name);
		assert_int_equal(
		    caching_look_up(fixture.cache, rows[i].name, NULL),
		    rows[i].want);
		questions = atomic_load(&fixture.server.questions);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(
			    caching_look_up(fixture.cache, rows[i].name, NULL),
			    rows[i].want);
		assert_int_equal(
		    atomic_load(&fixture.server.questions), questions);
		key_cache_counts(fixture.cache, &counts);
		assert_int_equal(counts.misses, i + 1);
		assert_int_equal(counts.hits, 3 * (i + 1));
		assert_int_equal(counts.entries, i + 1);
	}
	assert_int_equal(atomic_load(&answers[RESOLVER_FOUND]), 1);
	assert_int_equal(atomic_load(&answers[RESOLVER_NO_NAME]), 3);
	assert_int_equal(atomic_load(&answers[RESOLVER_FAILED]), 1);
	caching_end(&fixture);
}

static void
test_names_are_the_same_in_any_case(void **state)
{
	struct fixture fixture;
	char text[64] = "";

	(void)state;
	caching_begin_usual(&fixture);
	assert_int_equal(
	    caching_look_up(fixture.cache, "Found.Example.COM", text),
	    RESOLVER_FOUND);
	assert_string_equal(text, "v=found.example.com");
	assert_int_equal(
	    caching_look_up(fixture.cache, "found.example.com", text),
	    RESOLVER_FOUND);
	assert_int_equal(atomic_load(&fixture.server.questions), 1);
	caching_end(&fixture);
}

static void
test_too_long_names_do_not_exist(void **state)
{
	struct fixture fixture;
	char name[2000];

	(void)state;
	caching_begin_usual(&fixture);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(
	    caching_look_up(fixture.cache, name, NULL), RESOLVER_NO_NAME);
	name[253] = '\0';
	assert_int_equal(
	    caching_look_up(fixture.cache, name, NULL), RESOLVER_NO_NAME);
	assert_int_equal(
	    caching_look_up(fixture.cache, "", NULL), RESOLVER_NO_NAME);
	assert_int_equal(atomic_load(&fixture.server.questions), 0);
	caching_end(&fixture);
}

/* Which answers are asked for again after their time. */
static void
test_ttl_ends(void **state)
{
	static const struct {
		const char *name, *first;
		uint32_t min_ttl_s, max_ttl_s, negative_ttl_s, failure_ttl_s;
		bool want_second;
	} rows[] = {
		{ "the record's", "brief.example.com", 0, 60, 60, 60, true },
		{ "not before min", "brief.example.com", 9, 60, 60, 60, false },
		{ "cut to max", "found.example.com", 0, 1, 60, 60, true },
		{ "cut to max not yet", "found.example.com", 0, 9, 0, 0,
		    false },
		{ "negative cut", "nodata.example.com", 0, 60, 1, 60, true },
		{ "negative", "nodata.example.com", 0, 60, 60, 0, false },
		/* field: D5 */
		{ "failure", "servfail.example.com", 0, 60, 60, 1, true },
		{ "failure longer", "servfail.example.com", 0, 0, 0, 9, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct key_cache_settings settings = caching_settings(NULL);
		struct fixture fixture;
		struct key_cache_counts counts;

		print_message("%s\n", rows[i].name);
		settings.min_ttl_s = rows[i].min_ttl_s;
		settings.max_ttl_s = rows[i].max_ttl_s;
		settings.negative_ttl_s = rows[i].negative_ttl_s;
		settings.failure_ttl_s = rows[i].failure_ttl_s;
		caching_begin(&fixture, &settings, 5000, 100);
		caching_look_up(fixture.cache, rows[i].first, NULL);
		usleep(1100000);
		caching_look_up(fixture.cache, rows[i].first, NULL);
		key_cache_counts(fixture.cache, &counts);
		assert_int_equal(counts.misses, rows[i].want_second ? 2 : 1);
		assert_int_equal(counts.hits, rows[i].want_second ? 0 : 1);
		assert_int_equal(counts.entries, 1);
		caching_end(&fixture);
	}
}

/* A record that changed is seen, and the old value lives while it is held.
 * field: A15 */
static void
test_a_held_value_outlives_its_entry(void **state)
{
	struct key_cache_settings settings = caching_settings(NULL);
	struct fixture fixture;
	struct key_lookups *held;
	struct key_cache_counts counts;
	struct timespec deadline = caching_in_ms(5000);

	(void)state;
	settings.max_entries = 1;
	caching_begin(&fixture, &settings, 5000, 100);
	held = caching_start(fixture.cache, "found-1.example.com");
	assert_true(key_lookups_wait(held, &deadline));
	caching_look_up(fixture.cache, "found-2.example.com", NULL);
	key_cache_counts(fixture.cache, &counts);
	assert_int_equal(counts.entries, 1);
	assert_int_equal(counts.evictions, 1);
	assert_string_equal(
	    ((struct value *)key_lookups_get(held, 0).value)->text,
	    "v=found-1.example.com");
	assert_int_equal(caching_live_values(), 2);
	key_lookups_free(held);
	assert_int_equal(caching_live_values(), 1);
	caching_end(&fixture);
}

static void
test_look_ups_of_a_message_run_at_once(void **state)
{
	static const char *const names[] = { "slow-1.example.com",
		"nonexistent.example.com", "slow-1.example.com",
		"found.example.com" };
	static const enum resolver_answer want[] = { RESOLVER_FOUND,
		RESOLVER_NO_NAME, RESOLVER_FOUND, RESOLVER_FOUND };
	struct fixture fixture;
	struct key_lookups *lookups;
	struct timespec deadline = caching_in_ms(5000);
	struct key_cache_counts counts;

	(void)state;
	caching_begin_usual(&fixture);
	/* Two more look-ups than are started. */
	lookups = key_lookups_new(fixture.cache, 6);
	for (size_t i = 0; i < 4; i++)
		key_lookups_start(lookups, i, names[i]);
	assert_true(key_lookups_wait(lookups, &deadline));
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(key_lookups_get(lookups, i).answer, want[i]);
	key_cache_counts(fixture.cache, &counts);
	assert_int_equal(counts.joined, 1);
	assert_int_equal(counts.misses, 3);
	assert_int_equal(atomic_load(&fixture.server.questions), 3);
	key_lookups_free(lookups);
	caching_end(&fixture);
}

static void
test_deadline_passes_and_the_question_goes_on(void **state)
{
	struct fixture fixture;
	struct key_lookups *lookups;
	struct timespec deadline = caching_in_ms(10);
	uint64_t begin_ns = monotonic_ns();

	(void)state;
	caching_begin_usual(&fixture);
	lookups = caching_start(fixture.cache, "slow.example.com");
	assert_false(key_lookups_wait(lookups, &deadline));
	assert_in_range(monotonic_ns() - begin_ns, 9000000, 3000000000);
	assert_int_equal(key_lookups_get(lookups, 0).answer, RESOLVER_TIMEOUT);
	key_lookups_free(lookups);
	/* It is joined or its answer is there already: not asked for again. */
	assert_int_equal(
	    caching_look_up(fixture.cache, "slow.example.com", NULL),
	    RESOLVER_FOUND);
	assert_int_equal(atomic_load(&fixture.server.questions), 1);
	caching_end(&fixture);
}

/* The answer comes when the message is long gone: nothing of it is touched. */
static void
test_message_that_gives_up_is_safe(void **state)
{
	struct fixture fixture;
	struct key_lookups *gone, *stays;
	struct timespec deadline = caching_in_ms(5000);

	(void)state;
	caching_begin_usual(&fixture);
	gone = caching_start(fixture.cache, "slow.example.com");
	stays = caching_start(fixture.cache, "slow.example.com");
	key_lookups_free(gone);
	assert_true(key_lookups_wait(stays, &deadline));
	assert_int_equal(key_lookups_get(stays, 0).answer, RESOLVER_FOUND);
	key_lookups_free(stays);
	caching_end(&fixture);
}

static void
test_silent_server_is_a_timeout(void **state)
{
	struct key_cache_settings settings = caching_settings(NULL);
	struct fixture fixture;

	(void)state;
	caching_begin(&fixture, &settings, 300, 100);
	assert_int_equal(
	    caching_look_up(fixture.cache, "silent.example.com", NULL),
	    RESOLVER_TIMEOUT);
	caching_end(&fixture);
}

/* A refusal for lack of room is no knowledge about the name. */
static void
test_refused_questions_are_not_kept(void **state)
{
	struct key_cache_settings settings = caching_settings(NULL);
	struct fixture fixture;
	struct key_lookups *first;
	struct resolver_counts counts;

	(void)state;
	settings.failure_ttl_s = 3600;
	caching_begin(&fixture, &settings, 5000, 1);
	first = caching_start(fixture.cache, "slow.example.com");
	assert_int_equal(
	    caching_look_up(fixture.cache, "found.example.com", NULL),
	    RESOLVER_FAILED);
	assert_int_equal(
	    caching_look_up(fixture.cache, "slow.example.com", NULL),
	    RESOLVER_FOUND);
	resolver_counts(fixture.resolver, &counts);
	assert_int_equal(counts.pending, 0);
	assert_int_equal(counts.refused, 1);
	assert_int_equal(
	    caching_look_up(fixture.cache, "found.example.com", NULL),
	    RESOLVER_FOUND);
	key_lookups_free(first);
	caching_end(&fixture);
}

static void
test_out_of_memory_fails_for_now(void **state)
{
	struct key_cache_settings settings = caching_settings(NULL);
	struct fixture fixture;

	(void)state;
	settings.failure_ttl_s = 3600;
	caching_begin(&fixture, &settings, 5000, 10);
	atomic_store(&fixture.parser.out_of_memory, true);
	assert_int_equal(
	    caching_look_up(fixture.cache, "found.example.com", NULL),
	    RESOLVER_FAILED);
	atomic_store(&fixture.parser.out_of_memory, false);
	assert_int_equal(
	    caching_look_up(fixture.cache, "found.example.com", NULL),
	    RESOLVER_FOUND);
	caching_end(&fixture);
}

/* The last reference goes with questions under way: they are taken back.
 * field: A15 */
static void
test_cache_ends_with_questions_under_way(void **state)
{
	struct key_cache_settings settings = caching_settings(NULL);
	unsigned files = asking_open_files();

	(void)state;
	for (unsigned round = 0; round < RACE_ROUNDS; round++) {
		struct fixture fixture;
		struct key_lookups *lookups;
		uint64_t begin_ns;

		caching_begin(&fixture, &settings, 60000, 100);
		lookups = key_lookups_new(fixture.cache, 3);
		key_lookups_start(lookups, 0, "found.example.com");
		key_lookups_start(lookups, 1, "silent.example.com");
		key_lookups_start(lookups, 2, "silent.example.com");
		if (round % 2 == 0)
			usleep(round * 2);
		begin_ns = monotonic_ns();
		key_lookups_free(lookups);
		caching_end(&fixture);
		assert_in_range(monotonic_ns() - begin_ns, 0, 5000000000);
	}
	assert_int_equal(asking_open_files(), files);
}

struct seeker {
	struct key_cache *cache;
	unsigned wrong;
	bool late;
	pthread_t thread;
};

static void *
look_all_up(void *arg)
{
	struct seeker *seeker = arg;
	struct key_lookups *lookups = key_lookups_new(seeker->cache, NAMES);
	struct timespec deadline = caching_in_ms(60000);
	char name[64];

	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "found-%u.example.com", i);
		key_lookups_start(lookups, i, name);
	}
	seeker->late = !key_lookups_wait(lookups, &deadline);
	for (unsigned i = 0; i < NAMES; i++) {
		struct key_answer answer = key_lookups_get(lookups, i);
		const struct value *value = answer.value;

		snprintf(name, sizeof(name), "v=found-%u.example.com", i);
		if (answer.answer != RESOLVER_FOUND ||
		    strcmp(value->text, name) != 0)
			seeker->wrong++;
	}
	key_lookups_free(lookups);
	return NULL;
}

static void
test_each_name_is_asked_for_once_by_many_threads(void **state)
{
	struct fixture fixture;
	struct seeker seekers[THREADS];
	struct key_cache_counts counts;
	struct resolver_counts asked;

	(void)state;
	caching_begin_usual(&fixture);
	for (unsigned i = 0; i < THREADS; i++) {
		seekers[i] = (struct seeker){ .cache = fixture.cache };
		assert_int_equal(pthread_create(&seekers[i].thread, NULL,
				     look_all_up, &seekers[i]),
		    0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(seekers[i].thread, NULL);
		assert_false(seekers[i].late);
		assert_int_equal(seekers[i].wrong, 0);
	}
	key_cache_counts(fixture.cache, &counts);
	resolver_counts(fixture.resolver, &asked);
	assert_int_equal(counts.misses, NAMES);
	assert_int_equal(
	    counts.hits + counts.joined + counts.misses, NAMES * THREADS);
	assert_int_equal(asked.asked, NAMES);
	assert_int_equal(asked.answered[RESOLVER_FOUND], NAMES);
	assert_int_equal(atomic_load(&fixture.parser.made), NAMES);
	/* Only a lost datagram may have been sent again. */
	assert_in_range(
	    atomic_load(&fixture.server.questions), NAMES, NAMES + NAMES / 10);
	caching_end(&fixture);
}

static void *
come_and_go(void *arg)
{
	struct key_cache *cache = arg;
	static const char *const names[] = { "brief-1.example.com",
		"slow-1.example.com", "found-1.example.com",
		"servfail.example.com", "nonexistent.example.com" };

	for (unsigned i = 0; i < RACE_ROUNDS; i++) {
		struct key_lookups *lookups = key_lookups_new(cache, 5);
		struct timespec deadline = caching_in_ms(i % 7);

		for (unsigned k = 0; k < 5; k++)
			key_lookups_start(lookups, k, names[(i + k) % 5]);
		if (i % 3 != 0)
			key_lookups_wait(lookups, &deadline);
		key_lookups_free(lookups);
	}
	return NULL;
}

/* With a table so small that names under way are pushed out, too. */
static void
test_many_threads_come_and_go(void **state)
{
	struct key_cache_settings settings = caching_settings(NULL);
	struct fixture fixture;
	pthread_t threads[THREADS];

	(void)state;
	settings.max_entries = 3;
	settings.min_ttl_s = 0;
	settings.failure_ttl_s = 0;
	caching_begin(&fixture, &settings, 500, 50);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go,
				     fixture.cache),
		    0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	caching_end(&fixture);
}

static uint64_t
cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* A bound against gross faults: far above the real cost. */
static void
test_a_kept_answer_costs_microseconds(void **state)
{
	struct fixture fixture;
	uint64_t begin_ns, each_ns;

	(void)state;
	caching_begin_usual(&fixture);
	caching_look_up(fixture.cache, "found.example.com", NULL);
	begin_ns = cpu_ns();
	for (unsigned i = 0; i < HIT_ROUNDS; i++) {
		struct key_lookups *lookups =
		    caching_start(fixture.cache, "found.example.com");
		struct timespec deadline = { .tv_sec = 1 };

		key_lookups_wait(lookups, &deadline);
		assert_non_null(key_lookups_get(lookups, 0).value);
		key_lookups_free(lookups);
	}
	each_ns = (cpu_ns() - begin_ns) / HIT_ROUNDS;
	print_message("%u ns a look-up from the cache\n", (unsigned)each_ns);
	assert_in_range(each_ns, 1, 50000);
	caching_end(&fixture);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_are_kept),
		cmocka_unit_test(test_names_are_the_same_in_any_case),
		cmocka_unit_test(test_too_long_names_do_not_exist),
		cmocka_unit_test(test_ttl_ends),
		cmocka_unit_test(test_a_held_value_outlives_its_entry),
		cmocka_unit_test(test_look_ups_of_a_message_run_at_once),
		cmocka_unit_test(test_deadline_passes_and_the_question_goes_on),
		cmocka_unit_test(test_message_that_gives_up_is_safe),
		cmocka_unit_test(test_silent_server_is_a_timeout),
		cmocka_unit_test(test_refused_questions_are_not_kept),
		cmocka_unit_test(test_out_of_memory_fails_for_now),
		cmocka_unit_test(test_cache_ends_with_questions_under_way),
		cmocka_unit_test(
		    test_each_name_is_asked_for_once_by_many_threads),
		cmocka_unit_test(test_many_threads_come_and_go),
		cmocka_unit_test(test_a_kept_answer_costs_microseconds),
	};

	return cmocka_run_group_tests_name("key_cache", tests, NULL, NULL);
}
