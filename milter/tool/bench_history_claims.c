/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was claimed of DKIM's cost when it was new, and what is measured. A
 * claim of rates is held against one processor's rate scaled to the clock that
 * it was made for.
 */
#include <math.h>
#include <stdlib.h>

#include "bench_history.h"
#include "bench_mailer.h"

enum {
	SHORT_BYTES = 20, /* a block of SHA-1 has room for 55 */
	LONG_BYTES = 16384,
	MAIL_BYTES = 5379
};

#define CLAIMED_GHZ    6   /* two processors of 3 GHz */
#define RSA_1024_BYTES 117 /* that RSA-1024 takes at once */

static const struct bench_column columns[] = {
	{ "claim", "claim", BENCH_TEXT },
	{ "unit", "unit", BENCH_TEXT },
	{ "original", "claimed", BENCH_PER_SECOND },
	{ "measured", "measured", BENCH_PER_SECOND },
	{ "verdict", "so?", BENCH_TEXT },
};

/* Nanoseconds of one operation; NAN where it could not be had. */
struct costs {
	double sign_ns, verify_ns;	     /* RSA-1024 */
	double sign_2048_ns, verify_2048_ns; /* RSA-2048 */
	double encrypt_ns, decrypt_ns;	     /* RSA-1024 */
	double sha1_ns, hmac_ns;	     /* of a short block */
	double sha1_octet_ns, sha256_octet_ns;
	double des_octet_ns;
	double mail_sign_ns, mail_verify_ns; /* whole messages, RSA-1024 */
};

/* NULL stands for what could not be made. */
static double
take_ns(struct bench *bench, const char *what, bench_operation *operation,
    void *ctx)
{
	struct bench_measured measured;

	if (ctx == NULL || !bench_take(bench, what, operation, ctx, &measured))
		return NAN;
	return measured.mean_ns;
}

static double
digest_ns(struct bench *bench, const char *name, bool keyed, size_t bytes)
{
	struct primitive_digest *digest = keyed
	    ? primitive_hmac_new(bench->primitives, name, bytes)
	    : primitive_digest_new(bench->primitives, name, bytes);
	double ns =
	    take_ns(bench, "claims: a digest", primitive_digest_run, digest);

	primitive_digest_free(digest);
	return ns;
}

static double
des_ns(struct bench *bench)
{
	struct primitive_cipher *cipher = primitive_cipher_new(
	    bench->primitives, "DES-CBC", true, LONG_BYTES);
	double ns = take_ns(bench, "claims: DES", primitive_cipher_run, cipher);

	primitive_cipher_free(cipher);
	return ns;
}

static void
measure_mail(
    struct bench *bench, const struct primitive_key *key, struct costs *costs)
{
	struct bench_message *message =
	    bench_message_new("alice@example.com", MAIL_BYTES);
	char *pem = key != NULL ? primitive_key_pem(key) : NULL;
	struct bench_mailer *mailer = NULL;

	if (pem != NULL && message != NULL)
		mailer = bench_mailer_new(bench->handle, pem, message,
		    SIGNPOST_RELAXED, SIGNPOST_RELAXED);
	costs->mail_sign_ns = take_ns(
	    bench, "claims: signing a message", bench_mailer_sign, mailer);
	costs->mail_verify_ns = take_ns(
	    bench, "claims: verifying a message", bench_mailer_verify, mailer);
	bench_mailer_free(mailer);
	bench_message_free(message);
	free(pem);
}

static void
measure(struct bench *bench, struct costs *costs)
{
	struct primitive_key *key = bench_key(bench, 1024);
	struct primitive_key *key_2048 = bench_key(bench, 2048);

	costs->sign_ns =
	    take_ns(bench, "claims: RSA-1024", primitive_sign, key);
	costs->verify_ns =
	    take_ns(bench, "claims: RSA-1024", primitive_verify, key);
	costs->encrypt_ns =
	    take_ns(bench, "claims: RSA-1024", primitive_encrypt, key);
	costs->decrypt_ns =
	    take_ns(bench, "claims: RSA-1024", primitive_decrypt, key);
	costs->sign_2048_ns =
	    take_ns(bench, "claims: RSA-2048", primitive_sign, key_2048);
	costs->verify_2048_ns =
	    take_ns(bench, "claims: RSA-2048", primitive_verify, key_2048);
	costs->sha1_ns = digest_ns(bench, "SHA1", false, SHORT_BYTES);
	costs->hmac_ns = digest_ns(bench, "SHA1", true, SHORT_BYTES);
	costs->sha1_octet_ns =
	    digest_ns(bench, "SHA1", false, LONG_BYTES) / LONG_BYTES;
	costs->sha256_octet_ns =
	    digest_ns(bench, "SHA2-256", false, LONG_BYTES) / LONG_BYTES;
	costs->des_octet_ns = des_ns(bench) / LONG_BYTES;
	measure_mail(bench, key, costs);
}

/* A claim of at least ORIGINAL. */
static void
at_least(struct bench_table *table, const char *claim, const char *unit,
    double original, double measured)
{
	if (isnan(measured))
		return;
	bench_table_text(table, "%s", claim);
	bench_table_text(table, "%s", unit);
	bench_table_number(table, original);
	bench_table_number(table, measured);
	if (measured >= original)
		bench_table_text(table, "yes");
	else
		bench_table_text(
		    table, "no, %.0f %% of it", 100 * measured / original);
}

/* What has no number to be held against. */
static void
found(struct bench_table *table, const char *claim, const char *unit,
    double measured, const char *verdict)
{
	if (isnan(measured))
		return;
	bench_table_text(table, "%s", claim);
	bench_table_text(table, "%s", unit);
	bench_table_empty(table);
	bench_table_number(table, measured);
	bench_table_text(table, "%s", verdict);
}

static const char *
orders(double ratio)
{
	return ratio >= 100 ? "yes"
	    : ratio >= 10   ? "one order of magnitude"
			    : "no";
}

static void
tell_rates(
    struct bench *bench, struct bench_table *table, const struct costs *costs)
{
	double ghz = bench->machine.ghz;

	at_least(table, "two processors of 3 GHz sign with RSA-1024",
	    "a second", 500, 1e9 / costs->sign_ns / ghz * CLAIMED_GHZ);
	at_least(table, "two processors of 3 GHz verify with RSA-1024",
	    "a second", 10000, 1e9 / costs->verify_ns / ghz * CLAIMED_GHZ);
	at_least(table, "signatures with RSA-1024", "a second and GHz", 75,
	    1e9 / costs->sign_ns / ghz);
	at_least(table, "verifications with RSA-1024", "a second and GHz", 3000,
	    1e9 / costs->verify_ns / ghz);
	at_least(table, "SHA-1 of short blocks", "a second", 5e6,
	    1e9 / costs->sha1_ns);
	found(table, "HMAC-SHA-1 of short blocks", "a second",
	    1e9 / costs->hmac_ns, "beside it");
}

static void
tell_ratios(struct bench_table *table, const struct costs *costs)
{
	double ratio = costs->sign_ns / costs->verify_ns;
	double ratio_2048 = costs->sign_2048_ns / costs->verify_2048_ns;
	double mail = costs->mail_sign_ns / costs->mail_verify_ns;
	double des_ns = costs->des_octet_ns * RSA_1024_BYTES;

	found(table, "verifying is orders of magnitude cheaper, RSA-1024",
	    "times", ratio, orders(ratio));
	found(table, "verifying is orders of magnitude cheaper, RSA-2048",
	    "times", ratio_2048, orders(ratio_2048));
	found(table, "SHA-1 overtakes verifying, RSA-1024", "bytes",
	    costs->verify_ns / costs->sha1_octet_ns, "from this size on");
	found(table, "SHA-256 overtakes verifying, RSA-1024", "bytes",
	    costs->verify_ns / costs->sha256_octet_ns, "from this size on");
	found(table, "SHA-256 overtakes verifying, RSA-2048", "bytes",
	    costs->verify_2048_ns / costs->sha256_octet_ns,
	    "from this size on");
	at_least(table, "DES is faster than RSA-1024, private", "times", 100,
	    costs->decrypt_ns / des_ns);
	at_least(table, "DES is faster than RSA-1024, public", "times", 100,
	    costs->encrypt_ns / des_ns);
	found(table,
	    "signing and validating are nearly identical, 5,379 bytes, "
	    "RSA-1024",
	    "times", mail, mail < 1.25 ? "yes" : "no");
}

void
bench_history_claims(struct bench *bench)
{
	struct bench_table *table = bench_report_table(&bench->report,
	    "history_claims", "What was claimed when DKIM was new", columns,
	    sizeof(columns) / sizeof(columns[0]));
	struct costs costs;

	measure(bench, &costs);
	tell_rates(bench, table, &costs);
	tell_ratios(table, &costs);
	bench_report_remark(&bench->report,
	    "\"Nearly identical\" goes back to a test of a DomainKeys filter "
	    "(press report of 9 August 2004): 7.8 %% more CPU for a mail "
	    "server that signs, 15.2 %% for one that verifies. That is the "
	    "cost beside the whole server's, which takes the server to "
	    "measure: tests/bench/mta, in the sources, drives Postfix with "
	    "and without Signpost, and has a table \"claims\" with both "
	    "figures beside today's.");
}
