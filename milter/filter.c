/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <libmilter/mfapi.h>
#include <libmilter/mfdef.h>

#include "intake.h"
#include "rights.h"
#include "session.h"

enum {
	BACKLOG = 1024,
	/* libmilter's own default. An MTA says nothing while a message
	 * trickles in, for an hour and more. */
	TIMEOUT_S = 7210,
	/* A command of the MTA, which is a header field at most, as a body
	 * comes in pieces of 64 kB. libmilter's default ends the connection
	 * at a field over 64 kB, where Postfix takes 100 kB. */
	MIN_DATA_SIZE = 1 << 20,
	DATA_BEYOND_HEADER = 65536,
	/* To read a thread's CPU time takes as long as to keep a header field:
	 * one of so many is timed, for all of them. */
	FIELDS_A_TIMED_ONE = 8,
	DESCRIPTORS = 256, /* searched for the milter socket */
	SHORTAGE_REST_NS = 20000000,
};

/* Steps that nothing is done at, SMFIP_NORCPT apart: recipients are told of
 * where something depends on them. */
static const unsigned long steps_unused =
    SMFIP_NOHELO | SMFIP_NODATA | SMFIP_NOUNKNOWN;

/* Every step but the end of the message goes without a reply; libmilter sends
 * one where an MTA needs it. This includes the body (SMFIP_NR_BODY), which
 * rules out telling the MTA to skip the rest of one that nothing needs: no
 * round trip for each piece of every body against a transfer saved for bodies
 * without a signature. */
static const unsigned long steps_silent = SMFIP_NR_CONN | SMFIP_NR_MAIL |
    SMFIP_NR_RCPT | SMFIP_NR_HDR | SMFIP_NR_EOH | SMFIP_NR_BODY;

static const unsigned long actions_needed = SMFIF_ADDHDRS | SMFIF_CHGHDRS;

/* libmilter hands its callbacks no pointer of ours before there is a
 * connection. */
static struct daemon *filter_daemon;

static void
set_macros(SMFICTX *ctx)
{
	static const struct {
		int place;
		char names[32];
	} macros[] = {
		{ SMFIM_CONNECT, "j v {daemon_name}" },
		{ SMFIM_ENVFROM, "i {auth_authen}" },
		{ SMFIM_EOM, "i" },
	};

	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
		char names[sizeof(macros[i].names)];
		memcpy(names, macros[i].names, sizeof(names));
		smfi_setsymlist(ctx, macros[i].place, names);
	}
}

/* A connection over the cap, or one there is no memory for, has no session and
 * asks for replies, so that it can be refused. */
static struct session *
begin_session(SMFICTX *ctx)
{
	struct session *session;

	if (!daemon_enter(filter_daemon))
		return NULL;
	session = session_new(filter_daemon, ctx);
	if (session == NULL)
		daemon_leave(filter_daemon);
	else
		smfi_setpriv(ctx, session);
	return session;
}

static void
end_session(SMFICTX *ctx, struct session *session)
{
	smfi_setpriv(ctx, NULL);
	session_free(session);
	daemon_leave(filter_daemon);
}

static sfsistat
filter_negotiate(SMFICTX *ctx, unsigned long actions, unsigned long steps,
    unsigned long unused0, unsigned long unused1, unsigned long *actions_r,
    unsigned long *steps_r, unsigned long *unused0_r, unsigned long *unused1_r)
{
	struct session *session = smfi_getpriv(ctx);

	(void)unused0;
	(void)unused1;
	*unused0_r = *unused1_r = 0;
	if ((actions & actions_needed) != actions_needed) {
		log_often(filter_daemon->log, LOG_KIND_CONNECTION, LOG_ERR,
		    "the MTA does not let a filter change header fields: "
		    "connection refused");
		return SMFIS_REJECT;
	}
	if (session != NULL) /* negotiating again */
		end_session(ctx, session);
	session = begin_session(ctx);
	*actions_r =
	    actions_needed | (actions & (SMFIF_QUARANTINE | SMFIF_SETSYMLIST));
	*steps_r = steps & (steps_unused | SMFIP_HDR_LEADSPC);
	/* An MTA keeps a connection for long: one from before a reload that
	 * has recipients counted does not tell of them. */
	if (!daemon_wants_recipients(filter_daemon))
		*steps_r |= steps & SMFIP_NORCPT;
	if ((actions & SMFIF_SETSYMLIST) != 0)
		set_macros(ctx);
	if (session == NULL)
		return SMFIS_CONTINUE;

	*steps_r |= steps_silent;
	session->leading_space = (steps & SMFIP_HDR_LEADSPC) != 0;
	session->can_quarantine = (actions & SMFIF_QUARANTINE) != 0;
	if (!session->leading_space && daemon_tell_no_space(filter_daemon))
		log_line(filter_daemon->log, LOG_WARNING,
		    "the MTA does not say which spaces begin a header field: "
		    "simple canonicalization may fail");
	return SMFIS_CONTINUE;
}

/* A callback that has begun: its session, and its thread's CPU time then. */
struct step {
	struct session *session;
	uint64_t begin_ns;
};

static bool
begin(SMFICTX *ctx, struct step *step_r)
{
	step_r->session = smfi_getpriv(ctx);
	if (step_r->session == NULL)
		return false;
	step_r->begin_ns = stats_thread_cpu_ns();
	return true;
}

static uint64_t
end(const struct step *step, enum stats_stage stage)
{
	uint64_t cpu_ns = stats_thread_cpu_ns() - step->begin_ns;

	stats_stage_cpu(filter_daemon->stats, stage, cpu_ns);
	return cpu_ns;
}

static sfsistat
filter_connect(SMFICTX *ctx, char *host, struct sockaddr *address)
{
	struct step step;

	if (!begin(ctx, &step))
		return SMFIS_TEMPFAIL;
	session_connect(step.session, host, address);
	end(&step, STAGE_CONNECT);
	return SMFIS_NOREPLY;
}

static sfsistat
filter_mail(SMFICTX *ctx, char **args)
{
	struct step step;

	if (!begin(ctx, &step))
		return SMFIS_TEMPFAIL;
	session_mail(step.session, args);
	end(&step, STAGE_ENVELOPE);
	return SMFIS_NOREPLY;
}

static sfsistat
filter_recipient(SMFICTX *ctx, char **args)
{
	struct step step;

	if (!begin(ctx, &step))
		return SMFIS_TEMPFAIL;
	session_recipient(step.session, args[0] != NULL ? args[0] : "");
	end(&step, STAGE_ENVELOPE);
	return SMFIS_NOREPLY;
}

static sfsistat
filter_header(SMFICTX *ctx, char *name, char *value)
{
	static _Thread_local unsigned fields;
	struct session *session = smfi_getpriv(ctx);

	if (session == NULL)
		return SMFIS_TEMPFAIL;
	if (fields++ % FIELDS_A_TIMED_ONE != 0) {
		session_header(session, name, value);
		return SMFIS_NOREPLY;
	}
	uint64_t begin_ns = stats_thread_cpu_ns();
	session_header(session, name, value);
	stats_stage_cpu(filter_daemon->stats, STAGE_HEADER,
	    (stats_thread_cpu_ns() - begin_ns) * FIELDS_A_TIMED_ONE);
	return SMFIS_NOREPLY;
}

static sfsistat
filter_end_headers(SMFICTX *ctx)
{
	struct step step;

	if (!begin(ctx, &step))
		return SMFIS_TEMPFAIL;
	session_end_headers(step.session);
	end(&step, STAGE_END_OF_HEADERS);
	return SMFIS_NOREPLY;
}

static sfsistat
filter_body(SMFICTX *ctx, unsigned char *data, size_t len)
{
	struct step step;

	if (!begin(ctx, &step))
		return SMFIS_TEMPFAIL;
	bool hashed = session_body(step.session, data, len);
	uint64_t cpu_ns = end(&step, STAGE_BODY);
	if (hashed) {
		stats_add(filter_daemon->stats, COUNT_BODY_HASH_BYTES, len);
		stats_add(filter_daemon->stats, COUNT_BODY_HASH_CPU_NS, cpu_ns);
	}
	/* Behind any other return libmilter passes over the end of a message
	 * that comes with a piece of body, and its MTA waits for ever. */
	return intake_ends_message() ? SMFIS_CONTINUE : SMFIS_NOREPLY;
}

static sfsistat
filter_end_message(SMFICTX *ctx)
{
	struct step step;

	if (!begin(ctx, &step))
		return SMFIS_TEMPFAIL;
	sfsistat reply = session_end_message(step.session);
	end(&step, STAGE_END_OF_MESSAGE);
	intake_message_ended();
	return reply;
}

static sfsistat
filter_abort(SMFICTX *ctx)
{
	struct step step;

	if (begin(ctx, &step)) {
		session_abort(step.session);
		end(&step, STAGE_ABORT);
	}
	return SMFIS_CONTINUE;
}

static sfsistat
filter_close(SMFICTX *ctx)
{
	const char *refusal = intake_take_refusal();
	struct step step;

	if (refusal != NULL)
		log_often(filter_daemon->log, LOG_KIND_CONNECTION, LOG_ERR,
		    "the MTA sent %s: connection closed", refusal);
	if (begin(ctx, &step)) {
		end_session(ctx, step.session);
		end(&step, STAGE_CLOSE);
	}
	return SMFIS_CONTINUE;
}

static bool
is_listening(int descriptor)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return getsockopt(
		   descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 &&
	    value != 0;
}

/* libmilter keeps its socket's descriptor to itself. */
static int
open_and_find(void)
{
	bool before[DESCRIPTORS];

	for (int i = 0; i < DESCRIPTORS; i++)
		before[i] = is_listening(i);
	if (smfi_opensocket(false) != MI_SUCCESS)
		return -1;
	for (int i = 0; i < DESCRIPTORS; i++)
		if (!before[i] && is_listening(i))
			return i;
	errno = EMFILE;
	return -1;
}

bool
filter_open(struct daemon *daemon, const struct config *config,
    int *descriptor_r, char *error, size_t error_size)
{
	static char name[] = "signpostd";
	struct smfiDesc description = {
		.xxfi_name = name,
		.xxfi_version = SMFI_VERSION,
		.xxfi_flags = actions_needed,
		.xxfi_connect = filter_connect,
		.xxfi_envfrom = filter_mail,
		.xxfi_envrcpt = filter_recipient,
		.xxfi_header = filter_header,
		.xxfi_eoh = filter_end_headers,
		.xxfi_body = filter_body,
		.xxfi_eom = filter_end_message,
		.xxfi_abort = filter_abort,
		.xxfi_close = filter_close,
		.xxfi_negotiate = filter_negotiate,
	};
	char connection[256];
	size_t data_size = config->limits.max_header_bytes + DATA_BEYOND_HEADER;

	if (data_size < MIN_DATA_SIZE)
		data_size = MIN_DATA_SIZE;
	daemon->max_header_bytes = data_size - DATA_BEYOND_HEADER;
	filter_daemon = daemon;
	snprintf(connection, sizeof(connection), "%s", config->socket);
	smfi_setmaxdatasize(data_size);
	errno = 0;
	if (smfi_register(description) != MI_SUCCESS ||
	    smfi_settimeout(TIMEOUT_S) != MI_SUCCESS ||
	    smfi_setbacklog(BACKLOG) != MI_SUCCESS ||
	    smfi_setconn(connection) != MI_SUCCESS ||
	    (*descriptor_r = open_and_find()) < 0) {
		snprintf(error, error_size, "%s: can't be opened: %s%s",
		    config->socket,
		    errno != 0 ? strerror(errno) : "see the system's log",
		    rights_advice(errno));
		return false;
	}
	return true;
}

/* libmilter waits for signals on a thread of its own and takes TERM and HUP as
 * "stop at once", which cuts messages in flight. Which thread gets a signal is
 * the kernel's choice, so that thread must not wait for any: this function
 * stands before the C library's, and nothing else in the process calls it. The
 * main thread has the signals to itself (server_start.c). */
int
sigwait(const sigset_t *set, int *signal_r)
{
	(void)set;
	(void)signal_r;
	for (;;)
		pause();
}

static void
rest(void)
{
	static const struct timespec time = { .tv_nsec = SHORTAGE_REST_NS };

	nanosleep(&time, NULL);
}

/* libmilter takes every connection, keeps one that was refused until the MTA
 * hangs up, and tries again without a pause where there is no descriptor for
 * the next. This function stands before the C library's, as sigwait does: a
 * connection that would leave too few descriptors to read keys and
 * configuration with is closed at once. */
int
accept(int listener, __SOCKADDR_ARG address, socklen_t *restrict len)
{
	int fd = accept4(listener, address, len, SOCK_CLOEXEC);

	if (fd < 0) {
		int error = errno;
		if (error == EMFILE || error == ENFILE || error == ENOBUFS ||
		    error == ENOMEM)
			rest();
		errno = error;
		return -1;
	}
	if ((size_t)fd < filter_daemon->max_descriptor) {
		intake_accepted(fd);
		return fd;
	}
	close(fd);
	stats_add(filter_daemon->stats, COUNT_CONNECTIONS_REFUSED, 1);
	log_often(filter_daemon->log, LOG_KIND_CONNECTION, LOG_WARNING,
	    "connection closed: no descriptors are left for more than %zu, "
	    "used or not; let the process open more files",
	    filter_daemon->max_descriptor);
	errno = ECONNABORTED;
	return -1;
}

void
filter_run(void)
{
	smfi_main();
}

void
filter_version(char *text, size_t size)
{
	unsigned major, minor, patch;

	smfi_version(&major, &minor, &patch);
	snprintf(text, size, "libmilter %u.%u.%u", major, minor, patch);
}
