/* SPDX-License-Identifier: BSD-2-Clause */
#include "successor.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "key_pem.h"
#include "keydir.h"

enum signpost_algorithm
successor_kind(size_t i)
{
	static const enum signpost_algorithm kinds[SUCCESSOR_KINDS] = {
		SIGNPOST_RSA_SHA256,
		SIGNPOST_ED25519_SHA256,
	};

	return kinds[i];
}

/* The first key of a kind is the one that signs, or will. */
static int
add_key(struct signpost *handle, const char *selector, const char *file,
    struct successor *successor)
{
	struct signpost_private_key *key;
	int code = key_pem_read(handle, file, &key);

	if (code != 0)
		return code;
	for (size_t i = 0; i < SUCCESSOR_KINDS; i++)
		if (successor->bits[i] == 0 &&
		    signpost_private_key_algorithm(key) == successor_kind(i))
			successor->bits[i] = signpost_private_key_bits(key);
	if (keydir_compare(selector, successor->greatest) > 0)
		snprintf(successor->greatest, sizeof(successor->greatest), "%s",
		    selector);
	signpost_private_key_unref(key);
	return 0;
}

static int
add_folder(struct signpost *handle, const char *folder, const char *domain,
    struct successor *successor)
{
	const struct keydir_item *item;
	struct keydir_list top, list = { .count = 0 };
	struct arena arena;
	int code = 0;

	arena_init(&arena);
	if (!keydir_domains(folder, &arena, &top))
		code = complain_status(folder, SIGNPOST_NOMEM);
	item = code == 0 ? keydir_find(&top, domain) : NULL;
	if (item != NULL && !keydir_selectors(item->path, &arena, &list))
		code = complain_status(item->path, SIGNPOST_NOMEM);
	if (code == 0 && top.why != NULL)
		code = complain(EX_NOPERM, "keygen", "%s", top.why);
	if (code == 0 && list.why != NULL)
		code = complain(EX_NOPERM, "keygen", "%s", list.why);
	for (size_t i = 0; code == 0 && i < list.count; i++)
		code = add_key(
		    handle, list.items[i].name, list.items[i].path, successor);
	arena_fini(&arena);
	return code;
}

int
successor_look(struct signpost *handle, const struct config *config,
    const char *folder, const char *domain, struct successor *successor_r)
{
	const struct config_domain *entry = config != NULL
	    ? config_find_domain(config, bytes_of("", 0), domain)
	    : NULL;
	int code = 0;

	*successor_r = (struct successor){ .entry = NULL };
	if (entry != NULL && !entry->key_directory)
		successor_r->entry = entry;
	for (size_t i = 0;
	     code == 0 && successor_r->entry != NULL && i < entry->key_count;
	     i++)
		code = add_key(handle, entry->keys[i].selector,
		    entry->keys[i].file, successor_r);
	if (code == 0)
		code = add_folder(handle, folder, domain, successor_r);
	return code;
}

/* BASE, with a letter behind it where it takes one to be greater. */
static bool
try_base(const char *base, const char *greatest, char selector_r[DOMAIN_SIZE])
{
	char text[2 * DOMAIN_SIZE];

	for (char letter = '`'; letter <= 'z'; letter++) {
		snprintf(text, sizeof(text), "%s%.1s", base,
		    letter >= 'a' ? &letter : "");
		if (keydir_compare(text, greatest) > 0)
			return domain_to_ascii(bytes_str(text), selector_r);
	}
	return false;
}

/* The day alone is greater than what begins with a smaller number, such as
 * "2026a"; behind the words of a selector such as "s12" or "mail" it is greater
 * than that. */
bool
successor_selector(
    const char *greatest, int64_t now, char selector_r[DOMAIN_SIZE])
{
	time_t seconds = (time_t)now;
	char day[16], base[DOMAIN_SIZE + sizeof(day)];
	size_t words = strlen(greatest);
	struct tm tm;

	if (gmtime_r(&seconds, &tm) == NULL ||
	    strftime(day, sizeof(day), "%Y%m%d", &tm) == 0)
		return false;
	if (try_base(day, greatest, selector_r))
		return true;
	while (words > 0 && strchr("0123456789", greatest[words - 1]) != NULL)
		words--;
	snprintf(base, sizeof(base), "%.*s%s", (int)words, greatest, day);
	return try_base(base, greatest, selector_r) ||
	    try_base(greatest, greatest, selector_r);
}
