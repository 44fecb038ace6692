/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figures - the members of the daemon's status, and words for them
 *
 * What is not there, or of another type, is 0 or "?". Each word is put in TEXT
 * and returned.
 *
 * Threads: pure functions.
 */
#ifndef FIGURES_H
#define FIGURES_H

#include <jansson.h>

enum {
	FIGURE_SIZE = 48
};

/* The member at PATH, its parts divided by dots; NULL for none. */
const json_t *figure_find(const json_t *json, const char *path);
double figure_number(const json_t *json, const char *path);
const char *figure_string(const json_t *json, const char *path);
/* The sum of all members of the object at PATH. */
double figure_total(const json_t *json, const char *path);
/* The sum of "count" over the array at PATH. */
double figure_total_count(const json_t *json, const char *path);

/* 1,234,567 */
const char *count_text(double value, char text[FIGURE_SIZE]);
const char *bytes_text(double bytes, char text[FIGURE_SIZE]);
const char *seconds_text(double seconds, char text[FIGURE_SIZE]);
/* 2 d 03:04:05 */
const char *uptime_text(double seconds, char text[FIGURE_SIZE]);

#endif
