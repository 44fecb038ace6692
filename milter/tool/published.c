/* SPDX-License-Identifier: BSD-2-Clause */
#include "published.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "address.h"
#include "command.h"
#include "key_records.h"
#include "keyfile.h"

enum {
	AT_ONCE = 64, /* questions under way */
	/* Those that were given up stay with libunbound for a while. */
	MAX_PENDING = 4 * AT_ONCE
};

static const char *const tokens[PUBLISHED_STATES] = {
	[PUBLISHED] = "published",
	[PUBLISHED_NOT] = "not_published",
	[PUBLISHED_DIFFERS] = "differs",
	[PUBLISHED_REVOKED] = "revoked",
	[PUBLISHED_FAILED] = "lookup_failed",
	[PUBLISHED_UNKNOWN] = "unknown",
};

struct asking {
	struct signpost *handle;
	const struct config *config;
	const struct key_list *list;
	struct keyfile_user user;
	struct resolver *resolver;
	struct key_cache *cache;
	struct published_record *records;
};

const char *
published_token(enum published_state state)
{
	return tokens[state];
}

int
published_code(const struct published_record *records, size_t count)
{
	int code = EX_OK;

	for (size_t i = 0; i < count; i++) {
		enum published_state state = records[i].state;

		if (state == PUBLISHED_NOT || state == PUBLISHED_DIFFERS ||
		    state == PUBLISHED_REVOKED)
			return EX_NO;
		if (state == PUBLISHED_FAILED)
			code = EX_TEMPFAIL;
	}
	return code;
}

static void __attribute__((format(printf, 3, 4)))
say(struct published_record *record, enum published_state state,
    const char *format, ...)
{
	va_list arguments;

	record->state = state;
	va_start(arguments, format);
	vsnprintf(record->text, sizeof(record->text), format, arguments);
	va_end(arguments);
}

/* NULL with the state said. */
static struct signpost_private_key *
read_key(const struct asking *asking, size_t i)
{
	const char *file = asking->list->items[i].file;
	struct signpost_private_key *key = NULL;
	struct keyfile_stamp stamp;
	char why[KEYFILE_WHY_BYTES];
	struct buf text;

	buf_init(&text, KEYFILE_MAX_BYTES);
	if (keyfile_read(file, &asking->user, &text, &stamp, why) !=
		SIGNPOST_OK ||
	    signpost_private_key_read(
		asking->handle, text.data, text.len, &key) != SIGNPOST_OK) {
		key = NULL;
		say(&asking->records[i], PUBLISHED_UNKNOWN,
		    "not compared, as the key can't be used");
	}
	buf_cleanse(&text);
	return key;
}

static void
compare(const struct asking *asking, size_t i, struct signpost_key_set *keys)
{
	const struct key_list_item *item = &asking->list->items[i];
	struct published_record *record = &asking->records[i];
	struct signpost_private_key *key = read_key(asking, i);
	enum signpost_reason reason;

	if (key == NULL)
		return;
	/* One without a print counts as not published. */
	key_print(asking->handle, key, record->print);
	reason = signpost_key_set_publishes(keys, key);
	signpost_private_key_unref(key);
	if (reason == SIGNPOST_REASON_NONE)
		say(record, PUBLISHED, "published");
	else if (reason == SIGNPOST_REASON_KEY_REVOKED)
		say(record, PUBLISHED_REVOKED,
		    "revoked: take the key away, or publish it again");
	else
		say(record, PUBLISHED_DIFFERS,
		    "differs (%s): publish what \"signpost dns -d %s -s %s\" "
		    "prints",
		    reason == SIGNPOST_REASON_SIGNATURE
			? "the record has another key"
			: signpost_reason_text(reason),
		    item->domain, item->selector);
}

static void
take_answer(
    const struct asking *asking, size_t i, const struct key_answer *answer)
{
	const struct key_list_item *item = &asking->list->items[i];
	struct published_record *record = &asking->records[i];

	switch (answer->answer) {
	case RESOLVER_FOUND:
		if (answer->value != NULL)
			compare(asking, i, answer->value);
		else
			say(record, PUBLISHED_FAILED,
			    "look-up failed: out of memory");
		break;
	case RESOLVER_NO_NAME:
		say(record, PUBLISHED_NOT,
		    "not published: publish what \"signpost dns -d %s -s %s\" "
		    "prints",
		    item->domain, item->selector);
		break;
	case RESOLVER_TIMEOUT:
		say(record, PUBLISHED_FAILED,
		    "look-up failed: no answer in time; try again, or see the "
		    "setting dns.servers");
		break;
	case RESOLVER_FAILED:
		say(record, PUBLISHED_FAILED,
		    "look-up failed: the servers of the name do not serve it");
		break;
	case RESOLVER_BOGUS:
		say(record, PUBLISHED_FAILED,
		    "look-up failed: DNSSEC says that the answer is forged; "
		    "see whether the zone is signed as it should be");
		break;
	}
}

/* The name to ask for; false where there is none, and the state said. */
static bool
make_name(const struct asking *asking, size_t i)
{
	const struct key_list_item *item = &asking->list->items[i];
	struct published_record *record = &asking->records[i];
	int len = snprintf(record->name, sizeof(record->name),
	    "%s._domainkey.%s%s", item->selector,
	    item->domain[0] == '.' ? "*" : "", item->domain);

	if (key_list_is_any(item->domain))
		say(record, PUBLISHED_UNKNOWN,
		    "not looked up, as the key is for many domains");
	else if (len > DOMAIN_MAX_BYTES)
		say(record, PUBLISHED_NOT,
		    "not published: the name is too long for DNS");
	else
		return true;
	return false;
}

/* Asks for the records from FIRST up to END. False: out of memory. */
static bool
ask(const struct asking *asking, size_t first, size_t end)
{
	struct key_lookups *lookups =
	    key_lookups_new(asking->cache, end - first);
	bool asked[AT_ONCE];
	struct timespec deadline;

	if (lookups == NULL)
		return false;
	for (size_t i = first; i < end; i++) {
		asked[i - first] = make_name(asking, i);
		if (asked[i - first])
			key_lookups_start(
			    lookups, i - first, asking->records[i].name);
	}
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += (time_t)(asking->config->dns.timeout_ms / 1000 + 1);
	key_lookups_wait(lookups, &deadline);
	for (size_t i = first; i < end; i++) {
		struct key_answer answer;

		if (!asked[i - first])
			continue;
		answer = key_lookups_get(lookups, i - first);
		take_answer(asking, i, &answer);
	}
	key_lookups_free(lookups);
	return true;
}

static int
open_dns(struct asking *asking)
{
	const struct config *config = asking->config;
	char error[256] = "";

	if (!resolver_new(
		&(struct resolver_settings){
		    .servers = config->dns.servers.items,
		    .trust_anchor = config->dns.trust_anchor,
		    .dnssec = config->dns.dnssec,
		    .timeout_ms = (unsigned)config->dns.timeout_ms,
		    .max_pending = MAX_PENDING },
		&asking->resolver, error, sizeof(error)))
		return complain(EX_CONFIG, config->file, "dns: %s", error);
	asking->cache =
	    key_records_cache_new(asking->handle, asking->resolver, NULL);
	return asking->cache != NULL ? 0
				     : complain_status("dns", SIGNPOST_NOMEM);
}

/*
 * Which keys sign.
 */

/* Whether ENTRY (or NULL) names all that a configuration without errors has. */
static bool
is_whole(const struct config_domain *entry)
{
	for (size_t i = 0; entry != NULL && i < entry->key_count; i++)
		if (entry->keys[i].file == NULL ||
		    entry->keys[i].selector == NULL)
			return false;
	return entry == NULL || entry->name[0] != '\0';
}

/* Marks those of LIST that sign for From domain DOMAIN under ENTRY. */
static bool
mark(const struct asking *asking, struct keystore *keystore,
    const struct config_domain *entry, const char *domain)
{
	const struct key_list *list = asking->list;
	struct keystore_keys keys;

	if (!is_whole(entry))
		return true;
	if (!keystore_select(keystore, entry, domain, &keys))
		return false;
	for (size_t k = 0; k < keys.count; k++)
		for (size_t i = 0; i < list->count; i++)
			if (strcmp(list->items[i].file, keys.items[k].file) ==
				0 &&
			    strcmp(list->items[i].selector,
				keys.items[k].selector) == 0 &&
			    strcmp(list->items[i].domain,
				keys.items[k].domain) == 0)
				asking->records[i].signs = true;
	keystore_keys_fini(&keys);
	return true;
}

/* Whether DOMAIN stands for the same keys as the one before it in LIST. */
static bool
is_again(const struct key_list *list, size_t i)
{
	return i > 0 &&
	    strcmp(list->items[i].domain, list->items[i - 1].domain) == 0;
}

/* By the domains that keys are for, and by the entries for other addresses and
 * for domains below, whose keys may be for one of those, too. */
static bool
mark_all(const struct asking *asking, struct keystore *keystore)
{
	const struct config *config = asking->config;
	const struct key_list *list = asking->list;
	const struct config_domain *entry;
	const char *at;
	bool ok = true;

	if (config->mode == MODE_VERIFY)
		return true;
	for (size_t i = 0; ok && i < list->count; i++)
		if (!is_again(list, i) &&
		    !key_list_is_any(list->items[i].domain))
			ok = mark(asking, keystore,
			    config_find_domain(
				config, bytes_of("", 0), list->items[i].domain),
			    list->items[i].domain);
	for (size_t i = 0; ok && i < config->domain_count; i++) {
		entry = &config->domains[i];
		at = strrchr(entry->name, '@');
		ok = mark(
		    asking, keystore, entry, at != NULL ? at + 1 : entry->name);
	}
	return ok;
}

/* False: out of memory. */
static bool
find_signing(const struct asking *asking, struct keystore *keystore)
{
	struct publication *publication = publication_new();
	const struct key_list *list = asking->list;
	bool ok = publication != NULL;

	for (size_t i = 0; ok && i < list->count; i++) {
		const struct publication_key key = { list->items[i].domain,
			list->items[i].selector, list->items[i].file,
			asking->records[i].print };

		if (asking->records[i].state == PUBLISHED)
			publication_restore(
			    publication, &key, STANDING_PUBLISHED, false);
	}
	if (ok) {
		keystore_set_publication(keystore, publication);
		ok = mark_all(asking, keystore);
		keystore_set_publication(keystore, NULL);
	}
	publication_free(publication);
	return ok;
}

int
published_check(struct signpost *handle, const struct config *config,
    struct keystore *keystore, const struct key_list *list,
    struct published_record **records_r)
{
	struct asking asking = {
		.handle = handle, .config = config, .list = list
	};
	int code;

	*records_r = calloc(list->count + 1, sizeof(**records_r));
	if (*records_r == NULL)
		return complain_status("dns", SIGNPOST_NOMEM);
	asking.records = *records_r;
	keyfile_find_user(config, &asking.user);
	code = open_dns(&asking);
	for (size_t i = 0; i < list->count && code == 0; i += AT_ONCE) {
		size_t end = i + AT_ONCE;

		if (!ask(&asking, i, end < list->count ? end : list->count))
			code = complain_status("dns", SIGNPOST_NOMEM);
	}
	if (code == 0 && !find_signing(&asking, keystore))
		code = complain_status("keys", SIGNPOST_NOMEM);
	key_cache_unref(asking.cache);
	resolver_unref(asking.resolver);
	return code;
}
