/* SPDX-License-Identifier: BSD-2-Clause */
#include "body_hash.h"
#include "headers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "failing_alloc.h"

static void
count_visit(void *ctx, size_t field)
{
	(void)field;
	++*(size_t *)ctx;
}

/* 200 fields of as many names; what could be added can be found. */
static enum signpost_status
fill_headers(struct signpost_headers *headers)
{
	struct bytes name = bytes_str("H7");
	enum signpost_status status = SIGNPOST_OK;
	size_t taken = 0;

	for (int i = 0; i < 200 && status == SIGNPOST_OK; i++) {
		char text[16];

		snprintf(text, sizeof text, "h%d", i);
		status = signpost_headers_add(
		    headers, text, strlen(text), " some\n text", 11);
		assert_int_equal(
		    headers_count(headers), i + (status == SIGNPOST_OK));
	}
	if (status != SIGNPOST_OK) {
		assert_true(headers_count(headers) <= 7 ||
		    headers_find_last(headers, name, SIZE_MAX) == 7);
		return status;
	}
	status = headers_select(headers, &name, 1, count_visit, &taken);
	assert_int_equal(taken, status == SIGNPOST_OK);
	return status;
}

static void
headers_without_memory_say_so_and_stay_whole(void **state)
{
	enum signpost_status status = SIGNPOST_NOMEM;
	size_t tries = 0;

	(void)state;
	for (; status != SIGNPOST_OK; tries++) {
		struct signpost_headers *headers;

		failing_alloc_after(tries);
		status = signpost_headers_new(100000, &headers);
		if (status == SIGNPOST_OK)
			status = fill_headers(headers);
		signpost_headers_free(headers);
		failing_alloc_never();
		if (status != SIGNPOST_OK)
			assert_int_equal(status, SIGNPOST_NOMEM);
	}
	assert_true(tries > 8);
}

static enum signpost_status
hash_something(struct body_hash *hash)
{
	enum signpost_status status = SIGNPOST_OK;
	size_t slot;

	for (uint64_t limit = 0; limit < 5 && status == SIGNPOST_OK; limit++)
		status = body_hash_want(
		    hash, SIGNPOST_RELAXED, HASH_SHA256, limit, &slot);
	if (status != SIGNPOST_OK)
		return status;
	body_hash_update(hash, "hello\r\n", 7);
	return body_hash_final(hash);
}

static void
body_hashes_without_memory_say_so(void **state)
{
	enum signpost_status status = SIGNPOST_NOMEM;
	struct signpost *handle;
	size_t tries = 0;

	(void)state;
	assert_int_equal(signpost_new(&handle), SIGNPOST_OK);
	for (; status != SIGNPOST_OK; tries++) {
		struct body_hash *hash;

		failing_alloc_after(tries);
		status = body_hash_new(handle, &hash);
		if (status == SIGNPOST_OK)
			status = hash_something(hash);
		body_hash_free(hash);
		failing_alloc_never();
		if (status != SIGNPOST_OK)
			assert_int_equal(status, SIGNPOST_NOMEM);
	}
	assert_true(tries > 5);
	signpost_free(handle);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_without_memory_say_so_and_stay_whole),
		cmocka_unit_test(body_hashes_without_memory_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
