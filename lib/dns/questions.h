/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * questions - what a resolver has been asked and not yet answered
 *
 * Any thread adds a question; one thread, the resolver's, sends each one on,
 * answers it, and finishes it when the net has given it back. A question is
 * open until it is answered or cancelled, pending until it is finished: what
 * was answered "no answer in time" stays pending while libunbound, from which
 * nothing can be taken back, goes on with it.
 *
 * A question belongs to the resolver until question_finish, and to the caller
 * as well where he asked for it; it is freed when both have given it back.
 *
 * Threads: questions_add, questions_cancel and questions_counts from any, the
 * rest on the resolver's. One leaf mutex, not held during a callback.
 */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include <pthread.h>

#include "resolver.h"

enum {
	QUESTIONS_MAX_NAME = 253,
	QUESTIONS_SHARES = 4096
};

struct questions {
	pthread_mutex_t mutex;
	struct resolver_query *first, *last; /* open ones as they were asked */
	struct resolver_query *unsent;	     /* the first of them not sent */
	struct resolver_counts counts;
	uint64_t timeout_ns;
	unsigned max_pending;
	unsigned max_pending_each; /* 0: as many as there may be in all */
	uint64_t seed;
	/* Pending ones by their askers' hash: whoever has the same hash has one
	 * share together with the other. */
	unsigned shares[QUESTIONS_SHARES];
};

struct resolver_query {
	struct questions *questions;
	struct resolver *resolver;
	resolver_callback *callback;
	void *ctx;
	uint64_t asked_ns;
	struct resolver_query *before, *after; /* among the open ones */
	bool open, sent;
	unsigned refs;			   /* the resolver's and the caller's */
	unsigned *share;		   /* NULL: nobody's */
	char name[QUESTIONS_MAX_NAME + 1]; /* empty where it was too long */
};

/* False where the system has no random numbers; to be finished all the same. */
bool questions_init(
    struct questions *questions, const struct resolver_settings *settings);
void questions_fini(struct questions *questions);
/* Adds QUERY's copy, for QUERY_R too where that is not NULL. False: out of
 * memory, over max_pending, or over the share of QUESTION's asker. WAKE_R:
 * whether the resolver's thread has to be woken for it. */
bool questions_add(struct questions *questions,
    const struct resolver_query *query,
    const struct resolver_question *question, struct resolver_query **query_r,
    bool *wake_r);
/* Gives back the caller's reference; whether the question was open. */
bool questions_cancel(
    struct questions *questions, struct resolver_query *query);
/* The next question to be sent, NULL for none. */
struct resolver_query *questions_next_unsent(struct questions *questions);
/* An open question that was sent and is late at NOW_NS, NULL for none. */
struct resolver_query *questions_next_late(
    struct questions *questions, uint64_t now_ns);
/* When the next question will be late; UINT64_MAX for none. */
uint64_t questions_late_ns(struct questions *questions);
/* Any open question, NULL for none. */
struct resolver_query *questions_first(struct questions *questions);
void questions_counts(
    struct questions *questions, struct resolver_counts *out_r);
void questions_add_dropped(struct questions *questions, size_t records);
/* Calls back with RESULT, its elapsed time filled in, if QUERY is open. */
void question_answer(
    struct resolver_query *query, struct resolver_result *result);
/* The same, and gives back the resolver's reference: the net has given back
 * the question, which is not pending any more when the callback comes. */
void question_finish(
    struct resolver_query *query, struct resolver_result *result);

#endif
