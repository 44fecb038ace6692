/* SPDX-License-Identifier: BSD-2-Clause */
#include "setup.h"

#include "rights.h"

struct keystore *
setup_check(struct signpost *handle, const struct config *config,
    struct config_problems *problems)
{
	char error[256];

	if (!rights_known(config->user, config->group, error, sizeof(error)))
		config_problem(problems, config->file, 0, "", "%s", error);
	return keystore_new(handle, config, KEYSTORE_CHECK_ALL, problems);
}
