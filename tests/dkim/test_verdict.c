/* SPDX-License-Identifier: BSD-2-Clause */
#include "verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* Tokens are labels of metrics and words of logs: of few characters, and no two
 * the same. */
static void
each_reason_has_a_token_of_its_own_and_a_text(void **state)
{
	(void)state;
	assert_string_equal(signpost_reason_token(SIGNPOST_REASON_NONE), "");
	for (unsigned i = SIGNPOST_REASON_NONE + 1; i < SIGNPOST_REASONS; i++) {
		const char *token = signpost_reason_token(i);

		assert_true(token[0] != '\0' && strlen(token) <= 20);
		assert_int_equal(
		    strspn(token, "abcdefghijklmnopqrstuvwxyz0123456789_"),
		    strlen(token));
		assert_true(strlen(signpost_reason_text(i)) > 5);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(
			    token, signpost_reason_token(k));
	}
}

/* The reasons of one result stand together in signpost.h. */
static void
each_reason_gives_the_result_of_its_group(void **state)
{
	static const struct {
		enum signpost_reason first, last;
		enum signpost_result result;
	} groups[] = {
		{ SIGNPOST_REASON_NONE, SIGNPOST_REASON_NONE, SIGNPOST_PASS },
		{ SIGNPOST_REASON_BODY_HASH, SIGNPOST_REASON_SIGNATURE,
		    SIGNPOST_FAIL },
		{ SIGNPOST_REASON_TAGS, SIGNPOST_REASON_BASE64,
		    SIGNPOST_NEUTRAL },
		{ SIGNPOST_REASON_NO_KEY, SIGNPOST_REASON_KEY_STRICT,
		    SIGNPOST_PERMERROR },
		{ SIGNPOST_REASON_DNS_TIMEOUT, SIGNPOST_REASON_INTERNAL,
		    SIGNPOST_TEMPERROR },
		{ SIGNPOST_REASON_SHA1, SIGNPOST_REASON_REPLAYED,
		    SIGNPOST_POLICY },
	};
	unsigned reasons = 0;

	(void)state;
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		for (unsigned reason = groups[i].first;
		     reason <= groups[i].last; reason++, reasons++) {
			struct signpost_verdict verdict = { .key_bits = 0 };

			verdict_set(&verdict, reason);
			assert_int_equal(verdict.result, groups[i].result);
			assert_int_equal(verdict.reason, reason);
		}
	}
	assert_int_equal(reasons, SIGNPOST_REASONS);
}

/* RFC 8601 section 2.7.1, RFC 6376 section 3.3, RFC 8463 section 3 */
static void
words_are_those_of_the_rfcs(void **state)
{
	static const char *const results[] = { "none", "pass", "fail",
		"neutral", "policy", "temperror", "permerror" };
	static const char *const algorithms[] = { "rsa-sha256",
		"ed25519-sha256", "rsa-sha1" };

	(void)state;
	for (unsigned i = 0; i <= SIGNPOST_PERMERROR; i++)
		assert_string_equal(signpost_result_word(i), results[i]);
	for (unsigned i = 0; i < SIGNPOST_ALGORITHM_UNKNOWN; i++)
		assert_string_equal(signpost_algorithm_name(i), algorithms[i]);
	assert_string_equal(
	    signpost_dnssec_word(SIGNPOST_DNSSEC_BOGUS), "bogus");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_reason_has_a_token_of_its_own_and_a_text),
		cmocka_unit_test(each_reason_gives_the_result_of_its_group),
		cmocka_unit_test(words_are_those_of_the_rfcs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
