/* SPDX-License-Identifier: BSD-2-Clause */
#include "keyhash.h"

#include <unistd.h>

/* A Mersenne prime: the remainder takes a shift and an addition. */
#define PRIME ((UINT64_C(1) << 61) - 1)

bool
keyhash_seed(uint64_t *seed_r)
{
	uint64_t random;

	if (getentropy(&random, sizeof random) != 0)
		return false;
	*seed_r = random % (PRIME - 1) + 1;
	return true;
}

/* HASH times SEED plus DIGIT; all are under 2^61, and so is the result. */
static uint64_t
step(uint64_t hash, uint64_t seed, uint64_t digit)
{
	unsigned __int128 product = (unsigned __int128)hash * seed + digit;
	uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

	return (sum & PRIME) + (sum >> 61);
}

uint64_t
keyhash(uint64_t seed, struct bytes key)
{
	uint64_t hash = 1;

	for (size_t i = 0; i < key.len; i++)
		hash = step(hash, seed, (unsigned char)key.data[i]);
	return hash;
}

uint64_t
keyhash_nocase(uint64_t seed, struct bytes key)
{
	uint64_t hash = 1;

	for (size_t i = 0; i < key.len; i++)
		hash =
		    step(hash, seed, (unsigned char)ascii_lower(key.data[i]));
	return hash;
}
