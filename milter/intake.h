/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intake - what stands between libmilter and the connections of MTAs
 *
 * libmilter (of Debian, with its pool of threads) asks the kernel five times
 * for each packet of an MTA, of which a message has twenty and more; and a
 * thread stays with a connection for as long as its MTA is never silent for a
 * millisecond, while others wait for a thread: under load some connections get
 * everything and some nothing, for seconds. Both is decided by poll() and
 * read(), and so the functions of these names stand before the C library's, as
 * those in filter.c do:
 *
 * What has come is read at once, and handed on from memory. It is kept by the
 * thread that is at work for the connection, which ends when poll() says that
 * nothing has come: so nothing is ever left behind when the next thread takes
 * over, and a connection that waits holds no memory here.
 *
 * Between two messages a connection gives its thread to one that waits for a
 * thread, if there is one, and goes behind all others.
 *
 * Every packet passes here, and so those that libmilter (8.17) does not bear are
 * kept from it: a list of macros whose last has no value and a length that is
 * none end the connection, and a packet that announces another client on the
 * same connection is the end of it.
 *
 * What is done with an MTA's connection once libmilter has asked whether to go
 * on with it (one descriptor, one millisecond) is all that this changes: all
 * other calls, and all of a libmilter without that pool, go through as they are.
 *
 * Threads: any.
 */
#ifndef INTAKE_H
#define INTAKE_H

#include <stdbool.h>

/* DESCRIPTOR is an MTA's connection, until it is closed. */
void intake_accepted(int descriptor);
/* The calling thread has ended a message. */
void intake_message_ended(void);
/* Whether the packet that the calling thread is at work for ends a message: the
 * last piece of a body may be in it. */
bool intake_ends_message(void);
/* What the MTA sent that ends the calling thread's connection, once; or NULL. */
const char *intake_take_refusal(void);

#endif
