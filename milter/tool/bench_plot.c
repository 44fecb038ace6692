/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots as SVG, with the legend that belongs to each as a list of HTML. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_form.h"
#include "bench_report.h"

/* In units of the viewBox. Small, so that letters can still be read where the
 * whole is as narrow as a telephone. */
enum {
	WIDTH = 460,
	HEIGHT = 320,
	LEFT = 66,
	RIGHT = 20,
	TOP = 22,
	BOTTOM = 46,
	MAX_TICKS = 16
};

struct axis {
	double low, high; /* of the values; of their logarithms */
	bool is_log;
	double from, to; /* where those are in the picture */
	enum bench_unit unit;
};

static double
scaled(const struct axis *axis, double value)
{
	return axis->is_log ? log10(value) : value;
}

static double
place(const struct axis *axis, double value)
{
	double part =
	    (scaled(axis, value) - axis->low) / (axis->high - axis->low);

	return axis->from + part * (axis->to - axis->from);
}

/* What can't be drawn: no number, or no logarithm. */
static bool
is_drawn(const struct axis *axis, double value)
{
	return isfinite(value) && (!axis->is_log || value > 0);
}

static void
widen(struct axis *axis, double value)
{
	if (!is_drawn(axis, value))
		return;
	value = scaled(axis, value);
	if (value < axis->low)
		axis->low = value;
	if (value > axis->high)
		axis->high = value;
}

/* The distance of ticks: 1, 2 or 5 times a power of ten. */
static double
tick_step(const struct axis *axis)
{
	double raw = (axis->high - axis->low) / 5;
	double power = pow(10, floor(log10(raw)));
	double part = raw / power;

	if (axis->is_log)
		return axis->high - axis->low > 10 ? 2 : 1;
	return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* Rounds the ends to ticks. */
static void
round_axis(struct axis *axis)
{
	double step;

	if (axis->low > axis->high)
		axis->low = axis->high = 0;
	if (!axis->is_log && axis->low > 0)
		axis->low = 0;
	if (axis->high - axis->low < 1e-9)
		axis->high = axis->low + 1;
	step = tick_step(axis);
	axis->low = floor(axis->low / step + 1e-9) * step;
	axis->high = ceil(axis->high / step - 1e-9) * step;
}

static void
make_axes(const struct bench_plot *plot, struct axis *x, struct axis *y)
{
	*x = (struct axis){ INFINITY, -INFINITY, plot->log_x, LEFT,
		WIDTH - RIGHT, plot->x_unit };
	*y = (struct axis){ INFINITY, -INFINITY, plot->log_y, HEIGHT - BOTTOM,
		TOP, plot->y_unit };
	for (size_t i = 0; i < plot->series_count; i++) {
		const struct bench_series *series = &plot->series[i];

		for (size_t p = 0; p < series->count; p++) {
			widen(x, series->points[p].x);
			widen(y, series->points[p].y);
		}
	}
	round_axis(x);
	round_axis(y);
}

/* A tick's number, without zeros at the end of what is behind the point. */
static void
print_tick(const struct axis *axis, double value, FILE *out)
{
	char text[BENCH_NUMBER_SIZE], *point, *unit, *end;

	bench_number(axis->unit, value, text);
	point = strchr(text, '.');
	if (point != NULL) {
		unit = point + 1 + strspn(point + 1, "0123456789");
		end = unit;
		while (end[-1] == '0')
			end--;
		if (end == point + 1)
			end = point;
		memmove(end, unit, strlen(unit) + 1);
	}
	bench_html_text(text, out);
}

static void
print_x_ticks(const struct axis *x, FILE *out)
{
	double step = tick_step(x);

	for (int i = 0; i < MAX_TICKS; i++) {
		double at = x->low + i * step;
		double value = x->is_log ? pow(10, at) : at;

		if (at > x->high + 1e-9 * step)
			break;
		fprintf(out,
		    "<path class=\"grid\" d=\"M%.1f %d V%d\"/>\n"
		    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
		    place(x, value), TOP, HEIGHT - BOTTOM, place(x, value),
		    HEIGHT - BOTTOM + 15);
		print_tick(x, value, out);
		fputs("</text>\n", out);
	}
}

static void
print_y_ticks(const struct axis *y, FILE *out)
{
	double step = tick_step(y);

	for (int i = 0; i < MAX_TICKS; i++) {
		double at = y->low + i * step;
		double value = y->is_log ? pow(10, at) : at;

		if (at > y->high + 1e-9 * step)
			break;
		fprintf(out,
		    "<path class=\"grid\" d=\"M%d %.1f H%d\"/>\n"
		    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
		    LEFT, place(y, value), WIDTH - RIGHT, LEFT - 6,
		    place(y, value) + 4);
		print_tick(y, value, out);
		fputs("</text>\n", out);
	}
}

static void
print_labels(const struct bench_plot *plot, FILE *out)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
	    (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
	bench_html_text(plot->x_label, out);
	fprintf(out, "</text>\n<text x=\"%d\" y=\"%d\">", 4, TOP - 9);
	bench_html_text(plot->y_label, out);
	fputs("</text>\n", out);
}

static void
print_point(const struct bench_plot *plot, const struct bench_series *series,
    double x, double y, FILE *out)
{
	char number[BENCH_NUMBER_SIZE];

	fputs("<title>", out);
	bench_html_text(series->label, out);
	fputs(", ", out);
	if (plot->kind == BENCH_BARS && x < (double)plot->mark_count)
		bench_html_text(plot->marks[(size_t)x].label, out);
	else
		bench_html_text(bench_number(plot->x_unit, x, number), out);
	fputs(": ", out);
	bench_html_text(bench_number(plot->y_unit, y, number), out);
	fputs("</title>", out);
}

static void
print_line(const struct bench_plot *plot, size_t number, const struct axis *x,
    const struct axis *y, FILE *out)
{
	const struct bench_series *series = &plot->series[number];
	char letter = 'M';

	fprintf(out, "<g class=\"s%u\">\n<path class=\"line%s\" d=\"",
	    series->color, series->is_dashed ? " dashed" : "");
	for (size_t p = 0; p < series->count; p++) {
		struct bench_point point = series->points[p];

		if (!is_drawn(x, point.x) || !is_drawn(y, point.y))
			continue;
		fprintf(out, "%c%.1f %.1f ", letter, place(x, point.x),
		    place(y, point.y));
		letter = 'L';
	}
	fputs("\"/>\n", out);
	for (size_t p = 0; p < series->count; p++) {
		struct bench_point point = series->points[p];

		if (!is_drawn(x, point.x) || !is_drawn(y, point.y))
			continue;
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\">",
		    place(x, point.x), place(y, point.y));
		print_point(plot, series, point.x, point.y, out);
		fputs("</circle>\n", out);
	}
	fputs("</g>\n", out);
}

/* Marks are lettered where the lines stand; the list below says the rest. */
static void
print_marks(const struct bench_plot *plot, const struct axis *x, FILE *out)
{
	for (size_t i = 0; i < plot->mark_count; i++) {
		double value = plot->marks[i].x;

		if (!is_drawn(x, value) || scaled(x, value) < x->low ||
		    scaled(x, value) > x->high)
			continue;
		fprintf(out,
		    "<path class=\"mark\" d=\"M%.1f %d V%d\"/>\n"
		    "<text class=\"letter\" x=\"%.1f\" y=\"%d\">%c</text>\n",
		    place(x, value), TOP, HEIGHT - BOTTOM, place(x, value) + 3,
		    TOP + 11 + 11 * (int)(i % 4), (char)('A' + i));
	}
}

static void
print_bars(const struct bench_plot *plot, const struct axis *y, FILE *out)
{
	size_t groups = plot->mark_count, in_group = plot->series_count;
	double slot =
	    (double)(WIDTH - LEFT - RIGHT) / (double)(groups > 0 ? groups : 1);
	double width = 0.8 * slot / (double)(in_group > 0 ? in_group : 1);

	for (size_t i = 0; i < in_group; i++) {
		const struct bench_series *series = &plot->series[i];

		fprintf(out, "<g class=\"s%u\">\n", series->color);
		for (size_t p = 0; p < series->count; p++) {
			struct bench_point at = series->points[p];
			double left =
			    LEFT + (at.x + 0.1) * slot + width * (double)i;
			double top;

			if (!is_drawn(y, at.y))
				continue;
			top = place(y, at.y);
			fprintf(out,
			    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			    "height=\"%.1f\">",
			    left, top, width, HEIGHT - BOTTOM - top);
			print_point(plot, series, at.x, at.y, out);
			fputs("</rect>\n", out);
		}
		fputs("</g>\n", out);
	}
	for (size_t i = 0; i < groups; i++) {
		fprintf(out,
		    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
		    LEFT + ((double)i + 0.5) * slot, HEIGHT - BOTTOM + 15);
		bench_html_text(plot->marks[i].label, out);
		fputs("</text>\n", out);
	}
}

static void
print_legend(const struct bench_plot *plot, FILE *out)
{
	fputs("<ul class=\"legend\">\n", out);
	for (size_t i = 0; i < plot->series_count; i++) {
		fprintf(out, "<li class=\"s%u\"><i%s></i>",
		    plot->series[i].color,
		    plot->series[i].is_dashed ? " class=\"dashed\"" : "");
		bench_html_text(plot->series[i].label, out);
		fputs("</li>\n", out);
	}
	for (size_t i = 0; i < plot->mark_count && plot->kind == BENCH_LINES;
	     i++) {
		fprintf(out, "<li><b>%c</b> ", (char)('A' + i));
		bench_html_text(plot->marks[i].label, out);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

void
bench_plot_svg(const struct bench_plot *plot, FILE *out)
{
	struct axis x, y;

	make_axes(plot, &x, &y);
	fprintf(out, "<figure id=\"plot-%s\">\n<figcaption>", plot->name);
	bench_html_text(plot->title, out);
	fprintf(out,
	    "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" "
	    "aria-label=\"",
	    WIDTH, HEIGHT);
	bench_html_text(plot->title, out);
	fputs("\">\n", out);
	print_y_ticks(&y, out);
	if (plot->kind == BENCH_LINES) {
		print_x_ticks(&x, out);
		print_marks(plot, &x, out);
		for (size_t i = 0; i < plot->series_count; i++)
			print_line(plot, i, &x, &y, out);
	} else {
		print_bars(plot, &y, out);
	}
	print_labels(plot, out);
	fputs("</svg>\n", out);
	print_legend(plot, out);
	fputs("</figure>\n", out);
}
