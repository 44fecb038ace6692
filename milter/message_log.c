/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of message.h that counts and logs what was done. */
#include <arpa/inet.h>
#include <stdio.h>

#include "message.h"

static enum stats_action
action_of(const struct message *message, const struct message_outcome *outcome)
{
	switch (outcome->action) {
	case ACTION_REJECT:
		return MESSAGE_REJECTED;
	case ACTION_TEMPFAIL:
		return MESSAGE_TEMPFAILED;
	case ACTION_QUARANTINE:
		return MESSAGE_QUARANTINED;
	case ACTION_DISCARD:
		return MESSAGE_DISCARDED;
	case ACTION_ACCEPT:
		break;
	}
	if (message->signer != NULL)
		return MESSAGE_SIGNED;
	return message->authres != NULL ? MESSAGE_VERIFIED : MESSAGE_PASSED;
}

static bool
is_exempt(enum policy_reason reason)
{
	return reason == POLICY_EXEMPT_CLIENT ||
	    reason == POLICY_EXEMPT_SENDER ||
	    reason == POLICY_EXEMPT_RECIPIENTS;
}

static bool
is_left_unsigned(const struct message *message, enum stats_action action)
{
	return message->decided &&
	    message->decision.trust > TRUST_UNTRUSTED_DAEMON &&
	    message->snapshot->config->mode != MODE_VERIFY &&
	    (message->hazards & HAZARD_BIT(HAZARD_SIGNED_ALREADY)) == 0 &&
	    !is_exempt(message->decision.reason) &&
	    (action == MESSAGE_PASSED || action == MESSAGE_VERIFIED);
}

static int
level_of(enum stats_action action)
{
	if (action == MESSAGE_TEMPFAILED)
		return LOG_WARNING;
	return action >= MESSAGE_REJECTED ? LOG_NOTICE : LOG_INFO;
}

const char *
message_client_text(
    const struct sockaddr *client, char text_r[INET6_ADDRSTRLEN])
{
	text_r[0] = '\0';
	if (client != NULL && client->sa_family == AF_INET)
		inet_ntop(AF_INET,
		    &((const struct sockaddr_in *)(const void *)client)
			 ->sin_addr,
		    text_r, INET6_ADDRSTRLEN);
	else if (client != NULL && client->sa_family == AF_INET6)
		inet_ntop(AF_INET6,
		    &((const struct sockaddr_in6 *)(const void *)client)
			 ->sin6_addr,
		    text_r, INET6_ADDRSTRLEN);
	return text_r;
}

static void
log_client(struct log_pairs *pairs, const struct sockaddr *client)
{
	char text[INET6_ADDRSTRLEN];

	message_client_text(client, text);
	if (text[0] == '\0')
		strcpy(text, client == NULL ? "local" : "unknown");
	log_pair(pairs, "client", text);
}

static void
log_buf(struct log_pairs *pairs, const char *key, const struct buf *buf)
{
	if (buf->len > 0)
		log_pair_bytes(pairs, key, buf->data, buf->len);
	pairs->cut |= buf->failed;
}

/* What decided: a setting, and the entry that has it where one applies. */
static void
log_rule(struct log_pairs *pairs, const struct message *message,
    const struct message_outcome *outcome)
{
	const struct policy_decision *decision = &message->decision;
	bool verified = message->verifier != NULL && !decision->sign;

	log_pair(pairs, "rule", outcome->rule);
	if (verified && decision->verify_entry != NULL)
		log_pair(pairs, "entry", decision->verify_entry->name);
	else if (!verified && decision->entry != NULL)
		log_pair(pairs, "entry", decision->entry->name);
	if (message->spared == NULL)
		return;
	log_pair(pairs, "would", policy_action_word(message->would));
	log_pair(pairs, "spared", message->spared);
}

static void
log_seen(struct log_pairs *pairs, const struct replay_seen *seen)
{
	if (seen->messages < 2)
		return;
	log_pair_number(pairs, "seen", seen->messages);
	log_pair_number(pairs, "seen_recipients", seen->recipients);
}

static void
log_hazards(struct log_pairs *pairs, unsigned hazards)
{
	char list[160] = "";
	size_t used = 0;

	for (enum hazard i = 0; i < HAZARDS && used < sizeof(list); i++)
		if ((hazards & HAZARD_BIT(i)) != 0)
			used +=
			    (size_t)snprintf(list + used, sizeof(list) - used,
				"%s%s", used > 0 ? "," : "", hazard_token(i));
	if (used > 0)
		log_pair(pairs, "hazards", list);
}

static void
log_us(struct log_pairs *pairs, const char *key, uint64_t ns)
{
	log_pair_number(pairs, key, (long long)(ns / 1000));
}

static void
log_text(struct log_pairs *pairs, const char *key, const char *data, size_t len)
{
	if (data != NULL)
		log_pair_bytes(pairs, key, data, len);
}

static void
log_verdict(struct log_pairs *pairs, const struct signpost_verdict *verdict)
{
	log_pair(pairs, "result", signpost_result_word(verdict->result));
	if (verdict->reason != SIGNPOST_REASON_NONE)
		log_pair(
		    pairs, "reason", signpost_reason_token(verdict->reason));
	log_text(pairs, "d", verdict->domain, verdict->domain_len);
	log_text(pairs, "s", verdict->selector, verdict->selector_len);
	log_text(pairs, "i", verdict->identity, verdict->identity_len);
	log_text(
	    pairs, "a", verdict->algorithm_name, verdict->algorithm_name_len);
	log_pair_number(pairs, "key_bits", verdict->key_bits);
	log_pair(pairs, "testing", verdict->testing ? "yes" : "no");
	log_pair(pairs, "dnssec", signpost_dnssec_word(verdict->dnssec));
	log_pair_number(
	    pairs, "unsigned_body", (long long)verdict->unsigned_body_bytes);
}

/* A line for each signature, made or verified; their numbers begin with 1. */
static void
log_signatures(const struct message *message, const char *id)
{
	const struct signpost_verifier *verifier = message->verifier;
	const struct signpost_signer *signer = message->signer;
	size_t count = verifier != NULL ? signpost_verifier_count(verifier) : 0;
	struct log_pairs pairs;

	for (size_t i = 0; i < count; i++) {
		log_pairs_init(&pairs, message->daemon->log, LOG_DEBUG);
		log_pair(&pairs, "id", id != NULL ? id : "-");
		log_pair_number(&pairs, "verified", (long long)i + 1);
		log_verdict(&pairs, signpost_verifier_verdict(verifier, i));
		log_pairs_end(&pairs);
	}
	count = signer != NULL ? signpost_signer_count(signer) : 0;
	for (size_t i = 0; i < count; i++) {
		log_pairs_init(&pairs, message->daemon->log, LOG_DEBUG);
		log_pair(&pairs, "id", id != NULL ? id : "-");
		log_pair_number(&pairs, "signed", (long long)i + 1);
		log_pair(&pairs, "a",
		    signpost_algorithm_name(
			signpost_signer_algorithm(signer, i)));
		log_pair_number(
		    &pairs, "key_bits", signpost_signer_key_bits(signer, i));
		log_pairs_end(&pairs);
	}
}

void
message_log(struct message *message, const char *id,
    const struct sockaddr *client, const struct message_outcome *outcome)
{
	struct daemon *daemon = message->daemon;
	enum stats_action action = action_of(message, outcome);
	const uint32_t *claims;
	size_t removed = message_claims(message, &claims);
	struct log_pairs pairs;

	stats_message(daemon->stats, action);
	if (is_left_unsigned(message, action))
		stats_add(daemon->stats, COUNT_NOT_SIGNED, 1);
	if (outcome->action != ACTION_ACCEPT &&
	    outcome->action != ACTION_QUARANTINE)
		removed = 0;
	stats_add(daemon->stats, COUNT_RESULTS_REMOVED, removed);

	log_pairs_init(&pairs, daemon->log, level_of(action));
	log_pair(&pairs, "id", id != NULL ? id : "-");
	log_pair(&pairs, "action", stats_action_token(action));
	log_pair(&pairs, "reason", outcome->reason);
	log_rule(&pairs, message, outcome);
	log_pair(&pairs, "from", message->decision.domain);
	log_client(&pairs, client);
	log_pair(&pairs, "trust", policy_trust_token(message->decision.trust));
	log_buf(&pairs, "signatures", &message->signatures);
	log_seen(&pairs, &message->seen);
	if (message->changed != NULL && message->changed[0] != '\0')
		log_pair(&pairs, "changed", message->changed);
	log_buf(&pairs, "key_error", &message->why);
	log_hazards(&pairs, message->hazards);
	if (removed > 0)
		log_pair_number(&pairs, "results_removed", (long long)removed);
	log_pair_number(&pairs, "body", (long long)message->body_bytes);
	if (message->lookups != NULL)
		log_us(&pairs, "dns_us", message->dns_wait_ns);
	if (message->signer != NULL || message->verifier != NULL)
		log_us(&pairs, "work_us", message->work_wait_ns);
	log_us(&pairs, "total_us", stats_monotonic_ns() - message->begin_ns);
	log_pairs_end(&pairs);
	if (log_wants(daemon->log, LOG_DEBUG))
		log_signatures(message, id);
}

void
message_log_aborted(struct message *message, const char *id)
{
	struct log_pairs pairs;

	stats_message(message->daemon->stats, MESSAGE_ABORTED);
	log_pairs_init(&pairs, message->daemon->log, LOG_DEBUG);
	log_pair(&pairs, "id", id != NULL ? id : "-");
	log_pair(&pairs, "action", stats_action_token(MESSAGE_ABORTED));
	log_us(&pairs, "total_us", stats_monotonic_ns() - message->begin_ns);
	log_pairs_end(&pairs);
}
