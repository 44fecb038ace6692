/* SPDX-License-Identifier: BSD-2-Clause */
/* signpostd - signs and verifies mail as a milter; see signpostd(8) */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "crypto.h"
#include "filter.h"
#include "server.h"
#include "server_start.h"
#include "setup.h"
#include "status.h"

struct options {
	struct server_options server;
	bool check, version, help;
};

static const char usage[] =
    "usage: signpostd [-c FILE] [-f] [-p PIDFILE] [-t] [-V]\n"
    "  -c FILE     the configuration; default " SYSCONFDIR
    "/signpost/signpost.conf\n"
    "  -f          stay in the foreground\n"
    "  -p PIDFILE  write the process id there\n"
    "  -t          check the configuration and every key, and exit\n"
    "  -V          print version, libraries and features, and exit\n";

static bool
read_options(int argc, char **argv, struct options *options_r)
{
	static const struct option names[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*options_r = (struct options){
		.server = { .config_file = SYSCONFDIR "/signpost/signpost.conf",
		    .ready_fd = -1 },
	};
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":c:fp:tVh", names, NULL)) != -1) {
		switch (c) {
		case 'c':
			options_r->server.config_file = optarg;
			break;
		case 'f':
			options_r->server.foreground = true;
			break;
		case 'p':
			options_r->server.pid_file = optarg;
			break;
		case 't':
			options_r->check = true;
			break;
		case 'V':
			options_r->version = true;
			break;
		case 'h':
			options_r->help = true;
			break;
		default:
			fprintf(stderr, "signpostd: %s: %s\n", argv[optind - 1],
			    c == ':' ? "wants an argument" : "no such option");
			return false;
		}
	}
	if (optind < argc)
		fprintf(stderr, "signpostd: %s: is one argument too many\n",
		    argv[optind]);
	return optind == argc;
}

static int
print_version(void)
{
	char milter[64];

	filter_version(milter, sizeof(milter));
	printf("signpostd %s\n", signpost_version());
	printf("libraries: %s, %s, libunbound %s, libmicrohttpd %s\n", milter,
	    crypto_version(), resolver_version(), status_version());
	printf("signs and verifies: %s, %s\n",
	    signpost_algorithm_name(SIGNPOST_RSA_SHA256),
	    signpost_algorithm_name(SIGNPOST_ED25519_SHA256));
	return EX_OK;
}

static void
print_problems(const struct config_problems *problems)
{
	char text[1024];

	for (size_t i = 0; i < problems->count; i++) {
		config_problem_text(&problems->items[i], text, sizeof(text));
		fprintf(stderr, "%s\n", text);
	}
}

static int
check(const struct config *config, struct config_problems *problems)
{
	struct signpost *handle;
	struct keystore *keystore;

	if (signpost_new(&handle) != SIGNPOST_OK) {
		fprintf(stderr, "signpostd: libcrypto is not usable\n");
		return EX_OSERR;
	}
	keystore = setup_check(handle, config, problems);
	config_problems_place(problems, config);
	config_problems_sort(problems, config->file);
	bool good = keystore != NULL && problems->errors == 0;
	keystore_unref(keystore);
	signpost_free(handle);
	return good ? EX_OK : EX_CONFIG;
}

/* The parent of a daemon waits until it serves, and ends with its exit code
 * where it never does. Returns in the child alone. */
static void
become_daemon(int *ready_fd_r)
{
	int ready[2], status;
	char c;

	if (pipe2(ready, O_CLOEXEC) < 0) {
		fprintf(stderr, "signpostd: pipe: %s\n", strerror(errno));
		exit(EX_OSERR);
	}
	pid_t child = fork();
	if (child < 0) {
		fprintf(stderr, "signpostd: fork: %s\n", strerror(errno));
		exit(EX_OSERR);
	}
	if (child == 0) {
		close(ready[0]);
		setsid();
		*ready_fd_r = ready[1];
		return;
	}
	close(ready[1]);
	ssize_t got;
	while ((got = read(ready[0], &c, 1)) < 0 && errno == EINTR)
		;
	if (got == 1)
		_exit(EX_OK);
	if (waitpid(child, &status, 0) == child && WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	_exit(EX_SOFTWARE);
}

/* PATH from the root on, as it was written: links in it are followed anew at
 * each reload, for who swaps one means it. NULL: errno says why not. */
static char *
absolute_path(const char *path)
{
	char *folder, *absolute = NULL;

	if (path[0] == '/')
		return strdup(path);
	folder = getcwd(NULL, 0);
	if (folder != NULL && asprintf(&absolute, "%s/%s", folder, path) < 0)
		absolute = NULL;
	free(folder);
	return absolute;
}

/* A SIGHUP that comes while the daemon starts is a reload once it serves. */
static void
keep_reloads(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int
main(int argc, char **argv)
{
	struct options options;
	struct config_problems problems = { 0 };

	/* Inherited as ignored, it would take away how a child ended. */
	signal(SIGCHLD, SIG_DFL);
	if (!read_options(argc, argv, &options)) {
		fputs(usage, stderr);
		return EX_USAGE;
	}
	if (options.help)
		return fputs(usage, stdout) < 0 ? EX_IOERR : EX_OK;
	if (options.version)
		return print_version();

	/* A daemon leaves the folder that it was started in. */
	char *path = absolute_path(options.server.config_file);
	if (path == NULL) {
		fprintf(stderr, "signpostd: %s: %s\n",
		    options.server.config_file, strerror(errno));
		return EX_OSERR;
	}
	options.server.config_file = path;
	if (!options.check)
		keep_reloads();
	const struct config *config = options.check
	    ? config_load_for_check(path, &problems)
	    : config_load(path, &problems);
	int code = EX_CONFIG;
	if (config != NULL && options.check)
		code = check(config, &problems);
	if (options.check)
		print_problems(&problems);
	else if (config == NULL)
		server_refuse(&options.server, &problems);
	if (config == NULL && options.check)
		fprintf(stderr, "keys not checked until this is mended\n");
	if (config == NULL || options.check) {
		config_unref(config);
	} else {
		if (!options.server.foreground)
			become_daemon(&options.server.ready_fd);
		code = server_run(&options.server, config, &problems);
	}
	config_problems_fini(&problems);
	free(path);
	return code;
}
