/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const json_t *
figure_find(const json_t *json, const char *path)
{
	char name[FIGURE_SIZE];
	size_t len;

	for (; json != NULL; path += len + 1) {
		len = strcspn(path, ".");
		if (len >= sizeof(name))
			return NULL;
		memcpy(name, path, len);
		name[len] = '\0';
		json = json_object_get(json, name);
		if (path[len] == '\0')
			break;
	}
	return json;
}

double
figure_number(const json_t *json, const char *path)
{
	return json_number_value(figure_find(json, path));
}

const char *
figure_string(const json_t *json, const char *path)
{
	const char *value = json_string_value(figure_find(json, path));

	return value != NULL ? value : "?";
}

double
figure_total(const json_t *json, const char *path)
{
	json_t *object = (json_t *)figure_find(json, path);
	const char *name;
	double sum = 0;
	json_t *member;

	json_object_foreach(object, name, member) sum +=
	    json_number_value(member);
	return sum;
}

double
figure_total_count(const json_t *json, const char *path)
{
	const json_t *array = figure_find(json, path);
	double sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(array, i, row) sum += figure_number(row, "count");
	return sum;
}

const char *
count_text(double value, char text[FIGURE_SIZE])
{
	char digits[FIGURE_SIZE / 2];
	int len = snprintf(digits, sizeof(digits), "%.0f", value);
	size_t at = 0;

	if (len < 0 || (size_t)len >= sizeof(digits))
		len = snprintf(digits, sizeof(digits), "?");
	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return text;
}

struct unit {
	double size;
	const char *name;
};

/* Three digits and the greatest unit that fits; the units end with the
 * smallest, and have one of size 1. */
static const char *
unit_text(double value, const struct unit *units, char text[FIGURE_SIZE])
{
	double scaled;

	if (!(value > 0)) {
		while (units->size > 1)
			units++;
		snprintf(text, FIGURE_SIZE, "0 %s", units->name);
		return text;
	}
	while (value < units->size * 0.9995 && units[1].name != NULL)
		units++;
	scaled = value / units->size;
	snprintf(text, FIGURE_SIZE, "%.*f %s",
	    units[1].name == NULL && scaled == (double)(uint64_t)scaled ? 0
		: scaled < 9.995					? 2
		: scaled < 99.95					? 1
									: 0,
	    scaled, units->name);
	return text;
}

const char *
bytes_text(double bytes, char text[FIGURE_SIZE])
{
	static const struct unit units[] = { { 1e12, "TB" }, { 1e9, "GB" },
		{ 1e6, "MB" }, { 1e3, "kB" }, { 1, "B" }, { 0, NULL } };

	return unit_text(bytes, units, text);
}

const char *
seconds_text(double seconds, char text[FIGURE_SIZE])
{
	static const struct unit units[] = { { 1, "s" }, { 1e-3, "ms" },
		{ 1e-6, "us" }, { 1e-9, "ns" }, { 0, NULL } };

	return unit_text(seconds, units, text);
}

const char *
uptime_text(double seconds, char text[FIGURE_SIZE])
{
	uint64_t s = seconds > 0 && seconds < 1e15 ? (uint64_t)seconds : 0;
	int len = 0;

	if (s >= 86400)
		len = snprintf(text, FIGURE_SIZE, "%" PRIu64 " d ", s / 86400);
	snprintf(text + len, FIGURE_SIZE - (size_t)len,
	    "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600 % 24,
	    s / 60 % 60, s % 60);
	return text;
}
