/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_signing.h"

#include <stdio.h>

#include "address.h"
#include "config_check.h"
#include "opendkim_disk.h"
#include "opendkim_pattern.h"

struct signing {
	struct opendkim_keys *keys;
	struct opendkim_rules *rules;
	struct import *import;
};

/* The one domain that the senders NAME are in; NULL: there are many. */
static const char *
only_domain(const char *name)
{
	const char *at = strrchr(name, '@');

	if (at != NULL)
		return at + 1;
	return name[0] == '.' || strcmp(name, "*") == 0 ? NULL : name;
}

/* The identity (i=) that the row of RULE names, SIGNER. One that does not go
 * with the signing domain is not written by OpenDKIM, either. */
static const char *
find_identity(struct signing *signing, const struct opendkim_rule *rule,
    const char *signer)
{
	const char *from = only_domain(rule->name), *at;
	const char *domain = rule->domain != NULL ? rule->domain : from;
	char under[DOMAIN_SIZE], top[DOMAIN_SIZE];

	if (signer == NULL || signer[0] == '\0')
		return NULL;
	if (strchr(signer, '%') != NULL && from != NULL)
		signer = opendkim_with_domain(signing->import, signer, from);
	if (strchr(signer, '%') != NULL) {
		import_lost(signing->import, rule->place,
		    "\"%s\": an identity (i=) can't follow the domain of From: "
		    "write an entry of domains, with identity, for each",
		    signer);
		return NULL;
	}
	at = strrchr(signer, '@');
	if (at == NULL || check_identity(signer) != NULL) {
		import_lost(signing->import, rule->place,
		    "\"%s\" is no identity (i=), with which OpenDKIM can't "
		    "sign: write USER@DOMAIN or @DOMAIN",
		    signer);
		return NULL;
	}
	if (domain == NULL || !domain_to_ascii(bytes_str(at + 1), under) ||
	    !domain_to_ascii(bytes_str(domain), top) ||
	    !domain_is_under(under, top)) {
		import_note(signing->import, rule->place,
		    "\"%s\" is not in the domain that signs, and left out as "
		    "OpenDKIM does",
		    signer);
		return NULL;
	}
	return signer;
}

/* A key whose path depends on the domain of From, for many domains: one rule
 * for each domain that there is a file for. */
static void
add_from_disk(struct signing *signing, const struct opendkim_key *key,
    struct opendkim_rule rule, const char *path)
{
	struct opendkim_found found = {
		.import = signing->import, .rules = signing->rules, .rule = rule
	};

	opendkim_disk_find(&found, path);
	rule.blocks = true;
	opendkim_rules_add(signing->rules, &rule);
	import_lost(signing->import, rule.place,
	    "a path can't follow the domain of From (%s): there is an entry "
	    "for each of the %zu domains that have a file now; a new domain "
	    "needs one, or the keys a key_directory",
	    key->data, found.count);
}

/* Adds RULE, for its name, with KEY. */
static void
add_key(struct signing *signing, struct opendkim_key *key,
    struct opendkim_rule rule, const char *signer)
{
	const char *from = only_domain(rule.name), *domain = key->domain;

	if (strcmp(domain, "%") == 0)
		domain = from;
	rule.domain = domain;
	rule.selector = key->selector;
	rule.key_place = key->place;
	rule.identity = find_identity(signing, &rule, signer);
	if (!key->is_path) {
		rule.file = opendkim_keys_extract(signing->keys, key);
		rule.blocks = rule.file == NULL;
	} else if (!opendkim_conf_path(signing->keys->conf, key->place,
		       key->data, &rule.file)) {
		rule.blocks = true;
	} else if (key->data[0] == '/' && strchr(rule.file, '%') != NULL) {
		if (domain == NULL) {
			add_from_disk(signing, key, rule, rule.file);
			return;
		}
		rule.file =
		    opendkim_with_domain(signing->import, rule.file, domain);
	}
	opendkim_rules_add(signing->rules, &rule);
}

/* A row whose key is named by the domain of From, for many domains: a rule for
 * each domain that is the name of a key. */
static void
add_by_domain(
    struct signing *signing, struct opendkim_rule rule, const char *signer)
{
	struct opendkim_keys *keys = signing->keys;
	const char *set = rule.name;

	import_note(signing->import, rule.place,
	    "mail from domains that are not in KeyTable is put off by "
	    "OpenDKIM; here it goes out unsigned");
	for (size_t i = 0; i < keys->count; i++) {
		struct opendkim_key *key = &keys->keys[i];
		bool any = keys->wild_count > 0 && strcmp(key->name, "*") == 0;

		rule.name = any ? set : key->name;
		if (any ||
		    (check_domain(key->name) == NULL &&
			opendkim_is_in(key->name, set)))
			add_key(signing, key, rule, signer);
		/* Nothing behind it is ever found. */
		if (any)
			return;
	}
	rule.name = set;
	rule.blocks = true;
	opendkim_rules_add(signing->rules, &rule);
}

/* Adds RULE for the sender of one row. */
static void
add_row(struct signing *signing, struct opendkim_rule rule, const char *name,
    const char *signer)
{
	const char *from = only_domain(rule.name);
	struct opendkim_key *key;

	if (strcmp(name, "%") == 0 && from == NULL) {
		add_by_domain(signing, rule, signer);
		return;
	}
	if (strcmp(name, "%") == 0)
		name = from;
	key = opendkim_keys_find(signing->keys, name);
	if (key != NULL) {
		add_key(signing, key, rule, signer);
		return;
	}
	import_lost(signing->import, rule.place,
	    "KeyTable has no key \"%s\", so OpenDKIM puts such mail off; it is "
	    "not signed here: name a key that is there",
	    name);
	rule.blocks = true;
	opendkim_rules_add(signing->rules, &rule);
}

static void
read_table(struct signing *signing, const struct opendkim_value *table)
{
	struct import *import = signing->import;
	struct opendkim_senders senders;
	struct opendkim_set set;

	opendkim_set_read(signing->keys->conf, table, &set);
	signing->rules->order = set.patterns ? ORDER_FIRST : ORDER_NARROWEST;
	if (opendkim_conf_is_on(signing->keys->conf, "MultipleSignatures"))
		signing->rules->order = ORDER_ALL;
	for (size_t i = 0; i < set.count; i++) {
		const struct opendkim_row *row = &set.rows[i];
		struct bytes rest =
		    bytes_str(row->value == NULL ? "" : row->value);
		struct opendkim_rule rule = { .order = i + 1,
			.place = row->place };
		struct bytes name = { 0 };
		const char *key;

		bytes_next(&rest, ':', &name);
		key = import_keep(import, name);
		opendkim_senders_read(import, row, set.patterns, &senders);
		if (senders.count > 0 && key[0] == '\0')
			import_lost(import, row->place,
			    "\"%s\" has no key behind it", row->key);
		for (size_t n = 0; n < senders.count && key[0] != '\0'; n++) {
			rule.name = senders.names[n];
			add_row(signing, rule, key,
			    rest.data == NULL ? NULL
					      : import_keep(import, rest));
		}
	}
	opendkim_set_fini(&set);
}

/* Domain, which says whose mail the one key signs. */
static void
read_domains(struct signing *signing, const struct opendkim_value *domains,
    struct opendkim_key *key)
{
	bool below = opendkim_conf_is_on(signing->keys->conf, "SubDomains");
	struct opendkim_senders senders;
	struct opendkim_set set;
	char name[DOMAIN_SIZE + 1];

	opendkim_set_read(signing->keys->conf, domains, &set);
	signing->rules->order = ORDER_NARROWEST;
	for (size_t i = 0; i < set.count; i++) {
		struct opendkim_rule rule = { .order = i + 1,
			.place = set.rows[i].place };

		opendkim_domains_read(
		    signing->import, &set.rows[i], set.patterns, &senders);
		for (size_t n = 0; n < senders.count; n++) {
			const char *domain = only_domain(senders.names[n]);

			rule.name = senders.names[n];
			add_key(signing, key, rule, NULL);
			if (!below || domain == NULL ||
			    strlen(domain) >= DOMAIN_SIZE)
				continue;
			snprintf(name, sizeof(name), ".%s", domain);
			rule.name = name;
			key->domain = domain;
			add_key(signing, key, rule, NULL);
			key->domain = "%";
		}
	}
	opendkim_set_fini(&set);
}

/* One key for all of Domain. */
static void
read_single(struct signing *signing)
{
	const struct opendkim_conf *conf = signing->keys->conf;
	const struct opendkim_value *domains =
	    opendkim_conf_get(conf, "Domain");
	const struct opendkim_value *selector =
	    opendkim_conf_get(conf, "Selector");
	const struct opendkim_value *file = opendkim_conf_get(conf, "KeyFile");
	struct opendkim_key key = { .domain = "%", .is_path = true };

	if (domains->text == NULL) {
		if (file->text != NULL)
			import_note(signing->import, file->place,
			    "without Domain OpenDKIM signs nothing with it");
		return;
	}
	if (selector->text == NULL || file->text == NULL) {
		import_lost(signing->import, domains->place,
		    "OpenDKIM would not start without Selector and KeyFile, or "
		    "KeyTable and SigningTable: say which key signs");
		return;
	}
	if (check_selector(selector->text) != NULL) {
		import_lost(signing->import, selector->place,
		    "\"%s\" is no selector", selector->text);
		return;
	}
	key.selector = selector->text;
	key.place = file->place;
	if (opendkim_conf_path(conf, file->place, file->text, &key.data))
		read_domains(signing, domains, &key);
}

/* What OpenDKIM does not look at where there is a KeyTable. */
static void
say_ignored(struct signing *signing)
{
	static const char *const names[] = { "Domain", "Selector", "KeyFile" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct opendkim_value *value =
		    opendkim_conf_get(signing->keys->conf, names[i]);

		if (value->text != NULL)
			import_note(signing->import, value->place,
			    "OpenDKIM does not look at it, as there is a "
			    "KeyTable; neither does this");
	}
}

static void
read_exempt(struct signing *signing, const struct opendkim_value *value)
{
	struct opendkim_senders senders;
	struct opendkim_set set;

	opendkim_set_read(signing->keys->conf, value, &set);
	for (size_t i = 0; i < set.count; i++) {
		opendkim_domains_read(
		    signing->import, &set.rows[i], set.patterns, &senders);
		for (size_t n = 0; n < senders.count; n++)
			opendkim_rules_exempt(signing->rules, senders.names[n],
			    set.rows[i].place);
	}
	opendkim_set_fini(&set);
}

void
opendkim_signing_read(struct opendkim_keys *keys, struct opendkim_rules *rules)
{
	const struct opendkim_conf *conf = keys->conf;
	struct signing signing = { keys, rules, rules->import };
	const struct opendkim_value *exempt =
	    opendkim_conf_get(conf, "ExemptDomains");
	const struct opendkim_value *table =
	    opendkim_conf_get(conf, "SigningTable");
	const struct opendkim_value *key_table =
	    opendkim_conf_get(conf, "KeyTable");

	if (key_table->text != NULL) {
		say_ignored(&signing);
		if (table->text != NULL)
			read_table(&signing, table);
		else
			import_lost(signing.import, key_table->place,
			    "without SigningTable OpenDKIM would not start, or "
			    "a script chooses the key: say whose mail each key "
			    "signs");
	} else if (table->text != NULL) {
		import_lost(signing.import, table->place,
		    "without KeyTable OpenDKIM would not start: say where the "
		    "keys are");
	} else {
		read_single(&signing);
	}
	if (exempt->text != NULL)
		read_exempt(&signing, exempt);
}
