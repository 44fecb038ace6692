/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folder - a temporary folder of a test's own
 */
#ifndef FOLDER_H
#define FOLDER_H

#include <sys/types.h>

struct folder {
	char path[64];
};

void folder_make(struct folder *folder);
/* With all that is in it. */
void folder_remove(const struct folder *folder);
/* The same for cmocka, with the folder as *STATE. */
int folder_set_up(void **state);
int folder_tear_down(void **state);
/* NAME's path; good for three further calls, one thread's. */
const char *folder_path(const struct folder *folder, const char *name);
/* Makes a folder of MODE where there is none. */
void folder_add(const struct folder *folder, const char *name, mode_t mode);
/* Writes a file of MODE, over what was there. */
void folder_write(const struct folder *folder, const char *name, mode_t mode,
    const char *text);
void folder_write_bytes(const struct folder *folder, const char *name,
    mode_t mode, const void *data, size_t len);

#endif
