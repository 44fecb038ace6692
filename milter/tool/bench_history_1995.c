/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PGP on an Alpha, 1995: user time of encrypting and decrypting a mail, about
 * ten runs each; keys of 382 and 1024 bits, mails of 5,379 and 656,676 bytes,
 * compressed and not.
 *
 * Here a mail is compressed by zlib, enciphered in CFB, and the session key by
 * RSA; signing and verifying, a digest of the mail and RSA, stand beside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "bench_history.h"

enum {
	MAX_MAIL = 656676,
	PACKED_ROOM = 1024, /* what zlib may need beyond the input */
	OPERATIONS = 4
};

static const struct bench_column columns[] = {
	{ "operation", "operation", BENCH_TEXT },
	{ "bits", "bits", BENCH_BITS },
	{ "original_bits", "then", BENCH_BITS },
	{ "body_bytes", "mail", BENCH_BYTES },
	{ "compressed", "compressed", BENCH_TEXT },
	BENCH_MEASURED_COLUMNS,
	{ "original_ns", "1995", BENCH_NS },
	BENCH_NOTE_COLUMN,
};

/* 382 bits are beyond what libcrypto makes; 512 are its least. */
static const struct {
	unsigned bits, original_bits; /* 0: not measured then */
} keys[] = { { 512, 382 }, { 1024, 1024 }, { 2048, 0 } };

static const size_t mails[] = { 5379, MAX_MAIL };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct pgp {
	struct primitive_key *key;
	struct primitive_cipher *encrypt, *decrypt;
	struct primitive_digest *digest;
	bool compresses;
	size_t len, packed_len;
	char mail[MAX_MAIL];
	/* Compressed, and, as deciphering needs a place to put it, a copy. */
	unsigned char packed[MAX_MAIL + PACKED_ROOM];
	unsigned char unpacked[MAX_MAIL];
};

static bool
pack(struct pgp *pgp)
{
	uLongf len = sizeof(pgp->packed);

	if (compress2(pgp->packed, &len, (const Bytef *)pgp->mail, pgp->len,
		Z_DEFAULT_COMPRESSION) != Z_OK)
		return false;
	pgp->packed_len = len;
	return true;
}

static bool
unpack(struct pgp *pgp)
{
	uLongf len = sizeof(pgp->unpacked);

	return uncompress(pgp->unpacked, &len, pgp->packed, pgp->packed_len) ==
	    Z_OK &&
	    len == pgp->len;
}

static bool
run_cipher(struct primitive_cipher *cipher, const void *data, size_t len)
{
	const char *at = data;

	for (size_t part; len > 0; at += part, len -= part) {
		part = len < PRIMITIVE_MAX_BYTES ? len : PRIMITIVE_MAX_BYTES;
		if (!primitive_cipher_update(cipher, at, part))
			return false;
	}
	return true;
}

/* Deciphering goes over plain text, which costs the same. */
static bool
cipher_mail(struct pgp *pgp, struct primitive_cipher *cipher)
{
	return pgp->compresses
	    ? run_cipher(cipher, pgp->packed, pgp->packed_len)
	    : run_cipher(cipher, pgp->mail, pgp->len);
}

static bool
encrypt_mail(void *ctx)
{
	struct pgp *pgp = ctx;

	return (!pgp->compresses || pack(pgp)) && primitive_encrypt(pgp->key) &&
	    cipher_mail(pgp, pgp->encrypt);
}

static bool
decrypt_mail(void *ctx)
{
	struct pgp *pgp = ctx;

	return primitive_decrypt(pgp->key) && cipher_mail(pgp, pgp->decrypt) &&
	    (!pgp->compresses || unpack(pgp));
}

static bool
sign_mail(void *ctx)
{
	struct pgp *pgp = ctx;

	return primitive_digest_run(pgp->digest) && primitive_sign(pgp->key);
}

static bool
verify_mail(void *ctx)
{
	struct pgp *pgp = ctx;

	return primitive_digest_run(pgp->digest) && primitive_verify(pgp->key);
}

static const struct {
	const char *name;
	bench_operation *run;
	bool compresses; /* may */
} operations[OPERATIONS] = {
	{ "encrypt", encrypt_mail, true },
	{ "decrypt", decrypt_mail, true },
	{ "sign", sign_mail, false },
	{ "verify", verify_mail, false },
};

static void
measure(struct bench *bench, struct bench_table *table, struct pgp *pgp,
    size_t k, size_t operation)
{
	const struct bench_pace shape = { .warm_ups = 1, .samples = 10 };
	struct bench_measured measured;
	char what[96];

	snprintf(what, sizeof(what), "1995: %s %zu bytes, RSA-%u",
	    operations[operation].name, pgp->len, keys[k].bits);
	if (!bench_history_take(
		bench, what, &shape, operations[operation].run, pgp, &measured))
		return;
	bench_table_text(table, "%s", operations[operation].name);
	bench_table_number(table, keys[k].bits);
	if (keys[k].original_bits != 0 && operations[operation].compresses)
		bench_table_number(table, keys[k].original_bits);
	else
		bench_table_empty(table);
	bench_table_number(table, (double)pgp->len);
	bench_table_text(table, "%s", pgp->compresses ? "zlib" : "no");
	bench_table_measured(bench, table, &measured);
	bench_table_empty(table);
	bench_table_text(table, "%s", measured.note);
}

static void
measure_mail(
    struct bench *bench, struct bench_table *table, struct pgp *pgp, size_t k)
{
	for (size_t i = 0; i < OPERATIONS * 2; i++) {
		size_t operation = i / 2;

		pgp->compresses = i % 2 == 1;
		if (pgp->compresses && !operations[operation].compresses)
			continue;
		if (pgp->compresses && !pack(pgp))
			continue;
		measure(bench, table, pgp, k, operation);
	}
}

static struct pgp *
pgp_new(struct bench *bench)
{
	/* PGP had IDEA, which many builds of libcrypto leave out. */
	static const char *const ciphers[] = { "IDEA-CFB", "CAST5-CFB",
		"AES-128-CFB" };
	struct pgp *pgp = calloc(1, sizeof(*pgp));

	if (pgp == NULL)
		return NULL;
	bench_history_prose(pgp->mail, sizeof(pgp->mail));
	for (size_t i = 0; i < COUNT(ciphers) && pgp->encrypt == NULL; i++) {
		pgp->encrypt = primitive_cipher_new(
		    bench->primitives, ciphers[i], true, 0);
		pgp->decrypt = primitive_cipher_new(
		    bench->primitives, ciphers[i], false, 0);
		if (pgp->encrypt != NULL)
			bench_report_remark(&bench->report,
			    "1995: the cipher was IDEA; here it is %s. The "
			    "original's times are not at hand, only its "
			    "shape.",
			    ciphers[i]);
	}
	return pgp;
}

static void
pgp_free(struct pgp *pgp)
{
	primitive_cipher_free(pgp->encrypt);
	primitive_cipher_free(pgp->decrypt);
	free(pgp);
}

void
bench_history_1995(struct bench *bench)
{
	struct bench_table *table = bench_report_table(&bench->report,
	    "history_1995", "1995: mails through PGP, on an Alpha", columns,
	    COUNT(columns));
	struct pgp *pgp = pgp_new(bench);

	if (pgp == NULL || pgp->encrypt == NULL || pgp->decrypt == NULL)
		goto done;
	for (size_t k = 0; k < COUNT(keys); k++) {
		pgp->key = bench_key(bench, keys[k].bits);
		for (size_t m = 0; m < COUNT(mails) && pgp->key != NULL; m++) {
			pgp->len = mails[m];
			pgp->digest = primitive_digest_new(
			    bench->primitives, "SHA2-256", mails[m]);
			if (pgp->digest != NULL)
				measure_mail(bench, table, pgp, k);
			primitive_digest_free(pgp->digest);
		}
	}
done:
	if (pgp != NULL)
		pgp_free(pgp);
}
