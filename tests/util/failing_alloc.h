/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * failing_alloc - allocations that fail when a test says so
 *
 * A test linked with libfailing.a and FAILING_ALLOC_LDFLAGS runs what it tests
 * again and again, each time with the next allocation failing, until one run
 * needs no more than it gets.
 */
#ifndef FAILING_ALLOC_H
#define FAILING_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* The allocation after the next COUNT fails, and all that follow it. */
void failing_alloc_after(size_t count);
/* The allocation after the next COUNT fails, and no other. */
void failing_alloc_once(size_t count);
/* None fails. */
void failing_alloc_never(void);
/* Whether one has failed since it was last said which are to fail. */
bool failing_alloc_failed(void);

#endif
