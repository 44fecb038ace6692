/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_history.h"

#include <stdint.h>
#include <string.h>

void
bench_history_prose(char *data, size_t len)
{
	static const char *const words[] = { "the", "of", "and", "mail", "a",
		"to", "in", "key", "is", "that", "server", "signature", "was",
		"for", "message", "with", "domain", "as", "his", "on", "be",
		"public", "at", "by", "had", "measured", "from", "which",
		"processor", "are", "not", "this" };
	uint32_t state = 1995;
	size_t at = 0, line = 0;

	while (at < len) {
		const char *word;
		size_t left = len - at, n;

		/* Constants of Numerical Recipes. */
		state = state * 1664525 + 1013904223;
		word = words[state >> 27];
		n = strlen(word);
		if (n > left)
			n = left;
		memcpy(data + at, word, n);
		at += n;
		line += n + 1;
		if (at < len)
			data[at++] = line > 70 ? '\n' : ' ';
		if (line > 70)
			line = 0;
	}
}

bool
bench_history_take(struct bench *bench, const char *what,
    const struct bench_pace *shape, bench_operation *operation, void *ctx,
    struct bench_measured *measured_r)
{
	struct bench_pace kept = bench->pace;
	bool ok;

	bench->pace.warm_ups = shape->warm_ups;
	if (!bench->settings->quick)
		bench->pace.samples = shape->samples;
	ok = bench_take(bench, what, operation, ctx, measured_r);
	bench->pace = kept;
	return ok;
}

int
bench_history(struct bench *bench, const void *settings)
{
	static bench_history_set *const sets[] = { bench_history_1995,
		bench_history_cryptopp, bench_history_2001,
		bench_history_claims, bench_history_2014 };

	(void)settings;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		sets[i](bench);
	return 0;
}

int
bench_history_command(int argc, char **argv)
{
	static const struct option_row rows[] = { BENCH_ROWS };
	static const struct command_usage usage = {
		.command = "bench history",
		.synopsis = "[--quick | --full] [--format text|json|csv] "
			    "[--html FILE]",
		.summary = "Makes the measurements of 1995 to 2014 again.",
		.rows = rows,
	};
	struct bench_settings settings = { 0 };

	return bench_command(&usage, argc, argv, &settings, bench_history);
}
