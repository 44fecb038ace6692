/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of message.h that does what verification comes to, or says why it
 * does not. */
#include "config_reply.h"
#include "message.h"

/* Why the wish is not done; NULL: it is. */
static const char *
find_spared(const struct message *message)
{
	const struct policy_decision *decision = &message->decision;

	if (decision->exempt != POLICY_VERIFY)
		return policy_reason_token(decision->exempt);
	return decision->verifying->dry_run ? "dry_run" : NULL;
}

static enum stats_applied
applied_as(const struct message *message)
{
	if (message->spared == NULL)
		return POLICY_APPLIED;
	return message->decision.exempt != POLICY_VERIFY ? POLICY_EXEMPT
							 : POLICY_DRY_RUN;
}

static void
write_reply(const struct message *message, const struct message_wish *wish,
    struct message_outcome *outcome)
{
	const struct policy_decision *decision = &message->decision;
	const char *domain =
	    decision->author[0] != '\0' ? decision->author : decision->domain;
	struct config_reply reply = { .text = wish->own_text };

	/* One that is there was read when the configuration was. */
	if (wish->reply[0] != '\0' &&
	    config_reply_read(wish->reply, &reply) == NULL) {
		memcpy(outcome->code, reply.code, sizeof(outcome->code));
		if (reply.enhanced[0] != '\0')
			memcpy(outcome->enhanced, reply.enhanced,
			    sizeof(outcome->enhanced));
	}
	config_reply_write(reply.text, domain[0] != '\0' ? domain : "unknown",
	    wish->why, outcome->text, sizeof(outcome->text));
}

void
message_apply_policy(struct message *message, const struct message_wish *wish,
    struct message_outcome *outcome)
{
	if (wish->action != ACTION_ACCEPT)
		message->spared = find_spared(message);
	stats_policy(message->daemon->stats, wish->action, applied_as(message));
	if (message->spared != NULL) {
		message->would = wish->action;
		outcome->reason = wish->reason;
		outcome->rule = wish->rule;
		return;
	}
	if (wish->action == ACTION_ACCEPT)
		return;
	message_outcome_set(outcome, wish->action, wish->reason, wish->detail,
	    "%s", wish->own_text);
	outcome->rule = wish->rule;
	if (outcome->code[0] != '\0')
		write_reply(message, wish, outcome);
}

bool
message_must_align(const struct message *message)
{
	return message->decision.verifying->require_aligned_pass &&
	    message->decision.trust <= TRUST_UNTRUSTED_DAEMON;
}

enum config_action
message_on_temperror(const struct message *message)
{
	enum config_action action = message->decision.verifying->on_temperror;

	/* What may be aligned yet is put off, not let in. */
	return message_must_align(message) && action == ACTION_ACCEPT
	    ? ACTION_TEMPFAIL
	    : action;
}

/* In the fields that were not kept, there may be another From: such a message
 * may be anybody's. */
void
message_apply_header_limit(
    struct message *message, struct message_outcome *outcome)
{
	static const char *detail[2] = { "5.7.22", "4.7.5" };
	struct policy_decision *decision = &message->decision;
	const struct config_verify_domain *nobody =
	    message->snapshot->config->verify_nobody;

	outcome->reason = message_failure_token(FAILURE_HEADER_LIMIT);
	outcome->rule = message_failure_setting(FAILURE_HEADER_LIMIT);
	if (!decision->verify)
		return;
	if (!message_must_align(message) && nobody != NULL) {
		decision->verify_entry = nobody;
		decision->verifying = &nobody->verify;
	}
	if (!message_must_align(message))
		return;
	message_apply_policy(message,
	    &(struct message_wish){
		.action = decision->verifying->on_unaligned,
		.rule = "verify.require_aligned_pass",
		.reason = message_failure_token(FAILURE_HEADER_LIMIT),
		.why = message_failure_text(FAILURE_HEADER_LIMIT),
		.reply = decision->verifying->unaligned_reply,
		.detail = detail,
		.own_text = "DKIM signatures can't be verified: {reason}",
	    },
	    outcome);
}
