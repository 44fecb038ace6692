/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * standing - where a key stands, by what DNS has said of its record
 *
 * A state machine of facts: what a look-up came to goes in, a state and the
 * time until the next look-up come out. Only a key that is STANDING_PUBLISHED
 * may sign where sign.require_published is set.
 *
 *	the record is...         makes of any state
 *	that of the key          STANDING_PUBLISHED, at once
 *	that of another key      STANDING_DIFFERS, at once: what the key signs
 *	                         fails
 *	empty (p=)               STANDING_REVOKED, at once: the domain means it
 *	not there                STANDING_GONE of a published key, once
 *	                         STANDING_CONFIRM look-ups in a row have said so:
 *	                         a server that is behind, or is just being set
 *	                         up, must not stop mail from being signed. A
 *	                         revoked one is gone at once, one that differs
 *	                         waits again
 *	not to be had for now    what it was: a failure says nothing of the key
 *
 * Threads: pure functions.
 */
#ifndef STANDING_H
#define STANDING_H

#include <stdbool.h>
#include <stdint.h>

enum {
	STANDING_CONFIRM = 3
};

enum standing_state {
	STANDING_WAITING, /* its record has not been seen yet */
	STANDING_PUBLISHED,
	STANDING_GONE, /* was published, or revoked, and is no more */
	STANDING_REVOKED,
	STANDING_DIFFERS,
	STANDING_STATES
};

/* What a look-up came to. */
enum standing_check {
	CHECK_MATCHES,
	CHECK_DIFFERS,
	CHECK_REVOKED,
	CHECK_NO_RECORD,
	CHECK_FAILED, /* for now: no answer in time, server failure, bogus */
	CHECK_NO_KEY, /* there is no key to compare: its file can't be read */
	STANDING_CHECKS
};

/* Zeroed: a key that was never looked up. */
struct standing {
	enum standing_state state;
	bool known;	  /* DNS has said something of it */
	unsigned misses;  /* look-ups in a row that found no record */
	unsigned repeats; /* look-ups in a row that left it unwell */
};

/* Whether the state has changed. */
bool standing_take(struct standing *standing, enum standing_check check);
/* Milliseconds until the next look-up: INTERVAL_MS for a published key whose
 * last look-up found it so; else RETRY_MS, doubled each time up to
 * INTERVAL_MS, but not while a record is missed and that is to be confirmed.
 * RANDOM, any number, takes up to an eighth off, so that keys that came
 * together part. */
uint64_t standing_delay_ms(const struct standing *standing,
    uint64_t interval_ms, uint64_t retry_ms, uint32_t random);
/* "waiting", "published" ... */
const char *standing_token(enum standing_state state);
/* What that means, for people: behind "FILE: ". */
const char *standing_text(enum standing_state state);
/* "matches", "no_record" ... */
const char *standing_check_token(enum standing_check check);
/* The state so named; false where TOKEN names none. */
bool standing_read(const char *token, enum standing_state *state_r);

#endif
