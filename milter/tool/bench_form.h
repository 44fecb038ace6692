/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_form - a report as text, JSON, CSV or a page
 *
 * Text has a table for people. JSON has everything, numbers unrounded. CSV is
 * one rectangle: the first column names the table, and each column that any
 * table has stands once. The page stands alone: no script, nothing loaded.
 */
#ifndef BENCH_FORM_H
#define BENCH_FORM_H

#include <stdbool.h>
#include <stdio.h>

struct bench;
struct bench_plot;

enum bench_form {
	BENCH_FORM_TEXT,
	BENCH_FORM_JSON,
	BENCH_FORM_CSV
};

/* False: out of memory. What could not be written shows in OUT's error. */
typedef bool bench_writer(const struct bench *bench, FILE *out);

bench_writer bench_text;
bench_writer bench_json;
bench_writer bench_csv;
bench_writer bench_html;

/* The plot as an element svg. */
void bench_plot_svg(const struct bench_plot *plot, FILE *out);
/* TEXT with the characters that HTML knows as entities; NULL is empty. */
void bench_html_text(const char *text, FILE *out);

#endif
