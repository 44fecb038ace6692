/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <libmilter/mfapi.h>

static const char results_name[] = "Authentication-Results";

static const int replies[] = {
	[ACTION_ACCEPT] = SMFIS_ACCEPT,
	[ACTION_REJECT] = SMFIS_REJECT,
	[ACTION_TEMPFAIL] = SMFIS_TEMPFAIL,
	[ACTION_QUARANTINE] = SMFIS_ACCEPT,
	[ACTION_DISCARD] = SMFIS_DISCARD,
};

/* libmilter's functions take char * for what they only read. */
static char *mutable(const char *string)
{
	return (char *)(uintptr_t)string;
}

static const char *
macro(struct session *session, const char *name)
{
	return smfi_getsymval(session->ctx, mutable(name));
}

struct session *
session_new(struct daemon *daemon, struct smfi_str *ctx)
{
	struct session *session = calloc(1, sizeof(*session));

	if (session == NULL)
		return NULL;
	session->daemon = daemon;
	session->ctx = ctx;
	/* Until the MTA says otherwise, an unknown client: trusted for
	 * nothing. */
	session->has_client = true;
	session->client.ss_family = AF_UNSPEC;
	message_init(&session->message, daemon);
	return session;
}

void
session_free(struct session *session)
{
	session_abort(session);
	message_fini(&session->message);
	free(session);
}

/* Sendmail gives no address for mail from its standard input, both give none
 * for a client that has hung up already; that one is called "unknown", and is
 * somebody. */
void
session_connect(
    struct session *session, const char *host, const struct sockaddr *address)
{
	session->client.ss_family = AF_UNSPEC;
	if (address == NULL) {
		session->has_client = strcmp(host, "unknown") == 0;
		return;
	}
	session->has_client = address->sa_family != AF_UNIX;
	if (address->sa_family == AF_INET)
		memcpy(&session->client, address, sizeof(struct sockaddr_in));
	else if (address->sa_family == AF_INET6)
		memcpy(&session->client, address, sizeof(struct sockaddr_in6));
}

/* RFC 6152 section 2, RFC 3030 section 3. */
static bool
declares_8bit(const char *parameter)
{
	return strcasecmp(parameter, "BODY=8BITMIME") == 0 ||
	    strcasecmp(parameter, "BODY=BINARYMIME") == 0;
}

void
session_mail(struct session *session, char **args)
{
	session_abort(session);
	message_begin(&session->message, args[0] != NULL ? args[0] : "",
	    macro(session, "j"));
	for (size_t i = 0; args[i] != NULL; i++)
		if (i > 0 && declares_8bit(args[i]))
			message_declare_8bit(&session->message);
}

void
session_recipient(struct session *session, const char *path)
{
	message_recipient(&session->message, path);
}

/* Where values come without their leading space, the MTA puts one back before
 * a value that has none left; an MTA that keeps such spaces from filters cuts
 * off one SP and nothing else. */
void
session_header(struct session *session, const char *name, const char *value)
{
	struct buf *scratch = &session->message.scratch;
	size_t len = strlen(value);

	if (!session->leading_space && len > 0 && !is_wsp(value[0]) &&
	    value[0] != '\r' && value[0] != '\n') {
		buf_clear(scratch);
		buf_append_char(scratch, ' ');
		buf_append(scratch, value, len);
		if (!scratch->failed) {
			value = scratch->data;
			len = scratch->len;
		} else {
			message_fail(&session->message, FAILURE_MEMORY);
		}
	}
	message_header(&session->message, name, strlen(name), value, len);
}

static const struct sockaddr *
client_of(const struct session *session)
{
	if (!session->has_client)
		return NULL;
	return (const struct sockaddr *)&session->client;
}

/* Postfix does, as far as it is itself told not to rewrite them; Sendmail,
 * whose version is a bare number, doesn't. */
static bool
keeps_addresses(const char *version)
{
	static const char postfix[] = "Postfix ";

	return version != NULL &&
	    strncmp(version, postfix, sizeof(postfix) - 1) == 0;
}

void
session_end_headers(struct session *session)
{
	const char *user = macro(session, "{auth_authen}");
	const char *name = macro(session, "{daemon_name}");

	message_end_headers(&session->message,
	    &(struct message_client){
		.address = client_of(session),
		.auth_user = user != NULL && user[0] != '\0' ? user : NULL,
		.daemon_name = name,
		.keeps_addresses = keeps_addresses(macro(session, "v")),
	    });
}

bool
session_body(struct session *session, const void *data, size_t len)
{
	if (session->message.snapshot == NULL)
		return false;
	/* An MTA may leave the end of an empty header out. */
	if (!session->message.decided)
		session_end_headers(session);
	return message_body(&session->message, data, len);
}

/* Both MTAs want a folded value with LF alone, and put a space before it
 * unless values have their own. */
static bool
insert_field(struct session *session, const char *name, const char *value)
{
	struct buf *scratch = &session->message.scratch;

	buf_clear(scratch);
	if (!session->leading_space && value[0] == ' ')
		value++;
	for (const char *crlf; (crlf = strstr(value, "\r\n")) != NULL;
	     value = crlf + 1)
		buf_append(scratch, value, (size_t)(crlf - value));
	buf_append_str(scratch, value);
	return !scratch->failed && scratch->len > 0 &&
	    smfi_insheader(session->ctx, 0, mutable(name), scratch->data) ==
	    MI_SUCCESS;
}

/* From the highest number down: removing one moves those below it up
 * (CVE-2022-48521 was the other order). */
static bool
remove_results(struct session *session)
{
	const uint32_t *claims;

	for (size_t i = message_claims(&session->message, &claims); i-- > 0;)
		if (smfi_chgheader(session->ctx, mutable(results_name),
			(int)claims[i], NULL) != MI_SUCCESS)
			return false;
	return true;
}

/* At the bottom: Sendmail puts a field so added in place of the one that it
 * would have added itself, and would have two of one at the top. */
static bool
add_missing(struct session *session)
{
	const char *name, *value;

	for (size_t i = 0; (name = message_missing_field(
				&session->message, i, &value)) != NULL;
	     i++) {
		if (value[0] == '\0')
			continue;
		if (!session->leading_space)
			value++;
		if (smfi_addheader(session->ctx, mutable(name),
			mutable(value)) != MI_SUCCESS)
			return false;
	}
	return true;
}

/* Each field goes to the very top, so the topmost comes last. */
static bool
edit_header(struct session *session)
{
	const char *name, *value;

	if (!remove_results(session) || !add_missing(session))
		return false;
	for (size_t i = message_field_count(&session->message); i-- > 0;) {
		message_field(&session->message, i, &name, &value);
		if (!insert_field(session, name, value))
			return false;
	}
	return true;
}

static bool
quarantine(struct session *session, const struct message_outcome *outcome)
{
	return session->can_quarantine &&
	    smfi_quarantine(session->ctx, mutable(outcome->reason)) ==
	    MI_SUCCESS;
}

static bool
apply(struct session *session, const struct message_outcome *outcome)
{
	switch (outcome->action) {
	case ACTION_QUARANTINE:
		return quarantine(session, outcome) && edit_header(session);
	case ACTION_ACCEPT:
		return edit_header(session);
	case ACTION_REJECT:
	case ACTION_TEMPFAIL:
		/* Where this fails the MTA's own words serve. */
		smfi_setreply(session->ctx, mutable(outcome->code),
		    mutable(outcome->enhanced), mutable(outcome->text));
		return true;
	case ACTION_DISCARD:
		return true;
	}
	return false;
}

int
session_end_message(struct session *session)
{
	struct message *message = &session->message;
	struct message_outcome outcome;

	if (message->snapshot == NULL)
		return SMFIS_TEMPFAIL;
	if (!message->decided)
		session_end_headers(session);
	message_finish(message, &outcome);
	if (!apply(session, &outcome))
		outcome = (struct message_outcome){
			.action = ACTION_TEMPFAIL,
			.reason = "mta",
		};
	message_log(message, macro(session, "i"), client_of(session), &outcome);
	message_send_reports(message, client_of(session), &outcome);
	message_reset(message);
	return replies[outcome.action];
}

void
session_abort(struct session *session)
{
	if (session->message.snapshot == NULL)
		return;
	message_log_aborted(&session->message, macro(session, "i"));
	message_reset(&session->message);
}
