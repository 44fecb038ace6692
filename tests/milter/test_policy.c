/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include <cmocka.h>

#include "folder.h"

/* The keystore's one question, answered without files: a domain has a key
 * where its name or its entry's says so. */
bool
keystore_has(struct keystore *keystore, const struct config_domain *entry,
    const char *domain)
{
	(void)keystore;
	if (entry != NULL && entry->key_count > 0)
		return true;
	return strncmp(domain, "keyed", 5) == 0 ||
	    strncmp(domain, "xn--keyed", 9) == 0;
}

static const char configuration[] =
    "trusted_networks = [ \"127.0.0.0/8\", \"::1\", \"192.0.2.0/24\", "
    "\"2001:db8::/32\" ];\n"
    "untrusted_daemons = [ \"REINJECT\" ];\n"
    "domains = (\n"
    "{ name = \"listed.example\"; keys = ( { selector = \"s\"; file = \"/k\"; "
    "} ); },\n"
    "{ name = \"none.example\"; keys = ( ); },\n"
    "{ name = \"envelope.example\"; match = \"envelope\"; keys = ( { selector "
    "= \"s\"; file = \"/k\"; } ); },\n"
    "{ name = \"auth.example\"; match = \"auth\"; keys = ( { selector = \"s\"; "
    "file = \"/k\"; } ); },\n"
    "{ name = \"either.example\"; match = \"either\"; keys = ( { selector = "
    "\"s\"; file = \"/k\"; } ); },\n"
    "{ name = \"boss@listed.example\"; expire = \"1d\"; keys = ( { selector = "
    "\"s\"; file = \"/k\"; } ); },\n"
    "{ name = \".parent.example\"; keys = ( { selector = \"s\"; file = \"/k\"; "
    "} ); } );\n";

struct row {
	const char *name;
	const char *mode; /* setting mode; NULL: "both" */
	bool trusted_too;
	const char *client; /* address; NULL: none; "unix": of that family */
	const char *user, *daemon, *sender;
	size_t from_count;
	const char *from;	/* "local@domain"; NULL: none was read */
	const char *want;	/* "trust reason [sign] [verify] domain" */
	const char *want_entry; /* NULL: none */
};

/* Shorter rows: what a plain message from outside has. */
#define OUTSIDE .client = "198.51.100.7", .sender = "<a@b.example>"
#define INSIDE	.client = "192.0.2.7", .sender = "<a@b.example>"
#define FROM(f) .from_count = 1, .from = (f)

static const struct row rows[] = {
	/* what makes a client trusted */
	{ "a stranger", OUTSIDE, FROM("x@keyed.example"),
	    .want = "none verify -v keyed.example" },
	{ "a network", INSIDE, FROM("x@keyed.example"),
	    .want = "network sign s- keyed.example" },
	{ "beside the network", .client = "192.0.3.0", FROM("x@keyed.example"),
	    .want = "none verify -v keyed.example" },
	{ "loopback", .client = "127.255.0.9", FROM("x@keyed.example"),
	    .want = "network sign s- keyed.example" },
	{ "IPv6 loopback", .client = "::1", FROM("x@keyed.example"),
	    .want = "network sign s- keyed.example" },
	{ "IPv6 beside loopback", .client = "::2", FROM("x@keyed.example"),
	    .want = "none verify -v keyed.example" },
	{ "IPv6 network", .client = "2001:db8:ffff::1", FROM("x@keyed.example"),
	    .want = "network sign s- keyed.example" },
	{ "IPv6 beside the network", .client = "2001:db9::1",
	    FROM("x@keyed.example"), .want = "none verify -v keyed.example" },
	{ "IPv4 mapped into IPv6", .client = "::ffff:192.0.2.1",
	    FROM("x@keyed.example"), .want = "network sign s- keyed.example" },
	{ "authenticated", OUTSIDE, .user = "u", FROM("x@keyed.example"),
	    .want = "auth sign s- keyed.example" },
	{ "an empty user is none", OUTSIDE, .user = "", FROM("x@keyed.example"),
	    .want = "none verify -v keyed.example" },
	{ "no client at all", FROM("x@keyed.example"),
	    .want = "no_client sign s- keyed.example" },
	{ "a client of another family", .client = "unix",
	    FROM("x@keyed.example"),
	    .want = "no_client sign s- keyed.example" },
	{ "a client that hung up", .client = "unknown", FROM("x@keyed.example"),
	    .want = "none verify -v keyed.example" },
	{ "a trusted listener", OUTSIDE, .daemon = "ORIGINATING",
	    FROM("x@keyed.example"), .want = "daemon sign s- keyed.example" },
	{ "another listener", OUTSIDE, .daemon = "smtpd",
	    FROM("x@keyed.example"), .want = "none verify -v keyed.example" },
	{ "listeners' names are told apart by case", OUTSIDE,
	    .daemon = "originating", FROM("x@keyed.example"),
	    .want = "none verify -v keyed.example" },
	{ "an untrusted listener wins over a network", INSIDE,
	    .daemon = "REINJECT", FROM("x@keyed.example"),
	    .want = "untrusted_daemon verify -v keyed.example" },
	{ "an untrusted listener wins over a user", INSIDE, .user = "u",
	    .daemon = "REINJECT", FROM("x@keyed.example"),
	    .want = "untrusted_daemon verify -v keyed.example" },
	{ "an untrusted listener wins over no client", .daemon = "REINJECT",
	    FROM("x@keyed.example"),
	    .want = "untrusted_daemon verify -v keyed.example" },

	/* whose domain */
	/* field: A16 */
	{ "no From", INSIDE, .from_count = 0,
	    .want = "network from_fields -- " },
	{ "two From", INSIDE, .from_count = 2, .from = "x@keyed.example",
	    .want = "network from_fields -- " },
	{ "From that can't be read", INSIDE, .from_count = 1,
	    .want = "network from_syntax -- " },
	{ "From whose domain is none", INSIDE, FROM("x@[192.0.2.1]"),
	    .want = "network from_syntax -- " },
	{ "From that tries a path", INSIDE, FROM("x@../keyed.example"),
	    .want = "network from_syntax -- " },
	{ "From with an empty label", INSIDE, FROM("x@keyed..example"),
	    .want = "network from_syntax -- " },
	{ "From in capitals", INSIDE, FROM("X@KEYED.Example"),
	    .want = "network sign s- keyed.example" },
	{ "From in U-labels", INSIDE, FROM("x@keyed-\xc3\xbc.example"),
	    .want = "network sign s- xn--keyed--8ya.example" },
	{ "two From from outside are verified", OUTSIDE, .from_count = 2,
	    .want = "none verify -v " },
	{ "the null sender changes nothing", .client = "192.0.2.7",
	    .sender = "<>", FROM("x@keyed.example"),
	    .want = "network sign s- keyed.example" },

	/* which entry */
	{ "no entry and no key", INSIDE, FROM("x@nokey.example"),
	    .want = "network no_key -- nokey.example" },
	{ "an exact entry", INSIDE, FROM("x@listed.example"),
	    .want = "network sign s- listed.example",
	    .want_entry = "listed.example" },
	{ "an address", INSIDE, FROM("Boss@Listed.example"),
	    .want = "network sign s- listed.example",
	    .want_entry = "boss@listed.example" },
	{ "a parent", INSIDE, FROM("x@a.b.parent.example"),
	    .want = "network sign s- a.b.parent.example",
	    .want_entry = ".parent.example" },
	{ "a parent is not its own child", INSIDE, FROM("x@parent.example"),
	    .want = "network no_key -- parent.example" },
	{ "an entry without a key", INSIDE, FROM("x@none.example"),
	    .want = "network no_usable_key -- none.example",
	    .want_entry = "none.example" },

	/* match (field: A29) */
	{ "envelope of the domain", .client = "192.0.2.7",
	    .sender = "<a@Envelope.example>", FROM("x@envelope.example"),
	    .want = "network sign s- envelope.example",
	    .want_entry = "envelope.example" },
	{ "envelope of another", INSIDE, FROM("x@envelope.example"),
	    .want = "network match -- envelope.example",
	    .want_entry = "envelope.example" },
	{ "the null sender is nobody's", .client = "192.0.2.7", .sender = "<>",
	    FROM("x@envelope.example"),
	    .want = "network match -- envelope.example",
	    .want_entry = "envelope.example" },
	{ "user of the domain", OUTSIDE, .user = "u@auth.example",
	    FROM("x@auth.example"), .want = "auth sign s- auth.example",
	    .want_entry = "auth.example" },
	{ "user of another", OUTSIDE, .user = "u@b.example",
	    FROM("x@auth.example"), .want = "auth match -- auth.example",
	    .want_entry = "auth.example" },
	{ "a user without a domain", OUTSIDE, .user = "auth.example",
	    FROM("x@auth.example"), .want = "auth match -- auth.example",
	    .want_entry = "auth.example" },
	{ "either by user", OUTSIDE, .user = "u@either.example",
	    FROM("x@either.example"), .want = "auth sign s- either.example",
	    .want_entry = "either.example" },
	{ "either by envelope", .client = "192.0.2.7",
	    .sender = "a@either.example", FROM("x@either.example"),
	    .want = "network sign s- either.example",
	    .want_entry = "either.example" },
	{ "neither", INSIDE, .user = "u@b.example", FROM("x@either.example"),
	    .want = "auth match -- either.example",
	    .want_entry = "either.example" },

	/* mode and trusted_too */
	{ "sign only, stranger", .mode = "sign", OUTSIDE,
	    FROM("x@keyed.example"), .want = "none mode -- keyed.example" },
	{ "sign only, trusted", .mode = "sign", INSIDE, FROM("x@keyed.example"),
	    .want = "network sign s- keyed.example" },
	{ "sign only, trusted_too", .mode = "sign", .trusted_too = true, INSIDE,
	    FROM("x@keyed.example"), .want = "network sign s- keyed.example" },
	{ "verify only, stranger", .mode = "verify", OUTSIDE,
	    FROM("x@keyed.example"), .want = "none verify -v keyed.example" },
	{ "verify only, trusted", .mode = "verify", INSIDE,
	    FROM("x@keyed.example"), .want = "network mode -- keyed.example" },
	{ "verify only, trusted_too", .mode = "verify", .trusted_too = true,
	    INSIDE, FROM("x@keyed.example"),
	    .want = "network verify_trusted -v keyed.example" },
	{ "trusted_too with a key", .trusted_too = true, INSIDE,
	    FROM("x@keyed.example"), .want = "network sign sv keyed.example" },
	{ "trusted_too without a key", .trusted_too = true, INSIDE,
	    FROM("x@nokey.example"),
	    .want = "network no_key -v nokey.example" },
};

static const struct sockaddr *
parse_client(const char *text, struct sockaddr_storage *storage)
{
	struct sockaddr_in *four = (struct sockaddr_in *)storage;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)storage;

	memset(storage, 0, sizeof *storage);
	if (text == NULL)
		return NULL;
	storage->ss_family = strcmp(text, "unknown") == 0 ? AF_UNSPEC : AF_UNIX;
	if (inet_pton(AF_INET, text, &four->sin_addr) == 1)
		storage->ss_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1)
		storage->ss_family = AF_INET6;
	return (const struct sockaddr *)storage;
}

static const struct config *
load(const struct folder *folder, const struct row *row)
{
	struct config_problems problems;
	const struct config *config;
	char text[4096];

	snprintf(text, sizeof text,
	    "mode = \"%s\"; verify = { trusted_too = %s; };\n%s",
	    row->mode == NULL ? "both" : row->mode,
	    row->trusted_too ? "true" : "false", configuration);
	folder_write(folder, "conf", 0600, text);
	config = config_load(folder_path(folder, "conf"), &problems);
	if (config == NULL)
		fail_msg("%s: %s", row->name, problems.items[0].text);
	config_problems_fini(&problems);
	return config;
}

static void
check_row(const struct folder *folder, const struct row *row)
{
	const struct config *config = load(folder, row);
	struct sockaddr_storage storage;
	struct policy_decision decision;
	struct policy_input input = {
		.client = parse_client(row->client, &storage),
		.auth_user = row->user,
		.daemon_name = row->daemon,
		.sender = bytes_str(row->sender == NULL ? "<>" : row->sender),
		.from_count = row->from_count,
		.from_ok = row->from != NULL,
	};
	const char *at = row->from == NULL ? NULL : strchr(row->from, '@');
	char got[512];

	if (at != NULL) {
		input.from.local =
		    bytes_of(row->from, (size_t)(at - row->from));
		input.from.domain = bytes_str(at + 1);
	}
	policy_decide(config, NULL, &input, &decision);
	snprintf(got, sizeof got, "%s %s %c%c %s",
	    policy_trust_token(decision.trust),
	    policy_reason_token(decision.reason), decision.sign ? 's' : '-',
	    decision.verify ? 'v' : '-', decision.domain);
	if (strcmp(got, row->want) != 0)
		fail_msg(
		    "%s: got \"%s\", want \"%s\"", row->name, got, row->want);
	if (row->want_entry == NULL) {
		assert_null(decision.entry);
		assert_ptr_equal(decision.settings, &config->sign);
	} else {
		assert_non_null(decision.entry);
		assert_string_equal(decision.entry->name, row->want_entry);
		assert_ptr_equal(decision.settings, &decision.entry->sign);
	}
	config_unref(config);
}

static void
test_each_message_is_decided_as_its_row_says(void **state)
{
	struct folder folder;
	size_t i;

	(void)state;
	folder_make(&folder);
	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		check_row(&folder, &rows[i]);
	folder_remove(&folder);
}

static void
test_each_reason_has_a_token_and_a_text_of_its_own(void **state)
{
	unsigned i, j;

	(void)state;
	for (i = 0; i < POLICY_REASONS; i++) {
		assert_non_null(policy_reason_token((enum policy_reason)i));
		assert_true(
		    strlen(policy_reason_text((enum policy_reason)i)) > 20);
		for (j = 0; j < i; j++)
			assert_string_not_equal(
			    policy_reason_token((enum policy_reason)i),
			    policy_reason_token((enum policy_reason)j));
	}
	for (i = TRUST_NONE; i <= TRUST_DAEMON; i++) {
		assert_non_null(policy_trust_token((enum policy_trust)i));
		assert_true(
		    strlen(policy_trust_text((enum policy_trust)i)) > 20);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_message_is_decided_as_its_row_says),
		cmocka_unit_test(
		    test_each_reason_has_a_token_and_a_text_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
