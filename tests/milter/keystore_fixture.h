/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keystore_fixture - a keystore over a folder of a test's own
 */
#ifndef KEYSTORE_FIXTURE_H
#define KEYSTORE_FIXTURE_H

#include "folder.h"
#include "keystore.h"

/* Keys of every kind that a test wants, made once. */
struct test_keys {
	struct signpost *handle;
	char *rsa1024, *rsa2048, *ed25519; /* PEM */
};

extern struct test_keys test_keys;

/* A configuration with key_directory in a folder of its own. */
struct fixture {
	struct folder folder;
	const struct config *config;
	struct keystore *keystore;
	struct config_problems problems;
};

/* For cmocka: of all tests, and of each. */
int make_keys(void **state);
int drop_keys(void **state);
int set_up(void **state);
int tear_down(void **state);

/* A key of TEXT at keys/NAME. */
void add_key(struct fixture *fixture, const char *name, const char *text);
/* Loads a configuration of TEXT, "~" in it being the folder, and opens the
 * keystore. */
void start(struct fixture *fixture, bool check, const char *text);
/* Undoes start, files apart. */
void stop(struct fixture *fixture);
/* "selector/domain selector/domain ..." of what signs for DOMAIN, and why
 * others don't. */
const char *selected(struct fixture *fixture, const char *domain);
void pause_ms(long ms);

#endif
