/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of metrics.h that goes over a row's figures. */
#include "metrics.h"

size_t
metric_label_count(const struct metric *metric)
{
	size_t count = 0;

	while (count < METRIC_MAX_LABELS && metric->labels[count] != NULL)
		count++;
	return count;
}

static bool
is_zero(const struct metric *metric, const void *figure)
{
	if (metric->type == METRIC_HISTOGRAM)
		return stats_histogram_count(figure) == 0;
	if (metric->unit == UNIT_REAL)
		return !(*(const double *)figure > 0);
	return *(const uint64_t *)figure == 0;
}

/* The last label varies fastest, as the last index of a C array does. */
void
metrics_each(const struct metric *metric,
    const struct metrics_readings *readings, metric_visit *visit, void *ctx)
{
	struct metric_sample sample = { .metric = metric };
	size_t labels = metric_label_count(metric);
	size_t index[METRIC_MAX_LABELS] = { 0 };
	size_t total = 1, flat, l, rest;

	for (l = 0; l < labels; l++)
		total *= metric->labels[l]->count;
	for (flat = 0; flat < total; flat++) {
		rest = flat;
		for (l = labels; l-- > 0; rest /= metric->labels[l]->count)
			index[l] = rest % metric->labels[l]->count;
		sample.figure = (const char *)readings + metric->offset +
		    flat * metric->stride;
		if (metric->always != NULL && !metric->always(index) &&
		    is_zero(metric, sample.figure))
			continue;
		for (l = 0; l < labels; l++)
			sample.values[l] = metric->labels[l]->value(index[l]);
		visit(ctx, &sample);
	}
}
