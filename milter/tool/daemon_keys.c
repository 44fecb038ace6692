/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "http_get.h"
#include "publication_json.h"

/* The keys of DOMAIN, which is one in A-labels. */
static bool
ask(const struct endpoint *endpoint, const char *domain,
    struct publication *publication, char why[DAEMON_KEYS_WHY])
{
	char path[300];
	json_t *json = NULL;
	struct buf body;
	bool good = false;

	snprintf(path, sizeof(path), "/keys?domain=%s", domain);
	buf_init(&body, HTTP_GET_MAX_BYTES);
	switch (http_get(endpoint, path, &body)) {
	case HTTP_GET_UNREACHABLE:
		snprintf(why, DAEMON_KEYS_WHY, "%s", strerror(errno));
		break;
	case HTTP_GET_TIMEOUT:
		snprintf(why, DAEMON_KEYS_WHY, "it takes too long to answer");
		break;
	case HTTP_GET_BROKEN:
		snprintf(why, DAEMON_KEYS_WHY, "it does not know of keys");
		break;
	case HTTP_GET_OK:
		json = json_loadb(body.data, body.len, 0, NULL);
		good = publication_from_json(json, publication);
		snprintf(why, DAEMON_KEYS_WHY, "it does not speak of keys");
		break;
	}
	json_decref(json);
	buf_fini(&body);
	return good;
}

bool
daemon_keys_ask(const struct config *config, const struct config_domain *entry,
    const char *domain, struct publication *publication,
    char why[DAEMON_KEYS_WHY])
{
	const char *address = config->status.socket;
	struct endpoint endpoint;
	bool asked;

	if (address == NULL || address[0] == '\0')
		address = config->status.http;
	if (address == NULL || !endpoint_parse(address, &endpoint)) {
		snprintf(why, DAEMON_KEYS_WHY, "there is no status.socket");
		return false;
	}
	if (entry != NULL && entry->domain != NULL)
		domain = entry->domain;
	asked = ask(&endpoint, domain, publication, why);
	for (size_t i = 0; asked && entry != NULL && i < entry->key_count; i++)
		if (entry->keys[i].domain != NULL)
			asked = ask(
			    &endpoint, entry->keys[i].domain, publication, why);
	return asked;
}
