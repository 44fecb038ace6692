/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost dns - the records that publish keys, as a zone file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "command.h"
#include "key_pem.h"
#include "keystore.h"
#include "load_config.h"
#include "options.h"
#include "sign_settings.h"

struct settings {
	const char *config_file;
	const char *domain, *selector; /* NULL: any */
	const char *key_file;	       /* NULL: those of the configuration */
};

#define AT(member) offsetof(struct settings, member)

static const struct option_row rows[] = {
	{ 'k', NULL, "KEY.pem", "the record of this key", option_string,
	    AT(key_file), 0, 0 },
	{ 'd', NULL, "DOMAIN", "its domain, or only keys of this domain",
	    sign_take_domain, AT(domain), 0, 0 },
	{ 's', NULL, "SELECTOR", "its selector, or only keys of this selector",
	    sign_take_domain, AT(selector), 0, 0 },
	{ 'c', "config", "FILE", "the configuration", option_string,
	    AT(config_file), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "dns",
	.synopsis = "[-d DOMAIN] [-s SELECTOR] [-k KEY.pem] [-c FILE]",
	.summary = "Prints the DNS record of a key file, or of all keys in the "
		   "configuration, as lines\nof a zone file.",
	.rows = rows,
	.max_operands = 0,
};

/* A key of the configuration; one copy holds all three. */
struct entry {
	char *domain, *selector, *file;
};

/* All keys, those left out that the command line does not ask for. */
struct listing {
	const char *domain, *selector; /* as ASCII; NULL: any */
	struct entry *entries;
	size_t count, room;
	bool failed; /* out of memory */
};

static int
print_key(struct signpost *handle, const char *domain, const char *selector,
    const char *file)
{
	struct signpost_private_key *key;
	int code = key_pem_read(handle, file, &key);

	if (code == 0)
		code = key_pem_print_record(key, domain, selector);
	signpost_private_key_unref(key);
	return code;
}

static bool
grow(struct listing *listing)
{
	size_t room = listing->room == 0 ? 16 : 2 * listing->room;
	struct entry *entries;

	if (listing->count < listing->room)
		return true;
	entries = reallocarray(listing->entries, room, sizeof(*entries));
	if (entries == NULL)
		return false;
	listing->entries = entries;
	listing->room = room;
	return true;
}

static void
visit(void *ctx, const char *domain, const char *selector, const char *file)
{
	struct listing *listing = ctx;
	const char *at = strrchr(domain, '@');
	struct entry entry;

	/* Of "user@example.com", the domain has the record. */
	if (at != NULL)
		domain = at + 1;
	if (listing->domain != NULL && strcmp(domain, listing->domain) != 0)
		return;
	if (listing->selector != NULL &&
	    strcmp(selector, listing->selector) != 0)
		return;
	entry.domain = strdup(domain);
	entry.selector = strdup(selector);
	entry.file = strdup(file);
	if (entry.domain != NULL && entry.selector != NULL &&
	    entry.file != NULL && grow(listing)) {
		listing->entries[listing->count++] = entry;
		return;
	}
	listing->failed = true;
	free(entry.domain);
	free(entry.selector);
	free(entry.file);
}

static void
listing_fini(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		free(listing->entries[i].domain);
		free(listing->entries[i].selector);
		free(listing->entries[i].file);
	}
	free(listing->entries);
}

static int
compare(const void *a_entry, const void *b_entry)
{
	const struct entry *a = a_entry, *b = b_entry;
	int order = strcmp(a->domain, b->domain);

	if (order == 0)
		order = strcmp(a->selector, b->selector);
	return order != 0 ? order : strcmp(a->file, b->file);
}

static int
print_entry(struct signpost *handle, const struct entry *entry)
{
	const char *domain = entry->domain;

	/* "*" and ".example.com" stand for domains that we can't name. */
	if (domain[0] == '.' || domain[0] == '*') {
		printf("; in each zone that \"%s\" stands for:\n", domain);
		domain = NULL;
	}
	return print_key(handle, domain, entry->selector, entry->file);
}

/* Each once, although a key may stand in the configuration and in
 * key_directory, too. A key that fails does not keep the others back. */
static int
print_listing(struct signpost *handle, struct listing *listing)
{
	int code = 0;

	if (listing->failed)
		return complain_status("keys", SIGNPOST_NOMEM);
	if (listing->count > 0)
		qsort(listing->entries, listing->count, sizeof(struct entry),
		    compare);
	for (size_t i = 0; i < listing->count; i++) {
		const struct entry *entry = &listing->entries[i];
		int failed;

		if (i > 0 && compare(entry, entry - 1) == 0)
			continue;
		failed = print_entry(handle, entry);
		if (code == 0)
			code = failed;
	}
	return code;
}

static int
print_all(
    struct signpost *handle, struct listing *listing, const char *config_file)
{
	struct config_problems problems = { 0 };
	struct keystore *keystore;
	const struct config *config;
	int code = load_config(config_file, &config);

	if (code != 0)
		return code;
	keystore = keystore_new(handle, config, KEYSTORE_CHECK_NONE, &problems);
	load_config_complain(&problems);
	config_problems_fini(&problems);
	if (keystore == NULL) {
		code = complain_status("keys", SIGNPOST_NOMEM);
	} else {
		keystore_each(keystore, visit, listing);
		code = print_listing(handle, listing);
	}
	if (code == 0 && listing->count == 0)
		code = complain(EX_NOINPUT, config->file,
		    "has no such key; \"signpost keygen\" makes one");
	keystore_unref(keystore);
	config_unref(config);
	return code;
}

int
cmd_dns(int argc, char **argv)
{
	struct settings settings = { 0 };
	struct listing listing = { 0 };
	char domain[DOMAIN_SIZE], selector[DOMAIN_SIZE];
	struct signpost *handle;
	enum signpost_status status;
	int operands, code;

	switch (options_read(&usage, argc, argv, &settings, &operands)) {
	case OPTIONS_OK:
		break;
	case OPTIONS_ANSWERED:
		return EX_OK;
	case OPTIONS_BAD:
		return EX_USAGE;
	}
	if (settings.key_file != NULL && settings.selector == NULL)
		return complain(
		    EX_USAGE, "dns", "-k wants a selector, -s, too");
	if (settings.domain != NULL &&
	    domain_to_ascii(bytes_str(settings.domain), domain))
		listing.domain = domain;
	if (settings.selector != NULL &&
	    domain_to_ascii(bytes_str(settings.selector), selector))
		listing.selector = selector;
	status = signpost_new(&handle);
	if (status != SIGNPOST_OK)
		return complain_status("dns", status);
	if (settings.key_file != NULL)
		code = print_key(handle, listing.domain, listing.selector,
		    settings.key_file);
	else
		code = print_all(handle, &listing, settings.config_file);
	listing_fini(&listing);
	signpost_free(handle);
	return code;
}
