/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_settings.h"

#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "config_check.h"

/* RFC 6376 section 5.4.1, what a reader or a mail program acts on, and the
 * one-click unsubscription of RFC 8058, which asks to be signed. Nothing that
 * relays rewrite: Received, Return-Path, Sender, Authentication-Results. */
static const char *const default_headers[] = {
	"From",
	"Reply-To",
	"Subject",
	"Date",
	"To",
	"Cc",
	"Message-ID",
	"MIME-Version",
	"Content-Type",
	"Content-Transfer-Encoding",
	"In-Reply-To",
	"References",
	"Resent-Date",
	"Resent-From",
	"Resent-To",
	"Resent-Cc",
	"List-Id",
	"List-Help",
	"List-Unsubscribe",
	"List-Unsubscribe-Post",
	"List-Subscribe",
	"List-Post",
	"List-Owner",
	"List-Archive",
	"Autocrypt",
	NULL,
};

/* So that nobody adds a second one, or a first where there is none: Date and
 * Message-ID apart, which a mail server adds where they are missing (the
 * signer sees to it). */
static const char *const default_oversign[] = {
	"From",
	"Reply-To",
	"Subject",
	"Date",
	"To",
	"Cc",
	"Message-ID",
	"MIME-Version",
	"Content-Type",
	"Content-Transfer-Encoding",
	"In-Reply-To",
	"References",
	NULL,
};

static const char *const default_networks[] = { "127.0.0.0/8", "::1", NULL };
static const char *const default_daemons[] = { "ORIGINATING", NULL };

static const struct setting_word mode_words[] = {
	{ "both", MODE_BOTH },
	{ "sign", MODE_SIGN },
	{ "verify", MODE_VERIFY },
	{ NULL, 0 },
};

static const struct setting_word action_words[] = {
	{ "accept", ACTION_ACCEPT },
	{ "reject", ACTION_REJECT },
	{ "tempfail", ACTION_TEMPFAIL },
	{ "quarantine", ACTION_QUARANTINE },
	{ "discard", ACTION_DISCARD },
	{ NULL, 0 },
};

/* Of what is refused, in one way or another. */
static const struct setting_word refusal_words[] = {
	{ "reject", ACTION_REJECT },
	{ "tempfail", ACTION_TEMPFAIL },
	{ "quarantine", ACTION_QUARANTINE },
	{ "discard", ACTION_DISCARD },
	{ NULL, 0 },
};

static const struct setting_word failure_words[] = {
	{ "accept", ACTION_ACCEPT },
	{ "tempfail", ACTION_TEMPFAIL },
	{ NULL, 0 },
};

static const struct setting_word no_key_words[] = {
	{ "accept", NO_KEY_ACCEPT },
	{ "sign", NO_KEY_SIGN },
	{ "tempfail", NO_KEY_TEMPFAIL },
	{ NULL, 0 },
};

static const struct setting_word hazard_words[] = {
	{ "ignore", ON_HAZARD_IGNORE },
	{ "sign", ON_HAZARD_SIGN },
	{ "leave", ON_HAZARD_LEAVE },
	{ "tempfail", ON_HAZARD_TEMPFAIL },
	{ NULL, 0 },
};

static const struct setting_word match_words[] = {
	{ "none", MATCH_NONE },
	{ "envelope", MATCH_ENVELOPE },
	{ "auth", MATCH_AUTH },
	{ "either", MATCH_EITHER },
	{ NULL, 0 },
};

static const struct setting_word unsigned_body_words[] = {
	{ "policy", SIGNPOST_UNSIGNED_POLICY },
	{ "accept", SIGNPOST_UNSIGNED_ACCEPT },
	{ NULL, 0 },
};

/* The header's canonicalization times two, and the body's. */
static const struct setting_word canon_words[] = {
	{ "relaxed/relaxed", SIGNPOST_RELAXED * 2 + SIGNPOST_RELAXED },
	{ "relaxed/simple", SIGNPOST_RELAXED * 2 + SIGNPOST_SIMPLE },
	{ "simple/relaxed", SIGNPOST_SIMPLE * 2 + SIGNPOST_RELAXED },
	{ "simple/simple", SIGNPOST_SIMPLE * 2 + SIGNPOST_SIMPLE },
	{ NULL, 0 },
};

static const struct setting_word level_words[] = {
	{ "err", LOG_ERR },
	{ "warning", LOG_WARNING },
	{ "notice", LOG_NOTICE },
	{ "info", LOG_INFO },
	{ "debug", LOG_DEBUG },
	{ NULL, 0 },
};

/* Kept as strings, but of a few. */
static const struct setting_word format_words[] = {
	{ "text", 0 },
	{ "json", 0 },
	{ NULL, 0 },
};

#define SECOND	INT64_C(1000) /* of SETTING_MILLISECONDS */
#define MINUTE	(60 * SECOND)
#define DAY_S	INT64_C(86400) /* of SETTING_SECONDS */
#define YEAR_S	(366 * DAY_S)
#define KILO	INT64_C(1024)
#define MEGA	(KILO * KILO)
#define MILLION INT64_C(1000000)

#define TYPE(t)	   .type = SETTING_##t
#define AT(member) .offset = offsetof(struct config, member)
#define AT_DOMAIN(member) \
	.scope = SCOPE_DOMAIN, .offset = offsetof(struct config_domain, member)
#define AT_KEY(member) \
	.scope = SCOPE_KEY, .offset = offsetof(struct config_key, member)
#define AT_VERIFY(member)      \
	.scope = SCOPE_VERIFY, \
	.offset = offsetof(struct config_verify_domain, member)
#define RANGE(least, most) .min = (least), .max = (most)

/* In the order of the manual page. */
static const struct setting table[] = {
	{ "socket", TYPE(STRING), AT(socket), .initial = "inet:8891@127.0.0.1",
	    .check = check_listen, .restart = true,
	    .help = "where the MTA finds the milter" },
	{ "socket_mode", TYPE(MODE), AT(socket_mode), .initial = "0660",
	    RANGE(0, 0777), .restart = true, .help = "mode of a unix socket" },
	{ "socket_group", TYPE(STRING), AT(socket_group), .initial = "",
	    .restart = true, .help = "group of a unix socket" },
	{ "user", TYPE(STRING), AT(user), .initial = "signpost",
	    .check = check_not_empty, .restart = true,
	    .help = "the user that the daemon runs as" },
	{ "group", TYPE(STRING), AT(group), .initial = "signpost",
	    .check = check_not_empty, .restart = true,
	    .help = "the group that the daemon runs as" },
	{ "mode", TYPE(WORD), AT(mode), .initial = "both", .words = mode_words,
	    .help = "what this instance does" },
	{ "authserv_id", TYPE(STRING), AT(authserv_id),
	    .check = check_authserv_id,
	    .help = "our name in Authentication-Results" },
	{ "remove_results_of", TYPE(STRINGS), AT(remove_results_of),
	    .check = check_authserv_id, .help = "other names that are ours" },
	{ "trusted_networks", TYPE(NETWORKS), AT(trusted_networks),
	    .list = default_networks, .help = "clients whose mail is signed" },
	{ "trusted_daemons", TYPE(STRINGS), AT(trusted_daemons),
	    .list = default_daemons, .check = check_not_empty,
	    .help = "MTA listeners whose mail is signed" },
	{ "untrusted_daemons", TYPE(STRINGS), AT(untrusted_daemons),
	    .check = check_not_empty,
	    .help = "MTA listeners whose mail is never signed" },
	{ "key_directory", TYPE(STRING), AT(key_directory),
	    .initial = "/etc/signpost/keys", .check = check_optional_path,
	    .help = "folder of DOMAIN/SELECTOR.pem" },
	{ "domains", TYPE(DOMAINS), AT(domains),
	    .help = "what differs for a domain" },

	{ "domains.name", TYPE(STRING), AT_DOMAIN(name),
	    .check = check_not_empty,
	    .help = "which From addresses the entry is for" },
	{ "domains.domain", TYPE(STRING), AT_DOMAIN(domain),
	    .check = check_domain, .help = "the domain signed for" },
	{ "domains.keys", TYPE(KEYS), AT_DOMAIN(keys),
	    .help = "keys instead of a folder" },
	{ "domains.all", TYPE(BOOLEAN), AT_DOMAIN(all), .initial = "false",
	    .help = "sign with every usable key" },
	{ "domains.keys.selector", TYPE(STRING), AT_KEY(selector),
	    .check = check_selector, .help = "selector of the key" },
	{ "domains.keys.file", TYPE(STRING), AT_KEY(file), .check = check_path,
	    .help = "the key's file" },
	{ "domains.keys.domain", TYPE(STRING), AT_KEY(domain),
	    .check = check_domain, .help = "the domain it signs for" },

	{ "sign.canonicalization", TYPE(CANON), AT(sign.header_canon),
	    .initial = "relaxed/relaxed", .words = canon_words,
	    .help = "of header and body" },
	{ "sign.headers", TYPE(NAMES), AT(sign.headers),
	    .list = default_headers, .check = check_signed_header,
	    .help = "header fields that are signed where present" },
	{ "sign.oversign", TYPE(NAMES), AT(sign.oversign),
	    .list = default_oversign, .check = check_header,
	    .help = "header fields that nobody may add" },
	{ "sign.expire", TYPE(SECONDS), AT(sign.expire_s), .initial = "0",
	    RANGE(0, 10 * YEAR_S), .help = "x=, counted from signing" },
	{ "sign.identity", TYPE(STRING), AT(sign.identity), .initial = "",
	    .check = check_identity, .help = "i=" },
	{ "sign.diagnostics", TYPE(BOOLEAN), AT(sign.diagnostics),
	    .initial = "false", .help = "copies of the signed fields, z=" },
	{ "sign.match", TYPE(WORD), AT(sign.match), .initial = "none",
	    .words = match_words, .help = "what must belong to From's domain" },
	{ "sign.require_published", TYPE(BOOLEAN), AT(sign.require_published),
	    .initial = "false",
	    .help = "use only keys whose record is published" },
	{ "sign.on_error", TYPE(WORD), AT(sign.on_error), .initial = "tempfail",
	    .words = failure_words, .help = "when signing fails" },
	{ "sign.on_no_usable_key", TYPE(WORD), AT(sign.on_no_usable_key),
	    .initial = "accept", .words = no_key_words,
	    .help = "when there is no key, or none is published" },
	{ "sign.min_rsa_bits", TYPE(NUMBER), AT(sign.min_rsa_bits),
	    .initial = "1024", RANGE(1024, SIGNPOST_MAX_RSA_BITS),
	    .help = "smaller RSA keys don't sign" },
	{ "sign.add_missing", TYPE(BOOLEAN), AT(sign.add_missing),
	    .initial = "false",
	    .help = "add Date and Message-ID where they are missing" },
	{ "sign.exempt_clients", TYPE(NETWORKS), AT(sign.exempt.clients),
	    .help = "clients whose mail is not signed" },
	{ "sign.exempt_senders", TYPE(ADDRESSES), AT(sign.exempt.senders),
	    .help = "envelope senders whose mail is not signed" },
	{ "sign.exempt_recipients", TYPE(ADDRESSES), AT(sign.exempt.recipients),
	    .help = "recipients to whom mail is not signed" },
	{ "sign.line_limit", TYPE(NUMBER), AT(sign.line_limit),
	    .initial = "990", RANGE(76, MILLION),
	    .help = "octets of a line that mail servers let be" },
	{ "sign.on_long_line", TYPE(WORD), AT(sign.on_hazard[HAZARD_LONG_LINE]),
	    .initial = "sign", .words = hazard_words,
	    .help = "when a line of the body is too long" },
	{ "sign.on_long_header", TYPE(WORD),
	    AT(sign.on_hazard[HAZARD_LONG_HEADER]), .initial = "sign",
	    .words = hazard_words,
	    .help = "when a line of a signed header field is too long" },
	{ "sign.on_address_form", TYPE(WORD),
	    AT(sign.on_hazard[HAZARD_ADDRESS_FORM]), .initial = "sign",
	    .words = hazard_words,
	    .help = "when Sendmail will write addresses anew" },
	{ "sign.on_bare_line_end", TYPE(WORD),
	    AT(sign.on_hazard[HAZARD_BARE_LINE_END]), .initial = "sign",
	    .words = hazard_words, .help = "when a CR or LF stands alone" },
	{ "sign.on_nul", TYPE(WORD), AT(sign.on_hazard[HAZARD_NUL]),
	    .initial = "sign", .words = hazard_words,
	    .help = "when there is a NUL in the body" },
	{ "sign.on_8bit", TYPE(WORD), AT(sign.on_hazard[HAZARD_8BIT]),
	    .initial = "ignore", .words = hazard_words,
	    .help = "when there is 8-bit text in the body" },
	{ "sign.on_undeclared_8bit", TYPE(WORD),
	    AT(sign.on_hazard[HAZARD_UNDECLARED]), .initial = "sign",
	    .words = hazard_words, .help = "when 8-bit text is not declared" },
	{ "sign.on_signed_already", TYPE(WORD),
	    AT(sign.on_hazard[HAZARD_SIGNED_ALREADY]), .initial = "leave",
	    .words = hazard_words,
	    .help = "when a valid signature of ours is there" },

	{ "verify.min_rsa_bits", TYPE(NUMBER), AT(verify.options.min_rsa_bits),
	    .initial = "1024", RANGE(512, SIGNPOST_MAX_RSA_BITS),
	    .help = "smaller RSA keys don't pass" },
	{ "verify.max_rsa_bits", TYPE(NUMBER), AT(verify.options.max_rsa_bits),
	    .initial = "8192", RANGE(1024, SIGNPOST_MAX_RSA_BITS),
	    .help = "larger RSA keys don't pass" },
	{ "verify.max_signatures", TYPE(NUMBER),
	    AT(verify.options.max_signatures), .initial = "10", RANGE(1, 64),
	    .help = "signatures of a message that are looked at" },
	{ "verify.max_age", TYPE(SECONDS), AT(verify.options.max_age_s),
	    .initial = "0", RANGE(0, 10 * YEAR_S),
	    .help = "older signatures don't pass" },
	{ "verify.clock_skew", TYPE(SECONDS), AT(verify.options.clock_skew_s),
	    .initial = "5m", RANGE(0, 7 * DAY_S),
	    .help = "how far t= may lie ahead" },
	{ "verify.unsigned_body", TYPE(WORD), AT(verify.options.unsigned_body),
	    .initial = "policy", .words = unsigned_body_words,
	    .help = "when the body goes on behind l=" },
	{ "verify.on_fail", TYPE(WORD), AT(verify.on_fail), .initial = "accept",
	    .words = action_words,
	    .help = "when no signature passes and one fails" },
	{ "verify.on_temperror", TYPE(WORD), AT(verify.on_temperror),
	    .initial = "accept", .words = action_words,
	    .help = "when no signature passes and a look-up failed" },
	{ "verify.require_aligned_pass", TYPE(BOOLEAN),
	    AT(verify.require_aligned_pass), .initial = "false",
	    .help = "refuse mail that From's domain did not sign" },
	{ "verify.strict_alignment", TYPE(BOOLEAN), AT(verify.strict_alignment),
	    .initial = "false", .help = "aligned is From's very domain alone" },
	{ "verify.on_unaligned", TYPE(WORD), AT(verify.on_unaligned),
	    .initial = "reject", .words = refusal_words,
	    .help = "what require_aligned_pass does" },
	{ "verify.fail_reply", TYPE(STRING), AT(verify.fail_reply),
	    .initial = "", .check = check_reply,
	    .help = "SMTP reply of on_fail" },
	{ "verify.temperror_reply", TYPE(STRING), AT(verify.temperror_reply),
	    .initial = "", .check = check_reply,
	    .help = "SMTP reply of on_temperror" },
	{ "verify.unaligned_reply", TYPE(STRING), AT(verify.unaligned_reply),
	    .initial = "", .check = check_reply,
	    .help = "SMTP reply of on_unaligned" },
	{ "verify.exempt_clients", TYPE(NETWORKS), AT(verify.exempt.clients),
	    .help = "clients whose mail is accepted whatever" },
	{ "verify.exempt_senders", TYPE(ADDRESSES), AT(verify.exempt.senders),
	    .help = "envelope senders whose mail is accepted whatever" },
	{ "verify.exempt_recipients", TYPE(ADDRESSES),
	    AT(verify.exempt.recipients),
	    .help = "recipients whose mail is accepted whatever" },
	{ "verify.dry_run", TYPE(BOOLEAN), AT(verify.dry_run),
	    .initial = "false", .help = "accept, and say what would be done" },
	{ "verify.trusted_too", TYPE(BOOLEAN), AT(verify.trusted_too),
	    .initial = "false", .help = "verify trusted mail, too" },
	{ "verify.domains", TYPE(DOMAINS), AT(verify_domains),
	    .help = "what differs for a domain of From" },
	{ "verify.domains.name", TYPE(STRING), AT_VERIFY(name),
	    .check = check_not_empty,
	    .help = "which From addresses the entry is for" },

	{ "replay.window", TYPE(SECONDS), AT(replay.window_s), .initial = "1h",
	    RANGE(1, 7 * DAY_S),
	    .help = "time over which a signature is counted" },
	{ "replay.threshold", TYPE(NUMBER), AT(replay.threshold),
	    .initial = "0", RANGE(0, MILLION),
	    .help = "messages with a signature that are too many" },
	{ "replay.recipients", TYPE(NUMBER), AT(replay.recipients),
	    .initial = "0", RANGE(0, 100 * MILLION),
	    .help = "recipients of a signature that are too many" },
	{ "replay.entries", TYPE(COUNT), AT(replay.entries),
	    .initial = "100000", RANGE(1, 10 * MILLION), .restart = true,
	    .help = "signatures kept in mind" },

	{ "published.interval", TYPE(MILLISECONDS), AT(published.interval_ms),
	    .initial = "1h", RANGE(100, DAY_S *SECOND),
	    .help = "between looks at a record that is seen" },
	{ "published.retry", TYPE(MILLISECONDS), AT(published.retry_ms),
	    .initial = "30s", RANGE(100, DAY_S *SECOND),
	    .help = "until the next look at one that is not" },
	{ "published.max_rate", TYPE(NUMBER), AT(published.max_rate),
	    .initial = "50", RANGE(1, 1000),
	    .help = "records looked up in a second" },
	{ "published.file", TYPE(STRING), AT(published.file),
	    .initial = "/var/lib/signpost/published",
	    .check = check_optional_path,
	    .help = "where is kept what was seen" },

	{ "reports.directory", TYPE(STRING), AT(reports.directory),
	    .initial = "", .check = check_optional_path,
	    .help = "folder that failure reports are written to" },
	{ "reports.sendmail", TYPE(STRING), AT(reports.sendmail), .initial = "",
	    .check = check_optional_path,
	    .help = "program that failure reports are handed to" },
	{ "reports.from", TYPE(STRING), AT(reports.from), .initial = "",
	    .check = check_reporter, .help = "whom they are from" },
	{ "reports.per_domain", TYPE(NUMBER), AT(reports.per_domain),
	    .initial = "10", RANGE(1, MILLION),
	    .help = "of them to one domain in an hour" },
	{ "reports.per_hour", TYPE(NUMBER), AT(reports.per_hour),
	    .initial = "100", RANGE(1, MILLION), .help = "of them in an hour" },

	{ "dns.servers", TYPE(STRINGS), AT(dns.servers), .check = check_server,
	    .help = "servers that are asked" },
	{ "dns.timeout", TYPE(MILLISECONDS), AT(dns.timeout_ms),
	    .initial = "5s", RANGE(100, MINUTE),
	    .help = "for one question, retries included" },
	{ "dns.dnssec", TYPE(BOOLEAN), AT(dns.dnssec), .initial = "true",
	    .help = "check answers by DNSSEC" },
	{ "dns.trust_anchor", TYPE(STRING), AT(dns.trust_anchor), .initial = "",
	    .check = check_optional_path, .help = "file with the root's key" },
	{ "dns.max_pending", TYPE(NUMBER), AT(dns.max_pending),
	    .initial = "4096", RANGE(1, 65536),
	    .help = "questions under way at once" },
	{ "dns.max_pending_per_client", TYPE(NUMBER),
	    AT(dns.max_pending_per_client), .initial = "256", RANGE(1, 65536),
	    .help = "of them for one client" },

	{ "workers.threads", TYPE(NUMBER), AT(workers.threads), .initial = "0",
	    RANGE(0, 1024), .restart = true,
	    .help = "threads that sign and verify" },
	{ "workers.queue", TYPE(NUMBER), AT(workers.queue), .initial = "1024",
	    RANGE(1, MILLION), .restart = true,
	    .help = "messages waiting for a worker" },
	{ "workers.direct", TYPE(BOOLEAN), AT(workers.direct),
	    .initial = "true", .restart = true,
	    .help = "spare a worker's waking where one would be free" },
	{ "workers.on_overload", TYPE(WORD), AT(workers.on_overload),
	    .initial = "tempfail", .words = failure_words,
	    .help = "when the queue is full" },

	{ "limits.max_connections", TYPE(NUMBER), AT(limits.max_connections),
	    .initial = "10000", RANGE(1, MILLION),
	    .help = "connections from the MTA" },
	{ "limits.max_header_bytes", TYPE(SIZE), AT(limits.max_header_bytes),
	    .initial = "256k", RANGE(4 * KILO, 64 * MEGA),
	    .help = "header of a message" },
	{ "limits.max_wait", TYPE(MILLISECONDS), AT(limits.max_wait_ms),
	    .initial = "20s", RANGE(SECOND, 10 * MINUTE),
	    .help = "for keys and workers, a message" },
	{ "limits.stop_timeout", TYPE(MILLISECONDS), AT(limits.stop_timeout_ms),
	    .initial = "30s", RANGE(0, 60 * MINUTE),
	    .help = "for messages in flight at the end" },

	{ "key_store.type", TYPE(STRING), AT(key_store.type),
	    .initial = "directory", .check = check_key_store,
	    .help = "where keys come from" },
	{ "key_store.path", TYPE(STRING), AT(key_store.path), .initial = "",
	    .fixed = true, .help = "where the key store is" },
	{ "key_store.cache", TYPE(COUNT), AT(key_store.cache),
	    .initial = "10000", RANGE(1, 10 * MILLION),
	    .help = "keys kept parsed" },
	{ "key_store.ttl", TYPE(SECONDS), AT(key_store.ttl_s), .initial = "60s",
	    RANGE(1, DAY_S), .help = "until a change of a key's file is seen" },

	{ "status.socket", TYPE(STRING), AT(status.socket),
	    .initial = "unix:/run/signpost/status.sock", .check = check_unix,
	    .restart = true, .help = "unix socket of the status" },
	{ "status.socket_mode", TYPE(MODE), AT(status.socket_mode),
	    .initial = "0660", RANGE(0, 0777), .restart = true,
	    .help = "mode of that socket" },
	{ "status.http", TYPE(STRING), AT(status.http), .initial = "",
	    .check = check_http, .restart = true,
	    .help = "address for Prometheus" },

	{ "log.to", TYPE(STRING), AT(log.to), .initial = "",
	    .check = check_log_to, .restart = true,
	    .help = "where lines go; left out: syslog, or stderr with -f" },
	{ "log.format", TYPE(STRING), AT(log.format), .initial = "text",
	    .words = format_words, .restart = true, .help = "of a line" },
	{ "log.level", TYPE(WORD), AT(log.level), .initial = "info",
	    .words = level_words, .help = "least level that is logged" },
	{ "log.repeats", TYPE(NUMBER), AT(log.per_minute), .initial = "10",
	    RANGE(0, MILLION), .help = "lines of one warning in a minute" },
};

static const char *const type_names[SETTING_TYPES] = {
	[SETTING_STRING] = "string",
	[SETTING_BOOLEAN] = "boolean",
	[SETTING_NUMBER] = "number",
	[SETTING_COUNT] = "number",
	[SETTING_SIZE] = "size",
	[SETTING_SECONDS] = "time",
	[SETTING_MILLISECONDS] = "time",
	[SETTING_MODE] = "mode",
	[SETTING_WORD] = "word",
	[SETTING_CANON] = "word",
	[SETTING_STRINGS] = "list of strings",
	[SETTING_NAMES] = "list of names",
	[SETTING_NETWORKS] = "list of networks",
	[SETTING_ADDRESSES] = "list of addresses",
	[SETTING_DOMAINS] = "list of groups",
	[SETTING_KEYS] = "list of groups",
};

enum {
	ROWS = sizeof table / sizeof *table
};

const struct setting *
setting_get(size_t i)
{
	return i < ROWS ? &table[i] : NULL;
}

/* The row so named and nothing else. */
static const struct setting *
find_exactly(const char *name)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

/* Entries, and the group that they start from. */
static const struct {
	const char *entry, *group;
} inherited[] = {
	{ "domains.", "sign." },
	{ "verify.domains.", "verify." },
};

const struct setting *
setting_find(const char *name)
{
	const struct setting *setting = find_exactly(name);
	char full[96];
	size_t len, i;

	for (i = 0; setting == NULL && i < sizeof inherited / sizeof *inherited;
	     i++) {
		len = strlen(inherited[i].entry);
		if (strncmp(name, inherited[i].entry, len) != 0)
			continue;
		snprintf(
		    full, sizeof full, "%s%s", inherited[i].group, name + len);
		setting = find_exactly(full);
		/* Entries have no entries. */
		if (setting != NULL &&
		    (setting->type == SETTING_DOMAINS ||
			setting->scope != SCOPE_CONFIG))
			setting = NULL;
	}
	return setting;
}

bool
setting_is_group(const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < ROWS; i++)
		if (table[i].scope == SCOPE_CONFIG &&
		    strncmp(table[i].name, name, len) == 0 &&
		    table[i].name[len] == '.')
			return true;
	return false;
}

const char *
setting_type_name(enum setting_type type)
{
	return type_names[type];
}

const char *const *
setting_default_headers(void)
{
	return default_headers;
}

const char *const *
setting_default_oversign(void)
{
	return default_oversign;
}
