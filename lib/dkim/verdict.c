/* SPDX-License-Identifier: BSD-2-Clause */
#include "verdict.h"

#include <assert.h>

static const char *const status_texts[] = {
	[SIGNPOST_OK] = "done",
	[SIGNPOST_NOMEM] = "out of memory",
	[SIGNPOST_LIMIT] = "over the limit",
	[SIGNPOST_SYNTAX] = "malformed",
	[SIGNPOST_KEY] = "not a usable key",
	[SIGNPOST_CRYPTO] = "libcrypto failed",
};

/* RFC 6376 section 3.3, RFC 8463 section 3 */
static const char *const algorithm_names[] = {
	[SIGNPOST_RSA_SHA256] = "rsa-sha256",
	[SIGNPOST_ED25519_SHA256] = "ed25519-sha256",
	[SIGNPOST_RSA_SHA1] = "rsa-sha1",
	[SIGNPOST_ALGORITHM_UNKNOWN] = "unknown",
};

/* RFC 8601 section 2.7.1 */
static const char *const result_words[] = {
	[SIGNPOST_NONE] = "none",
	[SIGNPOST_PASS] = "pass",
	[SIGNPOST_FAIL] = "fail",
	[SIGNPOST_NEUTRAL] = "neutral",
	[SIGNPOST_POLICY] = "policy",
	[SIGNPOST_TEMPERROR] = "temperror",
	[SIGNPOST_PERMERROR] = "permerror",
};

static const char *const dnssec_words[] = {
	[SIGNPOST_DNSSEC_UNKNOWN] = "unknown",
	[SIGNPOST_DNSSEC_INSECURE] = "insecure",
	[SIGNPOST_DNSSEC_SECURE] = "secure",
	[SIGNPOST_DNSSEC_BOGUS] = "bogus",
};

struct reason {
	enum signpost_result result;
	const char *token;
	const char *text;
};

static const struct reason reasons[] = {
	[SIGNPOST_REASON_NONE] = { SIGNPOST_PASS, "", "" },

	[SIGNPOST_REASON_BODY_HASH] = { SIGNPOST_FAIL, "body_hash",
	    "body hash did not verify" },
	[SIGNPOST_REASON_BODY_SHORT] = { SIGNPOST_FAIL, "body_short",
	    "l= is beyond the end of the body" },
	[SIGNPOST_REASON_SIGNATURE] = { SIGNPOST_FAIL, "signature",
	    "signature did not verify" },

	[SIGNPOST_REASON_TAGS] = { SIGNPOST_NEUTRAL, "tags",
	    "not a list of tags" },
	[SIGNPOST_REASON_TAG_REPEATED] = { SIGNPOST_NEUTRAL, "tag_repeated",
	    "a tag is repeated" },
	[SIGNPOST_REASON_TAG_MISSING] = { SIGNPOST_NEUTRAL, "tag_missing",
	    "a required tag is missing" },
	[SIGNPOST_REASON_VERSION] = { SIGNPOST_NEUTRAL, "version",
	    "version is not 1" },
	[SIGNPOST_REASON_ALGORITHM] = { SIGNPOST_NEUTRAL, "algorithm",
	    "unknown algorithm" },
	[SIGNPOST_REASON_CANON] = { SIGNPOST_NEUTRAL, "canonicalization",
	    "unknown canonicalization" },
	[SIGNPOST_REASON_QUERY] = { SIGNPOST_NEUTRAL, "query",
	    "no known query method" },
	[SIGNPOST_REASON_FROM] = { SIGNPOST_NEUTRAL, "from_unsigned",
	    "From is not signed" },
	[SIGNPOST_REASON_HEADERS] = { SIGNPOST_NEUTRAL, "signed_headers",
	    "bad list of signed header fields" },
	[SIGNPOST_REASON_DOMAIN] = { SIGNPOST_NEUTRAL, "domain",
	    "d= is not a domain" },
	[SIGNPOST_REASON_SELECTOR] = { SIGNPOST_NEUTRAL, "selector",
	    "s= is not a selector" },
	[SIGNPOST_REASON_IDENTITY] = { SIGNPOST_NEUTRAL, "identity",
	    "i= is not within d=" },
	[SIGNPOST_REASON_TIMES] = { SIGNPOST_NEUTRAL, "times",
	    "bad time, or x= not after t=" },
	[SIGNPOST_REASON_LENGTH] = { SIGNPOST_NEUTRAL, "length",
	    "bad body length" },
	[SIGNPOST_REASON_BASE64] = { SIGNPOST_NEUTRAL, "base64",
	    "bad base64 in b= or bh=" },

	[SIGNPOST_REASON_NO_KEY] = { SIGNPOST_PERMERROR, "no_key",
	    "no key for signature" },
	[SIGNPOST_REASON_KEY_REVOKED] = { SIGNPOST_PERMERROR, "key_revoked",
	    "key is revoked" },
	[SIGNPOST_REASON_KEY_SYNTAX] = { SIGNPOST_PERMERROR, "key_syntax",
	    "key record is malformed" },
	[SIGNPOST_REASON_KEY_VERSION] = { SIGNPOST_PERMERROR, "key_version",
	    "key record is not of version DKIM1" },
	[SIGNPOST_REASON_KEY_TYPE] = { SIGNPOST_PERMERROR, "key_type",
	    "key is not of the signature's type" },
	[SIGNPOST_REASON_KEY_HASH] = { SIGNPOST_PERMERROR, "key_hash",
	    "key does not allow this hash algorithm" },
	[SIGNPOST_REASON_KEY_SERVICE] = { SIGNPOST_PERMERROR, "key_service",
	    "key is not for mail" },
	[SIGNPOST_REASON_KEY_STRICT] = { SIGNPOST_PERMERROR, "key_strict",
	    "key does not allow i= to be a subdomain" },

	[SIGNPOST_REASON_DNS_TIMEOUT] = { SIGNPOST_TEMPERROR, "dns_timeout",
	    "key look-up timed out" },
	[SIGNPOST_REASON_DNS_FAILED] = { SIGNPOST_TEMPERROR, "dns_failed",
	    "key look-up failed" },
	[SIGNPOST_REASON_DNS_BOGUS] = { SIGNPOST_TEMPERROR, "dns_bogus",
	    "key look-up failed DNSSEC validation" },
	[SIGNPOST_REASON_OVERLOAD] = { SIGNPOST_TEMPERROR, "overload",
	    "could not be verified in time" },
	[SIGNPOST_REASON_INTERNAL] = { SIGNPOST_TEMPERROR, "internal",
	    "internal failure" },

	[SIGNPOST_REASON_SHA1] = { SIGNPOST_POLICY, "sha1",
	    "rsa-sha1 is not accepted" },
	[SIGNPOST_REASON_KEY_SMALL] = { SIGNPOST_POLICY, "key_small",
	    "key is too small" },
	[SIGNPOST_REASON_KEY_LARGE] = { SIGNPOST_POLICY, "key_large",
	    "key is too large" },
	[SIGNPOST_REASON_TOO_MANY] = { SIGNPOST_POLICY, "too_many",
	    "too many signatures" },
	[SIGNPOST_REASON_EXPIRED] = { SIGNPOST_POLICY, "expired",
	    "signature has expired" },
	[SIGNPOST_REASON_OLD] = { SIGNPOST_POLICY, "too_old",
	    "signature is too old" },
	[SIGNPOST_REASON_FUTURE] = { SIGNPOST_POLICY, "future",
	    "signature is from the future" },
	[SIGNPOST_REASON_UNSIGNED_BODY] = { SIGNPOST_POLICY, "unsigned_body",
	    "part of the body is not signed" },
	[SIGNPOST_REASON_FROM_EXTRA] = { SIGNPOST_POLICY, "from_extra",
	    "a From field is not signed" },
	[SIGNPOST_REASON_REPLAYED] = { SIGNPOST_POLICY, "replayed",
	    "signature has come in too often" },
};

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

_Static_assert(ROWS(reasons) == SIGNPOST_REASONS, "a row for each reason");

static const char *
word_of(const char *const *words, size_t count, size_t i)
{
	assert(i < count);
	return words[i];
}

static const struct reason *
reason_row(enum signpost_reason reason)
{
	assert((size_t)reason < ROWS(reasons));
	return &reasons[reason];
}

const char *
signpost_version(void)
{
	return PACKAGE_VERSION;
}

const char *
signpost_status_text(enum signpost_status status)
{
	return word_of(status_texts, ROWS(status_texts), status);
}

const char *
signpost_algorithm_name(enum signpost_algorithm algorithm)
{
	return word_of(algorithm_names, ROWS(algorithm_names), algorithm);
}

const char *
signpost_result_word(enum signpost_result result)
{
	return word_of(result_words, ROWS(result_words), result);
}

const char *
signpost_reason_token(enum signpost_reason reason)
{
	return reason_row(reason)->token;
}

const char *
signpost_reason_text(enum signpost_reason reason)
{
	return reason_row(reason)->text;
}

const char *
signpost_dnssec_word(enum signpost_dnssec dnssec)
{
	return word_of(dnssec_words, ROWS(dnssec_words), dnssec);
}

enum signpost_result
verdict_result(enum signpost_reason reason)
{
	return reason_row(reason)->result;
}

void
verdict_set(struct signpost_verdict *verdict, enum signpost_reason reason)
{
	verdict->reason = reason;
	verdict->result = verdict_result(reason);
}

void
verdict_describe(
    struct signpost_verdict *verdict, const struct signature_text *text)
{
	verdict->algorithm = SIGNPOST_ALGORITHM_UNKNOWN;
	verdict->domain = text->domain.data;
	verdict->domain_len = text->domain.len;
	verdict->selector = text->selector.data;
	verdict->selector_len = text->selector.len;
	verdict->identity = text->identity.data;
	verdict->identity_len = text->identity.len;
	verdict->algorithm_name = text->algorithm.data;
	verdict->algorithm_name_len = text->algorithm.len;
	verdict->b = text->b_len > 0 ? text->b : NULL;
	verdict->b_len = text->b_len;
	verdict->report_wanted = text->report_wanted;
}
