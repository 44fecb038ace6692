/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of message.h that finds out what will break the signature to be
 * made, or makes it needless, and does as the settings say. */
#include "message.h"

#include "config_names.h"
#include "hazards.h"
#include "signature.h"

static const char field_name[] = "DKIM-Signature";

static bool
is_signed(const struct config_sign *settings, struct bytes name)
{
	return bytes_is_nocase(name, "From") ||
	    config_names_have(&settings->headers, name) ||
	    config_names_have(&settings->oversign, name);
}

static unsigned
find_in_field(const struct message *message, struct field field)
{
	const struct config_sign *settings = message->decision.settings;
	unsigned found = hazards_of_field(field, settings->line_limit);

	if (!message->keeps_addresses &&
	    hazards_readdressed(field, settings->header_canon))
		found |= HAZARD_BIT(HAZARD_ADDRESS_FORM);
	return found;
}

/* Of fields that are not signed it does not matter. */
static unsigned
find_in_header(const struct message *message)
{
	unsigned found = 0;

	for (size_t i = 0; i < headers_count(message->headers); i++) {
		struct field field = headers_get(message->headers, i);
		unsigned here = find_in_field(message, field);

		if (here != 0 &&
		    is_signed(message->decision.settings, field.name))
			found |= here;
	}
	return found;
}

/* Whether the record of KEY is at NAME. */
static bool
has_name(const struct keystore_key *key, const char *name)
{
	char selector[DOMAIN_SIZE], domain[DOMAIN_SIZE], own[DOMAIN_SIZE];

	return signature_selector(bytes_str(key->selector), selector) &&
	    signature_domain(bytes_str(key->domain), domain) &&
	    signature_key_name(selector, domain, own) && strcmp(own, name) == 0;
}

/* The public half of the key of the record NAME, where it is one of KEYS;
 * *KEYS_R is NULL where it is none. */
static enum signpost_status
find_public(struct signpost *handle, const struct keystore_keys *keys,
    const char *name, struct signpost_key_set **keys_r)
{
	struct signpost_text text = { 0 };
	enum signpost_status status = SIGNPOST_OK;
	char *record;

	*keys_r = NULL;
	for (size_t i = 0; i < keys->count; i++) {
		const struct keystore_key *key = &keys->items[i];

		if (!has_name(key, name))
			continue;
		status = signpost_private_key_record(key->key, &record);
		if (status != SIGNPOST_OK)
			return status;
		text = (struct signpost_text){ record, strlen(record) };
		status = signpost_key_set_parse(handle, &text, 1, keys_r);
		signpost_string_free(record);
		return status;
	}
	return status;
}

/* Of the signatures there, those by KEYS are verified with these; DNS is not
 * asked, and others are let be. */
static enum signpost_status
give_keys(struct message *message, const struct keystore_keys *keys)
{
	struct signpost_verifier *verifier = message->own;

	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		const char *name = signpost_verifier_key_name(verifier, i);
		struct signpost_key_set *set;
		enum signpost_status status;

		if (name == NULL)
			continue;
		status = find_public(message->daemon->handle, keys, name, &set);
		if (status != SIGNPOST_OK)
			return status;
		if (set == NULL)
			signpost_verifier_give_up(
			    verifier, i, SIGNPOST_REASON_DNS_FAILED);
		else
			signpost_verifier_give_key(verifier, i,
			    SIGNPOST_KEY_FOUND, SIGNPOST_DNSSEC_UNKNOWN, set);
		signpost_key_set_unref(set);
	}
	return SIGNPOST_OK;
}

void
message_begin_hazards(
    struct message *message, const struct keystore_keys *keys, int64_t now)
{
	const struct config_sign *settings = message->decision.settings;
	struct signpost_verify_options options =
	    message->snapshot->config->verify.options;
	enum signpost_status status;

	hazard_scan_init(&message->scan, settings->line_limit);
	message->hazards = find_in_header(message);
	if (headers_occurrences(message->headers, bytes_str(field_name)) == 0 ||
	    settings->on_hazard[HAZARD_SIGNED_ALREADY] == ON_HAZARD_IGNORE)
		return;
	options.max_age_s = 0;
	options.unsigned_body = SIGNPOST_UNSIGNED_POLICY;
	status = signpost_verifier_new(message->daemon->handle,
	    message->headers, &options, now, &message->own);
	if (status == SIGNPOST_OK)
		status = give_keys(message, keys);
	else
		message->own = NULL;
	if (status == SIGNPOST_NOMEM)
		message_fail(message, FAILURE_MEMORY);
}

void
message_hazards_body(struct message *message, const void *data, size_t len)
{
	hazard_scan_update(&message->scan, data, len);
	if (message->own != NULL)
		signpost_verifier_body(message->own, data, len);
}

/* Whether a signature of ours is there that a receiver finds good. */
static bool
is_signed_already(struct message *message, const struct timespec *deadline)
{
	if (message->own == NULL ||
	    signpost_verifier_end_body(message->own) != SIGNPOST_OK)
		return false;
	message_check(message, message->own, deadline);
	for (size_t i = 0; i < signpost_verifier_count(message->own); i++)
		if (signpost_verifier_verdict(message->own, i)->result ==
		    SIGNPOST_PASS)
			return true;
	return false;
}

static unsigned
find_all(struct message *message, const struct timespec *deadline)
{
	unsigned found = message->hazards | hazard_scan_final(&message->scan);

	if ((found & HAZARD_BIT(HAZARD_8BIT)) != 0 && !message->declared_8bit &&
	    !hazards_declared(message->headers))
		found |= HAZARD_BIT(HAZARD_UNDECLARED);
	if (is_signed_already(message, deadline))
		found |= HAZARD_BIT(HAZARD_SIGNED_ALREADY);
	return found;
}

bool
message_hazards_allow(struct message *message, const struct timespec *deadline,
    struct message_outcome *outcome)
{
	static const char *detail[2] = { "5.6.0", "4.6.0" };
	static const char *const settings_of[HAZARDS] = {
		[HAZARD_LONG_LINE] = "sign.on_long_line",
		[HAZARD_LONG_HEADER] = "sign.on_long_header",
		[HAZARD_ADDRESS_FORM] = "sign.on_address_form",
		[HAZARD_BARE_LINE_END] = "sign.on_bare_line_end",
		[HAZARD_NUL] = "sign.on_nul",
		[HAZARD_8BIT] = "sign.on_8bit",
		[HAZARD_UNDECLARED] = "sign.on_undeclared_8bit",
		[HAZARD_SIGNED_ALREADY] = "sign.on_signed_already",
	};
	static const enum config_action actions[] = {
		[ON_HAZARD_LEAVE] = ACTION_ACCEPT,
		[ON_HAZARD_TEMPFAIL] = ACTION_TEMPFAIL,
	};
	const struct config_sign *settings = message->decision.settings;
	enum config_on_hazard most = ON_HAZARD_IGNORE;
	enum hazard worst = HAZARDS;
	unsigned found = find_all(message, deadline);

	message->hazards = 0;
	for (enum hazard i = 0; i < HAZARDS; i++) {
		if ((found & HAZARD_BIT(i)) == 0 ||
		    settings->on_hazard[i] == ON_HAZARD_IGNORE)
			continue;
		message->hazards |= HAZARD_BIT(i);
		stats_hazard(message->daemon->stats, i);
		if (settings->on_hazard[i] > most) {
			most = settings->on_hazard[i];
			worst = i;
		}
	}
	if (most <= ON_HAZARD_SIGN)
		return true;
	signpost_signer_free(message->signer);
	message->signer = NULL;
	buf_clear(&message->signatures);
	message_outcome_set(outcome, actions[most], hazard_token(worst), detail,
	    "DKIM: not signed: %s", hazard_text(worst));
	outcome->rule = settings_of[worst];
	return false;
}
