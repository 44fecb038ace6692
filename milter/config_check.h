/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_check - rules that the values of settings must keep
 *
 * Most are about one value: they return why VALUE can't be used, as a text
 * that says what to write instead, or NULL. check_together has those that are
 * about several.
 *
 * Threads: pure functions.
 */
#ifndef CONFIG_CHECK_H
#define CONFIG_CHECK_H

#include "config_read.h"

const char *check_listen(const char *value); /* "inet:PORT@HOST", "unix:..." */
const char *check_unix(const char *value);   /* "unix:/PATH" or "" */
const char *check_http(const char *value);   /* "ADDRESS:PORT" or "" */
const char *check_server(const char *value); /* "ADDRESS[@PORT]" */
const char *check_path(const char *value);   /* absolute */
const char *check_optional_path(const char *value);
const char *check_log_to(const char *value);
const char *check_not_empty(const char *value);
const char *check_authserv_id(const char *value);
/* A header field's name, perhaps behind the "+" or "-" that changes a list;
 * of the fields that are signed, From can't be taken away. */
const char *check_header(const char *value);
const char *check_signed_header(const char *value);
const char *check_identity(const char *value);
const char *check_reporter(const char *value);
const char *check_domain(const char *value);
const char *check_selector(const char *value);
const char *check_key_store(const char *value);
const char *check_reply(const char *value); /* config_reply.h, or "" */

/* Reads "ADDRESS[/BITS]"; a bare address is a network of one. NULL, or why it
 * is none. */
const char *check_network(const char *value, struct config_network *network_r);

/* Adds the problems of settings that don't go together, and warnings for those
 * that are without effect. ROOT is what CONFIG was made of. */
void check_together(const struct config *config, const struct config_node *root,
    struct config_problems *problems);

#endif
