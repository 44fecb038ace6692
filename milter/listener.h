/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listener - the milter socket before libmilter has it and after
 *
 * SOCKET is as in the configuration: "unix:PATH", "local:PATH", a bare PATH,
 * or one of the inet forms, for which there is nothing to do.
 *
 * Threads: the main thread.
 */
#ifndef LISTENER_H
#define LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/* The path of a unix socket, within SOCKET; NULL for any other. */
const char *listener_path(const char *socket);
/* Removes a unix socket that nobody answers on any more. False with a text in
 * ERROR where somebody does, or the path is something else. */
bool listener_clear(const char *socket, char *error, size_t error_size);
/* Gives a unix socket to OWNER, so that the daemon can connect to it, and to
 * GROUP (NULL or "": neither changes), and sets its mode. */
bool listener_set_access(const char *socket, uid_t owner, const char *group,
    mode_t mode, char *error, size_t error_size);
/* libmilter hands sessions that become ready in one moment to the threads that
 * are idle then, however few, and starts no other for them: behind one that
 * blocks they wait as long as it does. A new connection makes it start a thread
 * where none is idle, which then takes what waits. This opens one to the
 * milter's own socket, and closes it: to be called before a callback blocks.
 * Threads: any. */
struct listener_address {
	struct sockaddr_storage address;
	socklen_t len; /* 0: none */
};
struct listener_address listener_address(int descriptor);
void listener_knock(const struct listener_address *address);
/* Puts something that never has a connection in the place of DESCRIPTOR, and
 * removes a unix socket's path, if it is still the socket's own: STAMP is what
 * listener_stamp said of it. No connection is taken from now on; those that
 * are open stay. */
struct listener_stamp {
	dev_t device;
	ino_t inode;
};
struct listener_stamp listener_stamp(const char *socket);
bool listener_stop(
    int descriptor, const char *socket, const struct listener_stamp *stamp);

#endif
