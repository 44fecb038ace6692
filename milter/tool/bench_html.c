/* SPDX-License-Identifier: BSD-2-Clause */
/* A page that stands alone: plots and tables, no script, nothing loaded. */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "bench_form.h"

enum {
	LONG_TEXT = 40 /* octets; more may be folded */
};

static const char style[] =
    ":root{color-scheme:light dark;--line:#8884;--dim:#666;\n"
    "--s0:#1b6ca8;--s1:#d1495b;--s2:#2e8b57;--s3:#b8860b;--s4:#7b4fa3;\n"
    "--s5:#00808a;--s6:#c05a00;--s7:#5a6b00;--s8:#a02070;--s9:#44546a;\n"
    "--s10:#8a5a44;--s11:#3a7d00}\n"
    "@media(prefers-color-scheme:dark){:root{--dim:#aaa;\n"
    "--s0:#6cb4ee;--s1:#ff8a9a;--s2:#6fd39a;--s3:#e6b84a;--s4:#c4a1ec;\n"
    "--s5:#5fd0d8;--s6:#ffa45c;--s7:#c0d060;--s8:#f08cc8;--s9:#a8b8cc;\n"
    "--s10:#d0a48c;--s11:#9cd860}}\n"
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;\n"
    "max-width:70rem}\n"
    "h1{font-size:1.5rem;line-height:1.2}h2{font-size:1.15rem;\n"
    "margin:2rem 0 .5rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;\n"
    "font-size:.9rem}dt{color:var(--dim)}dd{margin:0;"
    "overflow-wrap:anywhere}\n"
    ".plots{display:grid;gap:1.5rem;\n"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr))}\n"
    "figure{margin:0}figcaption{font-weight:600}\n"
    "svg{width:100%;height:auto;font-size:11px;fill:currentColor}\n"
    ".grid{stroke:var(--line);fill:none}.line{fill:none;stroke-width:1.8}\n"
    ".dashed{stroke-dasharray:5 3}\n"
    ".mark{stroke:currentColor;stroke-dasharray:3 3;fill:none;opacity:.6}\n"
    ".letter{font-weight:700}\n"
    ".legend{list-style:none;margin:.25rem 0;padding:0;display:flex;\n"
    "flex-wrap:wrap;gap:.1rem 1rem;font-size:.85rem}\n"
    ".legend i{display:inline-block;width:.8em;height:.8em;\n"
    "margin-right:.4em;background:var(--c)}\n"
    ".legend i.dashed{background:none;border:2px dashed var(--c);\n"
    "box-sizing:border-box}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:.85rem;\n"
    "font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .6rem;text-align:right;white-space:nowrap;\n"
    "border-bottom:1px solid var(--line)}\n"
    "th.t,td.t{text-align:left}td.w{white-space:normal;min-width:12rem}\n"
    "@media(max-width:30rem){svg{font-size:13px}}\n"
    "thead th{border-bottom:2px solid var(--line)}\n";

void
bench_html_text(const char *text, FILE *out)
{
	for (; text != NULL && *text != '\0'; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

static void
print_style(FILE *out)
{
	fprintf(out, "<style>\n%s", style);
	for (int i = 0; i < BENCH_MAX_SERIES; i++)
		fprintf(out,
		    ".s%d{--c:var(--s%d)}.s%d .line{stroke:var(--c)}"
		    ".s%d circle,.s%d rect{fill:var(--c)}\n",
		    i, i, i, i, i);
	fputs("</style>\n", out);
}

static void
print_fact(FILE *out, const char *name, const char *value)
{
	fprintf(out, "<dt>%s</dt><dd>", name);
	bench_html_text(value, out);
	fputs("</dd>\n", out);
}

static void
print_facts(const struct bench *bench, FILE *out)
{
	const struct bench_machine *machine = &bench->machine;
	char text[128];

	fputs("<dl>\n", out);
	print_fact(out, "Processor", machine->processor);
	snprintf(text, sizeof(text), "%.2f GHz (%s)", machine->ghz,
	    machine->ghz_source);
	print_fact(out, "Clock", text);
	snprintf(text, sizeof(text), "%u", machine->processors);
	print_fact(out, "Processors", text);
	print_fact(out, "System", machine->system);
	print_fact(out, "Cryptography", primitives_version());
	print_fact(out, "Date", machine->date);
	fputs("</dl>\n<p>Means and errors are CPU time of one thread; walls, "
	      "latencies and totals are time by the clock. An error is half "
	      "the width of the interval that "
	      "holds the mean with 99.9 % confidence.</p>\n",
	    out);
}

static void
print_cell(FILE *out, const struct bench_table *table, size_t row, size_t c)
{
	const struct bench_cell *cell = bench_table_cell(table, row, c);
	enum bench_unit unit = table->columns[c].unit;
	char number[BENCH_NUMBER_SIZE];

	if (unit != BENCH_TEXT) {
		fputs("<td>", out);
		bench_html_text(bench_number(unit, cell->number, number), out);
	} else {
		bool is_long =
		    cell->text != NULL && strlen(cell->text) > LONG_TEXT;

		fprintf(out, "<td class=\"t%s\">", is_long ? " w" : "");
		bench_html_text(cell->text, out);
	}
	fputs("</td>", out);
}

static void
print_table(FILE *out, const struct bench_table *table)
{
	if (bench_table_rows(table) == 0)
		return;
	fprintf(out, "<h2 id=\"%s\">", table->name);
	bench_html_text(table->title, out);
	fputs("</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr>", out);
	for (size_t c = 0; c < table->column_count; c++) {
		if (!bench_table_has(table, c))
			continue;
		fputs(table->columns[c].unit == BENCH_TEXT ? "<th class=\"t\">"
							   : "<th>",
		    out);
		bench_html_text(table->columns[c].label, out);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t row = 0; row < bench_table_rows(table); row++) {
		fputs("<tr>", out);
		for (size_t c = 0; c < table->column_count; c++)
			if (bench_table_has(table, c))
				print_cell(out, table, row, c);
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n</table>\n</div>\n", out);
}

bool
bench_html(const struct bench *bench, FILE *out)
{
	const struct bench_report *report = &bench->report;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<title>signpost ",
	    out);
	bench_html_text(bench->name, out);
	fputs("</title>\n", out);
	print_style(out);
	fputs("</head>\n<body>\n<h1>signpost ", out);
	bench_html_text(bench->name, out);
	fputs("</h1>\n", out);
	print_facts(bench, out);
	if (report->plot_count > 0)
		fputs("<div class=\"plots\">\n", out);
	for (size_t i = 0; i < report->plot_count; i++)
		bench_plot_svg(&report->plots[i], out);
	if (report->plot_count > 0)
		fputs("</div>\n", out);
	if (report->remark_count > 0)
		fputs("<h2>Remarks</h2>\n<ul>\n", out);
	for (size_t i = 0; i < report->remark_count; i++) {
		fputs("<li>", out);
		bench_html_text(report->remarks[i], out);
		fputs("</li>\n", out);
	}
	if (report->remark_count > 0)
		fputs("</ul>\n", out);
	for (size_t i = 0; i < report->table_count; i++)
		print_table(out, &report->tables[i]);
	fputs("</body>\n</html>\n", out);
	return true;
}
