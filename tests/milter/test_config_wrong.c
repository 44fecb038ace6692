/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config.h"
#include "folder.h"

enum {
	MOST = 6 /* problems of a row */
};

/* A configuration and what is said of it: "LINE: SETTING: TEXT" each, in the
 * order of lines, or the beginning of that. */
static const struct {
	const char *text;
	const char *want[MOST];
} wrong[] = {
	/* nothing, as an editor or a full disk may leave it for a while */
	{ "", { "0: : is empty" } },

	/* names */
	{ "sokcet = \"x\";",
	    { "1: sokcet: is not a setting; the nearest that is one: "
	      "socket" } },
	{ "\nSocket = \"inet:1@::1\";",
	    { "2: Socket: is not a setting; the nearest that is one: "
	      "socket" } },
	{ "timeout = 5;",
	    { "1: timeout: is not a setting; the nearest that is one: "
	      "dns.timeout" } },
	{ "dns = {\n timeuot = 5;\n};",
	    { "2: dns.timeuot: is not a setting; the nearest that is one: "
	      "timeout" } },
	{ "dsn = { };",
	    { "1: dsn: is not a setting; the nearest that is one: dns" } },
	{ "domains = ( { name = \"a.example\"; canonicalisation = "
	  "\"simple/simple\"; } );",
	    { "1: domains.canonicalisation: is not a setting; the nearest "
	      "that is one: canonicalization" } },
	{ "domains = ( { name = \"a.example\";\n keys = (\n{ selctor = "
	  "\"a\"; file = \"/a\"; } ); } );",
	    { "3: domains.keys.selctor: is not a setting; the nearest "
	      "that is one: selector",
		"3: domains.keys.selector: is missing" } },
	{ "domains = ( { name = \"a.example\"; verify = { }; } );",
	    { "1: domains.verify: is not a setting; " } },
	{ "a = { b = { c = { d = 1; }; }; };", { "1: a: is not a setting" } },

	/* types */
	{ "socket = 5;", { "1: socket: must be a string in quotes" } },
	{ "socket = \"unix:/x\"; socket_mode = 0660;",
	    { "1: socket_mode: must be an octal mode in quotes, such as "
	      "\"0660\"" } },
	{ "socket = \"unix:/x\"; socket_mode = \"0x1\";",
	    { "1: socket_mode: \"0x1\": must be an octal mode in quotes" } },
	{ "socket = \"unix:/x\"; socket_mode = \"1777\";",
	    { "1: socket_mode: \"1777\": must be from \"0000\" to \"0777\"" } },
	{ "mode = \"maybe\";",
	    { "1: mode: \"maybe\": must be \"both\" | \"sign\" | "
	      "\"verify\"" } },
	{ "mode = true;", { "1: mode: must be a word in quotes" } },
	{ "dns = { dnssec = 1; };",
	    { "1: dns.dnssec: must be true or false" } },
	{ "dns = { dnssec = \"true\"; };",
	    { "1: dns.dnssec: must be true or false" } },
	{ "dns = true;", { "1: dns: must be a group: dns = { ... };" } },
	{ "dns = ( );", { "1: dns: must be a group: dns = { ... };" } },
	{ "trusted_networks = \"::1\";",
	    { "1: trusted_networks: must be a list of strings such as" } },
	{ "trusted_networks = [ 1 ];",
	    { "1: trusted_networks: must be a list of strings such as" } },
	{ "sign = { headers = \"From:To\"; };",
	    { "1: sign.headers: must be a list of strings such as" } },
	{ "sign = { headers = [ \"From:To\" ]; };",
	    { "1: sign.headers: \"From:To\": one name to a string" } },
	{ "sign = { headers = ( \"From\", ( \"To\" ) ); };",
	    { "1: sign.headers: must be a list of strings such as" } },
	{ "domains = { name = \"a.example\"; };",
	    { "1: domains: must be a list of groups such as" } },
	{ "domains = ( \"a.example\" );",
	    { "1: domains: must be a group: { name = \"example.com\"; }" } },
	{ "workers = { threads = 1.5; };",
	    { "1: workers.threads: must be a whole number without quotes" } },
	{ "workers = { threads = \"4\"; };",
	    { "1: workers.threads: must be a whole number without quotes" } },

	/* numbers, times and sizes */
	{ "limits = {\n max_connections = 4294967297; };",
	    { "2: limits.max_connections: 4294967297 is out of range for any "
	      "setting" } },
	{ "limits = { max_connections = 99999999999999999999L; };",
	    { "1: limits.max_connections: 99999999999999999999L is out of "
	      "range",
		"1: limits.max_connections: \"9223372036854775807\": must be "
		"from 1 to 1000000" } },
	{ "workers = { queue = 0xFFFFFFFF; };",
	    { "1: workers.queue: 0xFFFFFFFF is out of range",
		"1: workers.queue: \"-1\": must be from 1 to 1000000" } },
	{ "workers = { queue = -1; };",
	    { "1: workers.queue: \"-1\": must be from 1 to 1000000" } },
	{ "workers = { queue = 0; };",
	    { "1: workers.queue: \"0\": must be from 1 to 1000000" } },
	{ "verify = { max_signatures = 65; };",
	    { "1: verify.max_signatures: \"65\": must be from 1 to 64" } },
	{ "sign = { expire = \"14x\"; };",
	    { "1: sign.expire: \"14x\": must be a time such as" } },
	{ "sign = { expire = \"-1d\"; };",
	    { "1: sign.expire: \"-1d\": must be a time such as" } },
	{ "sign = { expire = \"\"; };",
	    { "1: sign.expire: \"\": must be from 0 to 3660d" } },
	{ "sign = { expire = \"d\"; };",
	    { "1: sign.expire: \"d\": must be a time such as" } },
	{ "sign = { expire = \"1d 2h\"; };",
	    { "1: sign.expire: \"1d 2h\": must be a time such as" } },
	{ "sign = { expire = \"9223372036854775807d\"; };",
	    { "1: sign.expire: \"9223372036854775807d\": must be a time" } },
	{ "dns = { timeout = \"0\"; };",
	    { "1: dns.timeout: \"0\": must be from 100ms to 1m" } },
	{ "dns = { timeout = \"2m\"; };",
	    { "1: dns.timeout: \"2m\": must be from 100ms to 1m" } },
	{ "limits = { max_header_bytes = \"65M\"; };",
	    { "1: limits.max_header_bytes: \"65M\": must be from 4k to 64M" } },
	{ "limits = { max_header_bytes = \"1K\"; };",
	    { "1: limits.max_header_bytes: \"1K\": must be a size" } },

	/* what single values must be */
	{ "socket = \"inet:8891\";",
	    { "1: socket: \"inet:8891\": must name the address to listen "
	      "on" } },
	{ "socket = \"inet:0@::1\";",
	    { "1: socket: \"inet:0@::1\": the port must be from 1 to "
	      "65535" } },
	{ "socket = \"unix:milter.sock\";",
	    { "1: socket: \"unix:milter.sock\": the socket's path must begin "
	      "with a /" } },
	{ "socket = \"/run/milter.sock\";",
	    { "1: socket: \"/run/milter.sock\": must be \"inet:PORT@" } },
	{ "user = \"\";", { "1: user: \"\": must not be empty" } },
	{ "authserv_id = \"mx example\";",
	    { "1: authserv_id: \"mx example\": must be a name" } },
	{ "trusted_networks = [ \"10.0.0.1/8\" ];",
	    { "1: trusted_networks: \"10.0.0.1/8\": there are bits set behind "
	      "the prefix" } },
	{ "trusted_networks = [\n\"10.0.0.0/33\",\n\"10.0.0\",\n\"fd00::/129\","
	  "\n\"fd00::/\", \"localhost\" ];",
	    { "2: trusted_networks: \"10.0.0.0/33\": what follows the / must "
	      "be from 0 to 32",
		"3: trusted_networks: \"10.0.0\": not a network",
		"4: trusted_networks: \"fd00::/129\": what follows the / must "
		"be from 0 to 128",
		"5: trusted_networks: \"fd00::/\": what follows",
		"5: trusted_networks: \"localhost\": not a network" } },
	{ "trusted_networks = [ \"0.0.0.0/0\" ];",
	    { "1: trusted_networks: warning: every client in the world is "
	      "trusted" } },
	{ "key_directory = \"keys\";",
	    { "1: key_directory: \"keys\": must be a path that begins with a "
	      "/" } },
	{ "dns = { servers = [ \"dns.example\" ]; };",
	    { "1: dns.servers: \"dns.example\": must be \"ADDRESS\" or" } },
	{ "dns = { servers = [ \"127.0.0.1@99999\" ]; };",
	    { "1: dns.servers: \"127.0.0.1@99999\": must be" } },
	{ "status = { http = \"8892\"; };",
	    { "1: status.http: \"8892\": must be \"ADDRESS:PORT\"" } },
	{ "status = { http = \"::1:8892\"; };",
	    { "1: status.http: \"::1:8892\": must be \"ADDRESS:PORT\"" } },
	{ "log = { to = \"journal\"; };",
	    { "1: log.to: \"journal\": must be \"syslog\", \"stderr\" or" } },
	{ "key_store = { type = \"redis\"; };",
	    { "1: key_store.type: \"redis\": this build has no such key "
	      "store: its key stores are \"directory\"" } },
	{ "key_store = { path = \"/x\"; };",
	    { "1: key_store.path: this version can do no more than \"\"" } },
	{ "published = { interval = \"5\"; retry = 30;\nmax_rate = 0; "
	  "file = \"published\"; };\nsign = { on_no_usable_key = \"reject\"; "
	  "};",
	    { "2: published.max_rate: \"0\": must be from 1 to 1000",
		"2: published.file: \"published\": must be a path",
		"3: sign.on_no_usable_key: \"reject\": must be " } },
	{ "reports = { directory = \"x\";\nsendmail = \"sendmail -t\";\n"
	  "from = \"a b@example.org\"; };",
	    { "1: reports.directory: \"x\": must be a path",
		"2: reports.sendmail: \"sendmail -t\": must be a path",
		"3: reports.from: \"a b@example.org\": must be "
		"\"USER@DOMAIN\"" } },
	{ "published = {\nretry = 5;\nmax_rate = 5; };",
	    { "2: published.retry: warning: has no effect: "
	      "sign.require_published is nowhere true" } },
	{ "reports = { from = \"a\"; };",
	    { "1: reports.from: \"a\": must be" } },
	{ "replay = { window = \"2h\";\nentries = 5; };",
	    { "1: replay.window: warning: has no effect",
		"2: replay.entries: warning: has no effect" } },
	{ "reports = {\nfrom = \"a@example.org\";\nper_hour = 5; };",
	    { "2: reports.from: warning: has no effect" } },
	{ "mode = \"sign\";\nreports = { directory = \"/a\"; };",
	    { "2: reports.directory: warning: has no effect" } },

	/* policy of verification */
	{ "verify = { on_fail = \"refuse\"; };",
	    { "1: verify.on_fail: \"refuse\": must be \"accept\" | \"reject\" "
	      "| \"tempfail\" | \"quarantine\" | \"discard\"" } },
	{ "verify = { on_fail = \"reject\";\nfail_reply = \"no\"; };",
	    { "2: verify.fail_reply: \"no\": must be a code, perhaps an "
	      "enhanced status code, and a text: \"550 5.7.1 " } },
	{ "verify = { on_fail = \"reject\";\nfail_reply = \"250 2.0.0 ok\"; "
	  "};",
	    { "2: verify.fail_reply: \"250 2.0.0 ok\": the code must be from "
	      "400 to 599" } },
	{ "verify = { on_fail = \"reject\";\nfail_reply = \"450 4.7.1 no\"; "
	  "};",
	    { "2: verify.fail_reply: 450 is no code for what on_fail does: it "
	      "must be from 500 to 559" } },
	{ "verify = { on_temperror = \"tempfail\";\ntemperror_reply = \"550 "
	  "no\"; };",
	    { "2: verify.temperror_reply: 550 is no code for what on_temperror "
	      "does: it must be from 400 to 459" } },
	{ "verify = { require_aligned_pass = true;\ntemperror_reply = \"550 "
	  "no\"; };",
	    { "2: verify.temperror_reply: 550 is no code for" } },
	{ "verify = { require_aligned_pass = true; on_unaligned = "
	  "\"tempfail\";\nunaligned_reply = \"550 no\"; };",
	    { "2: verify.unaligned_reply: 550 is no code for what on_unaligned "
	      "does" } },
	{ "verify = {\nfail_reply = \"550 no\"; };",
	    { "2: verify.fail_reply: warning: has no effect: on_fail gives no "
	      "reply" } },
	{ "verify = {\nunaligned_reply = \"550 no\"; };",
	    { "2: verify.unaligned_reply: warning: has no effect: "
	      "require_aligned_pass gives no reply" } },
	{ "verify = {\nstrict_alignment = true; };",
	    { "2: verify.strict_alignment: warning: has no effect: "
	      "verify.require_aligned_pass is false" } },
	{ "log = {\nrepeats = -1; };",
	    { "2: log.repeats: \"-1\": must be from 0 to 1000000" } },
	{ "log = {\nto = \"file:x\"; };",
	    { "2: log.to: \"file:x\": must be \"syslog\", \"stderr\" or "
	      "\"file:/PATH\"" } },
	{ "verify = {\non_unaligned = \"discard\"; };",
	    { "2: verify.on_unaligned: warning: has no effect: "
	      "verify.require_aligned_pass is false" } },
	{ "verify = { require_aligned_pass = true;\non_unaligned = "
	  "\"accept\"; };",
	    { "2: verify.on_unaligned: \"accept\": must be \"reject\" | " } },
	{ "verify = {\nexempt_clients = [ \"192.0.2.1/24\" ]; };",
	    { "2: verify.exempt_clients: \"192.0.2.1/24\": there are bits "
	      "set" } },
	{ "verify = {\nexempt_senders = [ \"*.example\" ]; };",
	    { "2: verify.exempt_senders: \"*.example\": must be a domain, "
	      "\".\" and a domain for its subdomains, an address" } },
	{ "verify = {\nexempt_recipients = \"a@a.example\"; };",
	    { "2: verify.exempt_recipients: must be a list of strings such as "
	      "[ \"a@example.com\"" } },
	{ "sign = {\nexempt_recipients = [ 1 ]; };",
	    { "2: sign.exempt_recipients: must be a list of strings" } },
	{ "verify = { dry_run = \"yes\"; };",
	    { "1: verify.dry_run: must be true or false" } },

	/* and what differs in it */
	{ "verify = { domains = \"a.example\"; };",
	    { "1: verify.domains: must be a list of groups such as" } },
	{ "verify = { domains = ( \"a.example\" ); };",
	    { "1: verify.domains: must be a group: { name = " } },
	{ "verify = { domains = (\n{ } ); };",
	    { "2: verify.domains.name: is missing" } },
	{ "verify = { domains = (\n{ name = \"a b\"; } ); };",
	    { "2: verify.domains.name: \"a b\": must be a domain" } },
	{ "verify = { domains = (\n{ name = \"a.example\"; },\n{ name = "
	  "\"A.example\"; } ); };",
	    { "3: verify.domains.name: \"a.example\" has an entry already, in "
	      "line 2" } },
	{ "verify = { domains = (\n{ name = \"a.example\"; on_fial = "
	  "\"reject\"; } ); };",
	    { "2: verify.domains.on_fial: is not a setting; the nearest that "
	      "is one: on_fail" } },
	{ "verify = { domains = (\n{ name = \"a.example\"; domains = ( ); } "
	  "); };",
	    { "2: verify.domains.domains: is not a setting; " } },
	{ "verify = { domains = (\n{ name = \"a.example\"; match = "
	  "\"none\"; } ); };",
	    { "2: verify.domains.match: is not a setting; " } },
	{ "verify = { on_fail = \"reject\"; fail_reply = \"550 no\"; domains "
	  "= (\n{ name = \"a.example\"; on_fail = \"tempfail\"; } ); };",
	    { "2: verify.domains.fail_reply: 550 is no code for what on_fail "
	      "does: it must be from 400" } },
	{ "verify = { domains = (\n{ name = \"a.example\"; fail_reply = "
	  "\"550 no\"; } ); };",
	    { "2: verify.domains.fail_reply: warning: has no effect: on_fail "
	      "gives no reply" } },
	{ "verify = { require_aligned_pass = true; on_unaligned = "
	  "\"quarantine\"; on_fail = \"tempfail\"; fail_reply = \"450 "
	  "{domain}\"; domains = (\n{ name = \"a.example\"; "
	  "exempt_clients = [ \"::1\" ]; } ); };",
	    { NULL } },

	/* entries */
	{ "domains = ( {\n} );", { "1: domains.name: is missing" } },
	{ "domains = ( { name = \"a b\"; } );",
	    { "1: domains.name: \"a b\": must be a domain" } },
	{ "domains = ( { name = \"@a.example\"; } );",
	    { "1: domains.name: \"@a.example\": must be a domain" } },
	{ "domains = ( { name = \"*.a.example\"; } );",
	    { "1: domains.name: \"*.a.example\": must be a domain" } },
	{ "domains = ( { name = \"a..example\"; } );",
	    { "1: domains.name: \"a..example\": must be a domain" } },
	{ "domains = (\n{ name = \"B\xc3\xbc"
	  "cher.example\"; },\n{ name = "
	  "\"xn--bcher-kva.example.\"; } );",
	    { "3: domains.name: \"xn--bcher-kva.example\" has an entry "
	      "already, in line 2" } },
	{ "domains = ( { name = \"a.example\"; keys = ( { selector = \"a "
	  "b\"; file = \"k.pem\"; domain = \"x y\"; } ); } );",
	    { "1: domains.keys.selector: \"a b\": not a selector",
		"1: domains.keys.file: \"k.pem\": must be a path",
		"1: domains.keys.domain: \"x y\": not a domain" } },
	{ "domains = ( { name = \"a.example\"; keys = ( 5 ); } );",
	    { "1: domains.keys: must be a group" } },
	{ "domains = ( { name = \"a.example\";\n identity = \"@b.example\"; } "
	  ");",
	    { "1: domains.identity: \"@b.example\" is not under "
	      "\"a.example\"" } },
	{ "domains = ( { name = \"a.example\"; identity = \"b\"; } );",
	    { "1: domains.identity: \"b\": must be \"USER@DOMAIN\"" } },
	{ "domains = ( { name = \"a.example\"; headers = [ \"To\" ]; oversign "
	  "= [ ]; } );",
	    { "1: domains.headers: must name From (RFC 6376" } },
	{ "domains = ( { name = \"*\"; keys = ( { selector = \"s\"; file = "
	  "\"/k\"; } ); } );",
	    { "1: domains.keys: warning: signs for any domain" } },
	{ "key_directory = \"\"; domains = ( { name = \"a.example\"; } );",
	    { "1: domains.keys: \"a.example\" has no keys, and there is no "
	      "key_directory" } },

	/* what does not go together */
	{ "sign = { headers = [ \"To\", \"Subject\", \"to\" ]; oversign = [ ]; "
	  "};",
	    { "1: sign.headers: must name From",
		"1: sign.headers: \"to\" stands there twice" } },
	{ "sign = { headers = [ \"+X-A\", \"To\" ]; };",
	    { "1: sign.headers: a + or - must stand before each name, or "
	      "before none" } },
	{ "sign = { headers = [ \"-fRom\" ]; };",
	    { "1: sign.headers: \"-fRom\": From is always signed (RFC 6376" } },
	{ "sign = { headers = [ \"+\" ]; oversign = [ \"-X:\" ]; };",
	    { "1: sign.headers: \"+\": a header field's name must not be",
		"1: sign.oversign: \"-X:\": one name to a string" } },
	{ "sign = { oversign = [ \"-Subjekt\" ]; };",
	    { "1: sign.oversign: warning: \"-Subjekt\": is not there to be "
	      "taken away" } },
	{ "domains = ( { name = \"a.example\"; headers = [ \"+bcc\" ]; } );",
	    { "1: domains.headers: warning: Bcc is added or changed on the "
	      "way" } },
	{ "verify = { min_rsa_bits = 4096; max_rsa_bits = 2048; };",
	    { "1: verify.min_rsa_bits: 4096 is more than "
	      "verify.max_rsa_bits, 2048" } },
	{ "socket_group = \"postfix\";",
	    { "1: socket_group: warning: has no effect: the socket is not a "
	      "unix socket" } },
	{ "dns = { dnssec = false; trust_anchor = \"/a\"; };",
	    { "1: dns.trust_anchor: warning: has no effect" } },
	{ "limits = { max_wait = \"1s\"; };",
	    { "0: dns.timeout: warning: longer than limits.max_wait" } },
	{ "untrusted_daemons = [ \"A\" ]; trusted_daemons = [ \"A\" ];",
	    { "1: trusted_daemons: warning: a name stands in "
	      "untrusted_daemons" } },
	{ "mode = \"verify\"; domains = ( { name = \"a.example\"; } );",
	    { "1: domains: warning: have no effect" } },

	/* text */
	{ "mode = \"sign\";\nmode = \"sign\";\n",
	    { "2: mode: is set above already: keep one of the two" } },
	{ "sign = { };\n  sign = { expire = \"0\"; };\n",
	    { "2: : is set above already: keep one of the two" } },
	{ "sign = { };\n  sign = {\n};\n",
	    { "2: sign: is set above already: keep one of the two" } },
	{ "dns = {\n", { "2: : syntax error" } },
	{ "a\n= = 1;", { "2: : syntax error" } },
	{ "user = \"a\n\nb;", { "1: : this string is never closed" } },
	{ "user = \"a\";\n/* x\nmode = \"both\";",
	    { "2: : this comment is never closed" } },
	{ "user = \"a\\x00b\";", { "1: user: \\x00 would end the string" } },
	{ "x", { "1: : syntax error in this line, or in the one before" } },

	/* several at once, each of them said */
	{ "mode = 1;\nuser = \"\";\nx = 1;\ndns = { timeout = 0;\n y = 2; };",
	    { "1: mode: must be", "2: user: ", "3: x: is not", "4: dns.timeout",
		"5: dns.y: is not" } },
};

static const struct config *
load(const struct folder *folder, const char *text,
    struct config_problems *problems)
{
	folder_write(folder, "conf", 0600, text);
	return config_load(folder_path(folder, "conf"), problems);
}

/* Whether exactly what the row wants is said; prints where it is not. */
static bool
check_wrong(const struct folder *folder, size_t row)
{
	struct config_problems problems;
	const struct config *config = load(folder, wrong[row].text, &problems);
	const struct config_problem *problem;
	const char *want = "";
	char got[2048];
	bool ok = true;
	size_t i;

	for (i = 0; ok && (want != NULL || i < problems.count); i++) {
		want = i < MOST ? wrong[row].want[i] : NULL;
		got[0] = '\0';
		if (i < problems.count) {
			problem = &problems.items[i];
			snprintf(got, sizeof got, "%u: %s: %s%s", problem->line,
			    problem->setting,
			    problem->warning ? "warning: " : "", problem->text);
			assert_string_equal(
			    problem->file, folder_path(folder, "conf"));
		}
		ok = want == NULL ? got[0] == '\0'
				  : strncmp(got, want, strlen(want)) == 0;
		if (!ok)
			print_error("row %zu, %s\n got: %s\nwant: %s\n", row,
			    wrong[row].text, got, want == NULL ? "" : want);
	}
	assert_true((config == NULL) == (problems.errors > 0));
	config_unref(config);
	config_problems_fini(&problems);
	return ok;
}

/* field: A13, A17 */
static void
test_each_wrong_configuration_is_told_by_file_line_and_setting(void **state)
{
	size_t i, failed = 0;

	for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
		failed += !check_wrong(*state, i);
	print_message("%zu wrong configurations\n", i);
	assert_int_equal(failed, 0);
}

static void
test_more_problems_than_are_kept_are_counted(void **state)
{
	char *text = malloc(40000), *at = text;
	struct config_problems problems;
	int i;

	for (i = 0; i < 1500; i++)
		at += sprintf(at, "x%d = 1;\n", i);
	assert_null(load(*state, text, &problems));
	assert_int_equal(problems.errors, 1500);
	assert_int_equal(problems.count, CONFIG_MAX_PROBLEMS);
	assert_int_equal(problems.dropped, 500);
	config_problems_fini(&problems);
	free(text);
}

static void
test_what_is_met_again_is_told_once(void **state)
{
	struct config_problems problems = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++)
		config_problem(&problems, "f", 1, "key_directory", "closed");
	assert_int_equal(problems.count, 1);
	assert_int_equal(problems.errors, 1);
	config_problem(&problems, "f", 1, "socket", "closed");
	config_problem(&problems, "f", 2, "socket", "closed");
	config_problem(&problems, "g", 2, "socket", "closed");
	config_problem(&problems, "g", 2, "socket", "open");
	config_warning(&problems, "g", 2, "socket", "open");
	assert_int_equal(problems.count, 6);
	assert_int_equal(problems.errors, 5);
	config_problems_fini(&problems);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    test_each_wrong_configuration_is_told_by_file_line_and_setting),
		cmocka_unit_test(test_more_problems_than_are_kept_are_counted),
		cmocka_unit_test(test_what_is_met_again_is_told_once),
	};

	return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
