/* SPDX-License-Identifier: BSD-2-Clause */
#include "lookup.h"

#include <stdlib.h>
#include <time.h>

#include "address.h"
#include "command.h"
#include "key_records.h"
#include "readfile.h"
#include "zone.h"

enum {
	ZONE_MAX_BYTES = 1 << 30,
	MAX_PENDING = 1000 /* questions at once */
};

struct lookup {
	struct signpost *handle;
	const struct lookup_settings *settings;
	struct zone *zone; /* NULL: DNS */
	struct resolver *resolver;
	struct key_cache *cache;
};

static int
read_zone(struct lookup *lookup)
{
	const char *path = lookup->settings->zone_file;
	struct zone_error error;
	struct buf text;
	int code;

	buf_init(&text, ZONE_MAX_BYTES);
	code = readfile(path, &text);
	if (code == 0) {
		lookup->zone = zone_parse(buf_bytes(&text), &error);
		if (lookup->zone == NULL && error.line == 0)
			code = complain_status(path, SIGNPOST_NOMEM);
		else if (lookup->zone == NULL)
			code = complain(EX_DATAERR, path, "line %zu: %s",
			    error.line, error.text);
	}
	buf_fini(&text);
	return code;
}

static int
open_dns(struct lookup *lookup)
{
	const struct lookup_settings *settings = lookup->settings;
	char error[256] = "";

	if (!resolver_new(
		&(struct resolver_settings){ .servers = settings->servers.items,
		    .dnssec = true,
		    .timeout_ms = (unsigned)(settings->timeout_s * 1000),
		    .max_pending = MAX_PENDING },
		&lookup->resolver, error, sizeof(error)))
		return complain(EX_USAGE, "dns", "%s", error);
	lookup->cache =
	    key_records_cache_new(lookup->handle, lookup->resolver, NULL);
	return lookup->cache != NULL ? 0
				     : complain_status("dns", SIGNPOST_NOMEM);
}

int
lookup_new(struct signpost *handle, const struct lookup_settings *settings,
    struct lookup **lookup_r)
{
	struct lookup *lookup = calloc(1, sizeof(*lookup));
	char name[DOMAIN_SIZE];
	int code = 0;

	*lookup_r = lookup;
	if (lookup == NULL)
		return complain_status("keys", SIGNPOST_NOMEM);
	lookup->handle = handle;
	lookup->settings = settings;
	for (size_t i = 0; i < settings->servfail.count && code == 0; i++)
		if (!domain_to_ascii(
			bytes_str(settings->servfail.items[i]), name))
			code = complain(EX_USAGE, "verify",
			    "--servfail \"%s\": is no name of DNS",
			    settings->servfail.items[i]);
	if (code == 0 && settings->zone_file != NULL)
		code = read_zone(lookup);
	else if (code == 0)
		code = open_dns(lookup);
	if (code == 0)
		return 0;
	lookup_free(lookup);
	*lookup_r = NULL;
	return code;
}

void
lookup_free(struct lookup *lookup)
{
	if (lookup == NULL)
		return;
	key_cache_unref(lookup->cache);
	resolver_unref(lookup->resolver);
	zone_free(lookup->zone);
	free(lookup);
}

static bool
must_fail(const struct lookup *lookup, const char *name)
{
	const struct option_strings *names = &lookup->settings->servfail;

	for (size_t i = 0; i < names->count; i++)
		if (domain_equal(bytes_str(names->items[i]), bytes_str(name)))
			return true;
	return false;
}

/* What the zone has at NAME. */
static int
find_in_zone(const struct lookup *lookup, const char *name,
    enum signpost_key_answer *answer_r, struct signpost_key_set **keys_r)
{
	static const enum signpost_key_answer answers[] = {
		[ZONE_FOUND] = SIGNPOST_KEY_FOUND,
		[ZONE_NO_NAME] = SIGNPOST_KEY_NO_NAME,
		[ZONE_LOOP] = SIGNPOST_KEY_FAILED,
	};
	struct bytes found[SIGNPOST_MAX_KEY_RECORDS];
	struct signpost_text records[SIGNPOST_MAX_KEY_RECORDS];
	enum signpost_status status;
	size_t count;

	*keys_r = NULL;
	*answer_r = answers[zone_find(
	    lookup->zone, name, found, SIGNPOST_MAX_KEY_RECORDS, &count)];
	if (*answer_r != SIGNPOST_KEY_FOUND)
		return 0;
	for (size_t i = 0; i < count; i++)
		records[i] =
		    (struct signpost_text){ found[i].data, found[i].len };
	status = signpost_key_set_parse(lookup->handle, records, count, keys_r);
	return status == SIGNPOST_OK ? 0 : complain_status(name, status);
}

static int
find_all_in_zone(
    const struct lookup *lookup, struct signpost_verifier *verifier)
{
	size_t count = signpost_verifier_count(verifier);

	for (size_t i = 0; i < count; i++) {
		const char *name = signpost_verifier_key_name(verifier, i);
		enum signpost_key_answer answer;
		struct signpost_key_set *keys;
		int code;

		if (name == NULL || must_fail(lookup, name))
			continue;
		code = find_in_zone(lookup, name, &answer, &keys);
		if (code != 0)
			return code;
		signpost_verifier_give_key(
		    verifier, i, answer, SIGNPOST_DNSSEC_UNKNOWN, keys);
		signpost_key_set_unref(keys);
	}
	return 0;
}

static int
find_all_in_dns(const struct lookup *lookup, struct signpost_verifier *verifier)
{
	struct key_lookups *lookups =
	    key_records_start(lookup->cache, verifier, bytes_of("", 0));
	struct timespec deadline;

	if (lookups == NULL)
		return complain_status("dns", SIGNPOST_NOMEM);
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += (time_t)lookup->settings->timeout_s;
	key_lookups_wait(lookups, &deadline);
	key_records_give(lookups, verifier);
	key_lookups_free(lookups);
	return 0;
}

int
lookup_keys(struct lookup *lookup, struct signpost_verifier *verifier)
{
	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		const char *name = signpost_verifier_key_name(verifier, i);

		if (name != NULL && must_fail(lookup, name))
			signpost_verifier_give_key(verifier, i,
			    SIGNPOST_KEY_FAILED, SIGNPOST_DNSSEC_UNKNOWN, NULL);
	}
	return lookup->zone != NULL ? find_all_in_zone(lookup, verifier)
				    : find_all_in_dns(lookup, verifier);
}
