/* SPDX-License-Identifier: BSD-2-Clause */
#include "status_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The page for JSON, to be freed by the caller. */
static void
view(const char *json, struct buf *out)
{
	json_error_t error;
	json_t *status = json_loads(json, 0, &error);

	if (status == NULL)
		fail_msg("%s: %s", json, error.text);
	buf_init(out, SIZE_MAX);
	status_view(status, out);
	json_decref(status);
	assert_false(out->failed);
}

static void
assert_narrow(const struct buf *page)
{
	struct bytes rest = buf_bytes(page), line;

	while (bytes_next(&rest, '\n', &line))
		if (line.len > 80)
			fail_msg("too long: %.*s", (int)line.len, line.data);
}

static void
assert_shows(const char *name, const char *json, const char *want)
{
	struct buf page;

	view(json, &page);
	assert_narrow(&page);
	if (strstr(page.data, want) == NULL)
		fail_msg("%s: no \"%s\" in:\n%s", name, want, page.data);
	buf_fini(&page);
}

#define OPERATION(operation, algorithm, count, mean)                     \
	"{\"operation\": \"" operation "\", \"algorithm\": \"" algorithm \
	"\", \"cpu_seconds\": {\"count\": " count ", \"mean\": " mean "}}"
#define SIGN(bits, result, count)                               \
	"{\"algorithm\": \"rsa-sha256\", \"key_bits\": \"" bits \
	"\", \"result\": \"" result "\", \"count\": " count "}"

static void
figures_are_put_in_words(void **state)
{
	static const struct {
		const char *name, *json, *want;
	} rows[] = {
		{ "uptime", "{\"uptime_seconds\": 183845}", "up 2 d 03:04:05" },
		{ "short uptime", "{\"uptime_seconds\": 59}", "up 00:00:59" },
		{ "ready", "{\"ready\": 1}", ", ready\n" },
		{ "not ready", "{\"ready\": 0}", ", not ready\n" },
		{ "thousands", "{\"connections\": {\"total\": 1234567}}",
		    "1,234,567 in all" },
		{ "hundreds", "{\"connections\": {\"total\": 999}}",
		    " 999 in all" },
		{ "bytes",
		    "{\"body_hash\": {\"bytes\": 1230000, \"cpu_seconds\": "
		    "0.00246}}",
		    "1.23 MB in 2.46 ms of CPU, 500 MB a second" },
		{ "just under a unit",
		    "{\"body_hash\": {\"bytes\": 999.9, \"cpu_seconds\": 0}}",
		    "1.00 kB in 0 s of CPU\n" },
		{ "results",
		    "{\"signs\": [" SIGN("2048", "ok", "5") ", " SIGN("2048",
			"failed", "1") ", " SIGN("4096", "ok", "0") "]}",
		    "  rsa-sha256 2048       ok 5  failed 1\n\n" },
		{ "members that are 0",
		    "{\"messages\": {\"signed\": 2, \"verified\": 0, "
		    "\"aborted\": 1}}",
		    "Messages        signed 2  aborted 1\n" },
		{ "none at all", "{\"messages\": {\"signed\": 0}}",
		    "Messages        none\n" },
		{ "policy",
		    "{\"policy\": [{\"action\": \"accept\", \"applied\": "
		    "\"yes\", \"count\": 1200}, {\"action\": \"reject\", "
		    "\"applied\": \"yes\", \"count\": 0}, {\"action\": "
		    "\"reject\", \"applied\": \"dry_run\", \"count\": 3}, "
		    "{\"action\": \"reject\", \"applied\": \"exempt\", "
		    "\"count\": 4}]}",
		    "By policy       accept 1,200  reject 3 (dry run)  "
		    "reject 4 (exempt)\n" },
		{ "no policy", "{}", "By policy       none\n" },
		{ "what was left out", "{\"limits\": {\"not_signed\": 2}}",
		    "Left out        not_signed 2\n" },
		{ "reloads", "{\"reloads\": {\"ok\": 2, \"failed\": 1}}",
		    "Reloads         2, and 1 that failed\n" },
		{ "replays",
		    "{\"replay\": {\"signatures\": {\"1\": 1200, \"2-9\": "
		    "3, \"10-99\": 0}, \"entries\": 7, \"evictions\": 2}}",
		    "Seen so often   1 1,200  2-9 3\n                7 "
		    "signatures kept in mind, 2 evicted\n" },
		{ "cache",
		    "{\"key_caches\": {\"public\": {\"hits\": 2, \"joined\": "
		    "1, "
		    "\"misses\": 1, \"entries\": 7, \"bytes\": 3000}}}",
		    "7 keys in 3.00 kB, asked 4 times, 75.0 % found" },
		{ "mail threads",
		    "{\"cpu_seconds\": {\"threads\": {\"mail\": 3}, "
		    "\"mail_thread\": {\"body\": 1, \"header\": 1}}, "
		    "\"process\": {\"cpu_seconds\": 4}}",
		    "of mail, our callbacks 2.00 s, libmilter 1.00 s" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_shows(rows[i].name, rows[i].json, rows[i].want);
}

static void
cost_of_a_signature_is_told_when_there_is_enough_to_tell_it(void **state)
{
	static const char not_enough[] = "Not enough has been seen";
	static const struct {
		const char *name, *json, *want;
	} rows[] = {
		{ "nothing", "{}", not_enough },
		{ "too few verified",
		    "{\"operations\": [" OPERATION("sign", "rsa-sha256", "1000",
			"0.0006") "," OPERATION("verify", "rsa-sha256", "9",
			"0.00002") "]}",
		    not_enough },
		{ "verified under another algorithm",
		    "{\"operations\": [" OPERATION("sign", "rsa-sha256", "1000",
			"0.0006") "," OPERATION("verify", "ed25519-sha256",
			"1000", "0.00002") "]}",
		    not_enough },
		{ "verifications",
		    "{\"operations\": [" OPERATION("sign", "rsa-sha256", "10",
			"0.0006") "," OPERATION("verify", "rsa-sha256", "10",
			"0.00002") "], \"signs\": [" SIGN("2048", "ok",
			"10") "]}",
		    "One rsa-sha256 signature (2048 bits) takes 600 us of "
		    "CPU:\n  as much as 30 verifications (20.0 us each).\n" },
		{ "bytes",
		    "{\"operations\": [" OPERATION("sign", "rsa-sha256", "10",
			"0.0006") "], \"body_hash\": {\"bytes\": "
				  "1000000, \"cpu_seconds\": 0.003}}",
		    "CPU:\n  as much as hashing 200 kB of message body.\n" },
		{ "both, keys of two sizes",
		    "{\"operations\": [" OPERATION("sign", "rsa-sha256", "10",
			"0.0006") "," OPERATION("verify", "rsa-sha256", "10",
			"0.0003") "], \"signs\": [" SIGN("1024", "ok",
			"5") "," SIGN("2048", "ok", "5") "," SIGN("4096",
			"failed",
			"5") "], \"body_hash\": "
			     "{\"bytes\": 1000000, \"cpu_seconds\": 0.003}}",
		    "(1024, 2048 bits) takes 600 us of CPU:\n"
		    "  as much as 2.0 verifications (300 us each), and\n"
		    "  as much as hashing 200 kB of message body.\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_shows(rows[i].name, rows[i].json, rows[i].want);
}

/* The daemon may be of another version, or somebody else altogether. */
static void
a_page_of_any_shape_is_shown_within_80_columns(void **state)
{
	static const char *const pages[] = {
		"{}",
		"{\"version\": 7, \"signs\": {}, \"operations\": 5, "
		"\"messages\": [], \"body_hash\": \"x\", \"dns\": null}",
		"{\"signs\": [1, {}, {\"count\": 1}], \"verifies\": [[], "
		"{\"count\": 1e300, \"algorithm\": \"a\"}], \"operations\": "
		"[{}, 2, {\"operation\": []}]}",
		"{\"uptime_seconds\": -5, \"key_caches\": {\"private\": 1}, "
		"\"messages\": {\"signed\": -1e300, \"verified\": 1e15}}",
		"{\"verify_reasons\": {\"a_long_reason\": 123456789012345, "
		"\"b_long_reason\": 123456789012345, \"c_long_reason\": "
		"123456789012345, \"d_long_reason\": 123456789012345}}",
	};
	struct buf page;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		view(pages[i], &page);
		assert_narrow(&page);
		assert_non_null(strstr(page.data, "signpostd"));
		buf_fini(&page);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_put_in_words),
		cmocka_unit_test(
		    cost_of_a_signature_is_told_when_there_is_enough_to_tell_it),
		cmocka_unit_test(
		    a_page_of_any_shape_is_shown_within_80_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
