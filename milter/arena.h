/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena - many small pieces of memory that are freed together
 *
 * For what is built once and then never changes, such as a configuration. A
 * failure is sticky: the builder goes on with NULLs and asks once at the end.
 *
 * Threads: none of its own.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	bool failed; /* out of memory */
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena);
/* COUNT times SIZE zeroed octets, aligned for anything; NULL: out of memory. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *string);

#endif
