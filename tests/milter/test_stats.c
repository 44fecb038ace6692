/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stats.h"

#define SECOND UINT64_C(1000000000)

enum {
	WRITERS = 16,
	ROUNDS = 5000,
};

static int
set_up(void **state)
{
	*state = stats_new();
	return *state == NULL;
}

static int
tear_down(void **state)
{
	stats_free(*state);
	return 0;
}

/* Everything that can be counted, once. */
static void
count_all(struct stats *stats)
{
	stats_add(stats, COUNT_BODY_HASH_BYTES, 1000);
	stats_message(stats, MESSAGE_SIGNED);
	stats_stage_cpu(stats, STAGE_BODY, 7);
	stats_connections_open(stats, 1);
	stats_sign(stats, SIGNPOST_RSA_SHA256, 2048, SIGN_OK);
	stats_verify(stats, SIGNPOST_ED25519_SHA256, SIGNPOST_FAIL,
	    SIGNPOST_REASON_BODY_HASH);
	stats_operation(
	    stats, OPERATION_VERIFY, SIGNPOST_RSA_SHA256, 3000, 90000);
	stats_wait(stats, OPERATION_VERIFY, SIGNPOST_RSA_SHA256, 95000);
	stats_dns(stats, 0, 2000000);
	stats_connections_open(stats, -1);
}

static void
assert_counted(const struct stats_totals *totals, uint64_t times)
{
	const struct stats_times *verify =
	    &totals->times[OPERATION_VERIFY][SIGNPOST_RSA_SHA256];

	assert_int_equal(totals->counters[COUNT_BODY_HASH_BYTES], times * 1000);
	assert_int_equal(totals->messages[MESSAGE_SIGNED], times);
	assert_int_equal(totals->stage_cpu_ns[STAGE_BODY], times * 7);
	assert_int_equal(totals->connections_open, 0);
	assert_int_equal(
	    totals->signs[SIGNPOST_RSA_SHA256][KEY_SIZE_2048][SIGN_OK], times);
	assert_int_equal(
	    totals->verifies[SIGNPOST_ED25519_SHA256][SIGNPOST_FAIL], times);
	assert_int_equal(totals->reasons[SIGNPOST_REASON_BODY_HASH], times);
	assert_int_equal(stats_histogram_count(&verify->cpu), times);
	assert_int_equal(verify->cpu.sum_ns, times * 3000);
	assert_int_equal(stats_histogram_count(&verify->queue), times);
	assert_int_equal(verify->queue.sum_ns, times * 90000);
	assert_int_equal(verify->wait.sum_ns, times * 95000);
	assert_int_equal(totals->dns[0], times);
	assert_int_equal(totals->dns_time.sum_ns, times * 2000000);
}

static void
what_is_counted_stands_in_its_own_total(void **state)
{
	struct stats_totals totals;
	uint64_t cells[sizeof(totals) / sizeof(uint64_t)];
	size_t i, set = 0;

	count_all(*state);
	stats_read(*state, &totals);
	assert_counted(&totals, 1);
	memcpy(cells, &totals, sizeof(cells));
	for (i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		set += cells[i] != 0;
	/* Six plain ones, one reason, and two for each of four durations. */
	assert_int_equal(set, 15);
}

struct crowd {
	struct stats *stats;
	_Atomic unsigned running;
};

static void *
write_much(void *arg)
{
	struct crowd *crowd = arg;
	unsigned i;

	for (i = 0; i < ROUNDS; i++)
		count_all(crowd->stats);
	atomic_fetch_sub(&crowd->running, 1);
	return NULL;
}

static void
totals_are_exact_when_16_threads_wrote_and_one_read(void **state)
{
	struct crowd crowd = { .stats = *state, .running = WRITERS };
	struct stats_totals totals;
	struct stats_rates rates;
	struct stats_history history;
	pthread_t threads[WRITERS];
	uint64_t last = 0, now_ns = 0;
	unsigned i;

	for (i = 0; i < WRITERS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, write_much, &crowd), 0);
	while (atomic_load(&crowd.running) > 0) {
		stats_read(*state, &totals);
		assert_true(totals.messages[MESSAGE_SIGNED] >= last);
		assert_true(totals.connections_open <= WRITERS);
		last = totals.messages[MESSAGE_SIGNED];
		stats_tick(*state, now_ns += SECOND);
		stats_read_rates(*state, &rates);
		assert_true(rates.signs[WINDOW_60S] >= 0);
		stats_read_history(*state, &history);
		assert_true(history.count <= STATS_HISTORY);
	}
	for (i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	stats_read(*state, &totals);
	assert_counted(&totals, (uint64_t)WRITERS * ROUNDS);
}

static void
durations_fall_into_the_bucket_of_their_bound(void **state)
{
	static const struct {
		const char *name;
		uint64_t ns;
		size_t want;
	} rows[] = {
		{ "nothing", 0, 0 },
		{ "first bound", 1000, 0 },
		{ "above it", 1001, 1 },
		{ "middle", 1000000, 9 },
		{ "above the middle", 1000001, 10 },
		{ "last bound", 10 * SECOND, STATS_BOUNDS - 1 },
		{ "beyond", 10 * SECOND + 1, STATS_BOUNDS },
		{ "far beyond", UINT64_MAX / 2, STATS_BOUNDS },
	};
	struct stats_totals old, new;
	size_t i;

	for (i = 1; i < STATS_BOUNDS; i++)
		assert_true(stats_bound_ns(i) > stats_bound_ns(i - 1));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		stats_read(*state, &old);
		stats_dns(*state, 0, rows[i].ns);
		stats_read(*state, &new);
		if (new.dns_time.buckets[rows[i].want] !=
		    old.dns_time.buckets[rows[i].want] + 1)
			fail_msg("%s: not in bucket %zu", rows[i].name,
			    rows[i].want);
	}
}

static void
key_sizes_without_a_label_are_other(void **state)
{
	static const struct {
		unsigned bits;
		enum stats_key_size want;
	} rows[] = {
		{ 256, KEY_SIZE_256 },
		{ 512, KEY_SIZE_512 },
		{ 1024, KEY_SIZE_1024 },
		{ 2048, KEY_SIZE_2048 },
		{ 3072, KEY_SIZE_3072 },
		{ 4096, KEY_SIZE_4096 },
		{ 8192, KEY_SIZE_8192 },
		{ 0, KEY_SIZE_OTHER },
		{ 2047, KEY_SIZE_OTHER },
		{ 16384, KEY_SIZE_OTHER },
	};
	struct stats_totals old, new;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		stats_read(*state, &old);
		stats_sign(
		    *state, SIGNPOST_RSA_SHA256, rows[i].bits, SIGN_FAILED);
		stats_read(*state, &new);
		if (new.signs[0][rows[i].want][SIGN_FAILED] !=
		    old.signs[0][rows[i].want][SIGN_FAILED] + 1)
			fail_msg("%u bits", rows[i].bits);
	}
}

static void
sign_and_tick(struct stats *stats, unsigned signs, uint64_t now_ns)
{
	while (signs-- > 0)
		stats_sign(stats, SIGNPOST_RSA_SHA256, 2048, SIGN_OK);
	stats_tick(stats, now_ns);
}

static void
assert_rates(struct stats *stats, double one, double ten, double sixty)
{
	struct stats_rates rates;

	stats_read_rates(stats, &rates);
	assert_float_equal(rates.signs[WINDOW_1S], one, 0.01);
	assert_float_equal(rates.signs[WINDOW_10S], ten, 0.01);
	assert_float_equal(rates.signs[WINDOW_60S], sixty, 0.01);
	assert_float_equal(rates.verifies[WINDOW_1S], 0, 0.01);
}

static void
rates_are_averages_over_their_windows(void **state)
{
	struct stats *stats = *state;
	uint64_t now_ns = 5000 * SECOND;
	unsigned i;

	assert_rates(stats, 0, 0, 0);
	/* What came before the first tick is nobody's rate. */
	sign_and_tick(stats, 1000, now_ns);
	assert_rates(stats, 0, 0, 0);
	/* Windows that have not been filled yet average what there is. */
	sign_and_tick(stats, 30, now_ns += SECOND);
	assert_rates(stats, 30, 30, 30);
	sign_and_tick(stats, 10, now_ns += SECOND);
	assert_rates(stats, 10, 20, 20);
	for (i = 0; i < 100; i++)
		sign_and_tick(stats, 50, now_ns += SECOND);
	assert_rates(stats, 50, 50, 50);
	for (i = 0; i < 5; i++)
		sign_and_tick(stats, 0, now_ns += SECOND);
	assert_rates(stats, 0, 25, 50.0 * 55 / 60);
	for (i = 0; i < 60; i++)
		sign_and_tick(stats, 0, now_ns += SECOND);
	assert_rates(stats, 0, 0, 0);
}

static void
rates_stand_uneven_ticks(void **state)
{
	struct stats *stats = *state;
	uint64_t now_ns = SECOND;
	unsigned i;

	sign_and_tick(stats, 0, now_ns);
	/* Too soon, and back in time: passed over, counted by the next. */
	sign_and_tick(stats, 5, now_ns + 1);
	sign_and_tick(stats, 5, now_ns - SECOND / 2);
	assert_rates(stats, 0, 0, 0);
	sign_and_tick(stats, 0, now_ns += SECOND);
	assert_rates(stats, 10, 10, 10);
	/* A stop of a minute is averaged over that minute. */
	sign_and_tick(stats, 120, now_ns += 60 * SECOND);
	assert_rates(stats, 2, 2, 2);
	/* Ticks early and late by some milliseconds. */
	for (i = 0; i < 200; i++) {
		now_ns += SECOND;
		sign_and_tick(stats, 100,
		    i % 2 == 0 ? now_ns - 5000000 : now_ns + 5000000);
	}
	{
		struct stats_rates rates;

		stats_read_rates(stats, &rates);
		assert_float_equal(rates.signs[WINDOW_1S], 100, 2);
		assert_float_equal(rates.signs[WINDOW_60S], 100, 0.1);
	}
}

static void
verifies_count_whatever_the_result(void **state)
{
	struct stats_rates rates;

	stats_tick(*state, SECOND);
	stats_verify(
	    *state, SIGNPOST_RSA_SHA256, SIGNPOST_PASS, SIGNPOST_REASON_NONE);
	stats_verify(*state, SIGNPOST_ALGORITHM_UNKNOWN, SIGNPOST_NEUTRAL,
	    SIGNPOST_REASON_TAGS);
	stats_sign(*state, SIGNPOST_RSA_SHA256, 1024, SIGN_FAILED);
	stats_tick(*state, 2 * SECOND);
	stats_read_rates(*state, &rates);
	assert_float_equal(rates.verifies[WINDOW_1S], 2, 0.01);
	assert_float_equal(rates.signs[WINDOW_1S], 0, 0.01);
}

static void
history_has_the_rates_of_the_last_minutes_in_order(void **state)
{
	struct stats *stats = *state;
	struct stats_history history;
	uint64_t now_ns = SECOND;
	unsigned i;

	stats_read_history(stats, &history);
	assert_int_equal(history.count, 0);
	/* What came before the first tick is nobody's rate. */
	sign_and_tick(stats, 1000, now_ns);
	stats_read_history(stats, &history);
	assert_int_equal(history.count, 0);
	for (i = 1; i <= STATS_HISTORY + 50; i++) {
		stats_verify(stats, SIGNPOST_RSA_SHA256, SIGNPOST_PASS,
		    SIGNPOST_REASON_NONE);
		sign_and_tick(stats, i, now_ns += SECOND);
		stats_read_history(stats, &history);
		assert_int_equal(
		    history.count, i < STATS_HISTORY ? i : STATS_HISTORY);
		assert_float_equal(
		    history.signs[history.count - 1], (double)i, 0.01);
		assert_float_equal(
		    history.verifies[history.count - 1], 1, 0.01);
	}
	for (i = 0; i < STATS_HISTORY; i++)
		assert_float_equal(history.signs[i], (double)(51 + i), 0.01);
}

static void
quantiles_lie_in_their_bucket(void **state)
{
	struct stats_histogram histogram = { .sum_ns = 0 };

	(void)state;
	assert_float_equal(stats_histogram_quantile(&histogram, 0.5), 0, 0);
	histogram.buckets[9] = 90;  /* 0.5 ms to 1 ms */
	histogram.buckets[12] = 10; /* 5 ms to 10 ms */
	assert_float_equal(
	    stats_histogram_quantile(&histogram, 0.45), 0.00075, 1e-9);
	assert_float_equal(
	    stats_histogram_quantile(&histogram, 0.9), 0.001, 1e-9);
	assert_float_equal(
	    stats_histogram_quantile(&histogram, 0.99), 0.0095, 1e-9);
	histogram.buckets[STATS_BOUNDS] = 1000;
	assert_float_equal(
	    stats_histogram_quantile(&histogram, 0.99), 10, 1e-9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    what_is_counted_stands_in_its_own_total, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    totals_are_exact_when_16_threads_wrote_and_one_read, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    durations_fall_into_the_bucket_of_their_bound, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    key_sizes_without_a_label_are_other, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    rates_are_averages_over_their_windows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    rates_stand_uneven_ticks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    verifies_count_whatever_the_result, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    history_has_the_rates_of_the_last_minutes_in_order, set_up,
		    tear_down),
		cmocka_unit_test(quantiles_lie_in_their_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
