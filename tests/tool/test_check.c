/* SPDX-License-Identifier: BSD-2-Clause */
/* What "signpost check" finds: keys and entries that do nothing, rights, and a
 * socket that Postfix does not reach. */
#include <grp.h>
#include <jansson.h>
#include <limits.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <sysexits.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EMPTY	     bytes_str("")
#define KEYS	     "keys = ( { selector = \"r\"; file = \"@/keys/a.test/r.pem\"; } );"
#define OURS	     "smtpd_milters = unix:@/run/s\nmail_owner = root\n"

static char here[PATH_MAX];

/* Writes TEXT to the file PATH, with the test's folder for each "@" before
 * a "/". */
static void
write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (; *text != '\0'; text++)
		if (text[0] == '@' && text[1] == '/')
			fputs(here, file);
		else
			putc(*text, file);
	assert_int_equal(fclose(file), 0);
}

static void
write_conf(const char *text)
{
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group = getgrgid(getegid());
	char all[4096];

	assert_non_null(user);
	assert_non_null(group);
	snprintf(all, sizeof(all),
	    "user = \"%s\"; group = \"%s\"; status = { socket = "
	    "\"unix:@/run/status\"; };\n%s%s",
	    user->pw_name, group->gr_name,
	    strstr(text, "key_directory") == NULL
		? "key_directory = \"@/keys\"; "
		: "",
	    text);
	write_text("conf", all);
}

static int
set_up(void **state)
{
	struct command_run run;

	command_enter_folder(state);
	assert_non_null(getcwd(here, sizeof(here)));
	write_conf("");
	assert_int_equal(mkdir("run", 0755), 0);
	assert_int_equal(mkdir("postfix", 0755), 0);
	assert_int_equal(mkdir("queue", 0755), 0);
	assert_int_equal(mkdir("queue/run", 0755), 0);
	command_line("keygen -c conf -d a.test -s r -b 1024", EMPTY, &run);
	assert_int_equal(run.code, EX_OK);
	command_run_fini(&run);
	return 0;
}

struct row {
	const char *name, *conf, *main_cf, *master_cf;
	int code;
	const char *says; /* NULL: that nothing is wrong */
};

static void
check_row(const struct row *row)
{
	struct command_run run;

	print_message("  %s\n", row->name);
	write_conf(row->conf);
	unlink("postfix/main.cf");
	if (row->main_cf != NULL)
		write_text("postfix/main.cf", row->main_cf);
	write_text(
	    "postfix/master.cf", row->master_cf != NULL ? row->master_cf : "");
	command_line("check -c conf --postfix postfix", EMPTY, &run);
	if (strstr(run.out.data,
		row->says != NULL ? row->says : "nothing is wrong\n") == NULL)
		fail_msg("not \"%s\" but: %s%s",
		    row->says != NULL ? row->says : "nothing", run.out.data,
		    run.err.data);
	assert_int_equal(run.code, row->code);
	command_run_fini(&run);
}

/* field: E11 */
static void
keys_and_entries_that_do_nothing_are_named(void **state)
{
	static const struct row rows[] = {
		{ "all is well", "", NULL, NULL, EX_OK, NULL },
		{ "entry that takes the folder",
		    "domains = ( { name = \"a.test\"; } );", NULL, NULL, EX_OK,
		    NULL },
		{ "entry that names the key",
		    "domains = ( { name = \"a.test\"; " KEYS " } );", NULL,
		    NULL, EX_OK, NULL },
		{ "key that an entry hides",
		    "domains = (\n{ name = \"a.test\"; keys = ( {\n"
		    "selector = \"o\"; file = \"@/other.pem\"; } ); } );",
		    NULL, NULL, EX_CONFIG, "conf:3: domains.keys: warning: " },
		{ "folder of another domain",
		    "domains = (\n{ name = \"a.test\"; domain = \"b.test\"; }"
		    " );",
		    NULL, NULL, EX_OK,
		    "r.pem never signs, as \"a.test\" applies to a.test and "
		    "has another domain's keys" },
		{ "and that an entry for others takes",
		    "domains = (\n{ name = \"a.test\"; domain = \"b.test\"; },"
		    "\n{ name = \".c.test\"; domain = \"a.test\"; } );",
		    NULL, NULL, EX_OK,
		    "conf:3: domains.name: warning: no key is to be found: " },
		{ "entry that hides its parent's",
		    "domains = (\n{ name = \"x.b.test\"; },\n"
		    "{ name = \".b.test\"; domain = \"b.test\"; " KEYS " } );",
		    NULL, NULL, EX_OK,
		    "conf:3: domains.name: warning: \"x.b.test\" has no key, "
		    "and hides \".b.test\" in " },
		{ "address that hides its domain's",
		    "domains = (\n{ name = \"u@b.test\"; keys = ( ); },\n"
		    "{ name = \"b.test\"; " KEYS " } );",
		    NULL, NULL, EX_OK, "\"u@b.test\" has no key, and hides" },
		{ "entry with no keys",
		    "domains = (\n{ name = \"b.test\"; keys = ( ); } );", NULL,
		    NULL, EX_OK,
		    "conf:3: domains.keys: warning: is empty, so that mail of "
		    "\"b.test\" is not signed" },
		{ "second key of an algorithm",
		    "domains = (\n{ name = \"a.test\"; keys = (\n"
		    "{ selector = \"r\"; file = \"@/keys/a.test/r.pem\"; },\n"
		    "{ selector = \"s\"; file = \"@/keys/a.test/r.pem\"; } ); "
		    "} );",
		    NULL, NULL, EX_OK,
		    "conf:5: domains.keys: warning: \"s\" of \"a.test\" never "
		    "signs: \"r\" before it is rsa-sha256, too" },
		{ "the same, where all sign",
		    "domains = ( { name = \"a.test\"; all = true; keys = ("
		    "{ selector = \"r\"; file = \"@/keys/a.test/r.pem\"; }, "
		    "{ selector = \"s\"; file = \"@/keys/a.test/r.pem\"; } ); "
		    "} );",
		    NULL, NULL, EX_OK, NULL },
		{ "the same, where each waits for its record",
		    "published = { file = \"\"; }; domains = ( { name = "
		    "\"a.test\"; require_published = true; keys = ("
		    "{ selector = \"r\"; file = \"@/keys/a.test/r.pem\"; }, "
		    "{ selector = \"s\"; file = \"@/keys/a.test/r.pem\"; } ); "
		    "} );",
		    NULL, NULL, EX_OK, NULL },
		{ "what signpostd -t finds, too",
		    "\nmode = \"x\";\ndomains = ( { name = \"b.test\"; keys = "
		    "( { selector = \"b\"; file = \"@/none.pem\"; } ); } );",
		    NULL, NULL, EX_CONFIG, "conf:4: domains.keys.file: " },
		{ "syntax", "mode = ;", NULL, NULL, EX_CONFIG, "conf:2: " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(&rows[i]);
}

static void
networks_that_add_nothing_are_named(void **state)
{
	static const struct row rows[] = {
		{ "apart",
		    "trusted_networks = [ \"10.0.0.0/8\", \"11.0.0.1\", "
		    "\"2001:db8::/32\", \"2001:db9::1\" ];",
		    NULL, NULL, EX_OK, NULL },
		{ "within",
		    "\ntrusted_networks = [ \"10.1.0.0/16\", \"10.0.0.0/8\" ];",
		    NULL, NULL, EX_OK,
		    "conf:3: trusted_networks: warning: 10.1.0.0/16 is in "
		    "10.0.0.0/8 and adds nothing" },
		{ "twice",
		    "trusted_networks = [ \"2001:db8::1\", \"2001:db8::1/128\" "
		    "];",
		    NULL, NULL, EX_OK,
		    "2001:db8::1/128 is in 2001:db8::1/128 and" },
		{ "IPv4 is not in all of IPv6",
		    "trusted_networks = [ \"10.0.0.0/8\", \"8000::/1\" ];",
		    NULL, NULL, EX_OK, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(&rows[i]);
}

static void
paths_that_do_not_serve_are_named(void **state)
{
	static const struct row rows[] = {
		{ "trust anchor",
		    "\ndns = {\n trust_anchor = \"@/none.key\"; };", NULL, NULL,
		    EX_CONFIG, "conf:4: dns.trust_anchor: " },
		{ "folder of the socket", "\nsocket = \"unix:@/nowhere/s\";",
		    NULL, NULL, EX_OK,
		    "conf:3: socket: warning: @/nowhere: No such file" },
		{ "folder of keys", "\n\nkey_directory = \"@/nowhere\";", NULL,
		    NULL, EX_CONFIG,
		    "conf:4: key_directory: @/nowhere is not there" },
		{ "folder of reports",
		    "reports = { directory = \"@/nowhere\"; };", NULL, NULL,
		    EX_CONFIG, "reports.directory: @/nowhere: " },
		{ "folder of what is published",
		    "sign = { require_published = true; };\n"
		    "published = { file = \"@/nowhere/published\"; };",
		    NULL, NULL, EX_OK,
		    " can't write to @/nowhere, so that a restart forgets" },
		{ "the same, where it does not matter",
		    "published = { file = \"@/nowhere/published\"; };", NULL,
		    NULL, EX_OK, "published.file: warning: has no effect" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct row row = rows[i];
		char says[PATH_MAX + 256];
		const char *at = strchr(row.says, '@');

		if (at != NULL) {
			snprintf(says, sizeof(says), "%.*s%s%s",
			    (int)(at - row.says), row.says, here, at + 1);
			row.says = says;
		}
		check_row(&row);
	}
}

static void
a_configuration_that_anybody_can_write_is_named(void **state)
{
	struct command_run run;

	(void)state;
	write_conf("");
	assert_int_equal(chmod("conf", 0666), 0);
	command_line("check -c conf --postfix nowhere", EMPTY, &run);
	assert_int_equal(chmod("conf", 0644), 0);
	assert_int_equal(run.code, EX_CONFIG);
	assert_non_null(strstr(
	    run.out.data, "conf: is writable by anybody: chmod o-w conf"));
	command_run_fini(&run);
}

/* The socket that Postfix looks for is that of the configuration, in its
 * chroot, too, and Postfix's user may connect to it. */
static void
postfix_finds_the_socket(void **state)
{
	static const char chroot[] =
	    "smtp inet n - y - - smtpd\n  -o x=y\npickup unix n - n 60 1 "
	    "pickup\n";
	static const char unix_socket[] = "socket = \"unix:@/run/s\";";
	static const char in_queue[] = "socket = \"unix:@/queue/run/s\";";
	static const struct row rows[] = {
		{ "no main.cf", unix_socket, NULL, NULL, EX_OK, NULL },
		{ "no chroot", unix_socket, OURS, NULL, EX_OK, NULL },
		{ "in several lines, with options", unix_socket,
		    "# smtpd_milters = x\nmail_owner = root\n"
		    "smtpd_milters = inet:127.0.0.1:1,\n\n"
		    "  { unix:@/run/s, connect_timeout=10s }\n",
		    NULL, EX_OK, NULL },
		{ "outside the chroot", unix_socket, OURS, chroot, EX_CONFIG,
		    "postfix/main.cf:1: smtpd_milters: " },
		{ "chroot and its line", unix_socket, OURS, chroot, EX_CONFIG,
		    "which runs in a chroot (postfix/master.cf:1): write "
		    "socket = \"unix:/var/spool/postfix/" },
		{ "inside the chroot", in_queue,
		    "queue_directory = @/queue\nmail_owner = root\n"
		    "smtpd_milters = unix:/run/s\n",
		    chroot, EX_OK, NULL },
		{ "inside, but no chroot", in_queue,
		    "queue_directory = @/queue\nmail_owner = root\n"
		    "smtpd_milters = unix:/run/s\n",
		    NULL, EX_CONFIG, "is not in a chroot for Postfix" },
		{ "not named", unix_socket, "mail_owner = root\n", NULL, EX_OK,
		    "smtpd_milters: warning: Postfix is not told of the "
		    "socket: smtpd_milters = unix:/" },
		{ "by the name of another parameter", unix_socket,
		    "ours = unix:${place}/s\nplace = @/run\n"
		    "smtpd_milters = inet:127.0.0.1:1 $ours\n"
		    "mail_owner = $me\nme = root\n",
		    NULL, EX_OK, NULL },
		{ "by a name that leads astray", unix_socket,
		    "ours = inet:127.0.0.1:1\nsmtpd_milters = $(ours)\n"
		    "mail_owner = root\n",
		    NULL, EX_OK,
		    "main.cf:2: smtpd_milters: warning: Postfix is not told" },
		{ "by names that go round", unix_socket,
		    "a = $b\nb = $a\nsmtpd_milters = $a\nmail_owner = root\n",
		    NULL, EX_OK, NULL },
		{ "by what Postfix alone can tell", unix_socket,
		    "smtpd_milters = ${x?unix:/y}\nmail_owner = root\n", NULL,
		    EX_OK, NULL },
		{ "the last of two counts", unix_socket,
		    "smtpd_milters = unix:@/run/s\nsmtpd_milters =\n"
		    "mail_owner = root\n",
		    NULL, EX_OK,
		    "main.cf:2: smtpd_milters: warning: Postfix is not "
		    "told of the socket" },
		{ "for submission alone", unix_socket, "mail_owner = root\n",
		    "smtp inet n - y - - smtpd\n"
		    "submission inet n - n - - smtpd\n -o x=y\n"
		    " -o smtpd_milters=unix:@/run/s\n",
		    EX_OK, NULL },
		{ "for submission, in braces", unix_socket,
		    "mail_owner = root\n",
		    "submission inet n - n - - smtpd\n"
		    " -o { smtpd_milters = inet:[::1]:1, { unix:@/run/s } }\n",
		    EX_OK, NULL },
		{ "for submission, in its chroot", unix_socket, OURS,
		    "smtp inet n - n - - smtpd\n"
		    "submission inet n - y - - smtpd\n"
		    " -osmtpd_milters=unix:@/run/s\n",
		    EX_CONFIG, "postfix/master.cf:2: smtpd_milters: " },
		{ "a chroot without milters", unix_socket, OURS,
		    "smtp inet n - n - - smtpd\n"
		    "10025 inet n - y - - smtpd -o smtpd_milters=\n",
		    EX_OK, NULL },
		{ "cleanup in its chroot", unix_socket,
		    "smtpd_milters = unix:@/run/s\nmail_owner = root\n"
		    "non_smtpd_milters = $smtpd_milters\n",
		    "smtp inet n - n - - smtpd\n"
		    "cleanup unix n - y - 0 cleanup\n",
		    EX_CONFIG, "postfix/main.cf:3: non_smtpd_milters: " },
		{ "TCP", "", "smtpd_milters = inet:localhost:8891\n", NULL,
		    EX_OK, NULL },
		{ "another port", "", "smtpd_milters = inet:127.0.0.1:889\n",
		    NULL, EX_OK, "smtpd_milters = inet:127.0.0.1:8891\n" },
		{ "mode that shuts Postfix out",
		    "socket_mode = \"0600\"; socket = \"unix:@/run/s\";",
		    "smtpd_milters = unix:@/run/s\nmail_owner = daemon\n", NULL,
		    EX_CONFIG, "socket_mode: user daemon can't connect to " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(&rows[i]);
}

static void
a_closed_folder_keeps_postfix_away(void **state)
{
	static const struct row row = { "closed folder",
		"socket_mode = \"0666\"; socket = \"unix:@/run/s\";",
		"smtpd_milters = unix:@/run/s\nmail_owner = daemon\n", NULL,
		EX_CONFIG, "socket: Postfix can't reach it: " };

	(void)state;
	assert_int_equal(chmod("run", 0700), 0);
	check_row(&row);
	assert_int_equal(chmod("run", 0755), 0);
}

/* Gives "daemon" BITS for PATH by an access list; false where the file system
 * has none. */
static bool
allow_daemon(const char *path, unsigned char bits)
{
	const struct passwd *user = getpwnam("daemon");
	unsigned char list[] = { 2, 0, 0, 0,	     /* version */
		1, 0, 7, 0, 255, 255, 255, 255,	     /* owner */
		2, 0, bits, 0, 0, 0, 0, 0,	     /* user */
		4, 0, 0, 0, 255, 255, 255, 255,	     /* group */
		0x10, 0, 7, 0, 255, 255, 255, 255,   /* mask */
		0x20, 0, 0, 0, 255, 255, 255, 255 }; /* others */

	assert_non_null(user);
	assert_true(user->pw_uid < 256);
	list[4 + 8 + 4] = (unsigned char)user->pw_uid;
	return setxattr(
		   path, "system.posix_acl_access", list, sizeof(list), 0) == 0;
}

/* Whether it is said that the folder of the socket is closed to "daemon". */
static bool
run_is_closed(void)
{
	struct command_run run;
	bool closed;

	command_line("check -c conf --postfix postfix", EMPTY, &run);
	closed = strstr(run.out.data, "/run (mode ") != NULL;
	command_run_fini(&run);
	return closed;
}

static void
an_access_list_opens_a_folder_to_postfix(void **state)
{
	(void)state;
	write_conf("socket_mode = \"0666\"; socket = \"unix:@/run/s\";");
	write_text("postfix/main.cf",
	    "smtpd_milters = unix:@/run/s\nmail_owner = daemon\n");
	assert_int_equal(chmod(here, 0711), 0);
	assert_int_equal(chmod("run", 0700), 0);
	/* A folder above may be closed, too. */
	if (!run_is_closed() || !allow_daemon("run", 1)) {
		assert_int_equal(chmod("run", 0755), 0);
		skip();
	}
	assert_false(run_is_closed());
	assert_true(allow_daemon("run", 6));
	assert_true(run_is_closed());
	assert_int_equal(removexattr("run", "system.posix_acl_access"), 0);
	assert_int_equal(chmod("run", 0755), 0);
}

static void
json_has_every_finding(void **state)
{
	struct command_run run;
	json_t *object, *problem;
	const char *setting, *text;
	int ok, line, warning;

	(void)state;
	write_conf("domains = (\n{ name = \"b.test\"; keys = ( ); } );");
	command_line("check -c conf --postfix nowhere --json", EMPTY, &run);
	assert_int_equal(run.code, EX_OK);
	object = json_loadb(run.out.data, run.out.len, 0, NULL);
	assert_non_null(object);
	problem = json_array_get(json_object_get(object, "problems"), 0);
	assert_int_equal(json_unpack(object, "{s:b}", "ok", &ok), 0);
	assert_true(ok);
	assert_int_equal(
	    json_unpack(problem, "{s:s s:i s:s s:b}", "setting", &setting,
		"line", &line, "text", &text, "warning", &warning),
	    0);
	assert_string_equal(setting, "domains.keys");
	assert_int_equal(line, 3);
	assert_true(warning);
	json_decref(object);
	command_run_fini(&run);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_and_entries_that_do_nothing_are_named),
		cmocka_unit_test(networks_that_add_nothing_are_named),
		cmocka_unit_test(paths_that_do_not_serve_are_named),
		cmocka_unit_test(
		    a_configuration_that_anybody_can_write_is_named),
		cmocka_unit_test(postfix_finds_the_socket),
		cmocka_unit_test(a_closed_folder_keeps_postfix_away),
		cmocka_unit_test(an_access_list_opens_a_folder_to_postfix),
		cmocka_unit_test(json_has_every_finding),
	};

	return cmocka_run_group_tests(tests, set_up, command_leave_folder);
}
