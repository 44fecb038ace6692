/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * message_failure - why a message could not be handled as policy decided
 *
 * Each has a token for the log and a text for people, which are the same in
 * the daemon and in "signpost explain".
 *
 * Threads: pure functions.
 */
#ifndef MESSAGE_FAILURE_H
#define MESSAGE_FAILURE_H

enum message_failure {
	FAILURE_NONE,
	FAILURE_MEMORY,	      /* memory */
	FAILURE_HEADER_LIMIT, /* header_limit: over max_header_bytes */
	FAILURE_RESULTS,      /* results_limit: too many fields of results */
	FAILURE_KEYS,	      /* keys_unusable: there, but none loads */
	FAILURE_UNPUBLISHED,  /* not_published: no key's record is in DNS */
	FAILURE_SIGNER,	      /* signer: the settings make no signature */
	FAILURE_CRYPTO,	      /* crypto: libcrypto failed */
	FAILURE_OVERLOAD,     /* overload: the queue was full */
	FAILURE_DEADLINE,     /* deadline: limits.max_wait has passed */
	FAILURES
};

const char *message_failure_token(enum message_failure failure);
const char *message_failure_text(enum message_failure failure);
/* The setting that says what becomes of the message; NULL: none does. */
const char *message_failure_setting(enum message_failure failure);

#endif
