/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost keygen - a new key, and the DNS record to publish for it. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "address.h"
#include "command.h"
#include "config_settings.h"
#include "key_pem.h"
#include "load_config.h"
#include "options.h"
#include "sign_settings.h"
#include "successor.h"

enum {
	DEFAULT_BITS = 2048
};

struct settings {
	const char *config_file;
	const char *domain, *selector;
	const char *folder;
	enum signpost_algorithm
	    algorithm; /* SIGNPOST_ALGORITHM_UNKNOWN: not given */
	unsigned bits; /* 0: not given */
	bool next;
	int64_t now;
};

static bool
take_type(const struct option_row *row, const char *command, void *settings,
    const char *argument)
{
	enum signpost_algorithm *algorithm =
	    (void *)((char *)settings + row->offset);

	if (strcmp(argument, "rsa") == 0) {
		*algorithm = SIGNPOST_RSA_SHA256;
	} else if (strcmp(argument, "ed25519") == 0) {
		*algorithm = SIGNPOST_ED25519_SHA256;
	} else {
		complain(EX_USAGE, command, "-t \"%s\": wants rsa or ed25519",
		    argument);
		return false;
	}
	return true;
}

#define AT(member) offsetof(struct settings, member)

static const struct option_row rows[] = {
	{ 'd', NULL, "DOMAIN", "the domain that the key signs for",
	    sign_take_domain, AT(domain), 0, 0 },
	{ 's', NULL, "SELECTOR", "the key's name in DNS", sign_take_domain,
	    AT(selector), 0, 0 },
	{ 0, "next", NULL, "make the successors of the keys that there are",
	    option_flag, AT(next), 0, 0 },
	{ 't', NULL, "TYPE", "rsa (default) or ed25519", take_type,
	    AT(algorithm), 0, 0 },
	{ 'b', NULL, "BITS", "size of an RSA key (2048)", option_unsigned,
	    AT(bits), 1024, 8192 },
	{ 'o', NULL, "DIR", "write DIR/DOMAIN/SELECTOR.pem (key_directory)",
	    option_string, AT(folder), 0, 0 },
	{ 0, "now", "SECONDS", "the time of --next, since 1970 UTC",
	    option_time, AT(now), 0, INT64_MAX },
	{ 'c', "config", "FILE", "the configuration", option_string,
	    AT(config_file), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "keygen",
	.synopsis = "-d DOMAIN -s SELECTOR|--next [-t rsa|ed25519] [-b BITS] "
		    "[-o DIR]\n  [-c FILE]",
	.summary = "Makes a private key, never over a file that is there, and "
		   "prints its DNS record.\n--next makes one of each kind that "
		   "the domain has, with a selector from the date.",
	.rows = rows,
	.max_operands = 0,
};

/* Run by root, the key is to be the daemon's. */
static void
find_user(const char *name, struct key_pem_place *place)
{
	const struct passwd *user;

	if (geteuid() != 0)
		return;
	user = getpwnam(name);
	if (user == NULL) {
		complain(EX_NOUSER, name,
		    "no such user; the key belongs to root, and the daemon "
		    "can't read it");
		return;
	}
	place->chown = true;
	place->uid = user->pw_uid;
	place->gid = user->pw_gid;
}

/* The folder and the user, from the configuration where the command line does
 * not say. A machine may have keys before it has a configuration. */
static int
find_place(const struct settings *settings, const struct config **config_r,
    struct key_pem_place *place)
{
	bool has_file = settings->config_file != NULL ||
	    access(LOAD_CONFIG_DEFAULT, F_OK) == 0;
	int code = 0;

	place->folder = settings->folder;
	*config_r = NULL;
	if (has_file)
		code = load_config(settings->config_file, config_r);
	if (code != 0)
		return code;
	if (place->folder == NULL)
		place->folder = *config_r != NULL
		    ? (*config_r)->key_directory
		    : setting_find("key_directory")->initial;
	find_user(*config_r != NULL ? (*config_r)->user : "signpost", place);
	return 0;
}

static int
generate(struct signpost *handle, enum signpost_algorithm algorithm,
    unsigned bits, const struct key_pem_place *place)
{
	struct signpost_private_key *key = NULL;
	enum signpost_status status =
	    signpost_private_key_generate(handle, algorithm, bits, &key);
	int code;

	if (status != SIGNPOST_OK)
		code = complain_status("keygen", status);
	else
		code = key_pem_write(key, place);
	if (code == 0)
		code =
		    key_pem_print_record(key, place->domain, place->selector);
	signpost_private_key_unref(key);
	return code;
}

/* A key that lies in the folder signs: before its record is published, unless
 * that is required. One that an entry has to name does not yet. */
static int
check_waits(const struct settings *settings, const struct config *config,
    const struct successor *successor, const char *domain)
{
	const struct config_domain *entry;

	if (settings->folder != NULL || successor->entry != NULL)
		return 0;
	entry = config != NULL
	    ? config_find_domain(config, bytes_of("", 0), domain)
	    : NULL;
	if (entry != NULL ? entry->sign.require_published
			  : config != NULL && config->sign.require_published)
		return 0;
	return complain(EX_CONFIG, "keygen",
	    "sign.require_published is not set for %s, and a key in its folder "
	    "would sign before its record is published: set it and reload "
	    "signpostd, or write the key elsewhere with -o",
	    domain);
}

static void
print_next_steps(
    const struct successor *successor, const struct key_pem_place *place)
{
	if (successor->entry != NULL)
		fprintf(stderr,
		    "signpost: %s:%u: domains.keys: name it before the others "
		    "of its kind: { selector = \"%s\"; file = "
		    "\"%s/%s/%s.pem\"; }\n",
		    successor->entry->file, successor->entry->line,
		    place->selector, place->folder, place->domain,
		    place->selector);
	fprintf(stderr,
	    "signpost: %s._domainkey.%s: publish this record now; with "
	    "sign.require_published the key signs once signpostd has seen it "
	    "(signpost status), the one before it until then\n",
	    place->selector, place->domain);
}

/* The key after the ones that SUCCESSOR has, of kind I. */
static int
generate_next(struct signpost *handle, const struct settings *settings,
    struct successor *successor, size_t i, const struct key_pem_place *place)
{
	char selector[DOMAIN_SIZE];
	struct key_pem_place next = *place;
	unsigned bits = settings->bits;
	int code;

	if (!successor_selector(successor->greatest, settings->now, selector))
		return complain(EX_USAGE, "keygen",
		    "no selector of the date comes after \"%s\": name one, "
		    "with -s",
		    successor->greatest);
	if (bits == 0)
		bits = successor->bits[i] > DEFAULT_BITS ? successor->bits[i]
							 : DEFAULT_BITS;
	next.selector = selector;
	code = generate(handle, successor_kind(i), bits, &next);
	if (code == 0)
		print_next_steps(successor, &next);
	memcpy(successor->greatest, selector, sizeof(selector));
	return code;
}

static int
generate_all_next(struct signpost *handle, const struct settings *settings,
    const struct config *config, const struct key_pem_place *place)
{
	struct successor successor;
	bool any = false;
	int code = successor_look(
	    handle, config, place->folder, place->domain, &successor);

	if (code == 0)
		code = check_waits(settings, config, &successor, place->domain);
	for (size_t i = 0; code == 0 && i < SUCCESSOR_KINDS; i++) {
		if (settings->algorithm != SIGNPOST_ALGORITHM_UNKNOWN
			? settings->algorithm != successor_kind(i)
			: successor.bits[i] == 0)
			continue;
		any = true;
		code = generate_next(handle, settings, &successor, i, place);
	}
	if (code == 0 && !any)
		code = complain(EX_NOINPUT, "keygen",
		    "%s/%s has no key yet: say which kind to make, with -t",
		    place->folder, place->domain);
	return code;
}

static int
make_keys(const struct settings *settings, const struct config *config,
    const struct key_pem_place *place)
{
	struct signpost *handle;
	enum signpost_status status = signpost_new(&handle);
	int code;

	if (status != SIGNPOST_OK)
		return complain_status("keygen", status);
	if (settings->next)
		code = generate_all_next(handle, settings, config, place);
	else
		code = generate(handle,
		    settings->algorithm != SIGNPOST_ALGORITHM_UNKNOWN
			? settings->algorithm
			: SIGNPOST_RSA_SHA256,
		    settings->bits != 0 ? settings->bits : DEFAULT_BITS, place);
	signpost_free(handle);
	return code;
}

static int
check_settings(const struct settings *settings)
{
	if (settings->domain == NULL ||
	    (settings->selector == NULL && !settings->next))
		return complain(EX_USAGE, "keygen",
		    "wants a domain, -d, and a selector, -s, or --next");
	if (settings->selector != NULL && settings->next)
		return complain(EX_USAGE, "keygen",
		    "--next makes the selector itself: leave -s out");
	if (settings->bits != 0 &&
	    settings->algorithm == SIGNPOST_ED25519_SHA256)
		return complain(EX_USAGE, "keygen",
		    "-b is for RSA; an Ed25519 key has 256 bits");
	return 0;
}

int
cmd_keygen(int argc, char **argv)
{
	struct settings settings = { .algorithm = SIGNPOST_ALGORITHM_UNKNOWN,
		.now = (int64_t)time(NULL) };
	char domain[DOMAIN_SIZE], selector[DOMAIN_SIZE];
	struct key_pem_place place = { .domain = domain, .selector = selector };
	const struct config *config;
	int code;

	if (options_read(&usage, argc, argv, &settings, &code) == 0)
		return code;
	code = check_settings(&settings);
	if (code != 0)
		return code;
	domain_to_ascii(bytes_str(settings.domain), domain);
	if (settings.selector != NULL)
		domain_to_ascii(bytes_str(settings.selector), selector);
	code = find_place(&settings, &config, &place);
	if (code == 0)
		code = make_keys(&settings, config, &place);
	config_unref(config);
	return code;
}
