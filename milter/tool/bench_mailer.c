/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_mailer.h"

#include <stdlib.h>
#include <string.h>

#include "config_settings.h"

enum {
	PIECE_BYTES = 65535, /* what a milter gets at once */
	MAX_HEADER_BYTES = 1 << 20
};

/* Any time does: nothing expires. */
static const int64_t now = 1796040000;

static const struct signpost_verify_options verify_options = {
	.min_rsa_bits = 512,
	.max_rsa_bits = 8192,
	.max_signatures = 10,
	.clock_skew_s = 300,
};

struct bench_mailer {
	struct signpost *handle;
	const struct bench_message *message;
	struct signpost_sign_options options;
	struct signpost_private_key *key;
	struct signpost_key_set *keys;
	struct signpost_headers *headers; /* to sign */
	struct signpost_headers *signed_headers;
	char *field; /* the value of the signature to verify */
};

static bool
read_keys(struct bench_mailer *mailer, const char *pem)
{
	struct signpost_text text;
	enum signpost_status status;
	char *record = NULL;

	status = signpost_private_key_read(
	    mailer->handle, pem, strlen(pem), &mailer->key);
	if (status == SIGNPOST_OK)
		status = signpost_private_key_record(mailer->key, &record);
	if (status == SIGNPOST_OK) {
		text = (struct signpost_text){ record, strlen(record) };
		status = signpost_key_set_parse(
		    mailer->handle, &text, 1, &mailer->keys);
	}
	signpost_string_free(record);
	return status == SIGNPOST_OK;
}

static enum signpost_status
push_to_signer(
    const struct bench_mailer *mailer, struct signpost_signer *signer)
{
	const struct buf *body = &mailer->message->body;
	enum signpost_status status =
	    signpost_signer_add(signer, &mailer->options, mailer->key);

	for (size_t at = 0; at < body->len && status == SIGNPOST_OK;
	     at += PIECE_BYTES) {
		size_t len = body->len - at;

		if (len > PIECE_BYTES)
			len = PIECE_BYTES;
		status = signpost_signer_body(signer, body->data + at, len);
	}
	if (status == SIGNPOST_OK)
		status = signpost_signer_end_body(signer);
	return status;
}

/* Keeps the field where that is wanted. */
static bool
sign(struct bench_mailer *mailer, bool with_key, char **field_r)
{
	struct signpost_signer *signer = NULL;
	const char *name = NULL, *value = NULL;
	enum signpost_status status;

	signpost_headers_reset(mailer->headers);
	status = bench_message_header(mailer->message, mailer->headers);
	if (status == SIGNPOST_OK)
		status = signpost_signer_new(
		    mailer->handle, mailer->headers, now, &signer);
	if (status == SIGNPOST_OK)
		status = push_to_signer(mailer, signer);
	if (status == SIGNPOST_OK && with_key) {
		status = signpost_signer_sign(signer, 0);
		signpost_signer_field(signer, 0, &name, &value);
		if (value == NULL)
			status = SIGNPOST_CRYPTO;
	}
	if (field_r != NULL && value != NULL)
		*field_r = strdup(value);
	signpost_signer_free(signer);
	return status == SIGNPOST_OK;
}

bool
bench_mailer_sign(void *ctx)
{
	return sign(ctx, true, NULL);
}

bool
bench_mailer_hash_to_sign(void *ctx)
{
	return sign(ctx, false, NULL);
}

static enum signpost_status
push_to_verifier(
    const struct bench_mailer *mailer, struct signpost_verifier *verifier)
{
	const struct buf *body = &mailer->message->body;
	enum signpost_status status = SIGNPOST_OK;

	if (signpost_verifier_key_name(verifier, 0) == NULL)
		return SIGNPOST_SYNTAX;
	for (size_t at = 0; at < body->len && status == SIGNPOST_OK;
	     at += PIECE_BYTES) {
		size_t len = body->len - at;

		if (len > PIECE_BYTES)
			len = PIECE_BYTES;
		status = signpost_verifier_body(verifier, body->data + at, len);
	}
	if (status == SIGNPOST_OK)
		status = signpost_verifier_end_body(verifier);
	if (status == SIGNPOST_OK)
		signpost_verifier_give_key(verifier, 0, SIGNPOST_KEY_FOUND,
		    SIGNPOST_DNSSEC_UNKNOWN, mailer->keys);
	return status;
}

static bool
verify(struct bench_mailer *mailer, bool with_key)
{
	struct signpost_headers *headers = mailer->signed_headers;
	struct signpost_verifier *verifier = NULL;
	enum signpost_status status;
	bool ok;

	signpost_headers_reset(headers);
	status = signpost_headers_add(headers, "DKIM-Signature",
	    strlen("DKIM-Signature"), mailer->field, strlen(mailer->field));
	if (status == SIGNPOST_OK)
		status = bench_message_header(mailer->message, headers);
	if (status == SIGNPOST_OK)
		status = signpost_verifier_new(
		    mailer->handle, headers, &verify_options, now, &verifier);
	if (status == SIGNPOST_OK)
		status = push_to_verifier(mailer, verifier);
	ok =
	    status == SIGNPOST_OK && signpost_verifier_needs_check(verifier, 0);
	if (ok && with_key) {
		signpost_verifier_check(verifier, 0);
		ok = signpost_verifier_verdict(verifier, 0)->result ==
		    SIGNPOST_PASS;
	}
	signpost_verifier_free(verifier);
	return ok;
}

bool
bench_mailer_verify(void *ctx)
{
	return verify(ctx, true);
}

bool
bench_mailer_hash_to_verify(void *ctx)
{
	return verify(ctx, false);
}

struct bench_mailer *
bench_mailer_new(struct signpost *handle, const char *pem,
    const struct bench_message *message, enum signpost_canon header_canon,
    enum signpost_canon body_canon)
{
	struct bench_mailer *mailer = calloc(1, sizeof(*mailer));

	if (mailer == NULL)
		return NULL;
	mailer->handle = handle;
	mailer->message = message;
	mailer->options =
	    (struct signpost_sign_options){ .domain = "example.com",
		    .selector = "bench",
		    .header_canon = header_canon,
		    .body_canon = body_canon,
		    .headers = setting_default_headers(),
		    .oversign = setting_default_oversign() };
	if (signpost_headers_new(MAX_HEADER_BYTES, &mailer->headers) ==
		SIGNPOST_OK &&
	    signpost_headers_new(MAX_HEADER_BYTES, &mailer->signed_headers) ==
		SIGNPOST_OK &&
	    read_keys(mailer, pem) && sign(mailer, true, &mailer->field) &&
	    mailer->field != NULL && verify(mailer, true))
		return mailer;
	bench_mailer_free(mailer);
	return NULL;
}

void
bench_mailer_free(struct bench_mailer *mailer)
{
	if (mailer == NULL)
		return;
	free(mailer->field);
	signpost_headers_free(mailer->headers);
	signpost_headers_free(mailer->signed_headers);
	signpost_key_set_unref(mailer->keys);
	signpost_private_key_unref(mailer->key);
	free(mailer);
}
