/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost explain - what would be done with a message, and why. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "address.h"
#include "command.h"
#include "daemon_keys.h"
#include "explanation.h"
#include "load_config.h"
#include "options.h"

struct settings {
	const char *config_file;
	const char *from, *client, *user, *sender, *recipient, *daemon_name;
	bool json;
};

#define AT(member) offsetof(struct settings, member)

static const struct option_row rows[] = {
	{ 0, "from", "ADDR", "what From holds", option_string, AT(from), 0, 0 },
	{ 0, "client", "IP", "where it comes from (submitted on the machine)",
	    option_string, AT(client), 0, 0 },
	{ 0, "auth", "USER", "as whom the client is authenticated (nobody)",
	    option_string, AT(user), 0, 0 },
	{ 0, "sender", "ADDR", "the envelope's sender (that of From)",
	    option_string, AT(sender), 0, 0 },
	{ 0, "recipient", "ADDR", "the only recipient (not known)",
	    option_string, AT(recipient), 0, 0 },
	{ 0, "daemon", "NAME", "the name of the MTA's listener", option_string,
	    AT(daemon_name), 0, 0 },
	{ 0, "json", NULL, "print JSON", option_flag, AT(json), 0, 0 },
	{ 'c', "config", "FILE", "the configuration", option_string,
	    AT(config_file), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "explain",
	.synopsis = "--from ADDR [--client IP] [--auth USER] [--sender ADDR]\n"
		    "  [--recipient ADDR] [--daemon NAME] [--json] [-c FILE]",
	.summary = "Says what would be done with such a message, and why. "
		   "Exits with 0 where it would\nbe signed, 1 where not.",
	.rows = rows,
	.max_operands = 0,
};

/* A message as the command line has it; ADDRESS and SCRATCH keep what INPUT
 * borrows. */
struct sample {
	struct policy_input input;
	struct sockaddr_storage client;
	struct buf scratch, address;
};

static void
sample_fini(struct sample *sample)
{
	buf_fini(&sample->scratch);
	buf_fini(&sample->address);
}

/* False where TEXT is no address of IPv4 or IPv6. */
static bool
read_client(const char *text, struct sockaddr_storage *client_r)
{
	struct sockaddr_in *in = (struct sockaddr_in *)client_r;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)client_r;

	memset(client_r, 0, sizeof(*client_r));
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1)
		client_r->ss_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1)
		client_r->ss_family = AF_INET6;
	return client_r->ss_family != AF_UNSPEC;
}

/* Returns the exit code; 0 is success. */
static int
sample_init(struct sample *sample, const struct settings *settings)
{
	struct policy_input *input = &sample->input;
	struct address authors[ADDRESS_MAX_LISTED] = { 0 };
	size_t mailboxes;

	*input = (struct policy_input){ .auth_user = settings->user,
		.daemon_name = settings->daemon_name,
		.from_count = 1 };
	buf_init(&sample->scratch, SIZE_MAX);
	buf_init(&sample->address, SIZE_MAX);
	if (settings->client != NULL) {
		if (!read_client(settings->client, &sample->client))
			return complain(EX_USAGE, "explain",
			    "--client \"%s\": is no address of IPv4 or IPv6",
			    settings->client);
		input->client = (struct sockaddr *)&sample->client;
	}
	input->from_ok = address_list_from_field(bytes_str(settings->from),
	    &sample->scratch, authors, ADDRESS_MAX_LISTED, &mailboxes);
	input->from = authors[0];
	input->other_count = input->from_ok ? mailboxes - 1 : 0;
	memcpy(input->others, authors + 1, sizeof(input->others));
	if (settings->recipient != NULL)
		input->recipients = bytes_of(
		    settings->recipient, strlen(settings->recipient) + 1);
	if (input->from_ok) {
		buf_append_bytes(&sample->address, input->from.local);
		buf_append_char(&sample->address, '@');
		buf_append_bytes(&sample->address, input->from.domain);
	}
	if (sample->scratch.failed || sample->address.failed)
		return complain_status("explain", SIGNPOST_NOMEM);
	input->sender = settings->sender != NULL ? bytes_str(settings->sender)
						 : buf_bytes(&sample->address);
	return 0;
}

/* Has KEYSTORE know of DNS what the running daemon does, if it matters. */
static void
ask_daemon(struct explanation *explanation, struct keystore *keystore,
    struct publication *publication, char why[DAEMON_KEYS_WHY])
{
	const struct policy_decision *decision = &explanation->decision;

	if (!explanation->required)
		return;
	if (daemon_keys_ask(explanation->config, decision->entry,
		decision->domain, publication, why))
		keystore_set_publication(keystore, publication);
	else
		explanation->unasked = why;
}

/* Asks policy and keys as the daemon does. */
static int
explain(struct signpost *handle, const struct config *config,
    const struct settings *settings)
{
	struct config_problems problems = { 0 };
	struct explanation explanation = { 0 };
	struct sample sample;
	struct keystore *keystore =
	    keystore_new(handle, config, KEYSTORE_CHECK_NONE, &problems);
	struct publication *publication = publication_new();
	char why[DAEMON_KEYS_WHY];
	int code = sample_init(&sample, settings);

	load_config_complain(&problems);
	config_problems_fini(&problems);
	if (code == 0 && (keystore == NULL || publication == NULL))
		code = complain_status("keys", SIGNPOST_NOMEM);
	if (code == 0) {
		explanation_decide(
		    &explanation, config, keystore, &sample.input);
		ask_daemon(&explanation, keystore, publication, why);
		if (!explanation_select(&explanation, keystore))
			code = complain_status("keys", SIGNPOST_NOMEM);
	}
	if (code == 0 && !settings->json)
		explanation_print(&explanation);
	else if (code == 0 && !explanation_print_json(&explanation))
		code = complain_status("JSON", SIGNPOST_NOMEM);
	if (code == 0)
		code = explanation.signs ? EX_OK : EX_NO;
	explanation_fini(&explanation);
	sample_fini(&sample);
	keystore_unref(keystore);
	publication_free(publication);
	return code;
}

int
cmd_explain(int argc, char **argv)
{
	struct settings settings = { 0 };
	const struct config *config;
	enum signpost_status status;
	struct signpost *handle;
	int code;

	if (options_read(&usage, argc, argv, &settings, &code) == 0)
		return code;
	if (settings.from == NULL)
		return complain(EX_USAGE, "explain",
		    "--from ADDR: whose message is to be explained?");
	code = load_config(settings.config_file, &config);
	if (code != 0)
		return code;
	status = signpost_new(&handle);
	if (status != SIGNPOST_OK) {
		code = complain_status("explain", status);
	} else {
		code = explain(handle, config, &settings);
		signpost_free(handle);
	}
	config_unref(config);
	return code;
}
