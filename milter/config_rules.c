/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "config_check.h"
#include "config_names.h"
#include "required_keys.h"

struct rules {
	const struct config *config;
	const struct config_node *root;
	struct config_problems *problems;
};

/* A set of signing options, and where it was written. */
struct written {
	const struct config_sign *sign;
	const char *file;
	unsigned line;
	const char *prefix; /* "sign." or "domains." */
};

/* The node of "group.setting"; NULL where the file does not name it. */
static const struct config_node *
find(const struct rules *rules, const char *name)
{
	const struct config_node *node = rules->root;
	size_t len;

	while (node != NULL && *name != '\0') {
		len = strcspn(name, ".");
		for (node = node->child; node != NULL; node = node->next)
			if (strncmp(node->name, name, len) == 0 &&
			    node->name[len] == '\0')
				break;
		name += len + (name[len] == '.');
	}
	return node;
}

static void
warn(const struct rules *rules, const char *name, const char *text)
{
	const struct config_node *node = find(rules, name);

	config_warning(rules->problems,
	    node != NULL ? node->file : rules->config->file,
	    node != NULL ? node->line : 0, name, "%s", text);
}

static void
rule_rsa_bits(const struct rules *rules)
{
	const struct signpost_verify_options *options =
	    &rules->config->verify.options;
	const struct config_node *node = find(rules, "verify.min_rsa_bits");

	if (node == NULL)
		node = find(rules, "verify.max_rsa_bits");
	if (options->min_rsa_bits > options->max_rsa_bits && node != NULL)
		config_problem(rules->problems, node->file, node->line,
		    "verify.min_rsa_bits",
		    "%u is more than verify.max_rsa_bits, %u",
		    options->min_rsa_bits, options->max_rsa_bits);
}

static void
rule_dns(const struct rules *rules)
{
	const struct config *config = rules->config;

	if (!config->dns.dnssec && config->dns.trust_anchor[0] != '\0')
		warn(rules, "dns.trust_anchor",
		    "has no effect: dns.dnssec is false");
	if (config->dns.timeout_ms > config->limits.max_wait_ms)
		warn(rules, "dns.timeout",
		    "longer than limits.max_wait, which ends the wait first");
}

static bool
is_unix(const char *socket)
{
	return strncmp(socket, "inet", 4) != 0;
}

static void
rule_sockets(const struct rules *rules)
{
	static const char *const names[] = { "socket_mode", "socket_group" };
	size_t i;

	for (i = 0; i < 2 && !is_unix(rules->config->socket); i++)
		if (find(rules, names[i]) != NULL)
			warn(rules, names[i],
			    "has no effect: the socket is not a unix socket");
	if (rules->config->status.socket[0] == '\0' &&
	    find(rules, "status.socket_mode") != NULL)
		warn(rules, "status.socket_mode",
		    "has no effect: there is no status.socket");
}

static void
rule_trust(const struct rules *rules)
{
	const struct config *config = rules->config;
	const struct config_networks *networks = &config->trusted_networks;
	size_t i, j;

	for (i = 0; i < networks->count; i++)
		if (networks->items[i].bits == 0 ||
		    (networks->items[i].bits == 96 &&
			IN6_IS_ADDR_V4MAPPED(&networks->items[i].address)))
			warn(rules, "trusted_networks",
			    "every client in the world is trusted: whoever "
			    "sends mail has it signed, and nothing is "
			    "verified");
	for (i = 0; i < config->trusted_daemons.count; i++)
		for (j = 0; j < config->untrusted_daemons.count; j++)
			if (strcmp(config->trusted_daemons.items[i],
				config->untrusted_daemons.items[j]) == 0)
				warn(rules, "trusted_daemons",
				    "a name stands in untrusted_daemons, too, "
				    "which wins");
}

static void
rule_no_effect(const struct rules *rules)
{
	if (rules->config->mode == MODE_VERIFY &&
	    rules->config->domain_count > 0)
		warn(rules, "domains",
		    "have no effect: mode is \"verify\", nothing is signed");
}

static void
rule_replay(const struct rules *rules)
{
	static const char *const names[] = { "replay.window",
		"replay.entries" };
	size_t i;

	for (i = 0; i < 2 && !config_counts_replays(rules->config); i++)
		if (find(rules, names[i]) != NULL)
			warn(rules, names[i],
			    "has no effect: neither replay.threshold nor "
			    "replay.recipients is set, or nothing is "
			    "verified");
}

/* Of one that is written: a warning for each would say the same. Where there are
 * errors, what is written wrongly counts as not set. */
static void
rule_reports(const struct rules *rules)
{
	static const char *const names[] = { "reports.directory",
		"reports.sendmail", "reports.from", "reports.per_domain",
		"reports.per_hour" };
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		if (rules->problems->errors > 0 ||
		    config_sends_reports(rules->config) ||
		    find(rules, names[i]) == NULL)
			continue;
		warn(rules, names[i],
		    "has no effect: neither reports.directory nor "
		    "reports.sendmail is set, or nothing is verified");
		return;
	}
}

/* Likewise. */
static void
rule_published(const struct rules *rules)
{
	static const char *const names[] = { "published.interval",
		"published.retry", "published.max_rate", "published.file" };
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		if (rules->problems->errors > 0 ||
		    required_keys_any(rules->config) ||
		    find(rules, names[i]) == NULL)
			continue;
		warn(rules, names[i],
		    "has no effect: sign.require_published is nowhere true, or "
		    "nothing is signed");
		return;
	}
}

/* What mail servers on the way add, change or take away (RFC 5321 section 4.4,
 * RFC 8601 section 5, RFC 5322 section 3.6.3). */
static const char *const rewritten[] = { "Received", "Return-Path",
	"Authentication-Results", "Bcc" };

static void
warn_of_rewritten(const struct rules *rules, const struct written *at,
    const struct config_strings *names, const char *setting)
{
	size_t i;

	for (i = 0; i < sizeof rewritten / sizeof *rewritten; i++)
		if (config_names_have(names, bytes_str(rewritten[i])))
			config_warning(rules->problems, at->file, at->line,
			    setting,
			    "%s is added or changed on the way: signatures "
			    "that cover it fail",
			    rewritten[i]);
}

/* RFC 6376 section 5.4: From is always signed. A name that stands twice in
 * the list would be signed twice. */
static void
check_headers(const struct rules *rules, const struct written *at)
{
	const struct config_strings *lists[] = { &at->sign->headers,
		&at->sign->oversign };
	static const char *const names[][2] = {
		{ "sign.headers", "domains.headers" },
		{ "sign.oversign", "domains.oversign" },
	};
	bool entry = at->prefix[0] == 'd';
	struct bytes from = bytes_str("From");
	size_t l, i, j;

	if (!config_names_have(lists[0], from) &&
	    !config_names_have(lists[1], from))
		config_problem(rules->problems, at->file, at->line,
		    names[0][entry], "must name From (RFC 6376 section 5.4)");
	for (l = 0; l < 2; l++) {
		warn_of_rewritten(rules, at, lists[l], names[l][entry]);
		for (i = 0; i < lists[l]->count; i++)
			for (j = 0; j < i; j++)
				if (strcasecmp(lists[l]->items[i],
					lists[l]->items[j]) == 0)
					config_problem(rules->problems,
					    at->file, at->line, names[l][entry],
					    "\"%s\" stands there twice",
					    lists[l]->items[i]);
	}
}

static void
rule_headers(const struct rules *rules)
{
	const struct config *config = rules->config;
	const struct config_node *node = find(rules, "sign.headers");
	const struct config_domain *entry;
	size_t i;

	if (node == NULL)
		node = find(rules, "sign");
	if (node != NULL)
		check_headers(rules,
		    &(struct written){
			&config->sign, node->file, node->line, "sign." });
	for (i = 0; i < config->domain_count; i++) {
		entry = &config->domains[i];
		if (entry->sign.headers.items != config->sign.headers.items ||
		    entry->sign.oversign.items != config->sign.oversign.items)
			check_headers(rules,
			    &(struct written){ &entry->sign, entry->file,
				entry->line, "domains." });
	}
}

/* RFC 6376 section 3.5: i= is d= or a subdomain of it. Checked where d= is
 * known beforehand. */
static bool
check_identity_under(const struct rules *rules,
    const struct config_domain *entry, const char *signing)
{
	const char *at = strrchr(entry->sign.identity, '@');
	char identity[DOMAIN_SIZE], domain[DOMAIN_SIZE];

	if (at == NULL || signing == NULL ||
	    !domain_to_ascii(bytes_str(signing), domain) ||
	    !domain_to_ascii(bytes_str(at + 1), identity) ||
	    domain_is_under(identity, domain))
		return true;
	config_problem(rules->problems, entry->file, entry->line,
	    "domains.identity",
	    "\"%s\" is not under \"%s\", which "
	    "is signed for",
	    entry->sign.identity, domain);
	return false;
}

/* The domain that ENTRY is for; NULL where that is more than one. */
static const char *
only_domain(const struct config_domain *entry)
{
	const char *at = strrchr(entry->name, '@');

	if (entry->domain != NULL)
		return entry->domain;
	if (at != NULL)
		return at + 1;
	return entry->name[0] == '.' || entry->name[0] == '*' ? NULL
							      : entry->name;
}

static void
check_entry(const struct rules *rules, const struct config_domain *entry)
{
	bool everybody = strcmp(entry->name, "*") == 0;
	const char *signing = only_domain(entry);
	size_t i;

	if (entry->key_directory && rules->config->key_directory[0] == '\0')
		config_problem(rules->problems, entry->file, entry->line,
		    "domains.keys",
		    "\"%s\" has no keys, and there is no "
		    "key_directory to find some",
		    entry->name);
	if (entry->key_directory)
		check_identity_under(rules, entry, signing);
	for (i = 0; i < entry->key_count; i++)
		if (!check_identity_under(rules, entry,
			entry->keys[i].domain != NULL ? entry->keys[i].domain
						      : signing))
			break;
	for (i = 0; i < entry->key_count && everybody && signing == NULL; i++)
		if (entry->keys[i].domain == NULL)
			config_warning(rules->problems, entry->file,
			    entry->keys[i].line, "domains.keys",
			    "signs for any domain that a trusted client "
			    "writes in From, under that domain's name: name a "
			    "domain");
}

static void
rule_entries(const struct rules *rules)
{
	size_t i;

	for (i = 0; i < rules->config->domain_count; i++)
		check_entry(rules, &rules->config->domains[i]);
}

/* A reply of a set of verifying options, and the action that it is for. */
struct reply {
	const char *name; /* without its group */
	const char *text;
	const char *action_name;
	enum config_action action; /* ACCEPT: it is never taken */
};

enum {
	REPLIES = 3
};

/* One, and where it was written. */
struct written_reply {
	const struct reply *reply;
	const char *prefix; /* "verify." or "verify.domains." */
	const char *file;
	unsigned line;
};

static bool
gives_reply(const struct reply *reply)
{
	return reply->action == ACTION_REJECT ||
	    reply->action == ACTION_TEMPFAIL;
}

static void
list_replies(const struct config_verify *verify, struct reply out_r[REPLIES])
{
	bool aligned = verify->require_aligned_pass;
	enum config_action on_temperror = verify->on_temperror;

	/* What may be aligned yet is put off, not let in. */
	if (aligned && on_temperror == ACTION_ACCEPT)
		on_temperror = ACTION_TEMPFAIL;
	out_r[0] = (struct reply){ "fail_reply", verify->fail_reply, "on_fail",
		verify->on_fail };
	out_r[1] = (struct reply){ "temperror_reply", verify->temperror_reply,
		"on_temperror", on_temperror };
	out_r[2] = (struct reply){ "unaligned_reply", verify->unaligned_reply,
		aligned ? "on_unaligned" : "require_aligned_pass",
		aligned ? verify->on_unaligned : ACTION_ACCEPT };
}

/* RFC 5321 section 4.2.1: who gets 4 tries again, who gets 5 does not. */
static void
check_reply_code(const struct rules *rules, const struct written_reply *at)
{
	const struct reply *reply = at->reply;
	char class = reply->action == ACTION_TEMPFAIL ? '4' : '5';
	char setting[64];

	snprintf(setting, sizeof setting, "%s%s", at->prefix, reply->name);
	if (!gives_reply(reply))
		config_warning(rules->problems, at->file, at->line, setting,
		    "has no effect: %s gives no reply", reply->action_name);
	else if (reply->text[0] != class)
		config_problem(rules->problems, at->file, at->line, setting,
		    "%.3s is no code for what %s does: it must be from %c00 "
		    "to %c59",
		    reply->text, reply->action_name, class, class);
}

static void
rule_replies(const struct rules *rules)
{
	const struct config *config = rules->config;
	struct reply replies[REPLIES], all[REPLIES];
	const struct config_verify_domain *entry;
	const struct config_node *node;
	char name[64];
	size_t i, j;

	list_replies(&config->verify, all);
	for (j = 0; j < REPLIES; j++) {
		snprintf(name, sizeof name, "verify.%s", all[j].name);
		node = find(rules, name);
		if (node != NULL && all[j].text[0] != '\0')
			check_reply_code(rules,
			    &(struct written_reply){
				&all[j], "verify.", node->file, node->line });
	}
	for (i = 0; i < config->verify_domain_count; i++) {
		entry = &config->verify_domains[i];
		list_replies(&entry->verify, replies);
		for (j = 0; j < REPLIES; j++)
			if (replies[j].text[0] != '\0' &&
			    (replies[j].text != all[j].text ||
				(replies[j].action != all[j].action &&
				    gives_reply(&replies[j]))))
				check_reply_code(rules,
				    &(struct written_reply){ &replies[j],
					"verify.domains.", entry->file,
					entry->line });
	}
}

static void
rule_unaligned(const struct rules *rules)
{
	static const char *const names[] = { "verify.strict_alignment",
		"verify.on_unaligned" };
	const struct config *config = rules->config;
	bool aligned = config->verify.require_aligned_pass;
	size_t i;

	for (i = 0; i < config->verify_domain_count && !aligned; i++)
		aligned = config->verify_domains[i].verify.require_aligned_pass;
	for (i = 0; i < sizeof names / sizeof *names && !aligned; i++)
		if (find(rules, names[i]) != NULL)
			warn(rules, names[i],
			    "has no effect: verify.require_aligned_pass is "
			    "false");
}

void
check_together(const struct config *config, const struct config_node *root,
    struct config_problems *problems)
{
	static void (*const all[])(const struct rules *) = {
		rule_rsa_bits,
		rule_dns,
		rule_sockets,
		rule_trust,
		rule_no_effect,
		rule_replay,
		rule_published,
		rule_reports,
		rule_replies,
		rule_unaligned,
		rule_headers,
		rule_entries,
	};
	struct rules rules = { config, root, problems };
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++)
		all[i](&rules);
}
