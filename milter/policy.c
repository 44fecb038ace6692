/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy.h"

#include <stdio.h>

/* Token for the log, text for people. */
struct words {
	const char *token, *text;
};

static const struct words reasons[POLICY_REASONS] = {
	[POLICY_SIGN] = { "sign",
	    "the client is trusted, and there is a key "
	    "for the domain of From" },
	[POLICY_VERIFY] = { "verify", "the client is not trusted" },
	[POLICY_VERIFY_TRUSTED] = { "verify_trusted",
	    "the client is trusted, but this instance does not sign, and "
	    "verify.trusted_too is set" },
	[POLICY_MODE] = { "mode",
	    "the setting mode keeps this instance from doing so" },
	[POLICY_FROM_FIELDS] = { "from_fields",
	    "the message has no From field, or several" },
	[POLICY_FROM_SYNTAX] = { "from_syntax",
	    "From holds no address whose domain is one" },
	[POLICY_NO_KEY] = { "no_key",
	    "no entry of domains and no folder of keys is for the domain of "
	    "From" },
	[POLICY_MATCH] = { "match",
	    "the envelope or the user does not belong to the domain of From, "
	    "as the setting match asks" },
	[POLICY_NO_USABLE_KEY] = { "no_usable_key",
	    "an entry of domains is for the domain of From, but no key of it "
	    "can be used" },
};

static const struct words trusts[] = {
	[TRUST_NONE] = { "none", "nothing makes the client trusted" },
	[TRUST_UNTRUSTED_DAEMON] = { "untrusted_daemon",
	    "the MTA's listener is one of untrusted_daemons" },
	[TRUST_NETWORK] = { "network",
	    "the client's address is in trusted_networks" },
	[TRUST_AUTH] = { "auth", "the client is authenticated" },
	[TRUST_NO_CLIENT] = { "no_client",
	    "the message was submitted on the machine, without a client" },
	[TRUST_DAEMON] = { "daemon",
	    "the MTA's listener is one of trusted_daemons" },
};

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
policy_trust_token(enum policy_trust trust)
{
	return trusts[trust].token;
}

const char *
policy_trust_text(enum policy_trust trust)
{
	return trusts[trust].text;
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

/* What keeps a trusted message from being signed, or POLICY_SIGN. */
static enum policy_reason
may_sign(const struct config *config, struct keystore *keystore,
    const struct policy_input *input, const struct policy_decision *decision)
{
	if (config->mode == MODE_VERIFY)
		return POLICY_MODE;
	if (input->from_count != 1)
		return POLICY_FROM_FIELDS;
	if (decision->domain[0] == '\0')
		return POLICY_FROM_SYNTAX;
	if (!keystore_has(keystore, decision->entry, decision->domain))
		return decision->entry == NULL ? POLICY_NO_KEY
					       : POLICY_NO_USABLE_KEY;
	if (!matches(decision->settings->match, input, decision->domain))
		return POLICY_MATCH;
	return POLICY_SIGN;
}

void
policy_decide(const struct config *config, struct keystore *keystore,
    const struct policy_input *input, struct policy_decision *decision_r)
{
	struct policy_decision decision = { .settings = &config->sign };

	if (input->from_count == 1 && input->from_ok &&
	    domain_to_ascii(input->from.domain, decision.domain))
		decision.entry = config_find_domain(
		    config, input->from.local, decision.domain);
	if (decision.entry != NULL)
		decision.settings = &decision.entry->sign;
	decision.trust = find_trust(config, input);
	if (is_trusted(decision.trust)) {
		decision.reason = may_sign(config, keystore, input, &decision);
		decision.sign = decision.reason == POLICY_SIGN;
		decision.verify =
		    config->verify.trusted_too && config->mode != MODE_SIGN;
		if (decision.verify && decision.reason == POLICY_MODE)
			decision.reason = POLICY_VERIFY_TRUSTED;
	} else {
		decision.verify = config->mode != MODE_SIGN;
		decision.reason = decision.verify ? POLICY_VERIFY : POLICY_MODE;
	}
	*decision_r = decision;
}
