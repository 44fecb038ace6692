/* SPDX-License-Identifier: BSD-2-Clause */
#include "keyhash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
equal_keys_have_equal_hashes(void **state)
{
	uint64_t seed;

	(void)state;
	assert_true(keyhash_seed(&seed));
	assert_int_equal(keyhash(seed, bytes_str("subject")),
	    keyhash(seed, bytes_of("subject!", 7)));
	assert_int_equal(keyhash_nocase(seed, bytes_str("Subject")),
	    keyhash_nocase(seed, bytes_str("sUBJECT")));
	assert_int_equal(keyhash_nocase(seed, bytes_str("SUBJECT")),
	    keyhash(seed, bytes_str("subject")));
}

static void
keys_that_differ_a_little_have_other_hashes(void **state)
{
	static const struct bytes keys[] = {
		{ "", 0 },
		{ "\0", 1 },
		{ "\0\0", 2 },
		{ "a", 1 },
		{ "a\0", 2 },
		{ "\0a", 2 },
		{ "A", 1 },
		{ "ab", 2 },
		{ "ba", 2 },
	};
	uint64_t seed;

	(void)state;
	assert_true(keyhash_seed(&seed));
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(
			    keyhash(seed, keys[i]) != keyhash(seed, keys[k]));
}

/* Straight from the definition, with 128-bit remainders. */
static uint64_t
plain_polynomial(uint64_t seed, struct bytes key)
{
	const unsigned __int128 prime = ((unsigned __int128)1 << 61) - 1;
	unsigned __int128 hash = 1;

	for (size_t i = 0; i < key.len; i++)
		hash = (hash * seed + (unsigned char)key.data[i]) % prime;
	return (uint64_t)hash;
}

static void
the_hash_is_the_polynomial_modulo_the_prime(void **state)
{
	char key[200];
	uint64_t seed;

	(void)state;
	for (size_t i = 0; i < sizeof key; i++)
		key[i] = (char)(255 - i);
	for (size_t len = 0; len <= sizeof key; len++) {
		struct bytes bytes = bytes_of(key, len);
		uint64_t prime = (UINT64_C(1) << 61) - 1;

		assert_true(keyhash_seed(&seed));
		assert_true(seed > 0 && seed < prime);
		assert_int_equal(keyhash(seed, bytes) % prime,
		    plain_polynomial(seed, bytes));
		assert_int_equal(keyhash(prime - 1, bytes) % prime,
		    plain_polynomial(prime - 1, bytes));
	}
}

/* 4096 keys that share all but a counter spread over 4096 slots about as balls
 * thrown at random do: the fullest holds 7 or so, never 40. */
static void
similar_keys_spread_over_a_table(void **state)
{
	unsigned char slots[4096] = { 0 };
	uint64_t seed;

	(void)state;
	assert_true(keyhash_seed(&seed));
	for (unsigned i = 0; i < 4096; i++) {
		char key[] = "s0000._domainkey.example.com";

		key[1] = (char)('0' + i / 512);
		key[2] = (char)('0' + i / 64 % 8);
		key[3] = (char)('0' + i / 8 % 8);
		key[4] = (char)('0' + i % 8);
		assert_true(++slots[keyhash(seed, bytes_str(key)) % 4096] < 40);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_have_equal_hashes),
		cmocka_unit_test(keys_that_differ_a_little_have_other_hashes),
		cmocka_unit_test(the_hash_is_the_polynomial_modulo_the_prime),
		cmocka_unit_test(similar_keys_spread_over_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
