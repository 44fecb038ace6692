/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost verify - what a receiver makes of a message's signatures. */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "address.h"
#include "authres.h"
#include "command.h"
#include "headers.h"
#include "json_text.h"
#include "lookup.h"
#include "mailfile.h"

struct settings {
	struct lookup_settings lookup;
	struct signpost_verify_options options;
	const char *authserv_id;
	int64_t now;
	bool json;
};

#define AT(member) offsetof(struct settings, member)

static const struct option_row rows[] = {
	{ 0, "keys", "FILE", "find keys in this zone file, not in DNS",
	    option_string, AT(lookup.zone_file), 0, 0 },
	{ 0, "servfail", "NAME", "let this look-up fail (repeatable)",
	    option_list, AT(lookup.servfail), 0, 0 },
	{ 0, "dns", "SERVER", "ask ADDRESS or ADDRESS@PORT (repeatable)",
	    option_list, AT(lookup.servers), 0, 0 },
	{ 0, "timeout", "TIME", "wait so long for DNS (5s)", option_duration,
	    AT(lookup.timeout_s), 1, 3600 },
	{ 0, "now", "SECONDS", "the time, since 1970 UTC", option_time, AT(now),
	    0, INT64_MAX },
	{ 0, "allow-sha1", NULL, "accept rsa-sha1", option_flag,
	    AT(options.allow_sha1), 0, 0 },
	{ 0, "min-rsa-bits", "N", "smallest RSA key that passes (1024)",
	    option_unsigned, AT(options.min_rsa_bits), 512,
	    SIGNPOST_MAX_RSA_BITS },
	{ 0, "max-rsa-bits", "N", "largest RSA key that passes (8192)",
	    option_unsigned, AT(options.max_rsa_bits), 512,
	    SIGNPOST_MAX_RSA_BITS },
	{ 0, "max-signatures", "N", "signatures that are looked at (10)",
	    option_unsigned, AT(options.max_signatures), 1, 1000 },
	{ 0, "authserv-id", "ID", "whose result this is (this host)",
	    option_string, AT(authserv_id), 0, 0 },
	{ 0, "json", NULL, "print JSON", option_flag, AT(json), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "verify",
	.synopsis = "[--keys FILE] [--json] [OPTION ...] [FILE]",
	.summary = "Verifies the message in FILE or on standard input. Exits "
		   "with 0 where a signature\npasses, 1 where none does, 75 "
		   "where none does and a look-up failed for now.",
	.rows = rows,
	.max_operands = 1,
};

/* One message on its way through. */
struct work {
	const struct settings *settings;
	struct signpost *handle;
	struct lookup *lookup;
	struct mailfile *mail;
	struct signpost_headers *headers;
	struct signpost_verifier *verifier;
};

static void
work_fini(struct work *work)
{
	signpost_verifier_free(work->verifier);
	signpost_headers_free(work->headers);
	mailfile_close(work->mail);
	lookup_free(work->lookup);
	signpost_free(work->handle);
}

/* All of the body is read, wanted or not: who writes to us through a pipe is
 * not to die of it. */
static int
push_body(struct work *work)
{
	enum signpost_status status = SIGNPOST_OK;
	struct bytes piece;
	bool more;
	int code;

	while ((code = mailfile_body(work->mail, &piece, &more)) == 0 && more &&
	    status == SIGNPOST_OK)
		if (signpost_verifier_wants_body(work->verifier))
			status = signpost_verifier_body(
			    work->verifier, piece.data, piece.len);
	if (code == 0 && status == SIGNPOST_OK)
		status = signpost_verifier_end_body(work->verifier);
	return code != 0 || status == SIGNPOST_OK
	    ? code
	    : complain_status(work->mail->name, status);
}

static int
verify(struct work *work, const char *path)
{
	enum signpost_status status = signpost_new(&work->handle);
	int code;

	if (status == SIGNPOST_OK)
		status = signpost_headers_new(
		    MAILFILE_MAX_HEADER_BYTES, &work->headers);
	if (status != SIGNPOST_OK)
		return complain_status("verify", status);
	code = lookup_new(work->handle, &work->settings->lookup, &work->lookup);
	if (code == 0)
		code = mailfile_open(path, false, &work->mail);
	if (code == 0)
		code = mailfile_header(work->mail, work->headers);
	if (code != 0)
		return code;
	status = signpost_verifier_new(work->handle, work->headers,
	    &work->settings->options, work->settings->now, &work->verifier);
	if (status != SIGNPOST_OK)
		return complain_status(work->mail->name, status);
	code = lookup_keys(work->lookup, work->verifier);
	if (code == 0)
		code = push_body(work);
	for (size_t i = 0; i < signpost_verifier_count(work->verifier); i++)
		if (code == 0 &&
		    signpost_verifier_needs_check(work->verifier, i))
			signpost_verifier_check(work->verifier, i);
	return code;
}

/* The domain of the one From field's mailbox, or "". */
static void
from_domain(const struct signpost_headers *headers, char domain_r[DOMAIN_SIZE])
{
	struct bytes from = bytes_str("From");
	struct address address;
	struct buf scratch;
	size_t count, last;

	domain_r[0] = '\0';
	if (headers_occurrences(headers, from) != 1)
		return;
	last = headers_find_last(headers, from, headers_count(headers));
	buf_init(&scratch, SIZE_MAX);
	if (address_from_field(
		headers_get(headers, last).value, &scratch, &address, &count))
		domain_to_ascii(address.domain, domain_r);
	buf_fini(&scratch);
}

static json_t *
identity_json(const struct signpost_verdict *verdict)
{
	struct buf identity;
	json_t *text = NULL;

	buf_init(&identity, SIZE_MAX);
	authres_identity(&identity, verdict);
	if (!identity.failed)
		text = json_text(buf_bytes(&identity));
	buf_fini(&identity);
	return text;
}

/* An array, as json_pack wants it: NULL fails there. */
static json_t *
changed_json(const struct signpost_verifier *verifier, size_t i)
{
	json_t *array = json_array();
	struct bytes rest, name;
	char *names;

	if (signpost_verifier_changed_fields(verifier, i, &names) !=
	    SIGNPOST_OK) {
		json_decref(array);
		return NULL;
	}
	rest = bytes_str(names);
	while (array != NULL && bytes_next(&rest, ':', &name))
		if (name.len > 0 &&
		    json_array_append_new(array, json_text(name)) != 0) {
			json_decref(array);
			array = NULL;
		}
	signpost_string_free(names);
	return array;
}

static json_t *
verdict_json(const struct signpost_verifier *verifier, size_t i)
{
	const struct signpost_verdict *verdict =
	    signpost_verifier_verdict(verifier, i);

	return json_pack("{ss ss so so so so sI so sb ss sI so}", "result",
	    signpost_result_word(verdict->result), "reason",
	    signpost_reason_token(verdict->reason), "domain",
	    json_text(bytes_of(verdict->domain, verdict->domain_len)),
	    "selector",
	    json_text(bytes_of(verdict->selector, verdict->selector_len)),
	    "identity", identity_json(verdict), "algorithm",
	    json_text(
		bytes_of(verdict->algorithm_name, verdict->algorithm_name_len)),
	    "key_bits", (json_int_t)verdict->key_bits, "b",
	    json_text(bytes_of(verdict->b, verdict->b_len)), "testing",
	    verdict->testing, "dnssec", signpost_dnssec_word(verdict->dnssec),
	    "unsigned_body_bytes", (json_int_t)verdict->unsigned_body_bytes,
	    "changed_fields", changed_json(verifier, i));
}

static int
print_json(const struct work *work)
{
	json_t *signatures = json_array(), *object;
	char domain[DOMAIN_SIZE];
	bool ok = signatures != NULL;

	for (size_t i = 0; i < signpost_verifier_count(work->verifier); i++)
		ok = ok &&
		    json_array_append_new(
			signatures, verdict_json(work->verifier, i)) == 0;
	from_domain(work->headers, domain);
	object = json_pack("{so ss so}", "authserv_id",
	    json_text(bytes_str(work->settings->authserv_id)), "from_domain",
	    domain, "signatures", signatures);
	ok = ok && object != NULL &&
	    json_dumpf(object, stdout, JSON_INDENT(2)) == 0;
	json_decref(object);
	putchar('\n');
	/* What else can fail is writing, which main.c notices. */
	return ok || ferror(stdout) ? 0
				    : complain_status("JSON", SIGNPOST_NOMEM);
}

static int
print_field(const struct work *work)
{
	char *value;
	enum signpost_status status = signpost_authres_write(
	    work->settings->authserv_id, work->verifier, &value);

	if (status != SIGNPOST_OK)
		return complain_status("Authentication-Results", status);
	fputs("Authentication-Results:", stdout);
	for (const char *c = value; *c != '\0'; c++)
		if (*c != '\r')
			putchar(*c);
	putchar('\n');
	signpost_string_free(value);
	return 0;
}

static int
answer(const struct signpost_verifier *verifier)
{
	int code = EX_NO;

	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		enum signpost_result result =
		    signpost_verifier_verdict(verifier, i)->result;

		if (result == SIGNPOST_PASS)
			return EX_OK;
		if (result == SIGNPOST_TEMPERROR)
			code = EX_TEMPFAIL;
	}
	return code;
}

int
cmd_verify(int argc, char **argv)
{
	char host[256] = "localhost";
	struct settings settings = {
		.lookup.timeout_s = 5,
		.options = { .min_rsa_bits = 1024,
		    .max_rsa_bits = 8192,
		    .max_signatures = 10,
		    .clock_skew_s = 300 },
		.authserv_id = host,
		.now = time(NULL),
	};
	struct work work = { .settings = &settings };
	int operands, code;

	operands = options_read(&usage, argc, argv, &settings, &code);
	if (operands == 0)
		return code;
	if (settings.lookup.zone_file != NULL &&
	    settings.lookup.servers.count > 0)
		return complain(EX_USAGE, "verify",
		    "--keys and --dns: keys come from one of them");
	gethostname(host, sizeof(host) - 1);
	code = verify(&work, argv[operands]);
	if (code == 0)
		code = settings.json ? print_json(&work) : print_field(&work);
	if (code == 0)
		code = answer(work.verifier);
	work_fini(&work);
	return code;
}
