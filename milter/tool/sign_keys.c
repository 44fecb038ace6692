/* SPDX-License-Identifier: BSD-2-Clause */
#include "sign_keys.h"

#include "command.h"
#include "config_settings.h"
#include "headers.h"
#include "key_pem.h"

void
sign_keys_override(
    struct signpost_sign_options *options, const struct sign_settings *settings)
{
	if (settings->canon_given) {
		options->header_canon = settings->header_canon;
		options->body_canon = settings->body_canon;
	}
	if (settings->headers.given)
		options->headers = settings->headers.items;
	if (settings->oversign.given)
		options->oversign = settings->oversign.items;
	if (settings->expire_given)
		options->expire_s = settings->expire_s;
	if (settings->identity != NULL)
		options->identity = settings->identity;
	if (settings->diagnostics)
		options->copy_headers = true;
}

int
sign_keys_add_one(const struct sign_message *message,
    const struct signpost_sign_options *options,
    struct signpost_private_key *key)
{
	enum signpost_status status =
	    signpost_signer_add(message->signer, options, key);

	if (status == SIGNPOST_SYNTAX &&
	    headers_occurrences(message->headers, bytes_str("From")) == 0)
		return complain(EX_DATAERR, message->name,
		    "has no From field, and is no message without one");
	if (status == SIGNPOST_SYNTAX && options->identity != NULL)
		return complain(EX_DATAERR, message->name,
		    "can't be signed for i=%s: it is not within d=%s",
		    options->identity, options->domain);
	return status == SIGNPOST_OK ? 0
				     : complain_status(message->name, status);
}

int
sign_keys_add_named(struct signpost *handle,
    const struct sign_settings *settings, const struct sign_message *message)
{
	struct signpost_sign_options options = {
		.header_canon = SIGNPOST_RELAXED,
		.body_canon = SIGNPOST_RELAXED,
		.headers = setting_default_headers(),
		.oversign = setting_default_oversign(),
	};
	int code = 0;

	sign_keys_override(&options, settings);
	for (size_t i = 0; i < settings->key_count && code == 0; i++) {
		struct signpost_private_key *key;

		options.domain = settings->keys[i].domain;
		options.selector = settings->keys[i].selector;
		code = key_pem_read(handle, settings->keys[i].file, &key);
		if (code == 0)
			code = sign_keys_add_one(message, &options, key);
		signpost_private_key_unref(key);
	}
	return code;
}
