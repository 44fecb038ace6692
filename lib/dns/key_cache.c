/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_cache.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "lru.h"
#include "monotonic.h"

enum {
	MAX_NAME = 253,
	MAX_ASKER = 16 /* octets */
};

enum lookup_state {
	LOOKUP_IDLE,
	LOOKUP_WAITING,
	LOOKUP_DONE
};

struct lookup {
	struct key_lookups *owner;
	enum lookup_state state;
	struct key_answer answer;      /* with a reference of its own */
	struct entry *entry;	       /* while it waits */
	struct lookup *before, *after; /* that wait for the same entry */
};

/* What is known of a name or being asked. Guarded by the cache's mutex. One
 * reference is the table's, one that of the question under way. */
struct entry {
	struct key_cache *cache;
	unsigned refs;
	bool asking;
	bool closing; /* the cache ends: QUERY is taken back there */
	struct resolver_query *query; /* while asking; set by resolver_ask */
	struct entry *before, *after; /* among those being asked */
	struct lookup *waiters;
	struct key_answer answer;
	uint64_t expires_ns;
	size_t len;
	char name[]; /* lower case, NUL-ended */
};

struct key_cache {
	struct key_cache_settings settings;
	struct resolver *resolver;
	pthread_condattr_t monotonic;
	pthread_mutex_t mutex;
	pthread_cond_t none_asking;
	unsigned refs;
	struct lru *table;
	struct entry *asking;
	uint64_t hits, misses, joined;
};

struct key_lookups {
	struct key_cache *cache;
	pthread_cond_t all_done;
	size_t waiting;
	size_t count;
	char asker[MAX_ASKER];
	size_t asker_len;
	struct lookup lookups[];
};

static struct bytes
key_of(const struct entry *entry)
{
	return bytes_of(entry->name, entry->len);
}

/* Under the mutex, as all down to note_answer(). */
static void
unref_entry(struct entry *entry)
{
	if (--entry->refs > 0)
		return;
	if (entry->answer.value != NULL)
		entry->cache->settings.unref(entry->answer.value);
	free(entry);
}

static void
release_entry(void *value)
{
	unref_entry(value);
}

static void
begin_asking(struct entry *entry)
{
	struct key_cache *cache = entry->cache;

	entry->asking = true;
	entry->after = cache->asking;
	if (entry->after != NULL)
		entry->after->before = entry;
	cache->asking = entry;
}

static void
end_asking(struct entry *entry)
{
	struct key_cache *cache = entry->cache;

	entry->asking = false;
	*(entry->before != NULL ? &entry->before->after : &cache->asking) =
	    entry->after;
	if (entry->after != NULL)
		entry->after->before = entry->before;
	if (cache->asking == NULL)
		pthread_cond_signal(&cache->none_asking);
	unref_entry(entry);
}

static void
begin_waiting(struct lookup *lookup, struct entry *entry)
{
	lookup->state = LOOKUP_WAITING;
	lookup->owner->waiting++;
	lookup->entry = entry;
	lookup->before = NULL;
	lookup->after = entry->waiters;
	if (lookup->after != NULL)
		lookup->after->before = lookup;
	entry->waiters = lookup;
}

static void
end_waiting(struct lookup *lookup)
{
	*(lookup->before != NULL ? &lookup->before->after
				 : &lookup->entry->waiters) = lookup->after;
	if (lookup->after != NULL)
		lookup->after->before = lookup->before;
	lookup->entry = NULL;
	if (--lookup->owner->waiting == 0)
		pthread_cond_signal(&lookup->owner->all_done);
}

static void
give(struct lookup *lookup, const struct key_answer *answer)
{
	lookup->state = LOOKUP_DONE;
	lookup->answer = *answer;
	if (answer->value != NULL)
		lookup->owner->cache->settings.ref(answer->value);
}

/* Keeps ENTRY, which now counts BYTES, unless the name was asked for anew
 * after the table had dropped it. */
static void
keep(struct entry *entry, size_t bytes)
{
	struct lru *table = entry->cache->table;
	struct entry *present = lru_get(table, key_of(entry));

	if (present != NULL && present != entry)
		return;
	entry->refs++;
	lru_put(table, key_of(entry), entry, sizeof(*entry) + bytes);
}

static void
note_answer(struct entry *entry, const struct key_answer *answer, size_t bytes,
    uint64_t ttl_ns)
{
	entry->answer = *answer;
	entry->expires_ns = monotonic_ns() + ttl_ns;
	while (entry->waiters != NULL) {
		struct lookup *lookup = entry->waiters;

		give(lookup, answer);
		end_waiting(lookup);
	}
	keep(entry, bytes);
	end_asking(entry);
}

static uint64_t
ttl_ns(const struct key_cache_settings *settings, enum resolver_answer answer,
    uint32_t ttl_s)
{
	if (ttl_s > settings->max_ttl_s)
		ttl_s = settings->max_ttl_s;
	if (ttl_s < settings->min_ttl_s)
		ttl_s = settings->min_ttl_s;
	if (answer == RESOLVER_NO_NAME && ttl_s > settings->negative_ttl_s)
		ttl_s = settings->negative_ttl_s;
	if (answer != RESOLVER_FOUND && answer != RESOLVER_NO_NAME)
		ttl_s = settings->failure_ttl_s;
	return (uint64_t)ttl_s * 1000000000u;
}

/* The resolver's callback, on its thread. */
static void
take_answer(void *ctx, const struct resolver_result *result)
{
	struct entry *entry = ctx;
	struct key_cache *cache = entry->cache;
	struct resolver *resolver = cache->resolver;
	struct resolver_query *query = entry->query;
	struct key_answer answer = { result->answer, result->security, NULL };
	uint64_t keep_ns =
	    ttl_ns(&cache->settings, result->answer, result->ttl_s);
	size_t bytes = 0;
	bool closing;

	if (cache->settings.answered != NULL)
		cache->settings.answered(cache->settings.answered_ctx,
		    result->answer, result->elapsed_ns);
	if (answer.answer == RESOLVER_FOUND) {
		answer.value = cache->settings.parse(cache->settings.ctx,
		    result->records, result->count, &bytes);
		if (answer.value == NULL) {
			answer.answer = RESOLVER_FAILED;
			keep_ns = 0;
		}
	}
	pthread_mutex_lock(&cache->mutex);
	closing = entry->closing;
	note_answer(entry, &answer, bytes, keep_ns);
	pthread_mutex_unlock(&cache->mutex);
	/* From here on the cache may be gone; the resolver is not before this
	 * callback has returned. */
	if (!closing)
		resolver_cancel(resolver, query);
}

struct key_cache *
key_cache_new(
    const struct key_cache_settings *settings, struct resolver *resolver)
{
	struct key_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	cache->settings = *settings;
	cache->table =
	    lru_new(settings->max_entries, settings->max_bytes, release_entry);
	if (cache->table == NULL) {
		free(cache);
		return NULL;
	}
	cache->resolver = resolver_ref(resolver);
	cache->refs = 1;
	pthread_condattr_init(&cache->monotonic);
	pthread_condattr_setclock(&cache->monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&cache->mutex, NULL);
	pthread_cond_init(&cache->none_asking, NULL);
	return cache;
}

struct key_cache *
key_cache_ref(struct key_cache *cache)
{
	pthread_mutex_lock(&cache->mutex);
	cache->refs++;
	pthread_mutex_unlock(&cache->mutex);
	return cache;
}

/* A question that is not to be closed yet, with a reference; NULL for none. */
static struct entry *
next_to_close(struct key_cache *cache)
{
	struct entry *entry = cache->asking;

	while (entry != NULL && entry->closing)
		entry = entry->after;
	if (entry != NULL) {
		entry->closing = true;
		entry->refs++;
	}
	return entry;
}

/* Takes back the questions under way, and waits for those whose answers are
 * just coming in. */
static void
close_questions(struct key_cache *cache)
{
	struct entry *entry;

	pthread_mutex_lock(&cache->mutex);
	while ((entry = next_to_close(cache)) != NULL) {
		bool cancelled;

		pthread_mutex_unlock(&cache->mutex);
		cancelled = resolver_cancel(cache->resolver, entry->query);
		pthread_mutex_lock(&cache->mutex);
		if (cancelled)
			end_asking(entry);
		unref_entry(entry);
	}
	while (cache->asking != NULL)
		pthread_cond_wait(&cache->none_asking, &cache->mutex);
	pthread_mutex_unlock(&cache->mutex);
}

void
key_cache_unref(struct key_cache *cache)
{
	bool last;

	if (cache == NULL)
		return;
	pthread_mutex_lock(&cache->mutex);
	last = --cache->refs == 0;
	pthread_mutex_unlock(&cache->mutex);
	if (!last)
		return;
	close_questions(cache);
	lru_free(cache->table);
	resolver_unref(cache->resolver);
	pthread_cond_destroy(&cache->none_asking);
	pthread_mutex_destroy(&cache->mutex);
	pthread_condattr_destroy(&cache->monotonic);
	free(cache);
}

void
key_cache_counts(struct key_cache *cache, struct key_cache_counts *out_r)
{
	pthread_mutex_lock(&cache->mutex);
	*out_r = (struct key_cache_counts){ .hits = cache->hits,
		.misses = cache->misses,
		.joined = cache->joined,
		.evictions = lru_evictions(cache->table),
		.entries = lru_entries(cache->table),
		.bytes = lru_bytes(cache->table) };
	pthread_mutex_unlock(&cache->mutex);
}

struct key_lookups *
key_lookups_new(struct key_cache *cache, size_t count)
{
	struct key_lookups *lookups =
	    calloc(1, sizeof(*lookups) + count * sizeof(lookups->lookups[0]));

	if (lookups == NULL)
		return NULL;
	lookups->cache = key_cache_ref(cache);
	lookups->count = count;
	pthread_cond_init(&lookups->all_done, &cache->monotonic);
	for (size_t i = 0; i < count; i++)
		lookups->lookups[i].owner = lookups;
	return lookups;
}

/* Ends each wait with RESOLVER_TIMEOUT; under the mutex. */
static void
give_up(struct key_lookups *lookups)
{
	static const struct key_answer late = { .answer = RESOLVER_TIMEOUT };

	for (size_t i = 0; i < lookups->count; i++) {
		struct lookup *lookup = &lookups->lookups[i];

		if (lookup->state != LOOKUP_WAITING)
			continue;
		give(lookup, &late);
		end_waiting(lookup);
	}
}

void
key_lookups_free(struct key_lookups *lookups)
{
	struct key_cache *cache;

	if (lookups == NULL)
		return;
	cache = lookups->cache;
	pthread_mutex_lock(&cache->mutex);
	give_up(lookups);
	for (size_t i = 0; i < lookups->count; i++)
		if (lookups->lookups[i].answer.value != NULL)
			cache->settings.unref(lookups->lookups[i].answer.value);
	pthread_mutex_unlock(&cache->mutex);
	pthread_cond_destroy(&lookups->all_done);
	free(lookups);
	key_cache_unref(cache);
}

/* An entry for a name that is to be asked for, in the table already, with the
 * question's reference. NULL: out of memory. Under the mutex. */
static struct entry *
make_entry(struct key_cache *cache, struct bytes name)
{
	struct entry *entry = calloc(1, sizeof(*entry) + name.len + 1);

	if (entry == NULL)
		return NULL;
	entry->cache = cache;
	entry->refs = 2;
	entry->len = name.len;
	memcpy(entry->name, name.data, name.len);
	begin_asking(entry);
	/* Where there is no room only the joining of later ones is lost. */
	lru_put(cache->table, key_of(entry), entry, sizeof(*entry));
	return entry;
}

/* Serves LOOKUP from the table, or makes it wait. Returns an entry that is to
 * be asked for, NULL for none. Under the mutex. */
static struct entry *
serve(struct key_cache *cache, struct lookup *lookup, struct bytes name)
{
	static const struct key_answer no_memory = { .answer =
							 RESOLVER_FAILED };
	struct entry *entry = lru_get(cache->table, name);

	if (entry != NULL && entry->asking) {
		cache->joined++;
		begin_waiting(lookup, entry);
		return NULL;
	}
	if (entry != NULL && entry->expires_ns > monotonic_ns()) {
		cache->hits++;
		give(lookup, &entry->answer);
		return NULL;
	}
	cache->misses++;
	entry = make_entry(cache, name);
	if (entry != NULL)
		begin_waiting(lookup, entry);
	else
		give(lookup, &no_memory);
	return entry;
}

/* ENTRY can't go: the caller's look-ups hold the cache, and the question's
 * reference is given back by the answer. */
static void
ask(const struct key_lookups *lookups, struct entry *entry)
{
	static const struct key_answer refused = { .answer = RESOLVER_FAILED };
	struct key_cache *cache = lookups->cache;
	const struct resolver_question question = { entry->name,
		bytes_of(lookups->asker, lookups->asker_len) };

	if (resolver_ask_for(
		cache->resolver, &question, take_answer, entry, &entry->query))
		return;
	pthread_mutex_lock(&cache->mutex);
	note_answer(entry, &refused, 0, 0);
	pthread_mutex_unlock(&cache->mutex);
}

void
key_lookups_set_asker(struct key_lookups *lookups, struct bytes asker)
{
	assert(asker.len <= sizeof(lookups->asker));
	memcpy(lookups->asker, asker.data, asker.len);
	lookups->asker_len = asker.len;
}

void
key_lookups_start(struct key_lookups *lookups, size_t i, const char *name)
{
	static const struct key_answer no_name = { .answer = RESOLVER_NO_NAME };
	struct key_cache *cache = lookups->cache;
	struct lookup *lookup = &lookups->lookups[i];
	char lower[MAX_NAME];
	size_t len = strlen(name);
	struct entry *entry;

	assert(i < lookups->count && lookup->state == LOOKUP_IDLE);
	if (len > MAX_NAME) {
		give(lookup, &no_name);
		return;
	}
	for (size_t k = 0; k < len; k++)
		lower[k] = ascii_lower(name[k]);
	pthread_mutex_lock(&cache->mutex);
	entry = serve(cache, lookup, bytes_of(lower, len));
	pthread_mutex_unlock(&cache->mutex);
	if (entry != NULL)
		ask(lookups, entry);
}

/* Under the mutex. */
static bool
wait_until(struct key_lookups *lookups, const struct timespec *end)
{
	while (lookups->waiting > 0 &&
	    pthread_cond_timedwait(
		&lookups->all_done, &lookups->cache->mutex, end) != ETIMEDOUT)
		;
	return lookups->waiting == 0;
}

bool
key_lookups_peek(struct key_lookups *lookups, const struct timespec *end)
{
	bool all;

	pthread_mutex_lock(&lookups->cache->mutex);
	all = wait_until(lookups, end);
	pthread_mutex_unlock(&lookups->cache->mutex);
	return all;
}

bool
key_lookups_wait(struct key_lookups *lookups, const struct timespec *deadline)
{
	struct key_cache *cache = lookups->cache;
	bool all;

	pthread_mutex_lock(&cache->mutex);
	all = wait_until(lookups, deadline);
	give_up(lookups);
	pthread_mutex_unlock(&cache->mutex);
	return all;
}

struct key_answer
key_lookups_get(const struct key_lookups *lookups, size_t i)
{
	assert(i < lookups->count && lookups->lookups[i].state == LOOKUP_DONE);
	return lookups->lookups[i].answer;
}
