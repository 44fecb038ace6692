/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * message - what is done with one message, from MAIL to its end
 *
 * Knows nothing of the milter protocol: it is fed with sender, header fields
 * and body, decides by policy at the end of the header, signs or verifies, and
 * says at the end what is to become of the message (struct message_outcome),
 * which fields are to be inserted and which removed. session.c tells the MTA.
 *
 * Nothing leaves unsigned by accident: a message of ours that can't be signed
 * has the action sign.on_error. Nothing is lost: what fails for want of memory
 * is a temporary failure. Nothing stalls: a foreign message whose header is
 * over limits.max_header_bytes is passed on unverified, without a result and
 * without any that it forged, unless an aligned pass is wanted of anybody whose
 * it may be.
 *
 * Ownership: struct message lives in its session and is used for one message
 * after the other; what it holds grows with the first and is kept, large
 * pieces apart. Between messages SNAPSHOT is NULL.
 *
 * Threads: one at a time.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "daemon.h"
#include "hazards.h"
#include "mail_date.h"
#include "message_failure.h"
#include "policy.h"

/* Who sent it; borrowed for the call. */
struct message_client {
	const struct sockaddr *address; /* NULL: no client */
	const char *auth_user;		/* NULL: none */
	const char *daemon_name;	/* NULL: not given */
	bool keeps_addresses; /* the MTA sends address fields as they are */
};

/* What is to become of the message. */
struct message_outcome {
	enum config_action action;
	const char *reason; /* a token */
	const char *rule;   /* the setting behind it; NULL: trust alone */
	/* The SMTP reply where ACTION is reject or tempfail. */
	char code[4], enhanced[12];
	char text[480];
};

/* What verification comes to by the settings. */
struct message_wish {
	enum config_action action;
	const char *rule;     /* the setting that says so */
	const char *reason;   /* a token */
	const char *why;      /* the same for people */
	const char *reply;    /* as the configuration has one, or "" */
	const char **detail;  /* as message_outcome_set has it */
	const char *own_text; /* where REPLY is "": as that of a reply */
};

/* The fields that were missing and are added, as signpost_signer_field has
 * values; "" for none. */
struct message_missing {
	char date[1 + MAIL_DATE_SIZE];
	char id[DOMAIN_SIZE + 64];
};

struct message {
	struct daemon *daemon;
	struct snapshot *snapshot; /* NULL: between messages */
	struct signpost_headers *headers;
	size_t headers_max;  /* what HEADERS was made with */
	size_t header_bytes; /* that it holds */
	struct buf sender;
	unsigned recipients;	 /* that were told of; 0: not asked for */
	struct buf paths;	 /* theirs, each with a NUL behind it */
	struct replay_seen seen; /* of its signatures the one seen most */
	struct buf scratch;
	/* The numbers (uint32_t, from 1) of the Authentication-Results fields
	 * that claim to be ours, among RESULTS of that name. */
	struct buf claims;
	uint32_t results;
	enum message_failure failure; /* the first */
	bool decided;		      /* the header has ended */
	struct policy_decision decision;
	struct signpost_signer *signer;
	struct message_missing missing;
	struct hazard_scan scan;
	unsigned hazards;	       /* found, a set */
	bool keeps_addresses;	       /* the MTA does */
	bool declared_8bit;	       /* by MAIL FROM */
	struct signpost_verifier *own; /* signatures of ours that are there */
	struct signpost_verifier *verifier;
	enum config_action would; /* be done with it, but for SPARED */
	const char *spared;	  /* a token: why not; NULL: it is done */
	struct key_lookups *lookups;
	char *authres;	       /* the field to insert */
	char *changed;	       /* fields, by the first signature that fails */
	struct buf signatures; /* for the log */
	struct buf why;	       /* what is wrong with a key, for the log */
	uint64_t begin_ns;     /* monotonic */
	uint64_t dns_wait_ns, work_wait_ns;
	uint64_t body_bytes;
	char authserv_id[256];
};

void message_init(struct message *message, struct daemon *daemon);
void message_fini(struct message *message);
/* A message begins. SENDER is MAIL FROM as given; MTA_NAME is the authserv_id
 * where none is configured (NULL or "": the name of this host). */
void message_begin(
    struct message *message, const char *sender, const char *mta_name);
/* The sender declared 8-bit text (RFC 6152: BODY=8BITMIME). */
void message_declare_8bit(struct message *message);
/* A recipient that the MTA accepts, as given. */
void message_recipient(struct message *message, const char *path);
void message_header(struct message *message, const char *name, size_t name_len,
    const char *value, size_t value_len);
void message_end_headers(
    struct message *message, const struct message_client *client);
/* Returns whether the octets were hashed. */
bool message_body(struct message *message, const void *data, size_t len);
/* The end of the message: waits for keys and for the pool of workers, for
 * limits.max_wait at most. */
void message_finish(struct message *message, struct message_outcome *outcome_r);
/* The fields to insert at the top of an accepted message, 0 the topmost; value
 * as signpost_signer_field has it. */
size_t message_field_count(const struct message *message);
void message_field(const struct message *message, size_t i, const char **name_r,
    const char **value_r);
/* The fields that a message lacks and is to get at its end: the name of field
 * I, NULL beyond the last; the value "" for one that it has. */
const char *message_missing_field(
    const struct message *message, size_t i, const char **value_r);
/* The fields Authentication-Results to remove: their numbers among the fields
 * of that name, in rising order. */
size_t message_claims(const struct message *message, const uint32_t **items_r);
/* Counts and logs what became of the message, under queue id ID. */
void message_log(struct message *message, const char *id,
    const struct sockaddr *client, const struct message_outcome *outcome);
/* The same for one that the MTA gave up. */
void message_log_aborted(struct message *message, const char *id);
/* Asks for reports of the signatures that failed, where they are made. */
void message_send_reports(struct message *message,
    const struct sockaddr *client, const struct message_outcome *outcome);
/* Forgets the message, finished or not. */
void message_reset(struct message *message);

/* For the other files of this module. */

/* Notes a failure, unless one is noted already. */
void message_fail(struct message *message, enum message_failure failure);
/* ACTION with its reply; DETAIL are the class-less digits of its enhanced
 * status codes: for a rejection, for a temporary failure. */
void message_outcome_set(struct message_outcome *outcome,
    enum config_action action, const char *reason, const char *detail[2],
    const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Whether an aligned pass is wanted of the message. */
bool message_must_align(const struct message *message);
/* What is done where a result can't be had for now. */
enum config_action message_on_temperror(const struct message *message);
/* What becomes of a message that can't be verified as its header is too
 * large. */
void message_apply_header_limit(
    struct message *message, struct message_outcome *outcome);
/* Does what WISH says, unless the message is exempt or it is a dry run; counts
 * it. */
void message_apply_policy(struct message *message,
    const struct message_wish *wish, struct message_outcome *outcome);
/* What a failure while signing makes of the message. */
void message_sign_failed(
    struct message *message, struct message_outcome *outcome);
/* The client's address as text, "" where there is none. */
const char *message_client_text(
    const struct sockaddr *client, char text_r[INET6_ADDRSTRLEN]);
/* CLOCK_MONOTONIC in MS milliseconds. */
struct timespec message_deadline(int64_t ms);

void message_begin_signing(struct message *message, int64_t now);
/* Adds what sign.add_missing asks for to the header that is signed. */
void message_add_missing(struct message *message, int64_t now);
/* At the end of the header, KEYS being those that will sign. */
void message_begin_hazards(
    struct message *message, const struct keystore_keys *keys, int64_t now);
void message_hazards_body(
    struct message *message, const void *data, size_t len);
/* At the end of the message: counts what was found; whether to sign all the
 * same, else OUTCOME says what becomes of the message. */
bool message_hazards_allow(struct message *message,
    const struct timespec *deadline, struct message_outcome *outcome);
void message_sign(struct message *message, struct message_outcome *outcome);
void message_begin_verifying(
    struct message *message, const struct message_client *client, int64_t now);
/* The public-key work for all signatures of VERIFIER; whether the queue was
 * full. */
bool message_check(struct message *message, struct signpost_verifier *verifier,
    const struct timespec *deadline);
void message_verify(struct message *message, struct message_outcome *outcome);

#endif
