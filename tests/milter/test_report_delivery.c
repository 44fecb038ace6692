/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_delivery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"

/* A program that takes its time, and what it is given then to "got". */
static const char *
write_program(const struct folder *folder)
{
	char text[256];

	snprintf(text, sizeof(text),
	    "#!/bin/sh\nsleep 0.3\ncat >%s/new && mv %s/new %s/got\n",
	    folder->path, folder->path, folder->path);
	folder_write(folder, "program", 0700, text);
	return folder_path(folder, "program");
}

/* More than a pipe takes while nobody reads is not sent, nor is its start. */
static void
a_program_gets_the_whole_message_or_none(void **state)
{
	static const struct {
		const char *name;
		size_t len;
		bool want;
	} rows[] = {
		{ "what a pipe takes", 65536, true },
		{ "an octet more", 65537, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *message = calloc(1, rows[i].len);
		struct folder folder;
		struct stat got;
		bool good, there;

		folder_make(&folder);
		good = report_deliver_program(write_program(&folder),
		    "a@example.com", bytes_of(message, rows[i].len));
		/* A program that was let go on would have ended by now. */
		usleep(rows[i].want ? 0 : 600000);
		there = stat(folder_path(&folder, "got"), &got) == 0;
		folder_remove(&folder);
		free(message);
		if (good != rows[i].want || there != rows[i].want)
			fail_msg("%s", rows[i].name);
		if (there)
			assert_int_equal(got.st_size, rows[i].len);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_gets_the_whole_message_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
