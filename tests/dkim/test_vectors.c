/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base64.h"
#include "header_hash.h"
#include "key.h"
#include "keys.h"
#include "message.h"
#include "signature.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const vectors[] = { "rfc6376", "rfc8463" };

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

/* A file of the folder of vectors; line ends become EOL. */
static char *
read_file(const char *name, const char *suffix, const char *eol)
{
	char path[1024];
	struct buf text;
	FILE *file;
	int c;

	snprintf(path, sizeof path, "%s/%s.%s", VECTORS, name, suffix);
	file = fopen(path, "r");
	assert_non_null(file);
	buf_init(&text, SIZE_MAX);
	while ((c = getc(file)) != EOF) {
		if (c == '\n')
			buf_append_str(&text, eol);
		else
			buf_append_char(&text, (char)c);
	}
	fclose(file);
	return buf_take_string(&text);
}

struct vector {
	char *text;
	const char *body;
	struct signpost_headers *headers;
	char *keys;
};

static void
split(struct vector *vector)
{
	char *end = strstr(vector->text, "\r\n\r\n");

	assert_non_null(end);
	vector->body = end + 4;
	end[2] = '\0';
	vector->headers = message_headers(vector->text);
	end[2] = '\r';
}

static struct vector
load(const char *name)
{
	struct vector vector = { .text = read_file(name, "eml", "\r\n"),
		.keys = read_file(name, "keys", "\n") };

	split(&vector);
	return vector;
}

static void
unload(struct vector *vector)
{
	signpost_headers_free(vector->headers);
	free(vector->text);
	free(vector->keys);
}

/* The record of NAME in the lines "NAME RECORD" of KEYS. */
static struct signpost_text
find_key(const char *keys, const char *name)
{
	const char *line = strstr(keys, name);

	assert_non_null(line);
	line += strlen(name) + 1;
	return (struct signpost_text){ line, strcspn(line, "\n") };
}

static struct signpost_verifier *
verify(const struct vector *vector)
{
	struct signpost_verify_options options = message_options();
	struct signpost_verifier *verifier;

	assert_int_equal(signpost_verifier_new(handle, vector->headers,
			     &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		struct signpost_text record;
		struct signpost_key_set *keys;
		const char *name = signpost_verifier_key_name(verifier, i);

		if (name == NULL)
			continue;
		record = find_key(vector->keys, name);
		assert_int_equal(
		    signpost_key_set_parse(handle, &record, 1, &keys),
		    SIGNPOST_OK);
		signpost_verifier_give_key(verifier, i, SIGNPOST_KEY_FOUND,
		    SIGNPOST_DNSSEC_UNKNOWN, keys);
		signpost_key_set_unref(keys);
	}
	signpost_verifier_body(verifier, vector->body, strlen(vector->body));
	assert_int_equal(signpost_verifier_end_body(verifier), SIGNPOST_OK);
	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		if (signpost_verifier_needs_check(verifier, i))
			signpost_verifier_check(verifier, i);
	}
	return verifier;
}

/* field: B38 */
static void
the_vectors_give_what_is_written_beside_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(vectors); i++) {
		struct vector vector = load(vectors[i]);
		struct signpost_verifier *verifier = verify(&vector);
		char *want = read_file(vectors[i], "expected", "\n");
		struct buf got;

		buf_init(&got, SIZE_MAX);
		for (size_t k = 0; k < signpost_verifier_count(verifier); k++) {
			const struct signpost_verdict *verdict =
			    signpost_verifier_verdict(verifier, k);

			buf_printf(&got, "%s %.*s %u\n",
			    signpost_result_word(verdict->result),
			    (int)verdict->selector_len, verdict->selector,
			    verdict->key_bits);
		}
		assert_string_equal(got.data, want);
		buf_fini(&got);
		free(want);
		signpost_verifier_free(verifier);
		unload(&vector);
	}
}

/* Every octet of the signed fields and of the body counts, white space apart
 * (its turn is in the tests of canonicalization). */
static void
no_vector_passes_with_an_octet_changed(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(vectors); i++) {
		struct vector vector = load(vectors[i]);
		size_t len = strlen(vector.text);
		size_t start =
		    (size_t)(strstr(vector.text, "From:") - vector.text);

		for (size_t at = start; at < len; at++) {
			struct signpost_verifier *verifier;

			if (isspace((unsigned char)vector.text[at]) ||
			    vector.text[at] == ':')
				continue;
			vector.text[at] ^= 1;
			signpost_headers_free(vector.headers);
			split(&vector);
			verifier = verify(&vector);
			for (size_t k = 0;
			     k < signpost_verifier_count(verifier); k++) {
				if (signpost_verifier_verdict(verifier, k)
					->result != SIGNPOST_FAIL)
					fail_msg(
					    "%s: octet %zu", vectors[i], at);
			}
			signpost_verifier_free(verifier);
			vector.text[at] ^= 1;
		}
		unload(&vector);
	}
}

/* Both signatures of RFC 8463 appendix A.3 come out of its keys again, octet
 * for octet. */
static void
signing_the_vector_again_gives_its_signatures(void **state)
{
	static const char *const pems[] = { ED25519_SEED, RSA_PEM };
	struct vector vector = load("rfc8463");

	(void)state;
	for (size_t i = 0; i < COUNT(pems); i++) {
		struct field field = headers_get(vector.headers, i);
		struct signpost_private_key *key;
		struct signature signature;
		enum signpost_reason reason;
		struct header_hash input = { .headers = vector.headers,
			.canon = SIGNPOST_RELAXED,
			.own = i,
			.own_name = field.name };
		struct buf blanked, scratch;
		struct hash *hash;
		struct digest digest;
		unsigned char out[512];
		size_t len;

		assert_int_equal(
		    signature_parse(field.value, &signature, &reason),
		    SIGNPOST_OK);
		assert_int_equal(reason, SIGNPOST_REASON_NONE);
		buf_init(&blanked, SIZE_MAX);
		buf_init(&scratch, SIZE_MAX);
		signature_append_blanked(&signature, field.value, &blanked);
		input.names = signature.names;
		input.count = signature.name_count;
		input.own_value = buf_bytes(&blanked);
		assert_int_equal(
		    hash_new(handle, HASH_SHA256, &hash), SIGNPOST_OK);
		assert_int_equal(
		    header_hash_run(&input, hash, &scratch, &digest),
		    SIGNPOST_OK);
		assert_int_equal(signpost_private_key_read(
				     handle, pems[i], strlen(pems[i]), &key),
		    SIGNPOST_OK);
		assert_int_equal(
		    crypto_sign(key_of_private(key), signature.algorithm,
			&digest, out, sizeof out, &len),
		    SIGNPOST_OK);
		assert_int_equal(len, signature.octets.len);
		assert_memory_equal(out, signature.octets.data, len);
		signpost_private_key_unref(key);
		hash_free(hash);
		buf_fini(&blanked);
		buf_fini(&scratch);
		signature_fini(&signature);
	}
	unload(&vector);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vectors_give_what_is_written_beside_them),
		cmocka_unit_test(no_vector_passes_with_an_octet_changed),
		cmocka_unit_test(signing_the_vector_again_gives_its_signatures),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
