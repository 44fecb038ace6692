/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peer_signpost - libsignpost, as the driver of the differential tests asks it
 *
 *	peer_signpost [FAULT]
 *
 * FAULT is one of those in fault.h: with it the program distorts what goes
 * into the library or comes out of it, and the driver has to notice.
 *
 * Asked "verify": now, min_rsa_bits, max_rsa_bits, max_signatures, max_age_s,
 * clock_skew_s, unsigned body accepted, SHA-1 allowed, octets of body a push
 * (0: all at once), number of look-ups; for each look-up its name, what it
 * came to and one record (the strings of a TXT record as DNS carries them;
 * several records: the name again); the body; and the fields, each as what
 * stands before the colon and what stands behind it.
 * Answered for each signature: result, reason, d=, s=, i=, a=, b=, key_bits,
 * testing, unsigned_body_bytes.
 *
 * Asked "sign": now, octets of body a push, number of signatures; for each
 * d=, s=, i= (empty for none), header and body canonicalization ("simple",
 * "relaxed"), header names, names oversigned (with colons between), expire_s,
 * keep_u_labels, private key; then body and fields as above.
 * Answered: "" or what went wrong, and the value of each field.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "frame.h"
#include "signpost.h"

enum {
	MAX_HEADER = 64 << 20,
	MAX_NAMES = 600,
	MAX_LOOKUPS = 64
};

struct lookup {
	const struct item *name, *answer, *rdata;
};

struct peer {
	struct signpost *handle;
	enum fault fault;
};

static void
must(enum signpost_status status, const char *what)
{
	if (status != SIGNPOST_OK)
		errx(1, "%s: %s", what, signpost_status_text(status));
}

/* What remains of the frame: the fields. */
static struct signpost_headers *
read_headers(const struct peer *peer, struct frame *frame)
{
	size_t count = (frame->count - frame->next) / 2;
	struct signpost_headers *headers;

	must(signpost_headers_new(MAX_HEADER, &headers), "headers");
	for (size_t i = 0; i < count; i++) {
		size_t nth = peer->fault == FAULT_REVERSE ? count - 1 - i : i;
		const struct item *name = &frame->items[frame->next + 2 * nth];
		struct item value = name[1];

		fault_value(peer->fault, &value);
		must(signpost_headers_add(
			 headers, name->data, name->len, value.data, value.len),
		    "field");
	}
	return headers;
}

/* The strings of a TXT record, joined. */
static struct signpost_text
join_strings(const struct peer *peer, const struct item *rdata)
{
	char *text = malloc(rdata->len + 1);
	size_t len = 0;

	if (text == NULL)
		err(1, "record");
	for (size_t at = 0; at < rdata->len;) {
		size_t string = (unsigned char)rdata->data[at++];

		memcpy(text + len, rdata->data + at, string);
		len += string;
		at += string;
		if (peer->fault == FAULT_FIRST_STRING)
			break;
	}
	return (struct signpost_text){ text, len };
}

static enum signpost_key_answer
answer_of(const struct item *word)
{
	static const char *const words[] = {
		[SIGNPOST_KEY_FOUND] = "found",
		[SIGNPOST_KEY_NO_NAME] = "none",
		[SIGNPOST_KEY_TIMEOUT] = "timeout",
		[SIGNPOST_KEY_FAILED] = "failed",
		[SIGNPOST_KEY_BOGUS] = "bogus",
	};

	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strcmp(word->data, words[i]) == 0)
			return i;
	}
	errx(1, "%s: no such answer", word->data);
}

static void
give_key(const struct peer *peer, struct signpost_verifier *verifier, size_t i,
    const struct lookup *lookups, size_t count)
{
	const char *name = signpost_verifier_key_name(verifier, i);
	enum signpost_key_answer answer = SIGNPOST_KEY_NO_NAME;
	struct signpost_text records[MAX_LOOKUPS];
	struct signpost_key_set *keys = NULL;
	size_t found = 0;

	if (name == NULL)
		return;
	for (size_t k = 0; k < count; k++) {
		if (strcasecmp(lookups[k].name->data, name) != 0)
			continue;
		answer = answer_of(lookups[k].answer);
		if (answer == SIGNPOST_KEY_FOUND)
			records[found++] = join_strings(peer, lookups[k].rdata);
	}
	while (peer->fault == FAULT_FIRST_RECORD && found > 1)
		free((char *)records[--found].data);
	if (peer->fault == FAULT_DNS_DENIES && answer == SIGNPOST_KEY_FAILED)
		answer = SIGNPOST_KEY_NO_NAME;
	if (answer == SIGNPOST_KEY_FOUND)
		must(
		    signpost_key_set_parse(peer->handle, records, found, &keys),
		    "keys");
	signpost_verifier_give_key(
	    verifier, i, answer, SIGNPOST_DNSSEC_UNKNOWN, keys);
	signpost_key_set_unref(keys);
	while (found > 0)
		free((char *)records[--found].data);
}

static void
push_body(struct signpost_verifier *verifier, struct signpost_signer *signer,
    struct item body, size_t cut)
{
	size_t step = cut == 0 ? body.len : cut;

	for (size_t at = 0; at < body.len; at += step) {
		size_t len = body.len - at < step ? body.len - at : step;

		if (verifier != NULL)
			must(signpost_verifier_body(
				 verifier, body.data + at, len),
			    "body");
		else
			must(signpost_signer_body(signer, body.data + at, len),
			    "body");
	}
}

static void
add_verdict(const struct peer *peer, struct answer *answer,
    const struct signpost_verdict *verdict)
{
	answer_add_text(
	    answer, signpost_result_word(fault_result(peer->fault, verdict)));
	answer_add_text(answer, signpost_reason_token(verdict->reason));
	answer_add(answer, verdict->domain, verdict->domain_len);
	answer_add(answer, verdict->selector, verdict->selector_len);
	answer_add(answer, verdict->identity, verdict->identity_len);
	answer_add(
	    answer, verdict->algorithm_name, verdict->algorithm_name_len);
	answer_add(answer, verdict->b, verdict->b_len);
	answer_add_number(answer, verdict->key_bits);
	answer_add_number(answer, verdict->testing);
	answer_add_number(answer, (long long)verdict->unsigned_body_bytes);
}

static void
read_options(struct frame *frame, struct signpost_verify_options *options_r)
{
	*options_r = (struct signpost_verify_options){
		.min_rsa_bits = (unsigned)frame_next_number(frame),
		.max_rsa_bits = (unsigned)frame_next_number(frame),
		.max_signatures = (unsigned)frame_next_number(frame),
		.max_age_s = frame_next_number(frame),
		.clock_skew_s = frame_next_number(frame),
		.unsigned_body = frame_next_number(frame) != 0
		    ? SIGNPOST_UNSIGNED_ACCEPT
		    : SIGNPOST_UNSIGNED_POLICY,
		.allow_sha1 = frame_next_number(frame) != 0,
	};
}

static size_t
read_lookups(struct frame *frame, struct lookup lookups[MAX_LOOKUPS])
{
	size_t count = (size_t)frame_next_number(frame);

	if (count > MAX_LOOKUPS)
		errx(1, "%zu look-ups", count);
	for (size_t i = 0; i < count; i++) {
		lookups[i].name = frame_next(frame);
		lookups[i].answer = frame_next(frame);
		lookups[i].rdata = frame_next(frame);
	}
	return count;
}

static void
verify(const struct peer *peer, struct frame *frame, struct answer *answer)
{
	int64_t now = frame_next_number(frame);
	struct signpost_verify_options options;
	struct lookup lookups[MAX_LOOKUPS];
	struct signpost_verifier *verifier;
	struct signpost_headers *headers;
	const struct item *body;
	size_t cut, lookup_count, count;

	read_options(frame, &options);
	cut = (size_t)frame_next_number(frame);
	lookup_count = read_lookups(frame, lookups);
	body = frame_next(frame);
	headers = read_headers(peer, frame);
	if (peer->fault == FAULT_OLD_CLOCK)
		now = 0;
	must(signpost_verifier_new(
		 peer->handle, headers, &options, now, &verifier),
	    "verifier");
	count = signpost_verifier_count(verifier);
	push_body(verifier, NULL, fault_body(peer->fault, body), cut);
	must(signpost_verifier_end_body(verifier), "end of body");
	for (size_t i = 0; i < count; i++) {
		give_key(peer, verifier, i, lookups, lookup_count);
		if (signpost_verifier_needs_check(verifier, i))
			signpost_verifier_check(verifier, i);
	}
	for (size_t i = 0; i < count; i++) {
		size_t shown =
		    peer->fault == FAULT_SWAP && count > 1 && i < 2 ? 1 - i : i;

		add_verdict(
		    peer, answer, signpost_verifier_verdict(verifier, shown));
	}
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
}

/* The names in LIST, which is cut up for it. */
static void
split_names(char *list, const char *names_r[MAX_NAMES])
{
	size_t count = 0;
	char *name;

	while ((name = strsep(&list, ":")) != NULL) {
		if (count == MAX_NAMES - 1)
			errx(1, "too many names");
		if (*name != '\0')
			names_r[count++] = name;
	}
	names_r[count] = NULL;
}

static enum signpost_canon
canon_of(const struct item *name)
{
	return strcmp(name->data, "relaxed") == 0 ? SIGNPOST_RELAXED
						  : SIGNPOST_SIMPLE;
}

static enum signpost_status
add_signature(const struct peer *peer, struct signpost_signer *signer,
    struct frame *frame)
{
	const char *headers[MAX_NAMES], *oversign[MAX_NAMES];
	struct signpost_sign_options options = { .headers = headers,
		.oversign = oversign };
	struct signpost_private_key *key;
	enum signpost_status status;
	const struct item *text;

	options.domain = frame_next(frame)->data;
	options.selector = frame_next(frame)->data;
	options.identity = frame_next(frame)->data;
	if (*options.identity == '\0')
		options.identity = NULL;
	options.header_canon = canon_of(frame_next(frame));
	options.body_canon = canon_of(frame_next(frame));
	split_names(frame_next(frame)->data, headers);
	split_names(frame_next(frame)->data, oversign);
	if (peer->fault == FAULT_NO_OVERSIGN)
		oversign[0] = NULL;
	options.expire_s = frame_next_number(frame);
	options.keep_u_labels = frame_next_number(frame) != 0;
	text = frame_next(frame);
	must(signpost_private_key_read(
		 peer->handle, text->data, text->len, &key),
	    "private key");
	status = signpost_signer_add(signer, &options, key);
	signpost_private_key_unref(key);
	return status;
}

static void
add_fields(struct signpost_signer *signer, struct answer *answer)
{
	for (size_t i = 0; i < signpost_signer_count(signer); i++) {
		const char *name, *value;

		must(signpost_signer_sign(signer, i), "sign");
		signpost_signer_field(signer, i, &name, &value);
		answer_add_text(answer, value);
	}
}

/* The fields stand at the end of the frame, and are wanted first. */
static void
sign(const struct peer *peer, struct frame *frame, struct answer *answer)
{
	enum {
		ITEMS_A_SIGNATURE = 10
	};
	int64_t now = frame_next_number(frame);
	size_t cut = (size_t)frame_next_number(frame);
	size_t count = (size_t)frame_next_number(frame);
	struct frame rest = *frame;
	enum signpost_status status = SIGNPOST_OK;
	struct signpost_headers *headers;
	struct signpost_signer *signer;
	const struct item *body;

	rest.next += count * ITEMS_A_SIGNATURE;
	body = frame_next(&rest);
	headers = read_headers(peer, &rest);
	must(
	    signpost_signer_new(peer->handle, headers, now, &signer), "signer");
	for (size_t i = 0; i < count && status == SIGNPOST_OK; i++)
		status = add_signature(peer, signer, frame);
	answer_add_text(
	    answer, status == SIGNPOST_OK ? "" : signpost_status_text(status));
	if (status == SIGNPOST_OK) {
		push_body(NULL, signer, fault_body(peer->fault, body), cut);
		must(signpost_signer_end_body(signer), "end of body");
		add_fields(signer, answer);
	}
	signpost_signer_free(signer);
	signpost_headers_free(headers);
}

int
main(int argc, char **argv)
{
	struct peer peer = { .fault = FAULT_NONE };
	struct answer answer = { .data = NULL };
	struct frame frame;

	if (argc > 1)
		peer.fault = fault_named(argv[1]);
	must(signpost_new(&peer.handle), "library");
	while (frame_read(&frame)) {
		if (strcmp(frame_next(&frame)->data, "sign") == 0)
			sign(&peer, &frame, &answer);
		else
			verify(&peer, &frame, &answer);
		answer_send(&answer);
		frame_free(&frame);
	}
	signpost_free(peer.handle);
	return 0;
}
