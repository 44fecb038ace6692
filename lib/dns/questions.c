/* SPDX-License-Identifier: BSD-2-Clause */
#include "questions.h"

#include <stdlib.h>

#include "keyhash.h"
#include "monotonic.h"

bool
questions_init(
    struct questions *questions, const struct resolver_settings *settings)
{
	*questions = (struct questions){
		.timeout_ns = (uint64_t)settings->timeout_ms * 1000000,
		.max_pending = settings->max_pending,
		.max_pending_each = settings->max_pending_each,
	};
	pthread_mutex_init(&questions->mutex, NULL);
	return keyhash_seed(&questions->seed);
}

void
questions_fini(struct questions *questions)
{
	pthread_mutex_destroy(&questions->mutex);
}

/* The functions down to drop() are called under the mutex. */

static void
append(struct questions *questions, struct resolver_query *query)
{
	query->asked_ns = monotonic_ns();
	query->before = questions->last;
	*(questions->last != NULL ? &questions->last->after
				  : &questions->first) = query;
	questions->last = query;
	if (questions->unsent == NULL)
		questions->unsent = query;
	questions->counts.asked++;
	questions->counts.pending++;
	if (query->share != NULL)
		++*query->share;
}

static void
take_off(struct questions *questions, const struct resolver_query *query)
{
	questions->counts.pending--;
	if (query->share != NULL)
		--*query->share;
}

static void
close_query(struct questions *questions, struct resolver_query *query)
{
	if (query == questions->unsent)
		questions->unsent = query->after;
	*(query->before != NULL ? &query->before->after : &questions->first) =
	    query->after;
	*(query->after != NULL ? &query->after->before : &questions->last) =
	    query->before;
	query->open = false;
}

static void
drop(struct resolver_query *query, unsigned refs)
{
	query->refs -= refs;
	if (query->refs == 0)
		free(query);
}

static unsigned *
share_of(struct questions *questions, struct bytes asker)
{
	if (asker.len == 0 || questions->max_pending_each == 0)
		return NULL;
	return &questions->shares[keyhash(questions->seed, asker) %
	    QUESTIONS_SHARES];
}

/* Whether there is room for QUERY; counts it where there is not. */
static bool
has_room(struct questions *questions, const struct resolver_query *query)
{
	if (questions->counts.pending >= questions->max_pending) {
		questions->counts.refused++;
		return false;
	}
	if (query->share != NULL &&
	    *query->share >= questions->max_pending_each) {
		questions->counts.refused_share++;
		return false;
	}
	return true;
}

bool
questions_add(struct questions *questions, const struct resolver_query *query,
    const struct resolver_question *question, struct resolver_query **query_r,
    bool *wake_r)
{
	struct resolver_query *copy = malloc(sizeof(*copy));
	bool accepted;

	if (copy == NULL)
		return false;
	*copy = *query;
	copy->questions = questions;
	copy->open = true;
	copy->refs = query_r != NULL ? 2 : 1;
	copy->share = share_of(questions, question->asker);
	if (strlen(question->name) < sizeof(copy->name))
		strcpy(copy->name, question->name);
	pthread_mutex_lock(&questions->mutex);
	accepted = has_room(questions, copy);
	*wake_r = accepted && questions->unsent == NULL;
	if (accepted) {
		append(questions, copy);
		/* Before the callback can come. */
		if (query_r != NULL)
			*query_r = copy;
	}
	pthread_mutex_unlock(&questions->mutex);
	if (!accepted)
		free(copy);
	return accepted;
}

bool
questions_cancel(struct questions *questions, struct resolver_query *query)
{
	unsigned refs = 1;
	bool open;

	pthread_mutex_lock(&questions->mutex);
	open = query->open;
	if (open) {
		close_query(questions, query);
		/* Nothing else will finish what was not sent. */
		if (!query->sent) {
			take_off(questions, query);
			refs++;
		}
	}
	drop(query, refs);
	pthread_mutex_unlock(&questions->mutex);
	return open;
}

struct resolver_query *
questions_next_unsent(struct questions *questions)
{
	struct resolver_query *query;

	pthread_mutex_lock(&questions->mutex);
	query = questions->unsent;
	if (query != NULL) {
		questions->unsent = query->after;
		query->sent = true;
	}
	pthread_mutex_unlock(&questions->mutex);
	return query;
}

/* All have the same timeout: what was asked first is late first. */
struct resolver_query *
questions_next_late(struct questions *questions, uint64_t now_ns)
{
	struct resolver_query *query;

	pthread_mutex_lock(&questions->mutex);
	query = questions->first;
	if (query != NULL &&
	    (!query->sent || query->asked_ns + questions->timeout_ns > now_ns))
		query = NULL;
	pthread_mutex_unlock(&questions->mutex);
	return query;
}

uint64_t
questions_late_ns(struct questions *questions)
{
	uint64_t late_ns = UINT64_MAX;

	pthread_mutex_lock(&questions->mutex);
	if (questions->first != NULL)
		late_ns = questions->first->asked_ns + questions->timeout_ns;
	pthread_mutex_unlock(&questions->mutex);
	return late_ns;
}

struct resolver_query *
questions_first(struct questions *questions)
{
	struct resolver_query *query;

	pthread_mutex_lock(&questions->mutex);
	query = questions->first;
	pthread_mutex_unlock(&questions->mutex);
	return query;
}

void
questions_counts(struct questions *questions, struct resolver_counts *out_r)
{
	pthread_mutex_lock(&questions->mutex);
	*out_r = questions->counts;
	pthread_mutex_unlock(&questions->mutex);
}

void
questions_add_dropped(struct questions *questions, size_t records)
{
	pthread_mutex_lock(&questions->mutex);
	questions->counts.dropped += records;
	pthread_mutex_unlock(&questions->mutex);
}

/* What a caller whose question was the last one in his way sees at once is
 * room for the next: pending goes down before the callback. */
static void
answer(struct resolver_query *query, struct resolver_result *result, bool last)
{
	struct questions *questions = query->questions;
	bool open;

	pthread_mutex_lock(&questions->mutex);
	open = query->open;
	if (open) {
		close_query(questions, query);
		questions->counts.answered[result->answer]++;
	}
	if (last)
		take_off(questions, query);
	pthread_mutex_unlock(&questions->mutex);
	if (!open)
		return;
	result->elapsed_ns = monotonic_ns() - query->asked_ns;
	query->callback(query->ctx, result);
}

void
question_answer(struct resolver_query *query, struct resolver_result *result)
{
	answer(query, result, false);
}

void
question_finish(struct resolver_query *query, struct resolver_result *result)
{
	struct questions *questions = query->questions;

	answer(query, result, true);
	pthread_mutex_lock(&questions->mutex);
	drop(query, 1);
	pthread_mutex_unlock(&questions->mutex);
}
