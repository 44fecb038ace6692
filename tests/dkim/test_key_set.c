/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base64.h"
#include "buf.h"
#include "keys.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RSA_N                                                                  \
	"5B5TkKAU81kYhrOVejaT94nWOlpNPGuaoXUesMuW3Tim9oy0ImPydeiWItEL8f28mMwj" \
	"W91vdctxbrQAg388EPwQv3v/LgbAkfss9S8Y/jy+pR76jCqzN6xuIbLU+UI7xzvT86MW" \
	"clWC8wXzthHgtyKdxvtpK8jkyCk/pfyuMN0"

static struct signpost *handle;

static int
setup(void **state)
{
	(void)state;
	return signpost_new(&handle) == SIGNPOST_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	signpost_free(handle);
	return 0;
}

static struct signpost_key_set *
parse(const char *text, size_t len)
{
	const struct signpost_text record = { text, len };
	struct signpost_key_set *keys;

	assert_int_equal(
	    signpost_key_set_parse(handle, &record, 1, &keys), SIGNPOST_OK);
	assert_int_equal(key_set_count(keys), 1);
	return keys;
}

static void
records_give_a_key_or_a_reason(void **state)
{
	static const struct {
		const char *name, *input;
		enum signpost_algorithm algorithm;
		enum signpost_reason want;
		unsigned bits;
	} rows[] = {
		{ "RSA", RSA_RECORD, SIGNPOST_RSA_SHA256, SIGNPOST_REASON_NONE,
		    1024 },
		{ "RSAPublicKey", "p=" RSA_BARE_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 1024 },
		/* field: C4 */
		{ "p= alone", "p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 1024 },
		{ "SubjectPublicKeyInfo without NULL",
		    "p=MIGdMAsGCSqGSIb3DQEBAQOBjQAwgYkCgYEA" RSA_N "CAwEAAQ==",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_NONE, 1024 },
		{ "512 bits", RSA512_RECORD, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 512 },
		{ "504 bits",
		    "p=MEYCP3//////////////////////////////////////////////"
		    "/////////////////////////////////////wIDAQAB",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_NONE, 503 },
		/* field: C2 */
		{ "spaces in p=", "v=DKIM1;p= MEgC QQCq AQ==",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "Ed25519", ED25519_RECORD, SIGNPOST_ED25519_SHA256,
		    SIGNPOST_REASON_NONE, 256 },
		/* field: C6 */
		{ "Ed25519, SubjectPublicKeyInfo",
		    "k=ed25519; p=" ED25519_SPKI_P, SIGNPOST_ED25519_SHA256,
		    SIGNPOST_REASON_NONE, 256 },
		{ "white space and semicolon at the end",
		    " v = DKIM1 ; k = ed25519 ; p = " ED25519_P " ; ",
		    SIGNPOST_ED25519_SHA256, SIGNPOST_REASON_NONE, 256 },
		{ "p= cut by white space",
		    "k=ed25519; p=11qYAYKxCr fVS/7TyWQHOg7h\tcvPapiMlr\r\n "
		    "wIaaPcHURo=",
		    SIGNPOST_ED25519_SHA256, SIGNPOST_REASON_NONE, 256 },
		{ "unknown tags", "v=DKIM1; foo=bar; k=rsa; p=" RSA_P "; X=",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_NONE, 1024 },
		{ "g= is retired", "g=nobody; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 1024 },
		{ "empty g=", "g=; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 1024 },
		{ "notes", "n=any=3Bthing, here; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 1024 },
		{ "exponent 3",
		    "p=MIGHAoGBAOQeU5CgFPNZGIazlXo2k/eJ1jpaTTxrmqF1HrDLlt04pvaM"
		    "tCJj8nXoliLRC/H9vJjMI1vdb3XLcW60AIN/PBD8EL97/y4GwJH7LPUvGP"
		    "48vqUe+owqszesbiGy1PlCO8c70/OjFnJVgvMF87YR4Lcincb7aSvI5Mgp"
		    "P6X8rjDdAgED",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_NONE, 1024 },

		/* field: C9 */
		{ "revoked", "v=DKIM1; p=", SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_REVOKED, 0 },
		{ "revoked, of an unknown type", "k=x; p= ;",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_REVOKED, 0 },
		{ "no p=", "v=DKIM1; k=rsa", SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "P= is not p=", "P=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "empty", "", SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX,
		    0 },
		{ "no tags", "hello", SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "empty item", "v=DKIM1;; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "repeated p=", "p=" RSA_P "; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "repeated unknown tag", "x=1; x=1; p=" RSA_P,
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		/* field: C5 */
		{ "v= not first", "k=rsa; v=DKIM1; p=" RSA_P,
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "v=DKIM1.0", "v=DKIM1.0; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_VERSION, 0 },
		{ "v=dkim1", "v=dkim1; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_VERSION, 0 },
		{ "empty v=", "v=; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_VERSION, 0 },
		{ "SPF", "v=spf1 -all", SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_VERSION, 0 },
		{ "junk in base64", "p=" RSA_P "*", SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "base64 of nothing known", "p=AAAA", SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SYNTAX, 0 },

		{ "unknown type", "k=dsa; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_TYPE, 0 },
		{ "empty k=", "k=; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_TYPE, 0 },
		{ "k=RSA", "k=RSA; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_TYPE, 0 },
		/* field: C7 */
		{ "RSA key for an Ed25519 signature", RSA_RECORD,
		    SIGNPOST_ED25519_SHA256, SIGNPOST_REASON_KEY_TYPE, 1024 },
		{ "Ed25519 key for an RSA signature", ED25519_RECORD,
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_TYPE, 256 },
		{ "Ed25519 octets called RSA", "k=rsa; p=" ED25519_P,
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "Ed25519 info called RSA", "k=rsa; p=" ED25519_SPKI_P,
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "RSA octets called Ed25519", "k=ed25519; p=" RSA_P,
		    SIGNPOST_ED25519_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "31 octets",
		    "k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHUQ==",
		    SIGNPOST_ED25519_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "33 octets",
		    "k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURoA",
		    SIGNPOST_ED25519_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		/* field: A11 */
		{ "second record glued on",
		    ED25519_RECORD "v=DKIM1; k=rsa; p=" RSA_P,
		    SIGNPOST_ED25519_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },

		{ "h= allows", "h=sha256; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 1024 },
		{ "h= allows among others", "h= x : sha1 : sha256 ; p=" RSA_P,
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_NONE, 1024 },
		{ "h= forbids", "h=sha1; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_HASH, 1024 },
		{ "h= forbids SHA-1", "h=sha256; p=" RSA_P, SIGNPOST_RSA_SHA1,
		    SIGNPOST_REASON_KEY_HASH, 1024 },
		{ "h= of a longer name", "h=sha2567; p=" RSA_P,
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_HASH, 1024 },
		{ "h= of unknown names only", "h=md5:foo; p=" RSA_P,
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_HASH, 1024 },
		{ "empty h=", "h=; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_HASH, 1024 },
		{ "h= for Ed25519", "h=sha1; k=ed25519; p=" ED25519_P,
		    SIGNPOST_ED25519_SHA256, SIGNPOST_REASON_KEY_HASH, 256 },
		{ "s=*", "s=*; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 1024 },
		{ "s=email", "s=tlsrpt : email; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_NONE, 1024 },
		{ "s= for another", "s=tlsrpt; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SERVICE, 0 },
		{ "empty s=", "s=; p=" RSA_P, SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SERVICE, 0 },

		{ "exponent 1",
		    "p=MIGHAoGBAOQeU5CgFPNZGIazlXo2k/eJ1jpaTTxrmqF1HrDLlt04pvaM"
		    "tCJj8nXoliLRC/H9vJjMI1vdb3XLcW60AIN/PBD8EL97/y4GwJH7LPUvGP"
		    "48vqUe+owqszesbiGy1PlCO8c70/OjFnJVgvMF87YR4Lcincb7aSvI5Mgp"
		    "P6X8rjDdAgEB",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "even exponent",
		    "p=MIGHAoGBAOQeU5CgFPNZGIazlXo2k/eJ1jpaTTxrmqF1HrDLlt04pvaM"
		    "tCJj8nXoliLRC/H9vJjMI1vdb3XLcW60AIN/PBD8EL97/y4GwJH7LPUvGP"
		    "48vqUe+owqszesbiGy1PlCO8c70/OjFnJVgvMF87YR4Lcincb7aSvI5Mgp"
		    "P6X8rjDdAgEE",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "exponent of 65 bits",
		    "p=MIGPAoGBAOQeU5CgFPNZGIazlXo2k/eJ1jpaTTxrmqF1HrDLlt04pvaM"
		    "tCJj8nXoliLRC/H9vJjMI1vdb3XLcW60AIN/PBD8EL97/y4GwJH7LPUvGP"
		    "48vqUe+owqszesbiGy1PlCO8c70/OjFnJVgvMF87YR4Lcincb7aSvI5Mgp"
		    "P6X8rjDdAgkBAQEBAQEBAQE=",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "even modulus",
		    "p=MIGJAoGBAOQeU5CgFPNZGIazlXo2k/eJ1jpaTTxrmqF1HrDLlt04pvaM"
		    "tCJj8nXoliLRC/H9vJjMI1vdb3XLcW60AIN/PBD8EL97/y4GwJH7LPUvGP"
		    "48vqUe+owqszesbiGy1PlCO8c70/OjFnJVgvMF87YR4Lcincb7aSvI5Mgp"
		    "P6X8rjAAAgMBAAE=",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "negative modulus", "p=MIGIAoGA" RSA_N "CAwEAAQ==",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "modulus of zero", "p=MAgCAQACAwEAAQ==", SIGNPOST_RSA_SHA256,
		    SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "length in too many octets",
		    "p=MIIAiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2"
		    "jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lx"
		    "j+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTI"
		    "KT+l/K4w3QIDAQAB",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "indefinite length", "p=MIACgYEA" RSA_N "CAwEAAQAA",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
		{ "RSA-PSS",
		    "p=MIGdMAsGCSqGSIb3DQEBCgOBjQAwgYkCgYEA" RSA_N "CAwEAAQ==",
		    SIGNPOST_RSA_SHA256, SIGNPOST_REASON_KEY_SYNTAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_key_set *keys =
		    parse(rows[i].input, strlen(rows[i].input));
		const struct key_record *record = key_set_get(keys, 0);
		enum signpost_reason reason =
		    key_record_refuses(record, rows[i].algorithm, false);

		if (reason != rows[i].want || record->bits != rows[i].bits)
			fail_msg("%s: %s, %u", rows[i].name,
			    signpost_reason_token(reason), record->bits);
		assert_int_equal(record->key != NULL,
		    record->bits >= 256 && record->bits != 503);
		signpost_key_set_unref(keys);
	}
}

static void
flags_are_read(void **state)
{
	static const struct {
		const char *input;
		bool strict, testing;
	} rows[] = {
		{ "p=" RSA_P, false, false },
		{ "t=y; p=" RSA_P, false, true },
		{ "t=s; p=" RSA_P, true, false },
		{ "t= foo : s:\r\n y; p=" RSA_P, true, true },
		{ "t=ys; p=" RSA_P, false, false },
		{ "t=Y:S; p=" RSA_P, false, false },
		{ "t=; p=" RSA_P, false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_key_set *keys =
		    parse(rows[i].input, strlen(rows[i].input));
		const struct key_record *record = key_set_get(keys, 0);

		assert_int_equal(record->strict, rows[i].strict);
		assert_int_equal(record->testing, rows[i].testing);
		assert_int_equal(
		    key_record_refuses(record, SIGNPOST_RSA_SHA256, true),
		    rows[i].strict ? SIGNPOST_REASON_KEY_STRICT
				   : SIGNPOST_REASON_NONE);
		signpost_key_set_unref(keys);
	}
}

/* Every prefix of a good record, and every record with one octet of p= turned
 * over, is read without harm. */
static void
broken_records_do_no_harm(void **state)
{
	static const char *const texts[] = { RSA_RECORD, ED25519_RECORD,
		"p=" RSA_BARE_P };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		size_t len = strlen(texts[i]);
		char *copy = malloc(len);

		assert_non_null(copy);
		for (size_t at = 0; at < len; at++) {
			memcpy(copy, texts[i], len);
			signpost_key_set_unref(parse(copy, at));
			for (unsigned bit = 0; bit < 8; bit++) {
				copy[at] = (char)(texts[i][at] ^ (1 << bit));
				signpost_key_set_unref(parse(copy, len));
			}
		}
		free(copy);
	}
}

/* field: A5 */
static void
long_records_are_refused(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, SIZE_MAX);
	buf_append_str(&text, RSA_RECORD "; n=");
	while (text.len < SIGNPOST_MAX_RECORD_BYTES)
		buf_append_char(&text, 'x');
	for (size_t more = 0; more < 2; more++) {
		struct signpost_key_set *keys = parse(text.data, text.len);

		assert_int_equal(key_set_get(keys, 0)->reason,
		    more == 0 ? SIGNPOST_REASON_NONE
			      : SIGNPOST_REASON_KEY_SYNTAX);
		signpost_key_set_unref(keys);
		buf_append_char(&text, 'x');
	}
	buf_fini(&text);
}

/* An RSAPublicKey of BITS, a multiple of 8, in base64. */
static void
put_wide_key(struct buf *text, size_t bits)
{
	char der[8 + 5 + SIGNPOST_MAX_RSA_BITS];
	size_t n = bits / 8 + 1; /* a zero octet first: not negative */
	size_t len = n + 4 + 5, at = 0;

	der[at++] = 0x30;
	der[at++] = (char)0x82;
	der[at++] = (char)(len >> 8);
	der[at++] = (char)len;
	der[at++] = 0x02;
	der[at++] = (char)0x82;
	der[at++] = (char)(n >> 8);
	der[at++] = (char)n;
	der[at] = 0;
	memset(der + at + 1, 0xff, n - 1);
	memcpy(der + at + n, "\2\3\1\0\1", 5);
	base64_encode(der, at + n + 5, text);
}

/* field: A5 */
static void
a_wide_modulus_is_refused_before_there_is_a_key_of_it(void **state)
{
	static const struct {
		size_t bits;
		bool made;
	} rows[] = { { 8192, true }, { SIGNPOST_MAX_RSA_BITS, true },
		{ SIGNPOST_MAX_RSA_BITS + 8, false }, { 40000, false } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_key_set *keys;
		const struct key_record *record;
		struct buf text;

		buf_init(&text, SIZE_MAX);
		buf_append_str(&text, "p=");
		put_wide_key(&text, rows[i].bits);
		keys = parse(text.data, text.len);
		record = key_set_get(keys, 0);
		assert_int_equal(record->reason, SIGNPOST_REASON_NONE);
		assert_int_equal(record->bits, rows[i].bits);
		assert_int_equal(record->key != NULL, rows[i].made);
		/* What the cache counts it for grows with it. */
		if (rows[i].made)
			assert_true(signpost_key_set_bytes(keys) >
			    2 * rows[i].bits / 8);
		signpost_key_set_unref(keys);
		buf_fini(&text);
	}
}

static void
records_beyond_the_cap_are_left_out(void **state)
{
	struct signpost_text records[SIGNPOST_MAX_KEY_RECORDS + 1];
	struct signpost_key_set *keys;

	(void)state;
	for (size_t i = 0; i < COUNT(records); i++)
		records[i] = (struct signpost_text){ "p=", 2 };
	assert_int_equal(
	    signpost_key_set_parse(handle, records, COUNT(records), &keys),
	    SIGNPOST_OK);
	assert_int_equal(key_set_count(keys), SIGNPOST_MAX_KEY_RECORDS);
	assert_true(signpost_key_set_bytes(keys) > 0);
	signpost_key_set_unref(signpost_key_set_ref(keys));
	signpost_key_set_unref(keys);
	assert_int_equal(
	    signpost_key_set_parse(handle, NULL, 0, &keys), SIGNPOST_OK);
	assert_int_equal(key_set_count(keys), 0);
	signpost_key_set_unref(keys);
	signpost_key_set_unref(NULL);
}

static void
a_set_says_whether_it_publishes_a_key(void **state)
{
	static const struct {
		const char *name, *pem;
		struct signpost_text records[2];
		enum signpost_reason want;
	} rows[] = {
		{ "RSA", RSA_PEM, { { RSA_RECORD, sizeof RSA_RECORD - 1 } },
		    SIGNPOST_REASON_NONE },
		{ "second record", RSA_PEM,
		    { { "v=spf1 -all", 11 },
			{ RSA_RECORD, sizeof RSA_RECORD - 1 } },
		    SIGNPOST_REASON_NONE },
		{ "another key", RSA_PEM,
		    { { RSA512_RECORD, sizeof RSA512_RECORD - 1 } },
		    SIGNPOST_REASON_SIGNATURE },
		{ "another type", RSA_PEM,
		    { { ED25519_RECORD, sizeof ED25519_RECORD - 1 } },
		    SIGNPOST_REASON_KEY_TYPE },
		{ "Ed25519", ED25519_SEED,
		    { { ED25519_RECORD, sizeof ED25519_RECORD - 1 } },
		    SIGNPOST_REASON_NONE },
		{ "revoked", ED25519_SEED, { { "p=", 2 } },
		    SIGNPOST_REASON_KEY_REVOKED },
		{ "none", ED25519_SEED, { { NULL, 0 } },
		    SIGNPOST_REASON_NO_KEY },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signpost_private_key *key;
		struct signpost_key_set *keys;
		size_t count = 0;

		while (count < 2 && rows[i].records[count].data != NULL)
			count++;
		assert_int_equal(signpost_private_key_read(handle, rows[i].pem,
				     strlen(rows[i].pem), &key),
		    SIGNPOST_OK);
		assert_int_equal(signpost_key_set_parse(
				     handle, rows[i].records, count, &keys),
		    SIGNPOST_OK);
		if (signpost_key_set_publishes(keys, key) != rows[i].want)
			fail_msg("%s", rows[i].name);
		signpost_key_set_unref(keys);
		signpost_private_key_unref(key);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_give_a_key_or_a_reason),
		cmocka_unit_test(flags_are_read),
		cmocka_unit_test(broken_records_do_no_harm),
		cmocka_unit_test(long_records_are_refused),
		cmocka_unit_test(
		    a_wide_modulus_is_refused_before_there_is_a_key_of_it),
		cmocka_unit_test(records_beyond_the_cap_are_left_out),
		cmocka_unit_test(a_set_says_whether_it_publishes_a_key),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
