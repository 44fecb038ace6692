/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * caching - a key cache for a test, over a resolver, over a server
 */
#ifndef CACHING_H
#define CACHING_H

#include <stdatomic.h>

#include "fake_server.h"
#include "key_cache.h"

/* What the records at a name are made into here: the first one's text. */
struct value {
	atomic_uint refs;
	char text[64];
};

struct parser {
	atomic_uint made;
	atomic_bool out_of_memory;
};

struct fixture {
	struct fake_server server;
	struct parser parser;
	struct resolver *resolver;
	struct key_cache *cache;
};

struct timespec caching_in_ms(unsigned ms);
struct key_cache_settings caching_settings(struct parser *parser);
void caching_begin(struct fixture *fixture,
    const struct key_cache_settings *settings, unsigned timeout_ms,
    unsigned max_pending);
void caching_begin_usual(struct fixture *fixture);
/* Checks that no value is left. */
void caching_end(struct fixture *fixture);
struct key_lookups *caching_start(struct key_cache *cache, const char *name);
/* Looks NAME up; the text of its value into TEXT where that is not NULL. */
enum resolver_answer caching_look_up(
    struct key_cache *cache, const char *name, char *text);
unsigned caching_live_values(void);

#endif
