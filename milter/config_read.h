/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_read - the text of a configuration as a tree, read where it can't
 * hurt
 *
 * libconfig 1.5 may end the process (an @include that opens but can't be
 * read), crash it (any allocation that fails) or take endless time and memory
 * (files that include each other). A daemon must survive each reload, so the
 * parser always runs in a child, at the first start as at a reload, in the
 * daemon as in the command and the tests: one way, tested everywhere. The
 * child writes flat rows to a pipe; this side never runs libconfig, and trusts
 * the rows no more than any input: size, count, depth and time are capped.
 *
 * The child is a plain fork(2). Running another program instead would need a
 * path that holds after rights were dropped, in a chroot and under a test.
 * What speaks against fork in a process with threads, that a lock may be held
 * by a thread which the child does not have, is met thus: the C library makes
 * its allocator usable in the child; the child touches nothing else that is
 * shared; it ends by _exit(2) without running anything of the parent's (a
 * handler sees to that where libconfig calls exit(3)); and one that hangs for
 * all that, as under an allocator that does not care for forks (that of a
 * sanitizer), is killed after a short time and tried again with a longer one.
 * At worst a reload fails in bounded time, and the daemon goes on with what it
 * has. The child closes every descriptor but its pipe, so no client waits for
 * it, takes no signal handler with it, and may neither write core files nor
 * use more than CONFIG_READ_MAX_MEMORY beyond what it began with.
 *
 * Threads: config_read_tree from any; a tree belongs to one thread.
 */
#ifndef CONFIG_READ_H
#define CONFIG_READ_H

#include "config.h"

enum {
	CONFIG_READ_MAX_BYTES = 128 << 20,   /* of rows */
	CONFIG_READ_MAX_MEMORY = 1024 << 20, /* octets */
	CONFIG_READ_MAX_NODES = 4000000,
	CONFIG_READ_MAX_DEPTH = 16
};

enum config_kind {
	CONFIG_GROUP,
	CONFIG_LIST,
	CONFIG_ARRAY,
	CONFIG_STRING,
	CONFIG_INTEGER, /* the value in decimal */
	CONFIG_FLOAT,
	CONFIG_BOOLEAN, /* "true" or "false" */
};

/* A setting, or an element of a list. */
struct config_node {
	enum config_kind kind;
	unsigned line;
	const char *file;
	const char *name;  /* "" for elements and the root */
	const char *value; /* "" for groups, lists and arrays */
	struct config_node *child, *next;
};

struct config_tree;

/* Reads FILE and what it includes, names relative to FILE's folder. NULL where
 * that failed, which has added problems; problems may be added beside a tree,
 * too. */
struct config_tree *config_read_tree(
    const char *file, struct config_problems *problems);
void config_tree_free(struct config_tree *tree);
const struct config_node *config_tree_root(const struct config_tree *tree);
/* How many children NODE has. */
size_t config_node_count(const struct config_node *node);
/* A tree of ROWS (copied), as the child writes them; NULL where they are not
 * what it writes. Adds the problems that they carry. */
struct config_tree *config_tree_parse(
    struct bytes rows, struct config_problems *problems);
/* The configuration that TREE stands for, FILE being the main one's name; NULL
 * where PROBLEMS holds an error. */
const struct config *config_from_tree(const char *file,
    const struct config_tree *tree, struct config_problems *problems);

#endif
