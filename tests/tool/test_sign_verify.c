/* SPDX-License-Identifier: BSD-2-Clause */
/* What "signpost sign" signs, "signpost verify" verifies, and what comes out
 * is what went in behind the new fields. */
#include <arpa/inet.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EMPTY	     bytes_str("")
#define KEYS \
	"-d example.com -s r -k example.com/r.pem -s e -k example.com/e.pem"

static void
append_record(FILE *zone, const char *line)
{
	struct command_run run;

	command_line(line, EMPTY, &run);
	assert_int_equal(run.code, EX_OK);
	fwrite(run.out.data, 1, run.out.len, zone);
	command_run_fini(&run);
}

static int
set_up(void **state)
{
	FILE *zone;

	command_enter_folder(state);
	zone = fopen("zone", "w");
	assert_non_null(zone);
	append_record(zone, "keygen -d example.com -s r -b 1024 -o .");
	append_record(zone, "keygen -d example.com -s e -t ed25519 -o .");
	fputs("revoked._domainkey.example.com. TXT \"v=DKIM1; p=\"\n", zone);
	assert_int_equal(fclose(zone), 0);
	return 0;
}

struct message {
	const char *name, *data;
	size_t len;
	const char *line_end; /* of the new fields */
};

#define ROW(name, data, line_end)                      \
	{                                              \
		name, data, sizeof(data) - 1, line_end \
	}
#define FROM "From: Joe <joe@example.com>"

static const struct message messages[] = {
	ROW("CRLF", FROM "\r\nSubject: a\r\n\tb\r\n\r\nHello\r\n", "\r\n"),
	ROW("LF", FROM "\nSubject: a\n\tb\n\nHello\n \n\tx  y \n\n\n", "\n"),
	ROW("mixed, LF first", FROM "\nTo: a\r\n\r\nx\ny\r\nz", "\n"),
	ROW("mixed, CRLF first", FROM "\r\nTo: a\n\nx\ny\r\nz\r", "\r\n"),
	ROW("no line end at the end", FROM "\n\nHello", "\n"),
	ROW("empty body", FROM "\n\n", "\n"),
	ROW("body of empty lines", FROM "\n\n\n\n\n", "\n"),
	ROW("body of a space", FROM "\n\n ", "\n"),
	ROW("header only", FROM "\n", "\n"),
	ROW("header only, CRLF", FROM "\r\n", "\r\n"),
	ROW("header only, no line end", FROM, "\r\n"),
	ROW("NUL", FROM "\nSubject: a\0b\n\n\0\n\0\0x\n", "\n"),
	ROW("8-bit", FROM "\nSubject: \xc3\xbc\xff\n\n\xc3\xbc\xff\x80\n",
	    "\n"),
	ROW("dots", FROM "\n\n.\n..\n.x\n", "\n"),
	ROW("lone CR", FROM "\nSubject: a\rb\n\na\rb\r\r\n", "\n"),
	ROW("odd spacing", "from :joe@example.com\nX:\nSubject:\t a  \n\nx",
	    "\n"),
	ROW("folded to nothing", FROM "\nSubject:\n \nX: y\n \n z\n\nx\n",
	    "\n"),
	ROW("signed before", "DKIM-Signature: v=1\n" FROM "\n\nx\n", "\n"),
};

/* The number of signatures in the JSON text, all of which must have RESULT. */
static size_t
count_results(const struct command_run *run, const char *result)
{
	json_error_t error;
	json_t *object = json_loads(run->out.data, 0, &error);
	json_t *list = json_object_get(object, "signatures");
	size_t count = json_array_size(list);

	assert_non_null(object);
	assert_true(json_is_array(list));
	for (size_t i = 0; i < count; i++)
		assert_string_equal(json_string_value(json_object_get(
					json_array_get(list, i), "result")),
		    result);
	json_decref(object);
	return count;
}

static void
check_added_fields(const struct command_run *run, const struct message *message)
{
	const char *fields = run->out.data, *lf;
	size_t len = run->out.len - message->len;
	size_t line_end = strlen(message->line_end);

	assert_true(run->out.len > message->len);
	assert_memory_equal(fields + len, message->data, message->len);
	assert_memory_equal(fields, "DKIM-Signature: ", 16);
	for (const char *at = fields; at < fields + len; at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(fields + len - at));
		assert_non_null(lf);
		assert_memory_equal(
		    lf + 1 - line_end, message->line_end, line_end);
		assert_true(line_end == 2 || lf[-1] != '\r');
	}
}

static void
sign_and_verify(const struct message *message, const char *canon, bool pipe)
{
	struct bytes input = bytes_of(message->data, message->len);
	struct command_run sign, verify;
	char line[256];
	bool before = strcmp(message->name, "signed before") == 0;

	command_write_file("message", message->data, message->len);
	snprintf(line, sizeof(line), "sign " KEYS " --canon %s %s", canon,
	    pipe ? "" : "message");
	command_line(line, pipe ? input : EMPTY, &sign);
	assert_int_equal(sign.code, EX_OK);
	assert_int_equal(sign.err.len, 0);
	check_added_fields(&sign, message);

	command_write_file("signed", sign.out.data, sign.out.len);
	command_line(pipe ? "verify --json --keys zone -"
			  : "verify --json --keys zone signed",
	    pipe ? buf_bytes(&sign.out) : EMPTY, &verify);
	assert_int_equal(verify.code, EX_OK);
	if (!before)
		assert_int_equal(count_results(&verify, "pass"), 2);
	command_run_fini(&sign);
	command_run_fini(&verify);
}

static void
what_is_signed_verifies(void **state)
{
	static const char *const canons[] = { "simple/simple", "simple/relaxed",
		"relaxed/simple", "relaxed/relaxed" };

	(void)state;
	for (size_t i = 0; i < COUNT(messages); i++) {
		print_message("  %s\n", messages[i].name);
		for (size_t c = 0; c < COUNT(canons); c++)
			sign_and_verify(&messages[i], canons[c], c % 2 == 0);
		sign_and_verify(&messages[i], canons[0], false);
	}
}

static void
a_line_of_a_megabyte_verifies(void **state)
{
	enum {
		LEN = 1 << 20
	};
	struct message message = { "long lines", NULL, 2 * LEN, "\n" };
	char *data = malloc(2 * LEN);

	(void)state;
	assert_non_null(data);
	memset(data, 'x', 2 * LEN);
	memcpy(data, FROM "\nX: ", sizeof(FROM "\nX: ") - 1);
	memcpy(data + LEN, "\n\n", 2);
	memset(data + LEN + 1000, ' ', LEN / 2);
	message.data = data;
	sign_and_verify(&message, "simple/simple", false);
	sign_and_verify(&message, "relaxed/relaxed", true);
	free(data);
}

/* A file as a mailbox has it: the signature goes behind its first line. */
static void
the_from_line_of_a_mailbox_stays_first(void **state)
{
	static const char text[] = "From joe Mon\n" FROM "\n\nx\n";
	struct command_run sign, verify;

	(void)state;
	command_line("sign " KEYS, bytes_of(text, sizeof(text) - 1), &sign);
	assert_int_equal(sign.code, EX_OK);
	assert_memory_equal(sign.out.data, "From joe Mon\nDKIM-Sig", 21);
	command_line("verify --keys zone", buf_bytes(&sign.out), &verify);
	assert_int_equal(verify.code, EX_OK);
	command_run_fini(&sign);
	command_run_fini(&verify);
}

static void
changes_are_noticed(void **state)
{
	static const struct {
		const char *name, *from, *to, *reason;
		const char *changed; /* the start of the array */
	} rows[] = {
		{ "body", "Hello", "Hallo", "body_hash", "]" },
		{ "signed field", "Subject: a", "Subject: b", "signature",
		    "\n        \"Subject\"\n      ]" },
		{ "another From", "\nSubject", "\nFrom: x@y.test\nSubject",
		    "signature", "\n        \"From\"\n      ]" },
		{ "another Subject", "\nSubject", "\nSubject: z\nSubject",
		    "signature", "\n        \"Subject\"\n      ]" },
		{ "signature", "t=17", "t=18", "signature", "]" },
	};
	static const char key[] = "\"changed_fields\": [";
	static const char text[] = FROM "\nSubject: a\nDate: now\n\nHello\n";

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct command_run sign, verify;
		struct buf changed;
		char *place;

		print_message("  %s\n", rows[i].name);
		command_line("sign " KEYS " --diagnostics --now 1700000000",
		    bytes_str(text), &sign);
		assert_int_equal(sign.code, EX_OK);
		buf_init(&changed, SIZE_MAX);
		for (char *at = sign.out.data;; at = place) {
			place = strstr(at, rows[i].from);
			if (place == NULL) {
				buf_append_str(&changed, at);
				break;
			}
			buf_append(&changed, at, (size_t)(place - at));
			buf_append_str(&changed, rows[i].to);
			place += strlen(rows[i].from);
		}
		command_line("verify --json --keys zone --now 1800000000",
		    buf_bytes(&changed), &verify);
		assert_int_equal(verify.code, 1);
		assert_int_equal(count_results(&verify, "fail"), 2);
		assert_non_null(strstr(verify.out.data, rows[i].reason));
		place = strstr(verify.out.data, key);
		assert_non_null(place);
		assert_int_equal(strncmp(place + strlen(key), rows[i].changed,
				     strlen(rows[i].changed)),
		    0);
		buf_fini(&changed);
		command_run_fini(&sign);
		command_run_fini(&verify);
	}
}

/* Options that decide what a signature comes to. */
static void
options_decide(void **state)
{
	static const struct {
		const char *name, *sign, *verify;
		int code;
		const char *json; /* part of it */
	} rows[] = {
		{ "server failure", KEYS,
		    "--servfail r._domainkey.example.com --servfail "
		    "E._domainkey.EXAMPLE.com.",
		    EX_TEMPFAIL, "\"dns_failed\"" },
		{ "one server failure", KEYS,
		    "--servfail r._domainkey.example.com", EX_OK,
		    "\"temperror\"" },
		{ "no key", "-d example.com -s none -k example.com/e.pem", "",
		    1, "\"no_key\"" },
		{ "revoked", "-d example.com -s revoked -k example.com/e.pem",
		    "", 1, "\"key_revoked\"" },
		{ "expired", KEYS " --expire 1h --now 1700000000",
		    "--now 1700003601", 1, "\"expired\"" },
		{ "not expired", KEYS " --expire 1h --now 1700000000",
		    "--now 1700003600", EX_OK, "\"pass\"" },
		{ "from the future", KEYS " --now 1700000301",
		    "--now 1700000000", 1, "\"future\"" },
		{ "small key", "-d example.com -s r -k example.com/r.pem",
		    "--min-rsa-bits 2048", 1, "\"key_small\"" },
		{ "too many", KEYS, "--max-signatures 1", EX_OK,
		    "\"too_many\"" },
		{ "identity", KEYS " --identity joe@sub.example.com", "", EX_OK,
		    "\"identity\": \"joe@sub.example.com\"" },
		{ "authserv-id", KEYS, "--authserv-id mx.example.org", EX_OK,
		    "\"authserv_id\": \"mx.example.org\"" },
		{ "From", KEYS, "", EX_OK, "\"from_domain\": \"example.com\"" },
		{ "U-label", "-d b\u00fccher.test -s r -k example.com/r.pem",
		    "", 1, "\"domain\": \"xn--bcher-kva.test\"" },
	};
	static const char text[] = FROM "\nSubject: a\n\nHello\n";

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct command_run sign, verify;
		char line[512];

		print_message("  %s\n", rows[i].name);
		snprintf(line, sizeof(line), "sign %s", rows[i].sign);
		command_line(line, bytes_str(text), &sign);
		assert_int_equal(sign.code, EX_OK);
		snprintf(line, sizeof(line), "verify --json --keys zone %s",
		    rows[i].verify);
		command_line(line, buf_bytes(&sign.out), &verify);
		assert_int_equal(verify.code, rows[i].code);
		if (strstr(verify.out.data, rows[i].json) == NULL)
			fail_msg("it says: %s", verify.out.data);
		command_run_fini(&sign);
		command_run_fini(&verify);
	}
}

/* A server that never answers: the result is for now, and comes in time. */
static void
a_silent_server_is_waited_for_no_longer_than_said(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int silent = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct timespec begin, end;
	struct command_run sign, verify;
	char line[128];

	(void)state;
	assert_true(silent >= 0);
	assert_int_equal(bind(silent, (void *)&address, len), 0);
	assert_int_equal(getsockname(silent, (void *)&address, &len), 0);
	command_line("sign " KEYS, bytes_str(FROM "\n\nHello\n"), &sign);
	snprintf(line, sizeof(line),
	    "verify --json --dns 127.0.0.1@%d --timeout 1s",
	    ntohs(address.sin_port));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	command_line(line, buf_bytes(&sign.out), &verify);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_int_equal(verify.code, EX_TEMPFAIL);
	assert_int_equal(count_results(&verify, "temperror"), 2);
	assert_true(end.tv_sec - begin.tv_sec <= 5);
	close(silent);
	command_run_fini(&sign);
	command_run_fini(&verify);
}

/* h= is what --headers and --oversign say: a name once for each field there,
 * and once more. */
static void
the_signed_fields_can_be_named(void **state)
{
	static const char text[] =
	    "From: joe@example.com\nTo: a\nTo: b\nX: y\n\nHello\n";
	struct command_run run;

	(void)state;
	command_line("sign -d example.com -s e -k example.com/e.pem "
		     "--headers from:to:date --oversign to --canon simple",
	    bytes_str(text), &run);
	assert_int_equal(run.code, EX_OK);
	assert_non_null(strstr(run.out.data, "c=simple/simple"));
	assert_non_null(strstr(run.out.data, "h=From:To:To:to;"));
	command_run_fini(&run);
}

static void
json_is_as_the_manual_shows_it(void **state)
{
	static const char message[] =
	    "DKIM-Signature: v=1; a=rsa-sha256; d=ex\xff\"ample.com; s=s1;\n"
	    "\th=from; bh=YQ==; b=YWFhYWFhYWE=\n" FROM "\n\nx\n";
	struct command_run run;

	(void)state;
	command_line("verify --json --keys zone --authserv-id mx.example.org",
	    bytes_str(message), &run);
	assert_int_equal(run.code, 1);
	assert_string_equal(run.out.data,
	    "{\n"
	    "  \"authserv_id\": \"mx.example.org\",\n"
	    "  \"from_domain\": \"example.com\",\n"
	    "  \"signatures\": [\n"
	    "    {\n"
	    "      \"result\": \"neutral\",\n"
	    "      \"reason\": \"domain\",\n"
	    "      \"domain\": \"ex\ufffd\\\"ample.com\",\n"
	    "      \"selector\": \"s1\",\n"
	    "      \"identity\": \"@ex\ufffd\\\"ample.com\",\n"
	    "      \"algorithm\": \"rsa-sha256\",\n"
	    "      \"key_bits\": 0,\n"
	    "      \"b\": \"YWFhYWFh\",\n"
	    "      \"testing\": false,\n"
	    "      \"dnssec\": \"unknown\",\n"
	    "      \"unsigned_body_bytes\": 0,\n"
	    "      \"changed_fields\": []\n"
	    "    }\n"
	    "  ]\n"
	    "}\n");
	command_run_fini(&run);
}

static void
what_can_not_be_signed_is_said(void **state)
{
	static const struct {
		const char *options, *message, *says;
	} rows[] = {
		{ "", "To: a@b.test\n\nx\n", "no From field" },
		{ "--identity joe@b.test", FROM "\n\nx\n",
		    "i=joe@b.test: it is not within d=example.com" },
		{ "--identity joe@notexample.com", FROM "\n\nx\n",
		    "it is not within d=example.com" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct command_run run;
		char line[256];

		snprintf(
		    line, sizeof(line), "sign " KEYS " %s", rows[i].options);
		command_line(line, bytes_str(rows[i].message), &run);
		assert_int_equal(run.code, EX_DATAERR);
		assert_int_equal(run.out.len, 0);
		assert_non_null(strstr(run.err.data, rows[i].says));
		command_run_fini(&run);
	}
}

static void
no_signature_is_none(void **state)
{
	struct command_run run;

	(void)state;
	command_line("verify --keys zone --authserv-id mx.example.org",
	    bytes_str(FROM "\n\nx\n"), &run);
	assert_int_equal(run.code, 1);
	assert_string_equal(run.out.data,
	    "Authentication-Results: mx.example.org;\n\tdkim=none\n");
	command_run_fini(&run);
	command_line("verify --keys zone --json --authserv-id a",
	    bytes_str("From: a@b.test, c@d.test\nFrom: x@y.test\n\nx\n"), &run);
	assert_int_equal(run.code, 1);
	assert_string_equal(run.out.data,
	    "{\n"
	    "  \"authserv_id\": \"a\",\n"
	    "  \"from_domain\": \"\",\n"
	    "  \"signatures\": []\n"
	    "}\n");
	command_run_fini(&run);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_signed_verifies),
		cmocka_unit_test(a_line_of_a_megabyte_verifies),
		cmocka_unit_test(the_from_line_of_a_mailbox_stays_first),
		cmocka_unit_test(changes_are_noticed),
		cmocka_unit_test(options_decide),
		cmocka_unit_test(
		    a_silent_server_is_waited_for_no_longer_than_said),
		cmocka_unit_test(the_signed_fields_can_be_named),
		cmocka_unit_test(json_is_as_the_manual_shows_it),
		cmocka_unit_test(what_can_not_be_signed_is_said),
		cmocka_unit_test(no_signature_is_none),
	};

	return cmocka_run_group_tests(tests, set_up, command_leave_folder);
}
