/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics.h"

#include <string.h>

/* The page under way; FAILED is sticky. */
struct page {
	json_t *root;
	bool failed;
};

/* Takes MEMBER over in every case. */
static void
set(struct page *page, json_t *object, const char *name, json_t *member)
{
	if (json_object_set_new(object, name, member) != 0)
		page->failed = true;
}

/* The member NAME of OBJECT, borrowed, made with MAKE where it is not there;
 * NULL after a failure. */
static json_t *
get_or_make(
    struct page *page, json_t *object, const char *name, json_t *(*make)(void))
{
	json_t *member = json_object_get(object, name);

	if (member == NULL) {
		member = make();
		set(page, object, name, member);
	}
	return page->failed ? NULL : member;
}

/* Goes down PATH, all but its last part if PARENT_ONLY; LAST_R is that part. */
static json_t *
descend(struct page *page, const char *path, char last_r[32])
{
	json_t *object = page->root;
	size_t len;

	while (object != NULL) {
		len = strcspn(path, ".");
		memcpy(last_r, path, len);
		last_r[len] = '\0';
		if (path[len] == '\0')
			break;
		object = get_or_make(page, object, last_r, json_object);
		path += len + 1;
	}
	return object;
}

static double
seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static json_t *
histogram_json(const struct stats_histogram *histogram)
{
	uint64_t count = stats_histogram_count(histogram);
	double sum = seconds(histogram->sum_ns);

	return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f}", "count",
	    (json_int_t)count, "sum", sum, "mean",
	    count > 0 ? sum / (double)count : 0, "p50",
	    stats_histogram_quantile(histogram, 0.5), "p90",
	    stats_histogram_quantile(histogram, 0.9), "p99",
	    stats_histogram_quantile(histogram, 0.99));
}

static json_t *
figure_json(const struct metric_sample *sample)
{
	if (sample->metric->type == METRIC_HISTOGRAM)
		return histogram_json(sample->figure);
	switch (sample->metric->unit) {
	case UNIT_NANOSECONDS:
		return json_real(seconds(*(const uint64_t *)sample->figure));
	case UNIT_REAL:
		return json_real(*(const double *)sample->figure);
	case UNIT_COUNT:
		break;
	}
	return json_integer((json_int_t) * (const uint64_t *)sample->figure);
}

static bool
has_labels(const json_t *element, const struct metric_sample *sample)
{
	size_t count = metric_label_count(sample->metric);
	size_t l;

	for (l = 0; l < count; l++) {
		const char *value = json_string_value(
		    json_object_get(element, sample->metric->labels[l]->name));

		if (value == NULL || strcmp(value, sample->values[l]) != 0)
			return false;
	}
	return true;
}

/* The element of ARRAY with the sample's labels, made where it is missing. */
static json_t *
element_of(struct page *page, json_t *array, const struct metric_sample *sample)
{
	size_t count = metric_label_count(sample->metric);
	json_t *element;
	size_t i;

	json_array_foreach(
	    array, i, element) if (has_labels(element, sample)) return element;
	element = json_object();
	if (json_array_append_new(array, element) != 0) {
		page->failed = true;
		return NULL;
	}
	for (i = 0; i < count; i++)
		set(page, element, sample->metric->labels[i]->name,
		    json_string(sample->values[i]));
	return element;
}

static void
put_sample(void *ctx, const struct metric_sample *sample)
{
	const struct metric *metric = sample->metric;
	size_t count = metric_label_count(metric);
	const char *leaf = metric->leaf;
	struct page *page = ctx;
	json_t *object;
	char last[32];

	object = descend(page, metric->path, last);
	if (object == NULL)
		return;
	if (count > 1) {
		object = get_or_make(page, object, last, json_array);
		object = element_of(page, object, sample);
	} else if (last[0] != '\0') {
		object = get_or_make(page, object, last, json_object);
	}
	if (count == 1 && leaf == NULL)
		leaf = sample->values[0];
	else if (count == 1)
		object =
		    get_or_make(page, object, sample->values[0], json_object);
	if (object != NULL)
		set(page, object, leaf, figure_json(sample));
}

json_t *
metrics_to_json(const struct metrics_readings *readings)
{
	struct page page = { .root = json_object() };
	const struct metric *metric;
	size_t i;

	if (page.root == NULL)
		return NULL;
	set(&page, page.root, "version", json_string(PACKAGE_VERSION));
	for (i = 0; (metric = metrics_row(i)) != NULL && !page.failed; i++)
		metrics_each(metric, readings, put_sample, &page);
	if (page.failed) {
		json_decref(page.root);
		return NULL;
	}
	return page.root;
}

static json_t *
rates_json(const double *rates, size_t count)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < count && array != NULL; i++) {
		if (json_array_append_new(array, json_real(rates[i])) == 0)
			continue;
		json_decref(array);
		array = NULL;
	}
	return array;
}

json_t *
metrics_history_to_json(const struct stats_history *history)
{
	return json_pack("{s:i, s:o, s:o}", "seconds", (int)STATS_HISTORY,
	    "signs", rates_json(history->signs, history->count), "verifies",
	    rates_json(history->verifies, history->count));
}
