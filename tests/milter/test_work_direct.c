/* SPDX-License-Identifier: BSD-2-Clause */
/* Who does an operation: the thread that brings it, or a worker. */
#include "work.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

#include "jobs.h"

static void
note_thread(void *ctx, size_t i)
{
	pthread_t *threads = ctx;

	threads[i] = pthread_self();
}

/* A thread that has room for its operation hands it to no other. */
static void
test_a_job_alone_is_done_where_it_is(void **state)
{
	struct work *work = jobs_pool(2, 1);
	pthread_t thread;
	struct runner runner = { .work = work,
		.operation = note_thread,
		.ctx = &thread,
		.count = 1,
		.timeout_ms = 60000 };

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		jobs_run(&runner);
		assert_int_equal(runner.outcome, WORK_DONE);
		assert_true(pthread_equal(thread, pthread_self()));
	}
	work_free(work);
}

static void
test_without_direct_all_is_done_by_workers(void **state)
{
	struct work *work;
	pthread_t threads[3];
	struct runner runner = { .operation = note_thread,
		.ctx = threads,
		.count = 3,
		.timeout_ms = 60000 };

	(void)state;
	assert_true(work_new(2, 1, false, &work));
	runner.work = work;
	for (unsigned round = 0; round < 100; round++) {
		jobs_run(&runner);
		assert_int_equal(runner.outcome, WORK_DONE);
		for (unsigned i = 0; i < runner.count; i++)
			assert_false(pthread_equal(threads[i], pthread_self()));
	}
	work_free(work);
}

/* However many threads come with work, no more than the workers' number is
 * done at once. */
static void
test_no_more_at_once_than_workers(void **state)
{
	struct work *work = jobs_pool(2, 40);
	struct gate gate = { 0 };
	struct runner runners[40];
	struct work_counts counts;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		runners[i] = jobs_runner(work, &gate, 1, 60000);
		jobs_start(&runners[i]);
	}
	jobs_wait_depth(work, 38);
	work_counts(work, &counts);
	assert_int_equal(counts.busy, 2);
	atomic_store(&gate.open, true);
	for (unsigned i = 0; i < 40; i++) {
		jobs_join(&runners[i]);
		assert_int_equal(runners[i].outcome, WORK_DONE);
	}
	assert_int_equal(atomic_load(&gate.most), 2);
	work_free(work);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_job_alone_is_done_where_it_is),
		cmocka_unit_test(test_without_direct_all_is_done_by_workers),
		cmocka_unit_test(test_no_more_at_once_than_workers),
	};

	return cmocka_run_group_tests_name("work_direct", tests, NULL, NULL);
}
