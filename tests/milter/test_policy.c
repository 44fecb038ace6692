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

/* Whose rules of verification apply, and who is exempt from them. */
static const char strictness[] =
    "trusted_networks = [ \"192.0.2.0/24\" ];\n"
    "sign = { exempt_clients = [ \"192.0.2.9\" ]; exempt_senders = [ "
    "\"mute@a.example\", \"<>\" ]; exempt_recipients = [ "
    "\".Relay.example\" ]; };\n"
    "verify = { exempt_clients = [ \"198.51.100.9\", \"2001:db8::/64\" ];\n"
    "exempt_senders = [ \"list@a.example\", \"b\xc3\xbc.example\" ];\n"
    "exempt_recipients = [ \"postmaster@c.example\", \"abuse.example\" ];\n"
    "domains = (\n"
    "{ name = \"bank.example\"; require_aligned_pass = true; },\n"
    "{ name = \".bank.example\"; require_aligned_pass = true; },\n"
    "{ name = \"news@bank.example\"; on_fail = \"reject\"; },\n"
    "{ name = \"lax.example\"; exempt_clients = [ \"0.0.0.0/0\" ]; } ); "
    "};\n";

static const struct strict_row {
	const char *name, *client, *sender;
	const char *recipients[3];
	size_t from_count; /* 0: one, with these authors */
	const char *authors[10];
	const char *want; /* "reason entry author exempt" */
} strict_rows[] = {
	{ "no entry", .authors = { "x@other.example" },
	    .want = "verify - other.example verify" },
	{ "an entry", .authors = { "X@Bank.example" },
	    .want = "verify bank.example bank.example verify" },
	{ "one for subdomains", .authors = { "x@a.bank.example" },
	    .want = "verify .bank.example a.bank.example verify" },
	{ "one for an address", .authors = { "news@bank.example" },
	    .want = "verify news@bank.example bank.example verify" },
	{ "a domain that only ends so", .authors = { "x@mybank.example" },
	    .want = "verify - mybank.example verify" },

	/* field: A32 */
	{ "behind another author",
	    .authors = { "x@other.example", "y@bank.example" },
	    .want = "verify bank.example bank.example verify" },
	{ "behind one with an entry that is laxer",
	    .authors = { "x@lax.example", "y@bank.example" },
	    .want = "verify bank.example bank.example verify" },
	{ "several authors and no entry",
	    .authors = { "x@other.example", "y@one.example" },
	    .want = "verify - other.example verify" },
	{ "more authors than are looked at",
	    .authors = { "1@o.example", "2@o.example", "3@o.example",
		"4@o.example", "5@o.example", "6@o.example", "7@o.example",
		"8@o.example", "9@bank.example" },
	    .want = "verify .bank.example  verify" },
	{ "no author", .want = "verify .bank.example  verify" },
	{ "an author without a domain", .authors = { "x@[192.0.2.1]" },
	    .want = "verify .bank.example  verify" },
	{ "two From fields", .from_count = 2, .authors = { "x@other.example" },
	    .want = "verify .bank.example  verify" },

	{ "an exempt client", .client = "198.51.100.9",
	    .authors = { "x@other.example" },
	    .want = "verify - other.example exempt_client" },
	{ "an exempt client of IPv6", .client = "2001:db8::7",
	    .authors = { "x@other.example" },
	    .want = "verify - other.example exempt_client" },
	{ "exempt for some authors only", .authors = { "x@lax.example" },
	    .want = "verify lax.example lax.example exempt_client" },
	{ "an exempt sender", .sender = "<List@A.example>",
	    .authors = { "x@other.example" },
	    .want = "verify - other.example exempt_sender" },
	{ "a sender of an exempt domain", .sender = "y@xn--b-eha.example",
	    .authors = { "x@other.example" },
	    .want = "verify - other.example exempt_sender" },
	{ "a sender beside it", .sender = "<lists@a.example>",
	    .authors = { "x@other.example" },
	    .want = "verify - other.example verify" },
	{ "the null sender is nobody's", .sender = "<>",
	    .authors = { "x@other.example" },
	    .want = "verify - other.example verify" },
	{ "an exempt recipient", .recipients = { "<Postmaster@c.example>" },
	    .authors = { "x@other.example" },
	    .want = "verify - other.example exempt_recipients" },
	{ "all recipients",
	    .recipients = { "<postmaster@c.example>", "<y@abuse.example>" },
	    .authors = { "x@other.example" },
	    .want = "verify - other.example exempt_recipients" },
	{ "one recipient that is not",
	    .recipients = { "<postmaster@c.example>", "<y@c.example>" },
	    .authors = { "x@other.example" },
	    .want = "verify - other.example verify" },
	{ "recipients that are not known", .authors = { "x@other.example" },
	    .want = "verify - other.example verify" },

	/* field: B40 */
	{ "a client that is not signed for", .client = "192.0.2.9",
	    .authors = { "x@keyed.example" },
	    .want = "exempt_client - keyed.example verify" },
	{ "a sender that is not signed for", .client = "192.0.2.8",
	    .sender = "<mute@a.example>", .authors = { "x@keyed.example" },
	    .want = "exempt_sender - keyed.example verify" },
	{ "the null sender in a list", .client = "192.0.2.8", .sender = "<>",
	    .authors = { "x@keyed.example" },
	    .want = "exempt_sender - keyed.example verify" },
	{ "a recipient to whom is not signed", .client = "192.0.2.8",
	    .recipients = { "<y@a.relay.example>" },
	    .authors = { "x@keyed.example" },
	    .want = "exempt_recipients - keyed.example verify" },
	{ "and one to whom is", .client = "192.0.2.8",
	    .recipients = { "<y@a.relay.example>", "<y@c.example>" },
	    .authors = { "x@keyed.example" },
	    .want = "sign - keyed.example verify" },
};

static struct address
to_address(const char *text)
{
	const char *at = strchr(text, '@');

	return (struct address){ bytes_of(text, (size_t)(at - text)),
		bytes_str(at + 1) };
}

static void
check_strict_row(const struct config *config, const struct strict_row *row)
{
	struct sockaddr_storage storage;
	struct policy_decision decision;
	struct policy_input input = {
		.client = parse_client(
		    row->client == NULL ? "198.51.100.7" : row->client,
		    &storage),
		.sender = bytes_str(
		    row->sender == NULL ? "<a@b.example>" : row->sender),
		.from_count = row->from_count > 0 ? row->from_count : 1,
		.from_ok = row->authors[0] != NULL,
	};
	char paths[256], got[512];
	size_t i, used = 0;

	for (i = 0; row->recipients[i] != NULL; i++)
		used += (size_t)snprintf(paths + used, sizeof paths - used,
			    "%s", row->recipients[i]) +
		    1;
	input.recipients = bytes_of(paths, used);
	if (row->authors[0] != NULL)
		input.from = to_address(row->authors[0]);
	for (i = 1; row->authors[0] != NULL && row->authors[i] != NULL; i++) {
		input.other_count = i;
		if (i < ADDRESS_MAX_LISTED)
			input.others[i - 1] = to_address(row->authors[i]);
	}
	policy_decide(config, NULL, &input, &decision);
	snprintf(got, sizeof got, "%s %s %s %s",
	    policy_reason_token(decision.reason),
	    decision.verify_entry == NULL ? "-" : decision.verify_entry->name,
	    decision.author, policy_reason_token(decision.exempt));
	if (strcmp(got, row->want) != 0)
		fail_msg(
		    "%s: got \"%s\", want \"%s\"", row->name, got, row->want);
	assert_ptr_equal(decision.verifying,
	    decision.verify_entry == NULL ? &config->verify
					  : &decision.verify_entry->verify);
}

static void
test_verification_is_as_strict_as_its_row_says(void **state)
{
	struct config_problems problems;
	const struct config *config;
	struct folder folder;
	size_t i;

	(void)state;
	folder_make(&folder);
	folder_write(&folder, "conf", 0600, strictness);
	config = config_load(folder_path(&folder, "conf"), &problems);
	if (config == NULL)
		fail_msg("%s", problems.items[0].text);
	assert_int_equal(problems.count, 0);
	assert_true(config->wants_recipients);
	for (i = 0; i < sizeof strict_rows / sizeof *strict_rows; i++)
		check_strict_row(config, &strict_rows[i]);
	config_problems_fini(&problems);
	config_unref(config);
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
		    test_verification_is_as_strict_as_its_row_says),
		cmocka_unit_test(
		    test_each_reason_has_a_token_and_a_text_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
