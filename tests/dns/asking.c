/* SPDX-License-Identifier: BSD-2-Clause */
#include "asking.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct resolver *
asking_resolver(const char *server, const char *anchor, unsigned timeout_ms,
    unsigned max_pending)
{
	const char *servers[] = { server, NULL };
	struct resolver_settings settings = { .servers = servers,
		.trust_anchor = anchor,
		.dnssec = anchor != NULL,
		.timeout_ms = timeout_ms,
		.max_pending = max_pending };
	struct resolver *resolver = NULL;
	char error[256] = "";

	if (!resolver_new(&settings, &resolver, error, sizeof(error)))
		fail_msg("%s", error);
	return resolver;
}

static void
copy(char *to, size_t size, struct bytes from)
{
	size_t len = from.len < size ? from.len : size - 1;

	memcpy(to, from.data, len);
	to[len] = '\0';
}

static void
take(void *ctx, const struct resolver_result *result)
{
	struct asked *asked = ctx;

	pthread_mutex_lock(&asked->mutex);
	asked->answers++;
	asked->answer = result->answer;
	asked->security = result->security;
	asked->ttl_s = result->ttl_s;
	asked->count = result->count;
	asked->elapsed_ns = result->elapsed_ns;
	for (size_t i = 0; i < result->count; i++)
		asked->len[i] = result->records[i].len;
	if (result->count > 0)
		copy(asked->first, sizeof(asked->first), result->records[0]);
	if (result->count > 1)
		copy(asked->second, sizeof(asked->second), result->records[1]);
	snprintf(asked->why, sizeof(asked->why), "%s",
	    result->why != NULL ? result->why : "");
	pthread_cond_signal(&asked->cond);
	pthread_mutex_unlock(&asked->mutex);
}

bool
asking_start(struct resolver *resolver, const char *name, struct asked *asked)
{
	memset(asked, 0, sizeof(*asked));
	pthread_mutex_init(&asked->mutex, NULL);
	pthread_cond_init(&asked->cond, NULL);
	return resolver_ask(resolver, name, take, asked, NULL);
}

void
asking_wait(struct asked *asked)
{
	pthread_mutex_lock(&asked->mutex);
	while (asked->answers == 0)
		pthread_cond_wait(&asked->cond, &asked->mutex);
	pthread_mutex_unlock(&asked->mutex);
	assert_int_equal(asked->answers, 1);
}

void
asking_ask(struct resolver *resolver, const char *name, struct asked *asked)
{
	assert_true(asking_start(resolver, name, asked));
	asking_wait(asked);
}

unsigned
asking_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}
