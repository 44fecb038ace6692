/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_delivery - a message into a folder, or to sendmail(1)
 */
#ifndef REPORT_DELIVERY_H
#define REPORT_DELIVERY_H

#include "bytes.h"

/* Writes MESSAGE to a new file in FOLDER whose name ends in ".eml"; nobody sees
 * it before it is whole. False with errno. */
bool report_deliver_file(
    const char *folder, const char *name, struct bytes message);
/* Runs PROGRAM -i -f <> -- TO with MESSAGE, of at most 64 kB, on its standard
 * input and nothing else open, for half a minute at most. False where it does
 * not end with 0. */
bool report_deliver_program(
    const char *program, const char *to, struct bytes message);

#endif
