/* SPDX-License-Identifier: BSD-2-Clause */
#include "nsd.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

/* Programs of Debian's nsd are not on everybody's path. */
#define PATH "PATH=$PATH:/usr/sbin:/usr/local/sbin; "

static const char zone_head[] = "$TTL 300\n"
				"@ IN SOA ns hostmaster 1 3600 600 86400 60\n"
				"@ IN NS ns\n"
				"ns IN A 127.0.0.1\n";

static const char plain_zone[] =
    "$ORIGIN plain.test.\n"
    "one TXT \"v=DKIM1; p=one\"\n"
    "brief 7 TXT \"brief\"\n"
    "split TXT \"v=DKIM1; \" \"k=rsa; \" \"\" \"p=abc\"\n"
    "two TXT \"a first\"\n"
    "two TXT \"the second\"\n"
    "escaped TXT \"a\\\"b\\\\c\\000d\"\n"
    "alias CNAME one\n"
    "aliasalias CNAME alias\n"
    "across CNAME key.signed.test.\n"
    "dangling CNAME nowhere\n"
    "loop1 CNAME loop2\n"
    "loop2 CNAME loop1\n"
    "k.new TXT \"by dname\"\n"
    "old DNAME new\n"
    "*.wild TXT \"wild\"\n"
    "address A 192.0.2.1\n";

static const char signed_zone[] = "$ORIGIN signed.test.\n"
				  "key TXT \"signed\"\n"
				  "altered TXT \"as it was\"\n"
				  "alias CNAME key\n"
				  "out CNAME one.plain.test.\n"
				  "address A 192.0.2.1\n";

static int
shell(const char *command)
{
	char text[1024];

	snprintf(text, sizeof(text), PATH "%s", command);
	return system(text);
}

__attribute__((format(printf, 3, 4))) static void
write_file(const struct nsd *nsd, const char *name, const char *format, ...)
{
	char path[128];
	va_list args;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", nsd->dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	assert_int_equal(fclose(file), 0);
}

bool
nsd_is_installed(void)
{
	return shell("command -v nsd ldns-keygen ldns-signzone >/dev/null") ==
	    0;
}

/* As long as the record of an RSA key of 4096 bits. */
static void
write_plain_zone(struct nsd *nsd)
{
	char strings[1000] = "";
	size_t len = sizeof(nsd->long_text) - 1, used = 0;

	snprintf(nsd->long_text, sizeof(nsd->long_text), "v=DKIM1; k=rsa; p=");
	for (size_t i = strlen(nsd->long_text); i < len; i++)
		nsd->long_text[i] = (char)('A' + i % 26);
	for (size_t i = 0; i < len; i += 255)
		used += (size_t)snprintf(strings + used, sizeof(strings) - used,
		    " \"%.255s\"", nsd->long_text + i);
	write_file(nsd, "plain.test", "%slong TXT%s\n*.long TXT%s\n%s",
	    zone_head, strings, strings, plain_zone);
}

static void
sign_zone(struct nsd *nsd)
{
	char command[512];

	write_file(nsd, "signed.test", "%s%s", zone_head, signed_zone);
	snprintf(command, sizeof(command),
	    "cd %s && "
	    "k=$(ldns-keygen -a ECDSAP256SHA256 -k signed.test) && "
	    "w=$(ldns-keygen -a ECDSAP256SHA256 -k signed.test) && "
	    "ldns-signzone -n -o signed.test signed.test $k && "
	    "sed -i 's/as it was/altered/' signed.test.signed && "
	    "cp $k.key anchor && cp $w.key wrong-anchor",
	    nsd->dir);
	assert_int_equal(shell(command), 0);
	snprintf(nsd->anchor, sizeof(nsd->anchor), "%s/anchor", nsd->dir);
	snprintf(nsd->wrong_anchor, sizeof(nsd->wrong_anchor),
	    "%s/wrong-anchor", nsd->dir);
}

/* A port that is free now, for UDP and TCP. */
static uint16_t
free_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int udp = socket(AF_INET, SOCK_DGRAM, 0);
	int tcp = socket(AF_INET, SOCK_STREAM, 0);
	bool ok;

	assert_int_equal(bind(udp, (struct sockaddr *)&address, len), 0);
	getsockname(udp, (struct sockaddr *)&address, &len);
	ok = bind(tcp, (struct sockaddr *)&address, len) == 0;
	close(udp);
	close(tcp);
	return ok ? ntohs(address.sin_port) : 0;
}

static void
write_config(const struct nsd *nsd, uint16_t port)
{
	const char *dir = nsd->dir;

	write_file(nsd, "nsd.conf",
	    "server:\n server-count: 1\n ip-address: 127.0.0.1@%u\n"
	    " username: \"\"\n chroot: \"\"\n database: \"\"\n"
	    " ipv4-edns-size: 512\n logfile: \"%s/log\"\n pidfile: \"%s/pid\"\n"
	    " xfrdfile: \"%s/xfrd\"\n zonelistfile: \"%s/list\"\n"
	    " xfrdir: \"%s\"\n zonesdir: \"%s\"\n"
	    "remote-control:\n control-enable: no\n"
	    "zone:\n name: plain.test\n zonefile: plain.test\n"
	    "zone:\n name: signed.test\n zonefile: signed.test.signed\n",
	    port, dir, dir, dir, dir, dir, dir);
}

static bool
answers_tcp(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool ok =
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

	close(fd);
	return ok;
}

/* Whether it listens before it ends, which it does where the port was taken
 * meanwhile. */
static bool
run_server(struct nsd *nsd, uint16_t port)
{
	char command[256];
	char sh[] = "sh", option[] = "-c";
	char *const argv[] = { sh, option, command, NULL };

	snprintf(command, sizeof(command), PATH "exec nsd -d -c %s/nsd.conf",
	    nsd->dir);
	assert_int_equal(
	    posix_spawn(&nsd->pid, "/bin/sh", NULL, NULL, argv, environ), 0);
	for (unsigned i = 0; i < 1000; i++) {
		if (answers_tcp(port))
			return true;
		if (waitpid(nsd->pid, NULL, WNOHANG) == nsd->pid)
			return false;
		usleep(20000);
	}
	kill(nsd->pid, SIGTERM);
	waitpid(nsd->pid, NULL, 0);
	return false;
}

void
nsd_start(struct nsd *nsd)
{
	bool running = false;

	*nsd = (struct nsd){ 0 };
	snprintf(nsd->dir, sizeof(nsd->dir), "/tmp/signpost-nsd.XXXXXX");
	assert_non_null(mkdtemp(nsd->dir));
	write_plain_zone(nsd);
	sign_zone(nsd);
	for (unsigned i = 0; i < 10 && !running; i++) {
		uint16_t port = free_port();

		if (port == 0)
			continue;
		write_config(nsd, port);
		snprintf(
		    nsd->address, sizeof(nsd->address), "127.0.0.1@%u", port);
		running = run_server(nsd, port);
	}
	assert_true(running);
}

void
nsd_stop(struct nsd *nsd)
{
	char command[128];

	kill(nsd->pid, SIGTERM);
	waitpid(nsd->pid, NULL, 0);
	snprintf(command, sizeof(command), "rm -rf %s", nsd->dir);
	assert_int_equal(shell(command), 0);
}
