/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter - libmilter's view of the daemon
 *
 * Negotiation and callbacks of a few lines, each counting its CPU time. One a
 * process, as libmilter has one.
 *
 * Threads: filter_open from the main thread, filter_run on a thread of its own.
 */
#ifndef FILTER_H
#define FILTER_H

#include "daemon.h"

/* Opens the milter socket and finds its descriptor. False with a text in
 * ERROR. */
bool filter_open(struct daemon *daemon, const struct config *config,
    int *descriptor_r, char *error, size_t error_size);
/* Serves until the process ends; returns only where libmilter gave up. */
void filter_run(void);
/* libmilter's version, for people. */
void filter_version(char *text, size_t size);

#endif
