/* SPDX-License-Identifier: BSD-2-Clause */
#include "setup.h"

#include <string.h>

#include "rights.h"

struct keystore *
setup_check(struct signpost *handle, const struct config *config,
    struct config_problems *problems)
{
	char error[256], *text;

	/* An error begins with the setting's name. */
	if (!rights_known(config->user, config->group, error, sizeof(error))) {
		text = strchr(error, ':');
		*text = '\0';
		config_problem(problems, config->file, 0, error, "%s",
		    text + strlen(": "));
	}
	return keystore_new(handle, config, KEYSTORE_CHECK_ALL, problems);
}
