/* SPDX-License-Identifier: BSD-2-Clause */
#include "frame.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	COUNT_BYTES = 4
};

static size_t
read_count(const unsigned char *octets)
{
	return (size_t)octets[0] << 24 | (size_t)octets[1] << 16 |
	    (size_t)octets[2] << 8 | octets[3];
}

static void
write_count(unsigned char *octets, size_t count)
{
	octets[0] = (unsigned char)(count >> 24);
	octets[1] = (unsigned char)(count >> 16);
	octets[2] = (unsigned char)(count >> 8);
	octets[3] = (unsigned char)count;
}

/* Each item in memory of its own, so that a sanitizer sees its ends. */
static void
add_item(struct frame *frame, const unsigned char *data, size_t len)
{
	struct item *item;

	frame->items =
	    reallocarray(frame->items, frame->count + 1, sizeof(*frame->items));
	if (frame->items == NULL)
		err(1, "items");
	item = &frame->items[frame->count++];
	item->data = malloc(len + 1);
	item->len = len;
	if (item->data == NULL)
		err(1, "item");
	memcpy(item->data, data, len);
	item->data[len] = '\0';
}

bool
frame_read(struct frame *frame_r)
{
	unsigned char count[COUNT_BYTES];
	unsigned char *octets;
	size_t len;

	*frame_r = (struct frame){ .items = NULL };
	if (fread(count, 1, sizeof count, stdin) != sizeof count)
		return false;
	len = read_count(count);
	octets = malloc(len + 1);
	if (octets == NULL || fread(octets, 1, len, stdin) != len)
		errx(1, "a frame is cut off");
	for (size_t at = 0; at < len;) {
		size_t item;

		if (len - at < COUNT_BYTES)
			errx(1, "an item's count is cut off");
		item = read_count(octets + at);
		at += COUNT_BYTES;
		if (item > len - at)
			errx(1, "an item is cut off");
		add_item(frame_r, octets + at, item);
		at += item;
	}
	free(octets);
	return true;
}

void
frame_free(struct frame *frame)
{
	for (size_t i = 0; i < frame->count; i++)
		free(frame->items[i].data);
	free(frame->items);
}

const struct item *
frame_next(struct frame *frame)
{
	if (frame->next == frame->count)
		errx(1, "an item is missing");
	return &frame->items[frame->next++];
}

long long
frame_next_number(struct frame *frame)
{
	return strtoll(frame_next(frame)->data, NULL, 10);
}

static void
reserve(struct answer *answer, size_t len)
{
	if (answer->room - answer->len >= len)
		return;
	answer->room = (answer->len + len) * 2;
	answer->data = realloc(answer->data, answer->room);
	if (answer->data == NULL)
		err(1, "answer");
}

void
answer_add(struct answer *answer, const void *data, size_t len)
{
	reserve(answer, COUNT_BYTES + len);
	write_count((unsigned char *)answer->data + answer->len, len);
	if (len > 0)
		memcpy(answer->data + answer->len + COUNT_BYTES, data, len);
	answer->len += COUNT_BYTES + len;
}

void
answer_add_text(struct answer *answer, const char *text)
{
	answer_add(answer, text, strlen(text));
}

void
answer_add_number(struct answer *answer, long long number)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", number);
	answer_add_text(answer, text);
}

void
answer_send(struct answer *answer)
{
	unsigned char count[COUNT_BYTES];

	write_count(count, answer->len);
	if (fwrite(count, 1, sizeof count, stdout) != sizeof count ||
	    fwrite(answer->data, 1, answer->len, stdout) != answer->len ||
	    fflush(stdout) != 0)
		err(1, "standard output");
	free(answer->data);
	*answer = (struct answer){ .data = NULL };
}
