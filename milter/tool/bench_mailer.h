/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_mailer - signs and verifies one message over and over with the library
 *
 * As the daemon does it: keys parsed before, headers and body pushed, the body
 * in pieces of at most 64 kB. Each operation is also there without its
 * public-key work, so that the rest, hashing above all, can be told apart.
 */
#ifndef BENCH_MAILER_H
#define BENCH_MAILER_H

#include "bench_message.h"

struct bench_mailer;

/* Signs once, so that there is something to verify. PEM is the private key.
 * The rest is borrowed. NULL where any of it failed. */
struct bench_mailer *bench_mailer_new(struct signpost *handle, const char *pem,
    const struct bench_message *message, enum signpost_canon header_canon,
    enum signpost_canon body_canon);
void bench_mailer_free(struct bench_mailer *mailer);

/* Operations (bench_sample.h); the context is the mailer. Verifying fails
 * where the signature does not pass. */
bool bench_mailer_sign(void *mailer);
bool bench_mailer_verify(void *mailer);
bool bench_mailer_hash_to_sign(void *mailer);
bool bench_mailer_hash_to_verify(void *mailer);

#endif
