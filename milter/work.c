/* SPDX-License-Identifier: BSD-2-Clause */
#include "work.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	/* A job that has waited so long makes its thread a blocked one. */
	STUCK_NS = 200000000
};

/* A job while work_run waits for it, on that function's stack. Everything but
 * JOB is guarded by the pool's mutex. */
struct ticket {
	const struct work_job *job;
	struct ticket *before, *after; /* in the queue */
	uint64_t submitted_ns;
	size_t begun;	     /* operations given to workers */
	size_t running;	     /* of these, not ended */
	bool queued;	     /* some operation waits for a worker */
	pthread_cond_t done; /* neither queued nor running */
};

struct work {
	pthread_mutex_t mutex;
	pthread_condattr_t monotonic;
	pthread_cond_t wake; /* for workers: an operation, or the end */
	pthread_cond_t left; /* for work_free: no caller is inside */
	struct ticket *first, *last;
	unsigned depth, capacity; /* tickets in the queue */
	unsigned callers;	  /* threads inside work_run */
	unsigned idle;		  /* workers that wait */
	unsigned busy;		  /* threads inside an operation */
	bool direct, ending;
	void (*on_stuck)(void *ctx); /* NULL: nothing */
	void *ctx;
	uint64_t overloads, deadlines;
	unsigned count;
	pthread_t threads[];
};

static uint64_t
timespec_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec time;

	return clock_gettime(clock, &time) == 0 ? timespec_ns(&time) : 0;
}

static void
enqueue(struct work *work, struct ticket *ticket)
{
	ticket->before = work->last;
	ticket->after = NULL;
	*(work->last != NULL ? &work->last->after : &work->first) = ticket;
	work->last = ticket;
	ticket->queued = true;
	work->depth++;
}

static void
dequeue(struct work *work, struct ticket *ticket)
{
	*(ticket->before != NULL ? &ticket->before->after : &work->first) =
	    ticket->after;
	*(ticket->after != NULL ? &ticket->after->before : &work->last) =
	    ticket->before;
	ticket->queued = false;
	work->depth--;
}

/* Does operation I with the mutex let go. */
static void
run_operation(struct work *work, struct ticket *ticket, size_t i)
{
	const struct work_job *job = ticket->job;
	struct work_times *times = &job->times[i];
	uint64_t cpu_ns;

	pthread_mutex_unlock(&work->mutex);
	times->queue_ns = clock_ns(CLOCK_MONOTONIC) - ticket->submitted_ns;
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	job->operation(job->ctx, i);
	times->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	times->ran = true;
	pthread_mutex_lock(&work->mutex);
}

static bool
has_room(const struct work *work)
{
	return work->first != NULL && work->busy < work->count;
}

/* Does the next operation of the first ticket. */
static void
serve(struct work *work)
{
	struct ticket *ticket = work->first;
	size_t i = ticket->begun++;

	if (ticket->begun == ticket->job->count)
		dequeue(work, ticket);
	ticket->running++;
	work->busy++;
	run_operation(work, ticket, i);
	work->busy--;
	/* Signalled under the mutex: once the waiter has it, the ticket is
	 * gone. */
	if (--ticket->running == 0 && !ticket->queued)
		pthread_cond_signal(&ticket->done);
}

static void *
worker(void *arg)
{
	struct work *work = arg;

	pthread_setname_np(pthread_self(), "signpost-work");
	pthread_mutex_lock(&work->mutex);
	for (;;) {
		if (has_room(work)) {
			serve(work);
			continue;
		}
		if (work->ending && work->callers == 0)
			break;
		work->idle++;
		pthread_cond_wait(&work->wake, &work->mutex);
		work->idle--;
	}
	pthread_mutex_unlock(&work->mutex);
	return NULL;
}

static unsigned
processors(void)
{
	cpu_set_t set;
	long count;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	/* More processors than fit a cpu_set_t. */
	count = sysconf(_SC_NPROCESSORS_ONLN);
	return count > 0 ? (unsigned)count : 1;
}

static bool
start_workers(struct work *work, unsigned threads)
{
	sigset_t all, old;
	bool ok = true;

	/* Signals are the main thread's; a new thread inherits the mask. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (ok && work->count < threads) {
		ok = pthread_create(
			 &work->threads[work->count], NULL, worker, work) == 0;
		if (ok)
			work->count++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ok;
}

bool
work_new(unsigned threads, unsigned capacity, bool direct, struct work **work_r)
{
	struct work *work;

	assert(capacity > 0);
	*work_r = NULL;
	if (threads == 0)
		threads = processors();
	work = calloc(1, sizeof(*work) + threads * sizeof(work->threads[0]));
	if (work == NULL)
		return false;
	work->capacity = capacity;
	work->direct = direct;
	pthread_mutex_init(&work->mutex, NULL);
	pthread_condattr_init(&work->monotonic);
	pthread_condattr_setclock(&work->monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&work->wake, NULL);
	pthread_cond_init(&work->left, NULL);
	if (!start_workers(work, threads)) {
		work_free(work);
		return false;
	}
	*work_r = work;
	return true;
}

void
work_on_stuck(struct work *work, void (*call)(void *ctx), void *ctx)
{
	work->on_stuck = call;
	work->ctx = ctx;
}

void
work_free(struct work *work)
{
	if (work == NULL)
		return;
	pthread_mutex_lock(&work->mutex);
	work->ending = true;
	while (work->callers > 0)
		pthread_cond_wait(&work->left, &work->mutex);
	pthread_cond_broadcast(&work->wake);
	pthread_mutex_unlock(&work->mutex);
	for (unsigned i = 0; i < work->count; i++)
		pthread_join(work->threads[i], NULL);
	pthread_cond_destroy(&work->left);
	pthread_cond_destroy(&work->wake);
	pthread_condattr_destroy(&work->monotonic);
	pthread_mutex_destroy(&work->mutex);
	free(work);
}

static void
wake_workers(struct work *work, size_t count)
{
	size_t room = work->count - work->busy;

	if (count > room)
		count = room;
	if (count > work->idle)
		count = work->idle;
	while (count-- > 0)
		pthread_cond_signal(&work->wake);
}

/* Queues TICKET. Where nothing is before it and there is room, the calling
 * thread lends a hand, and wakes workers for what is beside its own operation
 * only: to hand one over costs as much as to verify a signature. */
static void
submit(struct work *work, struct ticket *ticket, uint64_t deadline_ns)
{
	bool is_next =
	    work->direct && work->first == NULL && work->busy < work->count;

	enqueue(work, ticket);
	wake_workers(work, ticket->job->count - (is_next ? 1 : 0));
	if (!is_next)
		return;
	do
		serve(work);
	while (work->first == ticket && has_room(work) &&
	    clock_ns(CLOCK_MONOTONIC) < deadline_ns);
	/* Whoever leaves room wakes one for it. */
	if (has_room(work))
		wake_workers(work, 1);
}

/* Whether all of TICKET has begun before TIME. */
static bool
begins_before(
    struct work *work, struct ticket *ticket, const struct timespec *time)
{
	while (ticket->queued && clock_ns(CLOCK_MONOTONIC) < timespec_ns(time))
		pthread_cond_timedwait(&ticket->done, &work->mutex, time);
	return !ticket->queued;
}

static void
tell_stuck(struct work *work)
{
	if (work->on_stuck == NULL)
		return;
	pthread_mutex_unlock(&work->mutex);
	work->on_stuck(work->ctx);
	pthread_mutex_lock(&work->mutex);
}

static enum work_outcome
wait_for(
    struct work *work, struct ticket *ticket, const struct timespec *deadline)
{
	uint64_t stuck_ns = ticket->submitted_ns + STUCK_NS;
	struct timespec stuck = { (time_t)(stuck_ns / 1000000000u),
		(long)(stuck_ns % 1000000000u) };
	enum work_outcome outcome = WORK_DONE;

	if (ticket->queued && stuck_ns < timespec_ns(deadline) &&
	    !begins_before(work, ticket, &stuck))
		tell_stuck(work);
	if (!begins_before(work, ticket, deadline))
		outcome = WORK_DEADLINE;
	if (ticket->queued) {
		dequeue(work, ticket);
		work->deadlines++;
	}
	while (ticket->running > 0)
		pthread_cond_wait(&ticket->done, &work->mutex);
	return outcome;
}

/* Under the mutex. */
static enum work_outcome
run(struct work *work, struct ticket *ticket, const struct timespec *deadline)
{
	if (work->depth == work->capacity) {
		work->overloads++;
		return WORK_BUSY;
	}
	if (ticket->submitted_ns >= timespec_ns(deadline)) {
		work->deadlines++;
		return WORK_DEADLINE;
	}
	submit(work, ticket, timespec_ns(deadline));
	return wait_for(work, ticket, deadline);
}

enum work_outcome
work_run(struct work *work, const struct work_job *job,
    const struct timespec *deadline, uint64_t *wait_ns_r)
{
	struct ticket ticket = { .job = job };
	enum work_outcome outcome = WORK_DONE;

	assert(job->count <= WORK_MAX_OPERATIONS);
	for (size_t i = 0; i < job->count; i++)
		job->times[i] = (struct work_times){ 0 };
	ticket.submitted_ns = clock_ns(CLOCK_MONOTONIC);
	if (job->count > 0) {
		pthread_cond_init(&ticket.done, &work->monotonic);
		pthread_mutex_lock(&work->mutex);
		assert(!work->ending);
		work->callers++;
		outcome = run(work, &ticket, deadline);
		if (--work->callers == 0 && work->ending)
			pthread_cond_signal(&work->left);
		pthread_mutex_unlock(&work->mutex);
		pthread_cond_destroy(&ticket.done);
	}
	*wait_ns_r = clock_ns(CLOCK_MONOTONIC) - ticket.submitted_ns;
	return outcome;
}

static uint64_t
thread_cpu_ns(pthread_t thread)
{
	clockid_t clock;

	return pthread_getcpuclockid(thread, &clock) == 0 ? clock_ns(clock) : 0;
}

void
work_counts(struct work *work, struct work_counts *out_r)
{
	*out_r = (struct work_counts){ .workers = work->count,
		.capacity = work->capacity };
	pthread_mutex_lock(&work->mutex);
	out_r->busy = work->busy;
	out_r->depth = work->depth;
	out_r->overloads = work->overloads;
	out_r->deadlines = work->deadlines;
	pthread_mutex_unlock(&work->mutex);
	for (unsigned i = 0; i < work->count; i++)
		out_r->cpu_ns += thread_cpu_ns(work->threads[i]);
}
