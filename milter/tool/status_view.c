/* SPDX-License-Identifier: BSD-2-Clause */
#include "status_view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"

enum {
	COLUMNS = 80,
	MARGIN = 16, /* where figures begin */
	RESULT_MARGIN = 24,
	/* Fewer operations, or octets, say nothing about their cost. */
	ENOUGH_OPERATIONS = 10,
	ENOUGH_BYTES = 100000
};

/*
 * Parts of the page.
 */

/* A line under way; what does not fit goes on in the next, at the margin. */
struct line {
	struct buf *out;
	size_t begin; /* where it is in OUT */
	int margin;
};

static struct line
line_begin(struct buf *out, int margin, const char *title)
{
	struct line line = { out, out->len, margin };

	buf_printf(out, "%-*s", margin, title);
	return line;
}

static void line_add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
line_add(struct line *line, const char *format, ...)
{
	size_t column = line->out->len - line->begin;
	char words[2 * FIGURE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	if (column + 2 + strlen(words) > COLUMNS) {
		buf_append_char(line->out, '\n');
		*line = line_begin(line->out, line->margin, "");
	} else if (column > (size_t)line->margin) {
		buf_append_str(line->out, "  ");
	}
	buf_append_str(line->out, words);
}

static void
view_head(const json_t *status, struct buf *out)
{
	char text[FIGURE_SIZE];

	buf_printf(out, "signpostd %s, up %s, %s\n\n",
	    figure_string(status, "version"),
	    uptime_text(figure_number(status, "uptime_seconds"), text),
	    figure_number(status, "ready") > 0 ? "ready" : "not ready");
}

static void
view_rates(const json_t *status, struct buf *out)
{
	char text[FIGURE_SIZE];

	buf_printf(out, "%-24s%12s%12s%12s%16s\n", "Each second, over", "1 s",
	    "10 s", "60 s", "in all");
	buf_printf(out, "%-24s%12.1f%12.1f%12.1f%16s\n", "signatures made",
	    figure_number(status, "signs_per_second.1s"),
	    figure_number(status, "signs_per_second.10s"),
	    figure_number(status, "signs_per_second.60s"),
	    count_text(figure_total_count(status, "signs"), text));
	buf_printf(out, "%-24s%12.1f%12.1f%12.1f%16s\n\n", "signatures judged",
	    figure_number(status, "verifies_per_second.1s"),
	    figure_number(status, "verifies_per_second.10s"),
	    figure_number(status, "verifies_per_second.60s"),
	    count_text(figure_total_count(status, "verifies"), text));
}

/* One line for each algorithm and key size with what became of them: rows of
 * the same line follow each other. */
static void
view_results(
    const json_t *status, const char *path, const char *title, struct buf *out)
{
	const json_t *array = figure_find(status, path);
	char name[FIGURE_SIZE], last[FIGURE_SIZE] = "", text[FIGURE_SIZE];
	struct line line = { .out = out };
	json_t *row;
	size_t i;

	if (!(figure_total_count(status, path) > 0))
		return;
	buf_append_str(out, title);
	json_array_foreach(array, i, row)
	{
		if (!(figure_number(row, "count") > 0))
			continue;
		snprintf(name, sizeof(name), "  %s %s",
		    figure_string(row, "algorithm"),
		    figure_find(row, "key_bits") != NULL
			? figure_string(row, "key_bits")
			: "");
		if (strcmp(name, last) != 0) {
			buf_append_char(out, '\n');
			line = line_begin(out, RESULT_MARGIN, name);
		}
		memcpy(last, name, sizeof(last));
		line_add(&line, "%s %s", figure_string(row, "result"),
		    count_text(figure_number(row, "count"), text));
	}
	buf_append_str(out, "\n\n");
}

/* "name 1  name 2", without those that are 0. */
static void
view_members(
    const json_t *status, const char *path, const char *title, struct buf *out)
{
	json_t *object = (json_t *)figure_find(status, path);
	char text[FIGURE_SIZE];
	const char *name;
	json_t *member;
	struct line line = line_begin(out, MARGIN, title);

	json_object_foreach(object, name, member)
	{
		if (json_number_value(member) > 0)
			line_add(&line, "%s %s", name,
			    count_text(json_number_value(member), text));
	}
	if (!(figure_total(status, path) > 0))
		line_add(&line, "none");
	buf_append_char(out, '\n');
}

/* What the settings say to do with mail that was verified: "reject 3", and
 * behind it why that was not done, "reject 3 (dry run)". */
static void
view_policy(const json_t *status, struct buf *out)
{
	const json_t *array = figure_find(status, "policy");
	char text[FIGURE_SIZE];
	struct line line = line_begin(out, MARGIN, "By policy");
	json_t *row;
	size_t i;

	json_array_foreach(array, i, row)
	{
		const char *applied = figure_string(row, "applied");

		if (!(figure_number(row, "count") > 0))
			continue;
		line_add(&line, "%s %s%s", figure_string(row, "action"),
		    count_text(figure_number(row, "count"), text),
		    strcmp(applied, "dry_run") == 0	 ? " (dry run)"
			: strcmp(applied, "exempt") == 0 ? " (exempt)"
							 : "");
	}
	if (!(figure_total_count(status, "policy") > 0))
		line_add(&line, "none");
	buf_append_char(out, '\n');
}

static void
view_operations(const json_t *status, struct buf *out)
{
	const json_t *array = figure_find(status, "operations");
	static const char *const columns[] = { "cpu_seconds.mean",
		"queue_seconds.mean", "mail_thread_wait_seconds.mean",
		"mail_thread_wait_seconds.p50",
		"mail_thread_wait_seconds.p99" };
	char text[FIGURE_SIZE];
	json_t *row;
	size_t i, c;

	buf_printf(out, "%-35s%9s%9s%27s\n", "Public-key work", "CPU", "queue",
	    "mail thread's wait");
	buf_printf(out, "%35s%9s%9s%9s%9s%9s\n", "count", "mean", "mean",
	    "mean", "p50", "p99");
	json_array_foreach(array, i, row)
	{
		double count = figure_number(row, "cpu_seconds.count");

		buf_printf(out, "%-7s%-15s%13s",
		    figure_string(row, "operation"),
		    figure_string(row, "algorithm"), count_text(count, text));
		for (c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
			buf_printf(out, "%9s",
			    count > 0
				? seconds_text(
				      figure_number(row, columns[c]), text)
				: "-");
		buf_append_char(out, '\n');
	}
	buf_append_char(out, '\n');
}

static void
view_hashing(const json_t *status, struct buf *out)
{
	double bytes = figure_number(status, "body_hash.bytes");
	double cpu = figure_number(status, "body_hash.cpu_seconds");
	char a[FIGURE_SIZE], b[FIGURE_SIZE], c[FIGURE_SIZE];

	buf_printf(out, "Body hashing    %s in %s of CPU", bytes_text(bytes, a),
	    seconds_text(cpu, b));
	if (cpu > 0)
		buf_printf(out, ", %s a second", bytes_text(bytes / cpu, c));
	buf_append_char(out, '\n');
}

static void
view_dns(const json_t *status, struct buf *out)
{
	char a[FIGURE_SIZE], b[FIGURE_SIZE], c[FIGURE_SIZE];

	view_members(status, "dns.lookups", "DNS look-ups", out);
	if (figure_number(status, "dns.seconds.count") > 0)
		buf_printf(out,
		    "%-16sthey took %s, half of them under %s, 99 %% %s\n", "",
		    seconds_text(figure_number(status, "dns.seconds.mean"), a),
		    seconds_text(figure_number(status, "dns.seconds.p50"), b),
		    seconds_text(figure_number(status, "dns.seconds.p99"), c));
	buf_printf(out, "%-16s%.0f pending, %.0f refused\n", "",
	    figure_number(status, "dns.pending"),
	    figure_number(status, "dns.refused"));
}

/* Nothing where signatures are not counted. */
static void
view_replay(const json_t *status, struct buf *out)
{
	char a[FIGURE_SIZE], b[FIGURE_SIZE];

	if (!(figure_total(status, "replay.signatures") > 0))
		return;
	view_members(status, "replay.signatures", "Seen so often", out);
	buf_printf(out, "%-16s%s signatures kept in mind, %s evicted\n", "",
	    count_text(figure_number(status, "replay.entries"), a),
	    count_text(figure_number(status, "replay.evictions"), b));
	view_members(status, "replay.recipients", "  recipients", out);
}

static void
view_cache(
    const json_t *status, const char *name, const char *title, struct buf *out)
{
	const json_t *cache =
	    json_object_get(figure_find(status, "key_caches"), name);
	double hits =
	    figure_number(cache, "hits") + figure_number(cache, "joined");
	double all = hits + figure_number(cache, "misses");
	char a[FIGURE_SIZE], b[FIGURE_SIZE];

	buf_printf(out, "%-16s%s keys", title,
	    count_text(figure_number(cache, "entries"), a));
	if (figure_number(cache, "bytes") > 0)
		buf_printf(out, " in %s",
		    bytes_text(figure_number(cache, "bytes"), a));
	buf_printf(out, ", asked %s times", count_text(all, a));
	if (all > 0)
		buf_printf(out, ", %.1f %% found", 100 * hits / all);
	buf_printf(out, ", %s evicted\n",
	    count_text(figure_number(cache, "evictions"), b));
}

static void
view_workers(const json_t *status, struct buf *out)
{
	char a[FIGURE_SIZE], b[FIGURE_SIZE];

	buf_printf(out,
	    "Workers         %.0f, %.0f busy; queue %.0f of %.0f; "
	    "%s refused, %s too late\n",
	    figure_number(status, "workers.count"),
	    figure_number(status, "workers.busy"),
	    figure_number(status, "queue.depth"),
	    figure_number(status, "queue.capacity"),
	    count_text(figure_number(status, "queue.overloads"), a),
	    count_text(figure_number(status, "queue.deadlines"), b));
	buf_printf(out, "Connections     %.0f open, %s in all, %s refused\n",
	    figure_number(status, "connections.open"),
	    count_text(figure_number(status, "connections.total"), a),
	    count_text(figure_number(status, "connections.refused"), b));
	buf_printf(out, "Reloads         %s, and %s that failed\n",
	    count_text(figure_number(status, "reloads.ok"), a),
	    count_text(figure_number(status, "reloads.failed"), b));
}

static void
view_process(const json_t *status, struct buf *out)
{
	double all = figure_number(status, "process.cpu_seconds");
	json_t *kinds = (json_t *)figure_find(status, "cpu_seconds.threads");
	double mail = figure_number(kinds, "mail");
	double ours = figure_total(status, "cpu_seconds.mail_thread");
	char a[FIGURE_SIZE], b[FIGURE_SIZE];
	const char *name;
	struct line line = line_begin(out, MARGIN, "CPU");
	json_t *kind;

	line_add(&line, "%s in all", seconds_text(all, a));
	json_object_foreach(kinds, name, kind)
	{
		line_add(&line, "%s %.1f %%", name,
		    all > 0 ? 100 * json_number_value(kind) / all : 0);
	}
	buf_printf(out, "\n%-16sof mail, our callbacks %s, libmilter %s\n", "",
	    seconds_text(ours, a),
	    seconds_text(mail > ours ? mail - ours : 0, b));
	buf_printf(out, "Memory          %s resident; %.0f of %s files open\n",
	    bytes_text(
		figure_number(status, "process.resident_memory_bytes"), a),
	    figure_number(status, "process.open_files"),
	    count_text(figure_number(status, "process.max_files"), b));
}

/*
 * The asymmetric cost.
 */
static const json_t *
find_operation(
    const json_t *status, const char *operation, const char *algorithm)
{
	const json_t *array = figure_find(status, "operations");
	json_t *row;
	size_t i;

	json_array_foreach(array, i,
	    row) if (strcmp(figure_string(row, "operation"), operation) == 0 &&
	    strcmp(figure_string(row, "algorithm"), algorithm) == 0) return row;
	return NULL;
}

static bool
is_enough(const json_t *operation)
{
	return figure_number(operation, "cpu_seconds.count") >=
	    ENOUGH_OPERATIONS &&
	    figure_number(operation, "cpu_seconds.mean") > 0;
}

/* Sizes of the keys that made signatures: "2048" or "1024, 2048". */
static void
key_sizes(const json_t *status, const char *algorithm, struct buf *out)
{
	const json_t *array = figure_find(status, "signs");
	const char *last = "";
	json_t *row;
	size_t i;

	json_array_foreach(array, i, row)
	{
		const char *bits = figure_string(row, "key_bits");

		if (strcmp(figure_string(row, "algorithm"), algorithm) != 0 ||
		    strcmp(figure_string(row, "result"), "ok") != 0 ||
		    !(figure_number(row, "count") > 0))
			continue;
		buf_printf(out, "%s%s", last[0] != '\0' ? ", " : "", bits);
		last = bits;
	}
}

/* A figure that compares costs: two digits that count are enough. */
static const char *
times_text(double times, char text[FIGURE_SIZE])
{
	if (times < 9.95)
		snprintf(text, FIGURE_SIZE, "%.1f", times);
	else
		count_text(times, text);
	return text;
}

/* Whether there was enough to say something. */
static bool
view_cost_of(const json_t *status, const char *algorithm, struct buf *out)
{
	const json_t *sign = find_operation(status, "sign", algorithm);
	const json_t *verify = find_operation(status, "verify", algorithm);
	double sign_s = figure_number(sign, "cpu_seconds.mean");
	double verify_s = figure_number(verify, "cpu_seconds.mean");
	double bytes = figure_number(status, "body_hash.bytes");
	double hash_s = figure_number(status, "body_hash.cpu_seconds");
	bool hashed = bytes >= ENOUGH_BYTES && hash_s > 0;
	char text[FIGURE_SIZE];

	if (!is_enough(sign) || (!is_enough(verify) && !hashed))
		return false;
	buf_printf(out, "One %s signature (", algorithm);
	key_sizes(status, algorithm, out);
	buf_printf(out, " bits) takes %s of CPU:", seconds_text(sign_s, text));
	if (is_enough(verify)) {
		buf_printf(out, "\n  as much as %s verifications",
		    times_text(sign_s / verify_s, text));
		buf_printf(out, " (%s each)", seconds_text(verify_s, text));
	}
	if (hashed)
		buf_printf(out, "%s\n  as much as hashing %s of message body",
		    is_enough(verify) ? ", and" : "",
		    bytes_text(sign_s / hash_s * bytes, text));
	buf_append_str(out, ".\n");
	return true;
}

static void
view_cost(const json_t *status, struct buf *out)
{
	static const char *const algorithms[] = { "rsa-sha256",
		"ed25519-sha256" };
	bool any = false;
	size_t i;

	buf_append_str(out, "\nWhat a signature costs on this machine\n");
	for (i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
		any |= view_cost_of(status, algorithms[i], out);
	if (any)
		return;
	buf_printf(out,
	    "Not enough has been seen to say. It takes %d signatures made, and "
	    "%d verified\nunder the same algorithm or %d kB of body hashed.\n",
	    ENOUGH_OPERATIONS, ENOUGH_OPERATIONS, ENOUGH_BYTES / 1000);
}

/* Who answers need not be a daemon of ours: nothing that it says gets through
 * to a terminal but what can be printed. */
static void
keep_printable(struct buf *out, size_t from)
{
	for (; from < out->len; from++)
		if (out->data[from] != '\n' &&
		    (out->data[from] < ' ' || out->data[from] > '~'))
			out->data[from] = '?';
}

void
status_view(const json_t *status, struct buf *out)
{
	size_t from = out->len;

	view_head(status, out);
	view_rates(status, out);
	view_results(status, "signs", "Signatures made", out);
	view_results(status, "verifies", "Signatures judged", out);
	view_operations(status, out);
	view_members(status, "messages", "Messages", out);
	view_policy(status, out);
	view_members(status, "verify_reasons", "Did not pass", out);
	view_members(status, "limits", "Left out", out);
	view_replay(status, out);
	if (figure_total(status, "reports") > 0)
		view_members(status, "reports", "Reports", out);
	view_members(status, "sign_hazards", "Hazards", out);
	view_hashing(status, out);
	view_dns(status, out);
	status_view_keys(status, out);
	view_cache(status, "private", "Private keys", out);
	view_cache(status, "public", "Public keys", out);
	view_workers(status, out);
	view_process(status, out);
	view_cost(status, out);
	keep_printable(out, from);
}
