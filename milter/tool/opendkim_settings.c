/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_settings.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config_check.h"
#include "config_text.h"
#include "opendkim_headers.h"
#include "opendkim_hosts.h"
#include "opendkim_set.h"

/* What is written: settings, or those of a group. */
struct writing {
	const struct opendkim_conf *conf;
	struct import *import;
	struct buf *out;
	const char *indent;
	struct buf exempt; /* clients, for two groups */
};

/* Translates VALUE, which is set. */
typedef void translate(
    struct writing *writing, const struct opendkim_value *value);

static void
write_name(struct writing *writing, const char *name)
{
	buf_printf(writing->out, "%s%s = ", writing->indent, name);
}

static void
write_string(struct writing *writing, const char *name, const char *value)
{
	write_name(writing, name);
	config_text_string(writing->out, value);
	buf_append_str(writing->out, ";\n");
}

/* A number that one of ours stands for. */
struct number {
	const char *name; /* ours */
	bool seconds;
	bool limits; /* 0 means that there is no limit */
	long min, max;
};

/* The number VALUE, brought to what may be had here, which is noted. */
static void
take_number(struct writing *writing, const struct opendkim_value *value,
    const struct number *ours)
{
	long number = strtol(value->text, NULL, 0);
	long kept = number < ours->min ? ours->min
	    : number > ours->max       ? ours->max
				       : number;

	if (ours->limits && number == 0) {
		kept = ours->max;
		import_note(writing->import, value->place,
		    "there is always a limit here, %ld at most", kept);
	} else if (kept != number) {
		import_note(writing->import, value->place,
		    "%ld is not from %ld to %ld, and %ld here", number,
		    ours->min, ours->max, kept);
	}
	write_name(writing, ours->name);
	buf_printf(
	    writing->out, ours->seconds ? "\"%lds\";\n" : "%ld;\n", kept);
}

static bool
is_one_of(const char *text, const char *const *words, size_t *which_r)
{
	for (*which_r = 0; words[*which_r] != NULL; ++*which_r)
		if (strcasecmp(text, words[*which_r]) == 0)
			return true;
	return false;
}

/* The socket, which is LISTEN in our syntax. */
static void
write_socket(struct writing *writing, const struct opendkim_value *value,
    const char *listen)
{
	const char *why = check_listen(listen);

	if (why != NULL)
		import_lost(writing->import, value->place, "\"%s\": %s",
		    value->text, why);
	else
		write_string(writing, "socket", listen);
}

static void
take_port(struct writing *writing, const struct opendkim_value *value,
    const char *family)
{
	const char *port = strchr(value->text, ':') + 1;
	const char *at = strchr(port, '@');
	bool six = strcmp(family, "inet6") == 0;
	const char *host = at == NULL ? "" : at + 1;
	size_t len = strlen(host);
	char listen[PATH_MAX];

	if (at == NULL)
		at = port + strlen(port);
	if (len == 0) {
		host = six ? "::" : "0.0.0.0";
		len = strlen(host);
		import_note(writing->import, value->place,
		    "without an address the socket is open to all machines; "
		    "%s here, too: 127.0.0.1 or a unix socket keep others out",
		    host);
	} else if (strcasecmp(host, "localhost") == 0) {
		host = six ? "::1" : "127.0.0.1";
		len = strlen(host);
	} else if (host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	snprintf(listen, sizeof(listen), "%s:%.*s@%.*s", family,
	    (int)(at - port), port, (int)len, host);
	write_socket(writing, value, listen);
}

static void
take_unix(struct writing *writing, const struct opendkim_value *value,
    const char *path)
{
	char listen[PATH_MAX], mode[16];
	long mask;

	snprintf(listen, sizeof(listen), "unix:%s", path);
	write_socket(writing, value, listen);
	if (strstr(path, "run/opendkim/") != NULL)
		import_note(writing->import, value->place,
		    "the folder of the socket is made by OpenDKIM's service, "
		    "and has to be there without it: or take "
		    "unix:/run/signpost/milter.sock, and tell the MTA");
	if (opendkim_conf_number(writing->conf, "UMask", &mask)) {
		snprintf(mode, sizeof(mode), "%04o",
		    (unsigned)(0666 & ~mask & 0777));
		write_string(writing, "socket_mode", mode);
	}
}

static void
take_socket(struct writing *writing, const struct opendkim_value *value)
{
	const char *text = value->text;

	if (strncasecmp(text, "inet:", 5) == 0)
		take_port(writing, value, "inet");
	else if (strncasecmp(text, "inet6:", 6) == 0)
		take_port(writing, value, "inet6");
	else if (strncasecmp(text, "local:", 6) == 0)
		take_unix(writing, value, text + 6);
	else if (strncasecmp(text, "unix:", 5) == 0)
		take_unix(writing, value, text + 5);
	else
		take_unix(writing, value, text);
}

static void
take_user(struct writing *writing, const struct opendkim_value *value)
{
	size_t len = strcspn(value->text, ":");
	const char *name =
	    import_keep(writing->import, bytes_of(value->text, len));
	const char *group =
	    value->text[len] == ':' ? value->text + len + 1 : "";
	const struct passwd *user = getpwnam(name);
	const struct group *found;

	if (user == NULL) {
		import_lost(writing->import, value->place,
		    "there is no user %s here, and the user is left out: it is "
		    "signpost then, and the keys have to be readable by it",
		    name);
		return;
	}
	found = group[0] != '\0' ? getgrnam(group) : getgrgid(user->pw_gid);
	if (found == NULL) {
		import_lost(writing->import, value->place,
		    "there is no group %s here, and user and group are left "
		    "out: they are signpost then",
		    group);
		return;
	}
	write_string(writing, "user", name);
	write_string(writing, "group", found->gr_name);
	if (strcmp(name, "opendkim") == 0)
		import_note(writing->import, value->place,
		    "the daemon runs as opendkim, whose the keys are; where "
		    "signpostd.service runs it, that is as signpost: chown the "
		    "keys to that user, and leave user and group out");
}

static void
take_mode(struct writing *writing, const struct opendkim_value *value)
{
	bool signs = strpbrk(value->text, "sS") != NULL;
	bool verifies = strpbrk(value->text, "vV") != NULL;

	if (!signs && !verifies)
		import_lost(writing->import, value->place,
		    "\"%s\" is no mode: write s, v or sv", value->text);
	else
		write_string(writing, "mode",
		    !signs	    ? "verify"
			: !verifies ? "sign"
				    : "both");
}

static void
take_authserv_id(struct writing *writing, const struct opendkim_value *value)
{
	char host[HOST_NAME_MAX + 1] = "";
	const char *name = value->text, *why;

	if (strcmp(name, "HOSTNAME") == 0) {
		gethostname(host, sizeof(host) - 1);
		name = host;
	}
	why = check_authserv_id(name);
	if (why != NULL || name[0] == '\0')
		import_lost(writing->import, value->place, "\"%s\": %s", name,
		    why != NULL ? why : "this host has no name");
	else
		write_string(writing, "authserv_id", name);
}

/* A list in brackets of what CHECK takes of the keys of the set VALUE. */
static void
write_set(struct writing *writing, const char *name,
    const struct opendkim_value *value, const char *(*check)(const char *))
{
	struct opendkim_set set;
	const char *why;
	bool first = true;

	opendkim_set_read(writing->conf, value, &set);
	write_name(writing, name);
	buf_append_str(writing->out, "[ ");
	for (size_t i = 0; i < set.count; i++) {
		why = check(set.rows[i].key);
		if (why != NULL) {
			import_lost(writing->import, set.rows[i].place,
			    "\"%s\": %s", set.rows[i].key, why);
			continue;
		}
		buf_append_str(writing->out, first ? "" : ", ");
		config_text_string(writing->out, set.rows[i].key);
		first = false;
	}
	buf_append_str(writing->out, first ? "];\n" : " ];\n");
	opendkim_set_fini(&set);
}

static const char *
check_own_name(const char *name)
{
	return name[0] == '.' ? "only whole names can be ours: write each"
			      : check_authserv_id(name);
}

static void
take_remove_from(struct writing *writing, const struct opendkim_value *value)
{
	write_set(writing, "remove_results_of", value, check_own_name);
}

static void
take_nameservers(struct writing *writing, const struct opendkim_value *value)
{
	write_set(writing, "servers", value, check_server);
}

static void
take_canonicalization(
    struct writing *writing, const struct opendkim_value *value)
{
	static const char *const words[] = { "relaxed", "simple", NULL };
	struct bytes rest = bytes_str(value->text), part;
	size_t header = 0, body = 1;
	char text[32];

	bytes_next(&rest, '/', &part);
	if (!is_one_of(import_keep(writing->import, part), words, &header) ||
	    (rest.data != NULL &&
		!is_one_of(import_keep(writing->import, rest), words, &body))) {
		import_lost(writing->import, value->place,
		    "\"%s\" is no canonicalization: write relaxed or simple, "
		    "for the header, a slash, and for the body",
		    value->text);
		return;
	}
	snprintf(text, sizeof(text), "%s/%s", words[header], words[body]);
	write_string(writing, "canonicalization", text);
}

static void
take_diagnostics(struct writing *writing, const struct opendkim_value *value)
{
	if (opendkim_conf_is_on(writing->conf, value->place.setting)) {
		write_name(writing, "diagnostics");
		buf_append_str(writing->out, "true;\n");
	}
}

static const char *
find_action(struct writing *writing, const struct opendkim_value *value)
{
	static const char *const words[] = { "accept", "discard", "quarantine",
		"reject", "tempfail", NULL };
	size_t i;

	for (i = 0; words[i] != NULL; i++)
		if (strcasecmp(value->text, words[i]) == 0 ||
		    (value->text[1] == '\0' &&
			ascii_lower(value->text[0]) == words[i][0]))
			return words[i];
	import_lost(writing->import, value->place,
	    "\"%s\" is no action: write accept, discard, quarantine, reject or "
	    "tempfail",
	    value->text);
	return NULL;
}

/* NAME, else On-Default; TEXT is NULL where neither is set. */
static const struct opendkim_value *
find_handling(struct writing *writing, const char *name)
{
	const struct opendkim_value *value =
	    opendkim_conf_get(writing->conf, name);

	if (value->text == NULL)
		value = opendkim_conf_get(writing->conf, "On-Default");
	return value;
}

static void
write_on_error(struct writing *writing)
{
	const struct opendkim_value *value =
	    find_handling(writing, "On-SignatureError");
	const char *action;

	if (value->text == NULL)
		return;
	action = find_action(writing, value);
	if (action == NULL)
		return;
	if (strcmp(action, "accept") != 0 && strcmp(action, "tempfail") != 0) {
		import_lost(writing->import, value->place,
		    "what can't be signed is put off (tempfail) or let out "
		    "(accept), not %sed: sign.on_error is tempfail",
		    action);
		action = "tempfail";
	}
	write_string(writing, "on_error", action);
}

static void
write_on_fail(struct writing *writing)
{
	const struct opendkim_value *value =
	    find_handling(writing, "On-BadSignature");
	const char *action = NULL;

	if (value->text != NULL)
		action = find_action(writing, value);
	else if (opendkim_conf_is_on(writing->conf, "Quarantine"))
		action = "quarantine";
	if (action != NULL)
		write_string(writing, "on_fail", action);
}

/* OpenDKIM's default is not ours. */
static void
write_on_temperror(struct writing *writing)
{
	const struct opendkim_value *value =
	    find_handling(writing, "On-DNSError");
	const char *action =
	    value->text == NULL ? "tempfail" : find_action(writing, value);

	if (action != NULL)
		write_string(writing, "on_temperror", action);
}

static void
take_trust_anchor(struct writing *writing, const struct opendkim_value *value)
{
	if (access(value->text, R_OK) != 0 || value->text[0] != '/')
		import_lost(writing->import, value->place,
		    "%s can't be read, and is left out: the system's trust "
		    "anchor is used where there is one",
		    value->text);
	else
		write_string(writing, "trust_anchor", value->text);
}

static void
write_reports(struct writing *writing)
{
	const struct opendkim_conf *conf = writing->conf;
	const struct opendkim_value *command =
	    opendkim_conf_get(conf, "MTACommand");
	const struct opendkim_value *from =
	    opendkim_conf_get(conf, "ReportAddress");
	const char *why = from->text == NULL ? "" : check_reporter(from->text);

	if (!opendkim_conf_is_on(conf, "SendReports"))
		return;
	write_string(writing, "sendmail",
	    command->text != NULL ? command->text : "/usr/sbin/sendmail");
	if (why == NULL)
		write_string(writing, "from", from->text);
	else if (from->text != NULL)
		import_lost(writing->import, from->place, "\"%s\": %s",
		    from->text, why);
}

static const char *
check_recipient(const char *address)
{
	const char *at = strrchr(address, '@');

	return at == NULL || at == address || strchr(address, '*') != NULL ||
		check_domain(at + 1) != NULL
	    ? "no address: write each to sign.exempt_recipients, where "
	      "\"example.com\" is for all of a domain"
	    : NULL;
}

static void
take_recipients(struct writing *writing, const struct opendkim_value *value)
{
	import_lost(writing->import, value->place,
	    "a message to several is signed here unless all of them are in "
	    "the list, in OpenDKIM if none is");
	write_set(writing, "exempt_recipients", value, check_recipient);
}

/* A row has the name of a setting, or what is always asked. */
struct row {
	const char *name;
	translate *translate;
	void (*write)(struct writing *writing);
	struct number number;
};

static void
write_trusted(struct writing *writing)
{
	opendkim_hosts_trusted(writing->conf, writing->out);
}

static void
write_exempt(struct writing *writing)
{
	if (writing->exempt.len > 0)
		buf_append_str(writing->out, writing->indent);
	buf_append_bytes(writing->out, buf_bytes(&writing->exempt));
}

static void
write_headers(struct writing *writing)
{
	opendkim_headers_write(writing->conf, writing->indent, writing->out);
}

static const struct row top_rows[] = {
	{ "Socket", take_socket, NULL, { 0 } },
	{ "UserID", take_user, NULL, { 0 } },
	{ "Mode", take_mode, NULL, { 0 } },
	{ "AuthservID", take_authserv_id, NULL, { 0 } },
	{ "RemoveARFrom", take_remove_from, NULL, { 0 } },
	{ NULL, NULL, write_trusted, { 0 } },
	{ 0 },
};
static const struct row sign_rows[] = {
	{ "Canonicalization", take_canonicalization, NULL, { 0 } },
	{ NULL, NULL, write_headers, { 0 } },
	{ "SignatureTTL", NULL, NULL,
	    { "expire", true, false, 0, 3660L * 86400 } },
	{ "Diagnostics", take_diagnostics, NULL, { 0 } },
	{ NULL, NULL, write_on_error, { 0 } },
	{ NULL, NULL, write_exempt, { 0 } },
	{ "DontSignMailTo", take_recipients, NULL, { 0 } },
	{ 0 },
};
static const struct row verify_rows[] = {
	{ "MinimumKeyBits", NULL, NULL,
	    { "min_rsa_bits", false, false, 512, 16384 } },
	{ "MaximumSignaturesToVerify", NULL, NULL,
	    { "max_signatures", false, true, 1, 64 } },
	{ "ClockDrift", NULL, NULL,
	    { "clock_skew", true, false, 0, 7L * 86400 } },
	{ NULL, NULL, write_on_fail, { 0 } },
	{ NULL, NULL, write_on_temperror, { 0 } },
	{ NULL, NULL, write_exempt, { 0 } },
	{ 0 },
};
static const struct row dns_rows[] = {
	{ "Nameservers", take_nameservers, NULL, { 0 } },
	{ "DNSTimeout", NULL, NULL, { "timeout", true, true, 1, 60 } },
	{ "TrustAnchorFile", take_trust_anchor, NULL, { 0 } },
	{ 0 },
};
static const struct row limits_rows[] = {
	{ "MaximumHeaders", NULL, NULL,
	    { "max_header_bytes", false, true, 4096, 64L << 20 } },
	{ 0 },
};
static const struct row reports_rows[] = {
	{ NULL, NULL, write_reports, { 0 } },
	{ 0 },
};

static const struct {
	const char *name; /* NULL: of no group */
	const struct row *rows;
} groups[] = {
	{ NULL, top_rows },
	{ "sign", sign_rows },
	{ "verify", verify_rows },
	{ "dns", dns_rows },
	{ "limits", limits_rows },
	{ "reports", reports_rows },
};

static void
write_rows(struct writing *writing, const struct row *row)
{
	const struct opendkim_value *value;

	for (; row->name != NULL || row->write != NULL; row++) {
		if (row->write != NULL) {
			row->write(writing);
			continue;
		}
		value = opendkim_conf_get(writing->conf, row->name);
		if (value->text != NULL && row->translate != NULL)
			row->translate(writing, value);
		else if (value->text != NULL)
			take_number(writing, value, &row->number);
	}
}

void
opendkim_settings_write(const struct opendkim_conf *conf, struct buf *out)
{
	struct writing writing = {
		.conf = conf, .import = conf->import, .out = out
	};

	buf_init(&writing.exempt, SIZE_MAX);
	opendkim_hosts_exempt(conf, &writing.exempt);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		size_t before = out->len, start;

		if (groups[i].name != NULL)
			buf_printf(out, "\n%s = {\n", groups[i].name);
		writing.indent = groups[i].name != NULL ? "  " : "";
		start = out->len;
		write_rows(&writing, groups[i].rows);
		if (groups[i].name == NULL || out->failed)
			continue;
		if (out->len == start)
			buf_truncate(out, before);
		else
			buf_append_str(out, "};\n");
	}
	out->failed |= writing.exempt.failed;
	buf_fini(&writing.exempt);
}
