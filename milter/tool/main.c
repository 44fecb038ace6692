/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost - the command: see signpost(1). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "bench", cmd_bench, "measure what signing and verifying cost" },
	{ "check", cmd_check, "check configuration, keys, rights and socket" },
	{ "dns", cmd_dns, "print the DNS records of keys" },
	{ "explain", cmd_explain, "say what would be done with a message" },
	{ "import", cmd_import, "translate the configuration of OpenDKIM" },
	{ "keygen", cmd_keygen, "make a key and print its DNS record" },
	{ "sign", cmd_sign, "sign a message" },
	{ "status", cmd_status, "show what the daemon does and what it costs" },
	{ "verify", cmd_verify, "verify a message" },
};

static void
print_help(FILE *to)
{
	fputs("usage: signpost COMMAND [ARGUMENT ...]\n\n", to);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(
		    to, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n\"signpost COMMAND --help\" says more of each, signpost(1) "
	      "of all.\n",
	    to);
}

static int
run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(name, commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		print_help(stdout);
		return EX_OK;
	}
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		printf("signpost %s\n", signpost_version());
		return EX_OK;
	}
	if (argc > 1)
		return complain(EX_USAGE, name,
		    "no such command; \"signpost --help\" lists them");
	print_help(stderr);
	return EX_USAGE;
}

int
main(int argc, char **argv)
{
	int code;

	/* A limit on the size of files is to be an error like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	code = run(argc, argv);

	/* A full disk is noticed only when the last octets go out; EX_IOERR
	 * has been complained of already. */
	if ((fflush(stdout) != 0 || ferror(stdout) || fclose(stdout) != 0) &&
	    code != EX_IOERR)
		return complain(
		    EX_IOERR, "standard output", "%s", strerror(errno));
	return code;
}
