/* SPDX-License-Identifier: BSD-2-Clause */
#include "postfix.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "keyfile.h"
#include "listener.h"
#include "postfix_conf.h"

enum {
	MAX_VALUE_BYTES = 1 << 16
};

struct postfix {
	const struct config *config;
	struct config_problems *problems;
	struct postfix_conf conf;
	char queue[PATH_MAX], owner[sizeof(((struct account *)NULL)->name)];
	bool named; /* somewhere, as Postfix finds it, or who can tell */
};

/* A list of milters, and where it is. */
struct milters {
	const char *file, *setting, *value;
	unsigned line;
	unsigned chroot_line; /* of master.cf; 0: for nobody's chroot */
};

static bool
is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (strcmp(a, b) == 0)
		return true;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	    x.st_ino == y.st_ino;
}

/* One of MILTERS at PATH, where OURS is the path of our socket. */
static void
check_path(struct postfix *postfix, const struct milters *milters,
    const char *path, const char *ours)
{
	bool chroot = milters->chroot_line > 0;
	char inside[PATH_MAX + MAX_VALUE_BYTES];
	const char *outside = path[0] == '/' ? path : inside;

	snprintf(inside, sizeof(inside), "%s/%s", postfix->queue,
	    path + strspn(path, "/"));
	if (is_same_file(chroot ? inside : outside, ours)) {
		postfix->named = true;
	} else if (strcmp(outside, ours) == 0) {
		postfix->named = true;
		config_problem(postfix->problems, milters->file, milters->line,
		    milters->setting,
		    "%s is %s for Postfix, which runs in a chroot (%s:%u): "
		    "write socket = \"unix:%s\" in %s, or n for y there",
		    path, inside, postfix->conf.master_cf, milters->chroot_line,
		    inside, postfix->config->file);
	} else if (strcmp(inside, ours) == 0) {
		postfix->named = true;
		config_problem(postfix->problems, milters->file, milters->line,
		    milters->setting,
		    "%s is not in a chroot for Postfix (%s): write unix:%s",
		    path, postfix->conf.master_cf, ours);
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
check_each(struct postfix *postfix, const struct milters *milters, char *text)
{
	const char *ours = listener_path(postfix->config->socket);
	char *rest = NULL;

	for (char *milter = strtok_r(text, " \t\r\n,{}", &rest); milter != NULL;
	     milter = strtok_r(NULL, " \t\r\n,{}", &rest)) {
		bool is_inet = strncmp(milter, "inet:", 5) == 0;
		const char *path = is_inet ? NULL : strchr(milter, ':');

		if (ours != NULL && path != NULL &&
		    listener_path(milter) != NULL)
			check_path(postfix, milters, path + 1, ours);
		else if (ours == NULL && is_inet &&
		    is_our_port(postfix, milter))
			postfix->named = true;
	}
}

static void
check_milters(struct postfix *postfix, const struct milters *milters)
{
	struct buf text;

	buf_init(&text, MAX_VALUE_BYTES);
	/* What can't be told may well name us. */
	if (!postfix_conf_expand(&postfix->conf, milters->value, &text))
		postfix->named = true;
	else if (text.len > 0 && !text.failed)
		check_each(postfix, milters, text.data);
	buf_fini(&text);
}

/* The line of a service that runs COMMAND in a chroot and takes NAME from
 * main.cf; 0 for none. */
static unsigned
find_chroot(const struct postfix *postfix, enum postfix_command command,
    const char *name)
{
	const struct postfix_service *service = postfix->conf.services;
	unsigned line = 0;

	for (; service != NULL; service = service->next)
		if (service->command == command && service->chroot &&
		    postfix_conf_find(service->options, name) == NULL)
			line = service->line;
	return line;
}

/* A setting that COMMAND reads, in main.cf and in the services that have one
 * of their own. */
static void
check_setting(
    struct postfix *postfix, enum postfix_command command, const char *name)
{
	const struct postfix_conf *conf = &postfix->conf;
	const struct postfix_service *service = conf->services;
	const struct postfix_parameter *parameter =
	    postfix_conf_find(conf->parameters, name);

	if (parameter != NULL)
		check_milters(postfix,
		    &(struct milters){ conf->main_cf, name, parameter->value,
			parameter->line, find_chroot(postfix, command, name) });
	for (; service != NULL; service = service->next) {
		parameter = postfix_conf_find(service->options, name);
		if (service->command == command && parameter != NULL)
			check_milters(postfix,
			    &(struct milters){ conf->master_cf, name,
				parameter->value, service->line,
				service->chroot ? service->line : 0 });
	}
}

/* As main.cf writes it. */
static void
milter_text(const struct postfix *postfix, char *out, size_t size)
{
	const char *socket = postfix->config->socket;
	const char *path = listener_path(socket);
	const char *port = strchr(socket, ':'), *at = strchr(socket, '@');
	const char *queue = postfix->queue;

	if (path != NULL &&
	    find_chroot(postfix, POSTFIX_SMTPD, "smtpd_milters") > 0 &&
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
	const struct postfix_parameter *parameter =
	    postfix_conf_find(postfix->conf.parameters, "smtpd_milters");
	char milter[PATH_MAX];

	if (postfix->named)
		return;
	milter_text(postfix, milter, sizeof(milter));
	config_warning(postfix->problems, postfix->conf.main_cf,
	    parameter != NULL ? parameter->line : 0, "smtpd_milters",
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
	    !account_find(postfix->owner, &account))
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
	if (!account_may(&account, NULL, &st, S_IWOTH))
		config_problem(postfix->problems, config->file, 0,
		    "socket_mode",
		    "user %s can't connect to %s (mode %04o): socket_mode = "
		    "\"0660\"; socket_group = \"%s\";",
		    account.name, path, (unsigned)config->socket_mode,
		    account.name);
}

/* The value of a parameter of main.cf; INITIAL where that can't be told. */
static void
read_parameter(const struct postfix *postfix, const char *name,
    const char *initial, char *out, size_t size)
{
	const struct postfix_parameter *parameter =
	    postfix_conf_find(postfix->conf.parameters, name);
	struct buf text;

	buf_init(&text, size);
	if (parameter != NULL &&
	    postfix_conf_expand(&postfix->conf, parameter->value, &text) &&
	    text.len > 0 && !text.failed)
		initial = text.data;
	snprintf(out, size, "%s", initial);
	buf_fini(&text);
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
	if (postfix_conf_read(&postfix->conf, folder)) {
		read_parameter(postfix, "queue_directory", "/var/spool/postfix",
		    postfix->queue, sizeof(postfix->queue));
		read_parameter(postfix, "mail_owner", "postfix", postfix->owner,
		    sizeof(postfix->owner));
		check_setting(postfix, POSTFIX_SMTPD, "smtpd_milters");
		check_setting(postfix, POSTFIX_CLEANUP, "non_smtpd_milters");
		check_named(postfix);
		check_access(postfix);
	}
	postfix_conf_fini(&postfix->conf);
	free(postfix);
}
