/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_rules - which mail is signed with which key, brought from OpenDKIM's
 * order into that of domains
 *
 * A rule is for the From addresses that the name of an entry of domains stands
 * for: an address, a domain, the subdomains of one, or all. Of two such sets
 * one is part of the other or they have nothing in common. So where the first
 * rule that matches counts, one behind a rule for more never does, and of the
 * others the narrowest is the first; and where all that match count, the entry
 * for a set has the keys of all sets that it is part of.
 */
#ifndef OPENDKIM_RULES_H
#define OPENDKIM_RULES_H

#include "import.h"

struct opendkim_rule {
	const char *name; /* as in config_domain */
	const char *selector, *file;
	const char *domain;   /* d=; NULL: that of From */
	const char *identity; /* i=; NULL: none */
	bool blocks;	      /* no key: its mail is not signed */
	bool exempt;	      /* blocks, and wins over all others */
	size_t order;	      /* from 1 on */
	struct import_place place;
	struct import_place key_place; /* what names the key's file */
};

/* How the rules that match a message add up. */
enum opendkim_order {
	ORDER_FIRST,	 /* the first of them counts */
	ORDER_NARROWEST, /* the narrowest, of equals the first */
	ORDER_ALL,	 /* all of them */
};

struct opendkim_rules {
	struct import *import;
	enum opendkim_order order;
	struct opendkim_rule *rules;
	size_t count;
};

void opendkim_rules_init(struct opendkim_rules *rules, struct import *import);
void opendkim_rules_fini(struct opendkim_rules *rules);
/* Whatever the other rules say, the mail of NAME is not signed. */
void opendkim_rules_exempt(
    struct opendkim_rules *rules, const char *name, struct import_place place);
/* NAME has any form that domains.name may have; it is a problem where it has
 * not. ORDER of RULE tells what comes first. */
void opendkim_rules_add(
    struct opendkim_rules *rules, const struct opendkim_rule *rule);
/* Appends the entries of domains. VISIT, for each key there. */
typedef void opendkim_visit(void *context, const struct opendkim_rule *key);
void opendkim_rules_write(struct opendkim_rules *rules, struct buf *out,
    opendkim_visit *visit, void *context);

#endif
