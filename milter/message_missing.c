/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of message.h that adds Date and Message-ID where they are missing,
 * so that they are signed and nobody else adds them. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

#include "headers.h"
#include "message.h"

/* As Sendmail spells them, which puts them in the place of its own and keeps
 * their names: with simple canonicalization case counts. */
static const char *const names[] = { "Date", "Message-Id" };

/* RFC 5322 section 3.6.4: unique by the time and 64 random bits. */
static bool
write_id(char *value, size_t size, int64_t now, const char *domain)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return false;
	snprintf(value, size, " <%" PRIx64 ".%016" PRIx64 "@%s>", (uint64_t)now,
	    number, domain);
	return true;
}

static void
add(struct message *message, const char *name, char *value)
{
	switch (signpost_headers_add(
	    message->headers, name, strlen(name), value, strlen(value))) {
	case SIGNPOST_OK:
		break;
	case SIGNPOST_LIMIT:
		message_fail(message, FAILURE_HEADER_LIMIT);
		break;
	default:
		message_fail(message, FAILURE_MEMORY);
		break;
	}
}

static bool
is_missing(const struct message *message, const char *name)
{
	return headers_occurrences(message->headers, bytes_str(name)) == 0;
}

void
message_add_missing(struct message *message, int64_t now)
{
	struct message_missing *missing = &message->missing;

	if (!message->decision.settings->add_missing)
		return;
	if (is_missing(message, names[0])) {
		missing->date[0] = ' ';
		mail_date(now, missing->date + 1);
		add(message, names[0], missing->date);
	}
	if (is_missing(message, names[1])) {
		if (!write_id(missing->id, sizeof(missing->id), now,
			message->decision.domain))
			message_fail(message, FAILURE_CRYPTO);
		add(message, names[1], missing->id);
	}
}

const char *
message_missing_field(
    const struct message *message, size_t i, const char **value_r)
{
	const struct message_missing *missing = &message->missing;

	if (i >= sizeof(names) / sizeof(names[0]))
		return NULL;
	*value_r = i == 0 ? missing->date : missing->id;
	/* One that was not signed is not ours to add. */
	if (message->signer == NULL)
		*value_r = "";
	return names[i];
}
