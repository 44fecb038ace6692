/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DKIM-Signature field on a message: whatever it says, it is told of, asks
 * DNS for nothing but a name, and does not pass. The same text serves as what
 * a domain says of reports.
 */
#include "signature.h"

#include <stdint.h>
#include <stdlib.h>

#include "copied_fields.h"
#include "keys.h"
#include "report_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool condition)
{
	if (!condition)
		abort();
}

/* Letters, digits, hyphens and underscores in labels, 253 octets at most. */
static void
check_name(const char *name)
{
	size_t len = strlen(name);

	must(len > 0 && len < DOMAIN_SIZE && name[0] != '.' &&
	    name[len - 1] != '.' && strstr(name, "..") == NULL);
	must(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == len);
	must(strstr(name, "._domainkey.") != NULL);
}

/* Blanked and read again, the field is the same, but for an empty b=. */
static void
check_blanked(struct bytes value)
{
	struct signature signature, again;
	enum signpost_reason reason;
	struct buf blanked;

	must(signature_parse(value, &signature, &reason) == SIGNPOST_OK);
	if (reason == SIGNPOST_REASON_NONE) {
		must(signature.name_count > 0 &&
		    signature.name_count <= SIGNPOST_MAX_SIGNED_HEADERS);
		check_name(signature.key_name);
		buf_init(&blanked, SIZE_MAX);
		signature_append_blanked(&signature, value, &blanked);
		must(blanked.len + signature.raw_b.len == value.len);
		must(signature_parse(buf_bytes(&blanked), &again, &reason) ==
		    SIGNPOST_OK);
		must(reason == SIGNPOST_REASON_BASE64);
		must(strcmp(signature.key_name, again.key_name) == 0);
		must(signature.body_limit == again.body_limit);
		signature_fini(&again);
		buf_fini(&blanked);
	}
	signature_fini(&signature);
}

/* Whatever its hashes are: what z= says of the fields. */
static void
compare_copies(struct bytes value, const struct signpost_headers *headers)
{
	struct signature signature;
	struct report_record record;
	enum signpost_reason reason;
	char *names;

	must(signature_parse(value, &signature, &reason) == SIGNPOST_OK);
	names = copied_fields_changed(headers, &signature);
	must(names != NULL && strlen(names) <= 16 * 65);
	free(names);
	signature_fini(&signature);
	if (report_record_parse(value, &record))
		must(record.percent <= 100 && record.local[0] != '\0' &&
		    strchr(record.local, '@') == NULL);
}

static void
verify(struct signpost *handle, struct signpost_key_set *keys,
    const struct signpost_headers *headers)
{
	const struct signpost_verify_options options = { .min_rsa_bits = 512,
		.max_rsa_bits = 8192,
		.max_signatures = 1,
		.allow_sha1 = true,
		.unsigned_body = SIGNPOST_UNSIGNED_ACCEPT };
	const struct signpost_verdict *verdict;
	struct signpost_verifier *verifier;
	char *changed;

	must(signpost_verifier_new(handle, headers, &options, 1700000000,
		 &verifier) == SIGNPOST_OK);
	must(signpost_verifier_count(verifier) == 1);
	if (signpost_verifier_key_name(verifier, 0) != NULL)
		signpost_verifier_give_key(verifier, 0, SIGNPOST_KEY_FOUND,
		    SIGNPOST_DNSSEC_UNKNOWN, keys);
	must(signpost_verifier_body(verifier, "a \r\n\r\n", 6) == SIGNPOST_OK);
	must(signpost_verifier_end_body(verifier) == SIGNPOST_OK);
	if (signpost_verifier_needs_check(verifier, 0))
		signpost_verifier_check(verifier, 0);
	verdict = signpost_verifier_verdict(verifier, 0);
	must(verdict->result != SIGNPOST_NONE &&
	    verdict->result != SIGNPOST_PASS);
	must(verdict->b_len <= SIGNATURE_B_SHOWN);
	must(signpost_verifier_changed_fields(verifier, 0, &changed) ==
	    SIGNPOST_OK);
	must(strlen(changed) <= 16 * 65);
	signpost_string_free(changed);
	signpost_verifier_free(verifier);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct signpost_text records[] = {
		{ RSA_RECORD, sizeof RSA_RECORD - 1 },
		{ ED25519_RECORD, sizeof ED25519_RECORD - 1 },
	};
	static struct signpost *handle;
	static struct signpost_key_set *keys;
	const char *value = (const char *)data;
	struct signpost_headers *headers;

	if (handle == NULL) {
		must(signpost_new(&handle) == SIGNPOST_OK);
		must(signpost_key_set_parse(handle, records, 2, &keys) ==
		    SIGNPOST_OK);
	}
	check_blanked(bytes_of(value, size));
	must(signpost_headers_new(1 << 20, &headers) == SIGNPOST_OK);
	must(signpost_headers_add(headers, "DKIM-Signature", 14, value, size) ==
	    SIGNPOST_OK);
	must(signpost_headers_add(headers, "From", 4, " a@b.test", 9) ==
	    SIGNPOST_OK);
	compare_copies(bytes_of(value, size), headers);
	verify(handle, keys, headers);
	signpost_headers_free(headers);
	return 0;
}
