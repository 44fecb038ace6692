/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that ask the configuration: which keys sign, where new ones go, and
 * which records are to be published. */
#include <limits.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EMPTY	     bytes_str("")

static void
run_ok(const char *line, FILE *out)
{
	struct command_run run;

	command_line(line, EMPTY, &run);
	if (run.code != EX_OK)
		fail_msg("%s: %s", line, run.err.data);
	fwrite(run.out.data, 1, run.out.len, out);
	command_run_fini(&run);
}

static int
set_up(void **state)
{
	const struct passwd *user = getpwuid(geteuid());
	char here[PATH_MAX];
	FILE *file;

	command_enter_folder(state);
	assert_non_null(user);
	assert_non_null(getcwd(here, sizeof(here)));
	file = fopen("conf", "w");
	assert_non_null(file);
	fprintf(file,
	    "user = \"%s\";\n"
	    "key_directory = \"%s/keys\";\n"
	    "domains = (\n"
	    "  { name = \"example.org\";\n"
	    "    keys = ( { selector = \"o\";\n"
	    "      file = \"%s/keys/example.com/e.pem\"; } );\n"
	    "    canonicalization = \"simple/simple\"; expire = \"1d\"; },\n"
	    "  { name = \".example.org\"; domain = \"example.org\";\n"
	    "    keys = ( { selector = \"o\";\n"
	    "      file = \"%s/keys/example.com/e.pem\"; } ); },\n"
	    "  { name = \"bare.test\"; keys = ( { selector = \"x\";\n"
	    "      file = \"%s/keys/none.pem\"; } ); } );\n",
	    user->pw_name, here, here, here, here);
	assert_int_equal(fclose(file), 0);
	file = fopen("zone", "w");
	assert_non_null(file);
	run_ok("keygen -c conf -d example.com -s r -b 1024", file);
	run_ok("keygen -c conf -d example.com -s e -t ed25519", file);
	assert_int_equal(fclose(file), 0);
	return 0;
}

static void
new_keys_go_to_the_key_directory(void **state)
{
	(void)state;
	assert_int_equal(access("keys/example.com/r.pem", R_OK), 0);
	assert_int_equal(access("keys/example.com/e.pem", R_OK), 0);
}

static void
the_domain_in_from_decides(void **state)
{
	static const struct {
		const char *name, *from, *options;
		int code;
		const char *says; /* part of the message, or of the complaint */
	} rows[] = {
		{ "folder", "From: a@example.com\n", "", EX_OK,
		    "d=example.com" },
		{ "folder, other case", "From: A <a@EXAMPLE.com>\n", "", EX_OK,
		    "d=example.com" },
		{ "entry", "From: a@example.org\n", "", EX_OK,
		    "d=example.org; s=o;" },
		{ "entry's settings", "From: a@example.org\n", "", EX_OK,
		    "c=simple/simple;" },
		{ "entry's expiry", "From: a@example.org\n", "--now 1700000000",
		    EX_OK, "x=1700086400;" },
		{ "the command line wins", "From: a@example.org\n",
		    "--canon relaxed/simple", EX_OK, "c=relaxed/simple;" },
		{ "parent's entry", "From: a@b.example.org\n", "", EX_OK,
		    "d=example.org;" },
		{ "first of several", "From: a@example.org, b@example.com\n",
		    "", EX_OK, "d=example.org;" },
		{ "no entry", "From: a@b.test\n", "", EX_CONFIG,
		    "not to be signed: " },
		{ "parent's folder is not enough", "From: a@b.example.com\n",
		    "", EX_CONFIG, "not to be signed: " },
		{ "key that is not there", "From: a@bare.test\n", "", EX_CONFIG,
		    "bare.test: no usable key: " },
		{ "two From fields",
		    "From: a@example.com\nFrom: b@example.com\n", "",
		    EX_DATAERR, "not to be signed: " },
		{ "no From", "To: a@example.com\n", "", EX_DATAERR,
		    "not to be signed: " },
		{ "broken From", "From: a@\n", "", EX_DATAERR,
		    "not to be signed: " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct command_run run;
		char line[256], message[256];

		print_message("  %s\n", rows[i].name);
		snprintf(
		    line, sizeof(line), "sign -c conf %s", rows[i].options);
		snprintf(message, sizeof(message), "%s\nHello\n", rows[i].from);
		command_line(line, bytes_str(message), &run);
		if (strstr(run.out.data, rows[i].says) == NULL &&
		    strstr(run.err.data, rows[i].says) == NULL)
			fail_msg("it says: %s%s", run.out.data, run.err.data);
		assert_int_equal(run.code, rows[i].code);
		command_run_fini(&run);
	}
}

/* A folder with keys of both kinds: one signature of each. */
static void
one_key_of_each_algorithm_signs(void **state)
{
	struct command_run sign, verify;

	(void)state;
	command_line(
	    "sign -c conf", bytes_str("From: a@example.com\n\nx\n"), &sign);
	assert_int_equal(sign.code, EX_OK);
	command_line("verify --keys zone", buf_bytes(&sign.out), &verify);
	assert_int_equal(verify.code, EX_OK);
	assert_non_null(strstr(verify.out.data, "header.a=rsa-sha256"));
	assert_non_null(strstr(verify.out.data, "header.a=ed25519-sha256"));
	assert_null(strstr(verify.out.data, "reason="));
	command_run_fini(&sign);
	command_run_fini(&verify);
}

static size_t
count_lines(const char *text, const char *with)
{
	size_t count = 0;

	for (text = strstr(text, with); text != NULL;
	     text = strstr(text + 1, with))
		count++;
	return count;
}

static void
all_records_are_printed_once(void **state)
{
	struct command_run run;

	(void)state;
	command_line("dns -c conf -d example.com", EMPTY, &run);
	assert_int_equal(run.code, EX_OK);
	assert_int_equal(count_lines(run.out.data, " IN TXT "), 2);
	command_run_fini(&run);
	command_line("dns -c conf -s o", EMPTY, &run);
	assert_int_equal(run.code, EX_OK);
	assert_int_equal(count_lines(run.out.data, " IN TXT "), 1);
	assert_memory_equal(
	    run.out.data, "o._domainkey.example.org. IN TXT (", 34);
	command_run_fini(&run);
	/* One that is missing does not keep the others back. */
	command_line("dns -c conf", EMPTY, &run);
	assert_int_equal(run.code, EX_NOINPUT);
	assert_non_null(strstr(run.err.data, "keys/none.pem: "));
	assert_int_equal(count_lines(run.out.data, " IN TXT "), 3);
	command_run_fini(&run);
	command_line("dns -c conf -d nobody.test", EMPTY, &run);
	assert_int_equal(run.code, EX_NOINPUT);
	command_run_fini(&run);
}

static void
all_problems_of_a_configuration_are_printed(void **state)
{
	static const char text[] = "user = 3;\nfrobnicate = 1;\n";
	static const char *const lines[] = { "sign -c bad", "dns -c bad",
		"keygen -c bad -d a.test -s s -t ed25519 -o ." };

	(void)state;
	command_write_file("bad", text, sizeof(text) - 1);
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct command_run run;

		command_line(
		    lines[i], bytes_str("From: a@example.com\n\nx\n"), &run);
		assert_int_equal(run.code, EX_CONFIG);
		assert_non_null(strstr(run.err.data, "signpost: bad:1: user"));
		assert_non_null(
		    strstr(run.err.data, "signpost: bad:2: frobnicate"));
		command_run_fini(&run);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_keys_go_to_the_key_directory),
		cmocka_unit_test(the_domain_in_from_decides),
		cmocka_unit_test(one_key_of_each_algorithm_signs),
		cmocka_unit_test(all_records_are_printed_once),
		cmocka_unit_test(all_problems_of_a_configuration_are_printed),
	};

	return cmocka_run_group_tests(tests, set_up, command_leave_folder);
}
