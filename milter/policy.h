/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * policy - what is to be done with a message, and why
 *
 * A pure function of the configuration and of what is known at the end of the
 * header, so that the daemon and "signpost explain" can't differ. It asks the
 * keystore only whether there are keys.
 */
#ifndef POLICY_H
#define POLICY_H

#include "address.h"
#include "keystore.h"

/* What is known of a message when its header has ended. */
struct policy_input {
	const struct sockaddr *client; /* NULL: no client (local submission) */
	const char *auth_user;	       /* {auth_authen}; NULL: none */
	const char *daemon_name;       /* {daemon_name}; NULL: not given */
	struct bytes sender;	       /* MAIL FROM as given, "<>" for null */
	/* RCPT TO as given, each with a NUL behind it; empty where the MTA was
	 * not asked for them. */
	struct bytes recipients;
	size_t from_count;   /* From fields */
	bool from_ok;	     /* FROM holds the one field's mailbox */
	struct address from; /* the first mailbox */
	/* Those behind it; OTHER_COUNT has those that are not kept, too. */
	struct address others[ADDRESS_MAX_LISTED - 1];
	size_t other_count;
};

/* Each has a token for the log and a text for people. Of a trusted message that
 * is not signed it says what stood in the way, verified or not. What is done
 * with one then:
 *
 *	POLICY_NO_USABLE_KEY      what settings->on_no_usable_key says
 *	POLICY_SIGN, but keystore_select gives no key (keys that are there and
 *	can't be used), or signing fails
 *	                          what settings->on_error says
 *	any other                 it goes out unsigned: nothing is configured
 *	                          to sign it
 */
enum policy_reason {
	POLICY_SIGN,	       /* sign: trusted, and there is a key */
	POLICY_VERIFY,	       /* verify: not trusted */
	POLICY_VERIFY_TRUSTED, /* verify_trusted: verify.trusted_too */
	POLICY_MODE,	       /* mode: this instance does not do that */
	POLICY_FROM_FIELDS,    /* from_fields: no From, or several */
	POLICY_FROM_SYNTAX,    /* from_syntax: no mailbox, or not a domain */
	/* exempt_client, exempt_sender, exempt_recipients: in such a list */
	POLICY_EXEMPT_CLIENT,
	POLICY_EXEMPT_SENDER,
	POLICY_EXEMPT_RECIPIENTS,
	POLICY_NO_KEY,	      /* no_key: nothing configured for the domain */
	POLICY_MATCH,	      /* match: envelope or user is another's */
	POLICY_NO_USABLE_KEY, /* no_usable_key: an entry applies, but has no
	                          key */
	POLICY_REASONS
};

/* What made the client trusted, or not. */
enum policy_trust {
	TRUST_NONE,
	TRUST_UNTRUSTED_DAEMON, /* wins over all of the below */
	TRUST_NETWORK,
	TRUST_AUTH,
	TRUST_NO_CLIENT,
	TRUST_DAEMON,
};

struct policy_decision {
	bool sign;
	bool verify;
	enum policy_trust trust;
	enum policy_reason reason;
	const struct config_domain *entry;  /* NULL: none applies */
	const struct config_sign *settings; /* how to sign; never NULL */
	char domain[DOMAIN_SIZE]; /* From's, lower case and A-labels, or "" */
	/* How to verify: an entry (NULL: none applies), its settings or else
	 * those of the group. */
	const struct config_verify_domain *verify_entry;
	const struct config_verify *verifying; /* never NULL */
	char author[DOMAIN_SIZE]; /* whom a signature must be aligned with */
	/* Why whatever it comes to does not matter; POLICY_VERIFY: it does. */
	enum policy_reason exempt;
};

void policy_decide(const struct config *config, struct keystore *keystore,
    const struct policy_input *input, struct policy_decision *decision_r);
/* The settings' word for ACTION. */
const char *policy_action_word(enum config_action action);
const char *policy_reason_token(enum policy_reason reason);
const char *policy_reason_text(enum policy_reason reason);
/* The setting that REASON comes from, without its group where two have it; NULL
 * where trust alone says it. */
const char *policy_reason_setting(enum policy_reason reason);
const char *policy_trust_token(enum policy_trust trust);
const char *policy_trust_text(enum policy_trust trust);
/* The setting that makes TRUST; NULL: none. */
const char *policy_trust_setting(enum policy_trust trust);

#endif
