/* SPDX-License-Identifier: BSD-2-Clause */
/* What "signpost explain" answers: the rule, the keys, the reason. */
#include <jansson.h>
#include <limits.h>
#include <pwd.h>
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

static void
run_ok(const char *line)
{
	struct command_run run;

	command_line(line, EMPTY, &run);
	if (run.code != EX_OK)
		fail_msg("%s: %s", line, run.err.data);
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
	    "user = \"%s\"; key_directory = \"%s/keys\";\n"
	    "trusted_networks = [ \"192.0.2.0/24\", \"2001:db8::/32\" ];\n"
	    "trusted_daemons = [ \"OUT\" ]; untrusted_daemons = [ \"IN\" ];\n"
	    "domains = (\n"
	    "  { name = \"example.org\"; match = \"either\";\n"
	    "    keys = ( { selector = \"o\";\n"
	    "      file = \"%s/keys/example.com/e.pem\"; } ); },\n"
	    "  { name = \".example.org\"; domain = \"example.org\";\n"
	    "    keys = ( { selector = \"p\";\n"
	    "      file = \"%s/keys/example.com/e.pem\"; } ); },\n"
	    "  { name = \"bare.test\"; keys = ( { selector = \"x\";\n"
	    "      file = \"%s/none.pem\"; } ); },\n"
	    "  { name = \"open.test\"; on_error = \"accept\";\n"
	    "    keys = ( { selector = \"x\"; file = \"%s/none.pem\"; } ); },\n"
	    "  { name = \"empty.test\"; on_no_usable_key = \"tempfail\"; },\n"
	    "  { name = \"half.test\"; keys = (\n"
	    "      { selector = \"x\"; file = \"%s/none.pem\"; },\n"
	    "      { selector = \"e\";\n"
	    "        file = \"%s/keys/example.com/e.pem\"; } ); } );\n"
	    "verify = { exempt_recipients = [ \"postmaster@b.test\" ];\n"
	    "  domains = ( { name = \"strict.test\";\n"
	    "    require_aligned_pass = true; } ); };\n",
	    user->pw_name, here, here, here, here, here, here, here);
	assert_int_equal(fclose(file), 0);
	run_ok("keygen -c conf -d example.com -s r -b 1024");
	run_ok("keygen -c conf -d example.com -s e -t ed25519");
	return 0;
}

static void
each_case_has_its_outcome_and_reason(void **state)
{
	static const struct {
		const char *name, *arguments;
		int code;
		const char *says[3];
	} rows[] = {
		{ "folder of keys", "--from a@example.com", EX_OK,
		    { "message:  is signed\n",
			"reason:   sign: ", "/keys/example.com counts\n" } },
		{ "no client", "--from a@example.com", EX_OK,
		    { "trust:    no_client: " } },
		{ "network", "--from a@example.com --client 192.0.2.7", EX_OK,
		    { "trust:    network: " } },
		{ "network of IPv6",
		    "--from a@example.com --client 2001:db8::1", EX_OK,
		    { "trust:    network: " } },
		{ "user", "--from a@example.com --client 198.51.100.1 --auth a",
		    EX_OK, { "trust:    auth: " } },
		{ "listener",
		    "--from a@example.com --client 198.51.100.1 --daemon OUT",
		    EX_OK, { "trust:    daemon: " } },
		{ "untrusted listener wins",
		    "--from a@example.com --client 192.0.2.7 --daemon IN", 1,
		    { "is not signed, and verified", "reason:   verify: ",
			"trust:    untrusted_daemon: " } },
		{ "stranger", "--from a@example.com --client 198.51.100.1", 1,
		    { "is not signed, and verified",
			"reason:   verify: ", "trust:    none: " } },
		{ "whole field", "--from A<a@EXAMPLE.com>", EX_OK,
		    { "domain:   example.com\n" } },
		{ "entry and its line", "--from a@example.org", EX_OK,
		    { "entry:    \"example.org\" in ", "conf:5\n",
			"selector o, domain example.org, ed25519-sha256, " } },
		{ "parent's entry", "--from a@b.example.org", EX_OK,
		    { "entry:    \".example.org\" in ", "conf:8\n",
			"selector p, domain example.org, " } },
		{ "another's envelope",
		    "--from a@example.org --sender b@example.com", 1,
		    { "passed on as it is", "reason:   match: " } },
		{ "null sender", "--from a@example.org --sender <>", 1,
		    { "reason:   match: " } },
		{ "the user's domain",
		    "--from a@example.org --sender <> --auth b@example.org",
		    EX_OK, { "reason:   sign: " } },
		{ "key that is not there", "--from a@bare.test", 1,
		    { "is not signed, and refused for now",
			"reason:   keys_unusable: ",
			"unusable: 1 of 1 keys: " } },
		{ "and mail that goes all the same", "--from a@open.test", 1,
		    { "is not signed, and passed on",
			"reason:   keys_unusable: " } },
		{ "entry without a key", "--from a@empty.test", 1,
		    { "is not signed, and refused for now",
			"reason:   no_usable_key: " } },
		{ "one of two", "--from a@half.test", EX_OK,
		    { "message:  is signed\n", "selector e, ",
			"unusable: 1 of 2 keys: " } },
		{ "strict about others",
		    "--from b@strict.test --client 198.51.100.1", 1,
		    { "policy:   on_fail accept, on_temperror accept, without "
		      "an aligned pass reject\n",
			"because:  entry \"strict.test\" in ", "conf:21\n" } },
		{ "whoever is named first",
		    "--from a@b.test,b@strict.test --client 198.51.100.1", 1,
		    { "because:  entry \"strict.test\" in " } },
		{ "exempt",
		    "--from b@b.test --client 198.51.100.1 --recipient "
		    "postmaster@b.test",
		    1, { "exempt:   exempt_recipients: " } },
		{ "nobody's domain", "--from a@b.test", 1,
		    { "reason:   no_key: ", "entry:    none applies" } },
		{ "no address", "--from @", 1,
		    { "reason:   from_syntax: ", "domain:   none\n" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct command_run run;
		char line[256];

		print_message("  %s\n", rows[i].name);
		snprintf(line, sizeof(line), "explain -c conf %s",
		    rows[i].arguments);
		command_line(line, EMPTY, &run);
		if (run.code != rows[i].code)
			fail_msg("exit code %d: %s%s", run.code, run.out.data,
			    run.err.data);
		for (size_t j = 0; j < 3 && rows[i].says[j] != NULL; j++)
			if (strstr(run.out.data, rows[i].says[j]) == NULL)
				fail_msg("not \"%s\" but: %s", rows[i].says[j],
				    run.out.data);
		command_run_fini(&run);
	}
}

static json_t *
explain_json(const char *arguments, int code)
{
	struct command_run run;
	json_t *object;
	char line[256];

	snprintf(line, sizeof(line), "explain -c conf --json %s", arguments);
	command_line(line, EMPTY, &run);
	assert_int_equal(run.code, code);
	object = json_loadb(run.out.data, run.out.len, 0, NULL);
	assert_non_null(object);
	command_run_fini(&run);
	return object;
}

static void
json_says_the_same(void **state)
{
	json_t *object = explain_json("--from a@example.org", EX_OK), *key;
	const char *action, *reason, *selector, *domain, *algorithm, *name;
	json_t *keys;
	int sign, verify, line;

	(void)state;
	assert_int_equal(
	    json_unpack(object, "{s:b s:b s:s s:s s:o s:{s:s s:i}}", "sign",
		&sign, "verify", &verify, "action", &action, "reason", &reason,
		"keys", &keys, "entry", "name", &name, "line", &line),
	    0);
	assert_true(sign);
	assert_false(verify);
	assert_string_equal(action, "accept");
	assert_string_equal(reason, "sign");
	assert_string_equal(name, "example.org");
	assert_int_equal(line, 5);
	assert_int_equal(json_array_size(keys), 1);
	key = json_array_get(keys, 0);
	assert_int_equal(
	    json_unpack(key, "{s:s s:s s:s}", "selector", &selector, "domain",
		&domain, "algorithm", &algorithm),
	    0);
	assert_string_equal(selector, "o");
	assert_string_equal(domain, "example.org");
	assert_string_equal(algorithm, "ed25519-sha256");
	json_decref(object);

	object = explain_json("--from a@bare.test", 1);
	assert_int_equal(
	    json_unpack(object, "{s:b s:s s:s s:s}", "sign", &sign, "action",
		&action, "reason", &reason, "unusable", &name),
	    0);
	assert_false(sign);
	assert_string_equal(action, "tempfail");
	assert_string_equal(reason, "keys_unusable");
	assert_non_null(strstr(name, "none.pem"));
	assert_true(json_is_null(json_object_get(object, "policy")));
	json_decref(object);

	object = explain_json("--from a@strict.test --client 198.51.100.1", 1);
	assert_int_equal(
	    json_unpack(object, "{s:{s:s s:s s:b s:{s:s} s:s}}", "policy",
		"on_fail", &action, "on_unaligned", &reason, "dry_run", &sign,
		"entry", "name", &name, "exempt", &domain),
	    0);
	assert_string_equal(action, "accept");
	assert_string_equal(reason, "reject");
	assert_false(sign);
	assert_string_equal(name, "strict.test");
	assert_string_equal(domain, "");
	json_decref(object);
}

static void
a_client_is_an_address(void **state)
{
	struct command_run run;

	(void)state;
	command_line(
	    "explain -c conf --from a@example.com --client mx", EMPTY, &run);
	assert_int_equal(run.code, EX_USAGE);
	assert_non_null(strstr(run.err.data, "--client \"mx\""));
	command_run_fini(&run);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case_has_its_outcome_and_reason),
		cmocka_unit_test(json_says_the_same),
		cmocka_unit_test(a_client_is_an_address),
	};

	return cmocka_run_group_tests(tests, set_up, command_leave_folder);
}
