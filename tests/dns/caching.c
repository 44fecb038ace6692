/* SPDX-License-Identifier: BSD-2-Clause */
#include "caching.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "asking.h"
#include "monotonic.h"

/* ref and unref know no context. */
static atomic_uint live_values;

static void *
parse(void *ctx, const struct bytes *records, size_t count, size_t *bytes_r)
{
	struct parser *parser = ctx;
	struct value *value;

	assert_true(count > 0);
	if (atomic_load(&parser->out_of_memory))
		return NULL;
	value = calloc(1, sizeof(*value));
	assert_non_null(value);
	assert_true(records[0].len < sizeof(value->text));
	memcpy(value->text, records[0].data, records[0].len);
	atomic_init(&value->refs, 1);
	atomic_fetch_add(&parser->made, 1);
	atomic_fetch_add(&live_values, 1);
	*bytes_r = sizeof(*value);
	return value;
}

static void
ref(void *arg)
{
	struct value *value = arg;

	atomic_fetch_add(&value->refs, 1);
}

static void
unref(void *arg)
{
	struct value *value = arg;

	if (atomic_fetch_sub(&value->refs, 1) > 1)
		return;
	free(value);
	atomic_fetch_sub(&live_values, 1);
}

struct timespec
caching_in_ms(unsigned ms)
{
	uint64_t at_ns = monotonic_ns() + (uint64_t)ms * 1000000;

	return (struct timespec){ .tv_sec = (time_t)(at_ns / 1000000000),
		.tv_nsec = (long)(at_ns % 1000000000) };
}

struct key_cache_settings
caching_settings(struct parser *parser)
{
	return (struct key_cache_settings){ .max_entries = 10000,
		.max_bytes = 16 << 20,
		.min_ttl_s = 1,
		.max_ttl_s = 86400,
		.negative_ttl_s = 3600,
		.failure_ttl_s = 1,
		.parse = parse,
		.ref = ref,
		.unref = unref,
		.ctx = parser };
}

void
caching_begin(struct fixture *fixture,
    const struct key_cache_settings *settings, unsigned timeout_ms,
    unsigned max_pending)
{
	struct key_cache_settings with_parser = *settings;

	*fixture = (struct fixture){ 0 };
	atomic_store(&live_values, 0);
	fake_server_start(&fixture->server, 0);
	fixture->resolver = asking_resolver(
	    fixture->server.address, NULL, timeout_ms, max_pending);
	with_parser.ctx = &fixture->parser;
	fixture->cache = key_cache_new(&with_parser, fixture->resolver);
	assert_non_null(fixture->cache);
}

void
caching_begin_usual(struct fixture *fixture)
{
	struct key_cache_settings settings = caching_settings(NULL);

	caching_begin(fixture, &settings, 5000, 2000);
}

void
caching_end(struct fixture *fixture)
{
	key_cache_unref(fixture->cache);
	resolver_unref(fixture->resolver);
	fake_server_stop(&fixture->server);
	assert_int_equal(atomic_load(&live_values), 0);
}

struct key_lookups *
caching_start(struct key_cache *cache, const char *name)
{
	struct key_lookups *lookups = key_lookups_new(cache, 1);

	assert_non_null(lookups);
	key_lookups_start(lookups, 0, name);
	return lookups;
}

enum resolver_answer
caching_look_up(struct key_cache *cache, const char *name, char *text)
{
	struct key_lookups *lookups = caching_start(cache, name);
	struct timespec deadline = caching_in_ms(20000);
	struct key_answer answer;

	assert_true(key_lookups_wait(lookups, &deadline));
	answer = key_lookups_get(lookups, 0);
	if (answer.answer == RESOLVER_FOUND)
		assert_non_null(answer.value);
	else
		assert_null(answer.value);
	if (text != NULL && answer.value != NULL)
		strcpy(text, ((struct value *)answer.value)->text);
	key_lookups_free(lookups);
	return answer.answer;
}

unsigned
caching_live_values(void)
{
	return atomic_load(&live_values);
}
