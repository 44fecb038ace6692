/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_disk - the domains for which there is a key where a path with "%" in
 * it says
 */
#ifndef OPENDKIM_DISK_H
#define OPENDKIM_DISK_H

#include "opendkim_rules.h"

enum {
	OPENDKIM_MAX_FOUND = 100000 /* names of a folder that are looked at */
};

struct opendkim_found {
	struct import *import;
	struct opendkim_rules *rules;
	struct opendkim_rule rule; /* what those that are added have alike */
	size_t count;		   /* that were added */
};

/* Adds a rule for each domain, of those that the rule's name stands for, whose
 * name in place of the "%" in PATH, a whole one, makes that of a file. */
void opendkim_disk_find(struct opendkim_found *found, const char *path);

#endif
