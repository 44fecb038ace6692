/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of message.h that signs. */
#include <stdlib.h>

#include "message.h"

struct signing {
	struct signpost_signer *signer;
	enum signpost_status status[KEYSTORE_MAX_KEYS];
	struct work_times times[KEYSTORE_MAX_KEYS];
};

static const char *crypto_detail[2] = { "5.7.5", "4.7.5" };
static const char *system_detail[2] = { "5.3.2", "4.3.2" };

void
message_sign_failed(struct message *message, struct message_outcome *outcome)
{
	enum message_failure failure = message->failure;
	bool busy = failure == FAILURE_OVERLOAD || failure == FAILURE_DEADLINE;
	const struct config_sign *settings = message->decision.settings;
	enum config_action action = settings->on_error;

	if (failure == FAILURE_OVERLOAD)
		action = message->snapshot->config->workers.on_overload;
	else if (failure == FAILURE_UNPUBLISHED)
		action = config_no_key_action(settings->on_no_usable_key);
	signpost_signer_free(message->signer);
	message->signer = NULL;
	message_outcome_set(outcome, action, message_failure_token(failure),
	    busy ? system_detail : crypto_detail, "DKIM signing failed: %s",
	    message_failure_text(failure));
	outcome->rule = message_failure_setting(failure);
}

static void
note_key(struct message *message, const struct keystore_key *key)
{
	struct buf *list = &message->signatures;

	buf_printf(list, "%s%s/%s/%s", list->len > 0 ? "," : "", key->domain,
	    key->selector,
	    signpost_algorithm_name(signpost_private_key_algorithm(key->key)));
}

static enum signpost_status
add_keys(struct message *message, const struct keystore_keys *keys)
{
	const struct config_sign *settings = message->decision.settings;
	struct signpost_sign_options options = {
		.header_canon = settings->header_canon,
		.body_canon = settings->body_canon,
		.headers = settings->headers.items,
		.oversign = settings->oversign.items,
		.expire_s = settings->expire_s,
		.copy_headers = settings->diagnostics,
	};
	enum signpost_status status = SIGNPOST_OK;

	if (settings->identity != NULL && settings->identity[0] != '\0')
		options.identity = settings->identity;
	for (size_t i = 0; i < keys->count && status == SIGNPOST_OK; i++) {
		options.domain = keys->items[i].domain;
		options.selector = keys->items[i].selector;
		status = signpost_signer_add(
		    message->signer, &options, keys->items[i].key);
		note_key(message, &keys->items[i]);
	}
	return status;
}

/* Receivers that know but the algorithm of a key that is left out see no
 * signature at all: whoever keeps the keys has to hear of it. */
static void
tell_unusable(struct message *message, const struct keystore_keys *keys)
{
	buf_append_str(&message->why, keys->why);
	if (keys->count > 0)
		stats_add(message->daemon->stats, COUNT_KEY_LEFT_OUT, 1);
	if (keys->is_news)
		log_often(message->daemon->log, LOG_KIND_KEY, LOG_WARNING,
		    "%s; mail from %s is %s", keys->why,
		    message->decision.domain,
		    keys->count > 0 ? "signed without it"
				    : "not signed, for want of another key");
}

void
message_begin_signing(struct message *message, int64_t now)
{
	struct policy_decision *decision = &message->decision;
	struct keystore_keys keys = { 0 };
	enum signpost_status status;

	if (!keystore_select(message->snapshot->keystore, decision->entry,
		decision->domain, &keys)) {
		message_fail(message, FAILURE_MEMORY);
		return;
	}
	if (keys.unusable > 0)
		tell_unusable(message, &keys);
	else if (keys.count == 0 || keys.anyway)
		buf_append_str(&message->why, keys.why);
	if (keys.count == 0) {
		/* One that can't be read may be the one that is published. */
		message_fail(message,
		    keys.unusable == 0 && keys.unpublished > 0
			? FAILURE_UNPUBLISHED
			: FAILURE_KEYS);
		keystore_keys_fini(&keys);
		return;
	}
	message_add_missing(message, now);
	status = signpost_signer_new(
	    message->daemon->handle, message->headers, now, &message->signer);
	if (status == SIGNPOST_OK)
		status = add_keys(message, &keys);
	else
		message->signer = NULL;
	if (status == SIGNPOST_OK)
		message_begin_hazards(message, &keys, now);
	keystore_keys_fini(&keys);
	if (status != SIGNPOST_OK)
		message_fail(message,
		    status == SIGNPOST_NOMEM ? FAILURE_MEMORY : FAILURE_SIGNER);
}

static void
sign_one(void *ctx, size_t i)
{
	struct signing *signing = ctx;

	signing->status[i] = signpost_signer_sign(signing->signer, i);
}

static void
count(struct message *message, const struct signing *signing, size_t i,
    enum work_outcome outcome)
{
	enum stats_sign_result result = SIGN_OK;
	enum signpost_algorithm algorithm =
	    signpost_signer_algorithm(signing->signer, i);

	if (outcome == WORK_BUSY)
		result = SIGN_OVERLOAD;
	else if (!signing->times[i].ran)
		result = SIGN_DEADLINE;
	else if (signing->status[i] != SIGNPOST_OK)
		result = SIGN_FAILED;
	stats_sign(message->daemon->stats, algorithm,
	    signpost_signer_key_bits(signing->signer, i), result);
	if (signing->times[i].ran)
		stats_operation(message->daemon->stats, OPERATION_SIGN,
		    algorithm, signing->times[i].cpu_ns,
		    signing->times[i].queue_ns);
	stats_wait(message->daemon->stats, OPERATION_SIGN, algorithm,
	    message->work_wait_ns);
}

/* All signatures or none: a receiver that knows only one of two algorithms
 * must find the other's signature beside it every time. */
static void
sign_all(struct message *message, const struct timespec *deadline)
{
	struct signing signing = { .signer = message->signer };
	size_t keys = signpost_signer_count(message->signer);
	struct work_job job = { sign_one, &signing, keys, signing.times };
	enum work_outcome outcome = work_run(
	    message->daemon->work, &job, deadline, &message->work_wait_ns);

	for (size_t i = 0; i < keys; i++) {
		count(message, &signing, i, outcome);
		if (outcome == WORK_DONE && signing.status[i] != SIGNPOST_OK)
			message_fail(message, FAILURE_CRYPTO);
	}
	if (outcome == WORK_BUSY) {
		stats_add(message->daemon->stats, COUNT_OVERLOAD, 1);
		message_fail(message, FAILURE_OVERLOAD);
	} else if (outcome == WORK_DEADLINE) {
		stats_add(message->daemon->stats, COUNT_DEADLINES, 1);
		message_fail(message, FAILURE_DEADLINE);
	}
}

void
message_sign(struct message *message, struct message_outcome *outcome)
{
	if (!message->decision.sign) {
		message_outcome_set(outcome,
		    config_no_key_action(
			message->decision.settings->on_no_usable_key),
		    policy_reason_token(POLICY_NO_USABLE_KEY), crypto_detail,
		    "DKIM signing failed: %s",
		    policy_reason_text(POLICY_NO_USABLE_KEY));
		return;
	}
	struct timespec deadline =
	    message_deadline(message->snapshot->config->limits.max_wait_ms);
	if (!message_hazards_allow(message, &deadline, outcome))
		return;
	enum signpost_status status = signpost_signer_end_body(message->signer);
	if (status == SIGNPOST_OK)
		sign_all(message, &deadline);
	else
		message_fail(message,
		    status == SIGNPOST_NOMEM ? FAILURE_MEMORY : FAILURE_CRYPTO);
	if (message->failure != FAILURE_NONE)
		message_sign_failed(message, outcome);
}
