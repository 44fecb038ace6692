/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration: rows of the parser's process, whatever they are, make a
 * configuration or a problem; a text can be looked through, whatever it is.
 *
 * Needs: milter/arena.c
 * Needs: milter/config.c
 * Needs: milter/config_check.c
 * Needs: milter/config_domains.c
 * Needs: milter/config_names.c
 * Needs: milter/config_nearest.c
 * Needs: milter/config_problem.c
 * Needs: milter/config_read.c
 * Needs: milter/config_reply.c
 * Needs: milter/config_rules.c
 * Needs: milter/config_scan.c
 * Needs: milter/config_settings.c
 * Needs: milter/config_tree.c
 * Needs: milter/config_value.c
 * Needs: milter/keydir.c
 * Needs: milter/keyfile.c
 * Needs: milter/required_keys.c
 * Needs: -lconfig
 */
#include "config_read.h"
#include "config_scan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
fuzz_rows(struct bytes rows)
{
	struct config_problems problems = { 0 };
	struct config_tree *tree = config_tree_parse(rows, &problems);
	const struct config *config = NULL;

	if (tree != NULL) {
		config = config_from_tree("fuzz", tree, &problems);
		if ((config == NULL) != (problems.errors > 0))
			abort();
	}
	if (config != NULL)
		config_find_domain(config, bytes_str("a"), "b.example");
	config_unref(config);
	config_tree_free(tree);
	config_problems_fini(&problems);
}

static void
fuzz_text(struct bytes text)
{
	struct config_problems problems = { 0 };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, text.data, text.len) != (ssize_t)text.len)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (!config_scan(path, &problems) && problems.errors == 0)
		abort();
	config_problems_fini(&problems);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes rest;

	if (size == 0)
		return 0;
	rest = bytes_of((const char *)data + 1, size - 1);
	if (data[0] % 2 == 0)
		fuzz_rows(rest);
	else
		fuzz_text(rest);
	return 0;
}
