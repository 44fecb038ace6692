/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * publication_file - what is known of keys, kept over a restart
 *
 * A restart must not leave mail unsigned until all records have been looked up
 * again, and for longer where DNS can't be asked: a file has a line for each
 * key that is published. It is a text, written whole to FILE.new and renamed;
 * what is no line of it is passed over.
 *
 * Threads: as publication.h says of the checker.
 */
#ifndef PUBLICATION_FILE_H
#define PUBLICATION_FILE_H

#include "publication.h"

/* A FILE that is not there has no lines. False with errno. */
bool publication_file_read(const char *file, struct publication *publication);
bool publication_file_write(const char *file, struct publication *publication);

#endif
