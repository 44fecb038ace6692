/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "standing.h"

enum {
	RETRY_MS = 1000,
	INTERVAL_MS = 60000
};

/* Letters of a row: what look-ups came to. */
static enum standing_check
check_of(char letter)
{
	static const char letters[] = "mdrnfk";

	return (enum standing_check)(strchr(letters, letter) - letters);
}

/* Look-ups: (m)atches, (d)iffers, (r)evoked, (n)o record, (f)ailed, no (k)ey. */
static const struct {
	const char *name, *input;
	enum standing_state want;
} rows[] = {
	{ "never looked up", "", STANDING_WAITING },
	{ "seen", "m", STANDING_PUBLISHED },
	{ "not there yet", "nnnnnn", STANDING_WAITING },
	{ "there in the end", "nnnnnnm", STANDING_PUBLISHED },
	{ "dns is down from the start", "fffff", STANDING_WAITING },
	{ "dns is down later", "mffffff", STANDING_PUBLISHED },
	{ "missed once", "mn", STANDING_PUBLISHED },
	{ "missed twice", "mnn", STANDING_PUBLISHED },
	{ "missed three times", "mnnn", STANDING_GONE },
	{ "missed now and then", "mnnmnnmnn", STANDING_PUBLISHED },
	{ "failures between do not count", "mnfnf", STANDING_PUBLISHED },
	{ "failures between take nothing back", "mnfnfn", STANDING_GONE },
	{ "gone and back", "mnnnm", STANDING_PUBLISHED },
	{ "gone and dns down", "mnnnfff", STANDING_GONE },
	{ "revoked", "mr", STANDING_REVOKED },
	{ "revoked before it was seen", "r", STANDING_REVOKED },
	{ "revoked and dns down", "mrfff", STANDING_REVOKED },
	{ "revoked and taken away", "mrn", STANDING_GONE },
	{ "revoked and back", "mrm", STANDING_PUBLISHED },
	{ "another's", "md", STANDING_DIFFERS },
	{ "another's from the start", "d", STANDING_DIFFERS },
	{ "another's, taken away", "dn", STANDING_WAITING },
	{ "another's, then ours", "dm", STANDING_PUBLISHED },
	{ "the file is not to be read", "mkkkk", STANDING_PUBLISHED },
};

static void
test_the_state_follows_from_the_facts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct standing standing = { 0 };
		enum standing_state before;

		for (const char *at = rows[i].input; *at != '\0'; at++) {
			before = standing.state;
			/* It is said when the state changes, and only then. */
			if (standing_take(&standing, check_of(*at)) !=
			    (standing.state != before))
				fail_msg("%s: at %s", rows[i].name, at);
		}
		if (standing.state != rows[i].want)
			fail_msg("%s: %s", rows[i].name,
			    standing_token(standing.state));
	}
}

static const struct {
	const char *name, *input;
	uint64_t want_ms;
} delays[] = {
	{ "never looked up", "", RETRY_MS },
	{ "published", "m", INTERVAL_MS },
	{ "waiting takes longer each time", "n", 2 * RETRY_MS },
	{ "and longer", "nnn", 8 * RETRY_MS },
	{ "up to the interval",
	    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
	    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
	    INTERVAL_MS },
	{ "a miss is confirmed soon", "mn", RETRY_MS },
	{ "and soon", "mnn", RETRY_MS },
	{ "but when it is gone", "mnnn", RETRY_MS },
	{ "no longer so", "mnnnnn", 4 * RETRY_MS },
	{ "a failure is tried again", "mf", 2 * RETRY_MS },
	{ "not for ever", "mfffffffffffff", INTERVAL_MS },
	{ "all is well again", "mfffm", INTERVAL_MS },
};

static void
test_the_next_look_up_comes_when_it_helps(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
		struct standing standing = { 0 };
		uint64_t ms;

		for (const char *at = delays[i].input; *at != '\0'; at++)
			standing_take(&standing, check_of(*at));
		ms = standing_delay_ms(&standing, INTERVAL_MS, RETRY_MS, 0);
		if (ms != delays[i].want_ms)
			fail_msg("%s: %u", delays[i].name, (unsigned)ms);
		ms = standing_delay_ms(
		    &standing, INTERVAL_MS, RETRY_MS, UINT32_MAX);
		assert_in_range(
		    ms, delays[i].want_ms * 7 / 8, delays[i].want_ms - 1);
	}
}

static void
test_an_interval_below_the_retry_is_what_counts(void **state)
{
	struct standing standing = { 0 };

	(void)state;
	assert_int_equal(standing_delay_ms(&standing, 10, 1000, 0), 10);
}

static void
test_every_state_has_a_word_that_is_read_back(void **state)
{
	enum standing_state read;

	(void)state;
	for (int i = 0; i < STANDING_STATES; i++) {
		assert_true(standing_read(
		    standing_token((enum standing_state)i), &read));
		assert_int_equal(read, i);
		assert_non_null(standing_text(read));
	}
	assert_false(standing_read("unheard of", &read));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_state_follows_from_the_facts),
		cmocka_unit_test(test_the_next_look_up_comes_when_it_helps),
		cmocka_unit_test(
		    test_an_interval_below_the_retry_is_what_counts),
		cmocka_unit_test(test_every_state_has_a_word_that_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
