/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_machine.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "bench_sample.h"

/* The value of the first line of /proc/cpuinfo that begins with NAME. */
static bool
cpuinfo_value(const char *name, char *value, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];
	bool found = false;

	while (file != NULL && !found && fgets(line, sizeof(line), file)) {
		const char *colon = strchr(line, ':');

		if (colon == NULL || strncmp(line, name, strlen(name)) != 0)
			continue;
		colon += strspn(colon, ": \t");
		snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
		found = true;
	}
	if (file != NULL)
		fclose(file);
	return found;
}

/* The loop is eight additions for each step of its own counter, which goes on
 * beside them. */
static bool
add_up(void *ctx)
{
	uint64_t *sum = ctx, x = *sum;

	for (unsigned i = 0; i < 1000; i++) {
		for (unsigned j = 0; j < 8; j++) {
			x += i;
			__asm__ volatile("" : "+r"(x));
		}
	}
	*sum = x;
	return true;
}

double
bench_machine_measure_ghz(void)
{
	const struct bench_pace pace = { 1, 10, 2e6, 1e8 };
	struct bench_measured measured;
	uint64_t sum = 0;

	bench_measure(&pace, add_up, &sum, &measured);
	return 8000 / measured.mean_ns;
}

static unsigned
usable_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

static double
load_average(void)
{
	double load;

	return getloadavg(&load, 1) == 1 ? load : -1;
}

void
bench_machine_look(struct bench_machine *machine_r)
{
	struct utsname system;
	time_t now = time(NULL);
	struct tm tm;
	char mhz[64];

	memset(machine_r, 0, sizeof(*machine_r));
	if (!cpuinfo_value("model name", machine_r->processor,
		sizeof(machine_r->processor)))
		snprintf(machine_r->processor, sizeof(machine_r->processor),
		    "unknown");
	machine_r->processors = usable_processors();
	machine_r->ghz_source = "/proc/cpuinfo";
	if (cpuinfo_value("cpu MHz", mhz, sizeof(mhz)))
		machine_r->ghz = strtod(mhz, NULL) / 1000;
	if (machine_r->ghz <= 0) {
		machine_r->ghz_source = "measured";
		machine_r->ghz = bench_machine_measure_ghz();
	}
	if (uname(&system) == 0)
		snprintf(machine_r->system, sizeof(machine_r->system),
		    "%.60s %.60s %.60s", system.sysname, system.release,
		    system.machine);
	if (gmtime_r(&now, &tm) != NULL)
		strftime(machine_r->date, sizeof(machine_r->date),
		    "%Y-%m-%dT%H:%M:%SZ", &tm);
	machine_r->load = load_average();
}
