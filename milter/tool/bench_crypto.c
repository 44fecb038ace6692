/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost bench crypto - what libcrypto's algorithms cost. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

enum {
	OPERATIONS = 4,
	CIPHER_BYTES = 16384,
	SESSION_BYTES = 16,
	MAX_CIPHERS = 16,
	MAX_DIGESTS = 12,
	MAX_KEYS = 8
};

static const unsigned key_sizes[] = { 512, 1024, 2048, 3072, 4096,
	PRIMITIVE_ED25519 };

static const struct operation {
	const char *name;
	bench_operation *run;
	bool rsa_only;
} operations[OPERATIONS] = {
	{ "sign", primitive_sign, false },
	{ "verify", primitive_verify, false },
	{ "encrypt", primitive_encrypt, true },
	{ "decrypt", primitive_decrypt, true },
};

struct algorithm {
	const char *label; /* as it is known */
	const char *name;  /* to libcrypto */
};

static const struct algorithm digests[] = {
	{ "MD5", "MD5" },
	{ "SHA-1", "SHA1" },
	{ "SHA-256", "SHA2-256" },
	{ "SHA-512", "SHA2-512" },
	{ "SHA3-256", "SHA3-256" },
	{ "RIPEMD-160", "RIPEMD160" },
	{ "BLAKE2b", "BLAKE2B-512" },
};

static const size_t digest_bytes[] = { 64, 1024, 16384 };

static const struct algorithm ciphers[] = {
	{ "DES", "DES-CBC" },
	{ "3DES", "DES-EDE3-CBC" },
	{ "CAST5", "CAST5-CBC" },
	{ "Blowfish", "BF-CBC" },
	{ "IDEA", "IDEA-CBC" },
	{ "RC4", "RC4" },
	{ "AES-128", "AES-128-CBC" },
	{ "AES-192", "AES-192-CBC" },
	{ "AES-256", "AES-256-CBC" },
	{ "Camellia-128", "CAMELLIA-128-CBC" },
	{ "ChaCha20", "ChaCha20" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct bench_column key_columns[] = {
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "bits", "bits", BENCH_BITS },
	{ "operation", "operation", BENCH_TEXT },
	BENCH_MEASURED_COLUMNS,
	BENCH_NOTE_COLUMN,
};

static const struct bench_column asymmetry_columns[] = {
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "bits", "bits", BENCH_BITS },
	{ "sign_ns", "sign", BENCH_NS },
	{ "verify_ns", "verify", BENCH_NS },
	{ "sign_to_verify", "sign : verify", BENCH_RATIO },
	{ "sign_hash_bytes", "SHA-256 a sign", BENCH_BYTES },
	{ "verify_hash_bytes", "SHA-256 a verify", BENCH_BYTES },
};

static const struct bench_column digest_columns[] = {
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "input_bytes", "input", BENCH_BYTES },
	BENCH_MEASURED_COLUMNS,
	{ "bytes_per_second", "throughput", BENCH_BYTES_PER_SECOND },
	BENCH_NOTE_COLUMN,
};

static const struct bench_column cipher_columns[] = {
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "operation", "operation", BENCH_TEXT },
	{ "input_bytes", "input", BENCH_BYTES },
	BENCH_MEASURED_COLUMNS,
	{ "bytes_per_second", "throughput", BENCH_BYTES_PER_SECOND },
	BENCH_NOTE_COLUMN,
};

static const struct bench_column faster_columns[] = {
	{ "algorithm", "cipher", BENCH_TEXT },
	{ "rsa_bits", "than RSA", BENCH_BITS },
	{ "operation", "operation", BENCH_TEXT },
	{ "same_bytes", "for bytes", BENCH_BYTES },
	{ "times_faster", "times faster", BENCH_RATIO },
};

/* What the later tables are made of; NAN where it could not be had. */
struct found {
	double key_ns[MAX_KEYS][OPERATIONS];
	double cipher_ns[MAX_CIPHERS][2]; /* an octet: encrypt, decrypt */
	double hash_ns;			  /* an octet of SHA-256 */
};

static void
measure_key(struct bench *bench, struct bench_table *table, size_t k,
    struct found *found)
{
	unsigned bits = key_sizes[k];
	struct primitive_key *key = bench_key(bench, bits);
	char name[BENCH_KEY_NAME_SIZE];

	for (size_t i = 0; i < OPERATIONS; i++) {
		struct bench_measured measured;
		char what[64];

		found->key_ns[k][i] = NAN;
		if (key == NULL ||
		    (operations[i].rsa_only && bits == PRIMITIVE_ED25519))
			continue;
		snprintf(what, sizeof(what), "%s %s",
		    bench_key_name(bits, name), operations[i].name);
		if (!bench_take(bench, what, operations[i].run, key, &measured))
			continue;
		found->key_ns[k][i] = measured.mean_ns;
		bench_table_text(table, "%s", bench_key_type(bits));
		bench_table_number(table, bits);
		bench_table_text(table, "%s", operations[i].name);
		bench_table_measured(bench, table, &measured);
		bench_table_text(table, "%s", measured.note);
	}
}

static void
measure_keys(struct bench *bench, struct found *found)
{
	struct bench_table *table =
	    bench_report_table(&bench->report, "public_key",
		"Public-key operations", key_columns, COUNT(key_columns));

	_Static_assert(COUNT(key_sizes) <= MAX_KEYS, "room for each");
	for (size_t k = 0; k < COUNT(key_sizes); k++)
		measure_key(bench, table, k, found);
}

static void
measure_digest(struct bench *bench, struct bench_table *table,
    const struct algorithm *algorithm, size_t bytes, struct found *found)
{
	struct primitive_digest *digest =
	    primitive_digest_new(bench->primitives, algorithm->name, bytes);
	struct bench_measured measured;
	char what[64];

	if (digest == NULL)
		return;
	snprintf(
	    what, sizeof(what), "%s of %zu bytes", algorithm->label, bytes);
	if (bench_take(bench, what, primitive_digest_run, digest, &measured)) {
		bench_table_text(table, "%s", algorithm->label);
		bench_table_number(table, (double)bytes);
		bench_table_measured(bench, table, &measured);
		bench_table_number(
		    table, (double)bytes * 1e9 / measured.mean_ns);
		bench_table_text(table, "%s", measured.note);
		if (strcmp(algorithm->label, "SHA-256") == 0)
			found->hash_ns = measured.mean_ns / (double)bytes;
	}
	primitive_digest_free(digest);
}

static void
measure_digests(struct bench *bench, struct found *found)
{
	struct bench_table *table = bench_report_table(&bench->report, "digest",
	    "Digests", digest_columns, COUNT(digest_columns));

	found->hash_ns = NAN;
	/* The longest input last: its rate counts for the comparisons. */
	for (size_t i = 0; i < COUNT(digests); i++)
		for (size_t n = 0; n < COUNT(digest_bytes); n++)
			measure_digest(
			    bench, table, &digests[i], digest_bytes[n], found);
}

static double
measure_cipher(struct bench *bench, struct bench_table *table,
    const struct algorithm *algorithm, bool encrypts)
{
	struct primitive_cipher *cipher = primitive_cipher_new(
	    bench->primitives, algorithm->name, encrypts, CIPHER_BYTES);
	const char *operation = encrypts ? "encrypt" : "decrypt";
	struct bench_measured measured;
	double octet_ns = NAN;
	char what[64];

	if (cipher == NULL) {
		if (encrypts)
			bench_report_remark(&bench->report,
			    "libcrypto does not have %s.", algorithm->label);
		return NAN;
	}
	snprintf(what, sizeof(what), "%s %s", algorithm->label, operation);
	if (bench_take(bench, what, primitive_cipher_run, cipher, &measured)) {
		octet_ns = measured.mean_ns / CIPHER_BYTES;
		bench_table_text(table, "%s", algorithm->label);
		bench_table_text(table, "%s", operation);
		bench_table_number(table, CIPHER_BYTES);
		bench_table_measured(bench, table, &measured);
		bench_table_number(table, 1e9 / octet_ns);
		bench_table_text(table, "%s", measured.note);
	}
	primitive_cipher_free(cipher);
	return octet_ns;
}

static void
measure_ciphers(struct bench *bench, struct found *found)
{
	struct bench_table *table = bench_report_table(&bench->report, "cipher",
	    "Ciphers (CBC where they are of blocks)", cipher_columns,
	    COUNT(cipher_columns));

	_Static_assert(COUNT(ciphers) <= MAX_CIPHERS, "room for each");
	for (size_t i = 0; i < COUNT(ciphers); i++)
		for (size_t d = 0; d < 2; d++)
			found->cipher_ns[i][d] =
			    measure_cipher(bench, table, &ciphers[i], d == 0);
}

static void
tell_asymmetry(struct bench *bench, const struct found *found)
{
	struct bench_table *table = bench_report_table(&bench->report,
	    "asymmetry", "Signing against verifying, and against hashing",
	    asymmetry_columns, COUNT(asymmetry_columns));

	for (size_t k = 0; k < COUNT(key_sizes); k++) {
		const double *ns = found->key_ns[k];

		if (isnan(ns[0]) || isnan(ns[1]))
			continue;
		bench_table_text(table, "%s", bench_key_type(key_sizes[k]));
		bench_table_number(table, key_sizes[k]);
		bench_table_number(table, ns[0]);
		bench_table_number(table, ns[1]);
		bench_table_number(table, ns[0] / ns[1]);
		bench_table_number(table, ns[0] / found->hash_ns);
		bench_table_number(table, ns[1] / found->hash_ns);
	}
}

/* RSA takes at most the octets of its modulus less 11 of padding at once (RFC
 * 8017 section 7.2.1); the cipher gets as many. */
static void
tell_faster(struct bench *bench, const struct found *found)
{
	struct bench_table *table = bench_report_table(&bench->report,
	    "cipher_to_rsa", "How many times faster a cipher is than RSA",
	    faster_columns, COUNT(faster_columns));

	for (size_t i = 0; i < COUNT(ciphers); i++) {
		for (size_t at = 0; at < 4; at++) {
			size_t k = 1 + at / 2, d = at % 2;
			double bytes = key_sizes[k] / 8.0 - 11;
			double cipher = bytes * found->cipher_ns[i][d];
			double rsa = found->key_ns[k][2 + d];

			if (isnan(cipher) || isnan(rsa))
				continue;
			bench_table_text(table, "%s", ciphers[i].label);
			bench_table_number(table, key_sizes[k]);
			bench_table_text(
			    table, "%s", d == 0 ? "encrypt" : "decrypt");
			bench_table_number(table, bytes);
			bench_table_number(table, rsa / cipher);
		}
	}
}

static void
plot_rates(struct bench *bench, const struct found *found)
{
	struct bench_plot *plot = bench_report_plot(&bench->report, BENCH_BARS,
	    "rate_by_key", "Signatures and verifications a second, by key");
	struct bench_series *signs = bench_plot_series(plot, "sign");
	struct bench_series *verifies = bench_plot_series(plot, "verify");
	char name[BENCH_KEY_NAME_SIZE];
	size_t category = 0;

	plot->x_label = "key";
	plot->y_label = "operations a second on one processor";
	plot->y_unit = BENCH_PER_SECOND;
	plot->log_y = true;
	for (size_t k = 0; k < COUNT(key_sizes); k++) {
		double x = (double)category;

		if (isnan(found->key_ns[k][0]) || isnan(found->key_ns[k][1]))
			continue;
		category++;
		bench_plot_mark(
		    plot, x, "%s", bench_key_name(key_sizes[k], name));
		bench_plot_point(plot, signs, x, 1e9 / found->key_ns[k][0]);
		bench_plot_point(plot, verifies, x, 1e9 / found->key_ns[k][1]);
	}
}

int
bench_crypto(struct bench *bench, const void *settings)
{
	struct found found;

	(void)settings;
	if (!primitives_have_legacy(bench->primitives))
		bench_report_remark(&bench->report,
		    "libcrypto's legacy provider is not installed: DES, CAST5 "
		    "and Blowfish are in it.");
	measure_keys(bench, &found);
	measure_digests(bench, &found);
	measure_ciphers(bench, &found);
	tell_asymmetry(bench, &found);
	tell_faster(bench, &found);
	plot_rates(bench, &found);
	return 0;
}

int
bench_crypto_command(int argc, char **argv)
{
	static const struct option_row rows[] = { BENCH_ROWS };
	static const struct command_usage usage = {
		.command = "bench crypto",
		.synopsis = "[--quick] [--format text|json|csv] [--html FILE]",
		.summary = "Measures each public-key operation, digest and "
			   "cipher of libcrypto.",
		.rows = rows,
	};
	struct bench_settings settings = { 0 };

	return bench_command(&usage, argc, argv, &settings, bench_crypto);
}
