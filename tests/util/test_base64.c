/* SPDX-License-Identifier: BSD-2-Clause */
#include "base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct row {
	const char *name;
	const char *text;
	const char *octets; /* NULL: refused */
};

/* RFC 4648 section 10 */
static const struct row vectors[] = {
	{ "f", "Zg==", "f" },
	{ "fo", "Zm8=", "fo" },
	{ "foo", "Zm9v", "foo" },
	{ "foob", "Zm9vYg==", "foob" },
	{ "fooba", "Zm9vYmE=", "fooba" },
	{ "foobar", "Zm9vYmFy", "foobar" },
	{ "whole alphabet, low half", "+/+/", "\xfb\xff\xbf" },
};

static const struct row decoding[] = {
	{ "white space everywhere", " \tZ\r\n g\t=\r\n\t= ", "f" },
	{ "white space around", "\r\n Zm9v \r\n", "foo" },
	{ "white space between groups", "Zm9v\r\n\tYmFy", "foobar" },
	{ "empty", "", NULL },
	{ "white space only", " \r\n\t", NULL },
	{ "one letter", "Z", NULL },
	{ "two letters unpadded", "Zg", NULL },
	{ "three letters unpadded", "Zm8", NULL },
	{ "five letters", "Zm9vY", NULL },
	{ "one pad of two missing", "Zg=", NULL },
	{ "one pad too many", "Zm8==", NULL },
	{ "three pads", "Z===", NULL },
	{ "pads only", "====", NULL },
	{ "one pad only", "=", NULL },
	{ "pad behind a full group", "Zm9v=", NULL },
	{ "four pads behind a full group", "Zm9v====", NULL },
	{ "data after padding", "Zg==Zg==", NULL },
	{ "letter after padding", "Zm8=Y", NULL },
	{ "letter behind a pad", "Zg=g", NULL },
	{ "letter between pads", "Zg=g=", NULL },
	{ "left-over bits of one octet", "Zh==", NULL },
	{ "left-over bits of two octets", "Zm9=", NULL },
	{ "minus of the URL alphabet", "Zm9-", NULL },
	{ "underscore of the URL alphabet", "Zm9_", NULL },
	{ "colon", "Zm9v:", NULL },
	{ "semicolon", "Zm9v;", NULL },
	{ "form feed", "Zm9v\f", NULL },
	{ "eighth bit", "Zm9\xf6", NULL },
};

static void
check_decode(const struct row *row)
{
	struct buf out;
	bool good;

	buf_init(&out, SIZE_MAX);
	buf_append_str(&out, "before");
	good = base64_decode(bytes_str(row->text), &out);
	if (good != (row->octets != NULL))
		fail_msg("%s: %s", row->name, good ? "taken" : "refused");
	if (!good)
		assert_true(bytes_is(buf_bytes(&out), "before"));
	else if (!bytes_is(bytes_of(out.data + 6, out.len - 6), row->octets))
		fail_msg("%s: other octets", row->name);
	buf_fini(&out);
}

static void
decoding_takes_rfc_4648_and_white_space_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
		check_decode(&vectors[i]);
	for (size_t i = 0; i < sizeof decoding / sizeof decoding[0]; i++)
		check_decode(&decoding[i]);
}

static void
encoding_gives_the_vectors_of_rfc_4648(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
		buf_clear(&out);
		base64_encode(
		    vectors[i].octets, strlen(vectors[i].octets), &out);
		assert_true(bytes_is(buf_bytes(&out), vectors[i].text));
	}
	buf_clear(&out);
	base64_encode("", 0, &out);
	assert_int_equal(out.len, 0);
	buf_fini(&out);
}

static void
nul_in_the_text_is_refused(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	assert_false(base64_decode(bytes_of("Zm9v\0", 5), &out));
	assert_false(base64_decode(bytes_of(NULL, 0), &out));
	buf_fini(&out);
}

/* Lengths around the block in which octets are written, all octet values. */
static void
what_is_encoded_decodes_to_itself(void **state)
{
	unsigned char data[1000];
	struct buf text, out;

	(void)state;
	buf_init(&text, SIZE_MAX);
	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)(i * 7 + i / 256);
	for (size_t len = 1; len <= sizeof data; len++) {
		buf_clear(&text);
		buf_clear(&out);
		base64_encode(data, len, &text);
		assert_int_equal(text.len, BASE64_ENCODED_LEN(len));
		assert_true(base64_decode(buf_bytes(&text), &out));
		assert_int_equal(out.len, len);
		assert_memory_equal(out.data, data, len);
	}
	buf_fini(&text);
	buf_fini(&out);
}

/* Of the 65536 texts of two letters and "==", those with no left-over bits and
 * nothing else are taken. */
static void
every_pair_of_octets_before_padding(void **state)
{
	unsigned taken = 0;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	for (unsigned i = 0; i < 65536; i++) {
		char text[4] = { (char)(i >> 8), (char)i, '=', '=' };

		buf_clear(&out);
		taken += base64_decode(bytes_of(text, 4), &out);
	}
	/* 64 letters times the four without left-over bits */
	assert_int_equal(taken, 256);
	buf_fini(&out);
}

static void
a_full_buffer_is_not_a_syntax_error(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 2);
	assert_true(base64_decode(bytes_str("Zm9v"), &out));
	assert_true(out.failed);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decoding_takes_rfc_4648_and_white_space_only),
		cmocka_unit_test(encoding_gives_the_vectors_of_rfc_4648),
		cmocka_unit_test(nul_in_the_text_is_refused),
		cmocka_unit_test(what_is_encoded_decodes_to_itself),
		cmocka_unit_test(every_pair_of_octets_before_padding),
		cmocka_unit_test(a_full_buffer_is_not_a_syntax_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
