/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics.h"

#include <inttypes.h>

#define NS_PER_SECOND UINT64_C(1000000000)

static const char *const type_words[] = {
	[METRIC_COUNTER] = "counter",
	[METRIC_GAUGE] = "gauge",
	[METRIC_HISTOGRAM] = "histogram",
};

/* Backslash and line feed are escaped everywhere, quotes in labels only. */
static void
print_escaped(struct buf *out, const char *text, bool is_label)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			buf_append_str(out, "\\n");
		else if (*text == '\\' || (is_label && *text == '"'))
			buf_printf(out, "\\%c", *text);
		else
			buf_append_char(out, *text);
	}
}

/* LE is the bound of a bucket, or NULL. */
static void
print_labels(
    struct buf *out, const struct metric_sample *sample, const char *le)
{
	size_t count = metric_label_count(sample->metric);
	size_t l;

	if (count == 0 && le == NULL)
		return;
	buf_append_char(out, '{');
	for (l = 0; l < count; l++) {
		buf_printf(out, "%s%s=\"", l > 0 ? "," : "",
		    sample->metric->labels[l]->name);
		print_escaped(out, sample->values[l], true);
		buf_append_char(out, '"');
	}
	if (le != NULL)
		buf_printf(out, "%sle=\"%s\"", count > 0 ? "," : "", le);
	buf_append_char(out, '}');
}

/* The whole of 64 bits, which a double would not keep. */
static void
print_seconds(struct buf *out, uint64_t ns)
{
	buf_printf(out, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_SECOND,
	    ns % NS_PER_SECOND);
}

static void
print_histogram(struct buf *out, const struct metric_sample *sample)
{
	const struct stats_histogram *histogram = sample->figure;
	const char *name = sample->metric->name;
	uint64_t count = 0;
	char le[32];
	size_t i;

	for (i = 0; i < STATS_BOUNDS; i++) {
		count += histogram->buckets[i];
		snprintf(le, sizeof(le), "%g", (double)stats_bound_ns(i) / 1e9);
		buf_printf(out, "%s_bucket", name);
		print_labels(out, sample, le);
		buf_printf(out, " %" PRIu64 "\n", count);
	}
	count += histogram->buckets[STATS_BOUNDS];
	buf_printf(out, "%s_bucket", name);
	print_labels(out, sample, "+Inf");
	buf_printf(out, " %" PRIu64 "\n%s_sum", count, name);
	print_labels(out, sample, NULL);
	buf_append_char(out, ' ');
	print_seconds(out, histogram->sum_ns);
	buf_printf(out, "\n%s_count", name);
	print_labels(out, sample, NULL);
	buf_printf(out, " %" PRIu64 "\n", count);
}

static void
print_sample(void *ctx, const struct metric_sample *sample)
{
	struct buf *out = ctx;

	if (sample->metric->type == METRIC_HISTOGRAM) {
		print_histogram(out, sample);
		return;
	}
	buf_append_str(out, sample->metric->name);
	print_labels(out, sample, NULL);
	buf_append_char(out, ' ');
	switch (sample->metric->unit) {
	case UNIT_COUNT:
		buf_printf(out, "%" PRIu64, *(const uint64_t *)sample->figure);
		break;
	case UNIT_NANOSECONDS:
		print_seconds(out, *(const uint64_t *)sample->figure);
		break;
	case UNIT_REAL:
		buf_printf(out, "%.6f", *(const double *)sample->figure);
		break;
	}
	buf_append_char(out, '\n');
}

void
metrics_print_text(const struct metrics_readings *readings, struct buf *out)
{
	const struct metric *metric;
	size_t i;

	for (i = 0; (metric = metrics_row(i)) != NULL; i++) {
		buf_printf(out, "# HELP %s ", metric->name);
		print_escaped(out, metric->help, false);
		buf_printf(out, "\n# TYPE %s %s\n", metric->name,
		    type_words[metric->type]);
		metrics_each(metric, readings, print_sample, out);
	}
}
