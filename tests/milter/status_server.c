/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * status_server - the status server without a milter, for test_status.py
 *
 *	status_server UNIX-SOCKET MODE [ADDRESS:PORT]
 *
 * Says "serving" once it does; on standard input, "count" counts one of each
 * thing, "down" and "up" change readiness, and the end of input ends it.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "status.h"

struct server {
	struct stats *stats;
	struct work *work;
	_Atomic bool ready;
};

static void
get_counts(void *ctx, struct snapshot_counts *out_r)
{
	(void)ctx;
	*out_r = (struct snapshot_counts){
		.keystore = { .hits = 11,
		    .misses = 12,
		    .evictions = 13,
		    .entries = 14,
		    .failures = 15 },
		.key_cache = { .hits = 21,
		    .misses = 22,
		    .joined = 23,
		    .evictions = 24,
		    .entries = 25,
		    .bytes = 26 },
		.resolver = { .refused = 31, .pending = 32 },
		.dns_cpu_ns = 1000,
	};
}

static bool
get_ready(void *ctx)
{
	struct server *server = ctx;

	return server->ready;
}

/* Every figure that counts something, all of them different. */
static void
count(struct stats *stats)
{
	unsigned a, r, n = 1;

	for (a = 0; a < STATS_COUNTERS; a++)
		stats_add(stats, (enum stats_counter)a, 100 + n++);
	for (a = 0; a < MESSAGE_ACTIONS; a++)
		for (r = 0; r <= a; r++)
			stats_message(stats, (enum stats_action)a);
	for (a = 0; a < STAGES; a++)
		stats_stage_cpu(stats, (enum stats_stage)a, 1000000 * (a + 1));
	stats_connections_open(stats, 3);
	for (a = 0; a < SIGN_RESULTS; a++)
		stats_sign(stats, SIGNPOST_RSA_SHA256, 1024 * (a + 1),
		    (enum stats_sign_result)a);
	stats_sign(stats, SIGNPOST_ED25519_SHA256, 256, SIGN_OK);
	for (a = 0; a < STATS_ALGORITHMS; a++)
		for (r = 1; r < STATS_RESULTS; r++)
			stats_verify(stats, (enum signpost_algorithm)a,
			    (enum signpost_result)r,
			    (enum signpost_reason)(r * 4 + a));
	for (a = 0; a < 100; a++) {
		stats_operation(stats, OPERATION_SIGN, SIGNPOST_RSA_SHA256,
		    600000 + a, 10000 + a);
		stats_wait(
		    stats, OPERATION_SIGN, SIGNPOST_RSA_SHA256, 700000 + a);
		stats_operation(stats, OPERATION_VERIFY, SIGNPOST_RSA_SHA256,
		    20000 + a, 10000 + a);
		stats_wait(
		    stats, OPERATION_VERIFY, SIGNPOST_RSA_SHA256, 40000 + a);
	}
	stats_operation(
	    stats, OPERATION_VERIFY, SIGNPOST_RSA_SHA1, 20000000000, 1);
	for (a = 0; a < STATS_DNS_ANSWERS; a++)
		stats_dns(stats, (int)a, 1000000 * (a + 1));
}

static void
obey(struct server *server)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strcmp(line, "count\n") == 0)
			count(server->stats);
		else if (strcmp(line, "down\n") == 0)
			server->ready = false;
		else if (strcmp(line, "up\n") == 0)
			server->ready = true;
		stats_tick(server->stats, stats_monotonic_ns());
		puts("done");
		fflush(stdout);
	}
}

int
main(int argc, char **argv)
{
	struct server server = { .ready = true };
	struct status_sources sources = {
		.counts = get_counts,
		.ready = get_ready,
		.ctx = &server,
		.started = (int64_t)time(NULL),
	};
	struct status *status = NULL;
	char error[256];
	int code = 1;

	if (argc < 3)
		return 2;
	server.stats = stats_new();
	if (server.stats == NULL || !work_new(2, 5, true, &server.work))
		return 2;
	sources.stats = server.stats;
	sources.work = server.work;
	if (!status_new(&sources, argv[1], (unsigned)strtoul(argv[2], NULL, 8),
		argc > 3 ? argv[3] : NULL, &status, error, sizeof(error))) {
		fprintf(stderr, "%s\n", error);
		goto out;
	}
	if (!status_start(status))
		goto out;
	puts("serving");
	fflush(stdout);
	obey(&server);
	code = 0;
out:
	status_free(status);
	work_free(server.work);
	stats_free(server.stats);
	return code;
}
