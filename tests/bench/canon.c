/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canon - what canonicalization adds to the cost of hashing a body
 *
 * usage: canon [ROUNDS]
 *
 * For each kind of text and each method, the rate of canonicalization and
 * SHA-256 together, and its part of the rate of SHA-256 alone, in pieces of
 * 64 kB as a milter gets them; and the rate of looking for what will break the
 * signature, which a signer does beside it. All are medians of ROUNDS (101) that alternate,
 * in CPU time, so that other work on the machine does little to them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "body_hash.h"
#include "buf.h"
#include "hazards.h"

enum {
	PIECE = 65536,
	PIECES = 16, /* a round */
	MAX_ROUNDS = 1001
};

struct kind {
	const char *name;
	const char *line; /* again and again */
};

static const struct kind kinds[] = {
	{ "mail text",
	    "Lines of seventy characters with single spaces are what most mail"
	    " has\r\n" },
	{ "base64",
	    "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4gVGhl"
	    "IHF1aWNr\r\n" },
	{ "paragraphs of one line",
	    "One line a paragraph is what web mail sends, with two empty lines"
	    " or less between them, and a line break only where the writer has"
	    " set one\r\n\r\n" },
	{ "two spaces behind a stop",
	    "It was so once.  It is still so for some.  They learnt it on type"
	    "writers\r\n" },
	{ "indented HTML",
	    "                <td class=\"a\"><a href=\"http://example.com/\">x"
	    "</a></td>\r\n" },
	{ "a space at each line's end",
	    "Text that is format=flowed has a space at the end of most lines "
	    "as "
	    "well \r\n" },
	{ "tabs", "12\t345\t67\t890\t12\t345\t67\t890\r\n" },
	{ "spaces two by two", "a  " },
	{ "spaces only", " " },
	{ "line ends only", "\r\n" },
};

enum {
	KINDS = sizeof kinds / sizeof kinds[0]
};

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void
fail(const char *what)
{
	fprintf(stderr, "canon: %s failed\n", what);
	exit(EXIT_FAILURE);
}

static double
time_bare(struct hash *hash, struct bytes text)
{
	double start = cpu_seconds();
	struct digest digest;

	for (int i = 0; i < PIECES; i++)
		hash_update(hash, text.data, text.len);
	if (hash_final(hash, &digest) != SIGNPOST_OK)
		fail("hash_final");
	return cpu_seconds() - start;
}

static double
time_canonical(
    const struct signpost *handle, enum signpost_canon canon, struct bytes text)
{
	double start = cpu_seconds();
	struct body_hash *hash;
	size_t slot;

	if (body_hash_new(handle, &hash) != SIGNPOST_OK ||
	    body_hash_want(hash, canon, HASH_SHA256, BODY_HASH_NO_LIMIT,
		&slot) != SIGNPOST_OK)
		fail("body_hash_new");
	for (int i = 0; i < PIECES; i++)
		body_hash_update(hash, text.data, text.len);
	if (body_hash_final(hash) != SIGNPOST_OK)
		fail("body_hash_final");
	body_hash_free(hash);
	return cpu_seconds() - start;
}

static double
time_hazards(struct bytes text)
{
	double start = cpu_seconds();
	struct hazard_scan scan;

	hazard_scan_init(&scan, 990);
	for (int i = 0; i < PIECES; i++)
		hazard_scan_update(&scan, text.data, text.len);
	/* Used, so that it is not left out. */
	if (hazard_scan_final(&scan) == HAZARD_BIT(HAZARDS))
		fail("hazard_scan_final");
	return cpu_seconds() - start;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *values, size_t count)
{
	qsort(values, count, sizeof *values, compare);
	return values[count / 2];
}

static void
measure(const struct signpost *handle, struct hash *bare, struct bytes text,
    size_t rounds)
{
	const double megabytes = (double)PIECE * PIECES / 1e6;
	double rate[4][MAX_ROUNDS], part[4][MAX_ROUNDS];

	for (size_t i = 0; i < rounds; i++) {
		double seconds[4];

		seconds[0] = time_bare(bare, text);
		seconds[1] = time_canonical(handle, SIGNPOST_SIMPLE, text);
		seconds[2] = time_canonical(handle, SIGNPOST_RELAXED, text);
		seconds[3] = time_hazards(text);
		for (size_t k = 0; k < 4; k++) {
			rate[k][i] = megabytes / seconds[k];
			part[k][i] = seconds[0] / seconds[k];
		}
	}
	printf("%6.0f %6.0f %5.2f %6.0f %5.2f %7.0f\n", median(rate[0], rounds),
	    median(rate[1], rounds), median(part[1], rounds),
	    median(rate[2], rounds), median(part[2], rounds),
	    median(rate[3], rounds));
}

static void
measure_kind(const struct signpost *handle, struct hash *bare,
    const struct kind *kind, size_t rounds)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	while (text.len < PIECE && !text.failed)
		buf_append_str(&text, kind->line);
	if (text.failed)
		fail("buf_append_str");
	printf("%-28s ", kind->name);
	measure(handle, bare, bytes_of(text.data, PIECE), rounds);
	buf_fini(&text);
}

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 101;
	struct signpost *handle;
	struct hash *bare;

	if (rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: canon [ROUNDS]\n");
		return 64;
	}
	if (signpost_new(&handle) != SIGNPOST_OK ||
	    hash_new(handle, HASH_SHA256, &bare) != SIGNPOST_OK)
		fail("signpost_new");
	printf("%-28s %6s %6s %5s %6s %5s %7s\n", "MB/s", "bare", "simple",
	    "part", "relax.", "part", "hazards");
	for (size_t i = 0; i < KINDS; i++)
		measure_kind(handle, bare, &kinds[i], (size_t)rounds);
	hash_free(bare);
	signpost_free(handle);
	return EXIT_SUCCESS;
}
