/* SPDX-License-Identifier: BSD-2-Clause */
/* One rectangle for spreadsheets (RFC 4180, lines ended by LF). */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "bench_form.h"

enum {
	MAX_NAMES = 128
};

/* The columns of all tables, each name once. */
struct names {
	const char *items[MAX_NAMES];
	size_t count;
};

static size_t
find_name(const struct names *names, const char *name)
{
	size_t i = 0;

	while (i < names->count && strcmp(names->items[i], name) != 0)
		i++;
	return i;
}

static bool
collect_names(const struct bench_report *report, struct names *names)
{
	names->count = 0;
	for (size_t i = 0; i < report->table_count; i++) {
		const struct bench_table *table = &report->tables[i];

		for (size_t c = 0; c < table->column_count; c++) {
			const char *name = table->columns[c].name;

			if (find_name(names, name) < names->count)
				continue;
			if (names->count == MAX_NAMES)
				return false;
			names->items[names->count++] = name;
		}
	}
	return true;
}

static void
print_text(FILE *out, const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void
print_cell(FILE *out, const struct bench_table *table, size_t row, size_t c)
{
	const struct bench_cell *cell = bench_table_cell(table, row, c);

	if (table->columns[c].unit == BENCH_TEXT)
		print_text(out, cell->text != NULL ? cell->text : "");
	else if (isfinite(cell->number))
		fprintf(out, "%.*g", fabs(cell->number) < 1e15 ? 15 : 6,
		    round(cell->number * 1e6) / 1e6);
}

static void
print_row(FILE *out, const struct names *names, const struct bench_table *table,
    size_t row)
{
	fputs(table->name, out);
	for (size_t i = 0; i < names->count; i++) {
		size_t c = 0;

		fputc(',', out);
		while (c < table->column_count &&
		    strcmp(table->columns[c].name, names->items[i]) != 0)
			c++;
		if (c < table->column_count)
			print_cell(out, table, row, c);
	}
	fputc('\n', out);
}

bool
bench_csv(const struct bench *bench, FILE *out)
{
	const struct bench_report *report = &bench->report;
	struct names names;

	if (!collect_names(report, &names))
		return false;
	fputs("table", out);
	for (size_t i = 0; i < names.count; i++)
		fprintf(out, ",%s", names.items[i]);
	fputc('\n', out);
	for (size_t i = 0; i < report->table_count; i++)
		for (size_t row = 0; row < bench_table_rows(&report->tables[i]);
		     row++)
			print_row(out, &names, &report->tables[i], row);
	return true;
}
