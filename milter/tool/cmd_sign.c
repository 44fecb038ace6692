/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost sign - message in, signed message out. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "mailfile.h"
#include "sign_configured.h"

struct settings {
	struct sign_settings sign;
	int64_t now;
};

#define AT(member) offsetof(struct settings, member)

#define MAX_EXPIRE_S (INT64_C(10) * 366 * 86400)
/* RFC 6376 section 3.5: t= has 12 digits at most. */
#define MAX_NOW INT64_C(999999999999)

static const struct option_row rows[] = {
	{ 'c', "config", "FILE", "the configuration", option_string,
	    AT(sign.config_file), 0, 0 },
	{ 'd', NULL, "DOMAIN", "signing domain, d=", sign_take_domain,
	    AT(sign.domain), 0, 0 },
	{ 's', NULL, "SELECTOR", "selector, s=", sign_take_domain,
	    AT(sign.selector), 0, 0 },
	{ 'k', NULL, "KEY.pem", "sign with this key for the last -d and -s",
	    sign_take_key, AT(sign), 0, 0 },
	{ 0, "canon", "HEADER/BODY", "relaxed or simple, each (c=)",
	    sign_take_canon, AT(sign), 0, 0 },
	{ 0, "headers", "A:B", "fields to sign where present", sign_take_names,
	    AT(sign.headers), 0, 0 },
	{ 0, "oversign", "A:B", "fields that nobody may add", sign_take_names,
	    AT(sign.oversign), 0, 0 },
	{ 0, "expire", "TIME", "expire so long after signing (x=); 0: never",
	    sign_take_expire, AT(sign), 0, MAX_EXPIRE_S },
	{ 0, "identity", "I", "agent or user, i=", option_string,
	    AT(sign.identity), 0, 0 },
	{ 0, "diagnostics", NULL, "copy the signed fields (z=)", option_flag,
	    AT(sign.diagnostics), 0, 0 },
	{ 0, "now", "SECONDS", "the time, since 1970 UTC", option_time, AT(now),
	    0, MAX_NOW },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "sign",
	.synopsis = "[-d DOMAIN -s SELECTOR -k KEY.pem]... [OPTION ...] [FILE]",
	.summary = "Signs the message in FILE or on standard input and writes "
		   "it to standard output.\nWithout -d, -s and -k the "
		   "configuration decides by the domain in From.",
	.rows = rows,
	.max_operands = 1,
};

/* One message on its way through. */
struct work {
	struct signpost *handle;
	struct mailfile *mail;
	struct signpost_headers *headers;
	struct signpost_signer *signer;
};

static void
work_fini(struct work *work)
{
	signpost_signer_free(work->signer);
	signpost_headers_free(work->headers);
	mailfile_close(work->mail);
	signpost_free(work->handle);
}

static int
add_signatures(struct work *work, const struct sign_settings *settings)
{
	struct sign_message message = { work->mail->name, work->headers,
		work->signer };

	return settings->key_count > 0
	    ? sign_keys_add_named(work->handle, settings, &message)
	    : sign_configured_add(work->handle, settings, &message);
}

static int
push_body(struct work *work)
{
	enum signpost_status status = SIGNPOST_OK;
	struct bytes piece;
	bool more;
	int code;

	while ((code = mailfile_body(work->mail, &piece, &more)) == 0 && more &&
	    status == SIGNPOST_OK)
		status =
		    signpost_signer_body(work->signer, piece.data, piece.len);
	if (code == 0 && status == SIGNPOST_OK)
		status = signpost_signer_end_body(work->signer);
	for (size_t i = 0; i < signpost_signer_count(work->signer); i++)
		if (code == 0 && status == SIGNPOST_OK)
			status = signpost_signer_sign(work->signer, i);
	return code != 0 || status == SIGNPOST_OK
	    ? code
	    : complain_status(work->mail->name, status);
}

/* Line ends of the field are CRLF; those of the message may be others. */
static void
print_field(const struct work *work, size_t i)
{
	const char *name, *value, *end;

	signpost_signer_field(work->signer, i, &name, &value);
	printf("%s:", name);
	while ((end = strstr(value, "\r\n")) != NULL) {
		fwrite(value, 1, (size_t)(end - value), stdout);
		fputs(work->mail->line_end, stdout);
		value = end + 2;
	}
	printf("%s%s", value, work->mail->line_end);
}

static int
sign(struct work *work, const struct settings *settings, const char *path)
{
	enum signpost_status status = signpost_new(&work->handle);
	int code;

	if (status == SIGNPOST_OK)
		status = signpost_headers_new(
		    MAILFILE_MAX_HEADER_BYTES, &work->headers);
	if (status != SIGNPOST_OK)
		return complain_status("sign", status);
	code = mailfile_open(path, true, &work->mail);
	if (code == 0)
		code = mailfile_header(work->mail, work->headers);
	if (code != 0)
		return code;
	status = signpost_signer_new(
	    work->handle, work->headers, settings->now, &work->signer);
	if (status != SIGNPOST_OK)
		return complain_status(work->mail->name, status);
	code = add_signatures(work, &settings->sign);
	if (code == 0)
		code = push_body(work);
	if (code == 0)
		code = mailfile_copy_mbox_line(work->mail, stdout);
	if (code != 0)
		return code;
	for (size_t i = 0; i < signpost_signer_count(work->signer); i++)
		print_field(work, i);
	return mailfile_copy(work->mail, stdout);
}

int
cmd_sign(int argc, char **argv)
{
	struct settings settings = { .now = time(NULL) };
	struct work work = { 0 };
	int operands, code;

	operands = options_read(&usage, argc, argv, &settings, &code);
	if (operands == 0)
		return code;
	if (!sign_settings_finish(&settings.sign))
		return EX_USAGE;
	code = sign(&work, &settings, argv[operands]);
	work_fini(&work);
	return code;
}
