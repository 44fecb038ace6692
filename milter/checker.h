/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checker - looks the records of our keys up, in the background
 *
 * One thread, which sleeps unless a configuration asks for published keys
 * (sign.require_published). It walks over the keys that there are when it
 * starts, after a reload and every key_store.ttl, and looks up those that are
 * due, published.max_rate in a second at most; publication.h keeps what is
 * found, and mail threads ask there. It has a resolver of its own, without a
 * cache: what is asked is what DNS says now. A change of state is logged, with
 * a limit; what is published is kept in published.file over a restart.
 *
 * Threads: its own, which is never ended.
 */
#ifndef CHECKER_H
#define CHECKER_H

#include "daemon.h"

enum {
	CHECKER_AT_ONCE = 64, /* questions under way */
	/* Descriptors that it has open at most. */
	CHECKER_MAX_FILES = CHECKER_AT_ONCE + RESOLVER_MAX_TCP + 16 + 4
};

/* Reads published.file and starts the thread; DAEMON must last as long as the
 * process, and have its first snapshot. False: out of memory or threads. */
bool checker_start(struct daemon *daemon);

#endif
