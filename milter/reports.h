/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reports - reports of signatures that failed, to domains that ask for them
 * (RFC 6651)
 *
 * A thread of its own, made with the first report, takes them from a queue that
 * is capped, looks up what the domain wants, and writes the report to a folder
 * or hands it to sendmail(1). Both the reports to one domain and all together
 * are limited by the hour, and so are the look-ups of a domain that find no
 * record. What does not fit is dropped and counted: nobody waits for a report.
 *
 * Threads: reports_new and reports_free from the main thread, reports_submit
 * from any; one mutex, for the queue. What is in the queue is its thread's.
 */
#ifndef REPORTS_H
#define REPORTS_H

#include "address.h"
#include "report_text.h"
#include "snapshot.h"

struct log;

struct report {
	char domain[DOMAIN_SIZE]; /* d= */
	enum report_kind kind;
	char boundary[REPORT_BOUNDARY_SIZE];
	struct buf parts;
	struct snapshot *snapshot;
	struct report *next;
};

struct reports;

/* NULL: out of memory. All three must last as long as the process: the thread
 * is never ended. */
struct reports *reports_new(
    struct log *log, struct stats *stats, const char *host_name);
/* For one that has been given no report yet. */
void reports_free(struct reports *reports);
/* NULL: out of memory, or of random numbers. */
struct report *report_new(void);
void report_free(struct report *report);
/* Takes REPORT over, whose other members are set, with SNAPSHOT (referenced),
 * which says where it goes and whom is asked. */
void reports_submit(
    struct reports *reports, struct report *report, struct snapshot *snapshot);

#endif
