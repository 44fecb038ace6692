/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "keystore_fixture.h"

struct test_keys test_keys;

static char *
make_pem(enum signpost_algorithm algorithm, unsigned bits)
{
	struct signpost_private_key *key;
	char *pem;

	assert_int_equal(signpost_private_key_generate(
			     test_keys.handle, algorithm, bits, &key),
	    SIGNPOST_OK);
	assert_int_equal(signpost_private_key_pem(key, &pem), SIGNPOST_OK);
	signpost_private_key_unref(key);
	return pem;
}

int
make_keys(void **state)
{
	(void)state;
	assert_int_equal(signpost_new(&test_keys.handle), SIGNPOST_OK);
	test_keys.rsa1024 = make_pem(SIGNPOST_RSA_SHA256, 1024);
	test_keys.rsa2048 = make_pem(SIGNPOST_RSA_SHA256, 2048);
	test_keys.ed25519 = make_pem(SIGNPOST_ED25519_SHA256, 0);
	return 0;
}

int
drop_keys(void **state)
{
	(void)state;
	signpost_string_free(test_keys.rsa1024);
	signpost_string_free(test_keys.rsa2048);
	signpost_string_free(test_keys.ed25519);
	signpost_free(test_keys.handle);
	return 0;
}

int
set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);

	folder_make(&fixture->folder);
	folder_add(&fixture->folder, "keys/", 0755);
	*state = fixture;
	return 0;
}

void
stop(struct fixture *fixture)
{
	keystore_unref(fixture->keystore);
	config_unref(fixture->config);
	config_problems_fini(&fixture->problems);
	fixture->keystore = NULL;
	fixture->config = NULL;
}

int
tear_down(void **state)
{
	struct fixture *fixture = *state;

	stop(fixture);
	folder_remove(&fixture->folder);
	free(fixture);
	return 0;
}

void
add_key(struct fixture *fixture, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "keys/%s", name);
	*strrchr(path, '/') = '\0';
	strcat(path, "/");
	folder_add(&fixture->folder, path, 0755);
	snprintf(path, sizeof path, "keys/%s", name);
	folder_write(&fixture->folder, path, 0600, text);
}

void
start(struct fixture *fixture, bool check, const char *text)
{
	const char *root = fixture->folder.path;
	char body[4096], full[8192], *at;
	size_t used = 0;

	for (at = body; *text != '\0'; text++) {
		if (*text == '~')
			at += sprintf(at, "%s", root);
		else
			*at++ = *text;
	}
	*at = '\0';
	used = (size_t)snprintf(full, sizeof full,
	    "user = \"root\"; group = \"root\"; key_directory = "
	    "\"%s/keys\"; key_store = { ttl = \"1s\"; };\n%s\n",
	    root, body);
	assert_true(used < sizeof full);
	folder_write(&fixture->folder, "conf", 0600, full);
	fixture->config = config_load(
	    folder_path(&fixture->folder, "conf"), &fixture->problems);
	if (fixture->config == NULL)
		print_error("%s\n", fixture->problems.items[0].text);
	assert_non_null(fixture->config);
	fixture->keystore = keystore_new(
	    test_keys.handle, fixture->config, check, &fixture->problems);
	assert_non_null(fixture->keystore);
}

const char *
selected(struct fixture *fixture, const char *domain)
{
	static char text[1024];
	const struct config_domain *entry =
	    config_find_domain(fixture->config, bytes_of("", 0), domain);
	struct keystore_keys keys;
	size_t i, used = 0;

	text[0] = '\0';
	assert_true(keystore_select(fixture->keystore, entry, domain, &keys));
	for (i = 0; i < keys.count; i++)
		used += (size_t)snprintf(text + used, sizeof text - used,
		    "%s%s/%s", i > 0 ? " " : "", keys.items[i].selector,
		    keys.items[i].domain);
	if (keys.unusable > 0)
		snprintf(text + used, sizeof text - used, "%s%zu of %zu: %s",
		    used > 0 ? "; " : "", keys.unusable, keys.named, keys.why);
	keystore_keys_fini(&keys);
	return text;
}

void
pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}
