/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolver - TXT records over the net, by libunbound
 *
 * One libunbound context for each set of DNS settings and of resolv.conf,
 * never one a message, on one thread of its own that runs an event loop. A
 * question is asked from any thread and answered on the resolver's thread,
 * never from inside resolver_ask. "No such name", "failed for now" and "bogus"
 * are three different answers. What is asked goes to the servers as it stands:
 * special-use names (RFC 6303, RFC 6761), too, and no search list.
 *
 * DNSSEC. With a trust anchor named in the settings validation is strict:
 * servers that leave signatures out make every answer below the anchor bogus.
 * Without one the system's root key is used, and then servers that know no
 * DNSSEC at all are believed (RESOLVER_INSECURE), so that a default never
 * stops mail; where they do pass signatures on, bogus is bogus. Neither named
 * nor found: nothing is validated. resolver_dnssec_text says which it is.
 *
 * A server that was silent is asked again with the next question: nothing
 * else than one second's memory holds it back. At most 512 UDP and 16 TCP
 * sockets are open at once.
 *
 * Threads: resolver_ask and resolver_cancel from any thread; the callback runs
 * on the resolver's thread, without any lock held, and must be short.
 * Reference counted: the last resolver_unref stops the thread, questions still
 * open are answered RESOLVER_FAILED; it may come from the callback. To be made
 * after the last fork.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "bytes.h"

enum {
	RESOLVER_MAX_SERVERS = 16,
	RESOLVER_MAX_RECORDS = 8,
	RESOLVER_MAX_RECORD_BYTES = 8192,
	/* Descriptors that one has open at most: sockets, and some to wake and
	 * to wait with. */
	RESOLVER_MAX_UDP = 256,
	RESOLVER_MAX_TCP = 16,
	RESOLVER_MAX_FILES = RESOLVER_MAX_UDP + RESOLVER_MAX_TCP + 16
};

struct resolver_settings {
	const char *const *servers; /* "ADDRESS" or "ADDRESS@PORT", NULL-ended;
	                               none: those of RESOLV_CONF */
	const char *resolv_conf;    /* path; NULL: /etc/resolv.conf */
	const char *trust_anchor;   /* file; NULL or "": the system's root
	                               key where there is one */
	const char *root_key;	    /* path of that; NULL: where Debian's
	                               packages put it */
	bool dnssec;
	bool no_cache;		   /* no answer is kept for its TTL */
	unsigned timeout_ms;	   /* one question, retries included */
	unsigned max_pending;	   /* questions at once; beyond: refused */
	unsigned max_pending_each; /* those of one asker; 0: no such cap */
};

enum resolver_answer {
	RESOLVER_FOUND,
	RESOLVER_NO_NAME, /* no such name, or no TXT there */
	RESOLVER_TIMEOUT,
	RESOLVER_FAILED, /* server failure, unreachable, over a cap */
	RESOLVER_BOGUS,
};

enum resolver_security {
	RESOLVER_UNKNOWN, /* not validated, or no answer */
	RESOLVER_INSECURE,
	RESOLVER_SECURE,
	RESOLVER_IS_BOGUS,
};

struct resolver_result {
	enum resolver_answer answer;
	enum resolver_security security;
	uint32_t ttl_s;
	const struct bytes *records; /* each TXT record, its strings joined;
	                                gone after the callback */
	size_t count;
	const char *why; /* for people; NULL for none; gone likewise */
	uint64_t elapsed_ns;
};

struct resolver;
struct resolver_query;

typedef void resolver_callback(void *ctx, const struct resolver_result *result);

/* What the resolver's statistics are read from. */
struct resolver_counts {
	uint64_t asked;
	uint64_t answered[RESOLVER_BOGUS + 1];
	uint64_t refused;	/* over max_pending */
	uint64_t refused_share; /* over max_pending_each */
	uint64_t dropped;	/* TXT records beyond the caps */
	uint64_t pending; /* now, with those given up but still on the net */
};

/* False with a text in ERROR where a server, file or anchor is not usable, or
 * for lack of memory or threads. */
bool resolver_new(const struct resolver_settings *settings,
    struct resolver **resolver_r, char *error, size_t error_size);
struct resolver *resolver_ref(struct resolver *resolver);
void resolver_unref(struct resolver *resolver);
struct resolver_question {
	const char *name;   /* A-labels, no dot at the end */
	struct bytes asker; /* who has his share of max_pending and no more;
	                       empty: nobody */
};
/* Asks for the TXT records at a name. The callback comes exactly once unless
 * resolver_cancel was in time. False: refused (out of memory or over a cap), no
 * callback comes. QUERY_R may be NULL; where it is not, what it gets is the
 * caller's until resolver_cancel, which is then due once, before or after the
 * callback. */
bool resolver_ask_for(struct resolver *resolver,
    const struct resolver_question *question, resolver_callback *callback,
    void *ctx, struct resolver_query **query_r);
/* The same for nobody. */
static inline bool
resolver_ask(struct resolver *resolver, const char *name,
    resolver_callback *callback, void *ctx, struct resolver_query **query_r)
{
	const struct resolver_question question = { .name = name };

	return resolver_ask_for(resolver, &question, callback, ctx, query_r);
}
/* Gives QUERY back. True: no callback comes; false: it has come or is coming. */
bool resolver_cancel(struct resolver *resolver, struct resolver_query *query);
void resolver_counts(struct resolver *resolver, struct resolver_counts *out_r);
/* CPU time of the resolver's thread. */
uint64_t resolver_cpu_ns(struct resolver *resolver);
/* Version of the libunbound that runs. */
const char *resolver_version(void);
/* Where questions go, for the log: "127.0.0.1@5353 ..." */
const char *resolver_servers_text(const struct resolver *resolver);
/* What is validated and what not, for the log. */
const char *resolver_dnssec_text(const struct resolver *resolver);

#endif
