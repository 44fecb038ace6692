/* SPDX-License-Identifier: BSD-2-Clause */
#include "publication.h"

#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "monotonic.h"

enum {
	/* A domain that only mail has named is forgotten after so long. */
	FORGET_MS = 7 * 86400 * 1000,
	/* Walks that a key may be missing from: folders may be being exchanged,
	 * and what is forgotten has to be seen anew. */
	FORGET_WALKS = 3,
	/* Between two look-ups that mail asks for, because nothing is known of
	 * the key that it has. */
	CHANGED_MS = 5000
};

struct publication {
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t woken;
	void *tree; /* of struct publication_entry, see tsearch(3) */
	struct publication_entry **entries; /* the same, in any order */
	size_t count, room;
	size_t by_mail;
	size_t cursor; /* where the next search for due ones begins */
	unsigned walk;
	bool wake;
	uint64_t cpu_ns;
};

static uint64_t
now_ms(void)
{
	return monotonic_ns() / 1000000;
}

static int
compare(const void *a_entry, const void *b_entry)
{
	const struct publication_entry *a = a_entry, *b = b_entry;
	int order = strcmp(a->domain, b->domain);

	if (order == 0)
		order = strcmp(a->selector, b->selector);
	return order != 0 ? order : strcmp(a->file, b->file);
}

void
publication_name(
    const char *domain, const char *selector, char *name_r, size_t size)
{
	snprintf(name_r, size, "%s._domainkey.%s", selector, domain);
}

struct publication *
publication_new(void)
{
	struct publication *publication = calloc(1, sizeof *publication);
	pthread_condattr_t attributes;

	if (publication == NULL)
		return NULL;
	pthread_mutex_init(&publication->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&publication->woken, &attributes);
	pthread_condattr_destroy(&attributes);
	return publication;
}

void
publication_free(struct publication *publication)
{
	if (publication == NULL)
		return;
	publication_clear(publication);
	free(publication->entries);
	pthread_cond_destroy(&publication->woken);
	pthread_mutex_destroy(&publication->mutex);
	free(publication);
}

static struct publication_entry *
find(struct publication *publication, const struct publication_key *key)
{
	struct publication_entry wanted = { .domain = key->domain,
		.selector = key->selector,
		.file = key->file };
	void *found = tfind(&wanted, &publication->tree, compare);

	return found != NULL ? *(struct publication_entry **)found : NULL;
}

/* An entry and its strings, in one piece. */
static struct publication_entry *
make_entry(const struct publication_key *key)
{
	size_t domain = strlen(key->domain) + 1;
	size_t selector = strlen(key->selector) + 1;
	size_t file = strlen(key->file) + 1;
	struct publication_entry *entry =
	    calloc(1, sizeof *entry + domain + selector + file);
	char *text;

	if (entry == NULL)
		return NULL;
	text = (char *)(entry + 1);
	entry->domain = memcpy(text, key->domain, domain);
	entry->selector = memcpy(text + domain, key->selector, selector);
	entry->file = memcpy(text + domain + selector, key->file, file);
	return entry;
}

static bool
make_room(struct publication *publication)
{
	size_t room = publication->room == 0 ? 64 : 2 * publication->room;
	struct publication_entry **entries;

	if (publication->count < publication->room)
		return true;
	entries = reallocarray(publication->entries, room, sizeof *entries);
	if (entries == NULL)
		return false;
	publication->entries = entries;
	publication->room = room;
	return true;
}

/* NULL: there are too many, or memory does not suffice; the key then waits
 * until it is noted again. */
static struct publication_entry *
add(struct publication *publication, const struct publication_key *key)
{
	struct publication_entry *entry;

	if (publication->count >= PUBLICATION_MAX || !make_room(publication))
		return NULL;
	entry = make_entry(key);
	if (entry == NULL ||
	    tsearch(entry, &publication->tree, compare) == NULL) {
		free(entry);
		return NULL;
	}
	publication->entries[publication->count++] = entry;
	return entry;
}

static void
wake(struct publication *publication)
{
	publication->wake = true;
	pthread_cond_signal(&publication->woken);
}

/* Has ENTRY looked up soon, for mail. */
static void
want(struct publication *publication, struct publication_entry *entry,
    uint64_t now)
{
	if (entry->wanted)
		return;
	entry->wanted = true;
	entry->wanted_ms = now;
	entry->due_ms = 0;
	wake(publication);
}

static struct publication_entry *
add_by_mail(struct publication *publication, const struct publication_key *key)
{
	struct publication_entry *entry;

	/* Room is made at the end of the next walk. */
	if (publication->by_mail >= PUBLICATION_MAX_BY_MAIL)
		return NULL;
	entry = add(publication, key);
	if (entry == NULL)
		return NULL;
	entry->by_mail = true;
	publication->by_mail++;
	return entry;
}

enum standing_state
publication_allows(
    struct publication *publication, const struct publication_key *key)
{
	enum standing_state state = STANDING_WAITING;
	struct publication_entry *entry;
	uint64_t now = now_ms();

	pthread_mutex_lock(&publication->mutex);
	entry = find(publication, key);
	if (entry == NULL)
		entry = add_by_mail(publication, key);
	if (entry == NULL)
		goto done;
	if (strcmp(entry->print, key->print) == 0)
		state = entry->standing.state;
	else if (entry->wanted_ms == 0 || now - entry->wanted_ms > CHANGED_MS)
		want(publication, entry, now);
	entry->used_ms = now;
done:
	pthread_mutex_unlock(&publication->mutex);
	return state;
}

void
publication_each(
    struct publication *publication, publication_visit *visit, void *ctx)
{
	pthread_mutex_lock(&publication->mutex);
	for (size_t i = 0; i < publication->count; i++)
		visit(ctx, publication->entries[i]);
	pthread_mutex_unlock(&publication->mutex);
}

void
publication_counts(
    struct publication *publication, uint64_t counts_r[STANDING_STATES])
{
	memset(counts_r, 0, STANDING_STATES * sizeof *counts_r);
	pthread_mutex_lock(&publication->mutex);
	for (size_t i = 0; i < publication->count; i++)
		counts_r[publication->entries[i]->standing.state]++;
	pthread_mutex_unlock(&publication->mutex);
}

uint64_t
publication_cpu_ns(struct publication *publication)
{
	uint64_t cpu_ns;

	pthread_mutex_lock(&publication->mutex);
	cpu_ns = publication->cpu_ns;
	pthread_mutex_unlock(&publication->mutex);
	return cpu_ns;
}

/*
 * The checker's.
 */
void
publication_set_cpu_ns(struct publication *publication, uint64_t cpu_ns)
{
	pthread_mutex_lock(&publication->mutex);
	publication->cpu_ns = cpu_ns;
	pthread_mutex_unlock(&publication->mutex);
}

void
publication_begin_walk(struct publication *publication)
{
	pthread_mutex_lock(&publication->mutex);
	publication->walk++;
	pthread_mutex_unlock(&publication->mutex);
}

void
publication_note(
    struct publication *publication, const struct publication_key *key)
{
	struct publication_entry *entry;

	pthread_mutex_lock(&publication->mutex);
	entry = find(publication, key);
	if (entry == NULL)
		entry = add(publication, key);
	if (entry != NULL) {
		publication->by_mail -= entry->by_mail;
		entry->by_mail = false;
		entry->walk = publication->walk;
	}
	pthread_mutex_unlock(&publication->mutex);
}

/* Where mail has named too many, those that are not published go: whoever makes
 * domains up has no records there. */
static bool
is_forgotten(const struct publication *publication,
    const struct publication_entry *entry, uint64_t now)
{
	if (!entry->by_mail)
		return publication->walk - entry->walk >= FORGET_WALKS;
	if (publication->by_mail >= PUBLICATION_MAX_BY_MAIL)
		return entry->standing.state != STANDING_PUBLISHED ||
		    now - entry->used_ms > FORGET_MS / 7;
	return now - entry->used_ms > FORGET_MS;
}

void
publication_end_walk(struct publication *publication)
{
	struct publication_entry *entry;
	uint64_t now = now_ms();
	size_t kept = 0, forgotten = 0;

	pthread_mutex_lock(&publication->mutex);
	for (size_t i = 0; i < publication->count; i++) {
		entry = publication->entries[i];
		if (!is_forgotten(publication, entry, now)) {
			publication->entries[kept++] = entry;
			continue;
		}
		forgotten += entry->by_mail;
		tdelete(entry, &publication->tree, compare);
		free(entry);
	}
	publication->by_mail -= forgotten;
	publication->count = kept;
	pthread_mutex_unlock(&publication->mutex);
}

void
publication_clear(struct publication *publication)
{
	pthread_mutex_lock(&publication->mutex);
	for (size_t i = 0; i < publication->count; i++) {
		tdelete(publication->entries[i], &publication->tree, compare);
		free(publication->entries[i]);
	}
	publication->count = publication->by_mail = 0;
	pthread_mutex_unlock(&publication->mutex);
}

void
publication_restore(struct publication *publication,
    const struct publication_key *key, enum standing_state state, bool by_mail)
{
	struct publication_entry *entry;

	pthread_mutex_lock(&publication->mutex);
	entry = find(publication, key);
	if (entry == NULL)
		entry = by_mail ? add_by_mail(publication, key)
				: add(publication, key);
	if (entry != NULL) {
		entry->used_ms = now_ms();
		entry->standing =
		    (struct standing){ .state = state, .known = true };
		snprintf(entry->print, sizeof entry->print, "%s", key->print);
	}
	pthread_mutex_unlock(&publication->mutex);
}

bool
publication_is_left(struct publication *publication, const char *domain)
{
	bool left = false;

	pthread_mutex_lock(&publication->mutex);
	for (size_t i = 0; i < publication->count && !left; i++)
		left = publication->entries[i]->standing.state ==
			STANDING_PUBLISHED &&
		    strcmp(publication->entries[i]->domain, domain) == 0;
	pthread_mutex_unlock(&publication->mutex);
	return left;
}

void
publication_hurry(struct publication *publication)
{
	struct publication_entry *entry;

	pthread_mutex_lock(&publication->mutex);
	for (size_t i = 0; i < publication->count; i++) {
		entry = publication->entries[i];
		if (entry->standing.state == STANDING_PUBLISHED &&
		    entry->standing.repeats == 0)
			continue;
		entry->due_ms = 0;
		entry->standing.repeats = 0;
	}
	wake(publication);
	pthread_mutex_unlock(&publication->mutex);
}

/* Appends up to MAX entries that are due to ENTRIES_R, going round once from
 * the cursor, so that each has its turn. */
static size_t
take(struct publication *publication, struct publication_entry **entries_r,
    size_t max, bool wanted, uint64_t now)
{
	struct publication_entry *entry;
	size_t taken = 0, steps;

	for (steps = 0; steps < publication->count && taken < max; steps++) {
		if (publication->cursor >= publication->count)
			publication->cursor = 0;
		entry = publication->entries[publication->cursor++];
		if (entry->due_ms > now || (wanted && !entry->wanted))
			continue;
		entry->wanted = false;
		entry->due_ms = UINT64_MAX; /* until it is told of */
		entries_r[taken++] = entry;
	}
	return taken;
}

size_t
publication_take_due(struct publication *publication,
    struct publication_entry **entries_r, size_t max, uint64_t *next_ms_r)
{
	uint64_t now = now_ms();
	size_t taken;

	*next_ms_r = UINT64_MAX;
	pthread_mutex_lock(&publication->mutex);
	taken = take(publication, entries_r, (max + 1) / 2, true, now);
	taken += take(publication, entries_r + taken, max - taken, false, now);
	for (size_t i = 0; i < publication->count; i++)
		if (publication->entries[i]->due_ms < *next_ms_r)
			*next_ms_r = publication->entries[i]->due_ms;
	pthread_mutex_unlock(&publication->mutex);
	return taken;
}

bool
publication_tell(struct publication *publication,
    struct publication_entry *entry, enum standing_check check,
    const char *print)
{
	bool changed, first;

	pthread_mutex_lock(&publication->mutex);
	if (print[0] != '\0' && strcmp(entry->print, print) != 0) {
		/* What was known is of a key that is there no more. */
		entry->standing = (struct standing){ 0 };
		snprintf(entry->print, sizeof entry->print, "%s", print);
	}
	first = !entry->standing.known;
	changed = standing_take(&entry->standing, check) ||
	    (first && entry->standing.known);
	if (changed)
		entry->changed_s = (int64_t)time(NULL);
	entry->last = check;
	entry->checked = true;
	pthread_mutex_unlock(&publication->mutex);
	return changed;
}

void
publication_set_due(struct publication *publication,
    struct publication_entry *entry, uint64_t delay_ms)
{
	pthread_mutex_lock(&publication->mutex);
	entry->due_ms = entry->wanted ? 0 : now_ms() + delay_ms;
	pthread_mutex_unlock(&publication->mutex);
}

void
publication_wait(struct publication *publication, uint64_t end_ms)
{
	struct timespec end = { (time_t)(end_ms / 1000),
		(long)(end_ms % 1000 * 1000000) };

	pthread_mutex_lock(&publication->mutex);
	while (!publication->wake &&
	    pthread_cond_timedwait(
		&publication->woken, &publication->mutex, &end) == 0)
		continue;
	publication->wake = false;
	pthread_mutex_unlock(&publication->mutex);
}

void
publication_wake(struct publication *publication)
{
	pthread_mutex_lock(&publication->mutex);
	wake(publication);
	pthread_mutex_unlock(&publication->mutex);
}
