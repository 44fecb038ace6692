/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readfile - a small file, whole
 */
#ifndef READFILE_H
#define READFILE_H

#include "buf.h"

/* Appends the file PATH ("-": standard input) to TEXT, whose cap is the
 * largest file that is taken. Complains of what goes wrong and returns the
 * exit code; 0 is success. */
int readfile(const char *path, struct buf *text);

#endif
