/* SPDX-License-Identifier: BSD-2-Clause */
#include "servers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void
test_list_entries(void **state)
{
	static const struct {
		const char *entry;
		bool ok;
	} rows[] = {
		{ "127.0.0.1", true },
		{ "127.0.0.1@5353", true },
		{ "::1", true },
		{ "2001:db8::53@65535", true },
		{ "fe80::1%eth0@53", true },
		{ "", false },
		{ "localhost", false },
		{ "127.0.0.1@", false },
		{ "127.0.0.1@0", false },
		{ "127.0.0.1@65536", false },
		{ "127.0.0.1@53x", false },
		{ "127.0.0.1@-1", false },
		{ "127.0.0.1:53", false },
		{ "127.0.0.1@853#dns.example.com", false },
		{ "127.0.0.1 ", false },
		{ "127.0.0.256", false },
		{ "@53", false },
		{ "2001:db8:0000:0000:0000:0000:0000:0053%an-interface-whose-"
		  "name-is-far-too-long-to-be-one@53",
		    false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *list[] = { rows[i].entry, NULL };
		struct servers servers;
		char error[256] = "";

		print_message("\"%s\"\n", rows[i].entry);
		assert_int_equal(servers_read(list, "/nonexistent", &servers,
				     error, sizeof(error)),
		    rows[i].ok);
		if (rows[i].ok) {
			assert_int_equal(servers.count, 1);
			assert_string_equal(servers.entries[0], rows[i].entry);
			assert_string_equal(servers.text, rows[i].entry);
		} else {
			assert_non_null(strstr(error, rows[i].entry));
		}
	}
}

static void
test_too_many_servers(void **state)
{
	const char *list[RESOLVER_MAX_SERVERS + 2] = { NULL };
	struct servers servers;
	char error[256] = "";

	(void)state;
	for (size_t i = 0; i < RESOLVER_MAX_SERVERS; i++)
		list[i] = "127.0.0.1";
	assert_true(
	    servers_read(list, "/nonexistent", &servers, error, sizeof(error)));
	assert_int_equal(servers.count, RESOLVER_MAX_SERVERS);
	list[RESOLVER_MAX_SERVERS] = "127.0.0.1";
	assert_false(
	    servers_read(list, "/nonexistent", &servers, error, sizeof(error)));
	assert_string_equal(error, "more than 16 servers");
}

/* field: D3 */
static void
test_resolv_conf(void **state)
{
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "usual",
		    "# made by hand\nsearch example.com\noptions edns0\n"
		    "nameserver 192.0.2.1\nnameserver\t2001:db8::1\n",
		    "192.0.2.1 2001:db8::1" },
		{ "no newline at the end", "nameserver 192.0.2.1",
		    "192.0.2.1" },
		{ "carriage returns, leading and trailing space",
		    "  nameserver   192.0.2.1  \r\n", "192.0.2.1" },
		{ "link-local", "nameserver fe80::1%eth0\n", "fe80::1%eth0" },
		{ "what is no address is passed over",
		    "nameserver\nnameserver x\nnameservers 192.0.2.9\n"
		    "nameserver 192.0.2.1 192.0.2.2\n",
		    "192.0.2.1" },
		{ "none: this host", "search example.com\n", "127.0.0.1" },
		{ "empty: this host", "", "127.0.0.1" },
	};
	char path[] = "/tmp/signpost-resolv.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct servers servers;
		char error[256] = "";
		ssize_t len = (ssize_t)strlen(rows[i].text);

		print_message("%s\n", rows[i].name);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, rows[i].text, (size_t)len, 0), len);
		if (!servers_read(NULL, path, &servers, error, sizeof(error)))
			fail_msg("%s", error);
		assert_string_equal(servers.text, rows[i].want);
	}
	close(fd);
	unlink(path);
}

static void
test_resolv_conf_that_is_missing_is_said_so(void **state)
{
	const char *const none[] = { NULL };
	struct servers servers;
	char error[256] = "";

	(void)state;
	assert_false(servers_read(
	    none, "/nonexistent/resolv.conf", &servers, error, sizeof(error)));
	assert_string_equal(error,
	    "/nonexistent/resolv.conf: No such file or directory; name the "
	    "DNS servers in dns.servers");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list_entries),
		cmocka_unit_test(test_too_many_servers),
		cmocka_unit_test(test_resolv_conf),
		cmocka_unit_test(test_resolv_conf_that_is_missing_is_said_so),
	};

	return cmocka_run_group_tests_name("servers", tests, NULL, NULL);
}
