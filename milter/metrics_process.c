/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* proc(5): the first two figures are pages of address space and of RAM. */
static void
read_memory(struct metrics_process_readings *process)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t all, resident;

	if (file == NULL)
		return;
	if (fscanf(file, "%" SCNu64 " %" SCNu64, &all, &resident) == 2) {
		process->virtual_bytes = all * page_bytes;
		process->resident_bytes = resident * page_bytes;
	}
	fclose(file);
}

/* The directory's own descriptor is not counted. */
static void
read_files(struct metrics_process_readings *process)
{
	DIR *dir = opendir("/proc/self/fd");
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		process->max_files = limit.rlim_cur;
	if (dir == NULL)
		return;
	while (readdir(dir) != NULL)
		process->open_files++;
	process->open_files -= 3; /* ".", ".." and that descriptor */
	closedir(dir);
}

void
metrics_read_process(struct metrics_process_readings *process_r)
{
	struct timespec cpu;

	memset(process_r, 0, sizeof(*process_r));
	read_memory(process_r);
	read_files(process_r);
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
		process_r->cpu_ns =
		    (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
}
