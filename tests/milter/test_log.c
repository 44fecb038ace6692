/* SPDX-License-Identifier: BSD-2-Clause */
#include "log.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

enum {
	FILE_MAX = 1 << 20,
	THREADS = 8,
	LINES = 200
};

/* A folder with a log in it. */
struct fixture {
	char dir[64], path[96], text[FILE_MAX];
	size_t len;
	struct log *log;
};

static int
set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);

	strcpy(fixture->dir, "/tmp/test_log.XXXXXX");
	if (mkdtemp(fixture->dir) == NULL)
		return -1;
	snprintf(fixture->path, sizeof fixture->path, "%s/log", fixture->dir);
	*state = fixture;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *fixture = *state;

	log_free(fixture->log);
	unlink(fixture->path);
	rmdir(fixture->dir);
	free(fixture);
	return 0;
}

static void
begin(struct fixture *fixture, enum log_format format, int level)
{
	char error[128];

	log_free(fixture->log);
	unlink(fixture->path);
	fixture->log =
	    log_new(fixture->path, format, level, error, sizeof error);
	assert_non_null(fixture->log);
}

/* What the file holds, without what stands before the first "info: ". */
static const char *
written(struct fixture *fixture)
{
	int fd = open(fixture->path, O_RDONLY);
	ssize_t n;
	char *line;

	assert_true(fd >= 0);
	n = read(fd, fixture->text, sizeof fixture->text - 1);
	close(fd);
	assert_true(n >= 0);
	fixture->len = (size_t)n;
	fixture->text[n] = '\0';
	line = strstr(fixture->text, "info: ");
	return line == NULL ? fixture->text : line + 6;
}

static void
test_a_value_is_quoted_where_it_must_be(void **state)
{
	static const struct {
		const char *value;
		size_t len;
		const char *text, *json;
	} rows[] = {
		{ "plain.example", 13, "k=plain.example", "plain.example" },
		{ "", 0, "k=\"\"", "" },
		{ "two words", 9, "k=\"two words\"", "two words" },
		{ "a=b", 3, "k=\"a=b\"", "a=b" },
		{ "a\"b\\c", 5, "k=\"a\\\"b\\\\c\"", "a\"b\\c" },
		{ "x\r\nForged: y", 12, "k=\"x\\x0d\\x0aForged: y\"",
		    "x\r\nForged: y" },
		{ "a\0b", 3, "k=\"a\\x00b\"", NULL },
		{ "\x1b[31m", 5, "k=\"\\x1b[31m\"", "\x1b[31m" },
		{ "\x7f", 1, "k=\"\\x7f\"", "\x7f" },
		{ "gr\xc3\xbc\xc3\x9f", 6, "k=\"gr\xc3\xbc\xc3\x9f\"",
		    "gr\xc3\xbc\xc3\x9f" },
		/* C1 CSI, and a line separator, in UTF-8 */
		{ "\xc2\x9b", 2, "k=\"\\xc2\\x9b\"", "\xc2\x9b" },
		{ "\xe2\x80\xa8", 3, "k=\"\\xe2\\x80\\xa8\"", "\xe2\x80\xa8" },
		{ "\xe2\x80\xae", 3, "k=\"\\xe2\\x80\\xae\"", "\xe2\x80\xae" },
		/* not UTF-8: alone, overlong, surrogate, cut, too large */
		{ "\xff", 1, "k=\"\\xff\"", "\xef\xbf\xbd" },
		{ "\xc0\xaf", 2, "k=\"\\xc0\\xaf\"",
		    "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe0\x80\xaf", 3, "k=\"\\xe0\\x80\\xaf\"", NULL },
		{ "\xed\xa0\x80", 3, "k=\"\\xed\\xa0\\x80\"", NULL },
		{ "\xe2\x80", 2, "k=\"\\xe2\\x80\"", NULL },
		{ "\xf4\x90\x80\x80", 4, "k=\"\\xf4\\x90\\x80\\x80\"", NULL },
		{ "\xf0\x9f\x93\xa7", 4, "k=\"\xf0\x9f\x93\xa7\"",
		    "\xf0\x9f\x93\xa7" },
	};
	struct fixture *fixture = *state;
	struct log_pairs pairs;
	char want[128];
	json_t *line;
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(fixture, LOG_TEXT, LOG_INFO);
		log_pairs_init(&pairs, fixture->log, LOG_INFO);
		log_pair_bytes(&pairs, "k", rows[i].value, rows[i].len);
		log_pairs_end(&pairs);
		snprintf(want, sizeof want, "%s\n", rows[i].text);
		assert_string_equal(written(fixture), want);

		begin(fixture, LOG_JSON, LOG_INFO);
		log_pairs_init(&pairs, fixture->log, LOG_INFO);
		log_pair_bytes(&pairs, "k", rows[i].value, rows[i].len);
		log_pairs_end(&pairs);
		line = json_loads(written(fixture), JSON_ALLOW_NUL, NULL);
		assert_non_null(line);
		if (rows[i].json != NULL)
			assert_string_equal(
			    json_string_value(json_object_get(line, "k")),
			    rows[i].json);
		json_decref(line);
	}
}

static void
test_pairs_stand_in_their_order(void **state)
{
	struct fixture *fixture = *state;
	struct log_pairs pairs;
	json_t *line;

	begin(fixture, LOG_TEXT, LOG_INFO);
	log_pairs_init(&pairs, fixture->log, LOG_INFO);
	log_pair(&pairs, "queue_id", "4XyZ");
	log_pair(&pairs, "nothing", NULL);
	log_pair_number(&pairs, "n", -7);
	log_pairs_end(&pairs);
	assert_string_equal(written(fixture), "queue_id=4XyZ n=-7\n");

	begin(fixture, LOG_JSON, LOG_INFO);
	log_pairs_init(&pairs, fixture->log, LOG_WARNING);
	log_pair(&pairs, "queue_id", "4XyZ");
	log_pair_number(&pairs, "n", -7);
	log_pairs_end(&pairs);
	line = json_loads(written(fixture), 0, NULL);
	assert_non_null(line);
	assert_int_equal(json_integer_value(json_object_get(line, "n")), -7);
	assert_string_equal(
	    json_string_value(json_object_get(line, "level")), "warning");
	json_decref(line);
}

static void
test_a_long_value_is_cut_and_marked_and_leaves_room_for_the_next(void **state)
{
	struct fixture *fixture = *state;
	struct log_pairs pairs;
	enum log_format format;
	char value[4000];
	const char *text;
	json_t *line;

	memset(value, '\n', sizeof value);
	for (format = LOG_TEXT; format <= LOG_JSON; format++) {
		begin(fixture, format, LOG_INFO);
		log_pairs_init(&pairs, fixture->log, LOG_INFO);
		log_pair_bytes(&pairs, "from", value, sizeof value);
		log_pair(&pairs, "action", "accept");
		log_pairs_end(&pairs);
		text = written(fixture);
		assert_true(fixture->len < 1500);
		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
		if (format == LOG_TEXT) {
			assert_non_null(
			    strstr(text, "\" action=accept cut=true\n"));
			continue;
		}
		line = json_loads(text, 0, NULL);
		assert_non_null(line);
		assert_true(json_is_true(json_object_get(line, "cut")));
		assert_string_equal(
		    json_string_value(json_object_get(line, "action")),
		    "accept");
		json_decref(line);
	}
}

static void
test_a_full_line_is_marked_and_stays_well_formed(void **state)
{
	struct fixture *fixture = *state;
	struct log_pairs pairs;
	enum log_format format;
	char key[16], value[200];
	const char *text;
	json_t *line;
	int i, len;

	for (len = 0; len < 200; len++) {
		memset(value, len % 2 ? '"' : ' ', sizeof value);
		for (format = LOG_TEXT; format <= LOG_JSON; format++) {
			begin(fixture, format, LOG_INFO);
			log_pairs_init(&pairs, fixture->log, LOG_INFO);
			for (i = 0; i < 450; i++) {
				snprintf(key, sizeof key, "k%d", i);
				log_pair_bytes(&pairs, key, value, (size_t)len);
			}
			log_pairs_end(&pairs);
			text = written(fixture);
			assert_true(strlen(text) <= sizeof pairs.text + 1);
			if (format == LOG_TEXT) {
				assert_non_null(strstr(text, "\" cut=true\n"));
				continue;
			}
			line = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
			assert_non_null(line);
			assert_true(json_is_true(json_object_get(line, "cut")));
			json_decref(line);
		}
	}
}

static void
test_a_plain_line_keeps_its_quotes_and_no_control_character(void **state)
{
	struct fixture *fixture = *state;
	char value[4000];

	begin(fixture, LOG_TEXT, LOG_INFO);
	log_line(fixture->log, LOG_INFO, "cannot open \"%s\"\n", "a\tb");
	assert_string_equal(written(fixture), "cannot open \"a\\x09b\"\\x0a\n");

	memset(value, 'x', sizeof value);
	value[sizeof value - 1] = '\0';
	begin(fixture, LOG_TEXT, LOG_INFO);
	log_line(fixture->log, LOG_INFO, "%s", value);
	assert_non_null(strstr(written(fixture), "x cut=true\n"));
	assert_true(fixture->len > 2900);
}

static void
test_what_is_below_the_level_is_not_written(void **state)
{
	struct fixture *fixture = *state;
	struct log_pairs pairs;

	begin(fixture, LOG_TEXT, LOG_WARNING);
	log_line(fixture->log, LOG_INFO, "not seen");
	log_pairs_init(&pairs, fixture->log, LOG_INFO);
	log_pair(&pairs, "k", "not seen");
	log_pairs_end(&pairs);
	written(fixture);
	assert_int_equal(fixture->len, 0);
	log_reopen(fixture->log, LOG_INFO);
	assert_true(log_wants(fixture->log, LOG_INFO));
	log_line(fixture->log, LOG_INFO, "seen");
	assert_string_equal(written(fixture), "seen\n");
}

static void
test_a_rotated_file_is_made_anew(void **state)
{
	struct fixture *fixture = *state;
	char old[128];

	begin(fixture, LOG_TEXT, LOG_INFO);
	log_line(fixture->log, LOG_INFO, "old");
	snprintf(old, sizeof old, "%s.1", fixture->path);
	assert_int_equal(rename(fixture->path, old), 0);
	log_line(fixture->log, LOG_INFO, "still old");
	log_reopen(fixture->log, LOG_INFO);
	log_line(fixture->log, LOG_INFO, "new");
	assert_string_equal(written(fixture), "new\n");
	unlink(old);
}

static void
test_a_log_that_cannot_be_opened_says_which(void **state)
{
	char error[128];

	(void)state;
	assert_null(log_new(
	    "/nonexistent/log", LOG_TEXT, LOG_INFO, error, sizeof error));
	assert_string_equal(
	    error, "/nonexistent/log: No such file or directory");
}

static void *
write_lines(void *arg)
{
	struct fixture *fixture = arg;
	struct log_pairs pairs;
	int i;

	for (i = 0; i < LINES; i++) {
		log_pairs_init(&pairs, fixture->log, LOG_INFO);
		log_pair_number(&pairs, "n", i);
		log_pair(&pairs, "word", "two words");
		log_pairs_end(&pairs);
		if (i % 50 == 0)
			log_reopen(fixture->log, LOG_INFO);
	}
	return NULL;
}

static void
test_lines_of_several_threads_stay_apart(void **state)
{
	struct fixture *fixture = *state;
	pthread_t threads[THREADS];
	size_t i, lines = 0;
	char *line, *rest;
	int n;

	begin(fixture, LOG_TEXT, LOG_INFO);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, write_lines, fixture), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	written(fixture);
	for (rest = fixture->text; (line = strsep(&rest, "\n")) && *line;) {
		line = strstr(line, "info: ");
		assert_non_null(line);
		assert_int_equal(sscanf(line, "info: n=%d word=", &n), 1);
		assert_string_equal(
		    strchr(line, ' ') + 1 + strcspn(strchr(line, ' ') + 1, " "),
		    " word=\"two words\"");
		lines++;
	}
	assert_int_equal(lines, THREADS * LINES);
}

/* What a line of LEVEL looks like on standard error, which the journal reads
 * where it is JOURNAL. */
static void
say(enum log_format format, int level, bool journal, char text[512])
{
	int saved = dup(STDERR_FILENO), ends[2];
	char error[64], stream[64] = "1:1";
	struct stat st;
	struct log *log;
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	if (journal)
		snprintf(stream, sizeof stream, "%llu:%llu",
		    (unsigned long long)st.st_dev,
		    (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	log = log_new("stderr", format, LOG_DEBUG, error, sizeof error);
	log_line(log, level, "it broke");
	log_free(log);
	unsetenv("JOURNAL_STREAM");
	dup2(saved, STDERR_FILENO);
	n = read(ends[0], text, 511);
	assert_true(n > 0);
	text[n] = '\0';
	close(ends[0]);
	close(ends[1]);
	close(saved);
}

/* field: F6 */
static void
test_standard_error_carries_the_level(void **state)
{
	static const struct {
		int level;
		const char *plain, *journal;
	} rows[] = {
		{ LOG_ERR, "signpostd: err: it broke\n", "<3>it broke\n" },
		{ LOG_WARNING, "signpostd: warning: it broke\n",
		    "<4>it broke\n" },
		{ LOG_NOTICE, "signpostd: notice: it broke\n",
		    "<5>it broke\n" },
		{ LOG_INFO, "signpostd: info: it broke\n", "<6>it broke\n" },
		{ LOG_DEBUG, "signpostd: debug: it broke\n", "<7>it broke\n" },
	};
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		/* JOURNAL_STREAM is inherited where standard error is not. */
		say(LOG_TEXT, rows[i].level, false, text);
		assert_string_equal(text, rows[i].plain);
		say(LOG_TEXT, rows[i].level, true, text);
		assert_string_equal(text, rows[i].journal);
		say(LOG_JSON, rows[i].level, true, text);
		assert_memory_equal(text, rows[i].journal, 3);
		assert_int_equal(text[3], '{');
		say(LOG_JSON, rows[i].level, false, text);
		assert_int_equal(text[0], '{');
	}
}

/* field: E21 */
static void
test_a_line_in_a_file_says_when_where_and_how_grave(void **state)
{
	struct fixture *fixture = *state;
	char host[256], want[300], error[64], path[128];
	json_t *line;

	assert_int_equal(gethostname(host, sizeof host), 0);
	begin(fixture, LOG_TEXT, LOG_INFO);
	log_free(fixture->log);
	snprintf(path, sizeof path, "file:%s", fixture->path);
	fixture->log = log_new(path, LOG_TEXT, LOG_INFO, error, sizeof error);
	assert_non_null(fixture->log);
	log_line(fixture->log, LOG_WARNING, "it broke");
	written(fixture);
	snprintf(want, sizeof want,
	    "Z %.63s signpostd[%ld] warning: it broke\n", host, (long)getpid());
	assert_non_null(strstr(fixture->text, want));

	begin(fixture, LOG_JSON, LOG_INFO);
	log_line(fixture->log, LOG_WARNING, "it broke");
	line = json_loads(written(fixture), 0, NULL);
	assert_non_null(line);
	assert_int_equal(
	    strncmp(json_string_value(json_object_get(line, "host")), host, 63),
	    0);
	assert_int_equal(
	    json_integer_value(json_object_get(line, "pid")), getpid());
	json_decref(line);
}

static size_t
lines_with(const struct fixture *fixture, const char *word)
{
	const char *at = fixture->text;
	size_t count = 0;

	for (; (at = strstr(at, word)) != NULL; at += strlen(word))
		count++;
	return count;
}

static void
test_a_warning_is_written_so_often_in_a_minute(void **state)
{
	const uint64_t second = UINT64_C(1000000000);
	struct fixture *fixture = *state;
	int i;

	begin(fixture, LOG_TEXT, LOG_INFO);
	log_set_limit(fixture->log, 3);
	for (i = 1; i <= 10; i++)
		log_often(fixture->log, LOG_KIND_KEY, LOG_WARNING, "key %d", i);
	log_often(
	    fixture->log, LOG_KIND_REPORT, LOG_WARNING, "of another kind");
	log_line(fixture->log, LOG_INFO, "a message");
	log_tick(fixture->log, 5 * second);
	log_tick(fixture->log, 64 * second);
	written(fixture);
	assert_int_equal(lines_with(fixture, ": key "), 3);
	assert_int_equal(lines_with(fixture, "of another kind\n"), 1);
	assert_int_equal(lines_with(fixture, "a message\n"), 1);
	assert_int_equal(lines_with(fixture, "repeated"), 0);

	log_tick(fixture->log, 65 * second);
	log_often(fixture->log, LOG_KIND_KEY, LOG_WARNING, "key 11");
	log_tick(fixture->log, 66 * second);
	log_tick(fixture->log, 200 * second);
	written(fixture);
	assert_int_equal(lines_with(fixture, "repeated"), 1);
	assert_int_equal(lines_with(fixture,
			     "warning: repeated 7 times, or others like it: "
			     "key 10\n"),
	    1);
	assert_int_equal(lines_with(fixture, "warning: key 11\n"), 1);
}

static void
test_what_was_kept_back_is_told_at_the_end(void **state)
{
	struct fixture *fixture = *state;
	char text[2000];

	begin(fixture, LOG_TEXT, LOG_INFO);
	log_set_limit(fixture->log, 1);
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	log_often(fixture->log, LOG_KIND_KEY, LOG_ERR, "one");
	log_often(fixture->log, LOG_KIND_KEY, LOG_ERR, "a\nb%s", text);
	log_tick(fixture->log, 1);
	log_tick(fixture->log, UINT64_MAX);
	written(fixture);
	assert_int_equal(lines_with(fixture, "err: repeated 1 times"), 1);
	assert_int_equal(lines_with(fixture, ": a\\x0abxxx"), 1);
	assert_int_equal(lines_with(fixture, "\n"), 2);

	/* 0: nothing is kept back. */
	begin(fixture, LOG_TEXT, LOG_INFO);
	log_set_limit(fixture->log, 0);
	for (int i = 0; i < 100; i++)
		log_often(fixture->log, LOG_KIND_KEY, LOG_WARNING, "each");
	log_tick(fixture->log, UINT64_MAX);
	written(fixture);
	assert_int_equal(lines_with(fixture, "each\n"), 100);
	assert_int_equal(lines_with(fixture, "\n"), 100);
}

static void *
warn_often(void *arg)
{
	struct fixture *fixture = arg;

	for (int i = 0; i < LINES; i++)
		log_often(
		    fixture->log, LOG_KIND_KEY, LOG_WARNING, "again %d", i);
	return NULL;
}

static void
test_no_repetition_of_several_threads_is_lost_from_the_count(void **state)
{
	struct fixture *fixture = *state;
	pthread_t threads[THREADS];
	char want[64];

	begin(fixture, LOG_TEXT, LOG_INFO);
	log_set_limit(fixture->log, 10);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, warn_often, fixture), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	log_tick(fixture->log, 1);
	log_tick(fixture->log, UINT64_MAX);
	written(fixture);
	snprintf(want, sizeof want, "repeated %d times", THREADS * LINES - 10);
	assert_int_equal(lines_with(fixture, want), 1);
	assert_int_equal(lines_with(fixture, "\n"), 11);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_value_is_quoted_where_it_must_be),
		cmocka_unit_test(test_pairs_stand_in_their_order),
		cmocka_unit_test(
		    test_a_long_value_is_cut_and_marked_and_leaves_room_for_the_next),
		cmocka_unit_test(
		    test_a_full_line_is_marked_and_stays_well_formed),
		cmocka_unit_test(
		    test_a_plain_line_keeps_its_quotes_and_no_control_character),
		cmocka_unit_test(test_what_is_below_the_level_is_not_written),
		cmocka_unit_test(test_a_rotated_file_is_made_anew),
		cmocka_unit_test(test_a_log_that_cannot_be_opened_says_which),
		cmocka_unit_test(test_lines_of_several_threads_stay_apart),
		cmocka_unit_test(test_standard_error_carries_the_level),
		cmocka_unit_test(
		    test_a_line_in_a_file_says_when_where_and_how_grave),
		cmocka_unit_test(
		    test_a_warning_is_written_so_often_in_a_minute),
		cmocka_unit_test(test_what_was_kept_back_is_told_at_the_end),
		cmocka_unit_test(
		    test_no_repetition_of_several_threads_is_lost_from_the_count),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
