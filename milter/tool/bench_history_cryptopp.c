/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table that came with Crypto++ 3.1, of a Celeron with 450 MHz: what was
 * done in 30 seconds. Of the original's figures those stand here that are
 * known: 1,086 signatures and 43,061 verifications with RSA-1024, MD5 and
 * SHA-1.
 */
#include <math.h>
#include <stdio.h>

#include "bench_history.h"

#define THEN_GHZ     0.45
#define THEN_SECONDS 30

enum {
	CIPHER_BYTES = 4096,
	DIGEST_BYTES = 4096
};

static const struct bench_column columns[] = {
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "operation", "operation", BENCH_TEXT },
	{ "bits", "bits", BENCH_BITS },
	BENCH_MEASURED_COLUMNS,
	{ "bytes_per_second", "throughput", BENCH_BYTES_PER_SECOND },
	{ "original_per_second", "then, a second", BENCH_PER_SECOND },
	{ "original_bytes_per_second", "then", BENCH_BYTES_PER_SECOND },
	{ "times_faster", "times faster", BENCH_RATIO },
	{ "times_faster_clock", "at the same clock", BENCH_RATIO },
	BENCH_NOTE_COLUMN,
};

struct row {
	const char *algorithm;
	const char *name; /* libcrypto's */
	const char *operation;
	unsigned bits;	 /* of a key; 0: none */
	size_t bytes;	 /* that one operation takes; 0: not so measured */
	double original; /* a second: operations, or octets; NAN: unknown */
	bench_operation *run;
};

static const struct row rsa[] = {
	{ "RSA", NULL, "encrypt", 512, 0, NAN, primitive_encrypt },
	{ "RSA", NULL, "decrypt", 512, 0, NAN, primitive_decrypt },
	{ "RSA", NULL, "sign", 512, 0, NAN, primitive_sign },
	{ "RSA", NULL, "verify", 512, 0, NAN, primitive_verify },
	{ "RSA", NULL, "encrypt", 1024, 0, NAN, primitive_encrypt },
	{ "RSA", NULL, "decrypt", 1024, 0, NAN, primitive_decrypt },
	{ "RSA", NULL, "sign", 1024, 0, 1086.0 / THEN_SECONDS, primitive_sign },
	{ "RSA", NULL, "verify", 1024, 0, 43061.0 / THEN_SECONDS,
	    primitive_verify },
	{ "RSA", NULL, "encrypt", 2048, 0, NAN, primitive_encrypt },
	{ "RSA", NULL, "decrypt", 2048, 0, NAN, primitive_decrypt },
	{ "RSA", NULL, "sign", 2048, 0, NAN, primitive_sign },
	{ "RSA", NULL, "verify", 2048, 0, NAN, primitive_verify },
};

static const struct row digests[] = {
	{ "MD5", "MD5", "digest", 0, DIGEST_BYTES, 57214356,
	    primitive_digest_run },
	{ "SHA-1", "SHA1", "digest", 0, DIGEST_BYTES, 25420024,
	    primitive_digest_run },
	{ "SHA-256", "SHA2-256", "digest", 0, DIGEST_BYTES, NAN,
	    primitive_digest_run },
	{ "RIPEMD-160", "RIPEMD160", "digest", 0, DIGEST_BYTES, NAN,
	    primitive_digest_run },
};

static const struct row ciphers[] = {
	{ "DES", "DES-CBC", "encrypt", 0, CIPHER_BYTES, NAN,
	    primitive_cipher_run },
	{ "3DES", "DES-EDE3-CBC", "encrypt", 0, CIPHER_BYTES, NAN,
	    primitive_cipher_run },
	{ "CAST5", "CAST5-CBC", "encrypt", 0, CIPHER_BYTES, NAN,
	    primitive_cipher_run },
	{ "Blowfish", "BF-CBC", "encrypt", 0, CIPHER_BYTES, NAN,
	    primitive_cipher_run },
	{ "IDEA", "IDEA-CBC", "encrypt", 0, CIPHER_BYTES, NAN,
	    primitive_cipher_run },
	{ "RC4", "RC4", "encrypt", 0, CIPHER_BYTES, NAN, primitive_cipher_run },
	{ "AES-128", "AES-128-CBC", "encrypt", 0, CIPHER_BYTES, NAN,
	    primitive_cipher_run },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
measure_row(struct bench *bench, struct bench_table *table,
    const struct row *row, void *ctx)
{
	struct bench_measured measured;
	double rate, times;
	char what[64];

	snprintf(what, sizeof(what), "Crypto++'s table: %s %s", row->algorithm,
	    row->operation);
	if (ctx == NULL || !bench_take(bench, what, row->run, ctx, &measured))
		return;
	rate = 1e9 / measured.mean_ns;
	if (row->bytes > 0)
		rate *= (double)row->bytes;
	times = rate / row->original;
	bench_table_text(table, "%s", row->algorithm);
	bench_table_text(table, "%s", row->operation);
	bench_table_number(table, row->bits > 0 ? (double)row->bits : NAN);
	bench_table_measured(bench, table, &measured);
	bench_table_number(table, row->bytes > 0 ? rate : NAN);
	bench_table_number(table, row->bytes > 0 ? NAN : row->original);
	bench_table_number(table, row->bytes > 0 ? row->original : NAN);
	bench_table_number(table, times);
	bench_table_number(table, times * THEN_GHZ / bench->machine.ghz);
	bench_table_text(table, "%s", measured.note);
}

void
bench_history_cryptopp(struct bench *bench)
{
	struct bench_table *table = bench_report_table(&bench->report,
	    "history_cryptopp", "Crypto++ 3.1 on a Celeron with 450 MHz",
	    columns, COUNT(columns));

	for (size_t i = 0; i < COUNT(rsa); i++)
		measure_row(
		    bench, table, &rsa[i], bench_key(bench, rsa[i].bits));
	for (size_t i = 0; i < COUNT(digests); i++) {
		struct primitive_digest *digest = primitive_digest_new(
		    bench->primitives, digests[i].name, digests[i].bytes);

		measure_row(bench, table, &digests[i], digest);
		primitive_digest_free(digest);
	}
	for (size_t i = 0; i < COUNT(ciphers); i++) {
		struct primitive_cipher *cipher = primitive_cipher_new(
		    bench->primitives, ciphers[i].name, true, ciphers[i].bytes);

		measure_row(bench, table, &ciphers[i], cipher);
		primitive_cipher_free(cipher);
	}
}
