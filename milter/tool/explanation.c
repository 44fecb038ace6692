/* SPDX-License-Identifier: BSD-2-Clause */
#include "explanation.h"

#include <jansson.h>
#include <stdio.h>

#include "json_text.h"
#include "message_failure.h"

void
explanation_decide(struct explanation *explanation, const struct config *config,
    struct keystore *keystore, const struct policy_input *input)
{
	struct policy_decision *decision = &explanation->decision;

	*explanation =
	    (struct explanation){ .config = config, .action = ACTION_ACCEPT };
	policy_decide(config, keystore, input, decision);
	explanation->reason = policy_reason_token(decision->reason);
	explanation->text = policy_reason_text(decision->reason);
	if (decision->reason == POLICY_NO_USABLE_KEY)
		explanation->action =
		    config_no_key_action(decision->settings->on_no_usable_key);
	explanation->required =
	    decision->sign && decision->settings->require_published;
}

bool
explanation_select(struct explanation *explanation, struct keystore *keystore)
{
	struct policy_decision *decision = &explanation->decision;
	const struct keystore_keys *keys = &explanation->keys;

	if (!decision->sign)
		return true;
	if (!keystore_select(keystore, decision->entry, decision->domain,
		&explanation->keys))
		return false;
	explanation->signs = keys->count > 0;
	if (explanation->signs)
		return true;
	if (keys->unusable == 0 && keys->unpublished > 0) {
		explanation->action =
		    config_no_key_action(decision->settings->on_no_usable_key);
		explanation->reason =
		    message_failure_token(FAILURE_UNPUBLISHED);
		explanation->text = message_failure_text(FAILURE_UNPUBLISHED);
	} else {
		explanation->action = decision->settings->on_error;
		explanation->reason = message_failure_token(FAILURE_KEYS);
		explanation->text = message_failure_text(FAILURE_KEYS);
	}
	return true;
}

void
explanation_fini(struct explanation *explanation)
{
	if (explanation->keys.owner != NULL)
		keystore_keys_fini(&explanation->keys);
}

static const char *
outcome(const struct explanation *explanation)
{
	bool verifies = explanation->decision.verify;

	if (explanation->signs)
		return verifies ? "is signed, and verified" : "is signed";
	if (explanation->action == ACTION_TEMPFAIL)
		return "is not signed, and refused for now";
	return verifies ? "is not signed, and verified"
			: "is not signed, and passed on as it is";
}

static void
print_entry(const struct explanation *explanation)
{
	const struct policy_decision *decision = &explanation->decision;
	const struct config_domain *entry = decision->entry;
	const char *folders = explanation->config->key_directory;

	if (entry != NULL)
		printf("entry:    \"%s\" in %s:%u\n", entry->name, entry->file,
		    entry->line);
	else if (decision->domain[0] != '\0' && folders[0] != '\0')
		printf("entry:    none applies, so the folder %s/%s counts\n",
		    folders, decision->domain);
	else
		puts("entry:    none applies");
}

static void
print_key(const struct keystore_key *key)
{
	printf("key:      selector %s, domain %s, %s, %u bits, %s\n",
	    key->selector, key->domain,
	    signpost_algorithm_name(signpost_private_key_algorithm(key->key)),
	    signpost_private_key_bits(key->key), key->file);
}

/* What becomes of mail that is verified. */
static void
print_policy(const struct policy_decision *decision)
{
	const struct config_verify *settings = decision->verifying;
	const struct config_verify_domain *entry = decision->verify_entry;
	enum config_action on_unaligned = settings->require_aligned_pass
	    ? settings->on_unaligned
	    : ACTION_ACCEPT;

	printf("policy:   on_fail %s, on_temperror %s, without an aligned pass "
	       "%s%s\n",
	    policy_action_word(settings->on_fail),
	    policy_action_word(settings->on_temperror),
	    policy_action_word(on_unaligned),
	    settings->dry_run ? ", in a dry run" : "");
	if (entry != NULL)
		printf("because:  entry \"%s\" in %s:%u\n", entry->name,
		    entry->file, entry->line);
	if (decision->exempt != POLICY_VERIFY)
		printf("exempt:   %s: %s\n",
		    policy_reason_token(decision->exempt),
		    policy_reason_text(decision->exempt));
}

static void
print_records(const struct explanation *explanation)
{
	const struct keystore_keys *keys = &explanation->keys;

	if (explanation->unasked != NULL)
		printf("records:  not known, as signpostd can't be asked (%s); "
		       "a key signs once its record is seen in DNS, the next "
		       "one until then\n",
		    explanation->unasked);
	else if (keys->anyway)
		printf("records:  of no key is one seen, and "
		       "sign.on_no_usable_key is \"sign\": %s\n",
		    keys->why);
	else if (keys->unpublished > 0)
		printf("records:  not used: %zu of %zu keys: %s\n",
		    keys->unpublished, keys->named, keys->why);
	else
		puts("records:  signpostd has seen them in DNS");
}

void
explanation_print(const struct explanation *explanation)
{
	const struct policy_decision *decision = &explanation->decision;

	printf("message:  %s\n", outcome(explanation));
	printf("reason:   %s: %s\n", explanation->reason, explanation->text);
	printf("trust:    %s: %s\n", policy_trust_token(decision->trust),
	    policy_trust_text(decision->trust));
	printf("domain:   %s\n",
	    decision->domain[0] != '\0' ? decision->domain : "none");
	print_entry(explanation);
	if (decision->verify)
		print_policy(decision);
	for (size_t i = 0; i < explanation->keys.count; i++)
		print_key(&explanation->keys.items[i]);
	if (explanation->required)
		print_records(explanation);
	if (explanation->keys.unusable > 0)
		printf("unusable: %zu of %zu keys: %s\n",
		    explanation->keys.unusable, explanation->keys.named,
		    explanation->keys.why);
}

static json_t *
place_json(const char *name, const char *file, unsigned line)
{
	return json_pack("{so so sI}", "name", json_text(bytes_str(name)),
	    "file", json_text(bytes_str(file)), "line", (json_int_t)line);
}

static json_t *
entry_json(const struct config_domain *entry)
{
	if (entry == NULL)
		return json_null();
	return place_json(entry->name, entry->file, entry->line);
}

/* Null where nothing is verified. */
static json_t *
policy_json(const struct policy_decision *decision)
{
	const struct config_verify *settings = decision->verifying;
	const struct config_verify_domain *entry = decision->verify_entry;
	bool exempt = decision->exempt != POLICY_VERIFY;

	if (!decision->verify)
		return json_null();
	return json_pack("{ss ss ss sb so ss}", "on_fail",
	    policy_action_word(settings->on_fail), "on_temperror",
	    policy_action_word(settings->on_temperror), "on_unaligned",
	    settings->require_aligned_pass
		? policy_action_word(settings->on_unaligned)
		: "accept",
	    "dry_run", settings->dry_run, "entry",
	    entry == NULL ? json_null()
			  : place_json(entry->name, entry->file, entry->line),
	    "exempt", exempt ? policy_reason_token(decision->exempt) : "");
}

static json_t *
key_json(const struct keystore_key *key)
{
	return json_pack("{so so ss sI so}", "selector",
	    json_text(bytes_str(key->selector)), "domain",
	    json_text(bytes_str(key->domain)), "algorithm",
	    signpost_algorithm_name(signpost_private_key_algorithm(key->key)),
	    "key_bits", (json_int_t)signpost_private_key_bits(key->key), "file",
	    json_text(bytes_str(key->file)));
}

bool
explanation_print_json(const struct explanation *explanation)
{
	const struct policy_decision *decision = &explanation->decision;
	const struct keystore_keys *found = &explanation->keys;
	json_t *keys = json_array(), *object;
	bool ok = keys != NULL;

	for (size_t i = 0; ok && i < found->count; i++)
		ok = json_array_append_new(keys, key_json(&found->items[i])) ==
		    0;
	object = json_pack("{sb sb ss ss ss ss so so so ss sI so}", "sign",
	    explanation->signs, "verify", decision->verify, "action",
	    explanation->action == ACTION_TEMPFAIL ? "tempfail" : "accept",
	    "reason", explanation->reason, "trust",
	    policy_trust_token(decision->trust), "domain", decision->domain,
	    "entry", entry_json(decision->entry), "policy",
	    policy_json(decision), "keys", keys, "records",
	    !explanation->required	       ? "not_required"
		: explanation->unasked != NULL ? "unknown"
		: found->unpublished > 0       ? "missing"
					       : "seen",
	    "unpublished", (json_int_t)found->unpublished, "unusable",
	    json_text(bytes_str(found->why)));
	ok = ok && object != NULL &&
	    (json_dumpf(object, stdout, JSON_INDENT(2)) == 0 || ferror(stdout));
	json_decref(object);
	putchar('\n');
	return ok;
}
