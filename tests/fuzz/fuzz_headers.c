/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A header of fields that the input gives, one a line up to an empty line, and
 * behind it a list of names; found and chosen as a search through all fields
 * finds and chooses.
 */
#include "headers.h"

#include <stdint.h>
#include <stdlib.h>

enum {
	MAX_BYTES = 2000,
	MAX_NAMES = 100
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool condition)
{
	if (!condition)
		abort();
}

static size_t
slow_find_last(
    const struct signpost_headers *headers, struct bytes name, size_t before)
{
	for (size_t i = before; i-- > 0;)
		if (bytes_equal_nocase(headers_get(headers, i).name, name))
			return i;
	return SIZE_MAX;
}

/* A NUL stands for LF, so that values can hold one. */
static void
add_line(struct signpost_headers *headers, struct bytes line)
{
	struct bytes name = line, value = line;
	char *copy = malloc(line.len + 1);

	must(copy != NULL);
	for (size_t i = 0; i < line.len; i++)
		copy[i] = line.data[i] != '\0' ? line.data[i] : '\n';
	value = bytes_of(copy, line.len);
	if (!bytes_next(&value, ':', &name) || value.data == NULL)
		value = bytes_of("", 0);
	signpost_headers_add(
	    headers, name.data, name.len, value.data, value.len);
	free(copy);
}

struct choice {
	const struct signpost_headers *headers;
	const struct bytes *names;
	size_t count;
	size_t at; /* the name that is to take a field next */
	size_t left[MAX_NAMES];
};

/* The next name that can take a field takes this one. */
static void
check_taken(void *ctx, size_t field)
{
	struct choice *choice = ctx;
	size_t want = SIZE_MAX;

	while (want == SIZE_MAX) {
		size_t i = choice->at++;
		size_t before = headers_count(choice->headers);

		must(i < choice->count);
		for (size_t k = 0; k < i; k++)
			if (bytes_equal_nocase(
				choice->names[k], choice->names[i]))
				before = choice->left[k];
		want =
		    slow_find_last(choice->headers, choice->names[i], before);
		choice->left[i] = want == SIZE_MAX ? 0 : want;
	}
	must(field == want);
}

static void
try_names(const struct signpost_headers *headers, struct bytes rest)
{
	struct bytes names[MAX_NAMES];
	struct choice choice = { .headers = headers, .names = names };
	size_t all = headers_count(headers);

	while (choice.count < MAX_NAMES &&
	    bytes_next(&rest, ':', &names[choice.count])) {
		struct bytes name = names[choice.count++];
		size_t found = 0;

		for (size_t i = all; i != SIZE_MAX;) {
			must(headers_find_last(headers, name, i) ==
			    slow_find_last(headers, name, i));
			i = slow_find_last(headers, name, i);
			found += i != SIZE_MAX;
		}
		must(headers_occurrences(headers, name) == found);
	}
	must(headers_select(headers, names, choice.count, check_taken,
		 &choice) == SIGNPOST_OK);
	/* and none was left that should have been taken */
	while (choice.at < choice.count) {
		size_t i = choice.at++;
		size_t before = all;

		for (size_t k = 0; k < i; k++)
			if (bytes_equal_nocase(names[k], names[i]))
				before = choice.left[k];
		must(slow_find_last(headers, names[i], before) == SIZE_MAX);
		choice.left[i] = 0;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes rest = bytes_of((const char *)data, size), line;
	struct signpost_headers *headers;
	struct buf out;

	must(signpost_headers_new(MAX_BYTES, &headers) == SIGNPOST_OK);
	buf_init(&out, SIZE_MAX);
	while (bytes_next(&rest, '\n', &line) && line.len > 0)
		add_line(headers, line);
	for (size_t i = 0; i < headers_count(headers); i++) {
		headers_append_canonical(headers, i, SIGNPOST_SIMPLE, &out);
		headers_append_canonical(headers, i, SIGNPOST_RELAXED, &out);
	}
	must(!out.failed && out.len <= 2 * MAX_BYTES);
	if (rest.data != NULL)
		try_names(headers, rest);
	buf_fini(&out);
	signpost_headers_free(headers);
	return 0;
}
