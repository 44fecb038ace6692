/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkim_peer - signs or verifies the message on standard input, for a script
 * that compares with another implementation
 *
 * dkim_peer sign rsa|ed25519 HEADER-CANON BODY-CANON: the signed message
 * dkim_peer verify: a line "RESULT REASON" for each signature, the topmost first
 *
 * Lines end in CRLF. Keys are those of keys.h, at selectors "rsa" and "ed25519"
 * of example.com.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "buf.h"
#include "keys.h"
#include "message.h"

struct input {
	struct buf text;
	struct signpost_headers *headers;
	struct bytes body;
};

static struct input
read_input(void)
{
	struct input input;
	char piece[4096];
	char *end;
	size_t len;

	buf_init(&input.text, SIZE_MAX);
	while ((len = fread(piece, 1, sizeof piece, stdin)) > 0)
		buf_append(&input.text, piece, len);
	end = memmem(input.text.data, input.text.len, "\r\n\r\n", 4);
	if (end == NULL)
		exit(65);
	input.body = bytes_of(
	    end + 4, (size_t)(input.text.data + input.text.len - end) - 4);
	end[2] = '\0';
	input.headers = message_headers(input.text.data);
	end[2] = '\r';
	return input;
}

static enum signpost_canon
canon_of(const char *name)
{
	return strcmp(name, "relaxed") == 0 ? SIGNPOST_RELAXED
					    : SIGNPOST_SIMPLE;
}

static void
sign(struct signpost *handle, const struct input *input, char **args)
{
	static const char *const names[] = { "From", "To", "Subject", "X-Odd",
		"Received", NULL };
	static const char *const over[] = { "From", "Subject", NULL };
	struct signpost_sign_options options = { .domain = "example.com",
		.selector = args[0],
		.header_canon = canon_of(args[1]),
		.body_canon = canon_of(args[2]),
		.headers = names,
		.oversign = over };
	const char *text = strcmp(args[0], "rsa") == 0 ? RSA_PEM : ED25519_SEED;
	struct signpost_private_key *key;
	struct signpost_signer *signer;
	const char *name, *value;

	if (signpost_private_key_read(handle, text, strlen(text), &key) !=
		SIGNPOST_OK ||
	    signpost_signer_new(handle, input->headers, time(NULL), &signer) !=
		SIGNPOST_OK ||
	    signpost_signer_add(signer, &options, key) != SIGNPOST_OK ||
	    signpost_signer_body(signer, input->body.data, input->body.len) !=
		SIGNPOST_OK ||
	    signpost_signer_end_body(signer) != SIGNPOST_OK ||
	    signpost_signer_sign(signer, 0) != SIGNPOST_OK)
		exit(70);
	signpost_signer_field(signer, 0, &name, &value);
	printf("%s:%s\r\n", name, value);
	fwrite(input->text.data, 1, input->text.len, stdout);
	signpost_signer_free(signer);
	signpost_private_key_unref(key);
}

static void
verify(struct signpost *handle, const struct input *input)
{
	static const char *const records[] = { RSA_RECORD, ED25519_RECORD,
		NULL };
	const struct message_keys keys = { SIGNPOST_KEY_FOUND, records };
	struct signpost_verify_options options = message_options();
	struct signpost_verifier *verifier;

	if (signpost_verifier_new(handle, input->headers, &options, time(NULL),
		&verifier) != SIGNPOST_OK)
		exit(70);
	message_verify(handle, verifier, input->body, &keys,
	    (struct message_course){ .key_first = false });
	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		const struct signpost_verdict *verdict =
		    signpost_verifier_verdict(verifier, i);

		printf("%s %s\n", signpost_result_word(verdict->result),
		    signpost_reason_token(verdict->reason));
	}
	signpost_verifier_free(verifier);
}

int
main(int argc, char **argv)
{
	struct signpost *handle;
	struct input input;

	if (signpost_new(&handle) != SIGNPOST_OK)
		return 70;
	input = read_input();
	if (argc == 5 && strcmp(argv[1], "sign") == 0)
		sign(handle, &input, argv + 2);
	else if (argc == 2 && strcmp(argv[1], "verify") == 0)
		verify(handle, &input);
	else
		return 64;
	signpost_headers_free(input.headers);
	buf_fini(&input.text);
	signpost_free(handle);
	return 0;
}
