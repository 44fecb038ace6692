/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keyhash - hashes for tables whose keys a stranger chooses
 *
 * A polynomial over the octets, modulo a prime, at a secret point: whoever does
 * not know the point can't make keys that collide more often than chance. Two
 * keys of at most N octets share a table's slot with a probability of about N
 * in the number of slots, however they were chosen.
 */
#ifndef KEYHASH_H
#define KEYHASH_H

#include <stdint.h>

#include "bytes.h"

/* A secret point of the table's own. False where the system has no random
 * numbers. */
bool keyhash_seed(uint64_t *seed_r);
uint64_t keyhash(uint64_t seed, struct bytes key);
/* The same for keys that differ in the case of letters only. */
uint64_t keyhash_nocase(uint64_t seed, struct bytes key);

#endif
