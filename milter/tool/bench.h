/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench - what the measurements of "signpost bench" share
 *
 * A measurement is a function that fills the report of a struct bench, and a
 * row of the table in cmd_bench.c. It measures with bench_take, which shows
 * progress and counts the noise; printing is not its business.
 *
 * Its settings are a struct that begins with struct bench_settings, and its
 * options a table that ends with BENCH_ROWS.
 */
#ifndef BENCH_H
#define BENCH_H

#include "bench_form.h"
#include "bench_machine.h"
#include "bench_primitive.h"
#include "bench_report.h"
#include "bench_sample.h"
#include "options.h"
#include "signpost.h"

struct bench_settings {
	enum bench_form form;
	const char *html; /* NULL: no page */
	bool quick;
	bool full;
};

struct bench {
	const char *name; /* "bench crypto", for complaints */
	const struct bench_settings *settings;
	struct bench_machine machine;
	struct bench_pace pace;
	struct bench_report report;
	struct primitives *primitives;
	struct signpost *handle;
	bool shows_progress;
	size_t taken, noisy; /* measurements */
};

/* Fills the report; 0, or the exit code after a complaint. SETTINGS are those
 * of the measurement, or NULL for its defaults with bench->settings. */
typedef int bench_run(struct bench *bench, const void *settings);

bench_run bench_crypto;
bench_run bench_history;
bench_run bench_mail;
bench_run bench_milter;
bench_run bench_stream;

int bench_crypto_command(int argc, char **argv);
int bench_history_command(int argc, char **argv);
int bench_mail_command(int argc, char **argv);
int bench_milter_command(int argc, char **argv);
int bench_stream_command(int argc, char **argv);

/* All that a measurement's command does: reads the options into SETTINGS, runs
 * RUN and prints the report. */
int bench_command(const struct command_usage *usage, int argc, char **argv,
    struct bench_settings *settings, bench_run *run);

enum {
	BENCH_KEY_NAME_SIZE = 24
};

/* "RSA" or "Ed25519". */
const char *bench_key_type(unsigned bits);
/* "RSA-2048" or "Ed25519". */
const char *bench_key_name(unsigned bits, char name[BENCH_KEY_NAME_SIZE]);
/* A key, with progress shown; NULL with a remark. */
struct primitive_key *bench_key(struct bench *bench, unsigned bits);

/* Shows on a terminal what is being done. */
void bench_progress(struct bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Measures at the bench's pace. False, with a remark in the report, where the
 * operation failed. WHAT names it. */
bool bench_take(struct bench *bench, const char *what,
    bench_operation *operation, void *ctx, struct bench_measured *measured_r);
/* Counts the noise of what was measured without bench_take. */
void bench_count_noise(
    struct bench *bench, const struct bench_measured *measured);

/* The columns that bench_table_measured fills. */
#define BENCH_MEASURED_COLUMNS                                     \
	{ "samples", "samples", BENCH_COUNT },                     \
	    { "mean_ns", "mean", BENCH_NS },                       \
	    { "error_ns", "error 99.9 %", BENCH_NS },              \
	    { "wall_ns", "wall", BENCH_NS },                       \
	    { "per_second", "a second", BENCH_PER_SECOND },        \
	{                                                          \
		"per_second_ghz", "a second/GHz", BENCH_PER_SECOND \
	}
#define BENCH_NOTE_COLUMN              \
	{                              \
		"note", "", BENCH_TEXT \
	}
void bench_table_measured(const struct bench *bench, struct bench_table *table,
    const struct bench_measured *measured);

/* The options of every measurement, and the end of the table. */
#define BENCH_ROWS                                                             \
	{ '\0', "quick", NULL, "fewer and shorter samples", option_flag,       \
		offsetof(struct bench_settings, quick), 0, 0 },                \
	    { '\0', "full", NULL, "more and longer samples", option_flag,      \
		    offsetof(struct bench_settings, full), 0, 0 },             \
	    { '\0', "format", "FORM", "text (default), json or csv",           \
		    bench_take_form, offsetof(struct bench_settings, form), 0, \
		    0 },                                                       \
	    { '\0', "html", "FILE", "write a page with plots, too",            \
		    option_string, offsetof(struct bench_settings, html), 0,   \
		    0 },                                                       \
	{                                                                      \
		0                                                              \
	}
option_take bench_take_form;

#endif
