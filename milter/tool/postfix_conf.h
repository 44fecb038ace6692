/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * postfix_conf - main.cf and master.cf, as far as milters are concerned
 *
 * Parameters are kept as they are written; postfix_conf_expand puts in what
 * $name stands for. Of services those are kept that speak to milters, smtpd
 * and cleanup, with what -o sets for them. Zeroed, it is empty; the caller
 * frees what was read with postfix_conf_fini.
 *
 * Threads: none of its own.
 */
#ifndef POSTFIX_CONF_H
#define POSTFIX_CONF_H

#include <limits.h>
#include <stdbool.h>

#include "buf.h"

struct postfix_parameter {
	char *name, *value;
	unsigned line; /* of the file that it stands in */
	struct postfix_parameter *next;
};

enum postfix_command {
	POSTFIX_SMTPD,
	POSTFIX_CLEANUP,
	POSTFIX_COMMANDS
};

struct postfix_service {
	enum postfix_command command;
	bool chroot;
	unsigned line; /* of master.cf */
	struct postfix_parameter *options;
	struct postfix_service *next;
};

struct postfix_conf {
	char main_cf[PATH_MAX], master_cf[PATH_MAX];
	struct postfix_parameter *parameters; /* of main.cf, the last first */
	struct postfix_service *services;
};

/* Reads what is in FOLDER. False where there is no main.cf. What does not fit
 * in memory is left out. */
bool postfix_conf_read(struct postfix_conf *conf, const char *folder);
void postfix_conf_fini(struct postfix_conf *conf);
/* NULL where NAME is not set in LIST. */
const struct postfix_parameter *postfix_conf_find(
    const struct postfix_parameter *list, const char *name);
/* Appends VALUE to OUT, what main.cf says in place of $name. False where it
 * holds what Postfix alone can tell: a name that main.cf does not set, or a
 * condition. */
bool postfix_conf_expand(
    const struct postfix_conf *conf, const char *value, struct buf *out);

#endif
