/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signpost.h - DKIM signatures made and verified
 *
 * RFC 6376 with RFC 8301 (no SHA-1, 1024 bits at least), RFC 8463 (Ed25519)
 * and RFC 8616 (internationalised domains); results in the words of RFC 8601.
 *
 * The library does no I/O, starts no thread, reads no clock and logs nothing:
 * key records are handed in, the time is an argument. A message is pushed
 * through and never held whole; of it, the header fields are kept, and one
 * running digest for each different body hash.
 *
 *	signing                            verifying
 *	signpost_headers_add() ...         signpost_headers_add() ...
 *	signpost_signer_new()              signpost_verifier_new()
 *	signpost_signer_add() ...          signpost_verifier_key_name() ...
 *	signpost_signer_body() ...         signpost_verifier_body() ...
 *	signpost_signer_end_body()         signpost_verifier_end_body()
 *	                                   signpost_verifier_give_key() ...
 *	signpost_signer_sign(i)            signpost_verifier_check(i)
 *	signpost_signer_field(i)           signpost_verifier_verdict(i)
 *
 * Everything but ..._sign and ..._check is cheap or hashes; those two do the
 * public-key work of signature i and nothing else, so that a caller can give
 * them to other threads.
 *
 * Ownership: what has a ..._free is owned by whoever called ..._new and freed
 * with it; ..._free takes NULL. Everything else that is returned is borrowed
 * from its object and lives as long. A signer and a verifier borrow the
 * headers and the library handle, which must outlive them.
 *
 * Threads: struct signpost, keys and key sets are immutable once made and may
 * be shared by any number of threads; their reference counts are atomic. Any
 * other object belongs to one thread at a time, except that ..._sign and
 * ..._check may run on several threads at once for different i.
 */
#ifndef SIGNPOST_H
#define SIGNPOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call. Never says anything about a signature. */
enum signpost_status {
	SIGNPOST_OK,
	SIGNPOST_NOMEM,	 /* out of memory; the object can only be freed */
	SIGNPOST_LIMIT,	 /* over a cap that the caller set */
	SIGNPOST_SYNTAX, /* what was handed in is not what it should be */
	SIGNPOST_KEY,	 /* not a key, or of a kind or size that is refused */
	SIGNPOST_CRYPTO, /* libcrypto failed */
};

enum signpost_algorithm {
	SIGNPOST_RSA_SHA256,
	SIGNPOST_ED25519_SHA256,
	SIGNPOST_RSA_SHA1, /* verified at most, never made (RFC 8301) */
	SIGNPOST_ALGORITHM_UNKNOWN,
};

/* RFC 8601 section 2.7.1 */
enum signpost_result {
	SIGNPOST_NONE,
	SIGNPOST_PASS,
	SIGNPOST_FAIL,
	SIGNPOST_NEUTRAL,
	SIGNPOST_POLICY,
	SIGNPOST_TEMPERROR,
	SIGNPOST_PERMERROR,
};

/* Why a signature has its result; each has a token for logs and metrics and a
 * text for people. Tokens are part of the contract with users. */
enum signpost_reason {
	SIGNPOST_REASON_NONE, /* pass, or not decided yet */
	/* fail */
	SIGNPOST_REASON_BODY_HASH,  /* body_hash: bh= does not match */
	SIGNPOST_REASON_BODY_SHORT, /* body_short: l= beyond the body */
	SIGNPOST_REASON_SIGNATURE,  /* signature: b= does not match */
	/* neutral: the signature could not be parsed */
	SIGNPOST_REASON_TAGS,	      /* tags: not a tag list */
	SIGNPOST_REASON_TAG_REPEATED, /* tag_repeated */
	SIGNPOST_REASON_TAG_MISSING,  /* tag_missing: a required one */
	SIGNPOST_REASON_VERSION,      /* version: v= not 1 */
	SIGNPOST_REASON_ALGORITHM,    /* algorithm: unknown a= */
	SIGNPOST_REASON_CANON,	      /* canonicalization: unknown c= */
	SIGNPOST_REASON_QUERY,	      /* query: no known method in q= */
	SIGNPOST_REASON_FROM,	      /* from_unsigned: From not in h= */
	SIGNPOST_REASON_HEADERS,      /* signed_headers: h= malformed or over
	                                the cap */
	SIGNPOST_REASON_DOMAIN,	      /* domain: d= is not a domain */
	SIGNPOST_REASON_SELECTOR,     /* selector: s= is not a selector */
	SIGNPOST_REASON_IDENTITY,     /* identity: i= not under d= */
	SIGNPOST_REASON_TIMES,	      /* times: t= or x= malformed, x= not after
	                                t= */
	SIGNPOST_REASON_LENGTH,	      /* length: l= malformed */
	SIGNPOST_REASON_BASE64,	      /* base64: bad b= or bh= */
	/* permerror: the key */
	SIGNPOST_REASON_NO_KEY,	     /* no_key: no such name, or no record */
	SIGNPOST_REASON_KEY_REVOKED, /* key_revoked: empty p= */
	SIGNPOST_REASON_KEY_SYNTAX,  /* key_syntax: no record could be parsed */
	SIGNPOST_REASON_KEY_VERSION, /* key_version: v= not DKIM1 */
	SIGNPOST_REASON_KEY_TYPE,    /* key_type: k= against a= */
	SIGNPOST_REASON_KEY_HASH,    /* key_hash: h= of the key forbids it */
	SIGNPOST_REASON_KEY_SERVICE, /* key_service: s= of the key forbids it */
	SIGNPOST_REASON_KEY_STRICT,  /* key_strict: t=s and i= a subdomain */
	/* temperror: the look-up */
	SIGNPOST_REASON_DNS_TIMEOUT, /* dns_timeout: no answer in time */
	SIGNPOST_REASON_DNS_FAILED,  /* dns_failed: SERVFAIL and the like */
	SIGNPOST_REASON_DNS_BOGUS,   /* dns_bogus: DNSSEC says forged */
	SIGNPOST_REASON_OVERLOAD,    /* overload: no worker was free in time */
	SIGNPOST_REASON_INTERNAL,    /* internal: libcrypto or memory failed */
	/* policy */
	SIGNPOST_REASON_SHA1,	       /* sha1: rsa-sha1 (RFC 8301) */
	SIGNPOST_REASON_KEY_SMALL,     /* key_small: under min_rsa_bits */
	SIGNPOST_REASON_KEY_LARGE,     /* key_large: over max_rsa_bits */
	SIGNPOST_REASON_TOO_MANY,      /* too_many: beyond max_signatures */
	SIGNPOST_REASON_EXPIRED,       /* expired: past x= */
	SIGNPOST_REASON_OLD,	       /* too_old: older than max_age */
	SIGNPOST_REASON_FUTURE,	       /* future: t= ahead of clock_skew */
	SIGNPOST_REASON_UNSIGNED_BODY, /* unsigned_body: octets beyond l= */
	SIGNPOST_REASON_FROM_EXTRA,    /* from_extra: a From beyond those of
	                                  h= */
	SIGNPOST_REASON_REPLAYED,      /* replayed: came in too often */
	SIGNPOST_REASONS	       /* how many there are */
};

enum signpost_canon {
	SIGNPOST_SIMPLE,
	SIGNPOST_RELAXED,
};

/* What a key look-up came to; the DNS side fills it in. */
enum signpost_key_answer {
	SIGNPOST_KEY_FOUND,
	SIGNPOST_KEY_NO_NAME,
	SIGNPOST_KEY_TIMEOUT,
	SIGNPOST_KEY_FAILED,
	SIGNPOST_KEY_BOGUS,
};

enum signpost_dnssec {
	SIGNPOST_DNSSEC_UNKNOWN, /* not asked of DNS, or not validated */
	SIGNPOST_DNSSEC_INSECURE,
	SIGNPOST_DNSSEC_SECURE,
	SIGNPOST_DNSSEC_BOGUS,
};

/* Caps that no setting lifts; what is over one is refused, never truncated. */
enum {
	SIGNPOST_MAX_SIGNED_HEADERS = 512,    /* names in h= */
	SIGNPOST_MAX_KEY_RECORDS = 8,	      /* TXT records read at one name */
	SIGNPOST_MAX_RECORD_BYTES = 8192,     /* octets of one TXT record */
	SIGNPOST_MAX_RSA_BITS = 16384,	      /* what is parsed at all */
	SIGNPOST_MAX_SIGNATURE_FIELD = 65536, /* octets of a DKIM-Signature */
	SIGNPOST_FIELD_BYTES = 16,	      /* what a field counts at least */
};

const char *signpost_version(void);
const char *signpost_status_text(enum signpost_status status);
const char *signpost_algorithm_name(enum signpost_algorithm algorithm);
const char *signpost_result_word(enum signpost_result result);
const char *signpost_reason_token(enum signpost_reason reason);
const char *signpost_reason_text(enum signpost_reason reason);
const char *signpost_dnssec_word(enum signpost_dnssec dnssec);

/*
 * The library handle: what is fetched from libcrypto once and for all. Make
 * one a process. SIGNPOST_CRYPTO where libcrypto has no SHA-256.
 */
struct signpost;
enum signpost_status signpost_new(struct signpost **handle_r);
void signpost_free(struct signpost *handle);

/*
 * The header of one message: its fields kept once, raw, in their order.
 */
struct signpost_headers;
enum signpost_status signpost_headers_new(
    size_t max_bytes, struct signpost_headers **headers_r);
void signpost_headers_free(struct signpost_headers *headers);
/* Forgets the fields and keeps the memory, for the next message. */
void signpost_headers_reset(struct signpost_headers *headers);
/* Adds a field. NAME is what stands before the colon, with any white space
 * that stands there; VALUE all that stands behind it, with the leading white
 * space and without the line end at the end. A lone LF in VALUE counts as
 * CRLF: both MTAs hand folded fields over so. SIGNPOST_LIMIT beyond
 * max_bytes, SIGNPOST_SYNTAX where NAME is empty; nothing is added then. A
 * field counts with its colon and line end, and for SIGNPOST_FIELD_BYTES at
 * least, so that the cap holds for the memory of many small ones, too. */
enum signpost_status signpost_headers_add(struct signpost_headers *headers,
    const char *name, size_t name_len, const char *value, size_t value_len);

/* The private half of a key pair. */
struct signpost_private_key;
/* Reads a key: PEM (PKCS #1 or #8), or base64 of DER or of an Ed25519 seed of
 * 32 octets. An encrypted one is SIGNPOST_KEY. */
enum signpost_status signpost_private_key_read(struct signpost *handle,
    const char *text, size_t len, struct signpost_private_key **key_r);
/* Makes a new key; BITS counts for RSA only, 1024 to 8192. */
enum signpost_status signpost_private_key_generate(struct signpost *handle,
    enum signpost_algorithm algorithm, unsigned bits,
    struct signpost_private_key **key_r);
struct signpost_private_key *signpost_private_key_ref(
    struct signpost_private_key *key);
void signpost_private_key_unref(struct signpost_private_key *key);
enum signpost_algorithm signpost_private_key_algorithm(
    const struct signpost_private_key *key);
unsigned signpost_private_key_bits(const struct signpost_private_key *key);
/* The DNS record of the public half, "v=DKIM1; k=rsa; p=...", and the PKCS #8
 * PEM of the key; both to be freed with signpost_string_free, which cleanses. */
enum signpost_status signpost_private_key_record(
    const struct signpost_private_key *key, char **record_r);
enum signpost_status signpost_private_key_pem(
    const struct signpost_private_key *key, char **pem_r);
void signpost_string_free(char *string);

/* The key records at one name, parsed (RFC 6376 section 3.6.1). */
struct signpost_key_set;
struct signpost_text {
	const char *data; /* one TXT record, its strings joined with nothing */
	size_t len;
};
/* Never fails because of what a record says: a record that can't be used is
 * kept as the reason that it gives. At most SIGNPOST_MAX_KEY_RECORDS are
 * read. */
enum signpost_status signpost_key_set_parse(struct signpost *handle,
    const struct signpost_text *records, size_t count,
    struct signpost_key_set **keys_r);
struct signpost_key_set *signpost_key_set_ref(struct signpost_key_set *keys);
void signpost_key_set_unref(struct signpost_key_set *keys);
/* Octets of memory it holds, for a cache's accounts. */
size_t signpost_key_set_bytes(const struct signpost_key_set *keys);
/* Whether the set publishes the public half of KEY, so that a signature made
 * with it will verify: SIGNPOST_REASON_NONE, or why not;
 * SIGNPOST_REASON_SIGNATURE where it publishes another key. */
enum signpost_reason signpost_key_set_publishes(
    const struct signpost_key_set *keys,
    const struct signpost_private_key *key);

/*
 * Signing. Several signatures share the pass over the body.
 */
struct signpost_sign_options {
	const char *domain;   /* d=; a U-label is written as A-label unless
	                         keep_u_labels */
	const char *selector; /* s= */
	const char *identity; /* i=, or NULL for none */
	enum signpost_canon header_canon;
	enum signpost_canon body_canon;
	const char *const *headers;  /* names to sign where present, all their
	                                occurrences; NULL-ended */
	const char *const *oversign; /* names signed once more than they are
	                                present; NULL-ended. Date, Message-ID
	                                and their Resent- twins only where
	                                they are present: mail servers add
	                                missing ones (RFC 6409 section 8) */
	int64_t expire_s;	     /* x= is t= and this; 0 for no x= */
	bool keep_u_labels;
	bool copy_headers; /* z=: the signed fields as they are, left out
	                      where that would be over 8192 octets */
};

struct signpost_signer;
enum signpost_status signpost_signer_new(struct signpost *handle,
    const struct signpost_headers *headers, int64_t now,
    struct signpost_signer **signer_r);
void signpost_signer_free(struct signpost_signer *signer);
/* Adds a signature; OPTIONS is copied, KEY is referenced. SIGNPOST_SYNTAX
 * where d=, s= or i= is not what it must be or the message has no From;
 * SIGNPOST_LIMIT where h= would name more than SIGNPOST_MAX_SIGNED_HEADERS. */
enum signpost_status signpost_signer_add(struct signpost_signer *signer,
    const struct signpost_sign_options *options,
    struct signpost_private_key *key);
size_t signpost_signer_count(const struct signpost_signer *signer);
/* The body as SMTP carries it, dots unstuffed, cut anywhere. */
enum signpost_status signpost_signer_body(
    struct signpost_signer *signer, const void *data, size_t len);
/* No more body: writes the fields and hashes the header. */
enum signpost_status signpost_signer_end_body(struct signpost_signer *signer);
/* The public-key work of signature I. */
enum signpost_status signpost_signer_sign(
    struct signpost_signer *signer, size_t i);
enum signpost_algorithm signpost_signer_algorithm(
    const struct signpost_signer *signer, size_t i);
unsigned signpost_signer_key_bits(
    const struct signpost_signer *signer, size_t i);
/* The finished field, NUL-ended: *NAME_R "DKIM-Signature", *VALUE_R all that
 * stands behind the colon, a space first, folded with CRLF and TAB, no line
 * end at the end. NULL before signpost_signer_sign was SIGNPOST_OK. */
void signpost_signer_field(const struct signpost_signer *signer, size_t i,
    const char **name_r, const char **value_r);

/*
 * Verifying. Signatures are numbered from 0, the topmost field first.
 */
enum signpost_unsigned_body {
	SIGNPOST_UNSIGNED_POLICY, /* octets beyond l=: policy */
	SIGNPOST_UNSIGNED_ACCEPT, /* pass, as RFC 6376 leaves it */
};

struct signpost_verify_options {
	unsigned min_rsa_bits;	 /* below: policy; never under 512 */
	unsigned max_rsa_bits;	 /* above: policy */
	unsigned max_signatures; /* beyond: policy, and no work is done */
	int64_t max_age_s;	 /* t= (or none) older than this: policy;
	                            0 for no such check */
	int64_t clock_skew_s;	 /* t= further ahead: policy */
	enum signpost_unsigned_body unsigned_body;
	bool allow_sha1;
};

struct signpost_verdict {
	enum signpost_result result;
	enum signpost_reason reason;
	enum signpost_algorithm algorithm;
	enum signpost_dnssec dnssec;
	/* As received, not NUL-ended, to be quoted by whoever prints them;
	 * NULL where the signature has none that could be read. */
	const char *domain, *selector, *identity, *algorithm_name, *b;
	size_t domain_len, selector_len, identity_len, algorithm_name_len;
	size_t b_len;		      /* 8 at most, without white space */
	unsigned key_bits;	      /* 0 where no key was had */
	bool testing;		      /* the key says t=y */
	bool report_wanted;	      /* the signature says r=y (RFC 6651) */
	uint64_t unsigned_body_bytes; /* canonical octets beyond l= */
};

struct signpost_verifier;
/* Reads the signatures in HEADERS. OPTIONS is copied. */
enum signpost_status signpost_verifier_new(struct signpost *handle,
    const struct signpost_headers *headers,
    const struct signpost_verify_options *options, int64_t now,
    struct signpost_verifier **verifier_r);
void signpost_verifier_free(struct signpost_verifier *verifier);
/* How many there are verdicts for: of fields beyond max_signatures, 100 are
 * told of and the rest is not. */
size_t signpost_verifier_count(const struct signpost_verifier *verifier);
/* The DNS name of signature I's key, in A-labels and lower case, no dot at
 * the end; NULL where no key is wanted because the result is known. */
const char *signpost_verifier_key_name(
    const struct signpost_verifier *verifier, size_t i);
/* Whether any signature needs (more of) the body. */
bool signpost_verifier_wants_body(const struct signpost_verifier *verifier);
enum signpost_status signpost_verifier_body(
    struct signpost_verifier *verifier, const void *data, size_t len);
/* No more body: the digests of body and header are finished. */
enum signpost_status signpost_verifier_end_body(
    struct signpost_verifier *verifier);
/* Hands in what was found for signature I: once for each I with a key name,
 * before or after the body, before signpost_verifier_check. KEYS (referenced)
 * counts where ANSWER is SIGNPOST_KEY_FOUND. */
void signpost_verifier_give_key(struct signpost_verifier *verifier, size_t i,
    enum signpost_key_answer answer, enum signpost_dnssec dnssec,
    struct signpost_key_set *keys);
/* Whether signature I still needs signpost_verifier_check, once body and key
 * are there. */
bool signpost_verifier_needs_check(
    const struct signpost_verifier *verifier, size_t i);
/* The public-key work of signature I. */
void signpost_verifier_check(struct signpost_verifier *verifier, size_t i);
/* Gives signature I up as SIGNPOST_TEMPERROR for REASON: the work could not
 * be done in time. */
void signpost_verifier_give_up(
    struct signpost_verifier *verifier, size_t i, enum signpost_reason reason);
/* Turns a pass of signature I into SIGNPOST_POLICY for REASON, which is the
 * caller's to find out: SIGNPOST_REASON_REPLAYED. */
void signpost_verifier_refuse(
    struct signpost_verifier *verifier, size_t i, enum signpost_reason reason);
/* The octets of b= of signature I, to tell it from any other by; NULL where
 * there are none that could be read. */
const void *signpost_verifier_octets(
    const struct signpost_verifier *verifier, size_t i, size_t *len_r);
/* The names, with colons between them, of the signed header fields that are
 * not what they were when signature I was made, as far as its copies of them
 * (z=) tell: where all of those are as they were, fields that it has no copy
 * of. "" unless the reason is SIGNPOST_REASON_SIGNATURE, and where nothing
 * can be told; 16 names at most. To be freed with signpost_string_free. */
enum signpost_status signpost_verifier_changed_fields(
    const struct signpost_verifier *verifier, size_t i, char **names_r);
/* The verdict of signature I; final once it needs no check. */
const struct signpost_verdict *signpost_verifier_verdict(
    const struct signpost_verifier *verifier, size_t i);

/* An Authentication-Results field (RFC 8601) for all verdicts, or dkim=none
 * where there is none: all that stands behind the colon, a space first,
 * folded with CRLF and TAB. To be freed with signpost_string_free. */
enum signpost_status signpost_authres_write(const char *authserv_id,
    const struct signpost_verifier *verifier, char **value_r);

#ifdef __cplusplus
}
#endif

#endif
