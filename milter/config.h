/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config - the configuration as an immutable, counted struct
 *
 * config_load reads a file through the table of settings (config_settings.c),
 * which says of each setting its name, type, default, range, whether a reload
 * changes it, and its help; config.c makes the domain entries of it. Every
 * problem is reported, each with file and line. Nothing else sees libconfig.
 *
 * Threads: immutable after config_load; the count is atomic.
 */
#ifndef SIGNPOST_CONFIG_H
#define SIGNPOST_CONFIG_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "bytes.h"
#include "hazards.h"
#include "signpost.h"

enum config_mode {
	MODE_BOTH,
	MODE_SIGN,
	MODE_VERIFY,
};

/* What is done with a message. */
enum config_action {
	ACTION_ACCEPT,
	ACTION_REJECT,
	ACTION_TEMPFAIL,
	ACTION_QUARANTINE,
	ACTION_DISCARD,
};

/* The MATCH of the sign group: whose mail may be signed for a domain. */
enum config_match {
	MATCH_NONE,
	MATCH_ENVELOPE, /* MAIL FROM's domain is From's */
	MATCH_AUTH,	/* the authenticated user's domain is From's */
	MATCH_EITHER,
};

/* What is done with a message of a domain whose keys are not there, or not
 * published where that is required. */
enum config_no_key {
	NO_KEY_ACCEPT,
	NO_KEY_TEMPFAIL,
	NO_KEY_SIGN, /* with keys that are not published; else accept */
};

/* What is done with a message to be signed that has a hazard (hazards.h); of
 * several the greatest counts. */
enum config_on_hazard {
	ON_HAZARD_IGNORE,
	ON_HAZARD_SIGN,	 /* and count and log, as with those below */
	ON_HAZARD_LEAVE, /* as it is, without a signature more */
	ON_HAZARD_TEMPFAIL,
};

/* A network: the first BITS of an address count. IPv4 stands mapped into
 * IPv6, its bits counted from 96. */
struct config_network {
	struct in6_addr address;
	unsigned bits;
};

struct config_networks {
	struct config_network *items;
	size_t count;
};

/* NULL-ended. */
struct config_strings {
	const char **items;
	size_t count;
};

/* Whom the settings beside these are not for. Addresses are sorted, and written
 * as names of "domains" are, or "<>". */
struct config_exempt {
	struct config_networks clients;
	struct config_strings senders, recipients;
};

/* One of the "keys" of an entry. */
struct config_key {
	const char *selector;
	const char *file;
	const char *domain; /* d=; NULL: the entry's, else From's */
	unsigned line;
};

/* How mail is signed; an entry starts from the "sign" group and changes what
 * it names. */
struct config_sign {
	enum signpost_canon header_canon, body_canon;
	struct config_strings headers;
	struct config_strings oversign;
	int64_t expire_s;
	const char *identity; /* i=; "" for none */
	bool diagnostics;     /* z= */
	enum config_match match;
	bool require_published;
	enum config_action on_error; /* accept or tempfail */
	enum config_no_key on_no_usable_key;
	unsigned min_rsa_bits;
	bool add_missing;
	struct config_exempt exempt;
	unsigned line_limit; /* octets of a line that are too many: more */
	enum config_on_hazard on_hazard[HAZARDS];
};

/* One of "domains". NAME is in lower case and A-labels. */
struct config_domain {
	const char *name;   /* "example.com", ".example.com",
	                       "user@example.com", "*" */
	const char *domain; /* d= for keys that name none, in A-labels;
	                       NULL: From's domain */
	struct config_key *keys;
	size_t key_count;
	bool all;	    /* sign with every usable key */
	bool key_directory; /* no "keys": the folder of DOMAIN in
	                       key_directory, else that of From's domain */
	struct config_sign sign;
	const char *file; /* of the configuration, where the entry stands */
	unsigned line;
};

/* How mail is verified and what follows; an entry of "verify.domains" starts
 * from the "verify" group and changes what it names. */
struct config_verify {
	struct signpost_verify_options options;
	enum config_action on_fail, on_temperror;
	bool require_aligned_pass;
	bool strict_alignment;
	enum config_action on_unaligned;	  /* no accept */
	const char *fail_reply, *temperror_reply; /* "" for our own words */
	const char *unaligned_reply;
	struct config_exempt exempt;
	bool dry_run;
	bool trusted_too;
};

/* One of "verify.domains"; NAME as in "domains". */
struct config_verify_domain {
	const char *name;
	struct config_verify verify;
	const char *file;
	unsigned line;
};

/* Where a setting stands that is in no list. */
struct config_place {
	const char *setting; /* "dns.timeout" */
	const char *file;
	unsigned line;
	const struct config_place *next;
};

struct config {
	const char *file;
	const struct config_place *places; /* of those that are written */

	const char *socket;
	mode_t socket_mode;
	const char *socket_group;
	const char *user, *group;
	enum config_mode mode;
	const char *authserv_id; /* NULL: the MTA's macro j */
	struct config_strings remove_results_of;
	struct config_networks trusted_networks;
	struct config_strings trusted_daemons;
	struct config_strings untrusted_daemons;
	const char *key_directory;
	struct config_domain *domains; /* sorted by name */
	size_t domain_count;
	struct config_sign sign;

	struct config_verify verify;
	struct config_verify_domain *verify_domains; /* sorted by name */
	size_t verify_domain_count;
	/* Of these the one for mail that nobody can be told to have written:
	 * what is strict about anybody is strict about that. NULL: none. */
	const struct config_verify_domain *verify_nobody;
	bool wants_recipients; /* something depends on who they are */
	struct {
		int64_t window_s;
		unsigned threshold;  /* messages; 0: none */
		unsigned recipients; /* likewise */
		size_t entries;
	} replay;
	struct {
		int64_t interval_ms, retry_ms;
		unsigned max_rate; /* questions a second */
		const char *file;  /* "": none */
	} published;
	struct {
		const char *directory, *sendmail, *from;
		unsigned per_domain, per_hour;
	} reports;
	struct {
		struct config_strings servers;
		int64_t timeout_ms;
		bool dnssec;
		const char *trust_anchor;
		unsigned max_pending, max_pending_per_client;
	} dns;
	struct {
		unsigned threads;
		unsigned queue;
		enum config_action on_overload; /* tempfail or accept */
		bool direct;
	} workers;
	struct {
		unsigned max_connections;
		size_t max_header_bytes;
		int64_t max_wait_ms;
		int64_t stop_timeout_ms;
	} limits;
	struct {
		const char *type, *path;
		size_t cache;
		int64_t ttl_s;
	} key_store;
	struct {
		const char *socket;
		mode_t socket_mode;
		const char *http;
	} status;
	struct {
		const char *to, *format;
		int level;	     /* of syslog(3) */
		unsigned per_minute; /* of a kind of warning; 0: all */
	} log;
};

struct config_problem {
	const char *file;
	unsigned line;
	const char *setting; /* "dns.timeout"; "" for none */
	const char *text;
	bool warning; /* the configuration can be used all the same */
};

enum {
	CONFIG_MAX_PROBLEMS = 1000 /* that are kept */
};

/* All that was found wrong, in the order of the file as far as that is
 * known. Zeroed, it is empty. */
struct config_problems {
	struct config_problem *items;
	size_t count;
	size_t errors;	/* problems that are no warnings, kept or not */
	size_t dropped; /* beyond CONFIG_MAX_PROBLEMS, or out of memory */
};

/* Reads FILE. NULL with the problems where it can't be used (errors is not 0
 * then); warnings may be there beside a configuration. PROBLEMS_R is set anew
 * and always to be freed with config_problems_fini. */
const struct config *config_load(
    const char *file, struct config_problems *problems_r);
/* As config_load, but gives what can be made of a configuration with errors,
 * too, to look on for more: entries may have the name "" then, and keys no
 * file or selector. NULL: nothing can be made of it. */
const struct config *config_load_for_check(
    const char *file, struct config_problems *problems_r);
void config_problems_fini(struct config_problems *problems);
/* Adds a problem; TEXT is formatted. Other modules (keystore) report theirs
 * through this, too. */
void config_problem(struct config_problems *problems, const char *file,
    unsigned line, const char *setting, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* As config_problem, for what does not make the configuration unusable. */
void config_warning(struct config_problems *problems, const char *file,
    unsigned line, const char *setting, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Writes "FILE:LINE: SETTING: TEXT" as snprintf would; LINE and SETTING are
 * left out where there is none, "warning: " stands before TEXT. */
int config_problem_text(
    const struct config_problem *problem, char *out, size_t size);
/* Gives problems of CONFIG's file that have no line the place of their setting,
 * where that is written. */
void config_problems_place(
    struct config_problems *problems, const struct config *config);
/* Orders by file, that of the name FIRST first, and line. */
void config_problems_sort(struct config_problems *problems, const char *first);
const struct config *config_ref(const struct config *config);
void config_unref(const struct config *config);
/* The names of settings that differ between the two and need a restart, in
 * NAMES_R, MAX at most; returns how many. */
size_t config_needs_restart(const struct config *old, const struct config *new,
    const char **names_r, size_t max);
/* Whether it is counted how often a signature comes in. */
bool config_counts_replays(const struct config *config);
/* What NO_KEY comes to for a message that is not signed. */
enum config_action config_no_key_action(enum config_no_key no_key);
/* Whether failure reports are made. */
bool config_sends_reports(const struct config *config);
/* Whether ADDRESS (AF_INET or AF_INET6) is in one of NETWORKS. */
bool config_in_networks(
    const struct config_networks *networks, const struct sockaddr *address);
/* Whether all addresses of INNER are in OUTER. */
bool config_network_within(
    const struct config_network *inner, const struct config_network *outer);
/* The entry of "domains" that applies to a From address (LOCAL may be empty):
 * the address, else the exact domain, else the nearest parent, else "*"; NULL
 * for none. DOMAIN is in lower case and A-labels. */
const struct config_domain *config_find_domain(
    const struct config *config, struct bytes local, const char *domain);
/* Likewise of "verify.domains". */
const struct config_verify_domain *config_find_verify(
    const struct config *config, struct bytes local, const char *domain);
/* Whether one of ADDRESSES (of struct config_exempt) is for the envelope's
 * address PATH, with or without angle brackets; "<>" and "" are the null
 * sender. */
bool config_in_addresses(
    const struct config_strings *addresses, struct bytes path);

#endif
