/* SPDX-License-Identifier: BSD-2-Clause */
#include "sign_configured.h"

#include "command.h"
#include "headers.h"
#include "load_config.h"
#include "policy.h"

/* What policy is to know: a message that comes from no client, of a user and
 * with an envelope that are those of From. ADDRESS keeps what INPUT_R borrows,
 * SCRATCH likewise. */
static void
read_from(const struct signpost_headers *headers, struct buf *scratch,
    struct buf *address, struct policy_input *input_r)
{
	struct bytes from = bytes_str("From");
	size_t count, last;

	*input_r = (struct policy_input){ .from_count = headers_occurrences(
					      headers, from) };
	if (input_r->from_count == 0)
		return;
	last = headers_find_last(headers, from, headers_count(headers));
	input_r->from_ok = address_from_field(
	    headers_get(headers, last).value, scratch, &input_r->from, &count);
	if (!input_r->from_ok)
		return;
	buf_append_bytes(address, input_r->from.local);
	buf_append_char(address, '@');
	buf_append_bytes(address, input_r->from.domain);
	input_r->sender = buf_bytes(address);
	input_r->auth_user = address->data;
}

static int
add_selected(const struct config_sign *sign,
    const struct sign_settings *settings, const struct keystore_keys *keys,
    const struct sign_message *message)
{
	struct signpost_sign_options options = {
		.header_canon = sign->header_canon,
		.body_canon = sign->body_canon,
		.headers = sign->headers.items,
		.oversign = sign->oversign.items,
		.expire_s = sign->expire_s,
		.copy_headers = sign->diagnostics,
	};
	int code = 0;

	if (sign->identity != NULL && sign->identity[0] != '\0')
		options.identity = sign->identity;
	sign_keys_override(&options, settings);
	for (size_t i = 0; i < keys->count && code == 0; i++) {
		options.domain = keys->items[i].domain;
		options.selector = keys->items[i].selector;
		code = sign_keys_add_one(message, &options, keys->items[i].key);
	}
	return code;
}

/* What the daemon would sign with. */
static int
select_keys(struct keystore *keystore, const struct config *config,
    const struct sign_message *message, struct policy_decision *decision_r,
    struct keystore_keys *keys_r)
{
	struct policy_input input;
	struct buf scratch, address;
	int code = 0;

	buf_init(&scratch, SIZE_MAX);
	buf_init(&address, SIZE_MAX);
	read_from(message->headers, &scratch, &address, &input);
	if (scratch.failed || address.failed) {
		code = complain_status(message->name, SIGNPOST_NOMEM);
	} else {
		policy_decide(config, keystore, &input, decision_r);
		if (!decision_r->sign)
			code =
			    complain(decision_r->domain[0] == '\0' ? EX_DATAERR
								   : EX_CONFIG,
				message->name, "not to be signed: %s",
				policy_reason_text(decision_r->reason));
	}
	buf_fini(&scratch);
	buf_fini(&address);
	if (code != 0)
		return code;
	if (!keystore_select(
		keystore, decision_r->entry, decision_r->domain, keys_r))
		return complain_status(message->name, SIGNPOST_NOMEM);
	if (keys_r->count == 0)
		return complain(EX_CONFIG, decision_r->domain,
		    "no usable key: %s", keys_r->why);
	return 0;
}

int
sign_configured_add(struct signpost *handle,
    const struct sign_settings *settings, const struct sign_message *message)
{
	struct config_problems problems = { 0 };
	struct policy_decision decision;
	struct keystore_keys keys = { 0 };
	struct keystore *keystore;
	const struct config *config;
	int code = load_config(settings->config_file, &config);

	if (code != 0)
		return code;
	keystore = keystore_new(handle, config, KEYSTORE_CHECK_NONE, &problems);
	load_config_complain(&problems);
	config_problems_fini(&problems);
	if (keystore == NULL)
		code = complain_status("keys", SIGNPOST_NOMEM);
	else
		code = select_keys(keystore, config, message, &decision, &keys);
	if (code == 0)
		code =
		    add_selected(decision.settings, settings, &keys, message);
	keystore_keys_fini(&keys);
	keystore_unref(keystore);
	config_unref(config);
	return code;
}
