/* SPDX-License-Identifier: BSD-2-Clause */
#include "postfix.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "buf.h"
#include "keyfile.h"
#include "listener.h"

enum {
	VALUE_BYTES = 4096,
	MAX_FILE_BYTES = 1 << 20
};

struct value {
	char text[VALUE_BYTES];
	unsigned line;
};

struct postfix {
	const struct config *config;
	struct config_problems *problems;
	char main_cf[PATH_MAX], master_cf[PATH_MAX];
	struct value smtpd_milters, non_smtpd_milters, queue, owner;
	unsigned chroot_line; /* of master.cf; 0: nobody's chroot */
	bool named;	      /* in main.cf, as Postfix finds it */
};

/* Told of a logical line: what begins with white space belongs to the line
 * before (postconf(5), master(5)). */
typedef void take_line(struct postfix *postfix, char *text, unsigned line);

static const char space[] = " \t\r\n";

/* False where there is no such file. */
static bool
read_lines(struct postfix *postfix, const char *path, take_line *take)
{
	FILE *file = fopen(path, "re");
	char part[VALUE_BYTES];
	struct buf text;
	unsigned line = 0, first = 1;

	if (file == NULL)
		return false;
	buf_init(&text, MAX_FILE_BYTES);
	while (fgets(part, sizeof(part), file) != NULL) {
		line++;
		if (part[0] == '#' || part[strspn(part, space)] == '\0')
			continue;
		if (!is_wsp(part[0])) {
			if (text.len > 0)
				take(postfix, text.data, first);
			buf_clear(&text);
			first = line;
		}
		buf_append_str(&text, part);
	}
	if (text.len > 0 && !text.failed)
		take(postfix, text.data, first);
	buf_fini(&text);
	fclose(file);
	return true;
}

static void
take_main(struct postfix *postfix, char *text, unsigned line)
{
	const struct {
		const char *name;
		struct value *value;
	} wanted[] = {
		{ "smtpd_milters", &postfix->smtpd_milters },
		{ "non_smtpd_milters", &postfix->non_smtpd_milters },
		{ "queue_directory", &postfix->queue },
		{ "mail_owner", &postfix->owner },
	};
	char *equals = strchr(text, '=');
	struct bytes name, value;

	if (equals == NULL)
		return;
	name = bytes_trim(bytes_of(text, (size_t)(equals - text)));
	value = bytes_trim(bytes_str(equals + 1));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (bytes_is(name, wanted[i].name)) {
			snprintf(wanted[i].value->text, VALUE_BYTES, "%.*s",
			    (int)value.len, value.data);
			wanted[i].value->line = line;
		}
}

/* master(5): service, type, private, unprivileged, chroot, wakeup, limit,
 * command. Milters are spoken to by smtpd and by cleanup. */
static void
take_master(struct postfix *postfix, char *text, unsigned line)
{
	char *fields[8], *rest = NULL;
	size_t count = 0;

	for (char *field = strtok_r(text, space, &rest);
	     field != NULL && count < 8; field = strtok_r(NULL, space, &rest))
		fields[count++] = field;
	if (count == 8 && strcmp(fields[4], "y") == 0 &&
	    (strcmp(fields[7], "smtpd") == 0 ||
		strcmp(fields[7], "cleanup") == 0) &&
	    postfix->chroot_line == 0)
		postfix->chroot_line = line;
}

static bool
is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (strcmp(a, b) == 0)
		return true;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	    x.st_ino == y.st_ino;
}

/* A milter of main.cf at PATH, where OURS is the path of our socket. */
static void
check_path(struct postfix *postfix, const char *setting,
    const struct value *value, const char *path, const char *ours)
{
	const char *queue = postfix->queue.text;
	bool chroot = postfix->chroot_line > 0;
	char inside[PATH_MAX + VALUE_BYTES];
	const char *outside = path[0] == '/' ? path : inside;

	snprintf(
	    inside, sizeof(inside), "%s/%s", queue, path + strspn(path, "/"));
	if (is_same_file(chroot ? inside : outside, ours)) {
		postfix->named = true;
	} else if (strcmp(outside, ours) == 0) {
		postfix->named = true;
		config_problem(postfix->problems, postfix->main_cf, value->line,
		    setting,
		    "%s is %s for Postfix, which runs in a chroot (%s:%u): "
		    "write socket = \"unix:%s\" in %s, or n for y there",
		    path, inside, postfix->master_cf, postfix->chroot_line,
		    inside, postfix->config->file);
	} else if (strcmp(inside, ours) == 0) {
		postfix->named = true;
		config_problem(postfix->problems, postfix->main_cf, value->line,
		    setting,
		    "%s is not in a chroot for Postfix (%s): write unix:%s",
		    path, postfix->master_cf, ours);
	}
}

/* "8891" of "inet:8891@127.0.0.1". */
static bool
is_our_port(const struct postfix *postfix, const char *address)
{
	const char *ours = strchr(postfix->config->socket, ':');
	const char *theirs = strrchr(address, ':');
	size_t len = ours == NULL ? 0 : strcspn(ours + 1, "@");

	return theirs != NULL && len > 0 && strlen(theirs + 1) == len &&
	    strncmp(theirs + 1, ours + 1, len) == 0;
}

static void
check_milters(
    struct postfix *postfix, const char *setting, const struct value *value)
{
	const char *ours = listener_path(postfix->config->socket);
	char text[VALUE_BYTES], *rest = NULL;

	snprintf(text, sizeof(text), "%s", value->text);
	for (char *milter = strtok_r(text, " \t\r\n,{}", &rest); milter != NULL;
	     milter = strtok_r(NULL, " \t\r\n,{}", &rest)) {
		bool is_inet = strncmp(milter, "inet:", 5) == 0;
		const char *path = is_inet ? NULL : strchr(milter, ':');

		if (ours != NULL && path != NULL &&
		    listener_path(milter) != NULL)
			check_path(postfix, setting, value, path + 1, ours);
		else if (ours == NULL && is_inet &&
		    is_our_port(postfix, milter))
			postfix->named = true;
	}
}

/* As main.cf writes it. */
static void
milter_text(const struct postfix *postfix, char *out, size_t size)
{
	const char *socket = postfix->config->socket;
	const char *path = listener_path(socket);
	const char *port = strchr(socket, ':'), *at = strchr(socket, '@');
	const char *queue = postfix->queue.text;

	if (path != NULL && postfix->chroot_line > 0 &&
	    strncmp(path, queue, strlen(queue)) == 0)
		path += strlen(queue);
	if (path != NULL)
		snprintf(out, size, "unix:%s", path);
	else if (port != NULL && at != NULL)
		snprintf(out, size, "inet:%s:%.*s", at + 1,
		    (int)(at - port - 1), port + 1);
	else
		snprintf(out, size, "%s", socket);
}

static void
check_named(struct postfix *postfix)
{
	char milter[VALUE_BYTES];

	if (postfix->named)
		return;
	milter_text(postfix, milter, sizeof(milter));
	config_warning(postfix->problems, postfix->main_cf,
	    postfix->smtpd_milters.line, "smtpd_milters",
	    "Postfix is not told of the socket: smtpd_milters = %s", milter);
}

/* Connecting takes the right to write to the socket, whose owner, group and
 * mode will be those of the configuration. */
static void
check_access(const struct postfix *postfix)
{
	const struct config *config = postfix->config;
	const char *path = listener_path(config->socket);
	struct account account;
	struct keyfile_user user;
	struct stat st = { .st_mode = config->socket_mode };
	char why[ACCOUNT_WHY_BYTES];

	if (path == NULL || path[0] != '/' ||
	    !account_find(postfix->owner.text, &account))
		return;
	if (!account_reaches(&account, path, why))
		config_problem(postfix->problems, config->file, 0, "socket",
		    "Postfix can't reach it: %s", why);
	keyfile_find_user(config, &user);
	st.st_uid = user.uid;
	st.st_gid = user.gid;
	if (config->socket_group[0] != '\0' &&
	    !account_group(config->socket_group, &st.st_gid)) {
		config_problem(postfix->problems, config->file, 0,
		    "socket_group",
		    "there is no group %s: addgroup --system %s",
		    config->socket_group, config->socket_group);
		return;
	}
	if (!account_may(&account, &st, S_IWOTH))
		config_problem(postfix->problems, config->file, 0,
		    "socket_mode",
		    "user %s can't connect to %s (mode %04o): socket_mode = "
		    "\"0660\"; socket_group = \"%s\";",
		    account.name, path, (unsigned)config->socket_mode,
		    account.name);
}

void
postfix_check(const struct config *config, const char *folder,
    struct config_problems *problems)
{
	struct postfix *postfix = calloc(1, sizeof(*postfix));

	if (postfix == NULL) {
		config_problem(problems, config->file, 0, "", "out of memory");
		return;
	}
	postfix->config = config;
	postfix->problems = problems;
	strcpy(postfix->queue.text, "/var/spool/postfix");
	strcpy(postfix->owner.text, "postfix");
	snprintf(postfix->main_cf, PATH_MAX, "%s/main.cf", folder);
	snprintf(postfix->master_cf, PATH_MAX, "%s/master.cf", folder);
	if (read_lines(postfix, postfix->main_cf, take_main)) {
		read_lines(postfix, postfix->master_cf, take_master);
		check_milters(
		    postfix, "smtpd_milters", &postfix->smtpd_milters);
		check_milters(
		    postfix, "non_smtpd_milters", &postfix->non_smtpd_milters);
		check_named(postfix);
		check_access(postfix);
	}
	free(postfix);
}
