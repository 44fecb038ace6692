/* SPDX-License-Identifier: BSD-2-Clause */
#include "resolver.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unbound-event.h>
#include <unbound.h>
#include <unistd.h>

#include "anchor.h"
#include "answer.h"
#include "monotonic.h"
#include "questions.h"
#include "servers.h"

enum {
	TYPE_TXT = 16,
	CLASS_IN = 1,
	RCODE_NOERROR = 0,
	RCODE_NXDOMAIN = 3,
	MAX_LABEL = 63,
	FIRST_TIMEOUT_MS = 376, /* doubled with each attempt of two packets */
	DNSSEC_TEXT_SIZE = 512
};

static const struct option {
	const char *name, *value;
} options[] = {
	{ "do-not-query-localhost:", "no" },
	{ "unblock-lan-zones:", "yes" },
	{ "qname-minimisation:", "no" },
	{ "target-fetch-policy:", "0 0 0 0 0" },
	{ "rrset-roundrobin:", "no" },
	/* By default a server that left a few questions unanswered, say on one
	 * domain whose own servers are dead, is not asked for up to 15 minutes,
	 * and with it all DNS is gone. */
	{ "infra-host-ttl:", "1" },
	/* Without it the attempts follow each other at 50 ms where the server's
	 * cache is near, and are used up before it has found a slow name. */
	{ "infra-cache-min-rtt:", "376" },
};

/* But a denial that has no SOA, and so no TTL, is kept for 5 s. */
static const struct option no_cache_options[] = {
	{ "cache-max-ttl:", "0" },
	{ "cache-max-negative-ttl:", "0" },
	{ "aggressive-nsec:", "no" },
};

/* The root proves that these do not exist; who serves one in his network means
 * it (RFC 6761, RFC 8375). */
static const struct option lenient_options[] = {
	{ "harden-dnssec-stripped:", "no" },
	{ "insecure-lan-zones:", "yes" },
	{ "domain-insecure:", "test." },
	{ "domain-insecure:", "localhost." },
	{ "domain-insecure:", "invalid." },
	{ "domain-insecure:", "internal." },
	{ "domain-insecure:", "home.arpa." },
};

/* Zones that libunbound answers itself beside those of unblock-lan-zones. */
static const char *const local_zones[] = {
	"localhost.",
	"127.in-addr.arpa.",
	("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0."
	 "ip6.arpa."),
	"home.arpa.",
	"onion.",
	"test.",
	"invalid.",
};

/* Making and deleting a context changes things that libunbound keeps once for
 * the process, and it does not lock them itself. */
static pthread_mutex_t unbound_globals = PTHREAD_MUTEX_INITIALIZER;

struct resolver {
	struct questions questions;
	atomic_uint refs;
	atomic_bool stopping; /* the last reference is gone */
	bool orphan; /* with it: nobody joins the thread, which frees */
	bool validates;
	int wake_fd;
	pthread_t thread;
	struct servers servers;
	char dnssec_text[DNSSEC_TEXT_SIZE];
	/* The thread's own. */
	struct ub_ctx *unbound;
	struct event_base *base;
	struct event *wake, *timer;
	struct answer answer;
};

/* While libunbound still has the question. */
static void
answer_without_records(
    struct resolver_query *query, enum resolver_answer answer, const char *why)
{
	struct resolver_result result = { .answer = answer, .why = why };

	question_answer(query, &result);
}

static enum resolver_security
security_of(const struct resolver *resolver, int unbound_security)
{
	static const enum resolver_security security[] = { RESOLVER_INSECURE,
		RESOLVER_IS_BOGUS, RESOLVER_SECURE };

	return resolver->validates ? security[unbound_security]
				   : RESOLVER_UNKNOWN;
}

/* What the message in resolver->answer means. */
static void
judge(struct resolver *resolver, struct resolver_result *result)
{
	const struct answer *answer = &resolver->answer;

	result->ttl_s = answer->ttl_s;
	if (answer->rcode != RCODE_NOERROR && answer->rcode != RCODE_NXDOMAIN) {
		result->answer = RESOLVER_FAILED;
		result->why = "the servers gave an error";
	} else if (answer->rcode == RCODE_NXDOMAIN || answer->count == 0) {
		result->answer = RESOLVER_NO_NAME;
		result->why = answer->dropped > 0
		    ? "no TXT record there that is not far too long"
		    : NULL;
	} else {
		result->answer = RESOLVER_FOUND;
		result->records = answer->records;
		result->count = answer->count;
	}
	if (answer->dropped > 0)
		questions_add_dropped(&resolver->questions, answer->dropped);
}

/* libunbound's callback; may come from inside ub_resolve_event. */
static void
take_answer(void *arg, int rcode, void *packet, int len, int security,
    char *why_bogus, int ratelimited)
{
	struct resolver_query *query = arg;
	struct resolver *resolver = query->resolver;
	struct resolver_result result = { .answer = RESOLVER_FAILED };

	(void)ratelimited;
	if (rcode != RCODE_NOERROR || packet == NULL) {
		result.why = "server failure, or no server answered";
	} else if (!answer_read(packet, (size_t)len, &resolver->answer)) {
		result.why = "the answer is malformed";
	} else if (security == 1) {
		result.answer = RESOLVER_BOGUS;
		result.security = RESOLVER_IS_BOGUS;
		result.why = why_bogus;
	} else {
		result.security = security_of(resolver, security);
		judge(resolver, &result);
	}
	question_finish(query, &result);
}

/* Checked here, for libunbound keeps a query whose name it refuses until the
 * context ends, and reads backslashes as escapes. */
static bool
name_is_valid(const char *name)
{
	size_t label = 0;

	for (; *name != '\0'; name++) {
		if (*name == '.') {
			if (label == 0)
				return false;
			label = 0;
		} else if (*name <= ' ' || *name > '~' || *name == '\\' ||
		    ++label > MAX_LABEL) {
			return false;
		}
	}
	return label > 0;
}

static void
send_query(struct resolver *resolver, struct resolver_query *query)
{
	struct resolver_result result = { .answer = RESOLVER_NO_NAME,
		.why = "DNS has no such names" };
	int error;

	if (name_is_valid(query->name)) {
		error = ub_resolve_event(resolver->unbound, query->name,
		    TYPE_TXT, CLASS_IN, query, take_answer, NULL);
		if (error == 0)
			return; /* QUERY may be gone */
		result.answer = RESOLVER_FAILED;
		result.why = ub_strerror(error);
	}
	question_finish(query, &result);
}

static void
set_timer(struct resolver *resolver)
{
	uint64_t late_ns = questions_late_ns(&resolver->questions);
	uint64_t now = monotonic_ns(), delay_us = 0;
	struct timeval delay;

	if (late_ns == UINT64_MAX)
		return;
	if (late_ns > now)
		delay_us = (late_ns - now + 999) / 1000;
	delay.tv_sec = (time_t)(delay_us / 1000000);
	delay.tv_usec = (suseconds_t)(delay_us % 1000000);
	event_add(resolver->timer, &delay);
}

static void
on_wake(evutil_socket_t fd, short what, void *arg)
{
	struct resolver *resolver = arg;
	struct resolver_query *query;
	uint64_t count;

	(void)what;
	if (read(fd, &count, sizeof(count)) < 0)
		return;
	while ((query = questions_next_unsent(&resolver->questions)) != NULL)
		send_query(resolver, query);
	if (atomic_load(&resolver->stopping))
		event_base_loopbreak(resolver->base);
	else if (!event_pending(resolver->timer, EV_TIMEOUT, NULL))
		set_timer(resolver);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct resolver *resolver = arg;
	struct resolver_query *query;
	uint64_t now = monotonic_ns();

	(void)fd;
	(void)what;
	while ((query = questions_next_late(&resolver->questions, now)) != NULL)
		answer_without_records(
		    query, RESOLVER_TIMEOUT, "no answer in time");
	set_timer(resolver);
}

/* What the thread owns. Deleting the context makes libunbound call back for
 * all that it still holds. */
static void
net_fini(struct resolver *resolver)
{
	pthread_mutex_lock(&unbound_globals);
	ub_ctx_delete(resolver->unbound);
	pthread_mutex_unlock(&unbound_globals);
	resolver->unbound = NULL;
	if (resolver->timer != NULL)
		event_free(resolver->timer);
	if (resolver->wake != NULL)
		event_free(resolver->wake);
	resolver->timer = resolver->wake = NULL;
	if (resolver->base != NULL)
		event_base_free(resolver->base);
	resolver->base = NULL;
}

static void
free_resolver(struct resolver *resolver)
{
	net_fini(resolver);
	if (resolver->wake_fd >= 0)
		close(resolver->wake_fd);
	questions_fini(&resolver->questions);
	free(resolver);
}

static void *
run(void *arg)
{
	struct resolver *resolver = arg;
	struct resolver_query *query;

	pthread_setname_np(pthread_self(), "signpost-dns");
	event_base_dispatch(resolver->base);
	while ((query = questions_first(&resolver->questions)) != NULL)
		answer_without_records(
		    query, RESOLVER_FAILED, "the resolver was stopped");
	net_fini(resolver);
	if (resolver->orphan)
		free_resolver(resolver);
	return NULL;
}

static bool
set_options(struct ub_ctx *unbound, const struct option *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ub_ctx_set_option(unbound, table[i].name, table[i].value) !=
		    0)
			return false;
	return true;
}

/* As many attempts as it takes to outlast the timeout, so that libunbound
 * doesn't give up before, and not long after. */
static unsigned
attempts(unsigned timeout_ms)
{
	unsigned count = 1;

	while (count < 10 &&
	    (uint64_t)FIRST_TIMEOUT_MS * 2 * ((1u << count) - 1) < timeout_ms)
		count++;
	return count;
}

static bool
set_numbers(struct ub_ctx *unbound, const struct resolver_settings *settings)
{
	char ports[16], tcp[16], retries[16];
	const struct option numbers[] = {
		{ "outgoing-num-tcp:", tcp },
		{ "outgoing-range:", ports },
		{ "outbound-msg-retry:", retries },
	};

	snprintf(tcp, sizeof(tcp), "%d", RESOLVER_MAX_TCP);
	snprintf(ports, sizeof(ports), "%u",
	    settings->max_pending < RESOLVER_MAX_UDP ? settings->max_pending
						     : RESOLVER_MAX_UDP);
	snprintf(
	    retries, sizeof(retries), "%u", attempts(settings->timeout_ms));
	return set_options(
	    unbound, numbers, sizeof(numbers) / sizeof(numbers[0]));
}

/* Which anchor is used how, as the header says. */
static bool
set_anchor(struct resolver *resolver, const struct resolver_settings *settings,
    const char **anchor_r)
{
	const char *named = settings->trust_anchor;
	bool strict = named != NULL && named[0] != '\0';
	const char *anchor = !settings->dnssec ? NULL
	    : strict			       ? named
		     : anchor_system_file(settings->root_key);

	*anchor_r = anchor;
	resolver->validates = anchor != NULL;
	if (!settings->dnssec)
		strcpy(resolver->dnssec_text,
		    "answers are not validated: dns.dnssec is off");
	else if (anchor == NULL)
		strcpy(resolver->dnssec_text,
		    "answers are not validated: no root key found; install "
		    "dns-root-data or set dns.trust_anchor");
	else
		snprintf(resolver->dnssec_text, DNSSEC_TEXT_SIZE,
		    strict
			? "answers are validated with %s; servers that leave "
			  "signatures out make them bogus"
			: "answers are validated with %s where the servers "
			  "pass signatures on",
		    anchor);
	if (anchor == NULL)
		return ub_ctx_set_option(resolver->unbound,
			   "module-config:", "iterator") == 0;
	return ub_ctx_add_ta_file(resolver->unbound, anchor) == 0 &&
	    (strict ||
		set_options(resolver->unbound, lenient_options,
		    sizeof(lenient_options) / sizeof(lenient_options[0])));
}

static bool
make_context(struct resolver *resolver,
    const struct resolver_settings *settings, char *error, size_t error_size)
{
	const char *anchor;
	int failure = 0;

	resolver->unbound = ub_ctx_create_event(resolver->base);
	if (resolver->unbound == NULL) {
		snprintf(error, error_size, "out of memory");
		return false;
	}
	/* It would write to standard error. */
	ub_ctx_debugout(resolver->unbound, NULL);
	for (size_t i = 0; i < resolver->servers.count && failure == 0; i++)
		failure = ub_ctx_set_fwd(
		    resolver->unbound, resolver->servers.entries[i]);
	if (failure != 0 ||
	    !set_options(resolver->unbound, options,
		sizeof(options) / sizeof(options[0])) ||
	    (settings->no_cache &&
		!set_options(resolver->unbound, no_cache_options,
		    sizeof(no_cache_options) / sizeof(no_cache_options[0]))) ||
	    !set_numbers(resolver->unbound, settings) ||
	    !set_anchor(resolver, settings, &anchor)) {
		snprintf(error, error_size,
		    "libunbound %s refuses a setting or a server",
		    ub_version());
		return false;
	}
	if (anchor != NULL && !anchor_check(anchor, error, error_size))
		return false;
	/* The first of these also makes the context read its settings, so it
	 * comes last: nothing can be set any more. */
	for (size_t i = 0;
	     i < sizeof(local_zones) / sizeof(local_zones[0]) && failure == 0;
	     i++)
		failure = ub_ctx_zone_remove(resolver->unbound, local_zones[i]);
	if (failure == 0)
		return true;
	if (anchor != NULL)
		snprintf(error, error_size, "%s: not readable as trust anchors",
		    anchor);
	else
		snprintf(
		    error, error_size, "libunbound: %s", ub_strerror(failure));
	return false;
}

static bool
start_thread(struct resolver *resolver, char *error, size_t error_size)
{
	sigset_t all, old;
	int failure;

	resolver->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (resolver->wake_fd < 0) {
		snprintf(error, error_size, "eventfd: %s", strerror(errno));
		return false;
	}
	resolver->wake = event_new(resolver->base, resolver->wake_fd,
	    EV_READ | EV_PERSIST, on_wake, resolver);
	resolver->timer = evtimer_new(resolver->base, on_timer, resolver);
	if (resolver->wake == NULL || resolver->timer == NULL ||
	    event_add(resolver->wake, NULL) != 0) {
		snprintf(error, error_size, "out of memory");
		return false;
	}
	/* Signals are the main thread's; a new thread inherits the mask. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failure = pthread_create(&resolver->thread, NULL, run, resolver);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (failure != 0)
		snprintf(error, error_size, "no thread: %s", strerror(failure));
	return failure == 0;
}

bool
resolver_new(const struct resolver_settings *settings,
    struct resolver **resolver_r, char *error, size_t error_size)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));
	const char *resolv_conf = settings->resolv_conf;
	bool made;

	assert(settings->max_pending > 0 && settings->timeout_ms > 0);
	*resolver_r = NULL;
	if (resolver == NULL) {
		snprintf(error, error_size, "out of memory");
		return false;
	}
	made = questions_init(&resolver->questions, settings);
	atomic_init(&resolver->refs, 1);
	resolver->wake_fd = -1;
	if (!made) {
		snprintf(error, error_size, "no random numbers");
		goto fail;
	}
	if (resolv_conf == NULL)
		resolv_conf = "/etc/resolv.conf";
	if (!servers_read(settings->servers, resolv_conf, &resolver->servers,
		error, error_size))
		goto fail;
	resolver->base = event_base_new();
	if (resolver->base == NULL) {
		snprintf(error, error_size, "no event loop");
		goto fail;
	}
	pthread_mutex_lock(&unbound_globals);
	made = make_context(resolver, settings, error, error_size);
	pthread_mutex_unlock(&unbound_globals);
	if (!made || !start_thread(resolver, error, error_size))
		goto fail;
	*resolver_r = resolver;
	return true;
fail:
	free_resolver(resolver);
	return false;
}

static void
wake(struct resolver *resolver)
{
	static const uint64_t one = 1;

	/* It fails only where the counter is at its end: awake it is. */
	if (write(resolver->wake_fd, &one, sizeof(one)) < 0)
		assert(errno == EAGAIN);
}

struct resolver *
resolver_ref(struct resolver *resolver)
{
	atomic_fetch_add(&resolver->refs, 1);
	return resolver;
}

void
resolver_unref(struct resolver *resolver)
{
	bool within;

	if (resolver == NULL || atomic_fetch_sub(&resolver->refs, 1) > 1)
		return;
	within = pthread_equal(pthread_self(), resolver->thread);
	if (within)
		pthread_detach(resolver->thread);
	resolver->orphan = within;
	atomic_store(&resolver->stopping, true);
	wake(resolver);
	if (!within) {
		pthread_join(resolver->thread, NULL);
		free_resolver(resolver);
	}
}

bool
resolver_ask_for(struct resolver *resolver,
    const struct resolver_question *question, resolver_callback *callback,
    void *ctx, struct resolver_query **query_r)
{
	const struct resolver_query query = {
		.resolver = resolver, .callback = callback, .ctx = ctx
	};
	bool to_wake;

	if (!questions_add(
		&resolver->questions, &query, question, query_r, &to_wake))
		return false;
	if (to_wake)
		wake(resolver);
	return true;
}

bool
resolver_cancel(struct resolver *resolver, struct resolver_query *query)
{
	return questions_cancel(&resolver->questions, query);
}

void
resolver_counts(struct resolver *resolver, struct resolver_counts *out_r)
{
	questions_counts(&resolver->questions, out_r);
}

uint64_t
resolver_cpu_ns(struct resolver *resolver)
{
	struct timespec used;
	clockid_t clock;

	if (pthread_getcpuclockid(resolver->thread, &clock) != 0 ||
	    clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

const char *
resolver_version(void)
{
	return ub_version();
}

const char *
resolver_servers_text(const struct resolver *resolver)
{
	return resolver->servers.text;
}

const char *
resolver_dnssec_text(const struct resolver *resolver)
{
	return resolver->dnssec_text;
}
