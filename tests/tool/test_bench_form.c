/* SPDX-License-Identifier: BSD-2-Clause */
/* The output forms of a report that is known. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct bench_settings settings = { .quick = true };

static void
number_is(enum bench_unit unit, double number, const char *want)
{
	char text[BENCH_NUMBER_SIZE];

	assert_string_equal(bench_number(unit, number, text), want);
}

static void
numbers_have_a_unit_that_fits(void **state)
{
	(void)state;
	number_is(BENCH_COUNT, 0, "0");
	number_is(BENCH_COUNT, 999, "999");
	number_is(BENCH_COUNT, 1000, "1,000");
	number_is(BENCH_COUNT, -123456, "-123,456");
	number_is(BENCH_COUNT, 3363088179, "3,363,088,179");
	number_is(BENCH_COUNT, NAN, "");
	number_is(BENCH_COUNT, 1e30, "1e+30");
	number_is(BENCH_NS, 812.44, "812.4 ns");
	number_is(BENCH_NS, 999.99, "1.000 us");
	number_is(BENCH_NS, 203438.819, "203.4 us");
	number_is(BENCH_NS, 6257593.175, "6.258 ms");
	number_is(BENCH_NS, 7.2e12, "7200 s");
	number_is(BENCH_PER_SECOND, 0.5, "0.50");
	number_is(BENCH_PER_SECOND, 36.2, "36.2");
	number_is(BENCH_PER_SECOND, 43061, "43,061");
	number_is(BENCH_BYTES, 656676, "656,676");
	number_is(BENCH_BYTES, 3363088179, "3,363,088,179");
	number_is(BENCH_SIZE, 999, "999.0 B");
	number_is(BENCH_SIZE, 3363088179, "3.363 GB");
	number_is(BENCH_BYTES_PER_SECOND, 57214356, "57.21 MB/s");
	number_is(BENCH_PERCENT, 7.84, "7.8 %");
}

static void
fill(struct bench *bench)
{
	static const struct bench_column first[] = {
		{ "name", "name", BENCH_TEXT },
		{ "mean_ns", "mean", BENCH_NS },
		{ "note", "", BENCH_TEXT },
	};
	static const struct bench_column second[] = {
		{ "bits", "bits", BENCH_BITS },
		{ "name", "called", BENCH_TEXT },
	};
	struct bench_table *table;
	struct bench_plot *plot;
	struct bench_series *series;

	memset(bench, 0, sizeof(*bench));
	bench->name = "bench test";
	bench->settings = &settings;
	bench_machine_look(&bench->machine);
	bench_report_init(&bench->report);
	table = bench_report_table(
	    &bench->report, "first", "A <first> table", first, COUNT(first));
	bench_table_text(table, "a, \"b\" & <c>");
	bench_table_number(table, 1234.5);
	bench_table_text(table, "noisy");
	bench_table_text(table, "x");
	bench_table_number(table, NAN);
	bench_table_empty(table);
	table = bench_report_table(
	    &bench->report, "second", "Second", second, COUNT(second));
	bench_table_number(table, 2048);
	bench_table_text(table, "key");
	bench_report_remark(&bench->report, "%s", "One & only remark.");
	plot = bench_report_plot(
	    &bench->report, BENCH_LINES, "lines", "Lines & marks");
	plot->x_label = plot->y_label = "axis";
	plot->log_x = plot->log_y = true;
	series = bench_plot_series(plot, "a<b");
	/* What has no place on the axes is left out. */
	bench_plot_point(plot, series, 0, 1);
	bench_plot_point(plot, series, 1, 10);
	bench_plot_point(plot, series, 1000, NAN);
	bench_plot_point(plot, series, 1000, 100000);
	bench_plot_mark(plot, 30, "here");
	plot = bench_report_plot(&bench->report, BENCH_BARS, "bars", "Bars");
	plot->x_label = plot->y_label = "axis";
	series = bench_plot_series(plot, "one");
	bench_plot_mark(plot, 0, "RSA");
	bench_plot_point(plot, series, 0, 7);
	assert_false(bench->report.failed);
}

static char *
written(bench_writer *writer)
{
	struct bench bench;
	size_t len;
	char *text;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	fill(&bench);
	assert_true(writer(&bench, out));
	assert_int_equal(fclose(out), 0);
	bench_report_fini(&bench.report);
	return text;
}

static void
text_has_columns(void **state)
{
	char *text = written(bench_text);

	(void)state;
	assert_non_null(strstr(text,
	    "\nA <first> table\n\n"
	    "name              mean\n"
	    "a, \"b\" & <c>  1.234 us  noisy\n"
	    "x\n"
	    "\nSecond\n\n"
	    "bits  called\n"
	    "2048  key\n"));
	assert_non_null(strstr(text, "\n* One & only remark.\n"));
	assert_null(strstr(text, " \n"));
	free(text);
}

static void
csv_is_one_rectangle(void **state)
{
	char *text = written(bench_csv);

	(void)state;
	assert_string_equal(text,
	    "table,name,mean_ns,note,bits\n"
	    "first,\"a, \"\"b\"\" & <c>\",1234.5,noisy,\n"
	    "first,x,,,\n"
	    "second,key,,,2048\n");
	free(text);
}

static void
json_has_everything(void **state)
{
	char *text = written(bench_json);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_t *table, *row;

	(void)state;
	assert_non_null(root);
	assert_true(json_is_true(json_object_get(root, "quick")));
	table = json_array_get(json_object_get(root, "tables"), 0);
	assert_string_equal(
	    json_string_value(json_object_get(table, "name")), "first");
	assert_string_equal(
	    json_string_value(json_object_get(
		json_array_get(json_object_get(table, "columns"), 1), "unit")),
	    "ns");
	row = json_array_get(json_object_get(table, "rows"), 0);
	assert_string_equal(
	    json_string_value(json_object_get(row, "name")), "a, \"b\" & <c>");
	assert_true(json_real_value(json_object_get(row, "mean_ns")) == 1234.5);
	row = json_array_get(json_object_get(table, "rows"), 1);
	assert_true(json_is_null(json_object_get(row, "mean_ns")));
	table = json_array_get(json_object_get(root, "tables"), 1);
	row = json_array_get(json_object_get(table, "rows"), 0);
	assert_true(json_is_integer(json_object_get(row, "bits")));
	assert_int_equal(json_array_size(json_object_get(root, "remarks")), 1);
	json_decref(root);
	free(text);
}

static void
the_page_stands_alone_and_quotes(void **state)
{
	static const char *const wanted[] = { "<!DOCTYPE html>",
		"A &lt;first&gt; table", "a, &quot;b&quot; &amp; &lt;c&gt;",
		"<svg ", "Lines &amp; marks", "a&lt;b", "<li>One &amp; only",
		"<rect ", "<b>A</b> here", "width=device-width" };
	static const char *const unwanted[] = { "<script",
		"http:", "https:", "@import", "url(", "nan", "inf\"" };
	char *text = written(bench_html);

	(void)state;
	for (size_t i = 0; i < COUNT(wanted); i++)
		if (strstr(text, wanted[i]) == NULL)
			fail_msg("no %s in the page", wanted[i]);
	for (size_t i = 0; i < COUNT(unwanted); i++)
		if (strstr(text, unwanted[i]) != NULL)
			fail_msg("%s in the page", unwanted[i]);
	free(text);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_a_unit_that_fits),
		cmocka_unit_test(text_has_columns),
		cmocka_unit_test(csv_is_one_rectangle),
		cmocka_unit_test(json_has_everything),
		cmocka_unit_test(the_page_stands_alone_and_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
