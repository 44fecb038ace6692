/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * asking - a resolver for a test and what it answered, copied
 */
#ifndef ASKING_H
#define ASKING_H

#include <pthread.h>

#include "resolver.h"

struct asked {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	unsigned answers; /* how often the callback came */
	enum resolver_answer answer;
	enum resolver_security security;
	uint32_t ttl_s;
	size_t count;
	size_t len[RESOLVER_MAX_RECORDS];
	char first[RESOLVER_MAX_RECORD_BYTES + 1]; /* record, NUL-ended */
	char second[256];
	char why[256];
	uint64_t elapsed_ns;
	struct resolver_query *query;
};

/* One server, or none, and settings that suit a test; ANCHOR NULL: no DNSSEC.
 */
struct resolver *asking_resolver(const char *server, const char *anchor,
    unsigned timeout_ms, unsigned max_pending);
/* Asks and waits for the answer. */
void asking_ask(
    struct resolver *resolver, const char *name, struct asked *asked);
/* Only asks; whether it was accepted. */
bool asking_start(
    struct resolver *resolver, const char *name, struct asked *asked);
void asking_wait(struct asked *asked);
unsigned asking_open_files(void);

#endif
