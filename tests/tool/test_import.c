/* SPDX-License-Identifier: BSD-2-Clause */
/* What "signpost import opendkim" makes of settings and tables, in each of
 * their forms; what it says of what is lost, wrong or hostile. Whether the
 * result signs the same is a test of tests/e2e. */
#include <limits.h>
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
#define SINGLE	     "Domain example.com\nSelector s\nKeyFile %s/a.pem\n"
#define SOCKET	     "Socket inet:8891@localhost\n"

static char here[PATH_MAX];

static void
write_text(const char *path, const char *text)
{
	command_write_file(path, text, strlen(text));
}

/* TEXT with the folder in place of each "%s". */
static void
write_config(const char *path, const char *text)
{
	const char *rest;
	struct buf out;

	buf_init(&out, SIZE_MAX);
	while ((rest = strstr(text, "%s")) != NULL) {
		buf_append(&out, text, (size_t)(rest - text));
		buf_append_str(&out, here);
		text = rest + 2;
	}
	buf_append_str(&out, text);
	command_write_file(path, out.data, out.len);
	buf_fini(&out);
}

static void
run_import(const char *text, struct command_run *run_r)
{
	write_config("conf", text);
	command_line("import opendkim conf", EMPTY, run_r);
}

static int
set_up(void **state)
{
	struct command_run run;

	command_enter_folder(state);
	assert_non_null(getcwd(here, sizeof(here)));
	write_text("none.conf", "user = \"nobody-here\";\n");
	command_line("keygen -d example.com -s s -b 1024 -o keys -c none.conf",
	    EMPTY, &run);
	if (run.code != EX_OK)
		fail_msg("%s", run.err.data);
	command_run_fini(&run);
	assert_int_equal(rename("keys/example.com/s.pem", "a.pem"), 0);
	write_text("domains", "# mine\nexample.com\n\n example.org # too\r\n");
	write_text("patterns", "*.example.com\nexample.org\n");
	write_config("keytable",
	    "ka example.com:sa:%s/a.pem\nkb example.org:sb:%s/a.pem\n");
	write_text("hosts", "10.0.0.0/8\n!10.0.0.1\n127.0.0.1\n");
	return 0;
}

struct row {
	const char *conf;
	int code;
	const char *out; /* part of what is printed; NULL: nothing is */
	const char *err; /* part of what is said; NULL: nothing is */
};

static void
check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];
		struct command_run run;

		print_message("  %s\n", row->conf);
		run_import(row->conf, &run);
		if (row->out == NULL ? run.out.len > 0
				     : strstr(run.out.data, row->out) == NULL)
			fail_msg("it prints: %s", run.out.data);
		if (row->err == NULL ? run.err.len > 0
				     : strstr(run.err.data, row->err) == NULL)
			fail_msg("it says: %s", run.err.data);
		if (run.code != row->code)
			fail_msg("exit %d: %s", run.code, run.err.data);
		command_run_fini(&run);
	}
}

static void
settings_have_their_equivalent(void **state)
{
	static const struct row rows[] = {
		{ SOCKET, 0, "socket = \"inet:8891@127.0.0.1\";", NULL },
		{ "socket inet6:8891@[::1]\n", 0,
		    "socket = \"inet6:8891@::1\";", NULL },
		{ "Socket local:/run/x.sock\nUMask 007\n", 0,
		    "socket = \"unix:/run/x.sock\";\n"
		    "socket_mode = \"0660\";",
		    NULL },
		{ "Socket /run/x.sock\nUMask 022\n", 0,
		    "socket_mode = \"0644\";", NULL },
		{ "Socket inet:8891\n", 0, "socket = \"inet:8891@0.0.0.0\";",
		    "conf:1: Socket: warning: without an address" },
		{ SOCKET "UserID root\n", 0, "user = \"root\";\n", NULL },
		{ SOCKET "UserID root:daemon\n", 0, "group = \"daemon\";\n",
		    NULL },
		{ SOCKET "Mode s\n", 0, "mode = \"sign\";", NULL },
		{ SOCKET "Mode v\n", 0, "mode = \"verify\";", NULL },
		{ SOCKET "Mode vs\n", 0, "mode = \"both\";", NULL },
		{ SOCKET "AuthservID mx.example.org\n", 0,
		    "authserv_id = \"mx.example.org\";", NULL },
		{ SOCKET "RemoveARFrom a.example.org,b.example.org\n", 0,
		    "remove_results_of = [ \"a.example.org\", "
		    "\"b.example.org\" ];",
		    NULL },
		{ SOCKET, 0, "trusted_networks = [ \"::1\", \"127.0.0.1\" ];",
		    NULL },
		{ SOCKET, 0, "trusted_daemons = [ ];", NULL },
		{ SOCKET, 0, "key_directory = \"\";", NULL },
		{ SOCKET "MTA OUT, MSA\n", 0,
		    "trusted_daemons = [ \"OUT\", \"MSA\" ];", NULL },
		{ SOCKET "MacroList auth_type,daemon_name=A|B\n", 0,
		    "trusted_daemons = [ \"A\", \"B\" ];", NULL },
		{ SOCKET "InternalHosts file:%s/hosts\n", 0,
		    "[ \"10.0.0.0\", \"10.0.0.2/31\", ", NULL },
		{ SOCKET "InternalHosts 127.0.0.1,10.1.0.0/16,127.0.0.1,"
			 "10.0.0.0/8,localhost\n",
		    0,
		    "trusted_networks = [ \"::1\", \"10.0.0.0/8\", "
		    "\"127.0.0.1\" ];",
		    NULL },
		{ SOCKET "InternalHosts ::/0,0.0.0.0/0\n", 0,
		    "trusted_networks = [ \"::/0\", \"0.0.0.0/0\" ];",
		    "all clients are trusted" },
		{ SOCKET "InternalHosts [127.0.0.1],[fd00::]/8\n", 0,
		    "[ \"127.0.0.1\", \"fd00::/8\" ]", NULL },
		{ SOCKET "Canonicalization relaxed\n", 0,
		    "canonicalization = \"relaxed/simple\";", NULL },
		{ SOCKET "Canonicalization Simple/Relaxed\n", 0,
		    "canonicalization = \"simple/relaxed\";", NULL },
		{ SOCKET "SignatureTTL 0x10\n", 0, "expire = \"16s\";", NULL },
		{ SOCKET "Diagnostics yes\n", 0, "diagnostics = true;", NULL },
		{ SOCKET "SignHeaders From,To,X-A\nOmitHeaders to\n", 0,
		    "headers = [ \"From\", \"X-A\" ];\n"
		    "  oversign = [ \"From\" ];",
		    NULL },
		{ SOCKET "SignHeaders *,+X-A,-Subject\n", 0,
		    "headers = [ \"From\", \"Reply-To\", \"Date\",", NULL },
		{ SOCKET "OversignHeaders From,Subject\n", 0,
		    "  oversign = [ \"From\", \"Subject\" ];", NULL },
		{ SOCKET "MinimumKeyBits 2048\n", 0, "min_rsa_bits = 2048;",
		    NULL },
		{ SOCKET "MinimumKeyBits 0\n", 0, "min_rsa_bits = 512;",
		    "warning: 0 is not from 512" },
		{ SOCKET "MaximumSignaturesToVerify 0\n", 0,
		    "max_signatures = 64;", "warning: there is always" },
		{ SOCKET "ClockDrift 60\n", 0, "clock_skew = \"60s\";", NULL },
		{ SOCKET, 0, "on_temperror = \"tempfail\";", NULL },
		{ SOCKET "On-BadSignature r\nOn-DNSError accept\n", 0,
		    "on_fail = \"reject\";\n  on_temperror = \"accept\";",
		    NULL },
		{ SOCKET "On-Default Accept\nOn-BadSignature discard\n", 0,
		    "on_fail = \"discard\";\n  on_temperror = \"accept\";",
		    NULL },
		{ SOCKET "Quarantine yes\n", 0, "on_fail = \"quarantine\";",
		    NULL },
		{ SOCKET "Nameservers 192.0.2.1,2001:db8::1\n", 0,
		    "servers = [ \"192.0.2.1\", \"2001:db8::1\" ];", NULL },
		{ SOCKET "DNSTimeout 3\n", 0, "timeout = \"3s\";", NULL },
		{ SOCKET "TrustAnchorFile %s/domains\n", 0,
		    "trust_anchor = ", NULL },
		{ SOCKET "MaximumHeaders 65536\n", 0,
		    "max_header_bytes = 65536;", NULL },
		{ SOCKET "SendReports yes\nReportAddress a@example.com\n", 0,
		    "sendmail = \"/usr/sbin/sendmail\";\n"
		    "  from = \"a@example.com\";",
		    NULL },
		{ SOCKET "PeerList 192.0.2.0/24\nMode s\n", 0,
		    "exempt_clients = [ \"192.0.2.0/24\" ];", NULL },
		/* What needs no equivalent is not named. */
		{ SOCKET "AutoRestart yes\nAutoRestartRate 10/1h\n"
			 "Background yes\nPidFile /run/x\nSyslog yes\n"
			 "SyslogSuccess yes\nLogWhy yes\nSyslogFacility mail\n"
			 "SignatureAlgorithm rsa-sha256\n"
			 "ExternalIgnoreList refile:/etc/opendkim/nowhere\n"
			 "SoftwareHeader no\nRequiredHeaders no\n",
		    0, "# Made by", NULL },
	};

	(void)state;
	check_rows(rows, COUNT(rows));
}

static void
tables_are_read_in_every_form(void **state)
{
	static const struct row rows[] = {
		{ SOCKET SINGLE, 0, "{ name = \"example.com\";", NULL },
		{ SOCKET SINGLE "Domain a.test , b.test\n", 0,
		    "{ name = \"b.test\";",
		    "conf:2: Domain: warning: is given "
		    "again in conf:5" },
		{ SOCKET SINGLE "Domain csl:b.test\n", 0, "\"b.test\"",
		    "again" },
		{ SOCKET SINGLE "Domain %s/domains\n", 0, "\"example.org\"",
		    "again" },
		{ SOCKET SINGLE "Domain file:%s/domains\n", 0,
		    "\"example.org\"", "again" },
		{ SOCKET SINGLE "Domain refile:%s/patterns\n", 0,
		    "{ name = \".example.com\";", "again" },
		{ SOCKET "BaseDirectory %s\n" SINGLE "Domain file:domains\n", 0,
		    "\"example.org\"", "again" },
		{ SOCKET SINGLE "SubDomains yes\n", 0,
		    "{ name = \".example.com\";", NULL },
		{ SOCKET "KeyTable %s/keytable\nSigningTable *@example.com=ka,"
			 "joe@example.com=kb\n",
		    0, "{ name = \"joe@example.com\";",
		    "\"*@example.com\" never matches in OpenDKIM" },
		{ SOCKET "KeyTable refile:%s/keytable\nSigningTable "
			 "csl:Example.COM=ka,.example.com=kb,*=ka\n",
		    0, "{ name = \"example.com\";", NULL },
		{ SOCKET "KeyTable csl:x=%:s:%s/a.pem\nSigningTable *=x\n", 0,
		    "{ name = \"*\";", NULL },
		/* One of these is written for each. */
		{ SOCKET "KeyTable csl:example.com=%:s:%s/a.pem\n"
			 "SigningTable example.com=%\n",
		    0, "{ name = \"example.com\";", NULL },
		{ SOCKET "KeyTable csl:x=example.com:s:%s/a.pem\n"
			 "SigningTable csl:example.com=x:joe@example.com\n",
		    0, "identity = \"joe@example.com\";", NULL },
	};

	(void)state;
	check_rows(rows, COUNT(rows));
}

static void
what_is_lost_is_named_with_the_way_out(void **state)
{
	static const struct row rows[] = {
		{ "Mode sv\n", 1, "mode", "conf: Socket: " },
		{ SOCKET "Frobnicate yes\n", 1, "# Made by",
		    "conf:2: Frobnicate: OpenDKIM 2.11 has no such" },
		{ SOCKET "DontSignMailTo a@example.com\n", 1,
		    "exempt_recipients = [ \"a@example.com\" ]",
		    "conf:2: DontSignMailTo: a message to several" },
		{ SOCKET "SenderHeaders Sender,From\n", 1, "# 1 of it",
		    "conf:2: SenderHeaders: who signs" },
		{ SOCKET "SenderHeaders From\n", 0, "# Made by", NULL },
		{ SOCKET "SignatureAlgorithm rsa-sha1\n", 1, "# Made by",
		    "RFC 8301" },
		{ SOCKET "RequiredHeaders yes\n", 1, "# Made by",
		    "conf:2: RequiredHeaders: " },
		{ SOCKET "SetupPolicyScript /x.lua\n", 1, "# Made by",
		    "there are no scripts" },
		{ SOCKET "ADSPAction reject\n", 0, "# Made by",
		    "conf:2: ADSPAction: warning: " },
		{ SOCKET "UserID nobody-here\n", 1, "# Made by",
		    "conf:2: UserID: there is no user nobody-here" },
		{ SOCKET "Canonicalization relaxt\n", 1, "# Made by",
		    "write relaxed or simple" },
		{ SOCKET "On-NoSignature reject\n", 1, "# Made by",
		    "verify.require_aligned_pass" },
		{ SOCKET "On-BadSignature never\n", 1, "# Made by",
		    "\"never\" is no action" },
		{ SOCKET "On-SignatureError reject\n", 1,
		    "on_error = \"tempfail\";", "not rejected" },
		{ SOCKET "InternalHosts 127.0.0.1,.example.com\n", 1,
		    "[ \"127.0.0.1\" ]", "\".example.com\": clients are" },
		{ SOCKET "InternalHosts 192.0.2.0/24\n", 1, "192.0.2.0/24",
		    "127.0.0.1 is not in it" },
		/* field: E2 */
		{ SOCKET "InternalHosts 0.0.0.0/0\n", 0, "0.0.0.0/0",
		    "all clients are trusted" },
		/* field: E8 */
		{ SOCKET "InternalHosts fd00::/8,127.0.0.1\n", 0,
		    "[ \"127.0.0.1\", \"fd00::/8\" ]",
		    "warning: OpenDKIM takes what stands before" },
		{ SOCKET "InternalHosts 127.0.0.1,192.0.2.1/24\n", 0,
		    "[ \"127.0.0.1\" ]", "never matches in OpenDKIM" },
		{ SOCKET "PeerList 192.0.2.1\n", 1, "exempt_clients",
		    "is verified and has its results" },
		{ SOCKET "KeyTable dsn:mysql://u:secret@h/d/t\n"
			 "SigningTable /x.db\n",
		    1, "# Made by", "a table in a database is not read" },
		/* field: E5 */
		{ SOCKET SINGLE "KeyTable %s/keytable\n"
				"SigningTable example.com=ka\n",
		    0, "selector = \"sa\"",
		    "conf:4: KeyFile: warning: OpenDKIM does not look at it" },
		{ SOCKET "Selector s\nKeyFile %s/a.pem\n", 0, "# Made by",
		    "without Domain" },
		{ SOCKET "Domain example.com\n", 1, "# Made by",
		    "say which key signs" },
		{ SOCKET "KeyTable %s/keytable\n", 1, "# Made by",
		    "without SigningTable" },
		/* field: E6 */
		{ SOCKET "KeyTable %s/keytable\nSigningTable a.test=no,"
			 "example.com=ka,b.test=no\n",
		    1, "example.com", "KeyTable has no key \"no\"" },
		{ SOCKET "KeyTable csl:x=example.com:s:./a.pem\n"
			 "SigningTable example.com=x\n",
		    1, "# Made by", "write the whole path, or BaseDirectory" },
		{ SOCKET "KeyTable csl:x=a..b:s:/k,y=a.test:_ _:/k,z=a.test:s\n"
			 "SigningTable a.test=x\n",
		    1, "# Made by", "is neither a domain nor" },
		/* field: E1 */
		{ SOCKET "Domain example.com\nSelector s\nKeyFile /none.pem\n",
		    1, "file = \"/none.pem\";",
		    "conf:4: KeyFile: key /none.pem: No such file" },
	};

	(void)state;
	check_rows(rows, COUNT(rows));
}

static void
what_is_no_configuration_prints_nothing(void **state)
{
	static const struct row rows[] = {
		{ "Socket\n", EX_DATAERR, NULL,
		    "conf:1: Socket: has no value" },
		{ SOCKET "Syslog maybe\n", EX_DATAERR, NULL,
		    "conf:2: Syslog: must be yes or no" },
		{ SOCKET "UMask 0x\nClockDrift 1d\n", EX_DATAERR, NULL,
		    "conf:3: ClockDrift: must be a number" },
		{ SOCKET "Include %s/conf\n", EX_DATAERR, NULL, "in a circle" },
		{ SOCKET "Include %s/nowhere\n", EX_NOINPUT, NULL,
		    "conf:2: Include: " },
		{ SOCKET SINGLE "Domain /nowhere\n", EX_NOINPUT, NULL,
		    "conf:5: Domain: /nowhere: No such file" },
		{ SOCKET "InternalHosts %s/pipe\n", EX_NOINPUT, NULL,
		    "is not a file" },
		{ SOCKET "InternalHosts /dev/zero\n", EX_NOINPUT, NULL,
		    "is not a file" },
	};

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	check_rows(rows, COUNT(rows));
}

static void
a_nul_is_no_text(void **state)
{
	struct command_run run;

	(void)state;
	command_write_file("nul", "Mode s\nSocket \0 x\n", 18);
	command_line("import opendkim nul", EMPTY, &run);
	assert_int_equal(run.code, EX_DATAERR);
	assert_non_null(strstr(run.err.data, "nul:2: there is a NUL"));
	assert_int_equal(run.out.len, 0);
	command_run_fini(&run);
}

/* field: E1 */
static void
a_key_that_others_can_read_is_named(void **state)
{
	struct command_run run;

	(void)state;
	assert_int_equal(chmod("a.pem", 0644), 0);
	run_import(SOCKET SINGLE, &run);
	assert_int_equal(chmod("a.pem", 0600), 0);
	assert_int_equal(run.code, 1);
	assert_non_null(strstr(run.err.data, "conf:4: KeyFile: key "));
	assert_non_null(strstr(run.err.data, "chmod o= "));
	assert_non_null(strstr(run.out.data, "{ name = \"example.com\";"));
	command_run_fini(&run);
}

/* A key of RSA, as DER in base64: what stands in the PEM. */
static void
read_base64(struct buf *out)
{
	char line[256];
	FILE *file = fopen("a.pem", "r");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL)
		if (line[0] != '-')
			buf_append(out, line, strcspn(line, "\n"));
	fclose(file);
	assert_false(out->failed);
}

static void
a_key_in_the_table_is_written_where_it_is_asked_for(void **state)
{
	struct command_run run;
	struct stat st;
	struct buf text;

	(void)state;
	buf_init(&text, SIZE_MAX);
	buf_append_str(&text,
	    SOCKET "SigningTable example.com=k\n"
		   "KeyTable csl:k=example.com:in:");
	read_base64(&text);
	buf_append_char(&text, '\n');
	run_import(text.data, &run);
	assert_int_equal(run.code, 1);
	assert_non_null(strstr(run.err.data, "-o DIR writes it"));
	assert_null(strstr(run.out.data, "name ="));
	command_run_fini(&run);
	/* Once more for the file that is there. */
	for (int i = 0; i < 2; i++) {
		command_line("import opendkim -o extracted conf", EMPTY, &run);
		assert_int_equal(run.code, 0);
		assert_non_null(strstr(run.out.data, "/example.com/in.pem\""));
		command_run_fini(&run);
	}
	assert_int_equal(stat("extracted/example.com/in.pem", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	buf_fini(&text);
}

/* A table of COUNT rows of a list, and how long it takes: no more than what
 * the timeout of command_run allows. */
static void
import_many(size_t count, int code, const char *err)
{
	struct command_run run;
	struct buf text;

	buf_init(&text, SIZE_MAX);
	buf_append_str(&text, SOCKET "Selector s\nKeyFile ");
	buf_append_str(&text, here);
	buf_append_str(&text, "/a.pem\nDomain d.test");
	for (size_t i = 0; i < count; i++)
		buf_printf(&text, ",d%zu.test", i);
	buf_append_char(&text, '\n');
	command_write_file("conf", text.data, text.len);
	buf_fini(&text);
	command_line("import opendkim conf", EMPTY, &run);
	if (run.code != code || strstr(run.err.data, err) == NULL)
		fail_msg("exit %d: %s", run.code, run.err.data);
	command_run_fini(&run);
}

static void
many_domains_are_translated(void **state)
{
	(void)state;
	import_many(20000, 0, "");
}

static void
too_many_rows_are_refused(void **state)
{
	(void)state;
	import_many(1000001, EX_DATAERR, "more than 1000000 rows");
}

static void
nothing_gets_to_the_terminal_or_out_of_a_string(void **state)
{
	struct command_run run;

	(void)state;
	run_import(SOCKET "MTA a\"; b\\\nMode \033[2J\n", &run);
	assert_int_equal(run.code, 1);
	assert_non_null(
	    strstr(run.out.data, "trusted_daemons = [ \"a\\\"; b\\\\\" ];"));
	assert_null(strchr(run.err.data, '\033'));
	command_run_fini(&run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_have_their_equivalent),
		cmocka_unit_test(tables_are_read_in_every_form),
		cmocka_unit_test(what_is_lost_is_named_with_the_way_out),
		cmocka_unit_test(what_is_no_configuration_prints_nothing),
		cmocka_unit_test(a_nul_is_no_text),
		cmocka_unit_test(a_key_that_others_can_read_is_named),
		cmocka_unit_test(
		    a_key_in_the_table_is_written_where_it_is_asked_for),
		cmocka_unit_test(many_domains_are_translated),
		cmocka_unit_test(too_many_rows_are_refused),
		cmocka_unit_test(
		    nothing_gets_to_the_terminal_or_out_of_a_string),
	};

	return cmocka_run_group_tests(tests, set_up, command_leave_folder);
}
