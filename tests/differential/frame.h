/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame - what the driver and a peer say to each other
 *
 * A frame is a count of octets (32 bits, big-endian) and that many octets:
 * items, each again a count and its octets. One frame is asked on standard
 * input, one answered on standard output. Whatever is not so ends the program:
 * the driver is the only one who asks.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>

struct item {
	char *data; /* a NUL stands behind it */
	size_t len;
};

struct frame {
	struct item *items;
	size_t count;
	size_t next; /* the one that frame_next gives */
};

/* The next frame asked; false at the end of the input. */
bool frame_read(struct frame *frame_r);
void frame_free(struct frame *frame);
/* The next item, in its turn. */
const struct item *frame_next(struct frame *frame);
long long frame_next_number(struct frame *frame);

/* The answer is written item by item, and sent by frame_send. */
struct answer {
	char *data;
	size_t len, room;
};
void answer_add(struct answer *answer, const void *data, size_t len);
void answer_add_text(struct answer *answer, const char *text);
void answer_add_number(struct answer *answer, long long number);
void answer_send(struct answer *answer);

#endif
