/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_report - what a measurement found: tables, plots and remarks, in no
 * output form yet
 *
 * A table has fixed columns, each with a unit, and is filled cell by cell, row
 * after row. Every output form (bench_form.h) is made from this alone, so that
 * they say the same. Adding never fails on the spot: out of memory sets FAILED,
 * and whoever prints asks once.
 *
 * Names are for programs (lower case, the unit at the end), labels and titles
 * for people. Column tables and strings passed as const char * are borrowed
 * and must be constants; formatted ones are kept.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

enum {
	BENCH_MAX_TABLES = 32,
	BENCH_MAX_PLOTS = 12,
	BENCH_MAX_REMARKS = 64,
	BENCH_MAX_SERIES = 12, /* in a plot */
	BENCH_MAX_MARKS = 12,
	BENCH_NUMBER_SIZE = 40 /* octets that a formatted number takes */
};

enum bench_unit {
	BENCH_TEXT,
	BENCH_COUNT,
	BENCH_NUMBER, /* of what is not counted: an identifier, a year */
	BENCH_BITS,
	BENCH_NS,
	BENCH_PER_SECOND,
	BENCH_BYTES, /* where every one counts */
	BENCH_SIZE,  /* octets, where they don't */
	BENCH_BYTES_PER_SECOND,
	BENCH_RATIO, /* so many times */
	BENCH_PERCENT
};

struct bench_column {
	const char *name;
	const char *label;
	enum bench_unit unit;
};

struct bench_cell {
	char *text;    /* of a BENCH_TEXT column; NULL for an empty cell */
	double number; /* of any other; NAN for an empty cell */
};

struct bench_table {
	const char *name;
	const char *title;
	const struct bench_column *columns;
	size_t column_count;
	struct bench_cell *cells; /* row by row */
	size_t cell_count, cell_cap;
	bool *failed; /* the report's */
};

struct bench_point {
	double x, y;
};

struct bench_series {
	char *label;
	unsigned color; /* number of one; that of the series by default */
	bool is_dashed;
	struct bench_point *points;
	size_t count, cap;
};

/* A vertical line, where something of interest happens. */
struct bench_mark {
	char *label;
	double x;
};

enum bench_plot_kind {
	BENCH_LINES,
	BENCH_BARS /* x is the number of a category, from 0 */
};

struct bench_plot {
	enum bench_plot_kind kind;
	const char *name, *title;
	const char *x_label, *y_label;
	enum bench_unit x_unit, y_unit;
	bool log_x, log_y;
	struct bench_series series[BENCH_MAX_SERIES];
	size_t series_count;
	struct bench_mark marks[BENCH_MAX_MARKS]; /* of bars: the categories */
	size_t mark_count;
	bool *failed;
};

struct bench_report {
	struct bench_table tables[BENCH_MAX_TABLES];
	size_t table_count;
	struct bench_plot plots[BENCH_MAX_PLOTS];
	size_t plot_count;
	char *remarks[BENCH_MAX_REMARKS];
	size_t remark_count;
	bool failed;
};

void bench_report_init(struct bench_report *report);
void bench_report_fini(struct bench_report *report);

/* A new table; it lives as long as the report. */
struct bench_table *bench_report_table(struct bench_report *report,
    const char *name, const char *title, const struct bench_column *columns,
    size_t column_count);
/* The next cell. */
void bench_table_text(struct bench_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void bench_table_number(struct bench_table *table, double number);
void bench_table_empty(struct bench_table *table);
size_t bench_table_rows(const struct bench_table *table);
const struct bench_cell *bench_table_cell(
    const struct bench_table *table, size_t row, size_t column);
/* Whether any cell of the column has something in it; people need not see one
 * that has not. */
bool bench_table_has(const struct bench_table *table, size_t column);

/* A new plot; the caller sets labels, units and scales. */
struct bench_plot *bench_report_plot(struct bench_report *report,
    enum bench_plot_kind kind, const char *name, const char *title);
struct bench_series *bench_plot_series(struct bench_plot *plot,
    const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_plot_point(
    struct bench_plot *plot, struct bench_series *series, double x, double y);
void bench_plot_mark(struct bench_plot *plot, double x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A sentence for people. */
void bench_report_remark(struct bench_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* NUMBER as people read it, with a unit that fits its size. */
const char *bench_number(
    enum bench_unit unit, double number, char text[BENCH_NUMBER_SIZE]);
/* How programs know the unit: "ns", "byte", ...; "" for text and counts. */
const char *bench_unit_name(enum bench_unit unit);

#endif
