/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of message.h that reports signatures that failed. */
#include <arpa/inet.h>
#include <time.h>

#include "headers.h"
#include "message.h"

enum {
	MAX_REPORTS = 3 /* of a message */
};

static struct bytes
value_of(const struct message *message, const char *name)
{
	size_t at = headers_find_last(
	    message->headers, bytes_str(name), headers_count(message->headers));

	return at == SIZE_MAX
	    ? bytes_of(NULL, 0)
	    : bytes_trim(headers_get(message->headers, at).value);
}

static bool
begins_with(struct bytes value, const char *word)
{
	size_t len = strlen(word);

	return value.len >= len &&
	    bytes_is_nocase(bytes_of(value.data, len), word);
}

/* Reports about reports, bounces and other answers of programs would go round
 * (RFC 3834 section 2). */
static bool
is_automatic(const struct message *message)
{
	struct bytes sender = buf_bytes(&message->sender);
	struct bytes submitted = value_of(message, "Auto-Submitted");

	return sender.len == 0 || bytes_is(sender, "<>") ||
	    (submitted.len > 0 && !begins_with(submitted, "no")) ||
	    begins_with(value_of(message, "Content-Type"), "multipart/report");
}

static void
report_one(struct message *message, const struct report_facts *facts,
    enum report_kind kind)
{
	struct report_facts all = *facts;
	struct report *report = report_new();

	if (report == NULL) {
		stats_report(message->daemon->stats, REPORT_DROPPED);
		return;
	}
	strcpy(report->domain, facts->domain);
	report->kind = kind;
	all.boundary = report->boundary;
	report_write_parts(&all, &report->parts);
	reports_submit(message->daemon->reports, report, message->snapshot);
}

/* One report for each domain (RFC 6651 section 3.3). */
static bool
is_new(char domains[][DOMAIN_SIZE], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(domains[i], domains[count]) == 0)
			return false;
	return true;
}

static void
report_all(struct message *message, struct report_facts *facts)
{
	size_t signatures = signpost_verifier_count(message->verifier);
	char domains[MAX_REPORTS][DOMAIN_SIZE];
	size_t count = 0;
	enum report_kind kind;

	for (size_t i = 0; i < signatures && count < MAX_REPORTS; i++) {
		const struct signpost_verdict *verdict =
		    signpost_verifier_verdict(message->verifier, i);
		if (!verdict->report_wanted ||
		    !report_kind_of(verdict->reason, &kind) ||
		    !domain_to_ascii(
			bytes_of(verdict->domain, verdict->domain_len),
			domains[count]) ||
		    !is_new(domains, count))
			continue;
		facts->verdict = verdict;
		facts->domain = domains[count++];
		report_one(message, facts, kind);
	}
}

void
message_send_reports(struct message *message, const struct sockaddr *client,
    const struct message_outcome *outcome)
{
	char address[INET6_ADDRSTRLEN];

	/* What is put off comes again, and would be reported each time. */
	if (!config_sends_reports(message->snapshot->config) ||
	    outcome->action == ACTION_TEMPFAIL || message->verifier == NULL ||
	    message->authres == NULL ||
	    message->decision.trust > TRUST_UNTRUSTED_DAEMON ||
	    is_automatic(message))
		return;
	report_all(message,
	    &(struct report_facts){
		.headers = message->headers,
		.authserv_id = message->authserv_id,
		.authres = message->authres,
		.client = message_client_text(client, address),
		.sender = buf_bytes(&message->sender),
		.delivered = outcome->action == ACTION_ACCEPT ||
		    outcome->action == ACTION_QUARANTINE,
		.now = (int64_t)time(NULL),
	    });
}
