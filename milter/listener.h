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
#include <sys/types.h>

/* The path of a unix socket, within SOCKET; NULL for any other. */
const char *listener_path(const char *socket);
/* Removes a unix socket that nobody answers on any more. False with a text in
 * ERROR where somebody does, or the path is something else. */
bool listener_clear(const char *socket, char *error, size_t error_size);
/* Gives a unix socket its mode and GROUP (NULL or "": as it is). */
bool listener_set_access(const char *socket, mode_t mode, const char *group,
    char *error, size_t error_size);
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
