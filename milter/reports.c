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
	MAX_DOMAINS = 10000, /* with limits of their own */
	/* A report with all its header fits into the pipe to sendmail(1). */
	MAX_PARTS_BYTES = 60000,
	MAX_HEADER_BYTES = 4096,
};

#define HOUR_NS UINT64_C(3600000000000)

/* What was used up of a limit in the present hour, which begins with the first
 * use. */
struct allowance {
	uint64_t begin_ns;
	unsigned used;
};

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
	/* The thread's: */
	struct lru *domains; /* an allowance each */
	struct allowance all;
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
	reports->domains = lru_new(MAX_DOMAINS, SIZE_MAX, free);
	if (reports->domains == NULL) {
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
	lru_free(reports->domains);
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

static bool
use(struct allowance *allowance, unsigned limit)
{
	uint64_t now_ns = stats_monotonic_ns();

	if (now_ns - allowance->begin_ns >= HOUR_NS)
		*allowance = (struct allowance){ .begin_ns = now_ns };
	if (allowance->used >= limit)
		return false;
	allowance->used++;
	return true;
}

/* Out of memory counts as over the limit. */
static bool
use_domain(struct reports *reports, const struct report *report)
{
	struct bytes name = bytes_str(report->domain);
	struct allowance *allowance = lru_get(reports->domains, name);

	if (allowance == NULL) {
		allowance = calloc(1, sizeof(*allowance));
		if (allowance == NULL ||
		    !lru_put(
			reports->domains, name, allowance, sizeof(*allowance)))
			return false;
		allowance->begin_ns = stats_monotonic_ns();
	}
	return use(allowance, report->snapshot->config->reports.per_domain);
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

static bool
is_wanted(const struct report *report, char *local)
{
	struct report_record record;
	struct buf text;
	bool wanted;

	buf_init(&text, RESOLVER_MAX_RECORD_BYTES);
	wanted = ask(report, &text) &&
	    report_record_parse(buf_bytes(&text), &record) &&
	    report_record_wants(&record, report->kind) &&
	    is_chosen(record.percent);
	if (wanted)
		snprintf(local, REPORT_ADDRESS_SIZE, "%s", record.local);
	buf_fini(&text);
	return wanted;
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
	log_line(reports->log, LOG_WARNING,
	    "a report could not be written: %s: %s", folder, strerror(errno));
	return false;
}

static bool
run_program(struct reports *reports, const char *program, const char *to,
    const struct buf *message)
{
	if (report_deliver_program(program, to, buf_bytes(message)))
		return true;
	log_line(reports->log, LOG_WARNING,
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

/* Limits first, so that no message makes more look-ups than them. */
static enum stats_report
handle(struct reports *reports, const struct report *report)
{
	char local[REPORT_ADDRESS_SIZE];

	if (!use_domain(reports, report))
		return REPORT_LIMITED;
	if (!is_wanted(report, local))
		return REPORT_UNWANTED;
	if (!use(&reports->all, report->snapshot->config->reports.per_hour))
		return REPORT_LIMITED;
	return send_report(reports, report, local) ? REPORT_SENT
						   : REPORT_FAILED;
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
