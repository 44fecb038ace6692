/* SPDX-License-Identifier: BSD-2-Clause */
#include "body_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base64.h"
#include "canon_reference.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int
open_library(void **state)
{
	struct signpost *handle;

	if (signpost_new(&handle) != SIGNPOST_OK)
		return -1;
	*state = handle;
	return 0;
}

static int
close_library(void **state)
{
	signpost_free(*state);
	return 0;
}

static struct body_hash *
hash_of(struct signpost *handle)
{
	struct body_hash *hash;

	assert_int_equal(body_hash_new(handle, &hash), SIGNPOST_OK);
	return hash;
}

static size_t
want(struct body_hash *hash, enum signpost_canon canon,
    enum hash_algorithm algorithm, uint64_t limit)
{
	size_t slot;

	assert_int_equal(
	    body_hash_want(hash, canon, algorithm, limit, &slot), SIGNPOST_OK);
	return slot;
}

static void
expect_base64(const struct digest *digest, const char *text)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	base64_encode(digest->data, digest->len, &out);
	assert_string_equal(out.data, text);
	buf_fini(&out);
}

/* RFC 6376 sections 3.4.3 and 3.4.4 give the four values. (field: B8) */
static void
an_empty_body_has_the_hashes_of_the_rfc(void **state)
{
	static const struct {
		enum signpost_canon canon;
		enum hash_algorithm algorithm;
		uint64_t bytes;
		const char *digest;
	} rows[] = {
		{ SIGNPOST_SIMPLE, HASH_SHA256, 2,
		    "frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=" },
		{ SIGNPOST_RELAXED, HASH_SHA256, 0,
		    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" },
		{ SIGNPOST_SIMPLE, HASH_SHA1, 2,
		    "uoq1oCgLlTqpdDX/iUbLy7J1Wic=" },
		{ SIGNPOST_RELAXED, HASH_SHA1, 0,
		    "2jmj7l5rSw0yVb/vlWAYkK/YBwk=" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct body_hash *hash;
		const struct body_hash_result *got;
		size_t slot;

		if (!crypto_has_hash(*state, rows[i].algorithm))
			continue;
		hash = hash_of(*state);
		slot = want(
		    hash, rows[i].canon, rows[i].algorithm, BODY_HASH_NO_LIMIT);
		body_hash_update(hash, "", 0);
		assert_int_equal(body_hash_final(hash), SIGNPOST_OK);
		got = body_hash_get(hash, slot);
		expect_base64(&got->digest, rows[i].digest);
		assert_int_equal(got->hashed_bytes, rows[i].bytes);
		assert_int_equal(got->beyond_bytes, 0);
		body_hash_free(hash);
	}
}

static void
equal_requests_share_a_slot(void **state)
{
	struct body_hash *hash = hash_of(*state);
	size_t simple, relaxed, limited;

	assert_false(body_hash_wanted(hash));
	simple = want(hash, SIGNPOST_SIMPLE, HASH_SHA256, BODY_HASH_NO_LIMIT);
	relaxed = want(hash, SIGNPOST_RELAXED, HASH_SHA256, BODY_HASH_NO_LIMIT);
	limited = want(hash, SIGNPOST_RELAXED, HASH_SHA256, 0);
	assert_true(body_hash_wanted(hash));
	assert_true(simple != relaxed && relaxed != limited);
	assert_int_equal(
	    want(hash, SIGNPOST_SIMPLE, HASH_SHA256, BODY_HASH_NO_LIMIT),
	    simple);
	assert_int_equal(want(hash, SIGNPOST_RELAXED, HASH_SHA256, 0), limited);
	body_hash_free(hash);
	body_hash_free(NULL);
}

static void
digest_of(struct signpost *handle, struct bytes octets, struct digest *digest_r)
{
	struct hash *hash;

	assert_int_equal(hash_new(handle, HASH_SHA256, &hash), SIGNPOST_OK);
	hash_update(hash, octets.data, octets.len);
	assert_int_equal(hash_final(hash, digest_r), SIGNPOST_OK);
	hash_free(hash);
}

/* SLOT is the digest of the first LIMIT octets of the canonical form. */
static void
expect_slot(struct signpost *handle, const struct body_hash *hash, size_t slot,
    struct bytes canonical, uint64_t limit)
{
	const struct body_hash_result *got = body_hash_get(hash, slot);
	struct bytes within = canonical;
	struct digest digest;

	if (limit < within.len)
		within.len = (size_t)limit;
	digest_of(handle, within, &digest);
	assert_int_equal(got->hashed_bytes, within.len);
	assert_int_equal(got->beyond_bytes, canonical.len - within.len);
	assert_int_equal(got->digest.len, 32);
	assert_memory_equal(got->digest.data, digest.data, 32);
}

/* A body in which small and large canonical runs follow each other. */
static void
make_body(struct buf *body)
{
	for (unsigned i = 0; i < 300; i++) {
		for (unsigned k = 0; k < i * i % 1700; k++)
			buf_append_char(body, (char)('a' + k % 26));
		buf_append_str(body, i % 3 == 0 ? "  \r\n" : " \t \r\n\r\n");
	}
}

/* field: A24, B11 */
static void
every_request_has_its_own_hash_however_the_body_is_cut(void **state)
{
	static const uint64_t limits[] = { 0, 1, 1023, 1024, 1025, 99999,
		BODY_HASH_NO_LIMIT - 1, BODY_HASH_NO_LIMIT };
	static const size_t cuts[] = { 1, 2, 7, 100, 1000, 4096, 1000000 };
	struct buf body, canonical[2];

	buf_init(&body, SIZE_MAX);
	make_body(&body);
	for (int canon = 0; canon < 2; canon++) {
		buf_init(&canonical[canon], SIZE_MAX);
		reference_body((enum signpost_canon)canon, buf_bytes(&body),
		    &canonical[canon]);
	}
	for (size_t i = 0; i < COUNT(cuts); i++) {
		struct body_hash *hash = hash_of(*state);
		size_t slots[2 * COUNT(limits)];

		for (size_t k = 0; k < COUNT(slots); k++)
			slots[k] =
			    want(hash, k % 2, HASH_SHA256, limits[k / 2]);
		for (size_t at = 0; at < body.len; at += cuts[i])
			body_hash_update(hash, body.data + at,
			    body.len - at < cuts[i] ? body.len - at : cuts[i]);
		assert_int_equal(body_hash_final(hash), SIGNPOST_OK);
		for (size_t k = 0; k < COUNT(slots); k++)
			expect_slot(*state, hash, slots[k],
			    buf_bytes(&canonical[k % 2]), limits[k / 2]);
		body_hash_free(hash);
	}
	buf_fini(&body);
	buf_fini(&canonical[0]);
	buf_fini(&canonical[1]);
}

/* The limit counts canonical octets, the line end that was added included.
 * field: B10 */
static void
a_limit_may_end_within_the_line_end_that_is_added(void **state)
{
	for (uint64_t limit = 0; limit <= 8; limit++) {
		struct body_hash *hash = hash_of(*state);
		size_t slot = want(hash, SIGNPOST_RELAXED, HASH_SHA256, limit);

		body_hash_update(hash, "a \t b \t", 7);
		assert_int_equal(body_hash_final(hash), SIGNPOST_OK);
		expect_slot(*state, hash, slot, bytes_of("a b\r\n", 5), limit);
		body_hash_free(hash);
	}
}

static void
nothing_wanted_costs_nothing_and_fails_nothing(void **state)
{
	struct body_hash *hash = hash_of(*state);

	body_hash_update(hash, "hello\r\n", 7);
	assert_int_equal(body_hash_final(hash), SIGNPOST_OK);
	assert_false(body_hash_wanted(hash));
	body_hash_free(hash);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_body_has_the_hashes_of_the_rfc),
		cmocka_unit_test(equal_requests_share_a_slot),
		cmocka_unit_test(
		    every_request_has_its_own_hash_however_the_body_is_cut),
		cmocka_unit_test(
		    a_limit_may_end_within_the_line_end_that_is_added),
		cmocka_unit_test(
		    nothing_wanted_costs_nothing_and_fails_nothing),
	};

	return cmocka_run_group_tests(tests, open_library, close_library);
}
