/* SPDX-License-Identifier: BSD-2-Clause */
#include "canon_body.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "canon_reference.h"

static const char alphabet[] = "a \t\r\n";

static void
to_buf(void *ctx, const char *data, size_t len)
{
	assert_true(len > 0);
	buf_append(ctx, data, len);
}

/* Hands over a copy of its own, so that the sanitizer sees a look at what is
 * before or behind it. */
static void
update_copy(struct canon_body *body, const char *data, size_t len)
{
	char *copy = malloc(len > 0 ? len : 1);

	assert_non_null(copy);
	memcpy(copy, data, len);
	canon_body_update(body, copy, len);
	free(copy);
}

/* Cut behind octet i where bit i of CUTS is set. */
static void
canonicalize_cut(
    enum signpost_canon canon, struct bytes in, unsigned cuts, struct buf *out)
{
	struct canon_body body;
	size_t from = 0;

	buf_clear(out);
	canon_body_init(&body, canon, to_buf, out);
	for (size_t i = 0; i < in.len; i++)
		if ((cuts >> i & 1) != 0 || i + 1 == in.len) {
			update_copy(&body, in.data + from, i + 1 - from);
			from = i + 1;
		}
	canon_body_final(&body);
	assert_false(out->failed);
}

/* For messages: the octets as a C string would be written. */
static void
print_escaped(const char *what, struct bytes bytes)
{
	print_message("%s: ", what);
	for (size_t i = 0; i < bytes.len; i++)
		print_message("%02x ", (unsigned char)bytes.data[i]);
	print_message("\n");
}

static void
expect(const char *what, struct bytes in, struct bytes got, struct bytes want)
{
	if (bytes_equal(got, want))
		return;
	print_escaped("input", in);
	print_escaped("got", got);
	print_escaped("want", want);
	fail_msg("%s", what);
}

static void
every_short_input_cut_in_every_way(void **state)
{
	struct buf got, want;
	unsigned inputs = 0;

	(void)state;
	buf_init(&got, SIZE_MAX);
	buf_init(&want, SIZE_MAX);
	for (size_t len = 0, all = 1; len <= 6; len++, all *= 5)
		for (size_t number = 0; number < 2 * all; number++) {
			enum signpost_canon canon = number % 2 == 0
			    ? SIGNPOST_SIMPLE
			    : SIGNPOST_RELAXED;
			size_t rest = number / 2;
			char in[6];

			for (size_t i = 0; i < len; i++, rest /= 5)
				in[i] = alphabet[rest % 5];
			buf_clear(&want);
			reference_body(canon, bytes_of(in, len), &want);
			for (unsigned cuts = 0; cuts < 1U << len; cuts += 2) {
				/* the bit of the last octet cuts nothing */
				canonicalize_cut(
				    canon, bytes_of(in, len), cuts / 2, &got);
				expect("differs from the reference",
				    bytes_of(in, len), buf_bytes(&got),
				    buf_bytes(&want));
			}
			inputs++;
		}
	assert_int_equal(inputs, 2 * 19531);
	buf_fini(&got);
	buf_fini(&want);
}

struct row {
	const char *name;
	const char *input;
	const char *simple;
	const char *relaxed;
};

static const struct row rows[] = {
	/* field: B8 */
	{ "nothing", "", "\r\n", "" },
	{ "one line end", "\r\n", "\r\n", "" },
	/* field: A9 */
	{ "line ends only", "\r\n\r\n\r\n", "\r\n", "" },
	{ "white space only", " \t", " \t\r\n", "" },
	/* field: B7 */
	{ "lines of white space only", " \r\n\t\r\n", " \r\n\t\r\n", "" },
	{ "no line end at the end", "a", "a\r\n", "a\r\n" },
	{ "white space and no line end at the end", "a \t", "a \t\r\n",
	    "a\r\n" },
	{ "empty lines at the end", "a\r\n\r\n\r\n", "a\r\n", "a\r\n" },
	{ "empty lines within", "a\r\n\r\nb\r\n", "a\r\n\r\nb\r\n",
	    "a\r\n\r\nb\r\n" },
	{ "empty lines at the start", "\r\n\r\na\r\n", "\r\n\r\na\r\n",
	    "\r\n\r\na\r\n" },
	{ "white space at the start of a line is reduced, not removed",
	    " \t a\r\n", " \t a\r\n", " a\r\n" },
	{ "a tab becomes a space", "a\tb\r\n", "a\tb\r\n", "a b\r\n" },
	/* field: B9 */
	{ "lone CR at the end", "a\r", "a\r\r\n", "a\r\r\n" },
	{ "lone CR behind line ends", "\r\n\r\n\r", "\r\n\r\n\r\r\n",
	    "\r\n\r\n\r\r\n" },
	{ "lone CR behind white space", "a \r", "a \r\r\n", "a \r\r\n" },
	{ "CR before CRLF", "a\r\r\n\r\n", "a\r\r\n", "a\r\r\n" },
	{ "lone LF at the end", "a\n", "a\n\r\n", "a\n\r\n" },
	{ "lone LFs end no line", "a \n \n", "a \n \n\r\n", "a \n \n\r\n" },
	{ "LF then CR", "a\n\r", "a\n\r\r\n", "a\n\r\r\n" },
	/* field: B35 */
	{ "no-break and other spaces are no white space", "a\v\f \xc2\xa0 \r\n",
	    "a\v\f \xc2\xa0 \r\n", "a\v\f \xc2\xa0\r\n" },
	/* RFC 6376 section 3.4.5 */
	{ "examples 1 to 3 of the RFC", " C \r\nD \t E\r\n\r\n\r\n",
	    " C \r\nD \t E\r\n", " C\r\nD E\r\n" },
};

static void
bodies_have_the_form_that_the_rfc_gives(void **state)
{
	struct buf got;

	(void)state;
	buf_init(&got, SIZE_MAX);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct bytes in = bytes_str(rows[i].input);

		canonicalize_cut(SIGNPOST_SIMPLE, in, 0, &got);
		expect(rows[i].name, in, buf_bytes(&got),
		    bytes_str(rows[i].simple));
		canonicalize_cut(SIGNPOST_RELAXED, in, 0, &got);
		expect(rows[i].name, in, buf_bytes(&got),
		    bytes_str(rows[i].relaxed));
	}
	buf_fini(&got);
}

static uint64_t
next_random(uint64_t *random, uint64_t below)
{
	*random = *random * 6364136223846793005U + 1442695040888963407U;
	return (*random >> 33) % below;
}

static void
append_repeated(struct buf *out, const char *string, uint64_t times)
{
	while (times-- > 0)
		buf_append_str(out, string);
}

/* Text with the clean runs, the runs of white space and the runs of line ends
 * that a real body has, and some that none has. */
static void
random_body(uint64_t *random, struct buf *out)
{
	static const char *const pieces[] = { "a", "word ", " ", "  ", "\t",
		"\r\n", "\r\n", " \r\n", "\t\r\n", "\r", "\n", "\r\r\n",
		"\n\r" };
	uint64_t count = next_random(random, 60);

	buf_clear(out);
	for (uint64_t i = 0; i < count; i++) {
		const char *piece = pieces[next_random(
		    random, sizeof pieces / sizeof pieces[0])];
		bool many = next_random(random, 8) == 0;

		append_repeated(
		    out, piece, many ? next_random(random, 300) : 1);
	}
}

/* field: A9, B9 */
static void
long_random_bodies_cut_at_random(void **state)
{
	struct buf in, got, want;
	uint64_t random = 20260101;

	(void)state;
	buf_init(&in, SIZE_MAX);
	buf_init(&got, SIZE_MAX);
	buf_init(&want, SIZE_MAX);
	for (unsigned turn = 0; turn < 6000; turn++) {
		enum signpost_canon canon =
		    turn % 2 == 0 ? SIGNPOST_SIMPLE : SIGNPOST_RELAXED;
		uint64_t longest = 1 + next_random(&random, 700);
		struct canon_body body;

		random_body(&random, &in);
		buf_clear(&want);
		reference_body(canon, buf_bytes(&in), &want);
		buf_clear(&got);
		canon_body_init(&body, canon, to_buf, &got);
		for (size_t at = 0; at < in.len;) {
			size_t len = (size_t)next_random(&random, longest + 1);

			len = len < in.len - at ? len : in.len - at;
			update_copy(&body, in.data + at, len);
			at += len;
		}
		canon_body_final(&body);
		expect("differs from the reference", buf_bytes(&in),
		    buf_bytes(&got), buf_bytes(&want));
	}
	buf_fini(&in);
	buf_fini(&got);
	buf_fini(&want);
}

/* One place that must change, or must not, at every distance from the start and
 * the end of clean text. */
static void
a_change_anywhere_in_clean_text_is_seen(void **state)
{
	static const char *const places[] = { "\t", "  ", " \t", " \r\n",
		"\t\r\n", " \r", " \n", " " };
	struct buf in, got, want;

	(void)state;
	buf_init(&in, SIZE_MAX);
	buf_init(&got, SIZE_MAX);
	buf_init(&want, SIZE_MAX);
	for (size_t i = 0; i < 600 * sizeof places / sizeof places[0]; i++) {
		const char *place = places[i / 600];

		buf_clear(&in);
		append_repeated(&in, "x", i % 600);
		buf_append_str(&in, place);
		append_repeated(&in, "y", 599 - i % 600);
		buf_clear(&want);
		reference_body(SIGNPOST_RELAXED, buf_bytes(&in), &want);
		buf_clear(&got);
		for (int last = 0; last < 2; last++) {
			struct canon_body body;

			/* whole, then without what follows the place */
			canon_body_init(&body, SIGNPOST_RELAXED, to_buf, &got);
			update_copy(&body, in.data, in.len);
			canon_body_final(&body);
			expect(place, buf_bytes(&in), buf_bytes(&got),
			    buf_bytes(&want));
			buf_truncate(&in, i % 600 + strlen(place));
			buf_clear(&want);
			reference_body(SIGNPOST_RELAXED, buf_bytes(&in), &want);
			buf_clear(&got);
		}
	}
	buf_fini(&in);
	buf_fini(&got);
	buf_fini(&want);
}

/* What went into the sink, and how. */
struct tally {
	const char *input;
	size_t input_len;
	uint64_t octets;
	uint64_t borrowed; /* octets that came straight from the input */
	uint64_t calls;
};

static void
to_tally(void *ctx, const char *data, size_t len)
{
	struct tally *tally = ctx;

	tally->calls++;
	tally->octets += len;
	if (data >= tally->input && data < tally->input + tally->input_len)
		tally->borrowed += len;
}

static void
clean_text_goes_out_uncopied_in_one_piece(void **state)
{
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	append_repeated(&in, "Some words on a line, and more.\r\n\r\n", 1000);
	for (int canon = 0; canon < 2; canon++) {
		struct tally tally = { .input = in.data, .input_len = in.len };
		struct canon_body body;

		canon_body_init(&body,
		    canon == 0 ? SIGNPOST_SIMPLE : SIGNPOST_RELAXED, to_tally,
		    &tally);
		canon_body_update(&body, in.data, in.len);
		assert_int_equal(tally.calls, 1);
		assert_int_equal(tally.borrowed, in.len - 4);
		canon_body_final(&body);
		assert_int_equal(tally.octets, in.len - 2);
		assert_int_equal(tally.calls, 2);
	}
	buf_fini(&in);
}

/* Two gigabytes of line ends and a few, then one letter: nothing goes out before it, and
 * all of them, in large blocks, with it. */
static void
line_ends_held_back_go_out_in_blocks(void **state)
{
	const size_t turns = 16384;
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	append_repeated(&in, "\r\n", 65536);
	for (int canon = 0; canon < 2; canon++) {
		struct tally tally = { .input = NULL };
		struct canon_body body;

		canon_body_init(&body,
		    canon == 0 ? SIGNPOST_SIMPLE : SIGNPOST_RELAXED, to_tally,
		    &tally);
		for (size_t i = 0; i < turns; i++)
			canon_body_update(&body, in.data, in.len);
		canon_body_update(&body, "\r\n\r\n\r\n", 6);
		assert_int_equal(tally.calls, 0);
		canon_body_update(&body, "a", 1);
		assert_int_equal(tally.octets, turns * in.len + 7);
		assert_true(tally.calls < tally.octets / 1024);
	}
	buf_fini(&in);
}

static void
white_space_without_end_is_held_back_for_nothing(void **state)
{
	struct tally tally = { .input = NULL };
	struct canon_body body;
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	append_repeated(&in, " \t ", 20000);
	canon_body_init(&body, SIGNPOST_RELAXED, to_tally, &tally);
	canon_body_update(&body, "a", 1);
	for (int i = 0; i < 2000; i++)
		canon_body_update(&body, in.data, in.len);
	assert_int_equal(tally.octets, 1);
	canon_body_update(&body, "b", 1);
	assert_int_equal(tally.octets, 3);
	buf_fini(&in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_short_input_cut_in_every_way),
		cmocka_unit_test(bodies_have_the_form_that_the_rfc_gives),
		cmocka_unit_test(long_random_bodies_cut_at_random),
		cmocka_unit_test(a_change_anywhere_in_clean_text_is_seen),
		cmocka_unit_test(clean_text_goes_out_uncopied_in_one_piece),
		cmocka_unit_test(line_ends_held_back_go_out_in_blocks),
		cmocka_unit_test(
		    white_space_without_end_is_held_back_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
