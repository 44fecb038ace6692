/* SPDX-License-Identifier: BSD-2-Clause */
#include "failing_alloc.h"

#include <stdint.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);

static size_t left = SIZE_MAX;

void
failing_alloc_after(size_t count)
{
	left = count;
}

void
failing_alloc_never(void)
{
	left = SIZE_MAX;
}

static int
may_have(void)
{
	if (left == 0)
		return 0;
	if (left != SIZE_MAX)
		left--;
	return 1;
}

void *
__wrap_malloc(size_t size)
{
	return may_have() ? __real_malloc(size) : NULL;
}

void *
__wrap_calloc(size_t count, size_t size)
{
	return may_have() ? __real_calloc(count, size) : NULL;
}

void *
__wrap_realloc(void *old, size_t size)
{
	return may_have() ? __real_realloc(old, size) : NULL;
}

void *
__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return may_have() ? __real_reallocarray(old, count, size) : NULL;
}
