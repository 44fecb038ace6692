/* SPDX-License-Identifier: BSD-2-Clause */
#include "signed_row.h"

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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

char *
signed_row_field(const struct signed_row *row)
{
	struct reference reference = {
		.fields = FIELDS,
		.body = BODY,
		.body_len = strlen(BODY),
		.names = row->names == NULL ? "from:to:subject" : row->names,
		.header_canon =
		    row->simple ? SIGNPOST_SIMPLE : SIGNPOST_RELAXED,
		.body_canon = row->simple ? SIGNPOST_SIMPLE : SIGNPOST_RELAXED,
		.sha1 = row->sha1,
		.limit = row->limit == 0 ? SIZE_MAX : row->limit - 1,
		.key = row->key,
	};

	return reference_sign(&reference, row->template);
}

static void
check_row(struct signpost *handle, const struct signed_row *row,
    const char *field, struct message_course course)
{
	static const char *const own[] = {
		[REFERENCE_RSA] = RSA_RECORD,
		[REFERENCE_RSA512] = RSA512_RECORD,
		[REFERENCE_ED25519] = ED25519_RECORD,
	};
	const char *records[] = { row->record == NULL ? own[row->key]
						      : row->record,
		row->record2, NULL };
	struct message_keys keys = { row->answer, records };
	struct signpost_verify_options options = message_options();
	const char *body = row->body == NULL ? BODY : row->body;
	const struct signpost_verdict *verdict;
	struct signpost_headers *headers;
	struct signpost_verifier *verifier;
	struct buf text;

	options.allow_sha1 = row->allow_sha1;
	options.max_age_s = row->max_age_s;
	if (row->accept_unsigned)
		options.unsigned_body = SIGNPOST_UNSIGNED_ACCEPT;
	if (row->max_rsa_bits != 0)
		options.max_rsa_bits = row->max_rsa_bits;
	buf_init(&text, SIZE_MAX);
	buf_append_str(&text, row->added == NULL ? "" : row->added);
	buf_printf(&text, "DKIM-Signature:%s\r\n", field);
	buf_append_str(&text, row->tampered == NULL ? FIELDS : row->tampered);
	headers = message_headers(text.data);
	assert_int_equal(signpost_verifier_new(
			     handle, headers, &options, MESSAGE_NOW, &verifier),
	    SIGNPOST_OK);
	assert_int_equal(signpost_verifier_count(verifier), 1);
	/* Syntax is told before anybody is asked. */
	if ((signpost_verifier_key_name(verifier, 0) == NULL) !=
	    (row->result == SIGNPOST_NEUTRAL || row->no_key_asked))
		fail_msg("%s: parsed wrongly", row->name);
	message_verify(handle, verifier, bytes_str(body), &keys, course);
	verdict = signpost_verifier_verdict(verifier, 0);
	if (verdict->result != row->result || verdict->reason != row->reason)
		fail_msg("%s: %s, %s (key %s the body)", row->name,
		    signpost_result_word(verdict->result),
		    signpost_reason_token(verdict->reason),
		    course.key_first ? "before" : "after");
	signpost_verifier_free(verifier);
	signpost_headers_free(headers);
	buf_fini(&text);
}

void
signed_rows_check(
    struct signpost *handle, const struct signed_row *rows, size_t count)
{
	static const struct message_course courses[] = { { false, 0 },
		{ true, 0 }, { true, 1 }, { false, 3 } };

	for (size_t i = 0; i < count; i++) {
		char *field = signed_row_field(&rows[i]);

		for (size_t k = 0; k < COUNT(courses); k++)
			check_row(handle, &rows[i], field, courses[k]);
		free(field);
	}
}
