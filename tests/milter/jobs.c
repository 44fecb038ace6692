/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static struct timespec
in_ms(long ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += ms % 1000 * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return at;
}

uint64_t
jobs_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void
jobs_pause_ms(unsigned ms)
{
	usleep(ms * 1000);
}

struct work *
jobs_pool(unsigned threads, unsigned capacity)
{
	struct work *work;

	assert_true(work_new(threads, capacity, true, &work));
	return work;
}

void
jobs_pass_gate(void *ctx, size_t i)
{
	struct gate *gate = ctx;
	unsigned inside = atomic_fetch_add(&gate->inside, 1) + 1;
	unsigned most = atomic_load(&gate->most);

	(void)i;
	while (inside > most &&
	    !atomic_compare_exchange_weak(&gate->most, &most, inside))
		;
	while (!atomic_load(&gate->open))
		jobs_pause_ms(1);
	atomic_fetch_sub(&gate->inside, 1);
	atomic_fetch_add(&gate->passed, 1);
}

void *
jobs_run(void *arg)
{
	struct runner *runner = arg;
	struct work_job job = { runner->operation, runner->ctx, runner->count,
		runner->times };
	struct timespec deadline = in_ms(runner->timeout_ms);

	runner->outcome =
	    work_run(runner->work, &job, &deadline, &runner->wait_ns);
	return NULL;
}

void
jobs_start(struct runner *runner)
{
	assert_int_equal(
	    pthread_create(&runner->thread, NULL, jobs_run, runner), 0);
}

void
jobs_join(struct runner *runner)
{
	assert_int_equal(pthread_join(runner->thread, NULL), 0);
}

struct runner
jobs_runner(struct work *work, struct gate *gate, size_t count, long timeout_ms)
{
	return (struct runner){ .work = work,
		.operation = jobs_pass_gate,
		.ctx = gate,
		.count = count,
		.timeout_ms = timeout_ms };
}

void
jobs_wait_inside(struct gate *gate, unsigned inside)
{
	while (atomic_load(&gate->inside) != inside)
		jobs_pause_ms(1);
}

void
jobs_wait_depth(struct work *work, unsigned depth)
{
	struct work_counts counts;

	for (;;) {
		work_counts(work, &counts);
		if (counts.depth == depth)
			return;
		jobs_pause_ms(1);
	}
}

size_t
jobs_ran(const struct runner *runner)
{
	size_t ran = 0;

	for (size_t i = 0; i < runner->count; i++)
		ran += runner->times[i].ran;
	return ran;
}

void *
jobs_open_after_100_ms(void *arg)
{
	struct gate *gate = arg;

	jobs_pause_ms(100);
	atomic_store(&gate->open, true);
	return NULL;
}
