/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include <cmocka.h>

#include "config_settings.h"
#include "folder.h"

enum {
	MANY = 10000
};

static const struct config *
load(const struct folder *folder, const char *text,
    struct config_problems *problems)
{
	folder_write(folder, "conf", 0600, text);
	return config_load(folder_path(folder, "conf"), problems);
}

/* As load, of a TEXT that must be right. */
static const struct config *
load_good(const struct folder *folder, const char *text)
{
	struct config_problems problems;
	const struct config *config = load(folder, text, &problems);

	if (config == NULL || problems.count > 0)
		fail_msg("%s", problems.items[0].text);
	config_problems_fini(&problems);
	return config;
}

/* field: F14 */
static void
test_a_file_without_settings_gives_every_default(void **state)
{
	const struct config *config = load_good(*state, "# none\n");

	assert_string_equal(config->socket, "inet:8891@127.0.0.1");
	assert_int_equal(config->socket_mode, 0660);
	assert_int_equal(config->mode, MODE_BOTH);
	assert_null(config->authserv_id);
	assert_int_equal(config->trusted_networks.count, 2);
	assert_int_equal(config->trusted_networks.items[0].bits, 104);
	assert_int_equal(config->trusted_networks.items[1].bits, 128);
	assert_int_equal(config->sign.header_canon, SIGNPOST_RELAXED);
	assert_int_equal(config->sign.body_canon, SIGNPOST_RELAXED);
	assert_int_equal(config->sign.on_error, ACTION_TEMPFAIL);
	assert_int_equal(config->sign.on_no_usable_key, NO_KEY_ACCEPT);
	assert_string_equal(config->sign.headers.items[0], "From");
	assert_null(config->sign.headers.items[config->sign.headers.count]);
	assert_int_equal(config->verify.options.clock_skew_s, 300);
	assert_int_equal(config->dns.timeout_ms, 5000);
	assert_true(config->dns.dnssec);
	assert_int_equal(config->limits.max_header_bytes, 256 * 1024);
	assert_int_equal(config->limits.stop_timeout_ms, 30000);
	assert_int_equal(config->key_store.ttl_s, 60);
	assert_int_equal(config->log.level, LOG_INFO);
	assert_string_equal(config->log.to, "");
	assert_int_equal(config->domain_count, 0);
	config_unref(config);
}

static void
test_values_are_read_as_written(void **state)
{
	const struct config *config = load_good(*state,
	    "socket: \"unix:/x\", socket_mode = \"0600\"\n"
	    "mode = \"sign\"; authserv_id = \"mx.example\";\n"
	    "sign = { canonicalization = \"simple/relaxed\"; expire = "
	    "1209600; };\n"
	    "verify = { max_age = \"2h\"; on_fail = \"discard\"; };\n"
	    "dns = { timeout = \"250ms\"; servers = (\"::1@53\", "
	    "\"192.0.2.1\"); };\n"
	    "limits = { max_header_bytes = 0x10000; max_wait = \"1m\"; };\n"
	    "log = { to = \"/var/log/x\"; level = \"debug\"; };\n");

	assert_string_equal(config->socket, "unix:/x");
	assert_int_equal(config->socket_mode, 0600);
	assert_int_equal(config->mode, MODE_SIGN);
	assert_string_equal(config->authserv_id, "mx.example");
	assert_int_equal(config->sign.header_canon, SIGNPOST_SIMPLE);
	assert_int_equal(config->sign.body_canon, SIGNPOST_RELAXED);
	assert_int_equal(config->sign.expire_s, 14 * 86400);
	assert_int_equal(config->verify.options.max_age_s, 7200);
	assert_int_equal(config->verify.on_fail, ACTION_DISCARD);
	assert_int_equal(config->dns.timeout_ms, 250);
	assert_string_equal(config->dns.servers.items[1], "192.0.2.1");
	assert_int_equal(config->limits.max_header_bytes, 65536);
	assert_int_equal(config->limits.max_wait_ms, 60000);
	assert_int_equal(config->log.level, LOG_DEBUG);
	config_unref(config);
}

static void
test_an_entry_starts_from_the_sign_group_wherever_that_stands(void **state)
{
	const struct config *config = load_good(*state,
	    "domains = ( { name = \"a.example\"; expire = \"1d\"; },\n"
	    "{ name = \"b.example\"; headers = [ \"From\" ]; match = "
	    "\"auth\"; } );\n"
	    "sign = { expire = \"7d\"; min_rsa_bits = 2048; };\n");
	const struct config_domain *a, *b;

	a = config_find_domain(config, bytes_of("", 0), "a.example");
	b = config_find_domain(config, bytes_of("", 0), "b.example");
	assert_int_equal(a->sign.expire_s, 86400);
	assert_int_equal(b->sign.expire_s, 7 * 86400);
	assert_int_equal(a->sign.min_rsa_bits, 2048);
	assert_int_equal(b->sign.headers.count, 1);
	assert_ptr_equal(a->sign.headers.items, config->sign.headers.items);
	assert_int_equal(b->sign.match, MATCH_AUTH);
	assert_true(a->key_directory);
	assert_int_equal(a->line, 1);
	assert_int_equal(b->line, 2);
	config_unref(config);
}

static bool
names(const struct config_strings *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], name) == 0)
			return true;
	return false;
}

static void
test_lists_of_names_are_added_to_and_taken_from(void **state)
{
	const struct config *config = load_good(*state,
	    "domains = ( { name = \"a.example\"; headers = [ \"+X-A\", "
	    "\"+x-a\", \"+subJECT\", \"-x-all\" ]; oversign = [ \"-From\" ]; "
	    "},\n{ name = \"b.example\"; headers = [ \"From\", \"X-B\" ]; } "
	    ");\n"
	    "sign = { headers = [ \"+X-All\", \"-list-ID\", \"-Cc\", \"+CC\" "
	    "]; };\n");
	size_t defaults = 0;
	const struct config_strings *list = &config->sign.headers;
	const struct config_domain *a, *b;

	while (setting_default_headers()[defaults] != NULL)
		defaults++;
	a = config_find_domain(config, bytes_of("", 0), "a.example");
	b = config_find_domain(config, bytes_of("", 0), "b.example");
	assert_int_equal(list->count, defaults);
	assert_null(list->items[list->count]);
	assert_true(names(list, "X-All") && names(list, "CC"));
	assert_false(names(list, "List-Id") || names(list, "Cc"));
	assert_int_equal(a->sign.headers.count, defaults);
	assert_true(names(&a->sign.headers, "X-A"));
	assert_false(names(&a->sign.headers, "X-All"));
	assert_false(names(&a->sign.oversign, "From"));
	assert_true(names(&config->sign.oversign, "From"));
	assert_int_equal(b->sign.headers.count, 2);
	config_unref(config);
}

/* field: E9 */
static void
test_a_long_list_is_kept_whole(void **state)
{
	enum {
		NAMES = 200
	};
	static char text[NAMES * 80 + 100];
	char name[80], *at = text;
	const struct config *config;

	at += sprintf(at, "sign = { headers = [ \"From\"");
	for (unsigned i = 0; i < NAMES; i++)
		at += sprintf(at, ",\n\"X-%060u\"", i);
	strcpy(at, " ]; };\n");
	config = load_good(*state, text);
	assert_int_equal(config->sign.headers.count, 1 + NAMES);
	for (unsigned i = 0; i < NAMES; i++) {
		sprintf(name, "X-%060u", i);
		assert_string_equal(config->sign.headers.items[1 + i], name);
	}
	config_unref(config);
}

/* What relays add, change or take away (RFC 6376 section 5.4). */
static void
test_nothing_that_relays_rewrite_is_signed_by_default(void **state)
{
	static const char *const rewritten[] = { "Received", "Return-Path",
		"Sender", "Authentication-Results", "Bcc", "DKIM-Signature",
		"Delivered-To" };
	const struct config *config = load_good(*state, "# none\n");

	for (size_t i = 0; i < sizeof rewritten / sizeof *rewritten; i++) {
		assert_false(names(&config->sign.headers, rewritten[i]));
		assert_false(names(&config->sign.oversign, rewritten[i]));
	}
	assert_true(names(&config->sign.oversign, "Date"));
	assert_true(names(&config->sign.oversign, "Message-ID"));
	config_unref(config);
}

/* field: A21, A30 */
/* field: E4 */
static void
test_the_entry_that_applies_is_found(void **state)
{
	static const struct {
		const char *local, *domain, *want;
	} rows[] = {
		{ "a", "example.com", "a@example.com" },
		{ "A", "example.com", "a@example.com" },
		{ "b", "example.com", "example.com" },
		{ "", "example.com", "example.com" },
		{ "a", "x.example.com", ".example.com" },
		{ "a", "y.x.example.com", ".x.example.com" },
		{ "a", "y.z.example.com", ".example.com" },
		{ "a", "example.org", "*" },
		{ "a", "com", "*" },
		{ "a", "notexample.com", "*" },
		{ "a", "xn--bcher-kva.example", "xn--bcher-kva.example" },
		{ "", "*", "*" },
	};
	const struct config *config = load_good(*state,
	    "domains = ( { name = \"example.com\"; }, { name = "
	    "\".Example.com\"; }, { name = \"A@EXAMPLE.com\"; }, { name = "
	    "\".x.example.com\"; }, { name = \"*\"; }, { name = "
	    "\"b\xc3\xbc"
	    "cher.example\"; } );");
	const struct config_domain *entry;
	char longest[1000];
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		entry = config_find_domain(
		    config, bytes_str(rows[i].local), rows[i].domain);
		assert_non_null(entry);
		assert_string_equal(entry->name, rows[i].want);
	}
	memset(longest, 'a', sizeof longest);
	entry = config_find_domain(
	    config, bytes_of(longest, sizeof longest), "example.com");
	assert_string_equal(entry->name, "example.com");
	config_unref(config);
}

/* field: E8 */
static void
test_addresses_are_in_networks_bit_by_bit(void **state)
{
	static const struct {
		const char *networks, *address;
		bool in;
	} rows[] = {
		{ "\"192.0.2.0/25\"", "192.0.2.127", true },
		{ "\"192.0.2.0/25\"", "192.0.2.128", false },
		{ "\"192.0.2.4\"", "192.0.2.4", true },
		{ "\"192.0.2.4\"", "192.0.2.5", false },
		{ "\"10.0.0.0/8\"", "::ffff:10.1.2.3", true },
		{ "\"::ffff:10.0.0.0/104\"", "10.1.2.3", true },
		{ "\"fd00::/8\"", "fdff::1", true },
		{ "\"fd00::/8\"", "fe00::1", false },
		{ "\"2001:db8::/33\"", "2001:db8:7fff::", true },
		{ "\"2001:db8::/33\"", "2001:db8:8000::", false },
		{ "\"8000::/1\"", "127.0.0.1", false },
		{ "", "127.0.0.1", false },
	};
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	const struct config *config;
	char text[128];
	bool in;
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "trusted_networks = [ %s ];",
		    rows[i].networks);
		config = load_good(*state, text);
		if (inet_pton(AF_INET, rows[i].address, &four.sin_addr) == 1)
			in = config_in_networks(&config->trusted_networks,
			    (struct sockaddr *)&four);
		else {
			inet_pton(AF_INET6, rows[i].address, &six.sin6_addr);
			in = config_in_networks(
			    &config->trusted_networks, (struct sockaddr *)&six);
		}
		if (in != rows[i].in)
			fail_msg("%s in %s", rows[i].address, rows[i].networks);
		assert_false(
		    config_in_networks(&config->trusted_networks, NULL));
		config_unref(config);
	}
}

static void
test_a_reload_tells_what_needs_a_restart(void **state)
{
	const struct config *old = load_good(*state,
	    "socket = \"unix:/a\"; workers = { queue = 5; }; dns = { timeout "
	    "= 1; };");
	const struct config *same = load_good(*state,
	    "socket = \"unix:/a\"; workers = { queue = 5; }; dns = { timeout "
	    "= 2; }; mode = \"sign\"; log = { level = \"debug\"; };");
	const struct config *other = load_good(*state,
	    "socket = \"unix:/b\"; socket_mode = \"0600\"; workers = { queue = "
	    "6; threads = 1; };");
	const char *names[4];

	assert_int_equal(config_needs_restart(old, same, names, 4), 0);
	assert_int_equal(config_needs_restart(old, other, names, 4), 4);
	assert_string_equal(names[0], "socket");
	assert_string_equal(names[1], "socket_mode");
	assert_string_equal(names[2], "workers.threads");
	assert_string_equal(names[3], "workers.queue");
	assert_int_equal(config_needs_restart(old, other, names, 2), 2);
	config_unref(old);
	config_unref(same);
	config_unref(other);
}

/* field: F1 */
static void
test_many_domains_load_fast(void **state)
{
	char *text = malloc(MANY * 160 + 100), *at = text;
	struct timespec before, after;
	const struct config *config;
	double took;
	int i;

	at += sprintf(at, "domains = (");
	for (i = 0; i < MANY; i++)
		at += sprintf(at,
		    "%s{ name = \"d%d.example\"; keys = ( { selector = "
		    "\"s\"; file = \"/k/%d.pem\"; } ); expire = \"1d\"; }",
		    i > 0 ? ",\n" : "", i, i);
	strcpy(at, ");\n");
	clock_gettime(CLOCK_MONOTONIC, &before);
	config = load_good(*state, text);
	clock_gettime(CLOCK_MONOTONIC, &after);
	took = (double)(after.tv_sec - before.tv_sec) +
	    (double)(after.tv_nsec - before.tv_nsec) / 1e9;
	print_message("%d domains loaded in %.3f s\n", MANY, took);
	assert_true(took < 10);
	assert_int_equal(config->domain_count, MANY);
	assert_string_equal(
	    config_find_domain(config, bytes_of("x", 1), "d4711.example")
		->keys[0]
		.file,
	    "/k/4711.pem");
	config_unref(config);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    test_a_file_without_settings_gives_every_default),
		cmocka_unit_test(test_values_are_read_as_written),
		cmocka_unit_test(
		    test_an_entry_starts_from_the_sign_group_wherever_that_stands),
		cmocka_unit_test(
		    test_lists_of_names_are_added_to_and_taken_from),
		cmocka_unit_test(test_a_long_list_is_kept_whole),
		cmocka_unit_test(
		    test_nothing_that_relays_rewrite_is_signed_by_default),
		cmocka_unit_test(test_the_entry_that_applies_is_found),
		cmocka_unit_test(test_addresses_are_in_networks_bit_by_bit),
		cmocka_unit_test(test_a_reload_tells_what_needs_a_restart),
		cmocka_unit_test(test_many_domains_load_fast),
	};

	return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
