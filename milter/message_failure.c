/* SPDX-License-Identifier: BSD-2-Clause */
#include "message_failure.h"

#include <stddef.h>

static const struct {
	const char *token;
	const char *text;
	const char *setting;
} failures[FAILURES] = {
	[FAILURE_NONE] = { "", "", NULL },
	[FAILURE_MEMORY] = { "memory", "out of memory", NULL },
	[FAILURE_HEADER_LIMIT] = { "header_limit", "the header is too large",
	    "limits.max_header_bytes" },
	[FAILURE_RESULTS] = { "results_limit",
	    "too many Authentication-Results fields", NULL },
	[FAILURE_KEYS] = { "keys_unusable", "no key can be used",
	    "sign.on_error" },
	[FAILURE_UNPUBLISHED] = { "not_published",
	    "no key's record is seen in DNS", "sign.on_no_usable_key" },
	[FAILURE_SIGNER] = { "signer", "the message can't be signed",
	    "sign.on_error" },
	[FAILURE_CRYPTO] = { "crypto", "cryptographic failure",
	    "sign.on_error" },
	[FAILURE_OVERLOAD] = { "overload", "too busy", "workers.on_overload" },
	[FAILURE_DEADLINE] = { "deadline", "signing took too long",
	    "sign.on_error" },
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

const char *
message_failure_setting(enum message_failure failure)
{
	return failures[failure].setting;
}
