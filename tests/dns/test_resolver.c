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
	LEAK_ROUNDS = 10000,
	RACE_ROUNDS = 2000
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
			    asked.elapsed_ns, 1500000000, 2500000000);
	}
	resolver_unref(resolver);
	fake_server_stop(&server);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_answer_has_its_own_word),
	};

	return cmocka_run_group_tests_name("resolver", tests, NULL, NULL);
}
