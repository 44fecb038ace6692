/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "authres.h"
#include "headers.h"

enum {
	/* A header larger than this is not kept from message to message. */
	KEEP_HEADER_BYTES = 8192,
	KEEP_BUF_BYTES = 1024,
	/* Fields of results; beyond, the message goes. To tell whose one is can
	 * cost some 100 microseconds. */
	MAX_RESULTS = 1024,
	/* Of recipients: beyond, a message is exempt by none. */
	MAX_PATHS_BYTES = 256 << 10,
};

static const char results_name[] = "Authentication-Results";

static const char *const status_codes[] = {
	[ACTION_REJECT] = "550",
	[ACTION_TEMPFAIL] = "451",
};

void
message_init(struct message *message, struct daemon *daemon)
{
	*message = (struct message){ .daemon = daemon };
	buf_init(&message->sender, SIZE_MAX);
	buf_init(&message->paths, MAX_PATHS_BYTES);
	buf_init(&message->scratch, SIZE_MAX);
	buf_init(&message->claims, MAX_RESULTS * sizeof(uint32_t));
	buf_init(&message->signatures, 1024);
	buf_init(&message->why, 512);
}

void
message_fini(struct message *message)
{
	message_reset(message);
	signpost_headers_free(message->headers);
	buf_fini(&message->sender);
	buf_fini(&message->paths);
	buf_fini(&message->scratch);
	buf_fini(&message->claims);
	buf_fini(&message->signatures);
	buf_fini(&message->why);
}

void
message_fail(struct message *message, enum message_failure failure)
{
	if (message->failure == FAILURE_NONE)
		message->failure = failure;
}

static void
choose_authserv_id(struct message *message, const char *mta_name)
{
	const char *id = message->snapshot->config->authserv_id;

	if (id == NULL || id[0] == '\0')
		id = mta_name;
	if (id == NULL || id[0] == '\0')
		id = message->daemon->host_name;
	snprintf(message->authserv_id, sizeof(message->authserv_id), "%s", id);
}

void
message_begin(struct message *message, const char *sender, const char *mta_name)
{
	message_reset(message);
	message->begin_ns = stats_monotonic_ns();
	message->snapshot = daemon_message_begin(message->daemon);
	choose_authserv_id(message, mta_name);
	buf_append_str(&message->sender, sender);
	if (message->sender.failed)
		message_fail(message, FAILURE_MEMORY);

	size_t max = message->snapshot->config->limits.max_header_bytes;
	if (message->headers != NULL && message->headers_max != max) {
		signpost_headers_free(message->headers);
		message->headers = NULL;
	}
	if (message->headers == NULL &&
	    signpost_headers_new(max, &message->headers) != SIGNPOST_OK) {
		message->headers = NULL;
		message_fail(message, FAILURE_MEMORY);
	}
	message->headers_max = max;
}

void
message_recipient(struct message *message, const char *path)
{
	if (message->recipients < UINT_MAX)
		message->recipients++;
	buf_append(&message->paths, path, strlen(path) + 1);
}

void
message_declare_8bit(struct message *message)
{
	message->declared_8bit = true;
}

/* Results that say they are ours are believed from our own systems only (RFC
 * 8601 section 5). Who is authenticated, or submits on the machine, is a user of
 * ours and no such system. */
static bool
removes_claims(const struct message *message)
{
	return message->decided &&
	    message->snapshot->config->mode != MODE_SIGN &&
	    message->decision.trust != TRUST_NETWORK;
}

static bool
claims_to_be_ours(const struct message *message, struct bytes value)
{
	const struct config_strings *others =
	    &message->snapshot->config->remove_results_of;

	if (authres_claims(value, message->authserv_id))
		return true;
	for (size_t i = 0; i < others->count; i++)
		if (authres_claims(value, others->items[i]))
			return true;
	return false;
}

static bool
has_too_many_results(const struct message *message)
{
	return message->results > MAX_RESULTS;
}

/* Beyond the cap on header octets, too, where the field itself is not kept. */
static void
note_results(struct message *message, struct bytes value)
{
	message->results++;
	if (message->snapshot->config->mode == MODE_SIGN ||
	    has_too_many_results(message) || !claims_to_be_ours(message, value))
		return;
	buf_append(
	    &message->claims, &message->results, sizeof(message->results));
	if (message->claims.failed)
		message_fail(message, FAILURE_MEMORY);
}

void
message_header(struct message *message, const char *name, size_t name_len,
    const char *value, size_t value_len)
{
	if (message->snapshot == NULL)
		return;
	if (bytes_is_nocase(bytes_trim(bytes_of(name, name_len)), results_name))
		note_results(message, bytes_of(value, value_len));
	if (message->failure != FAILURE_NONE)
		return;
	switch (signpost_headers_add(
	    message->headers, name, name_len, value, value_len)) {
	case SIGNPOST_OK:
	case SIGNPOST_SYNTAX: /* an empty name, which no MTA sends */
		message->header_bytes += name_len + value_len;
		break;
	case SIGNPOST_LIMIT:
		stats_add(message->daemon->stats, COUNT_HEADER_LIMIT, 1);
		message_fail(message, FAILURE_HEADER_LIMIT);
		break;
	default:
		message_fail(message, FAILURE_MEMORY);
		break;
	}
}

static void
read_from(
    struct message *message, struct bytes value, struct policy_input *input)
{
	struct address authors[ADDRESS_MAX_LISTED] = { 0 };
	size_t count;

	input->from_ok = address_list_from_field(
	    value, &message->scratch, authors, ADDRESS_MAX_LISTED, &count);
	input->from = authors[0];
	input->other_count = input->from_ok ? count - 1 : 0;
	memcpy(input->others, authors + 1, sizeof(input->others));
}

static void
decide(struct message *message, const struct message_client *client)
{
	struct policy_input input = {
		.client = client->address,
		.auth_user = client->auth_user,
		.daemon_name = client->daemon_name,
		.sender = buf_bytes(&message->sender),
	};

	if (!message->paths.failed)
		input.recipients = buf_bytes(&message->paths);
	if (message->headers != NULL) {
		struct bytes from = bytes_str("From");
		size_t at = headers_find_last(
		    message->headers, from, headers_count(message->headers));
		input.from_count = headers_occurrences(message->headers, from);
		if (at != SIZE_MAX)
			read_from(message,
			    headers_get(message->headers, at).value, &input);
	}
	/* A From that was not read is not one that isn't ours. */
	if (message->scratch.failed)
		message_fail(message, FAILURE_MEMORY);
	policy_decide(message->snapshot->config, message->snapshot->keystore,
	    &input, &message->decision);
}

void
message_end_headers(
    struct message *message, const struct message_client *client)
{
	if (message->snapshot == NULL || message->decided)
		return;
	message->keeps_addresses = client->keeps_addresses;
	decide(message, client);
	message->decided = true;
	if (message->failure != FAILURE_NONE)
		return;
	if (message->decision.sign)
		message_begin_signing(message, (int64_t)time(NULL));
	if (message->decision.verify)
		message_begin_verifying(message, client, (int64_t)time(NULL));
}

static void
check_body(struct message *message, enum signpost_status status)
{
	if (status != SIGNPOST_OK)
		message_fail(message,
		    status == SIGNPOST_NOMEM ? FAILURE_MEMORY : FAILURE_CRYPTO);
}

bool
message_body(struct message *message, const void *data, size_t len)
{
	bool checks = message->verifier != NULL &&
	    signpost_verifier_wants_body(message->verifier);

	message->body_bytes += len;
	if (message->signer != NULL) {
		check_body(
		    message, signpost_signer_body(message->signer, data, len));
		message_hazards_body(message, data, len);
	}
	if (checks)
		check_body(message,
		    signpost_verifier_body(message->verifier, data, len));
	return message->signer != NULL || checks;
}

struct timespec
message_deadline(int64_t ms)
{
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += ms / 1000;
	deadline.tv_nsec += ms % 1000 * 1000000;
	if (deadline.tv_nsec >= 1000000000) {
		deadline.tv_sec++;
		deadline.tv_nsec -= 1000000000;
	}
	return deadline;
}

void
message_outcome_set(struct message_outcome *outcome, enum config_action action,
    const char *reason, const char *detail[2], const char *format, ...)
{
	va_list args;

	outcome->action = action;
	outcome->reason = reason;
	outcome->code[0] = '\0';
	if (action != ACTION_REJECT && action != ACTION_TEMPFAIL)
		return;
	snprintf(
	    outcome->code, sizeof(outcome->code), "%s", status_codes[action]);
	snprintf(outcome->enhanced, sizeof(outcome->enhanced), "%s",
	    detail[action == ACTION_TEMPFAIL]);
	va_start(args, format);
	vsnprintf(outcome->text, sizeof(outcome->text), format, args);
	va_end(args);
}

/* A header over the cap may have hidden the From that would have been signed
 * for, so that whatever is ours counts as not signed. */
static bool
fails_as_ours(const struct message *message)
{
	return message->decision.sign ||
	    (message->failure == FAILURE_HEADER_LIMIT &&
		message->snapshot->config->mode != MODE_VERIFY &&
		message->decision.trust > TRUST_UNTRUSTED_DAEMON);
}

static void
fail(struct message *message, struct message_outcome *outcome)
{
	static const char *detail[2] = { "5.3.0", "4.3.0" };
	const char *reason = message_failure_token(message->failure);
	const char *why = message_failure_text(message->failure);

	outcome->rule = message_failure_setting(message->failure);
	if (message->failure == FAILURE_MEMORY || !message->decided)
		message_outcome_set(
		    outcome, ACTION_TEMPFAIL, reason, detail, "DKIM: %s", why);
	else if (message->failure == FAILURE_HEADER_LIMIT)
		message_apply_header_limit(message, outcome);
	else
		message_apply_policy(message,
		    &(struct message_wish){
			.action = message_on_temperror(message),
			.rule = "verify.on_temperror",
			.reason = reason,
			.why = why,
			.reply = message->decision.verifying->temperror_reply,
			.detail = detail,
			.own_text = "DKIM: {reason}",
		    },
		    outcome);
}

/* Those that claim to be ours can't all be told and removed: the cap is far
 * above what any honest message has. */
static void
refuse_results(struct message_outcome *outcome)
{
	static const char *detail[2] = { "5.7.1", "4.7.1" };

	message_outcome_set(outcome, ACTION_REJECT,
	    message_failure_token(FAILURE_RESULTS), detail, "%s",
	    message_failure_text(FAILURE_RESULTS));
	outcome->rule = NULL;
}

void
message_finish(struct message *message, struct message_outcome *outcome_r)
{
	struct policy_decision *decision = &message->decision;

	*outcome_r = (struct message_outcome){
		.action = ACTION_ACCEPT,
		.reason = policy_reason_token(decision->reason),
		.rule = policy_reason_setting(decision->reason),
	};

	if (outcome_r->rule == NULL)
		outcome_r->rule = policy_trust_setting(decision->trust);
	if (message->failure == FAILURE_MEMORY || !message->decided)
		fail(message, outcome_r);
	else if (has_too_many_results(message) && removes_claims(message))
		refuse_results(outcome_r);
	else if (message->failure != FAILURE_NONE && fails_as_ours(message))
		message_sign_failed(message, outcome_r);
	else if (message->failure != FAILURE_NONE)
		fail(message, outcome_r);
	else if (decision->sign || decision->reason == POLICY_NO_USABLE_KEY)
		message_sign(message, outcome_r);
	if (outcome_r->action == ACTION_ACCEPT && decision->verify &&
	    message->verifier != NULL)
		message_verify(message, outcome_r);
}

static size_t
count_signatures(const struct message *message)
{
	return message->signer != NULL ? signpost_signer_count(message->signer)
				       : 0;
}

size_t
message_field_count(const struct message *message)
{
	return count_signatures(message) + (message->authres != NULL);
}

void
message_field(const struct message *message, size_t i, const char **name_r,
    const char **value_r)
{
	if (i < count_signatures(message)) {
		signpost_signer_field(message->signer, i, name_r, value_r);
		return;
	}
	*name_r = results_name;
	*value_r = message->authres;
}

size_t
message_claims(const struct message *message, const uint32_t **items_r)
{
	*items_r = (const uint32_t *)(const void *)message->claims.data;
	if (!removes_claims(message))
		return 0;
	return message->claims.len / sizeof(uint32_t);
}

/* Keeps what the next message can use, unless it has grown. */
static void
shrink(struct buf *buf)
{
	if (buf->cap > KEEP_BUF_BYTES)
		buf_fini(buf);
	buf_clear(buf);
}

void
message_reset(struct message *message)
{
	if (message->snapshot == NULL)
		return;
	signpost_signer_free(message->signer);
	signpost_verifier_free(message->verifier);
	signpost_verifier_free(message->own);
	key_lookups_free(message->lookups);
	signpost_string_free(message->authres);
	signpost_string_free(message->changed);
	if (message->header_bytes > KEEP_HEADER_BYTES) {
		signpost_headers_free(message->headers);
		message->headers = NULL;
	} else if (message->headers != NULL) {
		signpost_headers_reset(message->headers);
	}
	shrink(&message->sender);
	shrink(&message->paths);
	shrink(&message->scratch);
	shrink(&message->claims);
	shrink(&message->signatures);
	shrink(&message->why);
	snapshot_unref(message->snapshot);
	daemon_message_end(message->daemon);
	*message = (struct message){
		.daemon = message->daemon,
		.headers = message->headers,
		.headers_max = message->headers_max,
		.sender = message->sender,
		.paths = message->paths,
		.scratch = message->scratch,
		.claims = message->claims,
		.signatures = message->signatures,
		.why = message->why,
	};
}
