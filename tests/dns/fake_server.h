/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_server - a DNS server over UDP on a free port of 127.0.0.1 that does
 * what the first letters of a name say
 *
 *	found...     one TXT record "v=NAME", TTL 300
 *	brief...     the same, TTL 1
 *	nonexistent  NXDOMAIN, to be kept for 60 s; nodata: no TXT there
 *	servfail, refused, garbage, silent    as they say
 *	slow...      as found, after 200 ms
 *	many...      twelve records; huge... one of 9000 octets (a datagram of
 *	             that size goes over loopback)
 */
#ifndef FAKE_SERVER_H
#define FAKE_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fake_server {
	atomic_bool silent;	    /* to all names */
	atomic_bool refuses;	    /* all names */
	_Atomic(const char *) root; /* taken for this name; NULL: silent */
	atomic_uint questions;
	int fd;
	uint16_t port;
	char address[32]; /* "127.0.0.1@PORT" */
	pthread_t thread;
};

/* PORT 0: any that is free. */
void fake_server_start(struct fake_server *server, uint16_t port);
void fake_server_stop(struct fake_server *server);

#endif
