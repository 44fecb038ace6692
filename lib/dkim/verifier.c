/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdlib.h>

#include "body_hash.h"
#include "copied_fields.h"
#include "header_hash.h"
#include "key_set.h"
#include "signature.h"
#include "verdict.h"

enum {
	/* Fields beyond max_signatures that are still told of, one by one. */
	MAX_EXCESS = 100
};

/* One DKIM-Signature field. */
struct check {
	struct signpost_verdict verdict;
	struct signature_text text;
	struct signature *signature; /* NULL beyond max_signatures */
	size_t field;		     /* its number in the message */
	bool decided;
	bool answered; /* the key look-up is done */
	/* Known before the look-up; stands unless the signature proves wrong.
	 * SIGNPOST_REASON_NONE for none. */
	enum signpost_reason policy;
	/* What the body came to; SIGNPOST_REASON_NONE where bh= matches. */
	enum signpost_reason body;
	size_t body_slot;
	struct digest header;
	struct signpost_key_set *keys;
};

struct signpost_verifier {
	struct signpost *handle;
	const struct signpost_headers *headers;
	struct signpost_verify_options options;
	int64_t now;
	struct body_hash *body;
	bool body_ended;
	size_t count;
	struct check *checks;
};

static const enum signpost_reason answer_reasons[] = {
	[SIGNPOST_KEY_FOUND] = SIGNPOST_REASON_NONE,
	[SIGNPOST_KEY_NO_NAME] = SIGNPOST_REASON_NO_KEY,
	[SIGNPOST_KEY_TIMEOUT] = SIGNPOST_REASON_DNS_TIMEOUT,
	[SIGNPOST_KEY_FAILED] = SIGNPOST_REASON_DNS_FAILED,
	[SIGNPOST_KEY_BOGUS] = SIGNPOST_REASON_DNS_BOGUS,
};

static enum hash_algorithm
hash_of(const struct signature *signature)
{
	return signature->algorithm == SIGNPOST_RSA_SHA1 ? HASH_SHA1
							 : HASH_SHA256;
}

static void
decide(struct check *check, enum signpost_reason reason)
{
	verdict_set(&check->verdict, reason);
	check->decided = true;
}

/* What is wrong with the signature whatever its key, by policy. */
static enum signpost_reason
policy_of(
    const struct signpost_verifier *verifier, const struct signature *signature)
{
	const struct signpost_verify_options *options = &verifier->options;
	int64_t now = verifier->now;

	if (signature->algorithm == SIGNPOST_RSA_SHA1 && !options->allow_sha1)
		return SIGNPOST_REASON_SHA1;
	if (signature->expires_at >= 0 && now > signature->expires_at)
		return SIGNPOST_REASON_EXPIRED;
	if (options->max_age_s > 0 &&
	    (signature->signed_at < 0 ||
		now - signature->signed_at > options->max_age_s))
		return SIGNPOST_REASON_OLD;
	if (signature->signed_at - now > options->clock_skew_s)
		return SIGNPOST_REASON_FUTURE;
	/* Who reads the message may be shown it (RFC 6376 section 8.15). */
	if (headers_occurrences(verifier->headers, bytes_str("From")) >
	    signature->from_count)
		return SIGNPOST_REASON_FROM_EXTRA;
	return SIGNPOST_REASON_NONE;
}

/* Reads the field of CHECK and decides what can be decided by it alone. */
static enum signpost_status
read_signature(struct signpost_verifier *verifier, struct check *check)
{
	struct field field = headers_get(verifier->headers, check->field);
	struct signature *signature = calloc(1, sizeof(*signature));
	enum signpost_reason reason;
	enum signpost_status status;

	if (signature == NULL)
		return SIGNPOST_NOMEM;
	check->signature = signature;
	status = signature_parse(field.value, signature, &reason);
	check->verdict.algorithm = signature->algorithm;
	if (status != SIGNPOST_OK)
		return status;
	if (reason != SIGNPOST_REASON_NONE) {
		decide(check, reason);
		return SIGNPOST_OK;
	}
	if (!crypto_has_hash(verifier->handle, hash_of(signature))) {
		decide(check, SIGNPOST_REASON_SHA1);
		return SIGNPOST_OK;
	}
	check->policy = policy_of(verifier, signature);
	return body_hash_want(verifier->body, signature->body_canon,
	    hash_of(signature), signature->body_limit, &check->body_slot);
}

static void
describe(const struct signpost_verifier *verifier, struct check *check)
{
	signature_describe(
	    headers_get(verifier->headers, check->field).value, &check->text);
	verdict_describe(&check->verdict, &check->text);
}

static enum signpost_status
add_check(struct signpost_verifier *verifier, size_t field)
{
	size_t i = verifier->count++;
	struct check *check = &verifier->checks[i];

	check->field = field;
	describe(verifier, check);
	if (i < verifier->options.max_signatures)
		return read_signature(verifier, check);
	decide(check, SIGNPOST_REASON_TOO_MANY);
	return SIGNPOST_OK;
}

static enum signpost_status
add_checks(struct signpost_verifier *verifier)
{
	const struct signpost_headers *headers = verifier->headers;
	struct bytes name = bytes_str("DKIM-Signature");
	size_t fields = headers_occurrences(headers, name);
	size_t most = (size_t)verifier->options.max_signatures + MAX_EXCESS;
	enum signpost_status status = SIGNPOST_OK;

	if (fields > most)
		fields = most;
	if (fields == 0)
		return SIGNPOST_OK;
	verifier->checks = calloc(fields, sizeof(*verifier->checks));
	if (verifier->checks == NULL)
		return SIGNPOST_NOMEM;
	for (size_t i = 0; verifier->count < fields && status == SIGNPOST_OK;
	     i++) {
		if (bytes_equal_nocase(headers_get(headers, i).name, name))
			status = add_check(verifier, i);
	}
	return status;
}

enum signpost_status
signpost_verifier_new(struct signpost *handle,
    const struct signpost_headers *headers,
    const struct signpost_verify_options *options, int64_t now,
    struct signpost_verifier **verifier_r)
{
	struct signpost_verifier *verifier = calloc(1, sizeof(*verifier));
	enum signpost_status status;

	*verifier_r = NULL;
	if (verifier == NULL)
		return SIGNPOST_NOMEM;
	verifier->handle = handle;
	verifier->headers = headers;
	verifier->options = *options;
	verifier->now = now;
	status = body_hash_new(handle, &verifier->body);
	if (status == SIGNPOST_OK)
		status = add_checks(verifier);
	if (status != SIGNPOST_OK) {
		signpost_verifier_free(verifier);
		return status;
	}
	*verifier_r = verifier;
	return SIGNPOST_OK;
}

void
signpost_verifier_free(struct signpost_verifier *verifier)
{
	if (verifier == NULL)
		return;
	for (size_t i = 0; i < verifier->count; i++) {
		struct check *check = &verifier->checks[i];

		if (check->signature != NULL)
			signature_fini(check->signature);
		free(check->signature);
		signpost_key_set_unref(check->keys);
	}
	free(verifier->checks);
	body_hash_free(verifier->body);
	free(verifier);
}

size_t
signpost_verifier_count(const struct signpost_verifier *verifier)
{
	return verifier->count;
}

static struct check *
check_at(const struct signpost_verifier *verifier, size_t i)
{
	assert(i < verifier->count);
	return &verifier->checks[i];
}

const char *
signpost_verifier_key_name(const struct signpost_verifier *verifier, size_t i)
{
	const struct check *check = check_at(verifier, i);

	return check->decided ? NULL : check->signature->key_name;
}

bool
signpost_verifier_wants_body(const struct signpost_verifier *verifier)
{
	for (size_t i = 0; i < verifier->count; i++) {
		if (!verifier->checks[i].decided)
			return true;
	}
	return false;
}

enum signpost_status
signpost_verifier_body(
    struct signpost_verifier *verifier, const void *data, size_t len)
{
	assert(!verifier->body_ended);
	if (signpost_verifier_wants_body(verifier))
		body_hash_update(verifier->body, data, len);
	return SIGNPOST_OK;
}

/* Whether RECORD may serve CHECK, whatever its size. */
static enum signpost_reason
refusal(const struct check *check, const struct key_record *record)
{
	return key_record_refuses(record, check->signature->algorithm,
	    check->signature->in_subdomain);
}

/* A key whose size rules it out unseen; SIGNPOST_REASON_NONE for the others. */
static enum signpost_reason
refused_size(
    const struct signpost_verifier *verifier, const struct key_record *record)
{
	if (record->type == KEY_RSA &&
	    record->bits > verifier->options.max_rsa_bits)
		return SIGNPOST_REASON_KEY_LARGE;
	if (record->key == NULL)
		return record->bits > SIGNPOST_MAX_RSA_BITS
		    ? SIGNPOST_REASON_KEY_LARGE
		    : SIGNPOST_REASON_KEY_SMALL;
	return SIGNPOST_REASON_NONE;
}

static void
decide_by_key(struct check *check, const struct key_record *record,
    enum signpost_reason reason)
{
	check->verdict.key_bits = record->bits;
	check->verdict.testing = record->testing;
	decide(check, reason);
}

/* No key was had: what policy says stands, else why there was none. */
static void
decide_without_key(struct check *check, enum signpost_reason reason)
{
	decide(check,
	    check->policy != SIGNPOST_REASON_NONE ? check->policy : reason);
}

/* With key and body there, decides all that needs no public-key operation.
 * Several records at a name: RFC 6376 section 6.1.2, item 4. */
static void
settle(const struct signpost_verifier *verifier, struct check *check)
{
	const struct key_record *candidate = NULL;

	if (check->decided || !check->answered || !verifier->body_ended)
		return;
	for (size_t i = 0; i < key_set_count(check->keys); i++) {
		const struct key_record *record = key_set_get(check->keys, i);

		if (refusal(check, record) != SIGNPOST_REASON_NONE)
			continue;
		if (candidate == NULL)
			candidate = record;
		if (check->body == SIGNPOST_REASON_NONE &&
		    refused_size(verifier, record) == SIGNPOST_REASON_NONE)
			return;
	}
	assert(candidate != NULL);
	if (check->body != SIGNPOST_REASON_NONE)
		decide_by_key(check, candidate, check->body);
	else if (check->policy != SIGNPOST_REASON_NONE)
		decide_by_key(check, candidate, check->policy);
	else
		decide_by_key(
		    check, candidate, refused_size(verifier, candidate));
}

/* The canonical body against l= and bh=. */
static enum signpost_reason
compare_body(
    const struct signature *signature, const struct body_hash_result *body)
{
	const struct digest *claimed = &signature->body_hash;

	if (signature->body_limit != BODY_HASH_NO_LIMIT &&
	    body->hashed_bytes < signature->body_limit)
		return SIGNPOST_REASON_BODY_SHORT;
	if (claimed->len != body->digest.len ||
	    memcmp(claimed->data, body->digest.data, claimed->len) != 0)
		return SIGNPOST_REASON_BODY_HASH;
	return SIGNPOST_REASON_NONE;
}

static enum signpost_status
hash_header(const struct signpost_verifier *verifier, struct check *check,
    struct buf *blanked, struct buf *scratch)
{
	const struct signature *signature = check->signature;
	struct field field = headers_get(verifier->headers, check->field);
	struct header_hash input = {
		.headers = verifier->headers,
		.canon = signature->header_canon,
		.names = signature->names,
		.count = signature->name_count,
		.own = check->field,
		.own_name =
		    bytes_of(field.name.data, field.name.len + field.colon.len),
	};
	struct hash *hash;
	enum signpost_status status;

	buf_clear(blanked);
	signature_append_blanked(signature, field.value, blanked);
	if (blanked->failed)
		return SIGNPOST_NOMEM;
	input.own_value = buf_bytes(blanked);
	status = hash_new(verifier->handle, hash_of(signature), &hash);
	if (status != SIGNPOST_OK)
		return status;
	status = header_hash_run(&input, hash, scratch, &check->header);
	hash_free(hash);
	return status;
}

static enum signpost_status
end_body(struct signpost_verifier *verifier, struct check *check,
    struct buf *blanked, struct buf *scratch)
{
	const struct body_hash_result *body =
	    body_hash_get(verifier->body, check->body_slot);
	enum signpost_status status = SIGNPOST_OK;

	check->body = compare_body(check->signature, body);
	check->verdict.unsigned_body_bytes = body->beyond_bytes;
	if (check->body == SIGNPOST_REASON_NONE)
		status = hash_header(verifier, check, blanked, scratch);
	settle(verifier, check);
	return status;
}

enum signpost_status
signpost_verifier_end_body(struct signpost_verifier *verifier)
{
	enum signpost_status status;
	struct buf blanked, scratch;

	assert(!verifier->body_ended);
	verifier->body_ended = true;
	if (!signpost_verifier_wants_body(verifier))
		return SIGNPOST_OK;
	status = body_hash_final(verifier->body);
	buf_init(&blanked, SIZE_MAX);
	buf_init(&scratch, SIZE_MAX);
	for (size_t i = 0; i < verifier->count && status == SIGNPOST_OK; i++) {
		if (!verifier->checks[i].decided)
			status = end_body(
			    verifier, &verifier->checks[i], &blanked, &scratch);
	}
	buf_fini(&blanked);
	buf_fini(&scratch);
	return status;
}

/* Why no record of KEYS serves CHECK; SIGNPOST_REASON_NONE where one does. */
static enum signpost_reason
first_refusal(const struct check *check, const struct signpost_key_set *keys)
{
	enum signpost_reason first = SIGNPOST_REASON_NO_KEY;

	for (size_t i = 0; i < key_set_count(keys); i++) {
		enum signpost_reason reason =
		    refusal(check, key_set_get(keys, i));

		if (reason == SIGNPOST_REASON_NONE)
			return SIGNPOST_REASON_NONE;
		if (i == 0)
			first = reason;
	}
	return first;
}

void
signpost_verifier_give_key(struct signpost_verifier *verifier, size_t i,
    enum signpost_key_answer answer, enum signpost_dnssec dnssec,
    struct signpost_key_set *keys)
{
	struct check *check = check_at(verifier, i);
	enum signpost_reason reason = answer_reasons[answer];

	if (check->decided)
		return;
	assert(!check->answered);
	check->answered = true;
	check->verdict.dnssec = dnssec;
	if (answer == SIGNPOST_KEY_FOUND)
		reason = first_refusal(check, keys);
	if (reason != SIGNPOST_REASON_NONE) {
		decide_without_key(check, reason);
		return;
	}
	check->keys = signpost_key_set_ref(keys);
	settle(verifier, check);
}

bool
signpost_verifier_needs_check(
    const struct signpost_verifier *verifier, size_t i)
{
	const struct check *check = check_at(verifier, i);

	return !check->decided && check->answered && verifier->body_ended;
}

/* How far an outcome is from a pass: of several keys the best one counts, and
 * a failure of the work itself is no proof that the signature is wrong. */
static unsigned
distance(enum signpost_reason reason, bool matches)
{
	if (reason == SIGNPOST_REASON_NONE)
		return 0;
	if (matches)
		return 1;
	if (reason == SIGNPOST_REASON_INTERNAL)
		return 2;
	return reason == SIGNPOST_REASON_SIGNATURE ? 3 : 4;
}

/* What remains to be said of a signature that matches. */
static enum signpost_reason
policy_of_match(const struct signpost_verifier *verifier,
    const struct check *check, const struct key_record *record)
{
	const struct signpost_verify_options *options = &verifier->options;

	if (check->policy != SIGNPOST_REASON_NONE)
		return check->policy;
	if (record->type == KEY_RSA && record->bits < options->min_rsa_bits)
		return SIGNPOST_REASON_KEY_SMALL;
	if (check->verdict.unsigned_body_bytes > 0 &&
	    options->unsigned_body == SIGNPOST_UNSIGNED_POLICY)
		return SIGNPOST_REASON_UNSIGNED_BODY;
	return SIGNPOST_REASON_NONE;
}

static enum signpost_reason
try_key(const struct signpost_verifier *verifier, const struct check *check,
    const struct key_record *record, bool *matches_r)
{
	enum signpost_reason reason = refused_size(verifier, record);

	*matches_r = false;
	if (reason != SIGNPOST_REASON_NONE)
		return check->policy != SIGNPOST_REASON_NONE ? check->policy
							     : reason;
	switch (crypto_verify(verifier->handle, record->key,
	    check->signature->algorithm, &check->header,
	    buf_bytes(&check->signature->octets))) {
	case SIGNPOST_OK:
		*matches_r = true;
		return policy_of_match(verifier, check, record);
	case SIGNPOST_SYNTAX:
		return SIGNPOST_REASON_SIGNATURE;
	case SIGNPOST_CRYPTO:
		/* The system's policy, and tomorrow the same. */
		if (check->signature->algorithm == SIGNPOST_RSA_SHA1)
			return SIGNPOST_REASON_SHA1;
		return SIGNPOST_REASON_INTERNAL;
	default:
		return SIGNPOST_REASON_INTERNAL;
	}
}

void
signpost_verifier_check(struct signpost_verifier *verifier, size_t i)
{
	struct check *check = check_at(verifier, i);
	const struct key_record *best = NULL;
	enum signpost_reason best_reason = SIGNPOST_REASON_INTERNAL;
	unsigned best_distance = UINT32_MAX;

	assert(signpost_verifier_needs_check(verifier, i));
	for (size_t k = 0; k < key_set_count(check->keys); k++) {
		const struct key_record *record = key_set_get(check->keys, k);
		enum signpost_reason reason;
		bool matches;

		if (refusal(check, record) != SIGNPOST_REASON_NONE)
			continue;
		reason = try_key(verifier, check, record, &matches);
		if (distance(reason, matches) >= best_distance)
			continue;
		best = record;
		best_reason = reason;
		best_distance = distance(reason, matches);
		if (best_distance == 0)
			break;
	}
	assert(best != NULL); /* or settle() had decided */
	decide_by_key(check, best, best_reason);
}

void
signpost_verifier_give_up(
    struct signpost_verifier *verifier, size_t i, enum signpost_reason reason)
{
	struct check *check = check_at(verifier, i);

	assert(verdict_result(reason) == SIGNPOST_TEMPERROR);
	if (!check->decided)
		decide(check, reason);
}

void
signpost_verifier_refuse(
    struct signpost_verifier *verifier, size_t i, enum signpost_reason reason)
{
	struct check *check = check_at(verifier, i);

	assert(verdict_result(reason) == SIGNPOST_POLICY);
	assert(check->verdict.result == SIGNPOST_PASS);
	decide(check, reason);
}

const void *
signpost_verifier_octets(
    const struct signpost_verifier *verifier, size_t i, size_t *len_r)
{
	const struct signature *signature = check_at(verifier, i)->signature;

	*len_r = signature != NULL ? signature->octets.len : 0;
	return *len_r > 0 ? signature->octets.data : NULL;
}

enum signpost_status
signpost_verifier_changed_fields(
    const struct signpost_verifier *verifier, size_t i, char **names_r)
{
	const struct check *check = check_at(verifier, i);
	bool failed = check->verdict.reason == SIGNPOST_REASON_SIGNATURE;

	*names_r = copied_fields_changed(
	    verifier->headers, failed ? check->signature : NULL);
	return *names_r != NULL ? SIGNPOST_OK : SIGNPOST_NOMEM;
}

const struct signpost_verdict *
signpost_verifier_verdict(const struct signpost_verifier *verifier, size_t i)
{
	return &check_at(verifier, i)->verdict;
}
