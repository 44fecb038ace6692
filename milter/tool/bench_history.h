/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_history - the measurements of 1995 to 2014, made again
 *
 * Each set of rows is a module (bench_history_*.c) that measures in the
 * shape of the original and puts the original's figures beside its own, as
 * far as they are known. What is only a sample scaled up says so.
 */
#ifndef BENCH_HISTORY_H
#define BENCH_HISTORY_H

#include "bench.h"

typedef void bench_history_set(struct bench *bench);

bench_history_set bench_history_1995;
bench_history_set bench_history_2001;
bench_history_set bench_history_cryptopp;
bench_history_set bench_history_claims;
bench_history_set bench_history_2014;

/* Fills DATA with words in no order, which shrink as prose does. */
void bench_history_prose(char *data, size_t len);
/* As bench_take, with a pace of the original's shape; samples are as long as
 * the bench's pace has them. */
bool bench_history_take(struct bench *bench, const char *what,
    const struct bench_pace *shape, bench_operation *operation, void *ctx,
    struct bench_measured *measured_r);

#endif
