/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print_canon - canonical forms in bulk, for comparison with other programs
 *
 * Each line of standard input is some octets in hexadecimal; the line that
 * answers it is their canonical form as a body, simple and relaxed, and that of
 * a field "X " with this value, relaxed, in hexadecimal with a space between.
 */
#include "canon_body.h"
#include "canon_header.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void
to_buf(void *ctx, const char *data, size_t len)
{
	buf_append(ctx, data, len);
}

static void
print_hex(const struct buf *octets, char end)
{
	for (size_t i = 0; i < octets->len; i++)
		printf("%02x", (unsigned char)octets->data[i]);
	putchar(end);
}

static bool
read_hex(const char *line, struct buf *out)
{
	unsigned octet;
	int used;

	for (; *line != '\n' && *line != '\0'; line += used) {
		if (sscanf(line, "%2x%n", &octet, &used) != 1 || used != 2)
			return false;
		buf_append_char(out, (char)octet);
	}
	return true;
}

static void
print_body(enum signpost_canon canon, const struct buf *in, struct buf *out)
{
	struct canon_body body;

	buf_clear(out);
	canon_body_init(&body, canon, to_buf, out);
	canon_body_update(&body, in->data, in->len);
	canon_body_final(&body);
	print_hex(out, ' ');
}

int
main(void)
{
	struct buf in, out;
	char *line = NULL;
	size_t room = 0;
	int status = EXIT_SUCCESS;

	buf_init(&in, SIZE_MAX);
	buf_init(&out, SIZE_MAX);
	while (getline(&line, &room, stdin) > 0) {
		buf_clear(&in);
		if (!read_hex(line, &in)) {
			fprintf(stderr, "print_canon: not hexadecimal\n");
			status = EXIT_FAILURE;
			break;
		}
		print_body(SIGNPOST_SIMPLE, &in, &out);
		print_body(SIGNPOST_RELAXED, &in, &out);
		buf_clear(&out);
		canon_header(
		    SIGNPOST_RELAXED, bytes_str("X "), buf_bytes(&in), &out);
		print_hex(&out, '\n');
	}
	if (in.failed || out.failed)
		status = EXIT_FAILURE;
	free(line);
	buf_fini(&in);
	buf_fini(&out);
	return status;
}
