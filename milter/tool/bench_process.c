/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static FILE *
open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
	return fopen(path, "re");
}

/* The number behind NAME in /proc/PID/status, in kB there; 0 for none. */
static int64_t
status_number(pid_t pid, const char *name)
{
	FILE *file = open_proc(pid, "status");
	size_t len = strlen(name);
	char line[256];
	int64_t number = 0;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, len) == 0 && line[len] == ':')
			number = strtoll(line + len + 1, NULL, 10);
	if (file != NULL)
		fclose(file);
	return number;
}

/* The ticks, of 10 ms as a rule, that all threads have spent in the program and
 * in the kernel, those that have ended too. */
static bool
read_stat(pid_t pid, double *user_r, double *system_r, pid_t *parent_r)
{
	FILE *file = open_proc(pid, "stat");
	unsigned long user, system;
	char line[1024], *end = NULL;
	long parent;
	bool ok = false;

	if (file != NULL && fgets(line, sizeof(line), file) != NULL)
		end = strrchr(line, ')');
	if (end != NULL &&
	    sscanf(end + 1,
		" %*c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &parent,
		&user, &system) == 3) {
		*user_r = (double)user;
		*system_r = (double)system;
		*parent_r = (pid_t)parent;
		ok = true;
	}
	if (file != NULL)
		fclose(file);
	return ok;
}

/* Adds the CPU time of all threads, which a clock of the process tells exactly;
 * how it divides is known in ticks. */
static bool
add_cpu(pid_t pid, struct bench_process *process)
{
	double user, system, tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
	struct timespec ts;
	clockid_t clock;
	pid_t parent;

	if (!read_stat(pid, &user, &system, &parent))
		return false;
	process->user_ns += user * tick_ns;
	process->system_ns += system * tick_ns;
	if (clock_getcpuclockid(pid, &clock) == 0 &&
	    clock_gettime(clock, &ts) == 0)
		process->cpu_ns += (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
	else
		process->cpu_ns += (user + system) * tick_ns;
	return true;
}

static bool
add_process(pid_t pid, struct bench_process *process)
{
	if (!add_cpu(pid, process))
		return false;
	process->resident_bytes += status_number(pid, "VmRSS") * 1024;
	process->peak_bytes += status_number(pid, "VmHWM") * 1024;
	process->threads += (unsigned)status_number(pid, "Threads");
	return true;
}

/* Adds the processes whose parent is already among the COUNT of PIDS; returns
 * how many there are then. */
static size_t
add_children(pid_t *pids, size_t count)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder != NULL && count < BENCH_MAX_PROCESSES &&
	    (entry = readdir(folder)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		bool known = false, child = false;
		double user, system;
		pid_t parent;

		if (pid <= 0 || !read_stat(pid, &user, &system, &parent))
			continue;
		for (size_t i = 0; i < count; i++) {
			known = known || pids[i] == pid;
			child = child || pids[i] == parent;
		}
		if (child && !known)
			pids[count++] = pid;
	}
	if (folder != NULL)
		closedir(folder);
	return count;
}

static void
read_name(pid_t pid, char *name, size_t size)
{
	FILE *file = open_proc(pid, "comm");

	name[0] = '\0';
	if (file == NULL)
		return;
	if (fgets(name, (int)size, file) != NULL)
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

bool
bench_process_look(pid_t pid, struct bench_process *process_r)
{
	size_t before = 0;

	memset(process_r, 0, sizeof(*process_r));
	process_r->pids[0] = pid;
	process_r->count = 1;
	if (!add_process(pid, process_r))
		return false;
	read_name(pid, process_r->name, sizeof(process_r->name));
	while (process_r->count > before) {
		before = process_r->count;
		process_r->count = add_children(process_r->pids, before);
	}
	for (size_t i = 1; i < process_r->count; i++)
		add_process(process_r->pids[i], process_r);
	return true;
}

int64_t
bench_process_resident(const struct bench_process *process)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < process->count; i++)
		bytes += status_number(process->pids[i], "VmRSS") * 1024;
	return bytes;
}

int64_t
bench_process_peak_bytes(void)
{
	return status_number(getpid(), "VmHWM") * 1024;
}
