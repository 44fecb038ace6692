/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

/* Puts a problem with a copy of all its strings at the end; false where that
 * was not possible. */
static bool
append(struct config_problems *problems, const struct config_problem *problem)
{
	struct config_problem *items, copy = *problem;

	if (problems->count >= CONFIG_MAX_PROBLEMS)
		return false;
	items =
	    reallocarray(problems->items, problems->count + 1, sizeof *items);
	if (items == NULL)
		return false;
	problems->items = items;
	copy.file = strdup(problem->file);
	copy.setting = strdup(problem->setting);
	copy.text = strdup(problem->text);
	if (copy.file == NULL || copy.setting == NULL || copy.text == NULL) {
		free((char *)copy.file);
		free((char *)copy.setting);
		free((char *)copy.text);
		return false;
	}
	items[problems->count++] = copy;
	return true;
}

/* A fault of a folder is met again with each key in it. */
static bool
is_last(const struct config_problems *problems,
    const struct config_problem *problem)
{
	const struct config_problem *last;

	if (problems->count == 0)
		return false;
	last = &problems->items[problems->count - 1];
	return last->line == problem->line &&
	    last->warning == problem->warning &&
	    strcmp(last->file, problem->file) == 0 &&
	    strcmp(last->setting, problem->setting) == 0 &&
	    strcmp(last->text, problem->text) == 0;
}

__attribute__((format(printf, 3, 0))) static void
add(struct config_problems *problems, struct config_problem problem,
    const char *format, va_list args)
{
	char text[1024];

	vsnprintf(text, sizeof text, format, args);
	problem.text = text;
	if (is_last(problems, &problem))
		return;
	if (!problem.warning)
		problems->errors++;
	if (!append(problems, &problem))
		problems->dropped++;
}

void
config_problem(struct config_problems *problems, const char *file,
    unsigned line, const char *setting, const char *format, ...)
{
	struct config_problem problem = { file, line, setting, NULL, false };
	va_list args;

	va_start(args, format);
	add(problems, problem, format, args);
	va_end(args);
}

void
config_warning(struct config_problems *problems, const char *file,
    unsigned line, const char *setting, const char *format, ...)
{
	struct config_problem problem = { file, line, setting, NULL, true };
	va_list args;

	va_start(args, format);
	add(problems, problem, format, args);
	va_end(args);
}

int
config_problem_text(
    const struct config_problem *problem, char *out, size_t size)
{
	char line[16] = "";

	if (problem->line > 0)
		snprintf(line, sizeof line, ":%u", problem->line);
	return snprintf(out, size, "%s%s: %s%s%s%s", problem->file, line,
	    problem->setting, problem->setting[0] == '\0' ? "" : ": ",
	    problem->warning ? "warning: " : "", problem->text);
}

static const struct config_place *
find_place(const struct config *config, const char *setting)
{
	const struct config_place *place = config->places;

	while (place != NULL && strcmp(place->setting, setting) != 0)
		place = place->next;
	return place;
}

void
config_problems_place(
    struct config_problems *problems, const struct config *config)
{
	for (size_t i = 0; i < problems->count; i++) {
		struct config_problem *problem = &problems->items[i];
		const struct config_place *place;
		char *file;

		if (problem->line > 0 ||
		    strcmp(problem->file, config->file) != 0)
			continue;
		place = find_place(config, problem->setting);
		file = place != NULL ? strdup(place->file) : NULL;
		if (file == NULL)
			continue;
		free((char *)problem->file);
		problem->file = file;
		problem->line = place->line;
	}
}

/* What qsort_r hands to compare. */
static int
compare(const void *a, const void *b, void *first)
{
	const struct config_problem *x = a, *y = b;
	int order =
	    (strcmp(x->file, first) != 0) - (strcmp(y->file, first) != 0);

	if (order == 0)
		order = strcmp(x->file, y->file);
	return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

void
config_problems_sort(struct config_problems *problems, const char *first)
{
	if (problems->count > 0)
		qsort_r(problems->items, problems->count,
		    sizeof *problems->items, compare, (void *)first);
}

void
config_problems_fini(struct config_problems *problems)
{
	size_t i;

	for (i = 0; i < problems->count; i++) {
		free((char *)problems->items[i].file);
		free((char *)problems->items[i].setting);
		free((char *)problems->items[i].text);
	}
	free(problems->items);
	*problems = (struct config_problems){ 0 };
}
