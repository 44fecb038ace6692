/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights - what the process may do, and who may look into it
 *
 * Threads: the main thread; rights_drop holds for all threads.
 */
#ifndef RIGHTS_H
#define RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Before any thread: no core file, and no new privileges by exec unless
 * programs are run, as a mail server's sendmail(1) lives on such. */
void rights_harden(bool runs_programs);
/* Whether a program that is run may have more rights than the process. */
bool rights_may_grow(void);
/* Whether the process, where it is root's, could become USER and GROUP: whether
 * there are such. False with a text in ERROR. */
bool rights_known(
    const char *user, const char *group, char *error, size_t error_size);
/* Becomes USER and GROUP (NULL or "": that of USER) for good, where the
 * process is root's; any other stays who it is. Afterwards no process of the
 * same user can look into this one. False with a text in ERROR. */
bool rights_drop(
    const char *user, const char *group, char *error, size_t error_size);
/* The user id that rights_drop will make the process's: USER's for root, where
 * there is such a user, else the present one. */
uid_t rights_user(const char *user);
/* What to add to the text of ERROR, of errno(3), where a file could not be
 * made: the way out of what a service's sandbox causes, else "". */
const char *rights_advice(int error);
/* As many open files as the system allows, at least WANTED; returns how many
 * that is. */
size_t rights_open_files(size_t wanted);

#endif
