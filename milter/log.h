/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * log - lines to syslog, standard error or a file, as text or JSON
 *
 * A line is a level and either a text or key=value pairs; values are quoted
 * where they need it. Whatever a message held, a line stays one line: control
 * characters (C0, C1, line separators, those that turn the direction of text)
 * and octets that are not UTF-8 are written as \xHH, in JSON as \u00HH and
 * \ufffd. A value longer than 1000 octets, or a pair that no longer fits the
 * line, is cut and the line marked with cut=true.
 *
 * A line goes out with one write(2): to a file with time, host, process and
 * level in front; to standard error with the level (with <N> where the journal
 * reads it, see sd-daemon(3)); to syslog as facility mail.
 *
 * What one cause can have said again and again has a kind. Of a kind so many
 * lines are written in a minute; then one line has the last of the others, and
 * how many they were.
 *
 * Threads: log_new and log_free while no other thread logs, log_tick from one;
 * all else from any. A leaf mutex keeps the counts of the kinds.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <syslog.h>

enum log_format {
	LOG_TEXT,
	LOG_JSON,
};

enum log_kind {
	LOG_KIND_CONNECTION, /* of an MTA, that is refused */
	LOG_KIND_KEY,	     /* a private key that can't be used */
	LOG_KIND_REPORT,     /* a failure report that is not delivered */
	LOG_KINDS
};

struct log;

/* TO: "syslog", "stderr", "file:" and a path, or a path. NULL with a text in
 * ERROR where it can't be opened. LEVEL: LOG_ERR to LOG_DEBUG. */
struct log *log_new(const char *to, enum log_format format, int level,
    char *error, size_t error_size);
void log_free(struct log *log);
/* Opens a file anew (after rotation) and takes another level. */
void log_reopen(struct log *log, int level);
/* How many lines of a kind are written in a minute; 0: all. It is 0 at first. */
void log_set_limit(struct log *log, unsigned per_minute);
/* Once a second, with monotonic time: ends minutes. UINT64_MAX ends all. */
void log_tick(struct log *log, uint64_t now_ns);
/* Whether lines go to standard error. */
bool log_is_on_stderr(const struct log *log);
bool log_wants(const struct log *log, int level);
/* One plain line. */
void log_line(struct log *log, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of a kind, unless there were too many of it in this minute. */
void log_often(struct log *log, enum log_kind kind, int level,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A line built of pairs: log_pairs_init, log_pair ..., log_pairs_end. */
struct log_pairs {
	struct log *log;
	int level;
	bool skipped; /* below the level: nothing is built */
	bool cut;     /* something did not fit */
	bool whole;   /* a value may fill the line: log_line's */
	size_t len;
	char text[3072]; /* a longer line is cut and marked so */
};

void log_pairs_init(struct log_pairs *pairs, struct log *log, int level);
void log_pair(struct log_pairs *pairs, const char *key, const char *value);
void log_pair_bytes(
    struct log_pairs *pairs, const char *key, const char *value, size_t len);
void log_pair_number(struct log_pairs *pairs, const char *key, long long value);
void log_pairs_end(struct log_pairs *pairs);

#endif
