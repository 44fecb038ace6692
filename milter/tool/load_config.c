/* SPDX-License-Identifier: BSD-2-Clause */
#include "load_config.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"

void
load_config_complain(const struct config_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		const struct config_problem *problem = &problems->items[i];

		fprintf(stderr, "signpost: %s", problem->file);
		if (problem->line > 0)
			fprintf(stderr, ":%u", problem->line);
		if (problem->setting[0] != '\0')
			fprintf(stderr, ": %s", problem->setting);
		fprintf(stderr, ": %s\n", problem->text);
	}
}

int
load_config(const char *file, const struct config **config_r)
{
	struct config_problems problems;

	*config_r = NULL;
	if (file == NULL)
		file = LOAD_CONFIG_DEFAULT;
	if (access(file, R_OK) < 0)
		return complain_file(file, errno);
	*config_r = config_load(file, &problems);
	if (*config_r == NULL)
		load_config_complain(&problems);
	config_problems_fini(&problems);
	return *config_r != NULL ? 0 : EX_CONFIG;
}
