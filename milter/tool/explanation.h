/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explanation - what the daemon would do with a message, and why
 *
 * policy_decide and keystore_select say so, which are the daemon's own; this
 * puts their answers into words.
 */
#ifndef EXPLANATION_H
#define EXPLANATION_H

#include "policy.h"

struct explanation {
	const struct config *config;
	struct policy_decision decision;
	struct keystore_keys keys;
	bool signs;
	bool required;	     /* keys sign only where they are published */
	const char *unasked; /* why nothing is known of that; NULL: it is */
	enum config_action action; /* of what is not signed */
	const char *reason, *text; /* the log's token, and for people */
};

/* Whether INPUT is to be signed. CONFIG must outlive EXPLANATION. */
void explanation_decide(struct explanation *explanation,
    const struct config *config, struct keystore *keystore,
    const struct policy_input *input);
/* And with which keys of KEYSTORE, which must outlive EXPLANATION. False: out of
 * memory. */
bool explanation_select(
    struct explanation *explanation, struct keystore *keystore);
void explanation_fini(struct explanation *explanation);
void explanation_print(const struct explanation *explanation);
/* As an object. False: out of memory. */
bool explanation_print_json(const struct explanation *explanation);

#endif
