/* SPDX-License-Identifier: BSD-2-Clause */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "log_stream.h"
#include "rights.h"
#include "utf8.h"

enum {
	/* Kept free at the end of a line for what closes it and says that it
	 * was cut. */
	TAIL_BYTES = 24,
	/* Of one value, before it is cut: a hostile header must not push the
	 * pairs behind it out of the line. */
	VALUE_BYTES = 1000,
	PREFIX_BYTES = 160,
	HOST_BYTES = 64,
	/* Of a line that is repeated, when it is told of at last. */
	REPEATED_BYTES = 400
};

static const uint64_t minute_ns = UINT64_C(60000000000);

static const char ident[] = "signpostd";
static const char file_scheme[] = "file:";

/* By level of syslog(3). */
static const char *const level_words[] = {
	"emerg",
	"alert",
	"crit",
	"err",
	"warning",
	"notice",
	"info",
	"debug",
};

enum target {
	TARGET_SYSLOG,
	TARGET_STDERR,
	TARGET_JOURNAL, /* standard error, read by systemd's journal */
	TARGET_FILE,
};

/* The lines of a kind since its minute began. */
struct minute {
	uint64_t begin_ns; /* 0: not seen by log_tick yet */
	unsigned lines;
	unsigned kept_back;
	int level; /* of the last one that was kept back, and its text */
	char text[REPEATED_BYTES];
};

struct log {
	enum target target;
	enum log_format format;
	atomic_int level;
	int fd;			  /* TARGET_FILE only */
	struct log_stream stream; /* standard error */
	char *path;		  /* TARGET_FILE only */
	char host[HOST_BYTES];
	atomic_uint per_minute;
	pthread_mutex_t mutex; /* of what stands below */
	struct minute minutes[LOG_KINDS];
};

/* sd-daemon(3): JOURNAL_STREAM names device and inode of the stream that the
 * journal reads, so that a redirected standard error is told apart. */
static bool
stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	if (stream == NULL || sscanf(stream, "%llu:%llu", &dev, &ino) != 2 ||
	    fstat(STDERR_FILENO, &st) != 0)
		return false;
	return st.st_dev == dev && st.st_ino == ino;
}

static int
open_file(const char *path)
{
	return open(path,
	    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
	    0640);
}

/* Which of several machines it was; what JSON or a prefix can't hold as it is
 * can't be a host's name. */
static void
read_host(char host[HOST_BYTES])
{
	size_t i;

	if (gethostname(host, HOST_BYTES) < 0)
		host[0] = '\0';
	host[HOST_BYTES - 1] = '\0';
	for (i = 0; host[i] != '\0'; i++)
		if (host[i] <= ' ' || host[i] > '~' ||
		    strchr("\"\\:[]", host[i]) != NULL)
			host[i] = '?';
	if (i == 0)
		strcpy(host, "localhost");
}

struct log *
log_new(const char *to, enum log_format format, int level, char *error,
    size_t error_size)
{
	struct log *log = calloc(1, sizeof *log);

	if (log == NULL) {
		snprintf(error, error_size, "out of memory");
		return NULL;
	}
	log->format = format;
	log->fd = -1;
	log_stream_init(&log->stream, STDERR_FILENO);
	atomic_init(&log->level, level);
	atomic_init(&log->per_minute, 0);
	pthread_mutex_init(&log->mutex, NULL);
	read_host(log->host);
	if (strncmp(to, file_scheme, sizeof file_scheme - 1) == 0)
		to += sizeof file_scheme - 1;
	if (strcmp(to, "syslog") == 0) {
		log->target = TARGET_SYSLOG;
		openlog(ident, LOG_PID | LOG_NDELAY, LOG_MAIL);
		return log;
	}
	if (strcmp(to, "stderr") == 0) {
		log->target =
		    stderr_is_journal() ? TARGET_JOURNAL : TARGET_STDERR;
		return log;
	}
	log->target = TARGET_FILE;
	log->path = strdup(to);
	log->fd = log->path == NULL ? -1 : open_file(to);
	if (log->fd < 0) {
		snprintf(error, error_size, "%s: %s%s", to, strerror(errno),
		    rights_advice(errno));
		log_free(log);
		return NULL;
	}
	return log;
}

void
log_free(struct log *log)
{
	if (log == NULL)
		return;
	if (log->target == TARGET_SYSLOG)
		closelog();
	if (log->target == TARGET_FILE && log->fd >= 0)
		close(log->fd);
	pthread_mutex_destroy(&log->mutex);
	log_stream_fini(&log->stream);
	free(log->path);
	free(log);
}

void
log_reopen(struct log *log, int level)
{
	int fd;

	atomic_store_explicit(&log->level, level, memory_order_relaxed);
	if (log->target != TARGET_FILE)
		return;
	fd = open_file(log->path);
	if (fd < 0) {
		log_line(log, LOG_ERR,
		    "cannot open the log %s again: %s; once it is rotated, "
		    "lines are lost: give it to the daemon's user",
		    log->path, strerror(errno));
		return;
	}
	/* dup3 swaps the file under the descriptor in one step, so writers on
	 * other threads need no lock. */
	if (dup3(fd, log->fd, O_CLOEXEC) < 0)
		log_line(log, LOG_ERR, "cannot open the log %s again: %s",
		    log->path, strerror(errno));
	close(fd);
}

void
log_set_limit(struct log *log, unsigned per_minute)
{
	atomic_store_explicit(
	    &log->per_minute, per_minute, memory_order_relaxed);
}

bool
log_is_on_stderr(const struct log *log)
{
	return log->target == TARGET_STDERR || log->target == TARGET_JOURNAL;
}

bool
log_wants(const struct log *log, int level)
{
	return level <= atomic_load_explicit(&log->level, memory_order_relaxed);
}

/* "2026-01-31T12:00:00.123Z" */
static void
time_text(char *out, size_t size)
{
	struct timespec now;
	struct tm tm;
	size_t len;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	len = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + len, size - len, ".%03ldZ", now.tv_nsec / 1000000);
}

/* What stands before the line; the journal and syslog add a time of their
 * own, and JSON carries its own. */
static void
prefix_text(const struct log *log, int level, char out[PREFIX_BYTES])
{
	char now[40];

	out[0] = '\0';
	if (log->target == TARGET_JOURNAL)
		snprintf(out, PREFIX_BYTES, "<%d>", level);
	else if (log->format == LOG_JSON)
		return;
	else if (log->target == TARGET_STDERR)
		snprintf(
		    out, PREFIX_BYTES, "%s: %s: ", ident, level_words[level]);
	else {
		time_text(now, sizeof now);
		snprintf(out, PREFIX_BYTES, "%s %s %s[%ld] %s: ", now,
		    log->host, ident, (long)getpid(), level_words[level]);
	}
}

static void
emit(struct log *log, int level, const char *text, size_t len)
{
	char line[PREFIX_BYTES + sizeof((struct log_pairs *)0)->text + 1];
	unsigned long lost;
	size_t used;

	if (log->target == TARGET_SYSLOG) {
		syslog(level, "%.*s", (int)len, text);
		return;
	}
	prefix_text(log, level, line);
	used = strlen(line);
	memcpy(line + used, text, len);
	used += len;
	line[used++] = '\n';
	/* One write a line keeps lines of several threads apart. */
	if (log->target == TARGET_FILE) {
		log_stream_write_to(log->fd, line, used);
		return;
	}
	lost = log_stream_write(&log->stream, line, used);
	if (lost > 0)
		log_line(log, LOG_WARNING,
		    "%lu lines before the last were lost: standard error was "
		    "not read",
		    lost);
}

/* The character at the start of TEXT: its length in octets, and its code or -1
 * where it is not UTF-8. */
static size_t
character(struct bytes text, long *code_r)
{
	size_t len = utf8_character_len(text), i;
	long code = (unsigned char)text.data[0];

	if (len == 0) {
		*code_r = -1;
		return 1;
	}
	if (len > 1)
		code &= 0x7f >> len;
	for (i = 1; i < len; i++)
		code = code << 6 | (text.data[i] & 0x3f);
	*code_r = code;
	return len;
}

/* Control characters of C0 and C1, line and paragraph separators, and what
 * turns the direction of text around: a reader's terminal must not act on what
 * a message holds. */
static bool
is_control(long code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f) ||
	    (code >= 0x200e && code <= 0x200f) ||
	    (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

/* Appends all of PART or nothing; false where LIMIT is in the way. */
static bool
put(struct log_pairs *pairs, size_t limit, const char *part, size_t len)
{
	if (pairs->len + len > limit)
		return false;
	memcpy(pairs->text + pairs->len, part, len);
	pairs->len += len;
	return true;
}

static bool
put_character(struct log_pairs *pairs, size_t limit, const char *data,
    size_t len, long code)
{
	bool json = pairs->log->format == LOG_JSON;
	char escape[8];
	int n;

	if ((code == '"' || code == '\\') && (json || !pairs->whole))
		n = snprintf(escape, sizeof escape, "\\%c", (int)code);
	else if (code >= 0 && !is_control(code))
		return put(pairs, limit, data, len);
	else if (json)
		n = snprintf(escape, sizeof escape, "\\u%04lx",
		    code < 0 ? 0xfffdL : code);
	else
		n = snprintf(
		    escape, sizeof escape, "\\x%02x", (unsigned char)data[0]);
	return put(pairs, limit, escape, (size_t)n);
}

/* VALUE with what is not for a log escaped. In text, a character that can't
 * stand is written octet by octet. */
static void
put_escaped(struct log_pairs *pairs, const char *value, size_t len)
{
	size_t limit = sizeof pairs->text - TAIL_BYTES;
	size_t n, i;
	long code;

	if (pairs->len + VALUE_BYTES < limit && !pairs->whole)
		limit = pairs->len + VALUE_BYTES;
	for (i = 0; i < len; i += n) {
		n = character(bytes_of(value + i, len - i), &code);
		if (pairs->log->format == LOG_TEXT && code > 0x7e &&
		    is_control(code)) {
			n = 1;
			code = -1;
		}
		if (!put_character(pairs, limit, value + i, n, code)) {
			pairs->cut = true;
			return;
		}
	}
}

/* Whether VALUE can stand in a line of text without quotes. */
static bool
is_plain(const char *value, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (value[i] <= ' ' || value[i] > '~' || value[i] == '"' ||
		    value[i] == '\\' || value[i] == '=')
			return false;
	return len > 0;
}

void
log_pairs_init(struct log_pairs *pairs, struct log *log, int level)
{
	char now[40];
	int n;

	pairs->log = log;
	pairs->level = level;
	pairs->skipped = !log_wants(log, level);
	pairs->cut = false;
	pairs->whole = false;
	pairs->len = 0;
	if (pairs->skipped || log->format != LOG_JSON)
		return;
	time_text(now, sizeof now);
	n = snprintf(pairs->text, sizeof pairs->text,
	    "{\"time\":\"%s\",\"level\":\"%s\",\"host\":\"%s\",\"pid\":%ld",
	    now, level_words[level], log->host, (long)getpid());
	pairs->len = (size_t)n;
}

/* Writes the key and what stands between it and its value. False where the
 * pair no longer fits, which marks the line as cut. */
static bool
put_key(struct log_pairs *pairs, const char *key)
{
	bool json = pairs->log->format == LOG_JSON;
	size_t limit = sizeof pairs->text - TAIL_BYTES;
	char head[80];
	int n;

	if (pairs->skipped)
		return false;
	if (json)
		n = snprintf(head, sizeof head, ",\"%.64s\":", key);
	else
		n = snprintf(head, sizeof head,
		    "%s%.64s=", pairs->len > 0 ? " " : "", key);
	/* The least that a value takes: two quotes and a number. */
	if (pairs->len + (size_t)n + 24 > limit) {
		pairs->cut = true;
		return false;
	}
	return put(pairs, limit, head, (size_t)n);
}

void
log_pair_bytes(
    struct log_pairs *pairs, const char *key, const char *value, size_t len)
{
	if (value == NULL || !put_key(pairs, key))
		return;
	if (pairs->log->format == LOG_TEXT && is_plain(value, len)) {
		put_escaped(pairs, value, len);
		return;
	}
	put(pairs, sizeof pairs->text, "\"", 1);
	put_escaped(pairs, value, len);
	put(pairs, sizeof pairs->text, "\"", 1);
}

void
log_pair(struct log_pairs *pairs, const char *key, const char *value)
{
	if (value != NULL)
		log_pair_bytes(pairs, key, value, strlen(value));
}

void
log_pair_number(struct log_pairs *pairs, const char *key, long long value)
{
	char digits[24];
	int n;

	if (!put_key(pairs, key))
		return;
	n = snprintf(digits, sizeof digits, "%lld", value);
	put(pairs, sizeof pairs->text, digits, (size_t)n);
}

void
log_pairs_end(struct log_pairs *pairs)
{
	bool json = pairs->log->format == LOG_JSON;
	const char *tail = json ? pairs->cut ? ",\"cut\":true}" : "}"
	    : pairs->cut	? " cut=true"
				: "";

	if (pairs->skipped)
		return;
	put(pairs, sizeof pairs->text, tail, strlen(tail));
	emit(pairs->log, pairs->level, pairs->text, pairs->len);
}

static void
put_line(struct log *log, int level, const char *text, bool cut)
{
	struct log_pairs pairs;

	log_pairs_init(&pairs, log, level);
	pairs.whole = true;
	if (log->format == LOG_JSON)
		log_pair(&pairs, "text", text);
	else
		put_escaped(&pairs, text, strlen(text));
	pairs.cut |= cut;
	log_pairs_end(&pairs);
}

void
log_line(struct log *log, int level, const char *format, ...)
{
	char text[sizeof((struct log_pairs *)0)->text];
	va_list args;
	int n;

	if (!log_wants(log, level))
		return;
	va_start(args, format);
	n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n >= 0)
		put_line(log, level, text, (size_t)n >= sizeof text);
}

/* Whether a line may still be written; keeps TEXT in mind otherwise. */
static bool
is_within_limit(
    struct log *log, struct minute *minute, int level, const char *text)
{
	unsigned limit =
	    atomic_load_explicit(&log->per_minute, memory_order_relaxed);
	bool within;

	pthread_mutex_lock(&log->mutex);
	within = limit == 0 || minute->lines < limit;
	if (within) {
		minute->lines++;
	} else {
		minute->kept_back++;
		minute->level = level;
		snprintf(minute->text, sizeof minute->text, "%.*s",
		    REPEATED_BYTES - 1, text);
	}
	pthread_mutex_unlock(&log->mutex);
	return within;
}

void
log_often(
    struct log *log, enum log_kind kind, int level, const char *format, ...)
{
	char text[sizeof((struct log_pairs *)0)->text];
	va_list args;
	int n;

	if (!log_wants(log, level))
		return;
	va_start(args, format);
	n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n >= 0 && is_within_limit(log, &log->minutes[kind], level, text))
		put_line(log, level, text, (size_t)n >= sizeof text);
}

/* Ends a minute that is over; *ENDED_R is what it was. */
static bool
end_minute(struct log *log, struct minute *minute, uint64_t now_ns,
    struct minute *ended_r)
{
	bool over;

	pthread_mutex_lock(&log->mutex);
	if (minute->lines + minute->kept_back > 0 && minute->begin_ns == 0)
		minute->begin_ns = now_ns;
	over = minute->begin_ns != 0 &&
	    (now_ns == UINT64_MAX || now_ns - minute->begin_ns >= minute_ns);
	if (over) {
		*ended_r = *minute;
		*minute = (struct minute){ 0 };
	}
	pthread_mutex_unlock(&log->mutex);
	return over;
}

void
log_tick(struct log *log, uint64_t now_ns)
{
	struct minute ended;

	for (size_t i = 0; i < LOG_KINDS; i++)
		if (end_minute(log, &log->minutes[i], now_ns, &ended) &&
		    ended.kept_back > 0)
			log_line(log, ended.level,
			    "repeated %u times, or others like it: %s",
			    ended.kept_back, ended.text);
}
