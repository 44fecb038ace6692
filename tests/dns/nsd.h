/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nsd - a private NSD on a free port of 127.0.0.1, in a folder of its own
 *
 * It serves plain.test and signed.test, whose record "altered" was changed
 * after signing, and gives UDP answers of at most 512 octets.
 */
#ifndef NSD_H
#define NSD_H

#include <stdbool.h>
#include <sys/types.h>

struct nsd {
	char dir[64];
	char anchor[96];       /* file: the key that signed signed.test */
	char wrong_anchor[96]; /* file: another */
	char address[32];      /* "127.0.0.1@PORT" */
	char long_text[900];   /* the record at long.plain.test */
	pid_t pid;
};

/* False where NSD or ldnsutils is not installed. */
bool nsd_is_installed(void);
void nsd_start(struct nsd *nsd);
void nsd_stop(struct nsd *nsd);

#endif
