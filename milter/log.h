/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * log - lines to syslog, standard error or a file, as text or JSON
 *
 * A line is a level and either a text or key=value pairs; values are quoted
 * where they need it. Whatever a message held, a line stays one line: control
 * characters (C0, C1, line separators, those that turn the direction of text)
 * and octets that are not UTF-8 are written as \xHH, in JSON as \u00HH and
 * \ufffd. A value longer than 512 octets, or a pair that no longer fits the
 * line, is cut and the line marked with cut=true.
 *
 * A line goes out with one write(2): to a file with time, process and level in
 * front; to standard error with the level (with <N> where the journal reads
 * it, see sd-daemon(3)); to syslog as facility mail.
 *
 * Threads: log_set only while no other thread logs; all else from any.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <syslog.h>

enum log_format {
	LOG_TEXT,
	LOG_JSON,
};

struct log;

/* TO: "syslog", "stderr" or a path. NULL with a text in ERROR where it can't
 * be opened. LEVEL: LOG_ERR to LOG_DEBUG. */
struct log *log_new(const char *to, enum log_format format, int level,
    char *error, size_t error_size);
void log_free(struct log *log);
/* Opens a file anew (after rotation) and takes another level. */
void log_reopen(struct log *log, int level);
bool log_wants(const struct log *log, int level);
/* One plain line. */
void log_line(struct log *log, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A line built of pairs: log_pairs_init, log_pair ..., log_pairs_end. */
struct log_pairs {
	struct log *log;
	int level;
	bool skipped; /* below the level: nothing is built */
	bool cut;     /* something did not fit */
	bool whole;   /* a value may fill the line: log_line's */
	size_t len;
	char text[2048]; /* a longer line is cut and marked so */
};

void log_pairs_init(struct log_pairs *pairs, struct log *log, int level);
void log_pair(struct log_pairs *pairs, const char *key, const char *value);
void log_pair_bytes(
    struct log_pairs *pairs, const char *key, const char *value, size_t len);
void log_pair_number(struct log_pairs *pairs, const char *key, long long value);
void log_pairs_end(struct log_pairs *pairs);

#endif
