/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost dns - the records that publish keys, as a zone file. */
#include <stdio.h>

#include "address.h"
#include "command.h"
#include "key_list.h"
#include "key_pem.h"
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

static int
print_entry(struct signpost *handle, const struct key_list_item *entry)
{
	const char *domain = entry->domain;

	/* "*" and ".example.com" stand for domains that we can't name. */
	if (key_list_is_any(domain)) {
		printf("; in each zone that \"%s\" stands for:\n", domain);
		domain = NULL;
	}
	return print_key(handle, domain, entry->selector, entry->file);
}

/* A key that fails does not keep the others back. */
static int
print_list(struct signpost *handle, const struct key_list *list)
{
	int code = 0;

	for (size_t i = 0; i < list->count; i++) {
		int failed = print_entry(handle, &list->items[i]);

		if (code == 0)
			code = failed;
	}
	return code;
}

static int
print_all(
    struct signpost *handle, struct key_list *list, const char *config_file)
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
	if (keystore == NULL || !key_list_fill(list, keystore))
		code = complain_status("keys", SIGNPOST_NOMEM);
	else
		code = print_list(handle, list);
	if (code == 0 && list->count == 0)
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
	struct key_list list = { 0 };
	char domain[DOMAIN_SIZE], selector[DOMAIN_SIZE];
	struct signpost *handle;
	enum signpost_status status;
	int code;

	if (options_read(&usage, argc, argv, &settings, &code) == 0)
		return code;
	if (settings.key_file != NULL && settings.selector == NULL)
		return complain(
		    EX_USAGE, "dns", "-k wants a selector, -s, too");
	if (settings.domain != NULL &&
	    domain_to_ascii(bytes_str(settings.domain), domain))
		list.domain = domain;
	if (settings.selector != NULL &&
	    domain_to_ascii(bytes_str(settings.selector), selector))
		list.selector = selector;
	status = signpost_new(&handle);
	if (status != SIGNPOST_OK)
		return complain_status("dns", status);
	if (settings.key_file != NULL)
		code = print_key(
		    handle, list.domain, list.selector, settings.key_file);
	else
		code = print_all(handle, &list, settings.config_file);
	key_list_fini(&list);
	signpost_free(handle);
	return code;
}
