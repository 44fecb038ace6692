/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "keyhash.h"
#include "log.h"
#include "lru.h"
#include "report_delivery.h"

enum {
	MAX_QUEUED = 64,
	MAX_UNANSWERED = 10000, /* domains in mind that gave no record */
	/* A report with all its header fits into the pipe to sendmail(1). */
	MAX_PARTS_BYTES = 60000,
	MAX_HEADER_BYTES = 4096,
};

#define HOUR_NS UINT64_C(3600000000000)

/* As many as reports.per_hour allows at most: whatever names others make up,
 * no domain that got a report in this hour is forgotten. */
#define MAX_SENT 1000000

#define HOUR_NS UINT64_C(3600000000000)

struct reports {
	struct log *log;
	struct stats *stats;
	const char *host_name;
	pthread_mutex_t mutex;
	pthread_cond_t arrived;
	/* Under the mutex: */
	struct report *first, **last;
	size_t queued;
	bool runs; /* the thread is there */
	/* The thread's; counts are of the present hour: */
	uint64_t hour_ns;	       /* when it began */
	struct lru *sent, *unanswered; /* a count for each domain */
	unsigned sent_all;
	uint64_t serial;
};

struct reports *
reports_new(struct log *log, struct stats *stats, const char *host_name)
{
	struct reports *reports = calloc(1, sizeof(*reports));

	if (reports == NULL)
		return NULL;
	reports->log = log;
	reports->stats = stats;
	reports->host_name = host_name;
	reports->last = &reports->first;
	pthread_mutex_init(&reports->mutex, NULL);
	pthread_cond_init(&reports->arrived, NULL);
	reports->sent = lru_new(MAX_SENT, SIZE_MAX, free);
	reports->unanswered = lru_new(MAX_UNANSWERED, SIZE_MAX, free);
	if (reports->sent == NULL || reports->unanswered == NULL) {
		reports_free(reports);
		return NULL;
	}
	return reports;
}

void
reports_free(struct reports *reports)
{
	if (reports == NULL)
		return;
	lru_free(reports->sent);
	lru_free(reports->unanswered);
	pthread_cond_destroy(&reports->arrived);
	pthread_mutex_destroy(&reports->mutex);
	free(reports);
}

struct report *
report_new(void)
{
	struct report *report = calloc(1, sizeof(*report));
	uint64_t random;

	if (report == NULL || !keyhash_seed(&random)) {
		free(report);
		return NULL;
	}
	report_boundary(random, report->boundary);
	buf_init(&report->parts, MAX_PARTS_BYTES);
	return report;
}

void
report_free(struct report *report)
{
	if (report == NULL)
		return;
	buf_fini(&report->parts);
	snapshot_unref(report->snapshot);
	free(report);
}

/* The one hour of all counts. */
static void
begin_hour(struct reports *reports)
{
	uint64_t now_ns = stats_monotonic_ns();

	if (now_ns - reports->hour_ns < HOUR_NS)
		return;
	reports->hour_ns = now_ns;
	lru_clear(reports->sent);
	lru_clear(reports->unanswered);
	reports->sent_all = 0;
}

static bool
is_used_up(struct lru *counts, const struct report *report)
{
	const unsigned *count = lru_get(counts, bytes_str(report->domain));

	return count != NULL &&
	    *count >= report->snapshot->config->reports.per_domain;
}

/* False: out of memory. */
static bool
count_domain(struct lru *counts, const char *domain)
{
	unsigned *count = lru_get(counts, bytes_str(domain));

	if (count == NULL) {
		count = calloc(1, sizeof(*count));
		if (count == NULL ||
		    !lru_put(counts, bytes_str(domain), count, sizeof(*count)))
			return false;
	}
	++*count;
	return true;
}

/* A look-up that is waited for: this thread has nothing else to do. */
struct asking {
	pthread_mutex_t mutex;
	pthread_cond_t answered;
	bool done, found;
	struct buf record;
};

static void
take_answer(void *ctx, const struct resolver_result *result)
{
	struct asking *asking = ctx;

	pthread_mutex_lock(&asking->mutex);
	/* RFC 6651 section 3.3: several records are none. */
	if (result->answer == RESOLVER_FOUND && result->count == 1) {
		buf_append_bytes(&asking->record, result->records[0]);
		asking->found = !asking->record.failed;
	}
	asking->done = true;
	pthread_cond_signal(&asking->answered);
	pthread_mutex_unlock(&asking->mutex);
}

/* The resolver answers every question in its time. */
static bool
ask(const struct report *report, struct buf *record)
{
	struct asking asking = { .mutex = PTHREAD_MUTEX_INITIALIZER,
		.answered = PTHREAD_COND_INITIALIZER };
	char name[DOMAIN_SIZE];

	buf_init(&asking.record, RESOLVER_MAX_RECORD_BYTES);
	if (snprintf(name, sizeof(name), "_report._domainkey.%s",
		report->domain) >= (int)sizeof(name) ||
	    !resolver_ask(
		report->snapshot->resolver, name, take_answer, &asking, NULL))
		return false;
	pthread_mutex_lock(&asking.mutex);
	while (!asking.done)
		pthread_cond_wait(&asking.answered, &asking.mutex);
	pthread_mutex_unlock(&asking.mutex);
	*record = asking.record;
	return asking.found;
}

static bool
is_chosen(unsigned percent)
{
	uint64_t random;

	return percent >= 100 ||
	    (keyhash_seed(&random) && random % 100 < percent);
}

/* What the kinds of RECORD_R are borrowed from is in TEXT. */
static bool
find_record(const struct report *report, struct buf *text,
    struct report_record *record_r)
{
	return ask(report, text) &&
	    report_record_parse(buf_bytes(text), record_r);
}

static bool
is_set(const char *value)
{
	return value != NULL && value[0] != '\0';
}

static bool
write_file(
    struct reports *reports, const char *folder, const struct buf *message)
{
	char name[64];

	snprintf(name, sizeof(name), "%" PRId64 ".%ld.%" PRIu64,
	    (int64_t)time(NULL), (long)getpid(), reports->serial);
	if (report_deliver_file(folder, name, buf_bytes(message)))
		return true;
	log_often(reports->log, LOG_KIND_REPORT, LOG_WARNING,
	    "a report could not be written: %s: %s", folder, strerror(errno));
	return false;
}

static bool
run_program(struct reports *reports, const char *program, const char *to,
    const struct buf *message)
{
	if (report_deliver_program(program, to, buf_bytes(message)))
		return true;
	log_often(reports->log, LOG_KIND_REPORT, LOG_WARNING,
	    "a report could not be sent: %s failed", program);
	return false;
}

static bool
deliver(struct reports *reports, const struct report *report, const char *to,
    const struct buf *message)
{
	const struct config *config = report->snapshot->config;
	bool good = true;

	if (is_set(config->reports.directory))
		good = write_file(reports, config->reports.directory, message);
	if (is_set(config->reports.sendmail))
		good = run_program(
			   reports, config->reports.sendmail, to, message) &&
		    good;
	return good;
}

static bool
send_report(
    struct reports *reports, const struct report *report, const char *local)
{
	const struct config *config = report->snapshot->config;
	char to[REPORT_ADDRESS_SIZE + DOMAIN_SIZE], from[300];
	struct report_envelope envelope = { report->boundary, from, to,
		report->domain, reports->host_name, ++reports->serial,
		(int64_t)time(NULL) };
	struct buf message;
	bool good;

	snprintf(to, sizeof(to), "%s@%s", local, report->domain);
	if (is_set(config->reports.from))
		snprintf(from, sizeof(from), "%s", config->reports.from);
	else
		snprintf(
		    from, sizeof(from), "postmaster@%s", reports->host_name);
	buf_init(&message, MAX_HEADER_BYTES + MAX_PARTS_BYTES);
	report_write_header(&envelope, &message);
	buf_append_bytes(&message, buf_bytes(&report->parts));
	good = !message.failed && deliver(reports, report, to, &message);
	buf_fini(&message);
	return good;
}

static enum stats_report
handle_wanted(
    struct reports *reports, const struct report *report, const char *local)
{
	if (reports->sent_all >= report->snapshot->config->reports.per_hour ||
	    !count_domain(reports->sent, report->domain))
		return REPORT_LIMITED;
	reports->sent_all++;
	return send_report(reports, report, local) ? REPORT_SENT
						   : REPORT_FAILED;
}

/* Limits first: who is to get no more reports, or gives no record, is not asked
 * for it. */
static enum stats_report
handle(struct reports *reports, const struct report *report)
{
	enum stats_report result = REPORT_UNWANTED;
	struct report_record record;
	struct buf text;

	begin_hour(reports);
	if (is_used_up(reports->sent, report) ||
	    is_used_up(reports->unanswered, report))
		return REPORT_LIMITED;
	buf_init(&text, RESOLVER_MAX_RECORD_BYTES);
	if (!find_record(report, &text, &record))
		count_domain(reports->unanswered, report->domain);
	else if (report_record_wants(&record, report->kind) &&
	    is_chosen(record.percent))
		result = handle_wanted(reports, report, record.local);
	buf_fini(&text);
	return result;
}

static void *
run(void *arg)
{
	struct reports *reports = arg;

	for (;;) {
		pthread_mutex_lock(&reports->mutex);
		while (reports->first == NULL)
			pthread_cond_wait(&reports->arrived, &reports->mutex);
		struct report *report = reports->first;
		reports->first = report->next;
		if (reports->first == NULL)
			reports->last = &reports->first;
		reports->queued--;
		pthread_mutex_unlock(&reports->mutex);

		stats_report(reports->stats, handle(reports, report));
		report_free(report);
	}
	return NULL;
}

/* With the mutex held. */
static bool
start(struct reports *reports)
{
	pthread_t thread;

	if (!reports->runs)
		reports->runs =
		    pthread_create(&thread, NULL, run, reports) == 0 &&
		    pthread_detach(thread) == 0;
	return reports->runs;
}

void
reports_submit(
    struct reports *reports, struct report *report, struct snapshot *snapshot)
{
	bool taken = false;

	report->snapshot = snapshot_ref(snapshot);
	pthread_mutex_lock(&reports->mutex);
	if (!report->parts.failed && reports->queued < MAX_QUEUED &&
	    start(reports)) {
		*reports->last = report;
		reports->last = &report->next;
		reports->queued++;
		taken = true;
		pthread_cond_signal(&reports->arrived);
	}
	pthread_mutex_unlock(&reports->mutex);
	if (taken)
		return;
	stats_report(reports->stats, REPORT_DROPPED);
	report_free(report);
}
