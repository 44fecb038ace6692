/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for people, in columns. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "bench_form.h"

enum {
	WIDTH = 76, /* of a remark */
	MAX_COLUMNS = 24
};

static const char *
cell_text(const struct bench_table *table, size_t row, size_t column,
    char number[BENCH_NUMBER_SIZE])
{
	const struct bench_cell *cell = bench_table_cell(table, row, column);
	enum bench_unit unit = table->columns[column].unit;

	if (unit == BENCH_TEXT)
		return cell->text != NULL ? cell->text : "";
	return bench_number(unit, cell->number, number);
}

static size_t
column_width(const struct bench_table *table, size_t column)
{
	size_t width = strlen(table->columns[column].label);
	char number[BENCH_NUMBER_SIZE];

	for (size_t row = 0; row < bench_table_rows(table); row++) {
		size_t len = strlen(cell_text(table, row, column, number));

		if (len > width)
			width = len;
	}
	return width;
}

/* Text stands at the left of its column, numbers at the right. Spaces are
 * printed once something follows them: *GAP is how many are due. */
static void
print_cell(
    FILE *out, enum bench_unit unit, const char *text, size_t width, int *gap)
{
	int pad = (int)width - (int)strlen(text);

	if (unit != BENCH_TEXT)
		*gap += pad;
	if (text[0] != '\0') {
		fprintf(out, "%*s%s", *gap, "", text);
		*gap = 0;
	}
	*gap += unit == BENCH_TEXT ? pad + 2 : 2;
}

/* ROW is SIZE_MAX for the labels. */
static void
print_row(FILE *out, const struct bench_table *table, size_t row,
    const size_t widths[MAX_COLUMNS])
{
	char number[BENCH_NUMBER_SIZE];
	int gap = 0;

	for (size_t c = 0; c < table->column_count; c++) {
		const char *text = row == SIZE_MAX
		    ? table->columns[c].label
		    : cell_text(table, row, c, number);

		if (bench_table_has(table, c))
			print_cell(
			    out, table->columns[c].unit, text, widths[c], &gap);
	}
	fputc('\n', out);
}

static void
print_table(FILE *out, const struct bench_table *table)
{
	size_t widths[MAX_COLUMNS];

	if (bench_table_rows(table) == 0)
		return;
	assert(table->column_count <= MAX_COLUMNS);
	fprintf(out, "\n%s\n\n", table->title);
	for (size_t c = 0; c < table->column_count; c++)
		widths[c] = column_width(table, c);
	print_row(out, table, SIZE_MAX, widths);
	for (size_t row = 0; row < bench_table_rows(table); row++)
		print_row(out, table, row, widths);
}

/* A remark as an item of a list, folded at spaces. */
static void
print_remark(FILE *out, const char *text)
{
	const char *indent = "* ";

	while (*text != '\0') {
		size_t len = strlen(text), cut = len;

		if (len > WIDTH) {
			cut = WIDTH;
			while (cut > 0 && text[cut] != ' ')
				cut--;
			if (cut == 0)
				cut = strcspn(text, " ");
		}
		fprintf(out, "%s%.*s\n", indent, (int)cut, text);
		text += cut;
		text += strspn(text, " ");
		indent = "  ";
	}
}

bool
bench_text(const struct bench *bench, FILE *out)
{
	const struct bench_machine *machine = &bench->machine;
	const struct bench_report *report = &bench->report;

	fprintf(out,
	    "signpost %s, %s\n%s, %u of its processors, %.2f GHz (%s)\n",
	    signpost_version(), primitives_version(), machine->processor,
	    machine->processors, machine->ghz, machine->ghz_source);
	fprintf(out, "%s, %s\n", machine->system, machine->date);
	fputs(
	    "Means and errors are CPU time of one thread; walls, latencies and "
	    "totals are\ntime by the clock.\n",
	    out);
	for (size_t i = 0; i < report->table_count; i++)
		print_table(out, &report->tables[i]);
	if (report->remark_count > 0)
		fputc('\n', out);
	for (size_t i = 0; i < report->remark_count; i++)
		print_remark(out, report->remarks[i]);
	return true;
}
