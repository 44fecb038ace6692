/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_report.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
bench_report_init(struct bench_report *report)
{
	memset(report, 0, sizeof(*report));
}

static void
plot_fini(struct bench_plot *plot)
{
	for (size_t i = 0; i < plot->series_count; i++) {
		free(plot->series[i].label);
		free(plot->series[i].points);
	}
	for (size_t i = 0; i < plot->mark_count; i++)
		free(plot->marks[i].label);
}

void
bench_report_fini(struct bench_report *report)
{
	for (size_t i = 0; i < report->table_count; i++) {
		struct bench_table *table = &report->tables[i];

		for (size_t c = 0; c < table->cell_count; c++)
			free(table->cells[c].text);
		free(table->cells);
	}
	for (size_t i = 0; i < report->plot_count; i++)
		plot_fini(&report->plots[i]);
	for (size_t i = 0; i < report->remark_count; i++)
		free(report->remarks[i]);
	bench_report_init(report);
}

struct bench_table *
bench_report_table(struct bench_report *report, const char *name,
    const char *title, const struct bench_column *columns, size_t column_count)
{
	struct bench_table *table = &report->tables[report->table_count];

	assert(report->table_count < BENCH_MAX_TABLES);
	report->table_count++;
	*table = (struct bench_table){ .name = name,
		.title = title,
		.columns = columns,
		.column_count = column_count,
		.failed = &report->failed };
	return table;
}

/* The array at ITEMS, with room for one more than COUNT items of SIZE octets;
 * NULL where there is no memory, and the array is as it was. */
static void *
grow(void *items, size_t count, size_t *cap, size_t size)
{
	size_t wanted = *cap == 0 ? 16 : 2 * *cap;
	void *grown = items;

	if (count < *cap)
		return items;
	grown = reallocarray(items, wanted, size);
	if (grown != NULL)
		*cap = wanted;
	return grown;
}

static void
add_cell(struct bench_table *table, char *text, double number)
{
	struct bench_cell *cells = grow(table->cells, table->cell_count,
	    &table->cell_cap, sizeof(*table->cells));

	if (cells == NULL) {
		*table->failed = true;
		free(text);
		return;
	}
	table->cells = cells;
	cells[table->cell_count++] =
	    (struct bench_cell){ .text = text, .number = number };
}

static enum bench_unit
next_unit(const struct bench_table *table)
{
	return table->columns[table->cell_count % table->column_count].unit;
}

__attribute__((format(printf, 2, 0))) static char *
format_text(bool *failed, const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) >= 0)
		return text;
	*failed = true;
	return NULL;
}

void
bench_table_text(struct bench_table *table, const char *format, ...)
{
	va_list arguments;
	char *text;

	assert(*table->failed || next_unit(table) == BENCH_TEXT);
	va_start(arguments, format);
	text = format_text(table->failed, format, arguments);
	va_end(arguments);
	add_cell(table, text, NAN);
}

void
bench_table_number(struct bench_table *table, double number)
{
	assert(*table->failed || next_unit(table) != BENCH_TEXT);
	add_cell(table, NULL, number);
}

void
bench_table_empty(struct bench_table *table)
{
	add_cell(table, NULL, NAN);
}

size_t
bench_table_rows(const struct bench_table *table)
{
	return table->cell_count / table->column_count;
}

const struct bench_cell *
bench_table_cell(const struct bench_table *table, size_t row, size_t column)
{
	assert(row < bench_table_rows(table) && column < table->column_count);
	return &table->cells[row * table->column_count + column];
}

bool
bench_table_has(const struct bench_table *table, size_t column)
{
	for (size_t row = 0; row < bench_table_rows(table); row++) {
		const struct bench_cell *cell =
		    bench_table_cell(table, row, column);

		if (!isnan(cell->number) ||
		    (cell->text != NULL && cell->text[0] != '\0'))
			return true;
	}
	return false;
}

struct bench_plot *
bench_report_plot(struct bench_report *report, enum bench_plot_kind kind,
    const char *name, const char *title)
{
	struct bench_plot *plot = &report->plots[report->plot_count];

	assert(report->plot_count < BENCH_MAX_PLOTS);
	report->plot_count++;
	memset(plot, 0, sizeof(*plot));
	plot->kind = kind;
	plot->name = name;
	plot->title = title;
	plot->failed = &report->failed;
	return plot;
}

struct bench_series *
bench_plot_series(struct bench_plot *plot, const char *format, ...)
{
	struct bench_series *series = &plot->series[plot->series_count];
	va_list arguments;

	assert(plot->series_count < BENCH_MAX_SERIES);
	series->color = (unsigned)plot->series_count++;
	va_start(arguments, format);
	series->label = format_text(plot->failed, format, arguments);
	va_end(arguments);
	return series;
}

void
bench_plot_point(
    struct bench_plot *plot, struct bench_series *series, double x, double y)
{
	struct bench_point *points =
	    grow(series->points, series->count, &series->cap, sizeof(*points));

	if (points == NULL) {
		*plot->failed = true;
		return;
	}
	series->points = points;
	points[series->count++] = (struct bench_point){ x, y };
}

void
bench_plot_mark(struct bench_plot *plot, double x, const char *format, ...)
{
	struct bench_mark *mark = &plot->marks[plot->mark_count];
	va_list arguments;

	assert(plot->mark_count < BENCH_MAX_MARKS);
	plot->mark_count++;
	mark->x = x;
	va_start(arguments, format);
	mark->label = format_text(plot->failed, format, arguments);
	va_end(arguments);
}

void
bench_report_remark(struct bench_report *report, const char *format, ...)
{
	va_list arguments;
	char *text;

	if (report->remark_count == BENCH_MAX_REMARKS)
		return;
	va_start(arguments, format);
	text = format_text(&report->failed, format, arguments);
	va_end(arguments);
	if (text != NULL)
		report->remarks[report->remark_count++] = text;
}

/* With a comma before every third digit. */
static void
group_digits(double number, char text[BENCH_NUMBER_SIZE])
{
	char digits[BENCH_NUMBER_SIZE];
	size_t out = 0, len;

	snprintf(digits, sizeof(digits), "%.0f", number);
	len = strlen(digits);
	if (len > BENCH_NUMBER_SIZE / 2) {
		snprintf(text, BENCH_NUMBER_SIZE, "%.3g", number);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0 && digits[i - 1] != '-')
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = '\0';
}

/* Four digits that count, and the unit for that size. */
static void
scale(double number, double step, const char *const units[],
    char text[BENCH_NUMBER_SIZE])
{
	double size = fabs(number);

	while (units[1] != NULL && size >= 0.99995 * step) {
		number /= step;
		size /= step;
		units++;
	}
	snprintf(text, BENCH_NUMBER_SIZE, "%.*f %s",
	    size >= 1000      ? 0
		: size >= 100 ? 1
		: size >= 10  ? 2
			      : 3,
	    number, *units);
}

static void
plain_number(double number, char text[BENCH_NUMBER_SIZE])
{
	double size = fabs(number);

	if (size >= 1000)
		group_digits(number, text);
	else
		snprintf(text, BENCH_NUMBER_SIZE, "%.*f",
		    size >= 100 || size == 0 ? 0
			: size >= 10	     ? 1
					     : 2,
		    number);
}

const char *
bench_number(enum bench_unit unit, double number, char text[BENCH_NUMBER_SIZE])
{
	static const char *const times[] = { "ns", "us", "ms", "s", NULL };
	static const char *const rates[] = { "B/s", "kB/s", "MB/s", "GB/s",
		NULL };
	static const char *const sizes[] = { "B", "kB", "MB", "GB", NULL };

	text[0] = '\0';
	if (isnan(number))
		return text;
	switch (unit) {
	case BENCH_TEXT:
		break;
	case BENCH_COUNT:
		group_digits(number, text);
		break;
	case BENCH_NUMBER:
	case BENCH_BITS:
		snprintf(text, BENCH_NUMBER_SIZE, "%.0f", number);
		break;
	case BENCH_NS:
		scale(number, 1000, times, text);
		break;
	case BENCH_PER_SECOND:
		plain_number(number, text);
		break;
	case BENCH_BYTES:
		group_digits(number, text);
		break;
	case BENCH_SIZE:
		scale(number, 1000, sizes, text);
		break;
	case BENCH_BYTES_PER_SECOND:
		scale(number, 1000, rates, text);
		break;
	case BENCH_RATIO:
		plain_number(number, text);
		break;
	case BENCH_PERCENT:
		snprintf(text, BENCH_NUMBER_SIZE, "%.1f %%", number);
		break;
	}
	return text;
}

const char *
bench_unit_name(enum bench_unit unit)
{
	static const char *const names[] = {
		[BENCH_TEXT] = "",
		[BENCH_COUNT] = "",
		[BENCH_NUMBER] = "",
		[BENCH_BITS] = "bit",
		[BENCH_NS] = "ns",
		[BENCH_PER_SECOND] = "1/s",
		[BENCH_BYTES] = "byte",
		[BENCH_SIZE] = "byte",
		[BENCH_BYTES_PER_SECOND] = "byte/s",
		[BENCH_RATIO] = "times",
		[BENCH_PERCENT] = "%",
	};

	return names[unit];
}
