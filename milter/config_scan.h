/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_scan - what libconfig 1.5 does not say about a configuration's text
 *
 * libconfig believes what it should refuse: an integer beyond 32 bits wraps, a
 * string ends at a NUL, a comment that is never closed swallows the rest, and
 * an @include that can be opened but not read ends the process. So the text is
 * looked through first, by the same lexical rules and following the same
 * @includes, and such things are reported with file, line and setting. What is
 * no more than a syntax error is left to libconfig.
 *
 * Threads: none of its own.
 */
#ifndef CONFIG_SCAN_H
#define CONFIG_SCAN_H

#include "config.h"

enum {
	CONFIG_SCAN_MAX_BYTES = 64 << 20, /* of all files together */
	CONFIG_SCAN_MAX_FILES = 1000,	  /* included, repeats counted */
	CONFIG_SCAN_MAX_INCLUDES = 10	  /* deep; libconfig's own limit */
};

/* Looks through FILE and what it includes, relative names being relative to
 * the working directory. Returns whether libconfig may be let at it; problems
 * may have been added in either case. */
bool config_scan(const char *file, struct config_problems *problems);

#endif
