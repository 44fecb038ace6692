/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum {
	WINDOW = 100,
	THREADS = 4,
	ROUNDS = 1000,
};

static const struct replay_rule rule = {
	.window_ns = WINDOW, .messages = 3, .recipients = 10
};

static struct replay_seen
count(struct replay *replay, const char *octets, const char *domain,
    unsigned recipients, uint64_t now_ns)
{
	return replay_count(replay, &rule,
	    &(struct replay_signature){
		bytes_str(octets), bytes_str(domain), recipients },
	    now_ns);
}

static void
a_signature_is_counted_within_its_window(void **state)
{
	static const struct {
		const char *name, *octets, *domain;
		unsigned recipients;
		uint64_t now_ns;
		struct replay_seen want;
	} rows[] = {
		{ "the first", "a", "x", 2, 1000, { 1, 2, false } },
		{ "another signature", "b", "x", 1, 1000, { 1, 1, false } },
		{ "another domain", "a", "y", 1, 1000, { 1, 1, false } },
		{ "the two taken apart otherwise", "", "ax", 1, 1000,
		    { 1, 1, false } },
		{ "the second", "a", "x", 3, 1099, { 2, 5, false } },
		{ "when the window has passed", "a", "x", 1, 1100,
		    { 1, 1, false } },
		{ "a time before that", "a", "x", 1, 1050, { 2, 2, false } },
		{ "from the threshold on", "a", "x", 1, 1199, { 3, 3, true } },
		{ "not let off before a window without it", "a", "x", 1, 1298,
		    { 4, 4, true } },
		{ "let off", "a", "x", 1, 1398, { 1, 1, false } },
		{ "recipients", "a", "x", 9, 1399, { 2, 10, true } },
		{ "more than can be counted", "b", "x", UINT32_MAX, 1001,
		    { 2, UINT32_MAX, true } },
	};
	struct replay *replay = replay_new(100);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct replay_seen seen = count(replay, rows[i].octets,
		    rows[i].domain, rows[i].recipients, rows[i].now_ns);

		if (seen.messages != rows[i].want.messages ||
		    seen.recipients != rows[i].want.recipients ||
		    seen.too_often != rows[i].want.too_often)
			fail_msg("%s: %u messages, %u recipients, %d",
			    rows[i].name, seen.messages, seen.recipients,
			    seen.too_often);
	}
	replay_free(replay);
}

static void
no_threshold_is_never_reached(void **state)
{
	static const struct replay_rule none = { .window_ns = WINDOW };
	struct replay_signature signature = { bytes_str("a"), bytes_str("x"),
		1000 };
	struct replay *replay = replay_new(1);

	(void)state;
	for (unsigned i = 1; i <= ROUNDS; i++) {
		struct replay_seen seen =
		    replay_count(replay, &none, &signature, 5);

		assert_int_equal(seen.messages, i);
		assert_false(seen.too_often);
	}
	replay_free(replay);
}

static void
entries_are_capped_and_the_longest_unseen_go_first(void **state)
{
	struct replay *replay = replay_new(2);
	struct replay_counts counts;

	(void)state;
	count(replay, "a", "x", 1, 1);
	count(replay, "b", "x", 1, 1);
	assert_int_equal(count(replay, "a", "x", 1, 1).messages, 2);
	count(replay, "c", "x", 1, 1);
	replay_counts(replay, &counts);
	assert_int_equal(counts.entries, 2);
	assert_int_equal(counts.evictions, 1);
	assert_int_equal(count(replay, "a", "x", 1, 1).messages, 3);
	assert_int_equal(count(replay, "b", "x", 1, 1).messages, 1);
	replay_free(replay);
}

static void *
count_many(void *replay)
{
	char octets[16];

	for (unsigned i = 0; i < ROUNDS; i++) {
		snprintf(octets, sizeof(octets), "%u", i % 10);
		count(replay, octets, "x", 1, 1);
	}
	return NULL;
}

static void
threads_count_together(void **state)
{
	struct replay *replay = replay_new(10);
	pthread_t threads[THREADS];

	(void)state;
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, count_many, replay), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(
	    count(replay, "7", "x", 1, 1).messages, THREADS * ROUNDS / 10 + 1);
	replay_free(replay);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signature_is_counted_within_its_window),
		cmocka_unit_test(no_threshold_is_never_reached),
		cmocka_unit_test(
		    entries_are_capped_and_the_longest_unseen_go_first),
		cmocka_unit_test(threads_count_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
