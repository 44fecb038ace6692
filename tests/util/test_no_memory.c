/* SPDX-License-Identifier: BSD-2-Clause */
#include "buf.h"
#include "lru.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_alloc.h"

static void
release(void *value)
{
	--*(int *)value;
}

/* Puts 100 values, so that the table grows; false where one failed. REFS counts
 * the references that the table holds. */
static bool
fill_table(struct lru *lru, int *refs)
{
	bool all = true;

	for (int i = 0; i < 100; i++) {
		char key[16];

		snprintf(key, sizeof key, "%d", i);
		++*refs;
		all = lru_put(lru, bytes_str(key), refs, 1) && all;
		assert_int_equal(lru_entries(lru), *refs);
	}
	return all;
}

static void
a_table_without_memory_releases_what_it_cannot_keep(void **state)
{
	bool all = false;
	size_t tries = 0;

	(void)state;
	for (; !all; tries++) {
		struct lru *lru;
		int refs = 0;

		failing_alloc_after(tries);
		lru = lru_new(1000, 1000000, release);
		if (lru != NULL)
			all = fill_table(lru, &refs);
		lru_free(lru);
		failing_alloc_never();
		assert_int_equal(refs, 0);
	}
	assert_true(tries > 100);
}

static void
a_buffer_without_memory_fails_and_stays_failed(void **state)
{
	bool failed = true;
	size_t tries = 0;

	(void)state;
	for (; failed; tries++) {
		struct buf buf;
		char *string;

		failing_alloc_after(tries);
		buf_init(&buf, SIZE_MAX);
		for (int i = 0; i < 1000; i++) {
			bool before = buf.failed;

			buf_printf(&buf, "%d ", i);
			assert_true(buf.failed >= before);
		}
		failed = buf.failed;
		string = buf_take_string(&buf);
		failing_alloc_never();
		assert_int_equal(string == NULL, failed);
		free(string);
	}
	assert_true(tries > 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_table_without_memory_releases_what_it_cannot_keep),
		cmocka_unit_test(
		    a_buffer_without_memory_fails_and_stays_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
