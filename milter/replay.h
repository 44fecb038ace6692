/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay - how often the same signature comes in (RFC 6376 section 8.6)
 *
 * A signature stays good however often its message is sent again, to whomever.
 * This table counts, of each that passes, the messages and the recipients it
 * came with since a window of time began, which is when it first came in. One
 * that is over a threshold stays so until it has not come in for a window.
 *
 * It is keyed by the signature's octets (b=) and signing domain (d=), which no
 * one who sends a message again can change; what the signature does not cover
 * is no part of the key. Its entries are capped, and those not seen for longest
 * go first: only who signs that many other messages can make it forget one.
 *
 * Threads: any; one leaf mutex.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <stdint.h>

#include "bytes.h"

/* What is too often. A threshold of 0 is none. */
struct replay_rule {
	uint64_t window_ns;
	unsigned messages, recipients; /* thresholds: from there on */
};

/* How often a signature has come in within its window. */
struct replay_seen {
	uint32_t messages;   /* 0: could not be counted, out of memory */
	uint32_t recipients; /* of those messages together */
	bool too_often;
};

struct replay_counts {
	size_t entries;
	uint64_t evictions;
};

/* A signature as it comes in. */
struct replay_signature {
	struct bytes octets; /* of b= */
	struct bytes domain; /* d=, as it is written */
	unsigned recipients; /* of its message */
};

struct replay;

/* NULL: out of memory or of random numbers. Memory for entries is taken as
 * they come. */
struct replay *replay_new(size_t max_entries);
void replay_free(struct replay *replay);
/* Counts a message with SIGNATURE that comes in at NOW_NS, monotonic. */
struct replay_seen replay_count(struct replay *replay,
    const struct replay_rule *rule, const struct replay_signature *signature,
    uint64_t now_ns);
void replay_counts(struct replay *replay, struct replay_counts *counts_r);

#endif
