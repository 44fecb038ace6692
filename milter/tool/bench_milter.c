/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost bench milter - what a running milter can do. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "bench_load.h"
#include "bench_stats.h"
#include "command.h"

enum {
	MAX_FILES = 1000,
	MAX_ADDRESS = 128,
	BATCHES = 20 /* of messages, each of which is a sample of the rate */
};

struct milter_settings {
	struct bench_settings common;
	const char *socket;
	unsigned connections, messages, warm_ups, pid;
	int64_t body_bytes;
	const char *message; /* file or folder */
	const char *client, *from, *expect;
	int64_t timeout_s;
};

/* The messages to send, in turn. */
struct mail {
	struct bench_message *items[MAX_FILES];
	size_t count;
	int64_t body_bytes; /* mean */
	double fields;
};

static const struct bench_column milter_columns[] = {
	{ "connections", "connections", BENCH_COUNT },
	{ "messages", "messages", BENCH_COUNT },
	{ "warm_ups", "warm-up", BENCH_COUNT },
	{ "fields", "fields", BENCH_COUNT },
	{ "body_bytes", "body", BENCH_BYTES },
	{ "wall_ns", "time", BENCH_NS },
	{ "per_second", "a second", BENCH_PER_SECOND },
	{ "error_per_second", "error 99.9 %", BENCH_PER_SECOND },
	{ "last_minute_per_second", "last 60 s", BENCH_PER_SECOND },
	{ "own_cpu_ns", "bench's CPU each", BENCH_NS },
};

static const struct bench_column latency_columns[] = {
	{ "messages", "messages", BENCH_COUNT },
	{ "mean_ns", "mean", BENCH_NS },
	{ "p50_ns", "p50", BENCH_NS },
	{ "p90_ns", "p90", BENCH_NS },
	{ "p99_ns", "p99", BENCH_NS },
	{ "max_ns", "max", BENCH_NS },
	{ "p99_to_p50", "p99 : p50", BENCH_RATIO },
};

static const struct bench_column action_columns[] = {
	{ "action", "what the milter did", BENCH_TEXT },
	{ "count", "times", BENCH_COUNT },
	{ "each", "a message", BENCH_RATIO },
};

static const struct bench_column cost_columns[] = {
	{ "process", "process", BENCH_TEXT },
	{ "pid", "pid", BENCH_NUMBER },
	{ "threads", "threads", BENCH_COUNT },
	{ "cpu_ns", "CPU a message", BENCH_NS },
	{ "user_ns", "user", BENCH_NS },
	{ "system_ns", "system", BENCH_NS },
	{ "resident_bytes", "resident", BENCH_SIZE },
	{ "peak_bytes", "peak", BENCH_SIZE },
	{ "connection_bytes", "a connection", BENCH_SIZE },
	{ "message_bytes", "a message at once", BENCH_SIZE },
};

#define MINUTE_NS    60e9
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const change_names[BENCH_CHANGES] = {
	[BENCH_CHANGE_INSERT] = "field inserted",
	[BENCH_CHANGE_ADD] = "field added",
	[BENCH_CHANGE_FIELD] = "field changed",
	[BENCH_CHANGE_DELETE] = "field deleted",
	[BENCH_CHANGE_BODY] = "body replaced (piece)",
	[BENCH_CHANGE_RECIPIENT] = "recipient changed",
	[BENCH_CHANGE_SENDER] = "sender changed",
	[BENCH_CHANGE_QUARANTINE] = "quarantined",
};

static const char *const reply_names[BENCH_REPLIES] = {
	[BENCH_REPLY_CONTINUE] = "reply: continue",
	[BENCH_REPLY_ACCEPT] = "reply: accept",
	[BENCH_REPLY_REJECT] = "reply: reject",
	[BENCH_REPLY_TEMPFAIL] = "reply: tempfail",
	[BENCH_REPLY_DISCARD] = "reply: discard",
	[BENCH_REPLY_CODE] = "reply: SMTP reply of its own",
};

/* As signpost.conf, Sendmail and Postfix write the address of a milter. */
static bool
parse_socket(const char *text, struct endpoint *endpoint_r)
{
	const char *at = strchr(text, '@'), *colon;
	char plain[MAX_ADDRESS + 16];
	int len;

	if (strncmp(text, "local:", 6) == 0)
		text += 6;
	else if (strncmp(text, "inet:", 5) == 0 && at == NULL)
		text += 5;
	if (strncmp(text, "inet", 4) != 0)
		return endpoint_parse(text, endpoint_r);
	colon = strchr(text, ':');
	if (at == NULL || colon == NULL || colon > at)
		return false;
	len = snprintf(plain, sizeof(plain),
	    strchr(at, ':') != NULL && at[1] != '[' ? "[%s]:%.*s" : "%s:%.*s",
	    at + 1, (int)(at - colon) - 1, colon + 1);
	return len < (int)sizeof(plain) && endpoint_parse(plain, endpoint_r);
}

static int
check_settings(
    const struct milter_settings *settings, struct endpoint *endpoint_r)
{
	static const char where[] = "bench milter";
	struct bench_process process;
	unsigned char address[16];

	if (settings->socket == NULL)
		return complain(EX_USAGE, where, "wants --socket ADDRESS");
	if (!parse_socket(settings->socket, endpoint_r))
		return complain(EX_USAGE, where,
		    "--socket \"%s\": not unix:/PATH, inet:PORT@ADDRESS or "
		    "ADDRESS:PORT",
		    settings->socket);
	if (inet_pton(AF_INET, settings->client, address) != 1 &&
	    inet_pton(AF_INET6, settings->client, address) != 1)
		return complain(EX_USAGE, where,
		    "--client \"%s\": wants an IP address", settings->client);
	if (settings->pid != 0 &&
	    !bench_process_look((pid_t)settings->pid, &process))
		return complain(EX_NOINPUT, where,
		    "--pid %u: no such process, or one that may not be "
		    "looked at",
		    settings->pid);
	if (settings->message != NULL && settings->body_bytes >= 0)
		return complain(
		    EX_USAGE, where, "--message and --body exclude each other");
	return 0;
}

static int
add_file(struct mail *mail, const char *path)
{
	int code;

	if (mail->count == MAX_FILES)
		return complain(
		    EX_USAGE, path, "more than %d messages", MAX_FILES);
	code = bench_message_read(path, &mail->items[mail->count]);
	if (code == 0)
		mail->count++;
	return code;
}

/* All files of a folder but those whose names begin with a dot, in the order
 * of their names. */
static int
add_folder(struct mail *mail, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort), code = 0;

	if (count < 0)
		return complain_file(path, errno);
	for (int i = 0; i < count; i++) {
		struct stat st;
		char *name;

		if (code == 0 && entries[i]->d_name[0] != '.' &&
		    asprintf(&name, "%s/%s", path, entries[i]->d_name) >= 0) {
			if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
				code = add_file(mail, name);
			free(name);
		}
		free(entries[i]);
	}
	free(entries);
	if (code == 0 && mail->count == 0)
		return complain(EX_NOINPUT, path, "has no messages in it");
	return code;
}

static int
load_mail(struct mail *mail, const struct milter_settings *settings)
{
	size_t body_bytes =
	    settings->body_bytes >= 0 ? (size_t)settings->body_bytes : 5379;
	struct stat st;
	int code = 0;

	if (settings->message == NULL) {
		mail->items[0] = bench_message_new(settings->from, body_bytes);
		if (mail->items[0] == NULL)
			return complain_status("bench milter", SIGNPOST_NOMEM);
		mail->count = 1;
	} else if (stat(settings->message, &st) == 0 && S_ISDIR(st.st_mode)) {
		code = add_folder(mail, settings->message);
	} else {
		code = add_file(mail, settings->message);
	}
	for (size_t i = 0; i < mail->count; i++) {
		mail->body_bytes += (int64_t)mail->items[i]->body.len;
		mail->fields += (double)mail->items[i]->field_count;
	}
	if (mail->count > 0) {
		mail->body_bytes /= (int64_t)mail->count;
		mail->fields /= (double)mail->count;
	}
	return code;
}

/* The error of the rate, from batches of messages in the order in which they
 * ended. Sorts ENDED_NS. */
static double
rate_error(double *ended_ns, size_t total)
{
	size_t batch = total / BATCHES;
	double rates[BATCHES], begun = 0;

	if (batch < 2)
		return NAN;
	bench_stats_sort(ended_ns, total);
	for (size_t i = 0; i < BATCHES; i++) {
		double ended = ended_ns[(i + 1) * batch - 1];

		rates[i] = (double)batch * 1e9 / (ended - begun);
		begun = ended;
	}
	return bench_stats_of(rates, BATCHES).error;
}

/* The rate that a milter which averages over 60 s shows at the end; NAN where
 * that is the rate of all. */
static double
last_minute(const struct bench_load_result *result, size_t total)
{
	double begin = result->wall_ns - MINUTE_NS;
	size_t count = 0;

	if (begin <= 0)
		return NAN;
	for (size_t i = 0; i < total; i++)
		count += result->ended_ns[i] > begin;
	return (double)count * 1e9 / MINUTE_NS;
}

static void
report_rate(struct bench *bench, const struct milter_settings *settings,
    const struct mail *mail, struct bench_load_result *result)
{
	struct bench_table *table = bench_report_table(&bench->report, "milter",
	    "Messages through the milter", milter_columns,
	    COUNT(milter_columns));
	double total = settings->messages;

	bench_table_number(table, settings->connections);
	bench_table_number(table, total);
	bench_table_number(
	    table, (double)settings->warm_ups * settings->connections);
	bench_table_number(table, mail->fields);
	bench_table_number(table, (double)mail->body_bytes);
	bench_table_number(table, result->wall_ns);
	bench_table_number(table, total * 1e9 / result->wall_ns);
	bench_table_number(
	    table, rate_error(result->ended_ns, settings->messages));
	bench_table_number(table, last_minute(result, settings->messages));
	bench_table_number(table, result->own_cpu_ns / total);
}

/* Sorts the latencies. */
static void
report_latency(
    struct bench *bench, struct bench_load_result *result, size_t total)
{
	struct bench_table *table = bench_report_table(&bench->report,
	    "latency", "From MAIL to the reply to the end of a message",
	    latency_columns, COUNT(latency_columns));
	struct bench_plot *plot =
	    bench_report_plot(&bench->report, BENCH_LINES, "latency_by_part",
		"Time within which a part of the "
		"messages was done");
	struct bench_series *series = bench_plot_series(plot, "latency");
	static const double parts[] = { 0.5, 0.9, 0.99, 1 };
	double *ns = result->latency_ns;

	bench_stats_sort(ns, total);
	bench_table_number(table, (double)total);
	bench_table_number(table, bench_stats_of(ns, total).mean);
	for (size_t i = 0; i < COUNT(parts); i++)
		bench_table_number(table, bench_quantile(ns, total, parts[i]));
	bench_table_number(table,
	    bench_quantile(ns, total, 0.99) / bench_quantile(ns, total, 0.5));
	plot->x_label = "part of the messages";
	plot->x_unit = BENCH_PERCENT;
	plot->y_label = "time, MAIL to the last reply";
	plot->y_unit = BENCH_NS;
	plot->log_y = true;
	for (int percent = 0; percent <= 100; percent += 2)
		bench_plot_point(plot, series, percent,
		    bench_quantile(ns, total, percent / 100.0));
}

static void
report_action(struct bench_table *table, const char *name, unsigned long count,
    size_t total)
{
	if (count == 0)
		return;
	bench_table_text(table, "%s", name);
	bench_table_number(table, (double)count);
	bench_table_number(table, (double)count / (double)total);
}

static void
report_actions(struct bench *bench, const struct milter_settings *settings,
    const struct bench_client_counts *counts)
{
	struct bench_table *table =
	    bench_report_table(&bench->report, "actions", "What the milter did",
		action_columns, COUNT(action_columns));
	size_t total = settings->messages;

	for (size_t i = 0; i < BENCH_CHANGES; i++)
		report_action(
		    table, change_names[i], counts->changes[i], total);
	for (size_t i = 0; i < BENCH_REPLIES; i++)
		report_action(table, reply_names[i], counts->replies[i], total);
	if (settings->expect != NULL)
		report_action(
		    table, "expected field added", counts->expected, total);
}

static void
report_cost(struct bench *bench, const struct milter_settings *settings,
    const struct bench_load_result *result)
{
	const struct bench_process *before = &result->before,
				   *warm = &result->warm,
				   *after = &result->after;
	double total = settings->messages, connections = settings->connections;
	double cpu = (after->cpu_ns - warm->cpu_ns) / total;
	double user = after->user_ns - warm->user_ns;
	double ticks = user + after->system_ns - warm->system_ns;
	int64_t opened = warm->resident_bytes - before->resident_bytes;
	int64_t working = result->most_bytes - before->resident_bytes;
	struct bench_table *table;

	if (result->pid == 0 || after->threads == 0) {
		bench_report_remark(&bench->report,
		    "The milter's process is not known, or may not be looked "
		    "at: its CPU time and memory are not shown (--pid).");
		return;
	}
	table = bench_report_table(&bench->report, "cost",
	    "What the milter used (with the processes that it started)",
	    cost_columns, COUNT(cost_columns));
	bench_table_text(table, "%s", after->name);
	bench_table_number(table, (double)result->pid);
	bench_table_number(table, after->threads);
	bench_table_number(table, cpu);
	bench_table_number(table, ticks > 0 ? cpu * user / ticks : NAN);
	bench_table_number(table, ticks > 0 ? cpu * (1 - user / ticks) : NAN);
	bench_table_number(table, (double)after->resident_bytes);
	bench_table_number(table, (double)after->peak_bytes);
	bench_table_number(
	    table, opened > 0 ? (double)opened / connections : NAN);
	bench_table_number(
	    table, working > 0 ? (double)working / connections : NAN);
	if (opened <= 0)
		bench_report_remark(&bench->report,
		    "The milter had memory left from before: what a "
		    "connection takes shows in one just started.");
	if (cpu * total < 1e9)
		bench_report_remark(&bench->report,
		    "How a process's CPU time divides into user and system "
		    "the kernel counts in steps of 10 ms, and the milter used "
		    "%.0f ms: more --messages make those two better.",
		    cpu * total / 1e6);
}

struct watcher {
	struct bench *bench;
	size_t total;
};

static void
tick(void *ctx, size_t done)
{
	const struct watcher *watcher = ctx;

	bench_progress(watcher->bench, "%s: %zu of %zu messages",
	    watcher->bench->name, done, watcher->total);
}

static int
run_load(struct bench *bench, const struct milter_settings *settings,
    const struct mail *mail, const struct endpoint *endpoint)
{
	struct watcher watcher = { bench, settings->messages };
	struct bench_load_settings load = { .endpoint = *endpoint,
		.timeout_ms = (unsigned)settings->timeout_s * 1000,
		.host = { "client.test", settings->client, settings->from },
		.expect = settings->expect,
		.messages = mail->items,
		.message_count = mail->count,
		.connections = settings->connections,
		.total = settings->messages,
		.warm_ups = settings->warm_ups,
		.pid = (pid_t)settings->pid,
		.tick = tick,
		.ctx = &watcher };
	struct bench_load_result result;
	char error[BENCH_CLIENT_ERROR_SIZE];
	int code = bench_load_run(&load, &result, error);

	bench_progress(bench, "%s", "");
	if (code != 0) {
		complain(code, settings->socket, "%s", error);
	} else {
		report_rate(bench, settings, mail, &result);
		report_latency(bench, &result, settings->messages);
		report_actions(bench, settings, &result.counts);
		report_cost(bench, settings, &result);
		if (settings->expect != NULL &&
		    result.counts.expected < settings->messages)
			code = complain(EX_NO, settings->socket,
			    "%lu of %u messages got a field with \"%s\"",
			    result.counts.expected, settings->messages,
			    settings->expect);
	}
	bench_load_result_free(&result);
	return code;
}

int
bench_milter(struct bench *bench, const void *given)
{
	struct milter_settings settings =
	    *(const struct milter_settings *)given;
	struct mail *mail = calloc(1, sizeof(*mail));
	struct endpoint endpoint;
	int code = check_settings(&settings, &endpoint);

	if (mail == NULL)
		return complain_status(bench->name, SIGNPOST_NOMEM);
	if (settings.messages == 0)
		settings.messages = settings.common.quick ? 200 : 2000;
	if (code == 0)
		code = load_mail(mail, &settings);
	if (code == 0)
		code = run_load(bench, &settings, mail, &endpoint);
	for (size_t i = 0; i < mail->count; i++)
		bench_message_free(mail->items[i]);
	free(mail);
	return code;
}

#define AT(member) offsetof(struct milter_settings, member)

static const struct option_row rows[] = {
	{ 's', "socket", "ADDRESS", "the milter's, unix:/PATH or ADDRESS:PORT",
	    option_string, AT(socket), 0, 0 },
	{ '\0', "connections", "N", "at once (8)", option_unsigned,
	    AT(connections), 1, BENCH_MAX_CONNECTIONS },
	{ '\0', "messages", "N", "in all (2000)", option_unsigned, AT(messages),
	    1, BENCH_MAX_MESSAGES },
	{ '\0', "warm-up", "N", "messages of each connection before (2)",
	    option_unsigned, AT(warm_ups), 0, 1000 },
	{ '\0', "body", "BYTES", "size of the body (5379)", option_bytes,
	    AT(body_bytes), 0, BENCH_MAX_BODY },
	{ '\0', "message", "PATH", "send this file, or all files of a folder",
	    option_string, AT(message), 0, 0 },
	{ '\0', "client", "IP", "whom the mail comes from (127.0.0.1)",
	    option_string, AT(client), 0, 0 },
	{ '\0', "from", "ADDRESS", "the sender (alice@example.com)",
	    option_string, AT(from), 0, 0 },
	{ '\0', "expect", "TEXT", "each message must get a field with this",
	    option_string, AT(expect), 0, 0 },
	{ '\0', "pid", "PID", "the milter's process", option_unsigned, AT(pid),
	    1, INT32_MAX },
	{ '\0', "timeout", "TIME", "longest wait for the milter (60s)",
	    option_duration, AT(timeout_s), 1, 3600 },
	BENCH_ROWS,
};

int
bench_milter_command(int argc, char **argv)
{
	static const struct command_usage usage = {
		.command = "bench milter",
		.synopsis = "--socket ADDRESS [--connections N] [--messages N] "
			    "[OPTION ...]",
		.summary = "Sends messages through a running milter, of any "
			   "make, and measures it.",
		.rows = rows,
	};
	struct milter_settings settings = { .connections = 8,
		.warm_ups = 2,
		.body_bytes = -1,
		.client = "127.0.0.1",
		.from = "alice@example.com",
		.timeout_s = 60 };

	return bench_command(
	    &usage, argc, argv, &settings.common, bench_milter);
}
