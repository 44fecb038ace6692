/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy.h"

#include <stdio.h>

/* Token for the log, text for people, and the setting that is behind it. */
struct words {
	const char *token, *text, *setting;
};

static const struct words reasons[POLICY_REASONS] = {
	[POLICY_SIGN] = { "sign",
	    "the client is trusted, and there is a key "
	    "for the domain of From",
	    NULL },
	[POLICY_VERIFY] = { "verify", "the client is not trusted", NULL },
	[POLICY_VERIFY_TRUSTED] = { "verify_trusted",
	    "the client is trusted, but this instance does not sign, and "
	    "verify.trusted_too is set",
	    "verify.trusted_too" },
	[POLICY_MODE] = { "mode",
	    "the setting mode keeps this instance from doing so", "mode" },
	[POLICY_FROM_FIELDS] = { "from_fields",
	    "the message has no From field, or several", NULL },
	[POLICY_FROM_SYNTAX] = { "from_syntax",
	    "From holds no address whose domain is one", NULL },
	[POLICY_EXEMPT_CLIENT] = { "exempt_client",
	    "the client's address is in exempt_clients", "exempt_clients" },
	[POLICY_EXEMPT_SENDER] = { "exempt_sender",
	    "the envelope's sender is in exempt_senders", "exempt_senders" },
	[POLICY_EXEMPT_RECIPIENTS] = { "exempt_recipients",
	    "every recipient is in exempt_recipients", "exempt_recipients" },
	[POLICY_NO_KEY] = { "no_key",
	    "no entry of domains and no folder of keys is for the domain of "
	    "From",
	    NULL },
	[POLICY_MATCH] = { "match",
	    "the envelope or the user does not belong to the domain of From, "
	    "as the setting match asks",
	    "sign.match" },
	[POLICY_NO_USABLE_KEY] = { "no_usable_key",
	    "an entry of domains is for the domain of From, but there is no "
	    "key of it",
	    "sign.on_no_usable_key" },
};

static const struct words trusts[] = {
	[TRUST_NONE] = { "none", "nothing makes the client trusted", NULL },
	[TRUST_UNTRUSTED_DAEMON] = { "untrusted_daemon",
	    "the MTA's listener is one of untrusted_daemons",
	    "untrusted_daemons" },
	[TRUST_NETWORK] = { "network",
	    "the client's address is in trusted_networks", "trusted_networks" },
	[TRUST_AUTH] = { "auth", "the client is authenticated", NULL },
	[TRUST_NO_CLIENT] = { "no_client",
	    "the message was submitted on the machine, without a client",
	    NULL },
	[TRUST_DAEMON] = { "daemon",
	    "the MTA's listener is one of trusted_daemons", "trusted_daemons" },
};

const char *
policy_action_word(enum config_action action)
{
	static const char *const words[] = {
		[ACTION_ACCEPT] = "accept",
		[ACTION_REJECT] = "reject",
		[ACTION_TEMPFAIL] = "tempfail",
		[ACTION_QUARANTINE] = "quarantine",
		[ACTION_DISCARD] = "discard",
	};

	return words[action];
}

const char *
policy_reason_token(enum policy_reason reason)
{
	return reasons[reason].token;
}

const char *
policy_reason_text(enum policy_reason reason)
{
	return reasons[reason].text;
}

const char *
policy_reason_setting(enum policy_reason reason)
{
	return reasons[reason].setting;
}

const char *
policy_trust_token(enum policy_trust trust)
{
	return trusts[trust].token;
}

const char *
policy_trust_text(enum policy_trust trust)
{
	return trusts[trust].text;
}

const char *
policy_trust_setting(enum policy_trust trust)
{
	return trusts[trust].setting;
}

static bool
stands_in(const struct config_strings *names, const char *name)
{
	size_t i;

	for (i = 0; name != NULL && i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

/* Sendmail's -bs and its like give no address, or a unix socket's; Postfix
 * shows mail of its pickup service as from 127.0.0.1. An address of no family
 * is somebody's who can't be told any more, and trusted for nothing. */
static bool
has_no_client(const struct sockaddr *client)
{
	return client == NULL || client->sa_family == AF_UNIX;
}

static enum policy_trust
find_trust(const struct config *config, const struct policy_input *input)
{
	if (stands_in(&config->untrusted_daemons, input->daemon_name))
		return TRUST_UNTRUSTED_DAEMON;
	if (stands_in(&config->trusted_daemons, input->daemon_name))
		return TRUST_DAEMON;
	if (input->auth_user != NULL && input->auth_user[0] != '\0')
		return TRUST_AUTH;
	if (has_no_client(input->client))
		return TRUST_NO_CLIENT;
	if (config_in_networks(&config->trusted_networks, input->client))
		return TRUST_NETWORK;
	return TRUST_NONE;
}

static bool
is_trusted(enum policy_trust trust)
{
	return trust != TRUST_NONE && trust != TRUST_UNTRUSTED_DAEMON;
}

/* Whether the part behind the last "@" of USER is DOMAIN. */
static bool
user_matches(const char *user, const char *domain)
{
	const char *at = user == NULL ? NULL : strrchr(user, '@');

	return at != NULL && domain_equal(bytes_str(at + 1), bytes_str(domain));
}

/* The null sender belongs to nobody. */
static bool
sender_matches(struct bytes sender, const char *domain)
{
	struct address address;

	return address_from_path(sender, &address) &&
	    domain_equal(address.domain, bytes_str(domain));
}

static bool
matches(enum config_match match, const struct policy_input *input,
    const char *domain)
{
	switch (match) {
	case MATCH_NONE:
		return true;
	case MATCH_ENVELOPE:
		return sender_matches(input->sender, domain);
	case MATCH_AUTH:
		return user_matches(input->auth_user, domain);
	case MATCH_EITHER:
		return sender_matches(input->sender, domain) ||
		    user_matches(input->auth_user, domain);
	}
	return false;
}

/* A message goes to all of its recipients in one way: what is not for one of
 * them must not be decided by another. */
static bool
are_all_in(const struct config_strings *addresses, struct bytes recipients)
{
	const char *path = recipients.data, *end = path + recipients.len;

	if (recipients.len == 0)
		return false;
	for (; path < end; path += strlen(path) + 1)
		if (!config_in_addresses(addresses, bytes_str(path)))
			return false;
	return true;
}

/* Which of the lists a message is in; POLICY_REASONS: in none. */
static enum policy_reason
find_exempt(
    const struct config_exempt *exempt, const struct policy_input *input)
{
	if (config_in_networks(&exempt->clients, input->client))
		return POLICY_EXEMPT_CLIENT;
	if (config_in_addresses(&exempt->senders, input->sender))
		return POLICY_EXEMPT_SENDER;
	if (exempt->recipients.count > 0 &&
	    are_all_in(&exempt->recipients, input->recipients))
		return POLICY_EXEMPT_RECIPIENTS;
	return POLICY_REASONS;
}

/* What keeps a trusted message from being signed, or POLICY_SIGN. */
static enum policy_reason
may_sign(const struct config *config, struct keystore *keystore,
    const struct policy_input *input, const struct policy_decision *decision)
{
	enum policy_reason exempt;

	if (config->mode == MODE_VERIFY)
		return POLICY_MODE;
	if (input->from_count != 1)
		return POLICY_FROM_FIELDS;
	if (decision->domain[0] == '\0')
		return POLICY_FROM_SYNTAX;
	exempt = find_exempt(&decision->settings->exempt, input);
	if (exempt != POLICY_REASONS)
		return exempt;
	if (!keystore_has(keystore, decision->entry, decision->domain))
		return decision->entry == NULL ? POLICY_NO_KEY
					       : POLICY_NO_USABLE_KEY;
	if (!matches(decision->settings->match, input, decision->domain))
		return POLICY_MATCH;
	return POLICY_SIGN;
}

/* Of several authors, the strictest entry counts, whoever is named first. */
static void
consider_author(const struct config *config, const struct address *author,
    struct policy_decision *decision)
{
	const struct config_verify_domain *entry;
	char domain[DOMAIN_SIZE];

	if (!domain_to_ascii(author->domain, domain))
		return;
	entry = config_find_verify(config, author->local, domain);
	if (entry == NULL ||
	    (decision->verify_entry != NULL &&
		(decision->verify_entry->verify.require_aligned_pass ||
		    !entry->verify.require_aligned_pass)))
		return;
	decision->verify_entry = entry;
	strcpy(decision->author, domain);
}

/* Whose rules of verification apply. A message that may be anybody's, by its
 * From, is aligned with nobody. */
static void
find_verifying(const struct config *config, const struct policy_input *input,
    struct policy_decision *decision)
{
	size_t others = sizeof(input->others) / sizeof(input->others[0]);
	bool one = decision->domain[0] != '\0' && input->other_count <= others;

	strcpy(decision->author, decision->domain);
	if (one)
		consider_author(config, &input->from, decision);
	for (size_t i = 0; one && i < input->other_count; i++)
		consider_author(config, &input->others[i], decision);
	if (!one && config->verify_nobody != NULL) {
		decision->verify_entry = config->verify_nobody;
		decision->author[0] = '\0';
	}
	if (decision->verify_entry != NULL)
		decision->verifying = &decision->verify_entry->verify;
	decision->exempt = find_exempt(&decision->verifying->exempt, input);
	if (decision->exempt == POLICY_REASONS)
		decision->exempt = POLICY_VERIFY;
}

void
policy_decide(const struct config *config, struct keystore *keystore,
    const struct policy_input *input, struct policy_decision *decision_r)
{
	struct policy_decision decision = {
		.settings = &config->sign,
		.verifying = &config->verify,
	};

	if (input->from_count == 1 && input->from_ok &&
	    domain_to_ascii(input->from.domain, decision.domain))
		decision.entry = config_find_domain(
		    config, input->from.local, decision.domain);
	if (decision.entry != NULL)
		decision.settings = &decision.entry->sign;
	find_verifying(config, input, &decision);
	decision.trust = find_trust(config, input);
	if (is_trusted(decision.trust)) {
		decision.reason = may_sign(config, keystore, input, &decision);
		decision.sign = decision.reason == POLICY_SIGN;
		decision.verify = decision.verifying->trusted_too &&
		    config->mode != MODE_SIGN;
		if (decision.verify && decision.reason == POLICY_MODE)
			decision.reason = POLICY_VERIFY_TRUSTED;
	} else {
		decision.verify = config->mode != MODE_SIGN;
		decision.reason = decision.verify ? POLICY_VERIFY : POLICY_MODE;
	}
	*decision_r = decision;
}
