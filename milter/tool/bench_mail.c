/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost bench mail - what signing and verifying whole messages cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_mailer.h"
#include "command.h"

enum {
	MAX_SIZES = 16,
	MAX_CASES = 8, /* keys */
	DIRECTIONS = 2,
	CANONS = 4
};

struct mail_settings {
	struct bench_settings common;
	int64_t sizes[MAX_SIZES];
	size_t size_count;
};

static const unsigned key_sizes[] = { 1024, 2048, 3072, 4096,
	PRIMITIVE_ED25519 };

static const struct canons {
	const char *name;
	enum signpost_canon header, body;
	bool always; /* not with --full alone */
} canons[CANONS] = {
	{ "relaxed/relaxed", SIGNPOST_RELAXED, SIGNPOST_RELAXED, true },
	{ "simple/simple", SIGNPOST_SIMPLE, SIGNPOST_SIMPLE, true },
	{ "relaxed/simple", SIGNPOST_RELAXED, SIGNPOST_SIMPLE, false },
	{ "simple/relaxed", SIGNPOST_SIMPLE, SIGNPOST_RELAXED, false },
};

static const struct direction {
	const char *name;
	bench_operation *whole, *hash, *key;
} directions[DIRECTIONS] = {
	{ "sign", bench_mailer_sign, bench_mailer_hash_to_sign,
	    primitive_sign },
	{ "verify", bench_mailer_verify, bench_mailer_hash_to_verify,
	    primitive_verify },
};

static const struct bench_column mail_columns[] = {
	{ "operation", "operation", BENCH_TEXT },
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "bits", "bits", BENCH_BITS },
	{ "canonicalization", "canonicalization", BENCH_TEXT },
	{ "body_bytes", "body", BENCH_BYTES },
	BENCH_MEASURED_COLUMNS,
	{ "hash_percent", "hashing", BENCH_PERCENT },
	{ "key_percent", "key", BENCH_PERCENT },
	BENCH_NOTE_COLUMN,
};

static const struct bench_column crossing_columns[] = {
	{ "operation", "operation", BENCH_TEXT },
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "bits", "bits", BENCH_BITS },
	{ "canonicalization", "canonicalization", BENCH_TEXT },
	{ "key_ns", "key", BENCH_NS },
	{ "header_ns", "header", BENCH_NS },
	{ "hash_bytes_per_second", "hashing", BENCH_BYTES_PER_SECOND },
	{ "crossing_bytes", "as dear as the key", BENCH_BYTES },
};

static const struct bench_column ratio_columns[] = {
	{ "algorithm", "algorithm", BENCH_TEXT },
	{ "bits", "bits", BENCH_BITS },
	{ "canonicalization", "canonicalization", BENCH_TEXT },
	{ "body_bytes", "body", BENCH_BYTES },
	{ "sign_ns", "sign", BENCH_NS },
	{ "verify_ns", "verify", BENCH_NS },
	{ "sign_to_verify", "sign : verify", BENCH_RATIO },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct mail_run {
	struct bench *bench;
	struct bench_message *messages[MAX_SIZES];
	size_t size_count;
	struct bench_table *mail, *crossing, *ratio;
	/* NAN where it could not be had. */
	double hash_ns[CANONS][DIRECTIONS][MAX_SIZES]; /* all but the key */
	double whole_ns[DIRECTIONS][MAX_SIZES];	       /* of one key */
	struct bench_plot *cost, *share;
};

/* "5379,64k": at most MAX_SIZES, in rising order. */
static bool
take_sizes(const struct option_row *row, const char *command, void *settings,
    const char *argument)
{
	struct mail_settings *mail = settings;
	struct option_row one = *row;
	char *copy = strdup(argument), *rest = copy, *word;
	bool ok = copy != NULL;

	one.offset = 0;
	mail->size_count = 0;
	while (ok && (word = strsep(&rest, ",")) != NULL) {
		int64_t *size = &mail->sizes[mail->size_count];

		if (mail->size_count == MAX_SIZES) {
			complain(EX_USAGE, command, "--sizes: at most %d",
			    MAX_SIZES);
			ok = false;
		} else if (!option_bytes(&one, command, size, word)) {
			ok = false;
		} else if (mail->size_count++ > 0 && size[-1] >= *size) {
			complain(EX_USAGE, command,
			    "--sizes \"%s\": wants them in rising order",
			    argument);
			ok = false;
		}
	}
	free(copy);
	return ok;
}

static size_t
body_bytes(const struct mail_run *run, size_t size)
{
	return run->messages[size]->body.len;
}

static bool
wanted(const struct mail_run *run, size_t canon)
{
	return canons[canon].always || run->bench->settings->full;
}

/* What does not depend on the key's size is measured with one key only. */
static void
measure_hashing(struct mail_run *run, const char *pem, size_t canon)
{
	for (size_t s = 0; s < run->size_count; s++) {
		struct bench_mailer *mailer =
		    bench_mailer_new(run->bench->handle, pem, run->messages[s],
			canons[canon].header, canons[canon].body);

		for (size_t d = 0; d < DIRECTIONS; d++) {
			struct bench_measured measured;

			run->hash_ns[canon][d][s] = NAN;
			if (mailer != NULL &&
			    bench_take(run->bench, "hashing of a message",
				directions[d].hash, mailer, &measured))
				run->hash_ns[canon][d][s] = measured.mean_ns;
		}
		bench_mailer_free(mailer);
	}
}

static void
add_whole(struct mail_run *run, unsigned bits, size_t canon, size_t direction,
    size_t size, const struct bench_measured *measured, double key_ns)
{
	double hash_ns = run->hash_ns[canon][direction][size];
	double hash_percent = 100 * hash_ns / (hash_ns + key_ns);
	struct bench_table *table = run->mail;

	bench_table_text(table, "%s", directions[direction].name);
	bench_table_text(table, "%s", bench_key_type(bits));
	bench_table_number(table, bits);
	bench_table_text(table, "%s", canons[canon].name);
	bench_table_number(table, (double)body_bytes(run, size));
	bench_table_measured(run->bench, table, measured);
	bench_table_number(table, hash_percent);
	bench_table_number(table, 100 - hash_percent);
	bench_table_text(table, "%s", measured->note);
}

static const char *const mark_names[2][DIRECTIONS] = {
	{ "the signature with RSA-2048", "the verification with RSA-2048" },
	{ "the signature with Ed25519", "the verification with Ed25519" },
};

/* The line through the smallest and the largest body: what the header costs,
 * and an octet of body. Where it reaches the key's cost, hashing is as dear. */
static void
add_crossing(struct mail_run *run, unsigned bits, size_t canon,
    size_t direction, double key_ns)
{
	const double *hash_ns = run->hash_ns[canon][direction];
	size_t last = run->size_count - 1;
	double smallest = (double)body_bytes(run, 0);
	double octet_ns = (hash_ns[last] - hash_ns[0]) /
	    ((double)body_bytes(run, last) - smallest);
	double header_ns = hash_ns[0] - octet_ns * smallest;
	double crossing = (key_ns - header_ns) / octet_ns;
	struct bench_table *table = run->crossing;
	char number[BENCH_NUMBER_SIZE];

	if (last == 0 || !(octet_ns > 0))
		return;
	bench_table_text(table, "%s", directions[direction].name);
	bench_table_text(table, "%s", bench_key_type(bits));
	bench_table_number(table, bits);
	bench_table_text(table, "%s", canons[canon].name);
	bench_table_number(table, key_ns);
	bench_table_number(table, header_ns);
	bench_table_number(table, 1e9 / octet_ns);
	bench_table_number(table, crossing > 0 ? crossing : 0);
	if (canon == 0 && (bits == 2048 || bits == PRIMITIVE_ED25519))
		bench_plot_mark(run->cost, crossing,
		    "%s bytes: hashing costs as much as %s",
		    bench_number(BENCH_BYTES, crossing, number),
		    mark_names[bits == 2048 ? 0 : 1][direction]);
}

static void
add_ratios(struct mail_run *run, unsigned bits, size_t canon)
{
	struct bench_table *table = run->ratio;

	for (size_t s = 0; s < run->size_count; s++) {
		double sign_ns = run->whole_ns[0][s];
		double verify_ns = run->whole_ns[1][s];

		if (isnan(sign_ns) || isnan(verify_ns))
			continue;
		bench_table_text(table, "%s", bench_key_type(bits));
		bench_table_number(table, bits);
		bench_table_text(table, "%s", canons[canon].name);
		bench_table_number(table, (double)body_bytes(run, s));
		bench_table_number(table, sign_ns);
		bench_table_number(table, verify_ns);
		bench_table_number(table, sign_ns / verify_ns);
	}
}

/* A line of one operation with one key; NUMBER is the key's. */
static struct bench_series *
add_line(struct bench_plot *plot, size_t number, size_t direction)
{
	char name[BENCH_KEY_NAME_SIZE];
	struct bench_series *series =
	    bench_plot_series(plot, "%s %s", directions[direction].name,
		bench_key_name(key_sizes[number], name));

	series->color = (unsigned)number;
	series->is_dashed = direction == 1;
	return series;
}

static void
plot_key(struct mail_run *run, size_t number, size_t direction, double key_ns)
{
	const double *hash_ns = run->hash_ns[0][direction];
	struct bench_series *cost, *share;

	if (key_sizes[number] == 3072)
		return; /* one line more tells nothing more */
	cost = add_line(run->cost, number, direction);
	share = add_line(run->share, number, direction);
	for (size_t s = 0; s < run->size_count; s++) {
		double x = (double)body_bytes(run, s);

		bench_plot_point(
		    run->cost, cost, x, run->whole_ns[direction][s]);
		bench_plot_point(run->share, share, x,
		    100 * hash_ns[s] / (hash_ns[s] + key_ns));
	}
}

static void
plot_hashing(struct mail_run *run)
{
	struct bench_series *series =
	    bench_plot_series(run->cost, "verify, all but the key");

	series->color = COUNT(key_sizes);
	series->is_dashed = true;
	for (size_t s = 0; s < run->size_count; s++)
		bench_plot_point(run->cost, series, (double)body_bytes(run, s),
		    run->hash_ns[0][1][s]);
}

static void
measure_size(struct mail_run *run, unsigned bits, const char *pem, size_t canon,
    const double *key_ns, size_t size)
{
	struct bench_mailer *mailer = bench_mailer_new(run->bench->handle, pem,
	    run->messages[size], canons[canon].header, canons[canon].body);
	char name[BENCH_KEY_NAME_SIZE];

	if (mailer == NULL)
		bench_report_remark(&run->bench->report,
		    "A message could not be signed with %s and verified.",
		    bench_key_name(bits, name));
	for (size_t d = 0; d < DIRECTIONS; d++) {
		struct bench_measured measured;

		run->whole_ns[d][size] = NAN;
		if (mailer == NULL ||
		    !bench_take(run->bench, "whole messages",
			directions[d].whole, mailer, &measured))
			continue;
		run->whole_ns[d][size] = measured.mean_ns;
		add_whole(run, bits, canon, d, size, &measured, key_ns[d]);
	}
	bench_mailer_free(mailer);
}

static void
measure_key(struct mail_run *run, size_t number)
{
	unsigned bits = key_sizes[number];
	struct bench *bench = run->bench;
	struct primitive_key *key = bench_key(bench, bits);
	double key_ns[DIRECTIONS] = { NAN, NAN };
	char *pem = NULL;

	if (key != NULL)
		pem = primitive_key_pem(key);
	for (size_t d = 0; d < DIRECTIONS && pem != NULL; d++) {
		struct bench_measured measured;

		if (bench_take(bench, "public-key work", directions[d].key, key,
			&measured))
			key_ns[d] = measured.mean_ns;
	}
	for (size_t c = 0; c < CANONS && pem != NULL; c++) {
		if (!wanted(run, c))
			continue;
		if (number == 0)
			measure_hashing(run, pem, c);
		for (size_t s = 0; s < run->size_count; s++)
			measure_size(run, bits, pem, c, key_ns, s);
		for (size_t d = 0; d < DIRECTIONS; d++) {
			add_crossing(run, bits, c, d, key_ns[d]);
			if (c == 0)
				plot_key(run, number, d, key_ns[d]);
		}
		add_ratios(run, bits, c);
	}
	free(pem);
}

static void
lay_out(struct mail_run *run)
{
	struct bench_report *report = &run->bench->report;

	run->mail = bench_report_table(report, "mail",
	    "Whole messages, and what part is hashing or public-key work",
	    mail_columns, COUNT(mail_columns));
	run->crossing = bench_report_table(report, "crossing",
	    "The body whose hashing costs as much as the public-key work",
	    crossing_columns, COUNT(crossing_columns));
	run->ratio = bench_report_table(report, "mail_asymmetry",
	    "Signing against verifying whole messages", ratio_columns,
	    COUNT(ratio_columns));
	run->cost = bench_report_plot(report, BENCH_LINES, "cost_by_body",
	    "Cost of a message by its body, relaxed/relaxed");
	run->share = bench_report_plot(report, BENCH_LINES, "share_of_hashing",
	    "Share of hashing by body, relaxed/relaxed");
	run->cost->x_label = run->share->x_label = "body";
	run->cost->x_unit = run->share->x_unit = BENCH_SIZE;
	run->cost->log_x = run->share->log_x = true;
	run->cost->y_label = "CPU time of a message";
	run->cost->y_unit = BENCH_NS;
	run->cost->log_y = true;
	run->share->y_label = "hashing and all else but the key";
	run->share->y_unit = BENCH_PERCENT;
}

/* With SETTINGS NULL or no --sizes, the defaults. */
static bool
make_messages(struct mail_run *run, const struct mail_settings *settings)
{
	static const int64_t normal[] = { 512, 5379, 32768, 131072, 656676 };
	static const int64_t quick[] = { 512, 5379, 65536, 656676 };
	bool is_quick = run->bench->settings->quick;
	const int64_t *sizes = is_quick ? quick : normal;

	run->size_count = is_quick ? COUNT(quick) : COUNT(normal);
	if (settings != NULL && settings->size_count > 0) {
		sizes = settings->sizes;
		run->size_count = settings->size_count;
	}
	for (size_t i = 0; i < run->size_count; i++) {
		run->messages[i] =
		    bench_message_new("alice@example.com", (size_t)sizes[i]);
		if (run->messages[i] == NULL)
			return false;
	}
	return true;
}

int
bench_mail(struct bench *bench, const void *settings)
{
	struct mail_run run = { .bench = bench };
	int code = 0;

	lay_out(&run);
	if (make_messages(&run, settings))
		for (size_t k = 0; k < COUNT(key_sizes); k++)
			measure_key(&run, k);
	else
		code = complain_status(bench->name, SIGNPOST_NOMEM);
	if (code == 0)
		plot_hashing(&run);
	for (size_t i = 0; i < run.size_count; i++)
		bench_message_free(run.messages[i]);
	return code;
}

int
bench_mail_command(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ '\0', "sizes", "LIST", "sizes of body, such as 5379,656676",
		    take_sizes, 0, 0, BENCH_MAX_BODY },
		BENCH_ROWS,
	};
	static const struct command_usage usage = {
		.command = "bench mail",
		.synopsis = "[--sizes LIST] [--quick] [--format text|json|csv] "
			    "[--html FILE]",
		.summary = "Measures signing and verifying whole messages.",
		.rows = rows,
	};
	struct mail_settings settings = { .size_count = 0 };

	return bench_command(&usage, argc, argv, &settings.common, bench_mail);
}
