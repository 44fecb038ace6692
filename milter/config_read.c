/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libconfig.h>

#include "buf.h"
#include "config_rows.h"
#include "config_scan.h"

enum {
	NAME_SIZE = 64, /* of a setting, to be told of */
	CHILD_FD = 3,	/* where the child writes */
	CHILD_GAVE_UP = 1,
	LAST_TIMEOUT_MS = 20000
};

/* How long the child may take each time that it is tried. */
static const int timeouts_ms[] = { 2000, 5000, LAST_TIMEOUT_MS };

/* The child's view of its files: it works in the folder of the main one, and
 * names them as the parent would. */
struct child {
	struct buf rows;
	const char *main_file; /* as given */
	const char *main_name; /* in its folder */
	char dir[PATH_MAX];    /* "" for the working directory */
	const char *file;      /* of the rows so far */
};

static const char *
display_name(const struct child *child, const char *name, char out[PATH_MAX])
{
	if (name == NULL || strcmp(name, child->main_name) == 0)
		return child->main_file;
	if (name[0] == '/' || child->dir[0] == '\0')
		return name;
	if (snprintf(out, PATH_MAX, "%s/%s", child->dir, name) >= PATH_MAX)
		return name;
	return out;
}

static void
add_row(struct child *child, enum config_row row, unsigned line,
    const char *name, const char *value)
{
	buf_append_char(&child->rows, (char)row);
	buf_printf(&child->rows, "%u", line);
	buf_append_char(&child->rows, '\0');
	buf_append_str(&child->rows, name == NULL ? "" : name);
	buf_append_char(&child->rows, '\0');
	buf_append_str(&child->rows, value == NULL ? "" : value);
	buf_append_char(&child->rows, '\0');
}

/* libconfig keeps each file's name once, so the pointer tells them apart. */
static void
add_file(struct child *child, const char *file)
{
	char name[PATH_MAX];

	if (file == child->file)
		return;
	child->file = file;
	add_row(child, CONFIG_ROW_FILE, 0, "", display_name(child, file, name));
}

static void
add_scalar(struct child *child, const config_setting_t *setting)
{
	char number[64];

	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_STRING:
		add_row(child, CONFIG_ROW_STRING, setting->line, setting->name,
		    config_setting_get_string(setting));
		return;
	case CONFIG_TYPE_BOOL:
		add_row(child, CONFIG_ROW_BOOLEAN, setting->line, setting->name,
		    config_setting_get_bool(setting) ? "true" : "false");
		return;
	case CONFIG_TYPE_FLOAT:
		snprintf(number, sizeof number, "%g",
		    config_setting_get_float(setting));
		add_row(child, CONFIG_ROW_FLOAT, setting->line, setting->name,
		    number);
		return;
	default:
		snprintf(number, sizeof number, "%lld",
		    config_setting_type(setting) == CONFIG_TYPE_INT64
			? config_setting_get_int64(setting)
			: config_setting_get_int(setting));
		add_row(child, CONFIG_ROW_INTEGER, setting->line, setting->name,
		    number);
	}
}

static void
add_setting(struct child *child, const config_setting_t *setting)
{
	int i, count;

	add_file(child, setting->file);
	if (!config_setting_is_aggregate(setting)) {
		add_scalar(child, setting);
		return;
	}
	add_row(child,
	    config_setting_is_group(setting)	  ? CONFIG_ROW_GROUP
		: config_setting_is_list(setting) ? CONFIG_ROW_LIST
						  : CONFIG_ROW_ARRAY,
	    setting->line, setting->name, "");
	count = config_setting_length(setting);
	for (i = 0; i < count; i++)
		add_setting(
		    child, config_setting_get_elem(setting, (unsigned)i));
	add_row(child, CONFIG_ROW_END, 0, "", "");
}

static void
add_problems(struct child *child, const struct config_problems *problems)
{
	const struct config_problem *problem;
	char name[PATH_MAX];
	size_t i;

	for (i = 0; i < problems->count; i++) {
		problem = &problems->items[i];
		add_row(child, CONFIG_ROW_FILE, 0, "",
		    display_name(child, problem->file, name));
		add_row(child,
		    problem->warning ? CONFIG_ROW_WARNING : CONFIG_ROW_PROBLEM,
		    problem->line, problem->setting, problem->text);
	}
	child->file = NULL;
}

/* Works in the folder of FILE, so that what it includes is found from there
 * and by absolute names alike: libconfig's own include_dir breaks the latter. */
static void
enter_folder(struct child *child, const char *file)
{
	const char *slash = strrchr(file, '/');
	size_t len = slash == NULL ? 0 : (size_t)(slash - file);

	child->main_file = file;
	child->main_name = file;
	if (slash == NULL || len >= sizeof child->dir)
		return;
	memcpy(child->dir, file, len);
	child->dir[len] = '\0';
	if (chdir(len > 0 ? child->dir : "/") == 0)
		child->main_name = slash + 1;
	else
		child->dir[0] = '\0';
}

/* The name that a line of FILE begins with, as libconfig tells none; "" where
 * that may be another one than the one at fault. */
static void
read_name(const char *file, int line, char name[NAME_SIZE])
{
	FILE *stream = file != NULL ? fopen(file, "re") : NULL;
	char *text = NULL;
	size_t size = 0;

	name[0] = '\0';
	while (stream != NULL && line > 0 && getline(&text, &size, stream) > 0)
		line--;
	if (line == 0 && text != NULL && strchr(text, '=') != NULL &&
	    strchr(text, '=') == strrchr(text, '='))
		snprintf(name, NAME_SIZE, "%.*s",
		    (int)strcspn(text + strspn(text, " \t"), " \t=:"),
		    text + strspn(text, " \t"));
	free(text);
	if (stream != NULL)
		fclose(stream);
}

static void
parse(struct child *child, struct config_problems *problems)
{
	config_t parser;
	const char *text;
	char name[PATH_MAX], setting[NAME_SIZE] = "";

	if (!config_scan(child->main_name, problems)) {
		add_problems(child, problems);
		return;
	}
	add_problems(child, problems);
	config_init(&parser);
	if (config_read_file(&parser, child->main_name)) {
		add_setting(child, config_root_setting(&parser));
		return;
	}
	add_row(child, CONFIG_ROW_FILE, 0, "",
	    display_name(child, config_error_file(&parser), name));
	text = config_error_text(&parser);
	if (strcmp(text, "duplicate setting name") == 0) {
		read_name(config_error_file(&parser),
		    config_error_line(&parser), setting);
		text = "is set above already: keep one of the two; what they "
		       "have in { } can stand in one";
	}
	/* All that libconfig says of most errors. */
	if (strcmp(text, "syntax error") == 0)
		text = "syntax error in this line, or in the one before: is a "
		       "quote, bracket, = or ; missing?";
	add_row(child, CONFIG_ROW_PROBLEM, (unsigned)config_error_line(&parser),
	    setting, text);
}

static void
end_child(void)
{
	_exit(CHILD_GAVE_UP);
}

/* What the process uses now, in octets; 0 where that is not known. */
static rlim_t
memory_used(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (file != NULL) {
		if (fscanf(file, "%llu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

/* Leaves nothing of the parent behind that could do harm here. */
static void
confine_child(int fd)
{
	struct rlimit no_core = { 0, 0 };
	struct rlimit memory;
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t none;
	int i, null = open("/dev/null", O_RDWR);

	atexit(end_child);
	for (i = 1; i < NSIG; i++)
		sigaction(i, &by_default, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(LAST_TIMEOUT_MS / 1000 + 5);
	setrlimit(RLIMIT_CORE, &no_core);
	memory.rlim_cur = memory_used() + CONFIG_READ_MAX_MEMORY;
	memory.rlim_max = memory.rlim_cur;
	setrlimit(RLIMIT_AS, &memory);
	for (i = 0; null >= 0 && i < CHILD_FD; i++)
		if (i != fd)
			dup2(null, i);
	if (fd != CHILD_FD)
		dup2(fd, CHILD_FD);
	close_range(CHILD_FD + 1, UINT_MAX, 0);
}

static void __attribute__((noreturn)) run_child(int fd, const char *file)
{
	struct child child = { .dir = "" };
	struct config_problems problems = { 0 };
	const char *data;
	size_t left;
	ssize_t n;

	confine_child(fd);
	buf_init(&child.rows, CONFIG_READ_MAX_BYTES);
	enter_folder(&child, file);
	parse(&child, &problems);
	add_row(&child, CONFIG_ROW_LAST, 0, "", "");
	if (child.rows.failed || (problems.errors > 0 && problems.count == 0))
		_exit(CHILD_GAVE_UP);
	data = child.rows.data;
	for (left = child.rows.len; left > 0; left -= (size_t)n) {
		n = write(CHILD_FD, data, left);
		if (n <= 0)
			_exit(CHILD_GAVE_UP);
		data += n;
	}
	_exit(0);
}

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

enum collected {
	COLLECTED,
	COLLECTED_TOO_LATE,
	COLLECTED_TOO_MUCH, /* or out of memory, or can't be read */
};

/* Reads all that comes from FD within TIMEOUT_MS. */
static enum collected
collect(int fd, int timeout_ms, struct buf *rows)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int64_t end = now_ms() + timeout_ms, left;
	char part[65536];
	ssize_t n;

	while (!rows->failed) {
		left = end - now_ms();
		if (left <= 0)
			return COLLECTED_TOO_LATE;
		n = poll(&ready, 1, (int)left);
		if (n < 0 && errno != EINTR)
			break;
		if (n <= 0)
			continue;
		n = read(fd, part, sizeof part);
		if (n == 0)
			return COLLECTED;
		if (n > 0)
			buf_append(rows, part, (size_t)n);
		else if (errno != EINTR)
			break;
	}
	return COLLECTED_TOO_MUCH;
}

/* Runs the parser on FILE in a child for TIMEOUT_MS at most, and leaves
 * nothing of it behind; *STATUS_R is as of waitpid(2). */
static enum collected
run_parser(const char *file, int timeout_ms, struct buf *rows, int *status_r)
{
	enum collected collected;
	int ends[2];
	pid_t pid;

	*status_r = 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return COLLECTED;
	pid = fork();
	if (pid == 0)
		run_child(ends[1], file);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return COLLECTED;
	}
	collected = collect(ends[0], timeout_ms, rows);
	close(ends[0]);
	if (collected != COLLECTED)
		kill(pid, SIGKILL);
	while (waitpid(pid, status_r, 0) < 0 && errno == EINTR)
		continue;
	return collected;
}

/* Says of a child that sent no whole set of rows what can be known. */
static void
say_why(struct config_problems *problems, const char *file,
    enum collected collected, int status)
{
	if (collected == COLLECTED_TOO_LATE)
		config_problem(problems, file, 0, "",
		    "reading it took more than %d s", LAST_TIMEOUT_MS / 1000);
	else if (collected == COLLECTED_TOO_MUCH)
		config_problem(problems, file, 0, "",
		    "it holds more than %d megabytes, or memory is short",
		    CONFIG_READ_MAX_BYTES >> 20);
	else if (WIFSIGNALED(status))
		config_problem(problems, file, 0, "",
		    "the parser crashed (signal %d): is memory short?",
		    WTERMSIG(status));
	else
		config_problem(problems, file, 0, "",
		    "the parser gave up: a file can't be read, or there is no "
		    "memory, process or descriptor to be had");
}

struct config_tree *
config_read_tree(const char *file, struct config_problems *problems)
{
	enum collected collected = COLLECTED_TOO_LATE;
	struct config_tree *tree = NULL;
	struct buf rows;
	size_t errors = problems->errors, i;
	int status = 0;

	buf_init(&rows, CONFIG_READ_MAX_BYTES);
	for (i = 0; i < sizeof timeouts_ms / sizeof *timeouts_ms &&
	     collected == COLLECTED_TOO_LATE;
	     i++) {
		buf_clear(&rows);
		collected = run_parser(file, timeouts_ms[i], &rows, &status);
	}
	if (collected == COLLECTED)
		tree = config_tree_parse(buf_bytes(&rows), problems);
	if (tree == NULL && problems->errors == errors)
		say_why(problems, file, collected, status);
	buf_fini(&rows);
	return tree;
}
