/* SPDX-License-Identifier: BSD-2-Clause */
#include "mailfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char folder[] = "/tmp/signpost-mailfile.XXXXXX";

static int
make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int
remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static struct mailfile *
open_text(const char *text, size_t len, char path[64])
{
	struct mailfile *mail;
	FILE *file;

	snprintf(path, 64, "%s/message", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(mailfile_open(path, true, &mail), 0);
	return mail;
}

/* All that a message holds: "<name|value>" for each field, then the body. */
static void
read_all(struct mailfile *mail, struct buf *out)
{
	struct mail_field field;
	struct bytes piece;
	bool more;

	while (mailfile_field(mail, &field, &more) == 0 && more) {
		buf_append_char(out, '<');
		buf_append_bytes(out, field.name);
		buf_append_char(out, '|');
		buf_append_bytes(out, field.value);
		buf_append_char(out, '>');
	}
	while (mailfile_body(mail, &piece, &more) == 0 && more)
		buf_append_bytes(out, piece);
	assert_false(out->failed);
}

static void
messages_are_read_as_mail_would_carry_them(void **state)
{
	static const struct {
		const char *name, *input, *want;
	} rows[] = {
		{ "CRLF", "A: b\r\nC: d\r\n\r\nx\r\n", "<A| b><C| d>x\r\n" },
		{ "LF", "A: b\nC: d\n\nx\ny\n", "<A| b><C| d>x\r\ny\r\n" },
		{ "mixed", "A: b\nC: d\r\n\nx\r\ny\n",
		    "<A| b><C| d>x\r\ny\r\n" },
		{ "folded", "A: b\n c\n\td\n\nx", "<A| b\n c\n\td>x" },
		{ "folded, white space alone", "A: b\n \nC: d\n\n",
		    "<A| b\n ><C| d>" },
		{ "space before the colon", "A : b\n\nx", "<A | b>x" },
		{ "no value", "A:\n\nx", "<A|>x" },
		{ "header only", "A: b\n", "<A| b>" },
		{ "header only, no line end", "A: b", "<A| b>" },
		{ "empty body", "A: b\n\n", "<A| b>" },
		{ "empty lines", "A: b\n\n\n\n", "<A| b>\r\n\r\n" },
		{ "lone CR", "A: b\rc\n\nx\ry\r\r\nz", "<A| b\rc>x\ry\r\r\nz" },
		{ "From line of a mailbox", "From a@b Mon\nA: b\n\nx",
		    "<A| b>x" },
		{ "no field ends the header", "A: b\nC d\nE: f\n\nx",
		    "<A| b>C d\r\nE: f\r\n\r\nx" },
		{ "8-bit in a name", "A: b\n\xc3\xbc: c\n\nx",
		    "<A| b>\xc3\xbc: c\r\n\r\nx" },
		{ "no header", "\nA: b\n", "A: b\r\n" },
		{ "folding first", " A: b\n\nx", " A: b\r\n\r\nx" },
		{ "empty", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char path[64];
		struct mailfile *mail =
		    open_text(rows[i].input, strlen(rows[i].input), path);
		struct buf out;

		print_message("  %s\n", rows[i].name);
		buf_init(&out, SIZE_MAX);
		read_all(mail, &out);
		assert_string_equal(out.len > 0 ? out.data : "", rows[i].want);
		buf_fini(&out);
		mailfile_close(mail);
		unlink(path);
	}
}

/* Line ends and fields lie across the borders of what is read at once. */
static void
pieces_do_not_show(void **state)
{
	char *text = malloc(3 * MAILFILE_PIECE_BYTES);

	(void)state;
	assert_non_null(text);
	for (size_t shift = 0; shift < 8; shift++) {
		size_t len = MAILFILE_PIECE_BYTES - shift, want_len;
		char path[64];
		struct mailfile *mail;
		struct buf out, want;

		buf_init(&out, SIZE_MAX);
		buf_init(&want, SIZE_MAX);
		memset(text, 'x', len);
		memcpy(text, "A: b\r\n\r\n", 8);
		memcpy(text + len, "\r\ny\nz\r\r\n\0\n", 11);
		mail = open_text(text, len + 11, path);
		read_all(mail, &out);
		buf_append_str(&want, "<A| b>");
		buf_append(&want, text + 8, len - 8);
		buf_append(&want, "\r\ny\r\nz\r\r\n\0\r\n", 13);
		want_len = want.len;
		assert_int_equal(out.len, want_len);
		assert_memory_equal(out.data, want.data, want_len);
		buf_fini(&out);
		buf_fini(&want);
		mailfile_close(mail);
		unlink(path);
	}
	free(text);
}

static void
a_copy_is_byte_for_byte(void **state)
{
	static const char text[] = "From x\nA: b\r\n c\n\n\0x\ry\n\xff";
	char path[64], *copied;
	size_t len;
	struct mailfile *mail = open_text(text, sizeof(text) - 1, path);
	FILE *memory = open_memstream(&copied, &len);
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	read_all(mail, &out);
	assert_string_equal(mail->line_end, "\n");
	assert_int_equal(mailfile_copy_mbox_line(mail, memory), 0);
	fputc('|', memory);
	assert_int_equal(mailfile_copy(mail, memory), 0);
	fclose(memory);
	assert_int_equal(len, sizeof(text));
	assert_memory_equal(copied, "From x\n|", 8);
	assert_memory_equal(copied + 8, text + 7, len - 8);
	free(copied);
	buf_fini(&out);
	mailfile_close(mail);
	unlink(path);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_read_as_mail_would_carry_them),
		cmocka_unit_test(pieces_do_not_show),
		cmocka_unit_test(a_copy_is_byte_for_byte),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
