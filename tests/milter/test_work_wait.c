/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a job waits for its turn, and what becomes of it then. */
#include "work.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

#include "jobs.h"

static void
test_deadline_in_queue_drops_the_job(void **state)
{
	struct work *work = jobs_pool(1, 4);
	struct gate gate = { 0 };
	struct runner inside = jobs_runner(work, &gate, 1, 60000);
	struct runner late = jobs_runner(work, &gate, 3, 30);
	struct work_counts counts;

	(void)state;
	jobs_start(&inside);
	jobs_wait_inside(&gate, 1);
	jobs_run(&late);
	assert_int_equal(late.outcome, WORK_DEADLINE);
	assert_int_equal(jobs_ran(&late), 0);
	assert_true(late.wait_ns >= 29000000);
	work_counts(work, &counts);
	assert_int_equal(counts.deadlines, 1);
	assert_int_equal(counts.depth, 0);
	atomic_store(&gate.open, true);
	jobs_join(&inside);
	work_free(work);
	assert_int_equal(atomic_load(&gate.passed), 1);
}

/* The operation under way is waited for; what was not begun is dropped. */
static void
test_deadline_in_flight(void **state)
{
	static const struct {
		const char *name;
		size_t count;
		enum work_outcome want;
	} rows[] = {
		{ "all begun", 1, WORK_DONE },
		{ "some not begun", 3, WORK_DEADLINE },
	};

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct work *work = jobs_pool(1, 4);
		struct gate gate = { 0 };
		struct runner runner =
		    jobs_runner(work, &gate, rows[r].count, 20);
		pthread_t opener;

		print_message("%s\n", rows[r].name);
		assert_int_equal(pthread_create(&opener, NULL,
				     jobs_open_after_100_ms, &gate),
		    0);
		jobs_run(&runner);
		assert_int_equal(runner.outcome, rows[r].want);
		assert_int_equal(jobs_ran(&runner), 1);
		assert_true(runner.times[0].ran);
		assert_int_equal(atomic_load(&gate.passed), 1);
		pthread_join(opener, NULL);
		work_free(work);
	}
}

static void
test_deadline_passed_before_submission(void **state)
{
	struct work *work = jobs_pool(1, 1);
	struct gate gate = { .open = true };
	struct runner runner = jobs_runner(work, &gate, 2, -1000);
	struct work_counts counts;

	(void)state;
	jobs_run(&runner);
	assert_int_equal(runner.outcome, WORK_DEADLINE);
	work_counts(work, &counts);
	assert_int_equal(counts.deadlines, 1);
	work_free(work);
	assert_int_equal(atomic_load(&gate.passed), 0);
}

/* A job given up in the middle of the queue leaves its neighbours alone. */
static void
test_deadline_in_the_middle_of_the_queue(void **state)
{
	static const long timeouts_ms[] = { 60000, 40, 60000, 20, 30 };
	enum {
		N = sizeof(timeouts_ms) / sizeof(timeouts_ms[0])
	};
	struct work *work = jobs_pool(1, N);
	struct gate gate = { 0 };
	struct runner inside = jobs_runner(work, &gate, 1, 60000);
	struct runner runners[N];

	(void)state;
	jobs_start(&inside);
	jobs_wait_inside(&gate, 1);
	for (unsigned i = 0; i < N; i++) {
		runners[i] = jobs_runner(work, &gate, 1, timeouts_ms[i]);
		jobs_start(&runners[i]);
	}
	jobs_wait_depth(work, N);
	jobs_wait_depth(work, 2);
	atomic_store(&gate.open, true);
	jobs_join(&inside);
	for (unsigned i = 0; i < N; i++) {
		jobs_join(&runners[i]);
		assert_int_equal(runners[i].outcome,
		    timeouts_ms[i] == 60000 ? WORK_DONE : WORK_DEADLINE);
	}
	work_free(work);
	assert_int_equal(atomic_load(&gate.passed), 3);
}

static void
count_stuck(void *ctx)
{
	atomic_fetch_add((atomic_uint *)ctx, 1);
}

static void
test_whoever_waits_long_says_so_once(void **state)
{
	struct work *work = jobs_pool(1, 8);
	struct gate gate = { 0 };
	struct runner runners[3];
	atomic_uint stuck = 0;

	(void)state;
	work_on_stuck(work, count_stuck, &stuck);
	for (unsigned i = 0; i < 3; i++) {
		runners[i] = jobs_runner(work, &gate, 1, 60000);
		jobs_start(&runners[i]);
	}
	jobs_wait_depth(work, 2);
	assert_int_equal(atomic_load(&gate.inside), 1);
	while (atomic_load(&stuck) < 2)
		jobs_pause_ms(10);
	jobs_pause_ms(300);
	atomic_store(&gate.open, true);
	for (unsigned i = 0; i < 3; i++) {
		jobs_join(&runners[i]);
		assert_int_equal(runners[i].outcome, WORK_DONE);
	}
	assert_int_equal(atomic_load(&stuck), 2);
	work_free(work);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deadline_in_queue_drops_the_job),
		cmocka_unit_test(test_deadline_in_flight),
		cmocka_unit_test(test_deadline_passed_before_submission),
		cmocka_unit_test(test_deadline_in_the_middle_of_the_queue),
		cmocka_unit_test(test_whoever_waits_long_says_so_once),
	};

	return cmocka_run_group_tests_name("work_wait", tests, NULL, NULL);
}
