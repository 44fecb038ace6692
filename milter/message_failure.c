/* SPDX-License-Identifier: BSD-2-Clause */
#include "message_failure.h"

static const struct {
	const char *token;
	const char *text;
} failures[FAILURES] = {
	[FAILURE_NONE] = { "", "" },
	[FAILURE_MEMORY] = { "memory", "out of memory" },
	[FAILURE_HEADER_LIMIT] = { "header_limit", "the header is too large" },
	[FAILURE_RESULTS] = { "results_limit",
	    "too many Authentication-Results fields" },
	[FAILURE_KEYS] = { "keys_unusable", "no key can be used" },
	[FAILURE_SIGNER] = { "signer", "the message can't be signed" },
	[FAILURE_CRYPTO] = { "crypto", "cryptographic failure" },
	[FAILURE_OVERLOAD] = { "overload", "too busy" },
	[FAILURE_DEADLINE] = { "deadline", "signing took too long" },
};

const char *
message_failure_token(enum message_failure failure)
{
	return failures[failure].token;
}

const char *
message_failure_text(enum message_failure failure)
{
	return failures[failure].text;
}
