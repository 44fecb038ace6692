/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_load.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench_sample.h"
#include "command.h"

enum {
	STACK_BYTES = 256 * 1024,
	TICK_NS = 50 * 1000 * 1000
};

/* One connection's thread. */
struct runner {
	struct load *load;
	pthread_t thread;
	struct bench_client *client;
	struct bench_client_counts counts;
};

/* Threads: NEXT, DONE and STOPPED are for all; CODE and ERROR are written by
 * whoever sets STOPPED first; each message's figures by whoever took it. */
struct load {
	const struct bench_load_settings *settings;
	struct bench_load_result *result;
	struct runner *runners;
	unsigned opened, started;
	double start_ns;
	atomic_size_t next, done;
	atomic_bool stopped;
	int code;
	char *error;
	/* The gate that opens once all are warm. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned ready; /* warm, or given up */
	unsigned ended;
	bool is_open;
};

static void
stop(struct load *load, int code, const char *error)
{
	if (atomic_exchange(&load->stopped, true))
		return;
	load->code = code;
	snprintf(load->error, BENCH_CLIENT_ERROR_SIZE, "%s", error);
}

static void
send_one(struct runner *runner, size_t number, struct bench_client_counts *to)
{
	const struct bench_load_settings *settings = runner->load->settings;
	char error[BENCH_CLIENT_ERROR_SIZE];
	int code = bench_client_message(runner->client,
	    settings->messages[number % settings->message_count],
	    settings->expect, to, error);

	if (code != 0)
		stop(runner->load, code, error);
}

static void
pass_gate(struct load *load)
{
	pthread_mutex_lock(&load->lock);
	load->ready++;
	pthread_cond_broadcast(&load->changed);
	while (!load->is_open)
		pthread_cond_wait(&load->changed, &load->lock);
	pthread_mutex_unlock(&load->lock);
}

static void *
run(void *ctx)
{
	struct runner *runner = ctx;
	struct load *load = runner->load;
	struct bench_client_counts ignored = { 0 };
	size_t number;

	for (unsigned i = 0;
	     i < load->settings->warm_ups && !atomic_load(&load->stopped); i++)
		send_one(runner, i, &ignored);
	pass_gate(load);
	while (!atomic_load(&load->stopped) &&
	    (number = atomic_fetch_add(&load->next, 1)) <
		load->settings->total) {
		double start = bench_wall_ns(), end;

		send_one(runner, number, &runner->counts);
		end = bench_wall_ns();
		load->result->latency_ns[number] = end - start;
		load->result->ended_ns[number] = end - load->start_ns;
		atomic_fetch_add(&load->done, 1);
	}
	pthread_mutex_lock(&load->lock);
	load->ended++;
	pthread_cond_broadcast(&load->changed);
	pthread_mutex_unlock(&load->lock);
	return NULL;
}

static void
look(const struct load *load, struct bench_process *process_r)
{
	if (load->result->pid == 0 ||
	    !bench_process_look(load->result->pid, process_r))
		*process_r = (struct bench_process){ 0 };
}

/* The soft limit is for programs that cannot do with many descriptors. */
static void
allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Opens the connections one after the other: which one fails is of no
 * interest, why is. */
static int
open_connections(struct load *load)
{
	const struct bench_load_settings *settings = load->settings;

	allow_descriptors();
	load->result->pid = settings->pid;
	look(load, &load->result->before);
	for (unsigned i = 0; i < settings->connections; i++) {
		struct runner *runner = &load->runners[i];
		int code;

		runner->load = load;
		load->opened++;
		code =
		    bench_client_open(&settings->endpoint, settings->timeout_ms,
			&settings->host, &runner->client, load->error);
		if (code != 0)
			return code;
		if (load->result->pid == 0) {
			load->result->pid = bench_client_peer(runner->client);
			look(load, &load->result->before);
		}
	}
	return 0;
}

static void
start_threads(struct load *load)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	while (load->started < load->opened) {
		struct runner *runner = &load->runners[load->started];

		if (pthread_create(&runner->thread, &attributes, run, runner) !=
		    0) {
			stop(load, EX_OSERR, "no more threads can be made");
			break;
		}
		load->started++;
	}
	pthread_attr_destroy(&attributes);
}

/* Waits for a change or the next tick; the lock is held. */
static void
wait_tick(struct load *load)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += TICK_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&load->changed, &load->lock, &until);
}

/* Looks at the milter while the threads work. */
static void
watch(struct load *load)
{
	struct bench_load_result *result = load->result;

	pthread_mutex_lock(&load->lock);
	while (load->ended < load->started) {
		int64_t bytes;
		double next = bench_wall_ns() + TICK_NS;

		while (load->ended < load->started && bench_wall_ns() < next)
			wait_tick(load);
		pthread_mutex_unlock(&load->lock);
		bytes = bench_process_resident(&result->warm);
		if (bytes > result->most_bytes)
			result->most_bytes = bytes;
		if (load->settings->tick != NULL)
			load->settings->tick(
			    load->settings->ctx, atomic_load(&load->done));
		pthread_mutex_lock(&load->lock);
	}
	pthread_mutex_unlock(&load->lock);
}

static double
process_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* From the gate's opening to the last thread's end. */
static void
measure(struct load *load)
{
	struct bench_load_result *result = load->result;

	pthread_mutex_lock(&load->lock);
	while (load->ready < load->started)
		pthread_cond_wait(&load->changed, &load->lock);
	pthread_mutex_unlock(&load->lock);
	look(load, &result->warm);
	result->most_bytes = result->warm.resident_bytes;
	result->own_cpu_ns = process_cpu_ns();
	load->start_ns = bench_wall_ns();
	pthread_mutex_lock(&load->lock);
	load->is_open = true;
	pthread_cond_broadcast(&load->changed);
	pthread_mutex_unlock(&load->lock);
	watch(load);
	for (unsigned i = 0; i < load->started; i++)
		pthread_join(load->runners[i].thread, NULL);
	result->own_cpu_ns = process_cpu_ns() - result->own_cpu_ns;
	look(load, &result->after);
}

static void
add_counts(
    struct bench_client_counts *sum, const struct bench_client_counts *counts)
{
	for (size_t i = 0; i < BENCH_REPLIES; i++)
		sum->replies[i] += counts->replies[i];
	for (size_t i = 0; i < BENCH_CHANGES; i++)
		sum->changes[i] += counts->changes[i];
	sum->expected += counts->expected;
}

static void
collect(struct load *load)
{
	struct bench_load_result *result = load->result;

	for (unsigned i = 0; i < load->opened; i++)
		add_counts(&result->counts, &load->runners[i].counts);
	for (size_t i = 0; i < load->settings->total; i++)
		if (result->ended_ns[i] > result->wall_ns)
			result->wall_ns = result->ended_ns[i];
}

int
bench_load_run(const struct bench_load_settings *settings,
    struct bench_load_result *result_r, char error[BENCH_CLIENT_ERROR_SIZE])
{
	struct load load = { .settings = settings,
		.result = result_r,
		.error = error,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER };
	int code = EX_OSERR;

	memset(result_r, 0, sizeof(*result_r));
	snprintf(error, BENCH_CLIENT_ERROR_SIZE, "out of memory");
	result_r->latency_ns = calloc(settings->total, sizeof(double));
	result_r->ended_ns = calloc(settings->total, sizeof(double));
	load.runners = calloc(settings->connections, sizeof(*load.runners));
	if (result_r->latency_ns == NULL || result_r->ended_ns == NULL ||
	    load.runners == NULL)
		goto done;
	code = open_connections(&load);
	if (code != 0)
		goto done;
	start_threads(&load);
	measure(&load);
	code = load.code;
	if (code == 0)
		collect(&load);
done:
	for (unsigned i = 0; i < load.opened; i++)
		bench_client_close(load.runners[i].client);
	free(load.runners);
	return code;
}

void
bench_load_result_free(struct bench_load_result *result)
{
	free(result->latency_ns);
	free(result->ended_ns);
	result->latency_ns = result->ended_ns = NULL;
}
