/* SPDX-License-Identifier: BSD-2-Clause */
#include "standing.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *token, *text;
} states[STANDING_STATES] = {
	[STANDING_WAITING] = { "waiting",
	    "waits until its record is seen in DNS" },
	[STANDING_PUBLISHED] = { "published", "its record is seen in DNS" },
	[STANDING_GONE] = { "gone", "its record is no more in DNS" },
	[STANDING_REVOKED] = { "revoked", "its record in DNS revokes it" },
	[STANDING_DIFFERS] = { "differs",
	    "its record in DNS is not that of the key" },
};

static const char *const checks[STANDING_CHECKS] = {
	[CHECK_MATCHES] = "matches",
	[CHECK_DIFFERS] = "differs",
	[CHECK_REVOKED] = "revoked",
	[CHECK_NO_RECORD] = "no_record",
	[CHECK_FAILED] = "failed",
	[CHECK_NO_KEY] = "no_key",
};

const char *
standing_token(enum standing_state state)
{
	return states[state].token;
}

const char *
standing_text(enum standing_state state)
{
	return states[state].text;
}

const char *
standing_check_token(enum standing_check check)
{
	return checks[check];
}

bool
standing_read(const char *token, enum standing_state *state_r)
{
	for (size_t i = 0; i < STANDING_STATES; i++)
		if (strcmp(states[i].token, token) == 0) {
			*state_r = (enum standing_state)i;
			return true;
		}
	return false;
}

static enum standing_state
without_record(const struct standing *standing)
{
	switch (standing->state) {
	case STANDING_PUBLISHED:
		return standing->misses < STANDING_CONFIRM ? STANDING_PUBLISHED
							   : STANDING_GONE;
	case STANDING_DIFFERS:
		/* It may never have been there: another's was. */
		return STANDING_WAITING;
	case STANDING_REVOKED:
		return STANDING_GONE;
	default:
		return standing->state;
	}
}

bool
standing_take(struct standing *standing, enum standing_check check)
{
	enum standing_state before = standing->state;

	if (check == CHECK_NO_RECORD)
		standing->misses++;
	else if (check != CHECK_FAILED && check != CHECK_NO_KEY)
		standing->misses = 0;
	switch (check) {
	case CHECK_MATCHES:
		standing->state = STANDING_PUBLISHED;
		break;
	case CHECK_DIFFERS:
		standing->state = STANDING_DIFFERS;
		break;
	case CHECK_REVOKED:
		standing->state = STANDING_REVOKED;
		break;
	case CHECK_NO_RECORD:
		standing->state = without_record(standing);
		break;
	default:
		break;
	}
	if (check != CHECK_FAILED && check != CHECK_NO_KEY)
		standing->known = true;
	if (check == CHECK_MATCHES || standing->state != before)
		standing->repeats = 0;
	else if (standing->repeats < UINT16_MAX)
		standing->repeats++;
	return standing->state != before;
}

uint64_t
standing_delay_ms(const struct standing *standing, uint64_t interval_ms,
    uint64_t retry_ms, uint32_t random)
{
	bool published = standing->state == STANDING_PUBLISHED;
	uint64_t delay_ms = retry_ms;

	if (published && standing->misses == 0 && standing->repeats == 0)
		delay_ms = interval_ms;
	else if (!published || standing->misses == 0)
		for (unsigned i = 0;
		     i < standing->repeats && delay_ms < interval_ms; i++)
			delay_ms *= 2;
	if (delay_ms > interval_ms)
		delay_ms = interval_ms;
	return delay_ms - delay_ms / 8 * (random % 1024) / 1024;
}
