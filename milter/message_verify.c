/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of message.h that verifies. */
#include <netinet/in.h>

#include "key_records.h"
#include "message.h"

enum {
	NOTED_BYTES = 128 /* of a signature's domain, of its selector ... */
};

struct checking {
	struct signpost_verifier *verifier;
	size_t index[WORK_MAX_OPERATIONS]; /* signature of each operation */
	struct work_times times[WORK_MAX_OPERATIONS];
	size_t count;
};

/* What the signatures of a message come to together. */
struct summary {
	bool pass, aligned, temperror;
	const struct signpost_verdict *fail;	  /* the topmost */
	const struct signpost_verdict *temporary; /* likewise */
};

/* Whose share of the look-ups a client has: that of an IPv4 address, or of a
 * network of IPv6, which is given to one customer. */
static struct bytes
asker(const struct sockaddr *address)
{
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;
	const void *octets;

	if (address != NULL && address->sa_family == AF_INET) {
		octets = &in->sin_addr;
		return bytes_of(octets, sizeof(in->sin_addr));
	}
	if (address == NULL || address->sa_family != AF_INET6)
		return bytes_of("", 0);
	octets = &in6->sin6_addr;
	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		return bytes_of((const char *)octets + 12, 4);
	return bytes_of(octets, 8);
}

void
message_begin_verifying(
    struct message *message, const struct message_client *client, int64_t now)
{
	enum signpost_status status =
	    signpost_verifier_new(message->daemon->handle, message->headers,
		&message->decision.verifying->options, now, &message->verifier);

	if (status != SIGNPOST_OK)
		message->verifier = NULL;
	if (status == SIGNPOST_OK)
		/* While the body is still on its way. */
		message->lookups =
		    key_records_start(message->snapshot->key_cache,
			message->verifier, asker(client->address));
	if (status == SIGNPOST_NOMEM ||
	    (status == SIGNPOST_OK && message->lookups == NULL))
		message_fail(message, FAILURE_MEMORY);
	else if (status != SIGNPOST_OK)
		message_fail(message, FAILURE_CRYPTO);
}

/* Public-key work must have time left when the last key comes, or a silent
 * server of one signature's keys would spoil the others. */
static void
wait_for_keys(struct message *message)
{
	int64_t max_wait_ms = message->snapshot->config->limits.max_wait_ms;
	struct timespec deadline =
	    message_deadline(max_wait_ms - max_wait_ms / 10);
	struct timespec soon = message_deadline(1);
	uint64_t begin = stats_monotonic_ns();

	/* Most answers come at once; the thread that waits for one that does
	 * not must hold up no other message. */
	if (!key_lookups_peek(message->lookups, &soon)) {
		daemon_knock(message->daemon);
		key_lookups_wait(message->lookups, &deadline);
	}
	message->dns_wait_ns = stats_monotonic_ns() - begin;
	key_records_give(message->lookups, message->verifier);
}

static void
check_one(void *ctx, size_t i)
{
	struct checking *checking = ctx;

	signpost_verifier_check(checking->verifier, checking->index[i]);
}

static void
count_checks(struct message *message, const struct checking *checking,
    enum work_outcome outcome, uint64_t wait_ns)
{
	struct stats *stats = message->daemon->stats;

	for (size_t i = 0; i < checking->count; i++) {
		enum signpost_algorithm algorithm = signpost_verifier_verdict(
		    checking->verifier, checking->index[i])
							->algorithm;
		stats_wait(stats, OPERATION_VERIFY, algorithm, wait_ns);
		if (checking->times[i].ran)
			stats_operation(stats, OPERATION_VERIFY, algorithm,
			    checking->times[i].cpu_ns,
			    checking->times[i].queue_ns);
		else
			signpost_verifier_give_up(checking->verifier,
			    checking->index[i], SIGNPOST_REASON_OVERLOAD);
	}
	if (outcome == WORK_BUSY)
		stats_add(stats, COUNT_OVERLOAD, 1);
	else if (outcome == WORK_DEADLINE)
		stats_add(stats, COUNT_DEADLINES, 1);
}

/* As one job, or as several where they are very many. */
bool
message_check(struct message *message, struct signpost_verifier *verifier,
    const struct timespec *deadline)
{
	struct checking checking = { .verifier = verifier };
	size_t signatures = signpost_verifier_count(verifier);
	bool busy = false;

	for (size_t i = 0; i < signatures; i++) {
		if (signpost_verifier_needs_check(verifier, i))
			checking.index[checking.count++] = i;
		if (checking.count == 0 ||
		    (checking.count < WORK_MAX_OPERATIONS &&
			i + 1 < signatures))
			continue;
		struct work_job job = { check_one, &checking, checking.count,
			checking.times };
		uint64_t wait_ns = 0;
		enum work_outcome outcome =
		    work_run(message->daemon->work, &job, deadline, &wait_ns);
		count_checks(message, &checking, outcome, wait_ns);
		message->work_wait_ns += wait_ns;
		busy = busy || outcome == WORK_BUSY;
		checking = (struct checking){ .verifier = verifier };
	}
	return busy;
}

/* A message whose MTA was not asked for recipients has one. */
static void
count_replay(struct message *message, size_t i, uint64_t now_ns)
{
	const struct config *config = message->snapshot->config;
	const struct signpost_verdict *verdict =
	    signpost_verifier_verdict(message->verifier, i);
	struct replay_rule rule = {
		.window_ns = (uint64_t)config->replay.window_s * 1000000000,
		.messages = config->replay.threshold,
		.recipients = config->replay.recipients,
	};
	size_t len;
	const char *octets =
	    signpost_verifier_octets(message->verifier, i, &len);
	struct replay_signature signature = {
		.octets = bytes_of(octets, len),
		.domain = bytes_of(verdict->domain, verdict->domain_len),
		.recipients = message->recipients > 0 ? message->recipients : 1,
	};
	struct replay_seen seen =
	    replay_count(message->daemon->replay, &rule, &signature, now_ns);

	if (seen.messages > 0)
		stats_replay(message->daemon->stats, seen.messages,
		    signature.recipients);
	if (seen.messages > message->seen.messages)
		message->seen = seen;
	if (seen.too_often)
		signpost_verifier_refuse(
		    message->verifier, i, SIGNPOST_REASON_REPLAYED);
}

static void
count_replays(struct message *message)
{
	size_t signatures = signpost_verifier_count(message->verifier);
	uint64_t now_ns = stats_monotonic_ns();

	for (size_t i = 0; i < signatures; i++)
		if (signpost_verifier_verdict(message->verifier, i)->result ==
		    SIGNPOST_PASS)
			count_replay(message, i, now_ns);
}

/* A part of what a signature says of itself: what parts are kept apart by can't
 * stand in one, or a signature could show another one's result; nor may one hide
 * what stands behind it. */
static void
note_part(struct buf *list, const char *data, size_t len)
{
	for (size_t i = 0; i < len && i < NOTED_BYTES; i++)
		buf_append_char(list,
		    data[i] == '\0' || strchr("/,=:", data[i]) != NULL
			? '?'
			: data[i]);
	if (len > NOTED_BYTES)
		buf_append_str(list, "...");
}

static void
note_verdict(struct message *message, const struct signpost_verdict *verdict)
{
	struct buf *list = &message->signatures;

	if (list->len > 0)
		buf_append_char(list, ',');
	note_part(list, verdict->domain, verdict->domain_len);
	buf_append_char(list, '/');
	note_part(list, verdict->selector, verdict->selector_len);
	buf_append_char(list, '/');
	note_part(list, verdict->algorithm_name, verdict->algorithm_name_len);
	buf_printf(list, "=%s", signpost_result_word(verdict->result));
	if (verdict->reason != SIGNPOST_REASON_NONE)
		buf_printf(list, ":%s", signpost_reason_token(verdict->reason));
}

/* Whether the signing domain is the author's or, unless alignment is strict, a
 * parent of it that is not a whole top-level domain. */
static bool
is_aligned(
    const struct message *message, const struct signpost_verdict *verdict)
{
	bool strict = message->decision.verifying->strict_alignment;
	char domain[DOMAIN_SIZE];

	return domain_to_ascii(
		   bytes_of(verdict->domain, verdict->domain_len), domain) &&
	    message->decision.author[0] != '\0' &&
	    strchr(domain, '.') != NULL &&
	    (strict ? strcmp(message->decision.author, domain) == 0
		    : domain_is_under(message->decision.author, domain));
}

static void
add_verdict(const struct message *message,
    const struct signpost_verdict *verdict, struct summary *summary)
{
	switch (verdict->result) {
	case SIGNPOST_PASS:
		summary->pass = true;
		summary->aligned =
		    summary->aligned || is_aligned(message, verdict);
		break;
	case SIGNPOST_FAIL:
		/* RFC 6376 section 3.6.1: a key under test is to do no harm. */
		if (summary->fail == NULL && !verdict->testing)
			summary->fail = verdict;
		break;
	case SIGNPOST_TEMPERROR:
		if (summary->temporary == NULL)
			summary->temporary = verdict;
		break;
	default:
		break;
	}
}

static struct summary
sum_up(struct message *message)
{
	struct stats *stats = message->daemon->stats;
	struct summary summary = { 0 };
	size_t signatures = signpost_verifier_count(message->verifier);

	for (size_t i = 0; i < signatures; i++) {
		const struct signpost_verdict *verdict =
		    signpost_verifier_verdict(message->verifier, i);
		if (verdict->reason == SIGNPOST_REASON_TOO_MANY) {
			stats_add(stats, COUNT_SIGNATURES_OVER_LIMIT, 1);
			continue;
		}
		stats_verify(stats, verdict->algorithm, verdict->result,
		    verdict->reason);
		note_verdict(message, verdict);
		add_verdict(message, verdict, &summary);
	}
	return summary;
}

/* What the topmost signature that does not match says of the fields it covers;
 * of one, as whoever sends a message may add many. */
static bool
note_changed(struct message *message)
{
	size_t signatures = signpost_verifier_count(message->verifier);

	for (size_t i = 0; i < signatures; i++)
		if (signpost_verifier_verdict(message->verifier, i)->reason ==
		    SIGNPOST_REASON_SIGNATURE)
			return signpost_verifier_changed_fields(
				   message->verifier, i, &message->changed) ==
			    SIGNPOST_OK;
	return true;
}

/* No signature passes, or none that is aligned. RFC 7372 section 3 has the
 * codes. */
static void
wish_for_unaligned(const struct message *message, const struct summary *summary,
    struct message_wish *wish)
{
	static const char *detail[2] = { "5.7.22", "4.7.5" };

	wish->action = message->decision.verifying->on_unaligned;
	wish->rule = "verify.require_aligned_pass";
	wish->reason = "not_aligned";
	if (summary->fail != NULL)
		wish->why = signpost_reason_text(summary->fail->reason);
	else if (summary->pass)
		wish->why = "the signatures that pass are of others";
	else if (signpost_verifier_count(message->verifier) > 0)
		wish->why = "no signature passes";
	else
		wish->why = "the message is not signed";
	wish->reply = message->decision.verifying->unaligned_reply;
	wish->detail = detail;
	wish->own_text =
	    "No DKIM signature of the From domain passes: {reason}";
}

static void
wish_for(const struct signpost_verdict *verdict, struct message_wish *wish)
{
	static const char *detail[2] = { "5.7.20", "4.7.5" };

	wish->reason = signpost_reason_token(verdict->reason);
	wish->why = signpost_reason_text(verdict->reason);
	wish->detail = detail;
}

static void
judge(struct message *message, const struct summary *summary,
    struct message_outcome *outcome)
{
	const struct config_verify *settings = message->decision.verifying;
	bool must_align = message_must_align(message);
	struct message_wish wish = { .action = ACTION_ACCEPT };

	if (summary->pass && (summary->aligned || !must_align)) {
		;
	} else if (summary->temporary != NULL) {
		wish_for(summary->temporary, &wish);
		wish.action = message_on_temperror(message);
		wish.rule = "verify.on_temperror";
		wish.reply = settings->temperror_reply;
		wish.own_text =
		    "DKIM signature could not be verified: {reason}";
	} else if (must_align) {
		wish_for_unaligned(message, summary, &wish);
	} else if (summary->fail != NULL) {
		wish_for(summary->fail, &wish);
		wish.action = settings->on_fail;
		wish.rule = "verify.on_fail";
		wish.reply = settings->fail_reply;
		wish.own_text = "DKIM signature does not verify: {reason}";
	}
	message_apply_policy(message, &wish, outcome);
}

static void
give_up(struct message_outcome *outcome, enum message_failure failure,
    enum config_action action)
{
	static const char *detail[2] = { "5.3.2", "4.3.2" };

	message_outcome_set(outcome, action, message_failure_token(failure),
	    detail, "DKIM verification failed: %s",
	    message_failure_text(failure));
	outcome->rule = message_failure_setting(failure);
}

/* Says so where a dry run has let the message in: a reader of the results must
 * not take it for one that was to be let in (RFC 8601 section 2.2: a comment
 * may end the field). */
static bool
note_dry_run(struct message *message)
{
	struct buf value;

	if (message->spared == NULL || message->would == ACTION_ACCEPT ||
	    message->decision.exempt != POLICY_VERIFY)
		return true;
	buf_init(&value, SIZE_MAX);
	buf_append_str(&value, message->authres);
	buf_printf(
	    &value, "\r\n\t(dry run: %s)", policy_action_word(message->would));
	signpost_string_free(message->authres);
	message->authres = buf_take_string(&value);
	return message->authres != NULL;
}

static bool
write_results(struct message *message)
{
	if (signpost_authres_write(message->authserv_id, message->verifier,
		&message->authres) == SIGNPOST_OK)
		return note_dry_run(message);
	message->authres = NULL;
	return false;
}

void
message_verify(struct message *message, struct message_outcome *outcome)
{
	const struct config *config = message->snapshot->config;
	struct timespec deadline = message_deadline(config->limits.max_wait_ms);

	if (signpost_verifier_end_body(message->verifier) == SIGNPOST_NOMEM) {
		give_up(outcome, FAILURE_MEMORY, ACTION_TEMPFAIL);
		return;
	}
	wait_for_keys(message);
	if (message_check(message, message->verifier, &deadline) &&
	    config->workers.on_overload != ACTION_ACCEPT) {
		give_up(outcome, FAILURE_OVERLOAD, config->workers.on_overload);
		return;
	}
	if (config_counts_replays(config))
		count_replays(message);
	struct summary summary = sum_up(message);
	judge(message, &summary, outcome);
	if (!note_changed(message) || !write_results(message))
		give_up(outcome, FAILURE_MEMORY, ACTION_TEMPFAIL);
}
