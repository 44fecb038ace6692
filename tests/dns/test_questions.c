/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a resolver's questions: room, cancelling, the end. */
#include "resolver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "asking.h"
#include "fake_server.h"

enum {
	RACE_ROUNDS = 2000
};

/* field: D4 */
static void
test_max_pending_is_exact(void **state)
{
	enum {
		MAX = 20
	};
	struct fake_server server;
	struct resolver *resolver;
	struct resolver_counts counts;
	struct asked asked[MAX], over;
	char name[64];

	(void)state;
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, NULL, 500, MAX);
	for (unsigned i = 0; i < MAX; i++) {
		snprintf(name, sizeof(name), "silent-%u.example.com", i);
		assert_true(asking_start(resolver, name, &asked[i]));
	}
	assert_false(asking_start(resolver, "found.example.com", &over));
	resolver_counts(resolver, &counts);
	assert_int_equal(counts.asked, MAX);
	assert_int_equal(counts.pending, MAX);
	assert_int_equal(counts.refused, 1);
	for (unsigned i = 0; i < MAX; i++)
		asking_wait(&asked[i]);
	/* Given up, but still on the net. */
	assert_false(asking_start(resolver, "found.example.com", &over));
	do
		resolver_counts(resolver, &counts);
	while (counts.pending > 0);
	asking_ask(resolver, "found.example.com", &over);
	assert_int_equal(over.answer, RESOLVER_FOUND);
	resolver_unref(resolver);
	fake_server_stop(&server);
}

static void
count_callback(void *ctx, const struct resolver_result *result)
{
	(void)result;
	atomic_fetch_add((atomic_uint *)ctx, 1);
}

static bool
start_for(struct resolver *resolver, const char *asker, const char *name,
    atomic_uint *callbacks)
{
	const struct resolver_question question = { name, bytes_str(asker) };

	return resolver_ask_for(
	    resolver, &question, count_callback, callbacks, NULL);
}

/* field: D4 */
static void
test_share_of_an_asker_is_exact(void **state)
{
	struct fake_server server;
	const char *list[] = { server.address, NULL };
	struct resolver_settings settings = { .servers = list,
		.timeout_ms = 500,
		.max_pending = 20,
		.max_pending_each = 3 };
	struct resolver *resolver;
	struct resolver_counts counts;
	atomic_uint callbacks = 0;
	char error[256] = "", name[64];

	(void)state;
	fake_server_start(&server, 0);
	assert_true(resolver_new(&settings, &resolver, error, sizeof(error)));
	for (unsigned i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "silent-%u.example.com", i);
		assert_int_equal(
		    start_for(resolver, "one", name, &callbacks), i < 3);
	}
	/* Another's and nobody's are not affected. */
	assert_true(
	    start_for(resolver, "two", "silent-x.example.com", &callbacks));
	for (unsigned i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "silent-n%u.example.com", i);
		assert_true(start_for(resolver, "", name, &callbacks));
	}
	resolver_counts(resolver, &counts);
	assert_int_equal(counts.pending, 14);
	assert_int_equal(counts.refused, 0);
	assert_int_equal(counts.refused_share, 7);
	/* A share lasts as long as its questions are on the net. */
	do
		resolver_counts(resolver, &counts);
	while (counts.pending > 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(start_for(
		    resolver, "one", "found.example.com", &callbacks));
	do
		resolver_counts(resolver, &counts);
	while (counts.pending > 0);
	resolver_unref(resolver);
	assert_int_equal(atomic_load(&callbacks), 17);
	fake_server_stop(&server);
}

struct asking_again {
	struct resolver *resolver;
	struct asked *asked;
	bool accepted;
	atomic_bool done;
};

static void
ask_again(void *ctx, const struct resolver_result *result)
{
	struct asking_again *again = ctx;

	(void)result;
	again->accepted =
	    asking_start(again->resolver, "found.example.com", again->asked);
	atomic_store(&again->done, true);
}

static void
test_an_answer_makes_room_before_it_is_told(void **state)
{
	static const char *const names[] = { "found.example.com",
		"nonexistent.example.com", "no such\\name.example.com" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct fake_server server;
		struct asked asked;
		struct asking_again again = { .asked = &asked };

		fake_server_start(&server, 0);
		again.resolver = asking_resolver(server.address, NULL, 5000, 1);
		assert_true(resolver_ask(
		    again.resolver, names[i], ask_again, &again, NULL));
		while (!atomic_load(&again.done))
			usleep(1000);
		assert_true(again.accepted);
		asking_wait(&asked);
		assert_int_equal(asked.answer, RESOLVER_FOUND);
		resolver_unref(again.resolver);
		fake_server_stop(&server);
	}
}

/* A callback comes exactly where the cancel came too late, whoever wins. */
static void
test_cancel_races_with_the_answer(void **state)
{
	static const char *const names[] = { "found.example.com",
		"silent.example.com", "brief.example.com", "a..b" };
	struct fake_server server;
	struct resolver *resolver;
	struct resolver_counts counts;
	static atomic_uint callbacks[RACE_ROUNDS];
	static bool cancelled[RACE_ROUNDS];
	unsigned in_time = 0;

	(void)state;
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, NULL, 200, RACE_ROUNDS);
	for (unsigned i = 0; i < RACE_ROUNDS; i++) {
		struct resolver_query *query;

		assert_true(resolver_ask(resolver, names[i % 4], count_callback,
		    &callbacks[i], &query));
		if (i % 8 > 3)
			usleep(i % 100);
		cancelled[i] = resolver_cancel(resolver, query);
		in_time += cancelled[i];
	}
	resolver_counts(resolver, &counts);
	assert_int_equal(counts.asked, RACE_ROUNDS);
	resolver_unref(resolver);
	for (unsigned i = 0; i < RACE_ROUNDS; i++)
		assert_int_equal(
		    atomic_load(&callbacks[i]), cancelled[i] ? 0 : 1);
	print_message("%u of %u cancelled\n", in_time, RACE_ROUNDS);
	assert_true(in_time > RACE_ROUNDS / 8);
	fake_server_stop(&server);
}

static void
test_end_answers_what_is_open(void **state)
{
	struct fake_server server;
	struct resolver *resolver;
	struct asked asked[3];

	(void)state;
	fake_server_start(&server, 0);
	for (unsigned round = 0; round < 50; round++) {
		resolver = asking_resolver(server.address, NULL, 60000, 100);
		for (unsigned i = 0; i < 3; i++)
			assert_true(asking_start(
			    resolver, "silent.example.com", &asked[i]));
		if (round % 2 == 0)
			usleep(1000);
		resolver_unref(resolver);
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(asked[i].answers, 1);
			assert_int_equal(asked[i].answer, RESOLVER_FAILED);
			assert_string_equal(
			    asked[i].why, "the resolver was stopped");
		}
	}
	fake_server_stop(&server);
}

static void
unref_within(void *ctx, const struct resolver_result *result)
{
	(void)result;
	resolver_unref(ctx);
}

static void
test_last_reference_goes_in_the_callback(void **state)
{
	struct fake_server server;
	unsigned files = asking_open_files();

	(void)state;
	fake_server_start(&server, 0);
	for (unsigned round = 0; round < 20; round++) {
		struct resolver *resolver =
		    asking_resolver(server.address, NULL, 5000, 100);

		resolver_ref(resolver);
		assert_true(resolver_ask(resolver, "found.example.com",
		    unref_within, resolver, NULL));
		resolver_unref(resolver);
	}
	fake_server_stop(&server);
	/* The threads end by themselves. */
	for (unsigned i = 0; i < 1200 && asking_open_files() != files; i++)
		usleep(50000);
	assert_int_equal(asking_open_files(), files);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_max_pending_is_exact),
		cmocka_unit_test(test_share_of_an_asker_is_exact),
		cmocka_unit_test(test_an_answer_makes_room_before_it_is_told),
		cmocka_unit_test(test_cancel_races_with_the_answer),
		cmocka_unit_test(test_end_answers_what_is_open),
		cmocka_unit_test(test_last_reference_goes_in_the_callback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
