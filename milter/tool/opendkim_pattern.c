/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_pattern.h"

#include "config_check.h"

/* A key while it is looked at. */
struct look {
	struct import *import;
	const struct opendkim_row *row;
	struct opendkim_senders *senders;
};

static void
add(struct look *look, const char *name)
{
	look->senders->names[look->senders->count++] = name;
}

static void
say_never(const struct look *look, const char *why)
{
	import_note(look->import, look->row->place,
	    "\"%s\" never matches in OpenDKIM, as %s, and is left out",
	    look->row->key, why);
}

static void
say_lost(const struct look *look)
{
	import_lost(look->import, look->row->place,
	    "\"%s\": there is no such pattern here, only an address, a domain, "
	    "\".domain\" for the subdomains of one, and \"*\": write an entry "
	    "of domains for each that it stands for",
	    look->row->key);
}

/* The whole of TEXT is a domain; names of the subdomains of it begin with the
 * dot before. */
static bool
is_domain(const char *text)
{
	return strchr(text, '*') == NULL && check_domain(text) == NULL;
}

/* Whose addresses end in "@" and something that matches PATTERN. */
static void
take_domain_pattern(struct look *look, const char *pattern)
{
	if (strcmp(pattern, "*") == 0) {
		add(look, "*");
	} else if (is_domain(pattern)) {
		add(look, pattern);
	} else if (strncmp(pattern, "*.", 2) == 0 && is_domain(pattern + 2)) {
		add(look, pattern + 1);
	} else if (pattern[0] == '*' && is_domain(pattern + 1)) {
		char *below =
		    arena_alloc(&look->import->arena, strlen(pattern) + 1, 1);

		if (below == NULL) {
			look->import->no_memory = true;
			return;
		}
		below[0] = '.';
		strcpy(below + 1, pattern + 1);
		add(look, pattern + 1);
		add(look, below);
		import_lost(look->import, look->row->place,
		    "\"%s\" is also for domains that merely end so, such as "
		    "bad%s; here it is for the domain and its subdomains",
		    look->row->key, pattern + 1);
	} else {
		say_lost(look);
	}
}

static void
take_pattern(struct look *look)
{
	const char *key = look->row->key;
	const char *at = strrchr(key, '@');

	if (!opendkim_pattern_is_plain(key))
		say_lost(look);
	else if (strncmp(key, "*@", 2) == 0)
		take_domain_pattern(look, key + 2);
	else if (at == NULL && key[0] == '*')
		take_domain_pattern(look, key);
	else if (at == NULL && strchr(key, '*') == NULL)
		say_never(look, "a refile is asked for a whole address");
	else if (at == key)
		say_never(look, "no address is without a user");
	else if (at == NULL || strchr(key, '*') != NULL)
		say_lost(look);
	else if (is_domain(at + 1))
		add(look, key);
	else
		say_never(look, "it is no address");
}

static void
take_literal(struct look *look)
{
	const char *key = look->row->key;
	const char *at = strrchr(key, '@');
	const char *domain = at != NULL ? at + 1 : key;

	if (strcmp(key, "*") == 0)
		add(look, key);
	else if (at != NULL && at != key &&
	    (strcmp(domain, "*") == 0 ||
		(domain[0] == '.' && is_domain(domain + 1))))
		say_lost(look);
	else if (strchr(key, '*') != NULL)
		say_never(look,
		    "\"*\" is a wildcard only in a table that is named with "
		    "\"refile:\" before its path");
	else if (is_domain(domain + (at == NULL && domain[0] == '.')) &&
	    at != key)
		add(look, key);
	else
		say_never(look, "it is neither a domain nor an address");
}

void
opendkim_senders_read(struct import *import, const struct opendkim_row *row,
    bool patterns, struct opendkim_senders *senders_r)
{
	struct look look = { import, row, senders_r };

	senders_r->count = 0;
	if (patterns)
		take_pattern(&look);
	else
		take_literal(&look);
}

void
opendkim_domains_read(struct import *import, const struct opendkim_row *row,
    bool patterns, struct opendkim_senders *senders_r)
{
	struct look look = { import, row, senders_r };

	senders_r->count = 0;
	if (strchr(row->key, '@') != NULL)
		say_never(&look, "it is no domain");
	else if (patterns && !opendkim_pattern_is_plain(row->key))
		say_lost(&look);
	else if (patterns)
		take_domain_pattern(&look, row->key);
	else if (row->key[0] == '.')
		say_never(&look, "it is no domain");
	else
		take_literal(&look);
}

const char *
opendkim_with_domain(
    struct import *import, const char *text, const char *domain)
{
	const char *whole;
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (; *text != '\0'; text++) {
		if (*text == '%')
			buf_append_str(&out, domain);
		else
			buf_append_char(&out, *text);
	}
	import->no_memory |= out.failed;
	whole = out.failed ? "" : import_keep(import, buf_bytes(&out));
	buf_fini(&out);
	return whole;
}

bool
opendkim_is_in(const char *domain, const char *name)
{
	size_t len = strlen(domain), end = strlen(name);

	return strcmp(name, "*") == 0 ||
	    (name[0] == '.' && len > end &&
		bytes_is_nocase(bytes_of(domain + len - end, end), name));
}
