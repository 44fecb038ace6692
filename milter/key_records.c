/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_records.h"

static const enum signpost_key_answer answers[] = {
	[RESOLVER_FOUND] = SIGNPOST_KEY_FOUND,
	[RESOLVER_NO_NAME] = SIGNPOST_KEY_NO_NAME,
	[RESOLVER_TIMEOUT] = SIGNPOST_KEY_TIMEOUT,
	[RESOLVER_FAILED] = SIGNPOST_KEY_FAILED,
	[RESOLVER_BOGUS] = SIGNPOST_KEY_BOGUS,
};

static const enum signpost_dnssec securities[] = {
	[RESOLVER_UNKNOWN] = SIGNPOST_DNSSEC_UNKNOWN,
	[RESOLVER_INSECURE] = SIGNPOST_DNSSEC_INSECURE,
	[RESOLVER_SECURE] = SIGNPOST_DNSSEC_SECURE,
	[RESOLVER_IS_BOGUS] = SIGNPOST_DNSSEC_BOGUS,
};

static void *
parse(void *ctx, const struct bytes *records, size_t count, size_t *bytes_r)
{
	struct signpost_text texts[SIGNPOST_MAX_KEY_RECORDS];
	struct signpost_key_set *keys;

	if (count > SIGNPOST_MAX_KEY_RECORDS)
		count = SIGNPOST_MAX_KEY_RECORDS;
	for (size_t i = 0; i < count; i++)
		texts[i] =
		    (struct signpost_text){ records[i].data, records[i].len };
	if (signpost_key_set_parse(ctx, texts, count, &keys) != SIGNPOST_OK)
		return NULL;
	*bytes_r = signpost_key_set_bytes(keys);
	return keys;
}

static void
ref(void *keys)
{
	signpost_key_set_ref(keys);
}

static void
unref(void *keys)
{
	signpost_key_set_unref(keys);
}

static void
count(void *stats, enum resolver_answer answer, uint64_t elapsed_ns)
{
	stats_dns(stats, (int)answer, elapsed_ns);
}

struct key_cache *
key_records_cache_new(
    struct signpost *handle, struct resolver *resolver, struct stats *stats)
{
	/* A TTL is honoured within these bounds; a failure is kept just long
	 * enough for the signatures and retries of one moment not to ask
	 * again. */
	const struct key_cache_settings settings = {
		.max_entries = 20000,
		.max_bytes = (size_t)64 << 20,
		.min_ttl_s = 5,
		.max_ttl_s = 86400,
		.negative_ttl_s = 300,
		.failure_ttl_s = 5,
		.parse = parse,
		.ref = ref,
		.unref = unref,
		.ctx = handle,
		.answered = stats != NULL ? count : NULL,
		.answered_ctx = stats,
	};

	return key_cache_new(&settings, resolver);
}

struct key_lookups *
key_records_start(struct key_cache *cache,
    const struct signpost_verifier *verifier, struct bytes asker)
{
	size_t wanted = signpost_verifier_count(verifier);
	struct key_lookups *lookups;

	/* What is beyond the cap on signatures wants no key. */
	while (wanted > 0 &&
	    signpost_verifier_key_name(verifier, wanted - 1) == NULL)
		wanted--;
	lookups = key_lookups_new(cache, wanted);
	if (lookups != NULL)
		key_lookups_set_asker(lookups, asker);
	for (size_t i = 0; i < wanted && lookups != NULL; i++) {
		const char *name = signpost_verifier_key_name(verifier, i);

		if (name != NULL)
			key_lookups_start(lookups, i, name);
	}
	return lookups;
}

void
key_records_give(
    const struct key_lookups *lookups, struct signpost_verifier *verifier)
{
	for (size_t i = 0; i < signpost_verifier_count(verifier); i++) {
		struct key_answer found;
		enum signpost_key_answer answer;

		if (signpost_verifier_key_name(verifier, i) == NULL)
			continue;
		found = key_lookups_get(lookups, i);
		answer = answers[found.answer];
		/* Records that memory did not suffice to parse. */
		if (answer == SIGNPOST_KEY_FOUND && found.value == NULL)
			answer = SIGNPOST_KEY_FAILED;
		signpost_verifier_give_key(verifier, i, answer,
		    securities[found.security], found.value);
	}
}
