/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sign_settings - what the command line of "signpost sign" says
 */
#ifndef SIGN_SETTINGS_H
#define SIGN_SETTINGS_H

#include "options.h"
#include "signpost.h"

enum {
	SIGN_MAX_KEYS = 16,
	SIGN_MAX_NAMES = 128 /* of header fields in one option */
};

struct sign_names {
	const char *items[SIGN_MAX_NAMES + 1]; /* NULL-ended */
	bool given;
};

/* A -k with the -d and -s that it goes with. */
struct sign_key {
	const char *domain, *selector, *file;
};

struct sign_settings {
	const char *config_file; /* NULL: the default */
	struct sign_key keys[SIGN_MAX_KEYS];
	size_t key_count;	       /* 0: the configuration decides */
	const char *domain, *selector; /* the last -d and -s */
	enum signpost_canon header_canon, body_canon;
	bool canon_given;
	struct sign_names headers, oversign;
	int64_t expire_s;
	bool expire_given;
	const char *identity; /* NULL: not given */
	bool diagnostics;
};

/* The offset of their rows is that of the struct. */
option_take sign_take_key;
option_take sign_take_canon;
option_take sign_take_expire;
/* A domain or a selector; the offset is that of the string. */
option_take sign_take_domain;
/* Names with colons between them; the offset is that of the struct
 * sign_names. Cuts the argument up. */
option_take sign_take_names;

/* Looks at all that was taken together. False after a complaint. */
bool sign_settings_finish(struct sign_settings *settings);

#endif
