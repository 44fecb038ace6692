/* SPDX-License-Identifier: BSD-2-Clause */
#include "sign_settings.h"

#include <string.h>

#include "address.h"
#include "command.h"

static void *
member(const struct option_row *row, void *settings)
{
	return (char *)settings + row->offset;
}

bool
sign_take_domain(const struct option_row *row, const char *command,
    void *settings, const char *argument)
{
	char ascii[DOMAIN_SIZE];

	if (!domain_to_ascii(bytes_str(argument), ascii)) {
		complain(EX_USAGE, command, "-%c \"%s\": is no %s", row->letter,
		    argument, row->letter == 'd' ? "domain" : "selector");
		return false;
	}
	*(const char **)member(row, settings) = argument;
	return true;
}

bool
sign_take_key(const struct option_row *row, const char *command, void *settings,
    const char *argument)
{
	struct sign_settings *sign = member(row, settings);

	if (sign->key_count == SIGN_MAX_KEYS) {
		complain(EX_USAGE, command, "-k \"%s\": at most %d keys",
		    argument, SIGN_MAX_KEYS);
		return false;
	}
	sign->keys[sign->key_count++] =
	    (struct sign_key){ sign->domain, sign->selector, argument };
	return true;
}

static bool
read_canon(struct bytes word, enum signpost_canon *canon_r)
{
	*canon_r = bytes_is_nocase(word, "relaxed") ? SIGNPOST_RELAXED
						    : SIGNPOST_SIMPLE;
	return *canon_r == SIGNPOST_RELAXED || bytes_is_nocase(word, "simple");
}

bool
sign_take_canon(const struct option_row *row, const char *command,
    void *settings, const char *argument)
{
	struct sign_settings *sign = member(row, settings);
	struct bytes body = bytes_str(argument), header;

	bytes_next(&body, '/', &header);
	sign->canon_given = true;
	/* RFC 6376 section 3.5: without a second word the body is simple. */
	if (body.data == NULL)
		body = bytes_str("simple");
	if (read_canon(header, &sign->header_canon) &&
	    read_canon(body, &sign->body_canon))
		return true;
	complain(EX_USAGE, command,
	    "--canon \"%s\": wants relaxed or simple for the header, a slash, "
	    "and one for the body",
	    argument);
	return false;
}

bool
sign_take_expire(const struct option_row *row, const char *command,
    void *settings, const char *argument)
{
	struct sign_settings *sign = member(row, settings);
	struct option_row time = *row;

	time.offset += offsetof(struct sign_settings, expire_s);
	sign->expire_given = true;
	return option_duration(&time, command, settings, argument);
}

/* RFC 5322 section 3.6.8; a semicolon would end h=. */
static bool
is_field_name(const char *name)
{
	for (const char *c = name; *c != '\0'; c++)
		if (*c <= ' ' || *c >= 0x7f || *c == ':' || *c == ';')
			return false;
	return name[0] != '\0';
}

bool
sign_take_names(const struct option_row *row, const char *command,
    void *settings, const char *argument)
{
	struct sign_names *names = member(row, settings);
	/* getopt hands out the strings of argv, which are ours to change. */
	char *rest = (char *)(uintptr_t)argument, *name;
	size_t count = 0;

	names->given = true;
	while (rest[0] != '\0' && (name = strsep(&rest, ":")) != NULL) {
		if (!is_field_name(name)) {
			complain(EX_USAGE, command,
			    "--%s: \"%s\" is no name of a header field",
			    row->name, name);
			return false;
		}
		if (count == SIGN_MAX_NAMES) {
			complain(EX_USAGE, command, "--%s: at most %d names",
			    row->name, SIGN_MAX_NAMES);
			return false;
		}
		names->items[count++] = name;
		if (rest == NULL)
			break;
	}
	names->items[count] = NULL;
	return true;
}

/* A -k that stands before any -d or -s takes the ones that come later. */
bool
sign_settings_finish(struct sign_settings *settings)
{
	if (settings->key_count == 0 &&
	    (settings->domain != NULL || settings->selector != NULL)) {
		complain(EX_USAGE, "sign",
		    "-d and -s want a key, -k KEY.pem; without all three the "
		    "configuration decides");
		return false;
	}
	for (size_t i = 0; i < settings->key_count; i++) {
		struct sign_key *key = &settings->keys[i];

		if (key->domain == NULL)
			key->domain = settings->domain;
		if (key->selector == NULL)
			key->selector = settings->selector;
		if (key->domain == NULL || key->selector == NULL) {
			complain(EX_USAGE, "sign",
			    "-k \"%s\" wants a domain, -d, and a selector, -s",
			    key->file);
			return false;
		}
	}
	return true;
}
