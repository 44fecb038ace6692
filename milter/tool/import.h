/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import - what reading another program's configuration has in common: where
 * things stand, what can't be had here, and files of which nothing is known
 *
 * Whatever is found is kept until the end and then printed in the order of the
 * files. What is LOST has no equivalent; a NOTE is of something that was
 * translated all the same, or never had an effect; BAD input can't be
 * translated at all. Strings that are kept live as long as the import. Out of
 * memory is remembered and asked for once, at the end.
 */
#ifndef IMPORT_H
#define IMPORT_H

#include <stdarg.h>

#include "arena.h"
#include "buf.h"
#include "config.h"

enum {
	IMPORT_MAX_BYTES = 64 << 20, /* of one file */
	IMPORT_MAX_ROWS = 1000000    /* of all tables together */
};

/* Where something was read. */
struct import_place {
	const char *file;
	unsigned line;
	const char *setting;
};

struct import {
	struct arena arena;
	struct config_problems problems;
	struct buf files; /* names of those that were read, a line each */
	size_t rows;	  /* of tables, so far */
	int code;	  /* why nothing can be translated; 0: it can */
	bool no_memory;
};

void import_init(struct import *import);
void import_fini(struct import *import);

void import_lost(struct import *import, struct import_place place,
    const char *format, ...) __attribute__((format(printf, 3, 4)));
void import_note(struct import *import, struct import_place place,
    const char *format, ...) __attribute__((format(printf, 3, 4)));
/* CODE, of sysexits(3), is the command's, if it is the first. */
void import_bad(struct import *import, int code, struct import_place place,
    const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Prints all on standard error, as "signpost: FILE:LINE: SETTING: TEXT". */
void import_print_problems(struct import *import, const char *first_file);

/* A copy of BYTES; "" out of memory. */
const char *import_keep(struct import *import, struct bytes bytes);
/* Room for one more element behind COUNT in an array that began as NULL; false
 * out of memory. */
bool import_grow(struct import *import, void *array_place, size_t count,
    size_t element_size);
/* Whether there may be one row more; bad input otherwise. */
bool import_row(struct import *import, struct import_place place);
/* Appends the file PATH, which PLACE names, to TEXT. It has to be a file, and a
 * text. False where it is not, as bad input. */
bool import_read(struct import *import, struct import_place place,
    const char *path, struct buf *text);

#endif
