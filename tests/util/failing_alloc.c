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
static bool once, failed;

void
failing_alloc_after(size_t count)
{
	left = count;
	once = false;
	failed = false;
}

void
failing_alloc_once(size_t count)
{
	failing_alloc_after(count);
	once = true;
}

void
failing_alloc_never(void)
{
	left = SIZE_MAX;
}

bool
failing_alloc_failed(void)
{
	return failed;
}

static bool
may_have(void)
{
	if (left == SIZE_MAX)
		return true;
	if (left > 0) {
		left--;
		return true;
	}
	failed = true;
	if (once)
		left = SIZE_MAX;
	return false;
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
