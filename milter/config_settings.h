/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_settings - the one table of settings
 *
 * A row says of a setting its name, type, place in struct config, default,
 * range, whether a reload changes it, and what it is for. Parsing, defaults,
 * range checks, unknown names and config_needs_restart walk the table, and so
 * do the command and the test of the manual page: a new setting is a row here,
 * a member in config.h and an entry in signpost.conf.5, nothing else.
 *
 * The names of rows under "domains." are those of an entry of "domains", those
 * under "domains.keys." of one of its keys; an entry may also have all of
 * "sign." under the same names. So it is with "verify.domains." and "verify.".
 *
 * Threads: the table is constant.
 */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include "arena.h"
#include "config_read.h"

enum setting_type {
	SETTING_STRING,
	SETTING_BOOLEAN,
	SETTING_NUMBER,
	SETTING_COUNT,	      /* a number, kept as size_t */
	SETTING_SIZE,	      /* octets */
	SETTING_SECONDS,      /* a time, kept in seconds */
	SETTING_MILLISECONDS, /* a time, kept in milliseconds */
	SETTING_MODE,	      /* of a file */
	SETTING_WORD,	      /* one of a few, kept as an enum */
	SETTING_CANON,	      /* the same, kept as two */
	SETTING_STRINGS,      /* a list */
	SETTING_NAMES,	      /* a list that "+NAME" and "-NAME" change */
	SETTING_NETWORKS,     /* a list */
	SETTING_ADDRESSES,    /* a list, of names as "domains" have */
	SETTING_DOMAINS,      /* a list of entries */
	SETTING_KEYS,	      /* an entry's list of keys */
	SETTING_TYPES
};

/* What a row's offset counts from. */
enum setting_scope {
	SCOPE_CONFIG, /* struct config */
	SCOPE_DOMAIN, /* struct config_domain */
	SCOPE_KEY,    /* struct config_key */
	SCOPE_VERIFY, /* struct config_verify_domain */
};

struct setting_word {
	const char *word; /* NULL ends the table */
	int value;
};

/* Why a value can't be used, or NULL; of a list, asked for each element. */
typedef const char *setting_check(const char *value);

struct setting {
	const char *name; /* "dns.timeout" */
	enum setting_type type;
	enum setting_scope scope;
	size_t offset;
	const char *initial;	 /* the default as text; NULL: "", and the
	                              member is NULL */
	const char *const *list; /* the default of a list, NULL-ended; NULL:
	                              empty */
	int64_t min, max;	 /* numbers, sizes, times, modes */
	const struct setting_word *words; /* SETTING_WORD, SETTING_CANON */
	setting_check *check;		  /* NULL: none */
	bool restart;			  /* a reload does not change it */
	bool fixed; /* only the default can be had in this version */
	const char *help;
};

/* Row I of the table; NULL beyond its end. */
const struct setting *setting_get(size_t i);
/* The row for NAME ("domains.expire" finds "sign.expire"); NULL for none. */
const struct setting *setting_find(const char *name);
/* Whether NAME is a group of settings. */
bool setting_is_group(const char *name);
/* The setting whose name is nearest to NAME, which is none, as it would be
 * written there. */
const char *setting_nearest(const char *name, char *out, size_t size);

const char *setting_type_name(enum setting_type type);
/* The default as it would be written in the file, and what values may be had:
 * "1 to 100", "yes | no"; "" for anything. */
const char *setting_default_text(
    const struct setting *setting, char *out, size_t size);
const char *setting_range_text(
    const struct setting *setting, char *out, size_t size);

/* The header fields that are signed, and that are signed once more than they
 * are present, where the configuration says nothing; NULL-ended. */
const char *const *setting_default_headers(void);
const char *const *setting_default_oversign(void);

/* Where BASE (of the row's scope) has the setting. */
void *setting_place(const struct setting *setting, void *base);
/* Sets the default. False: out of memory. */
bool setting_set_default(
    const struct setting *setting, void *place, struct arena *arena);
/* A value as it is written, under the name that it has there. */
struct setting_source {
	const char *name;
	const struct config_node *node;
	struct arena *arena;
	struct config_problems *problems;
};

/* Sets what SOURCE says; SETTING_DOMAINS and SETTING_KEYS are the caller's to
 * go on with. False where that can't be, with a problem. */
bool setting_set(const struct setting *setting,
    const struct setting_source *source, void *place);
bool setting_equal(const struct setting *setting, const void *a, const void *b);

#endif
