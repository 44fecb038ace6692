/* SPDX-License-Identifier: BSD-2-Clause */
#include "checker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "key_records.h"
#include "keyfile.h"
#include "monotonic.h"
#include "publication_file.h"
#include "required_keys.h"

enum {
	IDLE_MS = 3600 * 1000,
	/* A walk, or the writing of the file, that takes long is not to be done
	 * all the time: it rests for so many times as long as it took. */
	REST = 20,
	MIN_REST_MS = 1000,
	/* Lines about keys in the log. */
	MAX_LINES = 50,
	LINES_MS = 60000
};

struct checker {
	struct daemon *daemon;
	const struct config *config; /* of the last round, referenced */
	struct resolver *resolver;   /* by CONFIG's settings; or NULL */
	uint64_t former_cpu_ns;	     /* of resolvers before it */
	struct keyfile_user user;
	uint64_t next_walk_ms, next_write_ms;
	uint64_t next_batch_ms; /* by the rate */
	bool changed;		/* since the file was written */
	bool told_file;		/* that it can't be written */
	bool walked;
	unsigned lines, dropped_lines; /* since LINES_BEGIN_MS */
	uint64_t lines_begin_ms;
};

static uint64_t
now_ms(void)
{
	return monotonic_ns() / 1000000;
}

static uint64_t
min_ms(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
max_ms(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * The log.
 */
static bool
may_log(struct checker *checker)
{
	uint64_t now = now_ms();

	if (now - checker->lines_begin_ms > LINES_MS) {
		checker->lines_begin_ms = now;
		checker->lines = 0;
	}
	if (checker->lines >= MAX_LINES) {
		checker->dropped_lines++;
		return false;
	}
	checker->lines++;
	return true;
}

static void
log_dropped(struct checker *checker)
{
	if (checker->dropped_lines == 0 ||
	    now_ms() - checker->lines_begin_ms <= LINES_MS)
		return;
	log_line(checker->daemon->log, LOG_NOTICE,
	    "and %u lines more about keys; \"signpost status\" shows where "
	    "each stands",
	    checker->dropped_lines);
	checker->dropped_lines = 0;
}

static void
log_change(struct checker *checker, const struct publication_entry *entry)
{
	enum standing_state state = entry->standing.state;
	struct log *log = checker->daemon->log;
	char name[600], hint[700] = "";
	int level = state == STANDING_PUBLISHED || state == STANDING_WAITING
	    ? LOG_NOTICE
	    : LOG_WARNING;

	if (!may_log(checker))
		return;
	publication_name(entry->domain, entry->selector, name, sizeof name);
	if (state == STANDING_PUBLISHED)
		snprintf(hint, sizeof hint, "; it can sign from now on");
	else if (state == STANDING_WAITING)
		snprintf(hint, sizeof hint,
		    "; publish what \"signpost dns -d %s -s %s\" prints",
		    entry->domain, entry->selector);
	else
		snprintf(hint, sizeof hint, "; it does not sign%s",
		    publication_is_left(
			checker->daemon->publication, entry->domain)
			? ""
			: ", and no other key of the domain is published: "
			  "sign.on_no_usable_key counts");
	log_line(log, level, "%s: %s: %s%s", entry->file, name,
	    standing_text(state), hint);
}

static void
log_failure(struct checker *checker, const struct publication_entry *entry)
{
	char name[600];

	if (!may_log(checker))
		return;
	publication_name(entry->domain, entry->selector, name, sizeof name);
	log_line(checker->daemon->log, LOG_WARNING,
	    "%s: %s: the look-up fails for now; %s", entry->file, name,
	    entry->standing.state == STANDING_PUBLISHED
		? "the key goes on signing"
		: "the key does not sign until its record is seen");
}

/*
 * Look-ups.
 */

/* Reads the key of ENTRY; its print is "" where that can't be. */
static struct signpost_private_key *
read_key(struct checker *checker, const struct publication_entry *entry,
    char print_r[KEY_PRINT_SIZE])
{
	struct signpost *handle = checker->daemon->handle;
	struct signpost_private_key *key = NULL;
	struct keyfile_stamp stamp;
	char why[KEYFILE_WHY_BYTES];
	struct buf text;

	print_r[0] = '\0';
	buf_init(&text, KEYFILE_MAX_BYTES);
	if (keyfile_read(entry->file, &checker->user, &text, &stamp, why) !=
		SIGNPOST_OK ||
	    signpost_private_key_read(handle, text.data, text.len, &key) !=
		SIGNPOST_OK)
		key = NULL;
	buf_cleanse(&text);
	if (key == NULL || key_print(handle, key, print_r) == SIGNPOST_OK)
		return key;
	signpost_private_key_unref(key);
	print_r[0] = '\0';
	return NULL;
}

static enum standing_check
compare(const struct key_answer *answer, const struct signpost_private_key *key)
{
	if (answer->answer == RESOLVER_NO_NAME)
		return CHECK_NO_RECORD;
	if (answer->answer != RESOLVER_FOUND || answer->value == NULL)
		return CHECK_FAILED;
	switch (signpost_key_set_publishes(answer->value, key)) {
	case SIGNPOST_REASON_NONE:
		return CHECK_MATCHES;
	case SIGNPOST_REASON_KEY_REVOKED:
		return CHECK_REVOKED;
	default:
		return CHECK_DIFFERS;
	}
}

static void
take_answer(struct checker *checker, struct publication_entry *entry,
    const struct key_answer *answer)
{
	struct publication *publication = checker->daemon->publication;
	const struct config *config = checker->config;
	bool failed = entry->checked && entry->last == CHECK_FAILED;
	char print[KEY_PRINT_SIZE];
	struct signpost_private_key *key = read_key(checker, entry, print);
	enum standing_check check =
	    key == NULL ? CHECK_NO_KEY : compare(answer, key);
	bool first = entry->standing.repeats == 0;

	signpost_private_key_unref(key);
	stats_published_check(checker->daemon->stats, check);
	if (publication_tell(publication, entry, check, print)) {
		log_change(checker, entry);
		checker->changed = true;
	} else if (check == CHECK_FAILED && !failed && first) {
		log_failure(checker, entry);
	}
	publication_set_due(publication, entry,
	    standing_delay_ms(&entry->standing,
		(uint64_t)config->published.interval_ms,
		(uint64_t)config->published.retry_ms, (uint32_t)random()));
}

/* Looks up the records of ENTRIES, in a cache that holds nothing yet. */
static void
check(struct checker *checker, struct publication_entry **entries, size_t count)
{
	const struct key_answer none = { .answer = RESOLVER_FAILED };
	struct key_cache *cache = key_records_cache_new(
	    checker->daemon->handle, checker->resolver, NULL);
	struct key_lookups *lookups =
	    cache != NULL ? key_lookups_new(cache, count) : NULL;
	struct timespec deadline;
	struct key_answer answer;
	char name[600];

	for (size_t i = 0; i < count && lookups != NULL; i++) {
		publication_name(entries[i]->domain, entries[i]->selector, name,
		    sizeof name);
		key_lookups_start(lookups, i, name);
	}
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += (time_t)(checker->config->dns.timeout_ms / 1000 + 1);
	if (lookups != NULL)
		key_lookups_wait(lookups, &deadline);
	for (size_t i = 0; i < count; i++) {
		answer = lookups != NULL ? key_lookups_get(lookups, i) : none;
		take_answer(checker, entries[i], &answer);
	}
	key_lookups_free(lookups);
	key_cache_unref(cache);
}

/* Looks up what is due, if the rate allows; returns when there is more. */
static uint64_t
check_due(struct checker *checker)
{
	struct publication_entry *entries[CHECKER_AT_ONCE];
	unsigned rate = checker->config->published.max_rate;
	uint64_t begin = now_ms(), next_ms;
	size_t count;

	if (checker->resolver == NULL)
		return IDLE_MS + begin;
	if (begin < checker->next_batch_ms)
		return checker->next_batch_ms;
	count = publication_take_due(checker->daemon->publication, entries,
	    min_ms(rate, CHECKER_AT_ONCE), &next_ms);
	if (count > 0)
		check(checker, entries, count);
	checker->next_batch_ms = begin + count * 1000 / rate;
	/* What was looked up is due again, too. */
	return count > 0 ? checker->next_batch_ms : next_ms;
}

/*
 * Walks, configuration, file.
 */
static void
note(void *ctx, const char *domain, const char *selector, const char *file)
{
	const struct publication_key key = { domain, selector, file, "" };

	publication_note(ctx, &key);
}

static void
log_first_walk(struct checker *checker)
{
	uint64_t counts[STANDING_STATES], all = 0;

	publication_counts(checker->daemon->publication, counts);
	for (size_t i = 0; i < STANDING_STATES; i++)
		all += counts[i];
	log_line(checker->daemon->log, LOG_NOTICE,
	    "sign.require_published: %" PRIu64 " keys, of which %" PRIu64
	    " were published when last seen; the others sign once their "
	    "record is seen",
	    all, counts[STANDING_PUBLISHED]);
}

static void
walk(struct checker *checker)
{
	struct publication *publication = checker->daemon->publication;
	uint64_t begin = now_ms(), end;

	if (!required_keys_any(checker->config)) {
		publication_clear(publication);
		checker->next_walk_ms = begin + IDLE_MS;
		return;
	}
	publication_begin_walk(publication);
	/* What could not all be found is no reason to forget any. */
	if (required_keys_each(checker->config, note, publication))
		publication_end_walk(publication);
	end = now_ms();
	checker->next_walk_ms = end +
	    max_ms((uint64_t)checker->config->key_store.ttl_s * 1000,
		(end - begin) * REST);
	if (!checker->walked)
		log_first_walk(checker);
	checker->walked = true;
}

static void
open_resolver(struct checker *checker)
{
	const struct config *config = checker->config;
	char error[256] = "";

	if (checker->resolver != NULL)
		checker->former_cpu_ns += resolver_cpu_ns(checker->resolver);
	resolver_unref(checker->resolver);
	checker->resolver = NULL;
	if (!required_keys_any(config))
		return;
	if (!resolver_new(
		&(struct resolver_settings){
		    .servers = config->dns.servers.items,
		    .trust_anchor = config->dns.trust_anchor,
		    .dnssec = config->dns.dnssec,
		    .no_cache = true,
		    .timeout_ms = (unsigned)config->dns.timeout_ms,
		    .max_pending = CHECKER_AT_ONCE },
		&checker->resolver, error, sizeof error)) {
		checker->resolver = NULL;
		log_line(checker->daemon->log, LOG_ERR,
		    "keys' records can't be looked up: dns: %s", error);
	}
}

/* Takes a configuration that is another one than last time. */
static void
take_config(struct checker *checker)
{
	struct snapshot *snapshot = daemon_snapshot(checker->daemon);

	if (snapshot->config != checker->config) {
		config_unref(checker->config);
		checker->config = config_ref(snapshot->config);
		keyfile_find_user(checker->config, &checker->user);
		open_resolver(checker);
		checker->next_walk_ms = 0;
		checker->told_file = false;
		publication_hurry(checker->daemon->publication);
	}
	snapshot_unref(snapshot);
}

static void
write_file(struct checker *checker)
{
	const char *file = checker->config->published.file;
	uint64_t begin = now_ms(), end;

	if (!checker->changed || begin < checker->next_write_ms ||
	    file[0] == '\0')
		return;
	if (publication_file_write(file, checker->daemon->publication)) {
		checker->changed = false;
	} else if (!checker->told_file) {
		checker->told_file = true;
		log_line(checker->daemon->log, LOG_WARNING,
		    "published.file: %s: %s: a restart will forget which keys "
		    "are published; make its folder, and %s its owner, or name "
		    "another",
		    file, strerror(errno), checker->config->user);
	}
	end = now_ms();
	checker->next_write_ms =
	    end + max_ms(MIN_REST_MS, (end - begin) * REST);
}

static void
tell_cpu(struct checker *checker)
{
	uint64_t cpu_ns = stats_thread_cpu_ns() + checker->former_cpu_ns;

	if (checker->resolver != NULL)
		cpu_ns += resolver_cpu_ns(checker->resolver);
	publication_set_cpu_ns(checker->daemon->publication, cpu_ns);
}

static void *
run(void *arg)
{
	struct checker *checker = arg;
	uint64_t next_ms;

	for (;;) {
		take_config(checker);
		if (now_ms() >= checker->next_walk_ms)
			walk(checker);
		next_ms = min_ms(check_due(checker), checker->next_walk_ms);
		write_file(checker);
		log_dropped(checker);
		tell_cpu(checker);
		if (checker->changed || checker->dropped_lines > 0)
			next_ms = min_ms(next_ms, now_ms() + MIN_REST_MS);
		publication_wait(checker->daemon->publication, next_ms);
	}
	return NULL;
}

static void
read_file(struct checker *checker)
{
	struct snapshot *snapshot = daemon_snapshot(checker->daemon);
	const char *file = snapshot->config->published.file;

	if (required_keys_any(snapshot->config) && file[0] != '\0' &&
	    !publication_file_read(file, checker->daemon->publication))
		log_line(checker->daemon->log, LOG_WARNING,
		    "published.file: %s: %s: no key counts as published before "
		    "its record is seen",
		    file, strerror(errno));
	snapshot_unref(snapshot);
}

bool
checker_start(struct daemon *daemon)
{
	struct checker *checker = calloc(1, sizeof *checker);
	sigset_t all, old;
	pthread_t thread;
	int error;

	if (checker == NULL)
		return false;
	checker->daemon = daemon;
	read_file(checker);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, run, checker);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error != 0) {
		free(checker);
		return false;
	}
	pthread_setname_np(thread, "signpost-check");
	return pthread_detach(thread) == 0;
}
