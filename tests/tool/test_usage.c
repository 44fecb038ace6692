/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of wrong arguments, files and data, and with which exit code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EMPTY	     bytes_str("")

static const char *const commands[] = { "bench", "bench crypto",
	"bench history", "bench mail", "bench milter", "bench stream", "check",
	"dns", "explain", "import", "keygen", "sign", "status", "verify" };

static int
set_up(void **state)
{
	static const char message[] = "From: joe@example.com\n\nhi\n";
	static const char zone[] = "s._domainkey.example.com. TXT \"p=\"\n";

	command_enter_folder(state);
	command_write_file("message", message, sizeof(message) - 1);
	command_write_file("zone", zone, sizeof(zone) - 1);
	command_write_file("bad-zone", "a.test. TXT \"\n", 14);
	command_write_file("empty", "", 0);
	command_write_file("no-header", "\nbody\n", 6);
	command_write_file("no-key", "not a key\n", 10);
	command_write_file("no-from", "To: a@b.test\n\nhi\n", 17);
	return 0;
}

static void
faults_are_named_and_have_their_exit_code(void **state)
{
	static const struct {
		const char *line;
		int code;
		const char *err; /* part of it */
	} rows[] = {
		{ "", EX_USAGE, "usage: signpost" },
		{ "frobnicate", EX_USAGE, "signpost: frobnicate: no such" },
		{ "verify --frobnicate", EX_USAGE, "--frobnicate" },
		{ "verify -x", EX_USAGE, "no option -x" },
		{ "verify --keys", EX_USAGE, "--keys wants FILE" },
		{ "verify --json=1", EX_USAGE, "--json" },
		{ "verify a b", EX_USAGE, "\"b\" is one argument too many" },
		{ "verify --now never", EX_USAGE, "--now \"never\"" },
		{ "verify --now -1", EX_USAGE, "--now \"-1\"" },
		{ "verify --now 1x", EX_USAGE, "--now \"1x\"" },
		{ "verify --now 99999999999999999999", EX_USAGE, "--now" },
		{ "verify --min-rsa-bits 1", EX_USAGE, "from 512 to" },
		{ "verify --max-signatures 0", EX_USAGE, "--max-signatures" },
		{ "verify --timeout 5y", EX_USAGE, "s, m, h or d" },
		{ "verify --timeout 0", EX_USAGE, "out of range" },
		{ "verify --keys zone nowhere", EX_NOINPUT, "nowhere: " },
		{ "verify --keys nowhere message", EX_NOINPUT, "nowhere: " },
		{ "verify --keys zone .", EX_NOINPUT, "signpost: .: " },
		{ "verify --keys zone empty", EX_DATAERR, "no header" },
		{ "verify --keys zone", EX_DATAERR, "standard input" },
		{ "verify --keys zone no-header", EX_DATAERR, "no header" },
		{ "verify --keys bad-zone message", EX_DATAERR,
		    "bad-zone: line 1: " },
		{ "import", EX_USAGE, "whose configuration?" },
		{ "import sendmail", EX_USAGE, "whose configuration?" },
		{ "import opendkim a b", EX_USAGE, "\"b\" is one argument" },
		{ "import opendkim nowhere", EX_NOINPUT, "nowhere: No such" },
		{ "import opendkim .", EX_NOINPUT, ".: is not a file" },
		{ "check x", EX_USAGE, "\"x\" is one argument too many" },
		{ "check -c nowhere", EX_NOINPUT, "nowhere" },
		{ "explain", EX_USAGE, "--from ADDR" },
		{ "explain --from a@example.com x", EX_USAGE, "too many" },
		{ "explain -c nowhere --from a@b.test", EX_NOINPUT, "nowhere" },
		{ "status x", EX_USAGE, "\"x\" is one argument too many" },
		{ "status --socket nowhere", EX_USAGE, "not unix:/PATH" },
		{ "status --socket /nowhere/s", EX_TEMPFAIL,
		    "/nowhere/s: No such file or directory: is signpostd" },
		{ "status -c nowhere", EX_NOINPUT, "nowhere: " },
		{ "verify --dns nowhere message", EX_USAGE, "nowhere" },
		{ "verify --servfail a/b --keys zone message", EX_USAGE,
		    "--servfail \"a/b\"" },
		{ "verify --dns 127.0.0.1 --keys zone message", EX_USAGE,
		    "--keys and --dns" },
		{ "sign -d example.com message", EX_USAGE, "-k KEY.pem" },
		{ "sign -s s message", EX_USAGE, "-k KEY.pem" },
		{ "sign -k no-key message", EX_USAGE, "wants a domain, -d" },
		{ "sign -d a/b -s s -k k message", EX_USAGE,
		    "-d \"a/b\": is no domain" },
		{ "sign -d a.test -s .. -k k message", EX_USAGE,
		    "-s \"..\": is no selector" },
		{ "sign -d a.test -s s -k nowhere message", EX_NOINPUT,
		    "nowhere" },
		{ "sign -d a.test -s s -k no-key message", EX_DATAERR,
		    "no-key: " },
		{ "sign -d a.test -s s -k empty message", EX_DATAERR,
		    "empty: " },
		{ "sign -d a.test -s s -k message empty", EX_DATAERR,
		    "empty: " },
		{ "sign --canon loose -d a -s s -k k", EX_USAGE, "--canon" },
		{ "sign --canon relaxed/ -d a -s s -k k", EX_USAGE, "--canon" },
		{ "sign --headers a::b -d a -s s -k k", EX_USAGE,
		    "--headers: \"\"" },
		{ "sign --oversign a;b -d a -s s -k k", EX_USAGE,
		    "--oversign: \"a;b\"" },
		{ "sign --expire soon -d a -s s -k k", EX_USAGE, "--expire" },
		{ "sign -c nowhere message", EX_NOINPUT, "nowhere" },
		{ "dns -k no-key -s s", EX_DATAERR, "no-key: " },
		{ "dns -k no-key", EX_USAGE, "-s" },
		{ "dns -c nowhere", EX_NOINPUT, "nowhere" },
		{ "keygen", EX_USAGE, "-d, and a selector, -s" },
		{ "keygen -d a.test", EX_USAGE, "-s" },
		{ "keygen -d ../x -s s", EX_USAGE, "no domain" },
		{ "keygen -d a.test -s s -t dsa -o o", EX_USAGE, "rsa or ed" },
		{ "keygen -d a.test -s s -b 512 -o o", EX_USAGE, "1024" },
		{ "keygen -d a.test -s s -t ed25519 -b 2048 -o o", EX_USAGE,
		    "-b is for RSA" },
		{ "keygen -d a.test -s s -c nowhere", EX_NOINPUT, "nowhere" },
		{ "keygen -d a.test -s s -t ed25519 -o a/b", EX_NOINPUT,
		    "a/b/a.test/s.pem: " },
		{ "bench x", EX_USAGE, "x: no such measurement" },
		{ "bench --frob", EX_USAGE, "--frob" },
		{ "bench crypto x", EX_USAGE, "\"x\" is one argument" },
		{ "bench crypto --format xml", EX_USAGE, "text, json or csv" },
		{ "bench crypto --quick --full", EX_USAGE, "exclude" },
		{ "bench crypto --html nowhere/x", EX_NOINPUT, "nowhere/x: " },
		{ "bench mail --sizes x", EX_USAGE, "bytes, or a number with" },
		{ "bench mail --sizes 5,,6", EX_USAGE, "bytes, or a number" },
		{ "bench mail --sizes 6,5", EX_USAGE, "rising" },
		{ "bench mail --sizes 1G", EX_USAGE, "out of range" },
		{ "bench mail --sizes 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,"
		  "17",
		    EX_USAGE, "at most 16" },
		{ "bench stream --bytes 0", EX_USAGE, "out of range" },
		{ "bench stream --bytes 1T", EX_USAGE, "k, M or G" },
		{ "bench stream --piece 1G", EX_USAGE, "out of range" },
		{ "keygen -d a.test -s s x", EX_USAGE, "\"x\" is one" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct command_run run;

		print_message("  signpost %s\n", rows[i].line);
		command_line(rows[i].line, EMPTY, &run);
		if (strstr(run.err.data, rows[i].err) == NULL)
			fail_msg("it says: %s", run.err.data);
		assert_int_equal(run.code, rows[i].code);
		assert_int_equal(run.out.len, 0);
		if (i > 0)
			assert_memory_equal(run.err.data, "signpost: ", 10);
		command_run_fini(&run);
	}
}

static void
help_and_version_are_everywhere(void **state)
{
	static const char *const words[] = { "--help", "-h", "--version",
		"-V" };

	(void)state;
	for (size_t i = 0; i <= COUNT(commands); i++) {
		const char *name = i < COUNT(commands) ? commands[i] : "";

		for (size_t w = 0; w < COUNT(words); w++) {
			struct command_run run;
			char line[64];

			snprintf(line, sizeof(line), "%s %s", name, words[w]);
			command_line(line, EMPTY, &run);
			assert_int_equal(run.code, EX_OK);
			assert_int_equal(run.err.len, 0);
			assert_memory_equal(run.out.data,
			    w < 2 ? "usage: signpost " : "signpost ", 9);
			if (w < 2)
				assert_non_null(strstr(run.out.data, name));
			command_run_fini(&run);
		}
	}
}

/* Root may read everything, so it becomes somebody else where it can. */
static void
what_may_not_be_read_is_no_permission(void **state)
{
	static const char *const rest[] = { "verify --keys zone secret",
		"verify --keys secret message",
		"sign -d a.test -s s -k secret message",
		"sign -c secret message", "dns -c secret",
		"dns -s s -k secret" };
	const char *as = geteuid() == 0
	    ? "setpriv --reuid=65534 --regid=65534 --clear-groups"
	    : "";
	char line[256];

	(void)state;
	command_write_file("secret", "x", 1);
	assert_int_equal(chmod("secret", 0), 0);
	assert_int_equal(chmod(".", 0755), 0);
	snprintf(line, sizeof(line),
	    "%s \"$SIGNPOST\" --version >/dev/null 2>&1", as);
	if (system(line) != 0)
		skip();
	for (size_t i = 0; i < COUNT(rest); i++) {
		int status;

		snprintf(line, sizeof(line), "%s \"$SIGNPOST\" %s 2>err", as,
		    rest[i]);
		status = system(line);
		print_message("  signpost %s\n", rest[i]);
		assert_int_equal(WEXITSTATUS(status), EX_NOPERM);
	}
}

static void
a_full_disk_is_noticed(void **state)
{
	static const char *const rest[] = { "--version", "--help",
		"verify --keys zone message",
		"verify --keys zone --json message", "verify --help" };

	(void)state;
	for (size_t i = 0; i < COUNT(rest); i++) {
		char line[256];
		int status;

		snprintf(line, sizeof(line),
		    "\"$SIGNPOST\" %s >/dev/full 2>err", rest[i]);
		status = system(line);
		assert_int_equal(WEXITSTATUS(status), EX_IOERR);
	}
}

/* What files and arguments say may be meant for the terminal. */
static void
complaints_do_nothing_to_a_terminal(void **state)
{
	static const char zone[] = "a.test. TXT x\n"
				   "a.test. \033[31m\302\233m\377\303\274 x\n";
	static const char *const want[] = {
		"signpost: ??[31m?\303\274: no such command; ",
		"signpost: hostile-zone: line 2: \"?[31m?m?\303\274\" is no "
		"type",
	};
	static const char *const rows[][6] = {
		{ "\n\033[31m\302\200\303\274", NULL },
		{ "verify", "--keys", "hostile-zone", "message", NULL },
	};
	struct command_run run;

	(void)state;
	command_write_file("hostile-zone", zone, sizeof(zone) - 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		command_run(rows[i], EMPTY, &run);
		buf_append_char(&run.err, '\0');
		if (strncmp(run.err.data, want[i], strlen(want[i])) != 0)
			fail_msg("row %zu: %s", i, run.err.data);
		command_run_fini(&run);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_named_and_have_their_exit_code),
		cmocka_unit_test(help_and_version_are_everywhere),
		cmocka_unit_test(what_may_not_be_read_is_no_permission),
		cmocka_unit_test(a_full_disk_is_noticed),
		cmocka_unit_test(complaints_do_nothing_to_a_terminal),
	};

	return cmocka_run_group_tests(tests, set_up, command_leave_folder);
}
