/* SPDX-License-Identifier: BSD-2-Clause */
/* The resolver against NSD: records as they are published, and DNSSEC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "asking.h"
#include "fake_server.h"
#include "nsd.h"

enum {
	SKIPPED = 77
};

static int
start(void **state)
{
	static struct nsd nsd;

	nsd_start(&nsd);
	*state = &nsd;
	return 0;
}

static int
stop(void **state)
{
	nsd_stop(*state);
	return 0;
}

static void
test_records_as_published(void **state)
{
	const struct nsd *nsd = *state;
	const struct {
		const char *name;
		enum resolver_answer want;
		size_t count;
		const char *first, *second;
		uint32_t ttl_s;
	} rows[] = {
		{ "one", RESOLVER_FOUND, 1, "v=DKIM1; p=one", "", 300 },
		{ "ONE", RESOLVER_FOUND, 1, "v=DKIM1; p=one", "", 300 },
		{ "brief", RESOLVER_FOUND, 1, "brief", "", 7 },
		/* field: C3 */
		{ "split", RESOLVER_FOUND, 1, "v=DKIM1; k=rsa; p=abc", "",
		    300 },
		{ "two", RESOLVER_FOUND, 2, "a first", "the second", 300 },
		/* field: C11 */
		{ "long", RESOLVER_FOUND, 1, nsd->long_text, "", 300 },
		{ "alias", RESOLVER_FOUND, 1, "v=DKIM1; p=one", "", 300 },
		{ "aliasalias", RESOLVER_FOUND, 1, "v=DKIM1; p=one", "", 300 },
		{ "across", RESOLVER_FOUND, 1, "signed", "", 300 },
		/* field: C10 */
		{ "k.old", RESOLVER_FOUND, 1, "by dname", "", 300 },
		{ "any.wild", RESOLVER_FOUND, 1, "wild", "", 300 },
		{ "nowhere", RESOLVER_NO_NAME, 0, "", "", 60 },
		{ "dangling", RESOLVER_NO_NAME, 0, "", "", 60 },
		{ "address", RESOLVER_NO_NAME, 0, "", "", 60 },
		{ "loop1", RESOLVER_FAILED, 0, "", "", 0 },
	};
	struct resolver *resolver =
	    asking_resolver(nsd->address, NULL, 5000, 100);
	static struct asked asked;
	char name[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		snprintf(name, sizeof(name), "%s.plain.test", rows[i].name);
		asking_ask(resolver, name, &asked);
		assert_int_equal(asked.answer, rows[i].want);
		assert_int_equal(asked.security, RESOLVER_UNKNOWN);
		assert_int_equal(asked.count, rows[i].count);
		assert_string_equal(asked.first, rows[i].first);
		assert_string_equal(asked.second, rows[i].second);
		/* Some of it may have passed in libunbound's cache. */
		if (rows[i].want != RESOLVER_FAILED)
			assert_in_range(
			    asked.ttl_s, rows[i].ttl_s - 3, rows[i].ttl_s);
	}
	asking_ask(resolver, "escaped.plain.test", &asked);
	assert_int_equal(asked.len[0], 7);
	assert_memory_equal(asked.first, "a\"b\\c\0d", 7);
	resolver_unref(resolver);
}

/* Each needs TCP, of which there are few sockets. */
static void
test_many_long_records_at_once(void **state)
{
	enum {
		MANY = 100
	};
	const struct nsd *nsd = *state;
	struct resolver *resolver =
	    asking_resolver(nsd->address, NULL, 10000, MANY);
	static struct asked asked[MANY];
	char name[64];

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "k%u.long.plain.test", i);
		assert_true(asking_start(resolver, name, &asked[i]));
	}
	for (unsigned i = 0; i < MANY; i++) {
		asking_wait(&asked[i]);
		assert_int_equal(asked[i].answer, RESOLVER_FOUND);
		assert_string_equal(asked[i].first, nsd->long_text);
	}
	resolver_unref(resolver);
}

static void
test_names_of_zones_not_served_fail_for_now(void **state)
{
	const struct nsd *nsd = *state;
	struct resolver *resolver =
	    asking_resolver(nsd->address, NULL, 2000, 100);
	struct asked asked;

	asking_ask(resolver, "one.other.test", &asked);
	assert_int_equal(asked.answer, RESOLVER_FAILED);
	resolver_unref(resolver);
}

enum anchor {
	ANCHOR_NONE,
	ANCHOR_RIGHT,
	ANCHOR_WRONG
};

/* field: A19 */
static void
test_dnssec(void **state)
{
	static const struct {
		const char *name;
		enum anchor anchor;
		enum resolver_answer want;
		enum resolver_security security;
	} rows[] = {
		{ "key.signed.test", ANCHOR_RIGHT, RESOLVER_FOUND,
		    RESOLVER_SECURE },
		{ "alias.signed.test", ANCHOR_RIGHT, RESOLVER_FOUND,
		    RESOLVER_SECURE },
		{ "nowhere.signed.test", ANCHOR_RIGHT, RESOLVER_NO_NAME,
		    RESOLVER_SECURE },
		{ "address.signed.test", ANCHOR_RIGHT, RESOLVER_NO_NAME,
		    RESOLVER_SECURE },
		{ "altered.signed.test", ANCHOR_RIGHT, RESOLVER_BOGUS,
		    RESOLVER_IS_BOGUS },
		{ "one.plain.test", ANCHOR_RIGHT, RESOLVER_FOUND,
		    RESOLVER_INSECURE },
		{ "nowhere.plain.test", ANCHOR_RIGHT, RESOLVER_NO_NAME,
		    RESOLVER_INSECURE },
		/* A chain is as secure as its weakest link. */
		{ "out.signed.test", ANCHOR_RIGHT, RESOLVER_FOUND,
		    RESOLVER_INSECURE },
		{ "across.plain.test", ANCHOR_RIGHT, RESOLVER_FOUND,
		    RESOLVER_INSECURE },
		{ "key.signed.test", ANCHOR_WRONG, RESOLVER_BOGUS,
		    RESOLVER_IS_BOGUS },
		{ "nowhere.signed.test", ANCHOR_WRONG, RESOLVER_BOGUS,
		    RESOLVER_IS_BOGUS },
		{ "one.plain.test", ANCHOR_WRONG, RESOLVER_FOUND,
		    RESOLVER_INSECURE },
		{ "altered.signed.test", ANCHOR_NONE, RESOLVER_FOUND,
		    RESOLVER_UNKNOWN },
	};
	const struct nsd *nsd = *state;
	const char *const anchors[] = { NULL, nsd->anchor, nsd->wrong_anchor };
	struct asked asked;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct resolver *resolver = asking_resolver(
		    nsd->address, anchors[rows[i].anchor], 5000, 100);

		print_message("%s\n", rows[i].name);
		asking_ask(resolver, rows[i].name, &asked);
		assert_int_equal(asked.answer, rows[i].want);
		assert_int_equal(asked.security, rows[i].security);
		if (rows[i].want == RESOLVER_BOGUS) {
			/* Bogus records are not handed on. */
			assert_int_equal(asked.count, 0);
			assert_true(asked.why[0] != '\0');
			print_message("  %s\n", asked.why);
		}
		resolver_unref(resolver);
	}
}

/* A named anchor is strict: no signatures, no belief. */
static void
test_servers_without_dnssec_are_bogus_below_a_named_anchor(void **state)
{
	char path[] = "/tmp/signpost-anchor.XXXXXX";
	int fd = mkstemp(path);
	static const char anchor[] =
	    "nodata.test. IN DS 23290 13 2 0582C42330D96139A44E89F6127ADF959A98"
	    "8B342E1741FCC73F6EE982E2D0B5\n";
	struct fake_server server;
	struct resolver *resolver;
	struct asked asked;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, anchor, strlen(anchor)), strlen(anchor));
	close(fd);
	fake_server_start(&server, 0);
	resolver = asking_resolver(server.address, path, 5000, 100);
	asking_ask(resolver, "found.nodata.test", &asked);
	assert_int_equal(asked.answer, RESOLVER_BOGUS);
	asking_ask(resolver, "found.example.com", &asked);
	assert_int_equal(asked.answer, RESOLVER_FOUND);
	assert_int_equal(asked.security, RESOLVER_INSECURE);
	resolver_unref(resolver);
	fake_server_stop(&server);
	unlink(path);
}

static struct resolver *
resolver_with_root_key(const char *server, const char *root_key)
{
	const char *servers[] = { server, NULL };
	struct resolver_settings settings = { .servers = servers,
		.trust_anchor = "",
		.root_key = root_key,
		.dnssec = true,
		.timeout_ms = 5000,
		.max_pending = 100 };
	struct resolver *resolver = NULL;
	char error[256] = "";

	if (!resolver_new(&settings, &resolver, error, sizeof(error)))
		fail_msg("%s", error);
	return resolver;
}

/* The system's key forgives servers that can't do DNSSEC, and no forgery. */
static void
test_root_key_of_the_system(void **state)
{
	const struct nsd *nsd = *state;
	const struct {
		const char *name, *key;
		enum resolver_answer want;
		enum resolver_security security;
	} rows[] = {
		{ "key.signed.test", nsd->anchor, RESOLVER_FOUND,
		    RESOLVER_SECURE },
		{ "altered.signed.test", nsd->anchor, RESOLVER_BOGUS,
		    RESOLVER_IS_BOGUS },
		{ "one.plain.test", nsd->anchor, RESOLVER_FOUND,
		    RESOLVER_INSECURE },
		{ "key.signed.test", nsd->wrong_anchor, RESOLVER_FOUND,
		    RESOLVER_INSECURE },
		{ "key.signed.test", "/nonexistent", RESOLVER_FOUND,
		    RESOLVER_UNKNOWN },
	};
	struct asked asked;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct resolver *resolver =
		    resolver_with_root_key(nsd->address, rows[i].key);

		print_message(
		    "%s: %s\n", rows[i].name, resolver_dnssec_text(resolver));
		asking_ask(resolver, rows[i].name, &asked);
		assert_int_equal(asked.answer, rows[i].want);
		assert_int_equal(asked.security, rows[i].security);
		resolver_unref(resolver);
	}
}

/* The key of the root itself, which such servers answer in several ways. */
static void
test_servers_without_dnssec_are_believed_by_default(void **state)
{
	static const char key[] =
	    ". IN DS 20326 8 2 E06D44B80B8F1D39A95C0B0D7C65D08458E880409BBC6834"
	    "57104237C7F8EC8D\n";
	static const char *const root_replies[] = { "nodata", "refused",
		"servfail", "nonexistent" };
	char path[] = "/tmp/signpost-anchor.XXXXXX";
	int fd = mkstemp(path);
	struct asked asked;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, key, strlen(key)), strlen(key));
	close(fd);
	for (size_t i = 0; i < 4; i++) {
		struct fake_server server;
		struct resolver *resolver;

		print_message("%s\n", root_replies[i]);
		fake_server_start(&server, 0);
		atomic_store(&server.root, root_replies[i]);
		resolver = resolver_with_root_key(server.address, path);
		asking_ask(resolver, "found.example.com", &asked);
		assert_int_equal(asked.answer, RESOLVER_FOUND);
		assert_int_equal(asked.security, RESOLVER_INSECURE);
		asking_ask(resolver, "nonexistent.test", &asked);
		assert_int_equal(asked.answer, RESOLVER_NO_NAME);
		resolver_unref(resolver);
		fake_server_stop(&server);
	}
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_as_published),
		cmocka_unit_test(test_many_long_records_at_once),
		cmocka_unit_test(test_names_of_zones_not_served_fail_for_now),
		cmocka_unit_test(test_dnssec),
		cmocka_unit_test(test_root_key_of_the_system),
		cmocka_unit_test(
		    test_servers_without_dnssec_are_believed_by_default),
		cmocka_unit_test(
		    test_servers_without_dnssec_are_bogus_below_a_named_anchor),
	};

	if (!nsd_is_installed()) {
		fprintf(stderr, "nsd or ldnsutils is not installed\n");
		return SKIPPED;
	}
	return cmocka_run_group_tests_name("nsd", tests, start, stop);
}
