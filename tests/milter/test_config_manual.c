/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of settings, the manual page and the sample say the same. CONFDIR
 * is the folder of the latter two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config_settings.h"
#include "folder.h"

enum {
	FILE_MAX = 1 << 18
};

static void
read_file(const char *name, char text[FILE_MAX])
{
	const char *folder = getenv("CONFDIR");
	char path[4096];
	FILE *file;
	size_t len;

	assert_non_null(folder);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "r");
	assert_non_null(file);
	len = fread(text, 1, FILE_MAX - 1, file);
	assert_true(len > 0 && len < FILE_MAX - 1);
	text[len] = '\0';
	fclose(file);
}

/* "TYPE; default DEFAULT; RANGE; reload." */
static void
facts(const struct setting *setting, char *out, size_t size)
{
	char initial[1024], range[512];

	setting_default_text(setting, initial, sizeof initial);
	setting_range_text(setting, range, sizeof range);
	snprintf(out, size, "%s; default %s; %s%s%s.",
	    setting_type_name(setting->type), initial, range,
	    range[0] == '\0' ? "" : "; ",
	    setting->restart ? "restart" : "reload");
}

/* Whether TEXT begins with WANT, a line's end standing for a space. */
static bool
begins_with(const char *text, const char *want)
{
	while (*want != '\0' &&
	    (*text == *want || (*text == '\n' && *want == ' '))) {
		text++;
		want++;
	}
	return *want == '\0';
}

static void
test_the_manual_has_each_setting_as_the_table_says(void **state)
{
	static const char item[] = "\n.It Va ";
	static char text[FILE_MAX];
	const struct setting *setting;
	char head[128], want[2048];
	const char *at;
	size_t rows, items = 0;

	(void)state;
	read_file("signpost.conf.5", text);
	for (rows = 0; (setting = setting_get(rows)) != NULL; rows++) {
		snprintf(head, sizeof head, "%s%s\n", item, setting->name);
		at = strstr(text, head);
		if (at == NULL)
			fail_msg("%s is not in the manual", setting->name);
		facts(setting, want, sizeof want);
		if (!begins_with(at + strlen(head), want))
			fail_msg("%s: the manual does not say: %s",
			    setting->name, want);
	}
	for (at = text; (at = strstr(at, item)) != NULL; at++)
		items++;
	assert_int_equal(items, rows);
}

/* What the manual has as an example behind AT, in one line. */
static void
copy_example(const char *at, char *out, size_t size)
{
	static const char mark[] = "\n.br\nExample: ";
	const char *begin = strstr(at, mark), *end = strstr(at, "\n.Pp");
	size_t len;

	*out = '\0';
	if (begin == NULL || end == NULL || begin > end)
		return;
	begin += strlen(mark);
	len = (size_t)(end - begin);
	assert_true(len < size);
	memcpy(out, begin, len);
	out[len] = '\0';
	for (; *out != '\0'; out++)
		if (*out == '\n')
			*out = ' ';
}

static void
test_the_manual_has_an_example_of_each_setting_that_can_be_used(void **state)
{
	static char text[FILE_MAX];
	char head[128], example[512];
	const struct setting *setting;
	struct config_problems problems;
	const struct config *config;
	struct folder folder;

	(void)state;
	folder_make(&folder);
	read_file("signpost.conf.5", text);
	for (size_t i = 0; (setting = setting_get(i)) != NULL; i++) {
		const char *dot = strrchr(setting->name, '.');

		snprintf(head, sizeof head, "\n.It Va %s\n", setting->name);
		copy_example(strstr(text, head), example, sizeof example);
		snprintf(head, sizeof head,
		    "%s = ", dot != NULL ? dot + 1 : setting->name);
		if (strstr(example, head) == NULL)
			fail_msg("%s has no example", setting->name);
		folder_write(&folder, "example", 0600, example);
		config =
		    config_load(folder_path(&folder, "example"), &problems);
		if (config == NULL || problems.errors > 0)
			fail_msg("%s: %s", setting->name,
			    problems.count > 0 ? problems.items[0].text : "?");
		config_problems_fini(&problems);
		config_unref(config);
	}
	folder_remove(&folder);
}

/* Takes the "#" off the lines that show a setting: those with an even number
 * of spaces behind it. One begins a sentence, three an example. */
static void
uncomment(char *text)
{
	char *in, *out = text;
	bool begins = true;

	for (in = text; *in != '\0'; in++) {
		if (begins && in[0] == '#' && strspn(in + 1, " ") % 2 == 0) {
			begins = false;
			continue;
		}
		begins = *in == '\n';
		*out++ = *in;
	}
	*out = '\0';
}

static void
test_the_sample_loads_and_shows_what_is_so(void **state)
{
	static char text[FILE_MAX];
	const struct config *sample, *defaults;
	const struct setting *setting;
	struct config_problems problems;
	struct folder folder;
	size_t i;

	(void)state;
	folder_make(&folder);
	read_file("signpost.conf", text);
	folder_write(&folder, "sample", 0600, text);
	folder_write(&folder, "empty", 0600, "# all defaults\n");
	sample = config_load(folder_path(&folder, "sample"), &problems);
	assert_int_equal(problems.count, 0);
	assert_non_null(sample);
	defaults = config_load(folder_path(&folder, "empty"), &problems);
	for (i = 0; (setting = setting_get(i)) != NULL; i++)
		if (setting->scope == SCOPE_CONFIG &&
		    setting->type != SETTING_DOMAINS &&
		    !setting_equal(setting,
			setting_place(setting, (void *)sample),
			setting_place(setting, (void *)defaults)))
			fail_msg("the sample's %s is not the default",
			    setting->name);
	config_unref(sample);
	config_unref(defaults);

	/* What is commented out can be had, too. */
	uncomment(text);
	folder_write(&folder, "sample", 0600, text);
	sample = config_load(folder_path(&folder, "sample"), &problems);
	for (i = 0; i < problems.count; i++)
		print_error("%u: %s: %s\n", problems.items[i].line,
		    problems.items[i].setting, problems.items[i].text);
	assert_int_equal(problems.count, 0);
	assert_non_null(sample);
	assert_int_equal(sample->domain_count, 2);
	config_unref(sample);
	folder_remove(&folder);
}

static void
test_each_row_of_the_table_can_be_its_own_default(void **state)
{
	const struct setting *setting;
	size_t i, j;

	(void)state;
	for (i = 0; (setting = setting_get(i)) != NULL; i++) {
		assert_ptr_equal(setting_find(setting->name), setting);
		assert_true(strlen(setting->help) > 1);
		if (setting->check != NULL && setting->initial != NULL)
			assert_null(setting->check(setting->initial));
		for (j = 0; setting->list != NULL && setting->check != NULL &&
		     setting->list[j] != NULL;
		     j++)
			assert_null(setting->check(setting->list[j]));
	}
	assert_true(i > 60);
	assert_null(setting_find("nothing"));
	assert_ptr_equal(
	    setting_find("domains.expire"), setting_find("sign.expire"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    test_the_manual_has_each_setting_as_the_table_says),
		cmocka_unit_test(
		    test_the_manual_has_an_example_of_each_setting_that_can_be_used),
		cmocka_unit_test(test_the_sample_loads_and_shows_what_is_so),
		cmocka_unit_test(
		    test_each_row_of_the_table_can_be_its_own_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
