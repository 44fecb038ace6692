/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * publication - which keys have their record in DNS, as far as is known
 *
 * What mail threads ask before they sign where sign.require_published is set;
 * they never wait for DNS. A key is known by domain, selector and file, and
 * what is known is of one key: where the file holds another one, that key
 * begins anew. A key that nobody knows of is noted when it is first asked for,
 * and so looked up soon.
 *
 * It outlives reloads, so that none of them forgets what was seen. Who looks
 * records up (checker.h) notes all keys again now and then, takes those that
 * are due, and tells what each look-up came to.
 *
 * Threads: one mutex, for a search in a tree or a walk over all entries.
 * publication_allows, publication_each, publication_counts, publication_cpu_ns
 * and publication_wake from any thread; all else, and the entries that it hands
 * out, from that of the checker alone, or before there are others.
 */
#ifndef PUBLICATION_H
#define PUBLICATION_H

#include "buf.h"
#include "key_print.h"
#include "standing.h"

enum {
	PUBLICATION_MAX = 2000000, /* keys that are kept in mind */
	/* Of these, that only mail has named: those for domains that an entry
	 * for many is for. */
	PUBLICATION_MAX_BY_MAIL = 10000
};

struct publication;

/* A key's place, and what it holds. */
struct publication_key {
	const char *domain, *selector, *file;
	const char *print; /* of the key there; see key_print.h */
};

struct publication_entry {
	const char *domain, *selector, *file; /* constant */
	struct standing standing;
	char print[KEY_PRINT_SIZE]; /* of whom STANDING is; "": nobody yet */
	enum standing_check last;   /* once it was CHECKED */
	uint64_t due_ms;	    /* monotonic */
	uint64_t used_ms;	    /* when mail last asked */
	uint64_t wanted_ms;	    /* and had it looked up for that */
	int64_t changed_s;	    /* since 1970; 0: no change yet */
	unsigned walk;		    /* that met it last */
	bool checked;
	bool by_mail; /* no walk has met it */
	bool wanted;  /* mail waits for it to be looked up */
};

/* NULL: out of memory. */
struct publication *publication_new(void);
void publication_free(struct publication *publication);
/* Where KEY stands: it may sign if that is STANDING_PUBLISHED. */
enum standing_state publication_allows(
    struct publication *publication, const struct publication_key *key);
/* Calls VISIT for every key, under the mutex. */
typedef void publication_visit(void *ctx, const struct publication_entry *key);
void publication_each(
    struct publication *publication, publication_visit *visit, void *ctx);
/* How many keys stand where. */
void publication_counts(
    struct publication *publication, uint64_t counts_r[STANDING_STATES]);
/* The DNS name of the record. */
void publication_name(
    const char *domain, const char *selector, char *name_r, size_t size);

/* CPU time that was spent on all of this, by the checker's threads. */
void publication_set_cpu_ns(struct publication *publication, uint64_t cpu_ns);
uint64_t publication_cpu_ns(struct publication *publication);

/* A walk over all keys there are: what several in a row did not note is
 * forgotten at the end of the last one, unless only mail knows of it and has
 * asked for it lately. */
void publication_begin_walk(struct publication *publication);
void publication_note(
    struct publication *publication, const struct publication_key *key);
void publication_end_walk(struct publication *publication);
/* Forgets all keys. */
void publication_clear(struct publication *publication);
/* What was known before, of KEY; BY_MAIL as in its entry. */
void publication_restore(struct publication *publication,
    const struct publication_key *key, enum standing_state state, bool by_mail);
/* Whether a key that signs for DOMAIN is published. */
bool publication_is_left(struct publication *publication, const char *domain);
/* Has all keys that are not well looked up now. */
void publication_hurry(struct publication *publication);
/* Up to MAX keys that are due, those first that mail waits for, but half of
 * them left to others; NEXT_MS_R is when the next will be. */
size_t publication_take_due(struct publication *publication,
    struct publication_entry **entries_r, size_t max, uint64_t *next_ms_r);
/* What the look-up of ENTRY came to for the key of PRINT ("": none was read).
 * Whether the state has changed, or is known for the first time. */
bool publication_tell(struct publication *publication,
    struct publication_entry *entry, enum standing_check check,
    const char *print);
/* The next look-up of ENTRY is due in DELAY_MS; owed after each. */
void publication_set_due(struct publication *publication,
    struct publication_entry *entry, uint64_t delay_ms);
/* Waits for END_MS (monotonic), for mail that asks for a key that is not known,
 * or for publication_wake, which also comes from other threads. */
void publication_wait(struct publication *publication, uint64_t end_ms);
void publication_wake(struct publication *publication);

#endif
