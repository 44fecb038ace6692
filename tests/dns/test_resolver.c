/* SPDX-License-Identifier: BSD-2-Clause */
/* The resolver against a server that answers, fails, lies or is silent. */
#include "resolver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "asking.h"
#include "fake_server.h"

enum {
	LEAK_ROUNDS = 10000
};

static void
test_each_answer_has_its_own_word(void **state)
{
	static const struct {
		const char *name;
		enum resolver_answer want;
		uint32_t ttl_s;
		size_t count;
		const char *record;
	} rows[] = {
		{ "found.example.com", RESOLVER_FOUND, 300, 1,
		    "v=found.example.com" },
		{ "brief.example.com", RESOLVER_FOUND, 1, 1,
		    "v=brief.example.com" },
		{ "slow.example.com", RESOLVER_FOUND, 300, 1,
		    "v=slow.example.com" },
		/* field: D2 */
		{ "nonexistent.example.com", RESOLVER_NO_NAME, 60, 0, "" },
		{ "nodata.example.com", RESOLVER_NO_NAME, 60, 0, "" },
		{ "servfail.example.com", RESOLVER_FAILED, 0, 0, "" },
		{ "refused.example.com", RESOLVER_FAILED, 0, 0, "" },
		{ "garbage.example.com", RESOLVER_FAILED, 0, 0, "" },
		{ "silent.example.com", RESOLVER_TIMEOUT, 0, 0, "" },
	};
	struct fake_server server;
	struct resolver *resolver;
	struct asked asked;

	(void)state;
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, NULL, 1500, 100);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		asking_ask(resolver, rows[i].name, &asked);
		assert_int_equal(asked.answer, rows[i].want);
		assert_int_equal(asked.security, RESOLVER_UNKNOWN);
		assert_int_equal(asked.count, rows[i].count);
		assert_int_equal(asked.ttl_s, rows[i].ttl_s);
		assert_string_equal(asked.first, rows[i].record);
		if (rows[i].want != RESOLVER_FOUND &&
		    rows[i].want != RESOLVER_NO_NAME)
			assert_true(asked.why[0] != '\0');
		if (rows[i].want == RESOLVER_TIMEOUT)
			assert_in_range(
			    asked.elapsed_ns, 1500000000, 9000000000);
	}
	resolver_unref(resolver);
	fake_server_stop(&server);
}

static void
test_records_beyond_the_caps_are_dropped_and_counted(void **state)
{
	static const struct {
		const char *name;
		size_t count;
		uint64_t dropped;
	} rows[] = {
		{ "many.example.com", RESOLVER_MAX_RECORDS, 4 },
		{ "huge.example.com", 1, 5 },
	};
	struct fake_server server;
	struct resolver *resolver;
	struct resolver_counts counts;
	struct asked asked;

	(void)state;
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, NULL, 5000, 100);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		asking_ask(resolver, rows[i].name, &asked);
		assert_int_equal(asked.answer, RESOLVER_FOUND);
		assert_int_equal(asked.count, rows[i].count);
		assert_int_equal(asked.len[0], strlen(rows[i].name) + 2);
		resolver_counts(resolver, &counts);
		assert_int_equal(counts.dropped, rows[i].dropped);
	}
	resolver_unref(resolver);
	fake_server_stop(&server);
}

/* Zones that libunbound would answer itself. */
static void
test_special_use_names_go_to_the_server(void **state)
{
	static const char *const names[] = { "found.test", "found.sub.test",
		"found.localhost", "found.invalid", "found.onion",
		"found.home.arpa", "found.2.0.192.in-addr.arpa",
		"found.1.10.in-addr.arpa", "found.1.168.192.in-addr.arpa",
		"found.0.0.127.in-addr.arpa", "found.d.f.ip6.arpa",
		"found.local", "found._domainkey.example.com" };
	struct fake_server server;
	struct resolver *resolver;
	struct asked asked;
	char want[64];

	(void)state;
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, NULL, 5000, 100);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		print_message("%s\n", names[i]);
		asking_ask(resolver, names[i], &asked);
		assert_int_equal(asked.answer, RESOLVER_FOUND);
		snprintf(want, sizeof(want), "v=%s", names[i]);
		assert_string_equal(asked.first, want);
	}
	resolver_unref(resolver);
	fake_server_stop(&server);
}

static void
test_names_that_dns_can_not_hold_do_not_exist(void **state)
{
	static const char label63[] = "found6789012345678901234567890123456789"
				      "012345678901234567890123";
	static const char *const rows[] = { "", ".", "a..b", ".a", "a.",
		"found\\.example.com", "found example.com", "found\texample",
		"found\x80.example.com" };
	struct fake_server server;
	struct resolver *resolver;
	struct resolver_counts counts;
	struct asked asked;
	char name[400];

	(void)state;
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, NULL, 5000, 100);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		asking_ask(resolver, rows[i], &asked);
		assert_int_equal(asked.answer, RESOLVER_NO_NAME);
	}
	snprintf(name, sizeof(name), "%sx.example.com", label63);
	asking_ask(resolver, name, &asked);
	assert_int_equal(asked.answer, RESOLVER_NO_NAME);
	snprintf(name, sizeof(name), "%s.%s.%s.%s", label63, label63, label63,
	    label63);
	asking_ask(resolver, name, &asked);
	assert_int_equal(asked.answer, RESOLVER_NO_NAME);
	assert_int_equal(atomic_load(&server.questions), 0);
	/* The longest that there are. */
	name[253] = '\0';
	asking_ask(resolver, name, &asked);
	assert_int_equal(asked.answer, RESOLVER_FOUND);
	resolver_counts(resolver, &counts);
	assert_int_equal(counts.pending, 0);
	resolver_unref(resolver);
	fake_server_stop(&server);
}

/* field: D6 */
static void
test_server_that_dies_and_comes_back(void **state)
{
	struct fake_server server;
	struct resolver *resolver;
	struct asked asked;
	char name[64];
	uint16_t port;

	(void)state;
	fake_server_start(&server, 0);
	port = server.port;
	resolver = asking_resolver(server.address, NULL, 1000, 100);
	asking_ask(resolver, "found-0.example.com", &asked);
	assert_int_equal(asked.answer, RESOLVER_FOUND);
	fake_server_stop(&server);
	for (unsigned i = 1; i < 6; i++) {
		snprintf(name, sizeof(name), "found-%u.example.com", i);
		asking_ask(resolver, name, &asked);
		assert_true(asked.answer == RESOLVER_TIMEOUT ||
		    asked.answer == RESOLVER_FAILED);
		assert_in_range(asked.elapsed_ns, 0, 5000000000);
	}
	fake_server_start(&server, port);
	/* What was asked meanwhile is under way or kept as failed for a few
	 * seconds; any other name is found at once. */
	asking_ask(resolver, "found-new.example.com", &asked);
	assert_int_equal(asked.answer, RESOLVER_FOUND);
	resolver_unref(resolver);
	fake_server_stop(&server);
}

static void
test_server_that_refused_is_asked_again(void **state)
{
	struct fake_server server;
	struct resolver *resolver;
	struct asked asked;

	(void)state;
	fake_server_start(&server, 0);
	atomic_store(&server.refuses, true);
	resolver = asking_resolver(server.address, NULL, 2000, 100);
	asking_ask(resolver, "found-1.example.com", &asked);
	assert_int_equal(asked.answer, RESOLVER_FAILED);
	atomic_store(&server.refuses, false);
	asking_ask(resolver, "found-2.example.com", &asked);
	assert_int_equal(asked.answer, RESOLVER_FOUND);
	resolver_unref(resolver);
	fake_server_stop(&server);
}

/* A domain whose servers are dead must not cost the others theirs. */
static void
test_silence_on_some_names_leaves_the_others_alone(void **state)
{
	enum {
		SILENT = 60
	};
	struct fake_server server;
	struct resolver *resolver;
	struct resolver_counts counts;
	static struct asked silent[SILENT];
	struct asked asked;
	char name[64];

	(void)state;
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, NULL, 3000, 100);
	for (unsigned i = 0; i < SILENT; i++) {
		snprintf(name, sizeof(name), "silent-%u.example.com", i);
		assert_true(asking_start(resolver, name, &silent[i]));
		if (i % 10 != 0)
			continue;
		usleep(300000);
		snprintf(name, sizeof(name), "found-%u.example.com", i);
		asking_ask(resolver, name, &asked);
		assert_int_equal(asked.answer, RESOLVER_FOUND);
		assert_in_range(asked.elapsed_ns, 0, 2000000000);
	}
	for (unsigned i = 0; i < SILENT; i++) {
		asking_wait(&silent[i]);
		assert_int_equal(silent[i].answer, RESOLVER_TIMEOUT);
		assert_in_range(silent[i].elapsed_ns, 3000000000, 9000000000);
	}
	asking_ask(resolver, "found-last.example.com", &asked);
	assert_int_equal(asked.answer, RESOLVER_FOUND);
	/* libunbound gives them up, too. */
	for (unsigned i = 0; i < 600; i++) {
		resolver_counts(resolver, &counts);
		if (counts.pending == 0)
			break;
		usleep(100000);
	}
	assert_int_equal(counts.pending, 0);
	assert_int_equal(counts.answered[RESOLVER_TIMEOUT], SILENT);
	resolver_unref(resolver);
	fake_server_stop(&server);
}

/* field: D6 */
static void
test_second_server_answers_where_the_first_is_silent(void **state)
{
	struct fake_server silent, server;
	const char *servers[3] = { NULL };
	struct resolver_settings settings = {
		.servers = servers, .timeout_ms = 5000, .max_pending = 100
	};
	struct resolver *resolver;
	struct asked asked;
	char error[256], name[64];

	(void)state;
	fake_server_start(&silent, 0);
	fake_server_start(&server, 0);
	atomic_store(&silent.silent, true);
	servers[0] = silent.address;
	servers[1] = server.address;
	assert_true(resolver_new(&settings, &resolver, error, sizeof(error)));
	for (unsigned i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "found-%u.example.com", i);
		asking_ask(resolver, name, &asked);
		assert_int_equal(asked.answer, RESOLVER_FOUND);
	}
	snprintf(error, sizeof(error), "%s %s", silent.address, server.address);
	assert_string_equal(resolver_servers_text(resolver), error);
	resolver_unref(resolver);
	fake_server_stop(&server);
	fake_server_stop(&silent);
}

/* field: D4 */
static void
test_many_questions_leak_no_files(void **state)
{
	struct fake_server server;
	struct resolver *resolver;
	struct asked asked;
	unsigned files = asking_open_files(), within;
	char name[64];

	(void)state;
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, NULL, 5000, 1000);
	asking_ask(resolver, "found.example.com", &asked);
	within = asking_open_files();
	for (unsigned i = 0; i < LEAK_ROUNDS; i++) {
		snprintf(name, sizeof(name), "%s-%u.example.com",
		    i % 2 == 0 ? "found" : "nonexistent", i);
		asking_ask(resolver, name, &asked);
		assert_int_equal(asked.answer,
		    i % 2 == 0 ? RESOLVER_FOUND : RESOLVER_NO_NAME);
	}
	/* The last socket may be just closing. */
	assert_in_range(asking_open_files(), 0, within + 2);
	assert_true(resolver_cpu_ns(resolver) > 1000000);
	print_message("%u ns of CPU a question\n",
	    (unsigned)(resolver_cpu_ns(resolver) / LEAK_ROUNDS));
	resolver_unref(resolver);
	fake_server_stop(&server);
	assert_int_equal(asking_open_files(), files);
}

/* field: A19 */
static void
test_settings_that_can_not_be_used_are_named(void **state)
{
	static const struct {
		const char *name, *server, *anchor, *want;
	} rows[] = {
		{ "server", "dns.example.com", NULL,
		    "\"dns.example.com\" is not a server" },
		{ "no such anchor", "127.0.0.1", "/nonexistent/root.key",
		    "/nonexistent/root.key: No such file" },
		{ "anchor without anchors", "127.0.0.1", "/dev/null",
		    "/dev/null: no trust anchor" },
		{ "anchor that is none", "127.0.0.1", "/proc/self/status",
		    "/proc/self/status: no trust anchor" },
	};
	unsigned files = asking_open_files();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *servers[] = { rows[i].server, NULL };
		struct resolver_settings settings = { .servers = servers,
			.trust_anchor = rows[i].anchor,
			.dnssec = true,
			.timeout_ms = 1000,
			.max_pending = 10 };
		struct resolver *resolver;
		char error[256] = "";

		print_message("%s\n", rows[i].name);
		assert_false(
		    resolver_new(&settings, &resolver, error, sizeof(error)));
		assert_null(resolver);
		print_message("%s\n", error);
		assert_non_null(strstr(error, rows[i].want));
	}
	assert_int_equal(asking_open_files(), files);
}

static void
test_anchor_that_can_not_be_read_is_named(void **state)
{
	static const char text[] = "; a comment\n. IN DS 1 2 garbage\n";
	char path[] = "/tmp/signpost-anchor.XXXXXX";
	const char *const servers[] = { "127.0.0.1", NULL };
	struct resolver_settings settings = { .servers = servers,
		.trust_anchor = path,
		.dnssec = true,
		.timeout_ms = 1000,
		.max_pending = 10 };
	struct resolver *resolver;
	char error[256] = "";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_false(resolver_new(&settings, &resolver, error, sizeof(error)));
	assert_non_null(strstr(error, ": not readable as trust anchors"));
	unlink(path);
}

/* field: D3 */
static void
test_resolv_conf_is_the_default(void **state)
{
	struct resolver_settings settings = { .resolv_conf = "/nonexistent",
		.timeout_ms = 1000,
		.max_pending = 10 };
	struct resolver *resolver;
	char error[256] = "";

	(void)state;
	assert_false(resolver_new(&settings, &resolver, error, sizeof(error)));
	assert_non_null(strstr(error, "/nonexistent: No such file"));
	settings.resolv_conf = "/dev/null";
	assert_true(resolver_new(&settings, &resolver, error, sizeof(error)));
	assert_string_equal(resolver_servers_text(resolver), "127.0.0.1");
	assert_string_equal(resolver_dnssec_text(resolver),
	    "answers are not validated: dns.dnssec is off");
	resolver_unref(resolver);
	resolver_unref(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_answer_has_its_own_word),
		cmocka_unit_test(
		    test_records_beyond_the_caps_are_dropped_and_counted),
		cmocka_unit_test(test_special_use_names_go_to_the_server),
		cmocka_unit_test(test_names_that_dns_can_not_hold_do_not_exist),
		cmocka_unit_test(test_server_that_dies_and_comes_back),
		cmocka_unit_test(test_server_that_refused_is_asked_again),
		cmocka_unit_test(
		    test_silence_on_some_names_leaves_the_others_alone),
		cmocka_unit_test(
		    test_second_server_answers_where_the_first_is_silent),
		cmocka_unit_test(test_many_questions_leak_no_files),
		cmocka_unit_test(test_settings_that_can_not_be_used_are_named),
		cmocka_unit_test(test_anchor_that_can_not_be_read_is_named),
		cmocka_unit_test(test_resolv_conf_is_the_default),
	};

	return cmocka_run_group_tests_name("resolver", tests, NULL, NULL);
}
