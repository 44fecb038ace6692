/* SPDX-License-Identifier: BSD-2-Clause */
#include "lru.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

/* A counted value; the last reference frees it, so that one too many or too
 * few is seen by the sanitizers, and by COUNT while the test holds one. */
struct value {
	int refs;
	int number;
};

static struct value *
value_new(int number)
{
	struct value *value = malloc(sizeof *value);

	assert_non_null(value);
	*value = (struct value){ .refs = 1, .number = number };
	return value;
}

static struct value *
value_ref(struct value *value)
{
	value->refs++;
	return value;
}

static void
value_unref(void *pointer)
{
	struct value *value = pointer;

	assert_true(value->refs > 0);
	if (--value->refs == 0)
		free(value);
}

static bool
put(struct lru *lru, const char *key, int number, size_t bytes)
{
	return lru_put(lru, bytes_str(key), value_new(number), bytes);
}

/* The number kept under KEY, -1 for none. */
static int
get(struct lru *lru, const char *key)
{
	const struct value *value = lru_get(lru, bytes_str(key));

	return value != NULL ? value->number : -1;
}

static void
what_was_used_longest_ago_goes_first(void **state)
{
	struct lru *lru = lru_new(3, SIZE_MAX, value_unref);

	(void)state;
	assert_non_null(lru);
	assert_true(put(lru, "a", 1, 0));
	assert_true(put(lru, "b", 2, 0));
	assert_true(put(lru, "c", 3, 0));
	assert_int_equal(get(lru, "a"), 1); /* now b is the oldest */
	assert_int_equal(lru_evictions(lru), 0);
	assert_true(put(lru, "d", 4, 0));
	assert_int_equal(get(lru, "b"), -1);
	assert_int_equal(lru_entries(lru), 3);
	assert_int_equal(lru_evictions(lru), 1);
	assert_int_equal(get(lru, "c"), 3);
	assert_int_equal(get(lru, "d"), 4); /* order: a, c, d */
	assert_true(put(lru, "e", 5, 0));
	assert_true(put(lru, "f", 6, 0));
	assert_int_equal(get(lru, "a"), -1);
	assert_int_equal(get(lru, "c"), -1);
	assert_int_equal(get(lru, "d"), 4);
	assert_int_equal(lru_evictions(lru), 3);
	lru_free(lru);
}

static void
replacing_counts_as_use(void **state)
{
	struct lru *lru = lru_new(2, SIZE_MAX, value_unref);

	(void)state;
	assert_true(put(lru, "a", 1, 10));
	assert_true(put(lru, "b", 2, 10));
	assert_true(put(lru, "a", 3, 20));
	assert_int_equal(lru_entries(lru), 2);
	assert_int_equal(lru_bytes(lru), 32);
	assert_int_equal(lru_evictions(lru), 0);
	assert_true(put(lru, "c", 4, 0));
	assert_int_equal(get(lru, "b"), -1);
	assert_int_equal(get(lru, "a"), 3);
	lru_free(lru);
}

static void
octets_are_capped_keys_included(void **state)
{
	struct lru *lru = lru_new(100, 100, value_unref);

	(void)state;
	assert_true(put(lru, "a", 1, 39));
	assert_true(put(lru, "b", 2, 39));
	assert_int_equal(lru_bytes(lru), 80);
	assert_true(put(lru, "c", 3, 19)); /* exactly full */
	assert_int_equal(lru_bytes(lru), 100);
	assert_int_equal(lru_evictions(lru), 0);
	assert_true(put(lru, "d", 4, 0));
	assert_int_equal(get(lru, "a"), -1);
	assert_int_equal(lru_bytes(lru), 61);
	assert_true(put(lru, "e", 5, 99)); /* pushes all others out */
	assert_int_equal(lru_entries(lru), 1);
	assert_int_equal(lru_bytes(lru), 100);
	assert_int_equal(get(lru, "e"), 5);
	assert_int_equal(lru_evictions(lru), 4);
	lru_free(lru);
}

static void
what_is_too_large_is_released_and_disturbs_only_its_own_key(void **state)
{
	struct lru *lru = lru_new(100, 100, value_unref);
	struct value *value = value_new(9);
	static const size_t sizes[] = { 100, 101, SIZE_MAX };

	(void)state;
	assert_true(put(lru, "a", 1, 1));
	assert_true(put(lru, "b", 2, 1));
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		assert_false(
		    lru_put(lru, bytes_str("a"), value_ref(value), sizes[i]));
		assert_int_equal(value->refs, 1);
	}
	assert_int_equal(get(lru, "a"), -1);
	assert_int_equal(get(lru, "b"), 2);
	assert_int_equal(lru_evictions(lru), 0);
	value_unref(value);
	lru_free(lru);
}

static void
each_reference_is_given_back_once(void **state)
{
	struct lru *lru = lru_new(2, SIZE_MAX, value_unref);
	struct value *value = value_new(1);

	(void)state;
	assert_true(lru_put(lru, bytes_str("a"), value_ref(value), 0));
	assert_true(lru_put(lru, bytes_str("a"), value_ref(value), 0));
	assert_true(lru_put(lru, bytes_str("b"), value_ref(value), 0));
	assert_int_equal(value->refs, 3);
	assert_true(lru_put(lru, bytes_str("c"), value_ref(value), 0));
	assert_int_equal(value->refs, 3);
	lru_remove(lru, bytes_str("c"));
	lru_remove(lru, bytes_str("c"));
	assert_int_equal(value->refs, 2);
	lru_clear(lru);
	assert_int_equal(value->refs, 1);
	assert_int_equal(lru_entries(lru), 0);
	assert_int_equal(lru_bytes(lru), 0);
	assert_true(lru_put(lru, bytes_str("d"), value_ref(value), 0));
	lru_free(lru);
	assert_int_equal(value->refs, 1);
	value_unref(value);
	lru_free(NULL);
}

static void
any_octets_are_a_key(void **state)
{
	struct lru *lru = lru_new(10, SIZE_MAX, value_unref);

	(void)state;
	assert_true(lru_put(lru, bytes_of(NULL, 0), value_new(1), 0));
	assert_true(lru_put(lru, bytes_of("\0", 1), value_new(2), 0));
	assert_true(lru_put(lru, bytes_of("a\0b", 3), value_new(3), 0));
	assert_true(lru_put(lru, bytes_of("a\0c", 3), value_new(4), 0));
	assert_true(lru_put(lru, bytes_of("A", 1), value_new(5), 0));
	assert_int_equal(get(lru, ""), 1);
	assert_int_equal(get(lru, "a"), -1);
	assert_int_equal(get(lru, "A"), 5);
	assert_int_equal(
	    ((struct value *)lru_get(lru, bytes_of("a\0b", 3)))->number, 3);
	lru_free(lru);
}

enum {
	KEYS = 300,
	MODEL_ENTRIES = 100,
	MODEL_BYTES = 2000
};

/* What the table should hold: an array in order of use, the oldest first. */
struct model {
	struct {
		int key;
		int number;
		size_t bytes;
	} entries[MODEL_ENTRIES + 1];
	size_t count;
	size_t bytes;
	uint64_t evictions;
};

/* The place of KEY, or the count. */
static size_t
model_find(const struct model *model, int key)
{
	size_t at = 0;

	while (at < model->count && model->entries[at].key != key)
		at++;
	return at;
}

static void
model_drop(struct model *model, size_t at)
{
	if (at == model->count)
		return;
	model->bytes -= model->entries[at].bytes;
	model->count--;
	memmove(&model->entries[at], &model->entries[at + 1],
	    (model->count - at) * sizeof model->entries[0]);
}

static void
model_add(struct model *model, int key, int number, size_t bytes)
{
	while (model->count == MODEL_ENTRIES ||
	    model->bytes + bytes > MODEL_BYTES) {
		model_drop(model, 0);
		model->evictions++;
	}
	model->entries[model->count].key = key;
	model->entries[model->count].number = number;
	model->entries[model->count++].bytes = bytes;
	model->bytes += bytes;
}

/* Gets KEY from both. */
static void
get_both(struct lru *lru, struct model *model, const char *name, int key)
{
	size_t at = model_find(model, key), bytes;
	int number;

	if (at == model->count) {
		assert_int_equal(get(lru, name), -1);
		return;
	}
	number = model->entries[at].number;
	bytes = model->entries[at].bytes;
	assert_int_equal(get(lru, name), number);
	model_drop(model, at);
	model_add(model, key, number, bytes);
}

static void
a_long_random_life_matches_a_plain_model(void **state)
{
	struct lru *lru = lru_new(MODEL_ENTRIES, MODEL_BYTES, value_unref);
	struct model model = { .count = 0 };
	uint64_t random = 1;

	(void)state;
	for (int turn = 0; turn < 200000; turn++) {
		char name[16];
		size_t bytes;
		int key, what;

		random = random * 6364136223846793005U + 1442695040888963407U;
		key = (int)(random >> 33) % KEYS;
		what = (int)(random >> 20 & 7);
		bytes = (size_t)(random >> 40 & 63);
		snprintf(name, sizeof name, "%04d", key);
		if (what < 4)
			get_both(lru, &model, name, key);
		else
			model_drop(&model, model_find(&model, key));
		if (what == 7)
			lru_remove(lru, bytes_str(name));
		if (what >= 4 && what < 7) {
			model_add(&model, key, turn, bytes + strlen(name));
			assert_true(put(lru, name, turn, bytes));
		}
		assert_int_equal(lru_entries(lru), model.count);
		assert_int_equal(lru_bytes(lru), model.bytes);
		assert_int_equal(lru_evictions(lru), model.evictions);
	}
	assert_true(model.evictions > 1000);
	lru_free(lru);
}

static void
a_hundred_thousand_entries_are_found_again(void **state)
{
	struct lru *lru = lru_new(100000, SIZE_MAX, value_unref);
	char name[16];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof name, "%d", i);
		assert_true(put(lru, name, i, 1));
	}
	assert_int_equal(lru_entries(lru), 100000);
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof name, "%d", i);
		assert_int_equal(get(lru, name), i);
	}
	lru_free(lru);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_used_longest_ago_goes_first),
		cmocka_unit_test(replacing_counts_as_use),
		cmocka_unit_test(octets_are_capped_keys_included),
		cmocka_unit_test(
		    what_is_too_large_is_released_and_disturbs_only_its_own_key),
		cmocka_unit_test(each_reference_is_given_back_once),
		cmocka_unit_test(any_octets_are_a_key),
		cmocka_unit_test(a_long_random_life_matches_a_plain_model),
		cmocka_unit_test(a_hundred_thousand_entries_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
