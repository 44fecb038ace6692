/* SPDX-License-Identifier: BSD-2-Clause */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_BYTES = 16384
};

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(max_align_t) char data[];
};

void
arena_init(struct arena *arena)
{
	*arena = (struct arena){ 0 };
}

void
arena_fini(struct arena *arena)
{
	struct arena_block *block, *next;

	for (block = arena->blocks; block != NULL; block = next) {
		next = block->next;
		free(block);
	}
	arena_init(arena);
}

/* Puts a block with room for BYTES in front. */
static struct arena_block *
add_block(struct arena *arena, size_t bytes)
{
	size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct arena_block *block = calloc(1, sizeof *block + size);

	if (block == NULL) {
		arena->failed = true;
		return NULL;
	}
	block->size = size;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

void *
arena_alloc(struct arena *arena, size_t count, size_t size)
{
	size_t align = _Alignof(max_align_t), bytes;
	struct arena_block *block = arena->blocks;
	void *piece;

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    bytes > SIZE_MAX / 2) {
		arena->failed = true;
		return NULL;
	}
	bytes = (bytes + align - 1) / align * align;
	if (block == NULL || block->size - block->used < bytes)
		block = add_block(arena, bytes);
	if (block == NULL)
		return NULL;
	piece = block->data + block->used;
	block->used += bytes;
	return piece;
}

char *
arena_strdup(struct arena *arena, const char *string)
{
	size_t size = strlen(string) + 1;
	char *copy = arena_alloc(arena, 1, size);

	if (copy != NULL)
		memcpy(copy, string, size);
	return copy;
}
