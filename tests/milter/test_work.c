/* SPDX-License-Identifier: BSD-2-Clause */
#include "work.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "jobs.h"

enum {
	THREADS = 200,
	JOBS_A_THREAD = 50,
	FIFO_JOBS = 20
};

static void
test_full_queue_is_busy_at_once(void **state)
{
	struct work *work = jobs_pool(1, 2);
	struct gate gate = { 0 };
	struct runner inside = jobs_runner(work, &gate, 1, 60000);
	struct runner waits[2] = { inside, inside };
	struct runner refused = inside;
	struct work_counts counts;

	(void)state;
	jobs_start(&inside);
	jobs_wait_inside(&gate, 1);
	for (unsigned i = 0; i < 2; i++) {
		jobs_start(&waits[i]);
		jobs_wait_depth(work, i + 1);
	}
	jobs_run(&refused);
	assert_int_equal(refused.outcome, WORK_BUSY);
	assert_false(refused.times[0].ran);
	assert_in_range(refused.wait_ns, 0, 1000000000);
	work_counts(work, &counts);
	assert_int_equal(counts.workers, 1);
	assert_int_equal(counts.busy, 1);
	assert_int_equal(counts.depth, 2);
	assert_int_equal(counts.capacity, 2);
	assert_int_equal(counts.overloads, 1);
	atomic_store(&gate.open, true);
	jobs_join(&inside);
	for (unsigned i = 0; i < 2; i++) {
		jobs_join(&waits[i]);
		assert_int_equal(waits[i].outcome, WORK_DONE);
		assert_true(waits[i].times[0].ran);
		assert_true(waits[i].times[0].queue_ns <= waits[i].wait_ns);
	}
	work_counts(work, &counts);
	assert_int_equal(counts.busy, 0);
	assert_int_equal(counts.depth, 0);
	assert_int_equal(atomic_load(&gate.passed), 3);
	work_free(work);
}

static void
test_operations_of_a_job_run_side_by_side(void **state)
{
	struct work *work = jobs_pool(4, 1);
	struct gate gate = { 0 };
	struct runner runner = jobs_runner(work, &gate, 6, 60000);

	(void)state;
	jobs_start(&runner);
	jobs_wait_inside(&gate, 4);
	atomic_store(&gate.open, true);
	jobs_join(&runner);
	assert_int_equal(runner.outcome, WORK_DONE);
	assert_int_equal(jobs_ran(&runner), 6);
	assert_int_equal(atomic_load(&gate.most), 4);
	work_free(work);
}

static void
mark(void *ctx, size_t i)
{
	atomic_uint *marks = ctx;

	atomic_fetch_add(&marks[i], 1);
}

static void
test_every_operation_runs_once(void **state)
{
	static const size_t rows[] = { 0, 1, 2, 63, WORK_MAX_OPERATIONS };
	struct work *work = jobs_pool(3, 1);

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		atomic_uint marks[WORK_MAX_OPERATIONS + 1] = { 0 };
		struct runner runner = { .work = work,
			.operation = mark,
			.ctx = marks,
			.count = rows[r],
			.timeout_ms = 60000 };

		jobs_run(&runner);
		assert_int_equal(runner.outcome, WORK_DONE);
		assert_int_equal(jobs_ran(&runner), rows[r]);
		for (size_t i = 0; i <= WORK_MAX_OPERATIONS; i++)
			assert_int_equal(
			    atomic_load(&marks[i]), i < rows[r] ? 1 : 0);
	}
	work_free(work);
}

/* One worker: the order in which operations begin is the queue's. */
struct turn {
	atomic_uint *next;
	unsigned got[2];
};

static void
take_turn(void *ctx, size_t i)
{
	struct turn *turn = ctx;

	turn->got[i] = atomic_fetch_add(turn->next, 1);
}

static void
test_jobs_are_served_in_order(void **state)
{
	struct work *work = jobs_pool(1, FIFO_JOBS);
	struct gate gate = { 0 };
	struct runner inside = jobs_runner(work, &gate, 1, 60000);
	struct runner runners[FIFO_JOBS];
	struct turn turns[FIFO_JOBS];
	atomic_uint next = 0;

	(void)state;
	jobs_start(&inside);
	jobs_wait_inside(&gate, 1);
	for (unsigned i = 0; i < FIFO_JOBS; i++) {
		turns[i] = (struct turn){ .next = &next };
		runners[i] = (struct runner){ .work = work,
			.operation = take_turn,
			.ctx = &turns[i],
			.count = 2,
			.timeout_ms = 60000 };
		jobs_start(&runners[i]);
		jobs_wait_depth(work, i + 1);
	}
	atomic_store(&gate.open, true);
	jobs_join(&inside);
	for (unsigned i = 0; i < FIFO_JOBS; i++) {
		jobs_join(&runners[i]);
		assert_int_equal(turns[i].got[0], i * 2);
		assert_int_equal(turns[i].got[1], i * 2 + 1);
	}
	work_free(work);
}

struct crowd {
	struct work *work;
	atomic_uint operations, done, busy, late;
};

static void
count_operation(void *ctx, size_t i)
{
	struct crowd *crowd = ctx;

	(void)i;
	atomic_fetch_add(&crowd->operations, 1);
}

static void *
crowd_member(void *arg)
{
	struct crowd *crowd = arg;

	for (unsigned i = 0; i < JOBS_A_THREAD; i++) {
		struct runner runner = { .work = crowd->work,
			.operation = count_operation,
			.ctx = crowd,
			.count = i % 4 + 1,
			.timeout_ms = i % 10 == 9 ? 0 : 60000 };

		jobs_run(&runner);
		atomic_fetch_add(runner.outcome == WORK_DONE ? &crowd->done
			: runner.outcome == WORK_BUSY	     ? &crowd->busy
							     : &crowd->late,
		    1);
		/* What the pool says it ran, it ran. */
		atomic_fetch_sub(
		    &crowd->operations, (unsigned)jobs_ran(&runner));
	}
	return NULL;
}

static void
test_200_threads_submit_at_once(void **state)
{
	static const unsigned capacities[] = { 8, THREADS };

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		struct crowd crowd = { .work = jobs_pool(3, capacities[c]) };
		struct work_counts counts;
		pthread_t threads[THREADS];

		for (unsigned i = 0; i < THREADS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL,
					     crowd_member, &crowd),
			    0);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		work_counts(crowd.work, &counts);
		assert_int_equal(atomic_load(&crowd.operations), 0);
		assert_int_equal(crowd.done + crowd.busy + crowd.late,
		    THREADS * JOBS_A_THREAD);
		assert_int_equal(counts.overloads, crowd.busy);
		assert_int_equal(counts.deadlines, crowd.late);
		assert_int_equal(counts.depth, 0);
		assert_int_equal(counts.busy, 0);
		assert_true(crowd.done > 0 && crowd.late > 0);
		/* Each thread has one job at a time. */
		if (capacities[c] == THREADS)
			assert_int_equal(crowd.busy, 0);
		work_free(crowd.work);
	}
}

static void
burn_20_ms(void *ctx, size_t i)
{
	struct timespec cpu;
	uint64_t end = 0;

	(void)ctx;
	(void)i;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
		if (end == 0)
			end = (uint64_t)cpu.tv_nsec + 20000000;
	} while ((uint64_t)cpu.tv_nsec < end && cpu.tv_sec == 0);
}

/* Two operations that begin once both are under way: one is on the thread that
 * runs the job, the other on a worker. */
struct pair {
	atomic_uint inside;
	void (*operation)(void *, size_t);
	char worker[16]; /* the name of the thread that is not RUNNER */
	pthread_t runner;
};

static void
do_both(void *ctx, size_t i)
{
	struct pair *pair = ctx;

	atomic_fetch_add(&pair->inside, 1);
	while (atomic_load(&pair->inside) < 2)
		jobs_pause_ms(1);
	pair->operation(pair, i);
}

static struct runner
run_pair(struct work *work, struct pair *pair)
{
	struct runner runner = { .work = work,
		.operation = do_both,
		.ctx = pair,
		.count = 2,
		.timeout_ms = 60000 };

	pair->runner = pthread_self();
	jobs_run(&runner);
	assert_int_equal(runner.outcome, WORK_DONE);
	return runner;
}

static void
test_cpu_time_is_that_of_the_operation(void **state)
{
	struct work *work = jobs_pool(2, 1);
	struct pair pair = { .operation = burn_20_ms };
	struct work_counts before, after;
	struct runner runner;

	(void)state;
	work_counts(work, &before);
	runner = run_pair(work, &pair);
	work_counts(work, &after);
	for (unsigned i = 0; i < 2; i++) {
		assert_in_range(runner.times[i].cpu_ns, 19000000, 60000000);
		assert_true(runner.wait_ns >= runner.times[i].cpu_ns);
	}
	/* The workers' own is that of the one that had half of it. */
	assert_in_range(after.cpu_ns - before.cpu_ns, 19000000, 80000000);
	work_free(work);
}

static void
look_at_thread(void *ctx, size_t i)
{
	struct pair *pair = ctx;
	sigset_t mask;

	(void)i;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (!pthread_equal(pthread_self(), pair->runner) &&
	    sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGHUP) == 1)
		pthread_getname_np(
		    pthread_self(), pair->worker, sizeof(pair->worker));
}

static void
test_workers_are_named_and_block_signals(void **state)
{
	struct work *work = jobs_pool(2, 1);
	struct pair pair = { .operation = look_at_thread };
	sigset_t mask;

	(void)state;
	run_pair(work, &pair);
	assert_string_equal(pair.worker, "signpost-work");
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	assert_int_equal(sigismember(&mask, SIGTERM), 0);
	work_free(work);
}

static void
test_free_while_idle(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++)
		work_free(jobs_pool(i % 5, 1));
	work_free(NULL);
}

static void
test_free_finishes_what_is_queued(void **state)
{
	struct work *work = jobs_pool(1, 8);
	struct gate gate = { 0 };
	struct runner runners[8];
	pthread_t opener;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		runners[i] = jobs_runner(work, &gate, 2, 60000);
		jobs_start(&runners[i]);
	}
	jobs_wait_depth(work, 8);
	assert_int_equal(
	    pthread_create(&opener, NULL, jobs_open_after_100_ms, &gate), 0);
	work_free(work);
	pthread_join(opener, NULL);
	for (unsigned i = 0; i < 8; i++) {
		jobs_join(&runners[i]);
		assert_int_equal(runners[i].outcome, WORK_DONE);
	}
	assert_int_equal(atomic_load(&gate.passed), 16);
}

static void
nothing(void *ctx, size_t i)
{
	(void)ctx;
	(void)i;
}

/* A bound against gross faults (a poll, a sleep): far above the real cost. */
static void
test_an_empty_job_costs_microseconds(void **state)
{
	enum {
		N = 2000
	};
	struct work *work = jobs_pool(0, 1);
	struct runner runner = { .work = work,
		.operation = nothing,
		.count = 1,
		.timeout_ms = 60000 };
	uint64_t begin = jobs_now_ns();

	(void)state;
	for (unsigned i = 0; i < N; i++)
		jobs_run(&runner);
	begin = (jobs_now_ns() - begin) / N;
	print_message("%u ns a job of one empty operation\n", (unsigned)begin);
	assert_in_range(begin, 0, 2000000);
	work_free(work);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_queue_is_busy_at_once),
		cmocka_unit_test(test_operations_of_a_job_run_side_by_side),
		cmocka_unit_test(test_every_operation_runs_once),
		cmocka_unit_test(test_jobs_are_served_in_order),
		cmocka_unit_test(test_200_threads_submit_at_once),
		cmocka_unit_test(test_cpu_time_is_that_of_the_operation),
		cmocka_unit_test(test_workers_are_named_and_block_signals),
		cmocka_unit_test(test_free_while_idle),
		cmocka_unit_test(test_free_finishes_what_is_queued),
		cmocka_unit_test(test_an_empty_job_costs_microseconds),
	};

	return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
