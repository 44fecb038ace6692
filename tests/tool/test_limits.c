/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages made to cost much: they cost little, in time and in memory. The
 * test itself keeps small, for a process begins with its parent's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <time.h>

#include <cmocka.h>

#include "command_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int
set_up(void **state)
{
	struct command_run run;

	command_enter_folder(state);
	command_line(
	    "keygen -d example.com -s e -t ed25519 -o .", bytes_str(""), &run);
	assert_int_equal(run.code, EX_OK);
	command_write_file("zone", run.out.data, run.out.len);
	command_run_fini(&run);
	return 0;
}

static int
shell(const char *line)
{
	int status = system(line);

	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The most memory that a process begun so far has had. */
static long
most_memory_kb(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
	return usage.ru_maxrss;
}

static void
sign_and_verify(const char *octets)
{
	char line[512];

	snprintf(line, sizeof(line),
	    "(printf 'From: joe@example.com\\n\\n';"
	    " head -c %s /dev/zero | tr '\\0' x | fold -w 70) |"
	    " \"$SIGNPOST\" sign -d example.com -s e -k example.com/e.pem"
	    " >signed && \"$SIGNPOST\" verify --keys zone <signed >/dev/null",
	    octets);
	assert_int_equal(shell(line), EX_OK);
}

/* field: A22 */
static void
a_message_is_never_held_whole(void **state)
{
	long small_kb;

	(void)state;
	sign_and_verify("100000");
	small_kb = most_memory_kb();
	sign_and_verify("64000000");
	assert_true(most_memory_kb() - small_kb < 4096);
}

static void
hostile_messages_end_soon(void **state)
{
	static const struct {
		const char *name;
		const char *first, *repeated;
		size_t times;
		const char *last;
		int code;
	} rows[] = {
		{ "100,000 fields", "From: joe@example.com\n", "X: y\n", 100000,
		    "", 1 },
		{ "a field of many lines", "X:", " y\n", 500000, "", 1 },
		{ "h= with 100,000 names",
		    "DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=e;\n"
		    " b=YQ==; bh=YQ==; h=from",
		    ":x", 100000, "\n", 1 },
		{ "a signature of 60 kB",
		    "DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=e;\n"
		    " h=from; bh=YQ==; b=",
		    "YWFh", 15000, "\n", 1 },
		{ "10,000 signatures", "",
		    "DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=e; "
		    "h=from; bh=YWFh; b=YWFh\n",
		    10000, "", 1 },
		{ "tags without end", "DKIM-Signature: ", "a=b;", 16000, "\n",
		    1 },
		{ "nested comments in From", "From: ", "(", 100000, "\n", 1 },
		{ "From with 100,000 mailboxes", "From: a@b.test", ",a@b.test",
		    100000, "\n", 1 },
		{ "a header of 17 MB", "X: ", "0123456789abcdef", 1100000, "\n",
		    EX_DATAERR },
		{ "a line without end", "", "0123456789abcdef", 1100000, "",
		    EX_DATAERR },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct command_run run;
		struct timespec begin, end;
		FILE *file = fopen("hostile", "w");

		print_message("  %s\n", rows[i].name);
		assert_non_null(file);
		fputs(rows[i].first, file);
		for (size_t n = 0; n < rows[i].times; n++)
			fputs(rows[i].repeated, file);
		fputs(rows[i].last, file);
		fputs("\nbody\n", file);
		assert_int_equal(fclose(file), 0);
		clock_gettime(CLOCK_MONOTONIC, &begin);
		command_line(
		    "verify --json --keys zone hostile", bytes_str(""), &run);
		clock_gettime(CLOCK_MONOTONIC, &end);
		assert_int_equal(run.code, rows[i].code);
		assert_true(end.tv_sec - begin.tv_sec < 10);
		command_run_fini(&run);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_is_never_held_whole),
		cmocka_unit_test(hostile_messages_end_soon),
	};

	return cmocka_run_group_tests(tests, set_up, command_leave_folder);
}
