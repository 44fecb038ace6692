/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base64.h"
#include "body_hash.h"
#include "copied_fields.h"
#include "field_writer.h"
#include "header_hash.h"
#include "key.h"
#include "quoted.h"
#include "signature.h"

#define FIELD_NAME "DKIM-Signature"
#define TIME_MAX   INT64_C(999999999999) /* 12 digits, RFC 6376 section 3.5 */

enum {
	FIRST_COLUMN = sizeof FIELD_NAME, /* and the colon */
	ED25519_SIGNATURE_BYTES = 64
};

/* One signature to make. */
struct job {
	struct signpost_private_key *key;
	enum signpost_canon header_canon, body_canon;
	int64_t expire_s;
	struct buf domain, selector, identity; /* as written; NUL-ended */
	struct bytes *names;		       /* h= */
	size_t name_count;
	size_t body_slot;
	struct digest header;
	struct field_writer field; /* up to "b=", then all */
	struct buf base64;	   /* b= unfolded */
	bool copy_headers;	   /* write z= */
	bool done;
};

struct signpost_signer {
	struct signpost *handle;
	const struct signpost_headers *headers;
	int64_t now;
	struct body_hash *body;
	bool ended; /* headers are hashed, fields there up to "b=" */
	size_t count;
	struct job *jobs;
};

static const char *const canon_names[] = {
	[SIGNPOST_SIMPLE] = "simple",
	[SIGNPOST_RELAXED] = "relaxed",
};

enum signpost_status
signpost_signer_new(struct signpost *handle,
    const struct signpost_headers *headers, int64_t now,
    struct signpost_signer **signer_r)
{
	struct signpost_signer *signer = calloc(1, sizeof(*signer));
	enum signpost_status status;

	*signer_r = NULL;
	if (signer == NULL)
		return SIGNPOST_NOMEM;
	signer->handle = handle;
	signer->headers = headers;
	signer->now = now;
	status = body_hash_new(handle, &signer->body);
	if (status != SIGNPOST_OK) {
		free(signer);
		return status;
	}
	*signer_r = signer;
	return SIGNPOST_OK;
}

static void
job_fini(struct job *job)
{
	signpost_private_key_unref(job->key);
	buf_fini(&job->domain);
	buf_fini(&job->selector);
	buf_fini(&job->identity);
	field_writer_fini(&job->field);
	buf_fini(&job->base64);
	free(job->names);
}

void
signpost_signer_free(struct signpost_signer *signer)
{
	if (signer == NULL)
		return;
	for (size_t i = 0; i < signer->count; i++)
		job_fini(&signer->jobs[i]);
	free(signer->jobs);
	body_hash_free(signer->body);
	free(signer);
}

/* d=, s= and i= as they will stand in the field. */
static enum signpost_status
set_names(struct job *job, const struct signpost_sign_options *options)
{
	char domain[DOMAIN_SIZE], selector[DOMAIN_SIZE], identity[DOMAIN_SIZE];
	char name[DOMAIN_SIZE];
	bool as_given = options->keep_u_labels;
	struct bytes whole, local;

	if (!signature_domain(bytes_str(options->domain), domain) ||
	    !signature_selector(bytes_str(options->selector), selector) ||
	    !signature_key_name(selector, domain, name))
		return SIGNPOST_SYNTAX;
	buf_append_str(&job->domain, as_given ? options->domain : domain);
	buf_append_str(&job->selector, as_given ? options->selector : selector);
	if (options->identity != NULL) {
		whole = bytes_str(options->identity);
		if (!signature_identity(whole, domain, identity))
			return SIGNPOST_SYNTAX;
		local = bytes_of(whole.data,
		    (size_t)(strrchr(whole.data, '@') - whole.data));
		quoted_append(local, &job->identity);
		buf_append_str(
		    &job->identity, as_given ? whole.data + local.len : "@");
		if (!as_given)
			buf_append_str(&job->identity, identity);
	}
	return job->domain.failed || job->selector.failed ||
		job->identity.failed
	    ? SIGNPOST_NOMEM
	    : SIGNPOST_OK;
}

static bool
is_listed(const char *const *names, size_t count, const char *name)
{
	struct bytes wanted = bytes_str(name);

	for (size_t i = 0; i < count; i++) {
		if (bytes_is_nocase(wanted, names[i]))
			return true;
	}
	return false;
}

static size_t
length_of(const char *const *names)
{
	size_t count = 0;

	while (names != NULL && names[count] != NULL)
		count++;
	return count;
}

/* h= in the making: the names and whether they have found room. */
struct choice {
	const struct signpost_headers *headers;
	struct bytes *names;
	size_t count;
	bool over;
};

static void
choose(struct choice *choice, struct bytes name)
{
	if (choice->count == SIGNPOST_MAX_SIGNED_HEADERS)
		choice->over = true;
	else
		choice->names[choice->count++] = name;
}

/* What mail servers add where it is missing (RFC 6409 section 8.2 and 8.3,
 * Sendmail behind its milters): to sign that there is none would break the
 * signature. */
static bool
is_added_later(const char *name)
{
	static const char *const names[] = { "Date", "Message-ID",
		"Resent-Date", "Resent-Message-ID" };

	return is_listed(names, sizeof names / sizeof *names, name);
}

/* NAME as often as it occurs, spelled as in the message, the lowest field
 * first, as h= takes them (RFC 6376 section 5.4.2); and once MORE. */
static void
choose_all(struct choice *choice, const char *name, bool more)
{
	size_t field = headers_count(choice->headers);
	size_t before = choice->count;

	while (!choice->over) {
		field =
		    headers_find_last(choice->headers, bytes_str(name), field);
		if (field == SIZE_MAX)
			break;
		choose(choice, headers_get(choice->headers, field).name);
	}
	if (more && (choice->count > before || !is_added_later(name)))
		choose(choice, bytes_str(name));
}

static bool
is_field_name(const char *name)
{
	for (const char *c = name; *c != '\0'; c++) {
		if (*c < 0x21 || *c > 0x7e || *c == ':' || *c == ';')
			return false;
	}
	return *name != '\0';
}

static bool
are_field_names(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_field_name(names[i]))
			return false;
	}
	return true;
}

/* Each name of both lists is counted once, however often it is listed; From
 * comes first where neither has it. */
static void
choose_names(struct choice *choice, const struct signpost_sign_options *options)
{
	const char *const *headers = options->headers;
	const char *const *oversign = options->oversign;
	size_t header_count = length_of(headers);
	size_t oversign_count = length_of(oversign);

	if (!is_listed(headers, header_count, "From") &&
	    !is_listed(oversign, oversign_count, "From"))
		choose_all(choice, "From", false);
	for (size_t i = 0; i < header_count; i++) {
		if (!is_listed(headers, i, headers[i]))
			choose_all(choice, headers[i],
			    is_listed(oversign, oversign_count, headers[i]));
	}
	for (size_t i = 0; i < oversign_count; i++) {
		if (!is_listed(headers, header_count, oversign[i]) &&
		    !is_listed(oversign, i, oversign[i]))
			choose_all(choice, oversign[i], true);
	}
}

/* Names that the options gave are theirs: they are copied behind the list. */
static enum signpost_status
keep_names(struct job *job, const struct choice *choice)
{
	size_t text = 0;
	char *copy;

	for (size_t i = 0; i < choice->count; i++)
		text += choice->names[i].len;
	job->names = malloc(choice->count * sizeof(*job->names) + text);
	if (job->names == NULL)
		return SIGNPOST_NOMEM;
	copy = (char *)(job->names + choice->count);
	for (size_t i = 0; i < choice->count; i++) {
		struct bytes name = choice->names[i];

		memcpy(copy, name.data, name.len);
		job->names[i] = bytes_of(copy, name.len);
		copy += name.len;
	}
	job->name_count = choice->count;
	return SIGNPOST_OK;
}

static enum signpost_status
set_headers(struct job *job, const struct signpost_headers *headers,
    const struct signpost_sign_options *options)
{
	struct bytes names[SIGNPOST_MAX_SIGNED_HEADERS];
	struct choice choice = { .headers = headers, .names = names };

	if (headers_occurrences(headers, bytes_str("From")) == 0 ||
	    !are_field_names(options->headers, length_of(options->headers)) ||
	    !are_field_names(options->oversign, length_of(options->oversign)))
		return SIGNPOST_SYNTAX;
	choose_names(&choice, options);
	return choice.over ? SIGNPOST_LIMIT : keep_names(job, &choice);
}

static bool
times_fit(int64_t now, int64_t expire_s)
{
	return now >= 0 && expire_s >= 0 && now <= TIME_MAX &&
	    expire_s <= TIME_MAX - now;
}

enum signpost_status
signpost_signer_add(struct signpost_signer *signer,
    const struct signpost_sign_options *options,
    struct signpost_private_key *key)
{
	struct job *jobs, *job;
	enum signpost_status status;

	if (!times_fit(signer->now, options->expire_s))
		return SIGNPOST_SYNTAX;
	jobs = reallocarray(signer->jobs, signer->count + 1, sizeof(*jobs));
	if (jobs == NULL)
		return SIGNPOST_NOMEM;
	signer->jobs = jobs;
	job = &jobs[signer->count];
	*job = (struct job){
		.key = signpost_private_key_ref(key),
		.header_canon = options->header_canon,
		.body_canon = options->body_canon,
		.expire_s = options->expire_s,
		.copy_headers = options->copy_headers,
	};
	buf_init(&job->domain, SIZE_MAX);
	buf_init(&job->selector, SIZE_MAX);
	buf_init(&job->identity, SIZE_MAX);
	field_writer_init(&job->field, FIRST_COLUMN);
	buf_init(&job->base64, SIZE_MAX);
	status = set_names(job, options);
	if (status == SIGNPOST_OK)
		status = set_headers(job, signer->headers, options);
	if (status == SIGNPOST_OK)
		status = body_hash_want(signer->body, job->body_canon,
		    HASH_SHA256, BODY_HASH_NO_LIMIT, &job->body_slot);
	if (status == SIGNPOST_OK)
		signer->count++;
	else
		job_fini(job);
	return status;
}

size_t
signpost_signer_count(const struct signpost_signer *signer)
{
	return signer->count;
}

enum signpost_status
signpost_signer_body(
    struct signpost_signer *signer, const void *data, size_t len)
{
	body_hash_update(signer->body, data, len);
	return SIGNPOST_OK;
}

/* Adds UNIT, whose failure becomes the field's: it is cleared for the next. */
static void
add_unit(struct job *job, const char *lead, const struct buf *unit)
{
	field_writer_add(&job->field, lead, buf_bytes(unit));
	if (unit->failed)
		job->field.text.failed = true;
}

static void
write_tag(struct job *job, struct buf *unit, const char *tag, const char *value)
{
	buf_clear(unit);
	buf_printf(unit, "%s=%s;", tag, value);
	add_unit(job, " ", unit);
}

static void
write_time(struct job *job, struct buf *unit, const char *tag, int64_t seconds)
{
	buf_clear(unit);
	buf_printf(unit, "%s=%" PRId64 ";", tag, seconds);
	add_unit(job, " ", unit);
}

static void
write_names(struct job *job, struct buf *unit)
{
	for (size_t i = 0; i < job->name_count; i++) {
		buf_clear(unit);
		buf_append_str(unit, i == 0 ? "h=" : "");
		buf_append_bytes(unit, job->names[i]);
		buf_append_char(unit, i + 1 == job->name_count ? ';' : ':');
		add_unit(job, i == 0 ? " " : "", unit);
	}
}

static void
write_body_hash(struct job *job, struct buf *unit, const struct digest *hash)
{
	buf_clear(unit);
	buf_append_str(unit, "bh=");
	base64_encode(hash->data, hash->len, unit);
	buf_append_char(unit, ';');
	add_unit(job, " ", unit);
}

/* The field up to and including "b=" (RFC 6376 section 3.5). */
static enum signpost_status
write_field(const struct signpost_signer *signer, struct job *job,
    const struct digest *body_hash, struct buf *unit)
{
	enum signpost_status status = SIGNPOST_OK;
	char canon[sizeof "relaxed/relaxed"];

	snprintf(canon, sizeof canon, "%s/%s", canon_names[job->header_canon],
	    canon_names[job->body_canon]);
	write_tag(job, unit, "v", "1");
	write_tag(job, unit, "a",
	    signpost_algorithm_name(signpost_private_key_algorithm(job->key)));
	write_tag(job, unit, "c", canon);
	write_tag(job, unit, "d", job->domain.data);
	write_tag(job, unit, "s", job->selector.data);
	write_time(job, unit, "t", signer->now);
	if (job->expire_s > 0)
		write_time(job, unit, "x", signer->now + job->expire_s);
	if (job->identity.len > 0)
		write_tag(job, unit, "i", job->identity.data);
	write_names(job, unit);
	if (job->copy_headers)
		status = copied_fields_write(
		    signer->headers, job->names, job->name_count, &job->field);
	write_body_hash(job, unit, body_hash);
	field_writer_add(&job->field, " ", bytes_str("b="));
	return status;
}

static size_t
signature_bytes(const struct signpost_private_key *key)
{
	if (signpost_private_key_algorithm(key) == SIGNPOST_ED25519_SHA256)
		return ED25519_SIGNATURE_BYTES;
	return (signpost_private_key_bits(key) + 7) / 8;
}

static enum signpost_status
end_body(const struct signpost_signer *signer, struct job *job,
    struct hash *hash, struct buf *scratch)
{
	const struct body_hash_result *body =
	    body_hash_get(signer->body, job->body_slot);
	struct header_hash input = {
		.headers = signer->headers,
		.canon = job->header_canon,
		.names = job->names,
		.count = job->name_count,
		.own = SIZE_MAX,
		.own_name = bytes_str(FIELD_NAME),
	};
	size_t base64_len = BASE64_ENCODED_LEN(signature_bytes(job->key));

	if (write_field(signer, job, &body->digest, scratch) != SIGNPOST_OK)
		return SIGNPOST_NOMEM;
	/* So that signpost_signer_sign allocates nothing. */
	field_writer_reserve(&job->field, base64_len);
	buf_reserve(&job->base64, base64_len);
	if (job->field.text.failed || job->base64.failed)
		return SIGNPOST_NOMEM;
	input.own_value = buf_bytes(&job->field.text);
	return header_hash_run(&input, hash, scratch, &job->header);
}

enum signpost_status
signpost_signer_end_body(struct signpost_signer *signer)
{
	enum signpost_status status;
	struct buf scratch;
	struct hash *hash;

	assert(!signer->ended);
	if (signer->count == 0) {
		signer->ended = true;
		return SIGNPOST_OK;
	}
	status = hash_new(signer->handle, HASH_SHA256, &hash);
	if (status != SIGNPOST_OK)
		return status;
	status = body_hash_final(signer->body);
	buf_init(&scratch, SIZE_MAX);
	for (size_t i = 0; i < signer->count && status == SIGNPOST_OK; i++)
		status = end_body(signer, &signer->jobs[i], hash, &scratch);
	buf_fini(&scratch);
	hash_free(hash);
	signer->ended = status == SIGNPOST_OK;
	return status;
}

static struct job *
job_at(const struct signpost_signer *signer, size_t i)
{
	assert(i < signer->count);
	return &signer->jobs[i];
}

enum signpost_status
signpost_signer_sign(struct signpost_signer *signer, size_t i)
{
	struct job *job = job_at(signer, i);
	unsigned char octets[SIGNPOST_MAX_RSA_BITS / 8];
	size_t len;
	enum signpost_status status;

	assert(signer->ended && !job->done);
	status = crypto_sign(key_of_private(job->key),
	    signpost_private_key_algorithm(job->key), &job->header, octets,
	    sizeof octets, &len);
	if (status != SIGNPOST_OK)
		return status;
	base64_encode(octets, len, &job->base64);
	field_writer_fill(&job->field, buf_bytes(&job->base64));
	if (job->field.text.failed || job->base64.failed)
		return SIGNPOST_NOMEM;
	job->done = true;
	return SIGNPOST_OK;
}

enum signpost_algorithm
signpost_signer_algorithm(const struct signpost_signer *signer, size_t i)
{
	return signpost_private_key_algorithm(job_at(signer, i)->key);
}

unsigned
signpost_signer_key_bits(const struct signpost_signer *signer, size_t i)
{
	return signpost_private_key_bits(job_at(signer, i)->key);
}

void
signpost_signer_field(const struct signpost_signer *signer, size_t i,
    const char **name_r, const char **value_r)
{
	const struct job *job = job_at(signer, i);

	*name_r = FIELD_NAME;
	*value_r = job->done ? job->field.text.data : NULL;
}
