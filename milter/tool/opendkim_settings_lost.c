/* SPDX-License-Identifier: BSD-2-Clause */
#include <strings.h>

#include "opendkim_set.h"
#include "opendkim_settings.h"

#define ALIGNED                                                         \
	"verify.require_aligned_pass refuses mail without a signature " \
	"of its author's domain that passes"

/* Settings that have no equivalent but where they say what is done anyway. */
static const struct {
	const char *name;
	const char *harmless[4]; /* values, NULL-ended */
	const char *text;
} rows[] = {
	{ "On-Default", { "accept", "a", NULL },
	    "stands here for on_fail, on_temperror and on_error; nothing is "
	    "done about mail without a signature or a key: " ALIGNED },
	{ "On-InternalError", { "tempfail", "t", NULL },
	    "a message that meets an error inside is always put off" },
	{ "On-KeyNotFound", { "accept", "a", NULL },
	    "nothing is done about a signature without a key: " ALIGNED },
	{ "On-NoSignature", { "accept", "a", NULL },
	    "nothing is done about mail without a signature: " ALIGNED },
	{ "On-Security", { "accept", "a", NULL },
	    "there is no such case: mail with odd fields is judged as any" },
	{ "SignatureAlgorithm", { "rsa-sha256", "ed25519-sha256", NULL },
	    "a key signs with SHA-256 and its own algorithm: RFC 8301 forbids "
	    "rsa-sha1" },
	{ "SyslogFacility", { "mail", NULL },
	    "lines in syslog have the facility mail: see log.to for a file" },
};

static bool
is_harmless(const char *const *harmless, const char *text)
{
	for (; *harmless != NULL; harmless++)
		if (strcasecmp(*harmless, text) == 0)
			return true;
	return false;
}

static void
say_values(const struct opendkim_conf *conf)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct opendkim_value *value =
		    opendkim_conf_get(conf, rows[i].name);

		if (value->text != NULL &&
		    !is_harmless(rows[i].harmless, value->text))
			import_lost(
			    conf->import, value->place, "%s", rows[i].text);
	}
}

/* Whose mail is signed depends on it. */
static void
say_sender_headers(const struct opendkim_conf *conf)
{
	const struct opendkim_value *value =
	    opendkim_conf_get(conf, "SenderHeaders");
	struct opendkim_set set;

	if (value->text == NULL)
		return;
	opendkim_set_read(conf, value, &set);
	if (set.count != 1 || strcasecmp(set.rows[0].key, "From") != 0)
		import_lost(conf->import, value->place,
		    "who signs is decided by From alone, as receivers look at "
		    "that (DMARC)");
	opendkim_set_fini(&set);
}

/* What is passed over altogether: here it is verified, and has its results. */
static void
say_passed_over(const struct opendkim_conf *conf)
{
	static const char *const names[] = { "PeerList", "ExemptDomains" };
	const struct opendkim_value *mode = opendkim_conf_get(conf, "Mode");

	/* Who does not verify passes over what is not signed. */
	if (mode->text != NULL && strpbrk(mode->text, "vV") == NULL)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct opendkim_value *value =
		    opendkim_conf_get(conf, names[i]);

		if (value->text != NULL)
			import_lost(conf->import, value->place,
			    "such mail is not signed, but is verified and has "
			    "its results in Authentication-Results: have the "
			    "MTA send it past the milter if it must not be");
	}
}

/* Without it the MTA would speak to nobody. */
static void
say_no_socket(const struct opendkim_conf *conf)
{
	if (opendkim_conf_get(conf, "Socket")->text == NULL)
		import_lost(conf->import,
		    (struct import_place){ conf->file, 0, "Socket" },
		    "is not there, but on OpenDKIM's command line (-p): write "
		    "as socket what the MTA is told");
}

static void
say_row(const struct opendkim_conf *conf, size_t row)
{
	const struct opendkim_name *name = opendkim_name_get(row);
	const struct opendkim_value *value = &conf->values[row];
	bool on = name->type != OPENDKIM_BOOLEAN ||
	    opendkim_conf_is_on(conf, name->name);

	if (value->text == NULL)
		return;
	if (name->fate == FATE_OLD)
		import_note(conf->import, value->place,
		    "OpenDKIM 2.11 has no such setting any more, and neither "
		    "has this");
	else if (name->fate == FATE_LOST ||
	    (name->fate == FATE_LOST_IF_ON && on))
		import_lost(conf->import, value->place, "%s", name->text);
}

void
opendkim_settings_say_lost(const struct opendkim_conf *conf)
{
	for (size_t i = 0; opendkim_name_get(i) != NULL; i++)
		say_row(conf, i);
	say_values(conf);
	say_sender_headers(conf);
	say_passed_over(conf);
	say_no_socket(conf);
}
