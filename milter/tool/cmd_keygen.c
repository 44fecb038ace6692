/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost keygen - a new key, and the DNS record to publish for it. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "command.h"
#include "key_pem.h"
#include "load_config.h"
#include "options.h"
#include "sign_settings.h"

enum {
	DEFAULT_BITS = 2048
};

struct settings {
	const char *config_file;
	const char *domain, *selector;
	const char *folder;
	enum signpost_algorithm algorithm;
	unsigned bits; /* 0: not given */
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
	{ 't', NULL, "TYPE", "rsa (default) or ed25519", take_type,
	    AT(algorithm), 0, 0 },
	{ 'b', NULL, "BITS", "size of an RSA key (2048)", option_unsigned,
	    AT(bits), 1024, 8192 },
	{ 'o', NULL, "DIR", "write DIR/DOMAIN/SELECTOR.pem (key_directory)",
	    option_string, AT(folder), 0, 0 },
	{ 'c', "config", "FILE", "the configuration", option_string,
	    AT(config_file), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "keygen",
	.synopsis = "-d DOMAIN -s SELECTOR [-t rsa|ed25519] [-b BITS] [-o DIR]",
	.summary = "Makes a private key, never over a file that is there, and "
		   "prints its DNS record.",
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
		place->folder = *config_r != NULL ? (*config_r)->key_directory
						  : SYSCONFDIR "/signpost/keys";
	find_user(*config_r != NULL ? (*config_r)->user : "signpost", place);
	return 0;
}

static int
generate(const struct settings *settings, const struct key_pem_place *place)
{
	struct signpost_private_key *key = NULL;
	struct signpost *handle;
	unsigned bits = settings->bits != 0 ? settings->bits : DEFAULT_BITS;
	enum signpost_status status = signpost_new(&handle);
	int code;

	if (status != SIGNPOST_OK)
		return complain_status("keygen", status);
	status = signpost_private_key_generate(
	    handle, settings->algorithm, bits, &key);
	if (status != SIGNPOST_OK)
		code = complain_status("keygen", status);
	else
		code = key_pem_write(key, place);
	if (code == 0)
		code =
		    key_pem_print_record(key, place->domain, place->selector);
	signpost_private_key_unref(key);
	signpost_free(handle);
	return code;
}

int
cmd_keygen(int argc, char **argv)
{
	struct settings settings = { .algorithm = SIGNPOST_RSA_SHA256 };
	char domain[DOMAIN_SIZE], selector[DOMAIN_SIZE];
	struct key_pem_place place = { .domain = domain, .selector = selector };
	const struct config *config;
	int operands, code;

	switch (options_read(&usage, argc, argv, &settings, &operands)) {
	case OPTIONS_OK:
		break;
	case OPTIONS_ANSWERED:
		return EX_OK;
	case OPTIONS_BAD:
		return EX_USAGE;
	}
	if (settings.domain == NULL || settings.selector == NULL)
		return complain(EX_USAGE, "keygen",
		    "wants a domain, -d, and a selector, -s");
	if (settings.bits != 0 && settings.algorithm != SIGNPOST_RSA_SHA256)
		return complain(EX_USAGE, "keygen",
		    "-b is for RSA; an Ed25519 key has 256 bits");
	domain_to_ascii(bytes_str(settings.domain), domain);
	domain_to_ascii(bytes_str(settings.selector), selector);
	code = find_place(&settings, &config, &place);
	if (code == 0)
		code = generate(&settings, &place);
	config_unref(config);
	return code;
}
