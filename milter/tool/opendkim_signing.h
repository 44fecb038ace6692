/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_signing - SigningTable and KeyTable, or Domain, Selector and
 * KeyFile, as rules of who signs what
 */
#ifndef OPENDKIM_SIGNING_H
#define OPENDKIM_SIGNING_H

#include "opendkim_keys.h"
#include "opendkim_rules.h"

/* Adds the rules, and those that keep the mail of ExemptDomains unsigned. */
void opendkim_signing_read(
    struct opendkim_keys *keys, struct opendkim_rules *rules);

#endif
