/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RSA against DES in Java, 2014, measured with JMH: average time, 4 warm-ups,
 * 20 samples, error at 99.9 %. What was enciphered was a short greeting, here
 * a block or two; the size of its key is not told, so here are two.
 */
#include <stdio.h>

#include "bench_history.h"

enum {
	SHORT_BYTES = 16
};

static const struct bench_column columns[] = {
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "operation", "operation", BENCH_TEXT },
	{ "bits", "bits", BENCH_BITS },
	BENCH_MEASURED_COLUMNS,
	{ "original_ns", "2014", BENCH_NS },
	{ "times_faster", "times faster", BENCH_RATIO },
	BENCH_NOTE_COLUMN,
};

struct row {
	const char *algorithm, *operation;
	unsigned bits;
	bench_operation *run;
	double original_ns;
};

/* DES has the direction in its context. */
static const struct row rows[] = {
	{ "DES", "encrypt", 56, primitive_cipher_run, 731.335 },
	{ "DES", "decrypt", 56, primitive_cipher_run, 672.128 },
	{ "RSA", "public", 1024, primitive_encrypt, 203438.819 },
	{ "RSA", "private", 1024, primitive_decrypt, 6257593.175 },
	{ "RSA", "public", 2048, primitive_encrypt, 203438.819 },
	{ "RSA", "private", 2048, primitive_decrypt, 6257593.175 },
};

static void
measure_row(struct bench *bench, struct bench_table *table,
    const struct row *row, void *ctx)
{
	const struct bench_pace shape = { .warm_ups = 4, .samples = 20 };
	struct bench_measured measured;
	char what[64];

	snprintf(
	    what, sizeof(what), "2014: %s %s", row->algorithm, row->operation);
	if (ctx == NULL ||
	    !bench_history_take(bench, what, &shape, row->run, ctx, &measured))
		return;
	bench_table_text(table, "%s", row->algorithm);
	bench_table_text(table, "%s", row->operation);
	bench_table_number(table, row->bits);
	bench_table_measured(bench, table, &measured);
	bench_table_number(table, row->original_ns);
	bench_table_number(table, row->original_ns / measured.mean_ns);
	bench_table_text(table, "%s", measured.note);
}

void
bench_history_2014(struct bench *bench)
{
	struct bench_table *table = bench_report_table(&bench->report,
	    "history_2014", "2014: RSA against DES, average time", columns,
	    sizeof(columns) / sizeof(columns[0]));

	for (size_t i = 0; i < 2; i++) {
		struct primitive_cipher *cipher = primitive_cipher_new(
		    bench->primitives, "DES-CBC", i == 0, SHORT_BYTES);

		measure_row(bench, table, &rows[i], cipher);
		primitive_cipher_free(cipher);
	}
	for (size_t i = 2; i < sizeof(rows) / sizeof(rows[0]); i++)
		measure_row(
		    bench, table, &rows[i], bench_key(bench, rows[i].bits));
	bench_report_remark(&bench->report,
	    "2014: the size of the original's RSA key is not told; both rows "
	    "stand beside its one figure.");
}
