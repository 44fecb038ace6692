/* SPDX-License-Identifier: BSD-2-Clause */
/* New keys: whole, private, never over another, and published as printed. */
#include <dirent.h>
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
#include "keydir.h"
#include "successor.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EMPTY	     bytes_str("")

static size_t
count_files(const char *path)
{
	DIR *folder = opendir(path);
	size_t count = 0;

	assert_non_null(folder);
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count - 2; /* "." and ".." */
}

static void
a_key_is_private_and_its_record_is_printed(void **state)
{
	static const struct {
		const char *name, *names, *type, *path, *record;
	} rows[] = {
		{ "RSA", "-d example.com -s r", "", "example.com/r.pem",
		    "r._domainkey.example.com. IN TXT ( "
		    "\"v=DKIM1; k=rsa; p=MII" },
		{ "Ed25519", "-d example.com -s e", "-t ed25519",
		    "example.com/e.pem",
		    "e._domainkey.example.com. IN TXT ( "
		    "\"v=DKIM1; k=ed25519; p=" },
		{ "in lower case", "-d EXAMPLE.org. -s E", "-t ed25519",
		    "example.org/e.pem", "e._domainkey.example.org. IN TXT" },
		{ "U-label", "-d b\u00fccher.test -s e", "-t ed25519",
		    "xn--bcher-kva.test/e.pem",
		    "e._domainkey.xn--bcher-kva.test. IN TXT" },
		{ "selector of two labels", "-d example.com -s a.b",
		    "-t ed25519", "example.com/a.b.pem",
		    "a.b._domainkey.example.com. IN" },
		{ "RSA of 3072 bits", "-d example.com -s l", "-b 3072",
		    "example.com/l.pem", "l._domainkey.example.com. IN" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct command_run keygen, dns;
		struct stat st;
		char line[256];
		char *end;

		print_message("  %s\n", rows[i].name);
		snprintf(line, sizeof(line), "keygen -o . %s %s", rows[i].names,
		    rows[i].type);
		command_line(line, EMPTY, &keygen);
		assert_int_equal(keygen.code, EX_OK);
		assert_non_null(strstr(keygen.err.data, rows[i].path));
		assert_memory_equal(
		    keygen.out.data, rows[i].record, strlen(rows[i].record));
		assert_int_equal(stat(rows[i].path, &st), 0);
		assert_int_equal(st.st_mode, S_IFREG | 0600);
		/* No string of more than 255 octets. */
		for (char *at = strchr(keygen.out.data, '"'); at != NULL;
		     at = strchr(end + 1, '"')) {
			end = strchr(at + 1, '"');
			assert_non_null(end);
			assert_true(end - at - 1 <= 255);
		}
		snprintf(line, sizeof(line), "dns -k %s %s", rows[i].path,
		    rows[i].names);
		command_line(line, EMPTY, &dns);
		assert_int_equal(dns.code, EX_OK);
		assert_string_equal(dns.out.data, keygen.out.data);
		command_run_fini(&keygen);
		command_run_fini(&dns);
	}
}

static void
a_key_is_never_written_over(void **state)
{
	struct command_run run;

	(void)state;
	assert_int_equal(mkdir("taken.test", 0700), 0);
	command_write_file("taken.test/s.pem", "mine", 4);
	command_line("keygen -d taken.test -s s -t ed25519 -o .", EMPTY, &run);
	assert_int_equal(run.code, EX_CANTCREAT);
	assert_int_equal(run.out.len, 0);
	assert_non_null(strstr(run.err.data, "taken.test/s.pem: is there"));
	assert_int_equal(count_files("taken.test"), 1);
	assert_int_equal(access("taken.test/s.pem", F_OK), 0);
	command_run_fini(&run);
}

/* Nothing stays of a key that could not be written whole. */
static void
half_a_key_never_stays(void **state)
{
	int status = system("ulimit -f 0; "
			    "\"$SIGNPOST\" keygen -d half.test -s s -o . "
			    "2>/dev/null | grep -q .");

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 0);
	assert_int_equal(count_files("half.test"), 0);
}

static void
a_link_is_not_followed_out_of_the_folder(void **state)
{
	struct command_run run;

	(void)state;
	assert_int_equal(mkdir("elsewhere", 0700), 0);
	assert_int_equal(symlink("elsewhere", "link.test"), 0);
	command_line("keygen -d link.test -s s -t ed25519 -o .", EMPTY, &run);
	assert_int_equal(run.code, EX_NOINPUT);
	assert_int_equal(count_files("elsewhere"), 0);
	command_run_fini(&run);
}

static void
missing_folders_are_made_for_nobody_else(void **state)
{
	struct command_run run;
	struct stat st;

	(void)state;
	command_line("keygen -d a.test -s s -t ed25519 -o new", EMPTY, &run);
	assert_int_equal(run.code, EX_OK);
	assert_int_equal(stat("new", &st), 0);
	assert_int_equal(st.st_mode & 07027, 0);
	assert_int_equal(stat("new/a.test", &st), 0);
	assert_int_equal(st.st_mode & 07027, 0);
	command_run_fini(&run);
}

static void
a_successor_has_the_day_in_its_selector_and_comes_last(void **state)
{
	static const struct {
		const char *greatest, *want;
	} rows[] = {
		{ "", "20261201" },
		{ "2026a", "20261201" },
		{ "2026e", "20261201" },
		{ "20261130z", "20261201" },
		{ "20261201", "20261201a" },
		{ "20261201a", "20261201b" },
		{ "20261201z", "20261201z20261201" },
		{ "s1", "s20261201" },
		{ "s10", "s20261201" },
		{ "s20261201", "s20261201a" },
		{ "mail", "mail20261201" },
		{ "mail20250101", "mail20261201" },
		{ "a.b2", "a.b20261201" },
		{ "99999999999", "99999999999a" },
	};
	const int64_t now = 1796083200; /* 2026-12-01 00:00:00 UTC */
	char selector[DOMAIN_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(
		    successor_selector(rows[i].greatest, now, selector));
		assert_string_equal(selector, rows[i].want);
		assert_true(keydir_compare(selector, rows[i].greatest) > 0);
	}
	assert_false(successor_selector(
	    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm",
	    now, selector));
}

static void
write_next_conf(const char *more)
{
	char folder[256], text[1024];

	assert_non_null(getcwd(folder, sizeof(folder)));
	snprintf(text, sizeof(text),
	    "user = \"root\"; key_directory = \"%s/next\";\n%s", folder, more);
	command_write_file("next.conf", text, strlen(text));
}

static void
check_line(const char *line, int code, const char *out, const char *err)
{
	struct command_run run;

	command_line(line, EMPTY, &run);
	if (run.code != code)
		fail_msg("%s: %d: %s", line, run.code, run.err.data);
	if (out[0] != '\0')
		assert_non_null(strstr(run.out.data, out));
	else
		assert_int_equal(run.out.len, 0);
	assert_non_null(strstr(run.err.data, err));
	command_run_fini(&run);
}

static void
next_makes_one_of_each_kind_that_there_is(void **state)
{
	struct stat st;

	(void)state;
	write_next_conf("sign = { require_published = true; };\n");
	check_line("keygen -d a.test -s 2026a -b 3072 -c next.conf", EX_OK,
	    "2026a._domainkey", "next/a.test/2026a.pem");
	check_line("keygen -d a.test -s 2026e -t ed25519 -c next.conf", EX_OK,
	    "2026e._domainkey", "next/a.test/2026e.pem");
	check_line("keygen --next -d a.test --now 1796083200 -c next.conf",
	    EX_OK, "20261201._domainkey.a.test. IN TXT ( \"v=DKIM1; k=rsa;",
	    "20261201._domainkey.a.test: publish this record now");
	assert_int_equal(count_files("next/a.test"), 4);
	assert_int_equal(stat("next/a.test/20261201.pem", &st), 0);
	assert_true(st.st_size > 2400); /* as large as the one before it */
	check_line(
	    "keygen --next -t ed25519 -d A.TEST --now 1796083200 -c next.conf",
	    EX_OK, "20261201b._domainkey.a.test. IN TXT ( \"v=DKIM1; k=ed25519",
	    "next/a.test/20261201b.pem");
	check_line("keygen --next -d b.test -c next.conf", EX_NOINPUT, "",
	    "next/b.test has no key yet: say which kind to make, with -t");
	check_line("keygen --next -s s -d a.test -c next.conf", EX_USAGE, "",
	    "leave -s out");
	command_write_file("next/a.test/broken.pem", "no key", 6);
	check_line("keygen --next -d a.test -c next.conf", EX_DATAERR, "",
	    "next/a.test/broken.pem: ");
	unlink("next/a.test/broken.pem");
}

/* field: E17 */
static void
next_makes_no_key_that_would_sign_before_it_is_published(void **state)
{
	(void)state;
	write_next_conf("");
	check_line("keygen --next -d a.test -c next.conf", EX_CONFIG, "",
	    "sign.require_published is not set for a.test");
	assert_int_equal(count_files("next/a.test"), 5);
	check_line("keygen --next -d a.test -o next -c next.conf", EX_OK,
	    "_domainkey.a.test. IN TXT", "publish this record now");
	write_next_conf("domains = ( { name = \"a.test\"; "
			"require_published = true; } );\n");
	check_line("keygen --next -t ed25519 -d a.test -c next.conf", EX_OK,
	    "_domainkey.a.test. IN TXT", "publish this record now");
}

static void
next_says_which_entry_has_to_name_the_key(void **state)
{
	char folder[256], text[1024];

	(void)state;
	assert_non_null(getcwd(folder, sizeof(folder)));
	snprintf(text, sizeof(text),
	    "domains = (\n{ name = \"list.test\"; keys = ( { selector = "
	    "\"s7\"; file = \"%s/next/list.test/s7.pem\"; } ); } );\n",
	    folder);
	write_next_conf("");
	check_line("keygen -d list.test -s s7 -t ed25519 -c next.conf", EX_OK,
	    "s7._domainkey", "s7.pem");
	write_next_conf(text);
	check_line("keygen --next -d list.test --now 1796083200 -c next.conf",
	    EX_OK, "s20261201._domainkey.list.test. IN TXT",
	    "next.conf:3: domains.keys: name it before the others of its kind: "
	    "{ selector = \"s20261201\"; file = \"");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_private_and_its_record_is_printed),
		cmocka_unit_test(a_key_is_never_written_over),
		cmocka_unit_test(half_a_key_never_stays),
		cmocka_unit_test(a_link_is_not_followed_out_of_the_folder),
		cmocka_unit_test(missing_folders_are_made_for_nobody_else),
		cmocka_unit_test(
		    a_successor_has_the_day_in_its_selector_and_comes_last),
		cmocka_unit_test(next_makes_one_of_each_kind_that_there_is),
		cmocka_unit_test(
		    next_makes_no_key_that_would_sign_before_it_is_published),
		cmocka_unit_test(next_says_which_entry_has_to_name_the_key),
	};

	return cmocka_run_group_tests(
	    tests, command_enter_folder, command_leave_folder);
}
