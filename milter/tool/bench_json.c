/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything, for programs. */
#include <jansson.h>
#include <math.h>

#include "bench.h"
#include "bench_form.h"
#include "json_text.h"

/* NULL is out of memory; json_..._new functions pass it on. */
static json_t *
number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *
string(const char *text)
{
	return json_text(bytes_str(text != NULL ? text : ""));
}

static json_t *
cell_value(
    const struct bench_table *table, const struct bench_cell *cell, size_t c)
{
	switch (table->columns[c].unit) {
	case BENCH_TEXT:
		return string(cell->text);
	case BENCH_COUNT:
	case BENCH_NUMBER:
	case BENCH_BITS:
	case BENCH_BYTES:
	case BENCH_SIZE:
		if (isfinite(cell->number) && fabs(cell->number) < 9e15)
			return json_integer(llround(cell->number));
		break;
	case BENCH_NS:
	case BENCH_PER_SECOND:
	case BENCH_BYTES_PER_SECOND:
	case BENCH_RATIO:
	case BENCH_PERCENT:
		break;
	}
	return number(cell->number);
}

static bool
append(json_t *array, json_t *value)
{
	return value != NULL && json_array_append_new(array, value) == 0;
}

static bool
set(json_t *object, const char *name, json_t *value)
{
	return value != NULL && json_object_set_new(object, name, value) == 0;
}

static json_t *
columns_of(const struct bench_table *table)
{
	json_t *columns = json_array();
	bool ok = columns != NULL;

	for (size_t c = 0; c < table->column_count && ok; c++) {
		const struct bench_column *column = &table->columns[c];

		ok = append(columns,
		    json_pack("{s:s, s:s, s:s}", "name", column->name, "label",
			column->label, "unit", bench_unit_name(column->unit)));
	}
	if (ok)
		return columns;
	json_decref(columns);
	return NULL;
}

static json_t *
row_of(const struct bench_table *table, size_t row)
{
	json_t *object = json_object();
	bool ok = object != NULL;

	for (size_t c = 0; c < table->column_count && ok; c++)
		ok = set(object, table->columns[c].name,
		    cell_value(table, bench_table_cell(table, row, c), c));
	if (ok)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *
rows_of(const struct bench_table *table)
{
	json_t *rows = json_array();
	bool ok = rows != NULL;

	for (size_t row = 0; row < bench_table_rows(table) && ok; row++)
		ok = append(rows, row_of(table, row));
	if (ok)
		return rows;
	json_decref(rows);
	return NULL;
}

static json_t *
tables_of(const struct bench_report *report)
{
	json_t *tables = json_array();
	bool ok = tables != NULL;

	for (size_t i = 0; i < report->table_count && ok; i++) {
		const struct bench_table *table = &report->tables[i];

		ok = append(tables,
		    json_pack("{s:s, s:s, s:o, s:o}", "name", table->name,
			"title", table->title, "columns", columns_of(table),
			"rows", rows_of(table)));
	}
	if (ok)
		return tables;
	json_decref(tables);
	return NULL;
}

static json_t *
remarks_of(const struct bench_report *report)
{
	json_t *remarks = json_array();
	bool ok = remarks != NULL;

	for (size_t i = 0; i < report->remark_count && ok; i++)
		ok = append(remarks, string(report->remarks[i]));
	if (ok)
		return remarks;
	json_decref(remarks);
	return NULL;
}

static json_t *
machine_of(const struct bench_machine *machine)
{
	return json_pack("{s:o, s:i, s:f, s:s, s:s, s:s, s:o}", "processor",
	    string(machine->processor), "processors", (int)machine->processors,
	    "ghz", machine->ghz, "ghz_source", machine->ghz_source, "system",
	    machine->system, "libcrypto", primitives_version(), "load",
	    machine->load < 0 ? json_null() : json_real(machine->load));
}

bool
bench_json(const struct bench *bench, FILE *out)
{
	json_t *root = json_pack("{s:s, s:s, s:s, s:b, s:b, s:o, s:o, s:o}",
	    "command", bench->name, "version", signpost_version(), "date",
	    bench->machine.date, "quick", (int)bench->settings->quick, "full",
	    (int)bench->settings->full, "machine", machine_of(&bench->machine),
	    "tables", tables_of(&bench->report), "remarks",
	    remarks_of(&bench->report));

	if (root == NULL)
		return false;
	json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	fputc('\n', out);
	json_decref(root);
	return true;
}
