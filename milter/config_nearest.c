/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "config_settings.h"

enum {
	MAX_LETTERS = 48 /* of a name that count */
};

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters must be put in, taken out or changed to make B of A
 * (Levenshtein), case apart. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[MAX_LETTERS + 1];
	size_t a_len = strnlen(a, MAX_LETTERS), b_len = strnlen(b, MAX_LETTERS);
	size_t i, j, diagonal, above;

	for (j = 0; j <= b_len; j++)
		row[j] = j;
	for (i = 1; i <= a_len; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= b_len; j++) {
			above = row[j];
			row[j] = least(least(above, row[j - 1]) + 1,
			    diagonal +
				(ascii_lower(a[i - 1]) !=
				    ascii_lower(b[j - 1])));
			diagonal = above;
		}
	}
	return row[b_len];
}

/* What stands before the last dot of NAME, dot included. */
static size_t
group_len(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot == NULL ? 0 : (size_t)(dot - name) + 1;
}

/* Tries the group or entry of LEN octets at NAME, its dot included, against
 * what was found so far; a name in another group is one step further away. */
static void
consider(const char *wrong, const char *name, size_t prefix,
    const char *shown_prefix, size_t *best, char *out, size_t size)
{
	size_t wrong_prefix = group_len(wrong), far;
	bool same = wrong_prefix == strlen(shown_prefix) &&
	    strncmp(wrong, shown_prefix, wrong_prefix) == 0;

	far = 2 * distance(wrong + wrong_prefix, name + prefix) + !same;
	if (far >= *best)
		return;
	*best = far;
	snprintf(out, size, "%s%s", same ? "" : shown_prefix, name + prefix);
}

const char *
setting_nearest(const char *name, char *out, size_t size)
{
	const struct setting *row;
	size_t best = SIZE_MAX, prefix, i;
	char group[48];

	out[0] = '\0';
	for (i = 0; (row = setting_get(i)) != NULL; i++) {
		prefix = group_len(row->name);
		snprintf(group, sizeof group, "%.*s", (int)prefix, row->name);
		consider(name, row->name, prefix, group, &best, out, size);
		if (strcmp(group, "sign.") == 0)
			consider(name, row->name, prefix, "domains.", &best,
			    out, size);
		if (strcmp(group, "verify.") == 0 &&
		    row->type != SETTING_DOMAINS)
			consider(name, row->name, prefix, "verify.domains.",
			    &best, out, size);
		/* The group itself may be what was meant. */
		if (prefix > 0 && row->scope == SCOPE_CONFIG) {
			group[prefix - 1] = '\0';
			consider(name, group, 0, "", &best, out, size);
		}
	}
	return out;
}
