/* SPDX-License-Identifier: BSD-2-Clause */
#include "postfix_conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

enum {
	PART_BYTES = 4096,
	MAX_FILE_BYTES = 1 << 20,
	MAX_VALUE_BYTES = 1 << 16,
	MAX_DEPTH = 16 /* of names within the values of names */
};

static const char space[] = " \t\r\n";

/* Told of a logical line: what begins with white space belongs to the line
 * before (postconf(5), master(5)). */
typedef void take_line(struct postfix_conf *conf, char *text, unsigned line);

/* False where there is no such file. */
static bool
read_lines(struct postfix_conf *conf, const char *path, take_line *take)
{
	FILE *file = fopen(path, "re");
	char part[PART_BYTES];
	struct buf text;
	unsigned line = 0, first = 1;
	bool begins = true; /* PART is to be the beginning of a line */

	if (file == NULL)
		return false;
	buf_init(&text, MAX_FILE_BYTES);
	while (fgets(part, sizeof(part), file) != NULL) {
		bool goes_on = !begins;

		begins = strchr(part, '\n') != NULL;
		line += !goes_on;
		if (!goes_on &&
		    (part[0] == '#' || part[strspn(part, space)] == '\0'))
			continue;
		if (!goes_on && !is_wsp(part[0])) {
			if (text.len > 0)
				take(conf, text.data, first);
			buf_clear(&text);
			first = line;
		}
		buf_append_str(&text, part);
	}
	if (text.len > 0 && !text.failed)
		take(conf, text.data, first);
	buf_fini(&text);
	fclose(file);
	return true;
}

/* Puts "name = value" before those in LIST. */
static void
add_parameter(struct postfix_parameter **list, const char *text, unsigned line)
{
	const char *equals = strchr(text, '=');
	struct postfix_parameter *parameter;
	struct bytes name, value;

	parameter = equals != NULL ? calloc(1, sizeof(*parameter)) : NULL;
	if (parameter == NULL)
		return;
	name = bytes_trim(bytes_of(text, (size_t)(equals - text)));
	value = bytes_trim(bytes_str(equals + 1));
	parameter->name = strndup(name.data, name.len);
	parameter->value = strndup(value.data, value.len);
	parameter->line = line;
	if (parameter->name == NULL || parameter->value == NULL) {
		free(parameter->name);
		free(parameter->value);
		free(parameter);
		return;
	}
	parameter->next = *list;
	*list = parameter;
}

static void
take_main(struct postfix_conf *conf, char *text, unsigned line)
{
	add_parameter(&conf->parameters, text, line);
}

/* How far the text from a bracket OPEN to its CLOSE is, both counted; 0 where
 * it is not closed. */
static size_t
bracket_len(const char *text, char open, char close)
{
	size_t depth = 0;

	for (size_t i = 0; text[i] != '\0'; i++) {
		if (text[i] == open)
			depth++;
		else if (text[i] == close && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* The next word of *REST, or what stands in braces; NULL for none. */
static char *
next_word(char **rest)
{
	char *word = *rest + strspn(*rest, space);
	size_t len = word[0] == '{' ? bracket_len(word, '{', '}') : 0;

	if (word[0] == '\0')
		return NULL;
	if (len > 0) {
		word++;
		len -= 2;
	} else {
		len = strcspn(word, space);
	}
	*rest = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

static bool
find_command(const char *name, enum postfix_command *command_r)
{
	static const char *const names[POSTFIX_COMMANDS] = {
		[POSTFIX_SMTPD] = "smtpd",
		[POSTFIX_CLEANUP] = "cleanup",
	};

	for (int i = 0; i < POSTFIX_COMMANDS; i++)
		if (strcmp(name, names[i]) == 0) {
			*command_r = (enum postfix_command)i;
			return true;
		}
	return false;
}

/* master(5): service, type, private, unprivileged, chroot, wakeup, limit,
 * command, and its arguments. */
static void
take_master(struct postfix_conf *conf, char *text, unsigned line)
{
	char *fields[8], *word;
	enum postfix_command command;
	struct postfix_service *service;

	for (int i = 0; i < 8; i++)
		if ((fields[i] = next_word(&text)) == NULL)
			return;
	if (!find_command(fields[7], &command) ||
	    (service = calloc(1, sizeof(*service))) == NULL)
		return;
	service->command = command;
	service->chroot = strcmp(fields[4], "y") == 0;
	service->line = line;
	while ((word = next_word(&text)) != NULL) {
		if (strncmp(word, "-o", 2) != 0)
			continue;
		word = word[2] != '\0' ? word + 2 : next_word(&text);
		if (word != NULL)
			add_parameter(&service->options, word, line);
	}
	service->next = conf->services;
	conf->services = service;
}

bool
postfix_conf_read(struct postfix_conf *conf, const char *folder)
{
	snprintf(conf->main_cf, PATH_MAX, "%s/main.cf", folder);
	snprintf(conf->master_cf, PATH_MAX, "%s/master.cf", folder);
	if (!read_lines(conf, conf->main_cf, take_main))
		return false;
	read_lines(conf, conf->master_cf, take_master);
	return true;
}

static void
free_parameters(struct postfix_parameter *list)
{
	while (list != NULL) {
		struct postfix_parameter *next = list->next;

		free(list->name);
		free(list->value);
		free(list);
		list = next;
	}
}

void
postfix_conf_fini(struct postfix_conf *conf)
{
	while (conf->services != NULL) {
		struct postfix_service *next = conf->services->next;

		free_parameters(conf->services->options);
		free(conf->services);
		conf->services = next;
	}
	free_parameters(conf->parameters);
	*conf = (struct postfix_conf){ 0 };
}

const struct postfix_parameter *
postfix_conf_find(const struct postfix_parameter *list, const char *name)
{
	while (list != NULL && strcmp(list->name, name) != 0)
		list = list->next;
	return list;
}

static bool expand(const struct postfix_conf *conf, const char *value,
    struct buf *out, int depth);

/* The name behind a "$", of *LEN_R octets with its brackets; LEN_R is 0 where
 * there is none that can be read. */
static struct bytes
name_at(const char *text, size_t *len_r)
{
	static const char letters[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t skip = text[0] == '{' || text[0] == '(';
	size_t len = strspn(text + skip, letters);
	char close = text[0] == '{' ? '}' : ')';

	*len_r = len;
	if (skip > 0)
		*len_r = text[1 + len] == close ? len + 2 : 0;
	return bytes_of(text + skip, len);
}

static bool
expand_name(const struct postfix_conf *conf, struct bytes name, struct buf *out,
    int depth)
{
	const struct postfix_parameter *parameter = conf->parameters;

	while (parameter != NULL && !bytes_is(name, parameter->name))
		parameter = parameter->next;
	return parameter != NULL && depth < MAX_DEPTH &&
	    expand(conf, parameter->value, out, depth + 1);
}

static bool
expand(const struct postfix_conf *conf, const char *value, struct buf *out,
    int depth)
{
	while (*value != '\0') {
		size_t len = strcspn(value, "$");
		struct bytes name;

		buf_append(out, value, len);
		value += len;
		if (*value == '\0' || out->len > MAX_VALUE_BYTES)
			break;
		value++;
		if (*value == '$') {
			buf_append_char(out, *value++);
			continue;
		}
		name = name_at(value, &len);
		if (len == 0 || !expand_name(conf, name, out, depth))
			return false;
		value += len;
	}
	return out->len <= MAX_VALUE_BYTES;
}

bool
postfix_conf_expand(
    const struct postfix_conf *conf, const char *value, struct buf *out)
{
	return expand(conf, value, out, 0);
}
