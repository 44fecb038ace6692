/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GnuPG's ciphers, 2001: 3,363,088,179 bytes encrypted and decrypted with each,
 * for keys of 768 and 1024 bits and by passphrase alone.
 *
 * A cipher is run for a limited time and its time scaled up, unless --full
 * asks for every byte. What key or passphrase add, once, is measured for
 * itself and added. The hash of the mail path stands beside the ciphers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_history.h"
#include "bench_message.h"
#include "body_hash.h"

#define TOTAL_BYTES 3363088179.0

enum {
	PIECE_BYTES = 65536,
	PASSPHRASE_BYTES = 65536, /* that GnuPG hashes of it */
	WAYS = 3
};

static const struct bench_column columns[] = {
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "operation", "operation", BENCH_TEXT },
	{ "key", "key", BENCH_TEXT },
	{ "bytes", "bytes", BENCH_COUNT },
	{ "measured_bytes", "measured", BENCH_COUNT },
	{ "samples", "samples", BENCH_COUNT },
	{ "cpu_ns", "CPU time", BENCH_NS },
	{ "cpu_error_ns", "error 99.9 %", BENCH_NS },
	{ "wall_ns", "wall", BENCH_NS },
	{ "bytes_per_second", "throughput", BENCH_BYTES_PER_SECOND },
	{ "scaled", "scaled", BENCH_TEXT },
	{ "original_ns", "2001", BENCH_NS },
	BENCH_NOTE_COLUMN,
};

static const struct {
	const char *label, *name;
} ciphers[] = {
	{ "3DES", "DES-EDE3-CFB" },
	{ "CAST5", "CAST5-CFB" },
	{ "Blowfish", "BF-CFB" },
	{ "AES-128", "AES-128-CFB" },
	{ "AES-192", "AES-192-CFB" },
	{ "AES-256", "AES-256-CFB" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What is added once: [0] to encrypt, [1] to decrypt. */
struct way {
	const char *name;
	double ns[2]; /* NAN where it could not be had */
};

static double
take_ns(struct bench *bench, const char *what, bench_operation *operation,
    void *ctx)
{
	struct bench_measured measured;

	if (ctx == NULL || !bench_take(bench, what, operation, ctx, &measured))
		return NAN;
	return measured.mean_ns;
}

static void
measure_ways(struct bench *bench, struct way ways[WAYS])
{
	static const unsigned bits[] = { 768, 1024 };
	static const char *const names[] = { "RSA-768", "RSA-1024" };
	struct primitive_digest *digest =
	    primitive_digest_new(bench->primitives, "SHA1", PASSPHRASE_BYTES);

	for (size_t i = 0; i < 2; i++) {
		struct primitive_key *key = bench_key(bench, bits[i]);

		ways[i].name = names[i];
		ways[i].ns[0] =
		    take_ns(bench, "2001: session key", primitive_encrypt, key);
		ways[i].ns[1] =
		    take_ns(bench, "2001: session key", primitive_decrypt, key);
	}
	ways[2].name = "passphrase";
	ways[2].ns[0] =
	    take_ns(bench, "2001: passphrase", primitive_digest_run, digest);
	ways[2].ns[1] = ways[2].ns[0];
	primitive_digest_free(digest);
}

/* All of it: as one sample. */
static bool
measure_all(struct bench *bench, const char *what, bench_operation *operation,
    void *ctx, struct bench_measured *measured_r)
{
	uint64_t pieces = (uint64_t)ceil(TOTAL_BYTES / PIECE_BYTES);
	double wall = bench_wall_ns(), cpu = bench_cpu_ns();

	for (uint64_t i = 0; i < pieces; i++) {
		if (i % 1024 == 0)
			bench_progress(bench, "%s: %s, %.0f %%", bench->name,
			    what, 100.0 * (double)i / (double)pieces);
		if (!operation(ctx))
			return false;
	}
	cpu = (bench_cpu_ns() - cpu) / (double)pieces;
	wall = (bench_wall_ns() - wall) / (double)pieces;
	bench_summarize(&cpu, &wall, 1, measured_r);
	measured_r->operations = pieces;
	bench_count_noise(bench, measured_r);
	return true;
}

static bool
measure_pieces(struct bench *bench, const char *what,
    bench_operation *operation, void *ctx, struct bench_measured *measured_r)
{
	return bench->settings->full
	    ? measure_all(bench, what, operation, ctx, measured_r)
	    : bench_take(bench, what, operation, ctx, measured_r);
}

struct row {
	const char *algorithm, *operation, *key;
	double once_ns;
};

static void
add_row(struct bench *bench, struct bench_table *table, const struct row *row,
    const struct bench_measured *measured)
{
	double pieces = TOTAL_BYTES / PIECE_BYTES;
	double cpu_ns = measured->mean_ns * pieces + row->once_ns;

	bench_table_text(table, "%s", row->algorithm);
	bench_table_text(table, "%s", row->operation);
	bench_table_text(table, "%s", row->key);
	bench_table_number(table, TOTAL_BYTES);
	bench_table_number(table,
	    (double)measured->operations * (double)measured->samples *
		PIECE_BYTES);
	bench_table_number(table, (double)measured->samples);
	bench_table_number(table, cpu_ns);
	bench_table_number(table, measured->error_ns * pieces);
	bench_table_number(table, measured->wall_ns * pieces + row->once_ns);
	bench_table_number(table, TOTAL_BYTES * 1e9 / cpu_ns);
	bench_table_text(
	    table, "%s", bench->settings->full ? "no" : "scaled up");
	bench_table_empty(table);
	bench_table_text(table, "%s", measured->note);
}

static void
measure_cipher(struct bench *bench, struct bench_table *table, size_t i,
    bool encrypts, const struct way ways[WAYS])
{
	struct primitive_cipher *cipher = primitive_cipher_new(
	    bench->primitives, ciphers[i].name, encrypts, PIECE_BYTES);
	struct row row = { .algorithm = ciphers[i].label,
		.operation = encrypts ? "encrypt" : "decrypt" };
	struct bench_measured measured;
	char what[64];

	snprintf(
	    what, sizeof(what), "2001: %s %s", row.algorithm, row.operation);
	if (cipher != NULL &&
	    measure_pieces(
		bench, what, primitive_cipher_run, cipher, &measured)) {
		for (size_t w = 0; w < WAYS; w++) {
			row.key = ways[w].name;
			row.once_ns = ways[w].ns[encrypts ? 0 : 1];
			if (!isnan(row.once_ns))
				add_row(bench, table, &row, &measured);
		}
	}
	primitive_cipher_free(cipher);
}

struct body {
	struct body_hash *hash;
	char piece[PIECE_BYTES];
};

static bool
hash_piece(void *ctx)
{
	struct body *body = ctx;

	body_hash_update(body->hash, body->piece, PIECE_BYTES);
	return true;
}

static void
measure_hash(
    struct bench *bench, struct bench_table *table, enum signpost_canon canon)
{
	struct row row = { .algorithm = "SHA-256",
		.operation =
		    canon == SIGNPOST_SIMPLE ? "simple body" : "relaxed body",
		.key = "none" };
	struct body *body = calloc(1, sizeof(*body));
	struct bench_measured measured;
	size_t slot;

	if (body == NULL)
		return;
	bench_message_text(body->piece, PIECE_BYTES);
	if (body_hash_new(bench->handle, &body->hash) == SIGNPOST_OK &&
	    body_hash_want(body->hash, canon, HASH_SHA256, BODY_HASH_NO_LIMIT,
		&slot) == SIGNPOST_OK &&
	    measure_pieces(bench, "2001: the mail path's hash", hash_piece,
		body, &measured))
		add_row(bench, table, &row, &measured);
	body_hash_free(body->hash);
	free(body);
}

void
bench_history_2001(struct bench *bench)
{
	struct bench_table *table = bench_report_table(&bench->report,
	    "history_2001", "2001: 3,363,088,179 bytes through GnuPG's ciphers",
	    columns, COUNT(columns));
	struct way ways[WAYS];

	measure_ways(bench, ways);
	for (size_t i = 0; i < COUNT(ciphers); i++)
		for (size_t d = 0; d < 2; d++)
			measure_cipher(bench, table, i, d == 0, ways);
	measure_hash(bench, table, SIGNPOST_SIMPLE);
	measure_hash(bench, table, SIGNPOST_RELAXED);
	bench_report_remark(&bench->report,
	    "2001: libcrypto has no Twofish. The original's times are not at "
	    "hand, only its shape.%s",
	    bench->settings->full
		? ""
		: " Times are samples scaled up; --full runs every byte.");
}
