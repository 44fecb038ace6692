/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	[FAULT_NONE] = "none",
	[FAULT_FIRST_STRING] = "first-string",
	[FAULT_FIRST_RECORD] = "first-record",
	[FAULT_ONE_SPACE] = "one-space",
	[FAULT_UNFOLD] = "unfold",
	[FAULT_LF_ENDS_LINE] = "lf-ends-line",
	[FAULT_NUL_ENDS_BODY] = "nul-ends-body",
	[FAULT_TRIM_LINES] = "trim-lines",
	[FAULT_REVERSE] = "reverse",
	[FAULT_OLD_CLOCK] = "old-clock",
	[FAULT_DNS_DENIES] = "dns-denies",
	[FAULT_SWAP] = "swap",
	[FAULT_BODY_PASSES] = "body-passes",
	[FAULT_REVOKED_PASSES] = "revoked-passes",
	[FAULT_NO_OVERSIGN] = "no-oversign",
};

_Static_assert(sizeof names / sizeof names[0] == FAULTS, "a name for each");

enum fault
fault_named(const char *name)
{
	for (unsigned i = 0; i < FAULTS; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	errx(64, "%s: no such fault", name);
}

void
fault_value(enum fault fault, struct item *value)
{
	size_t space = strspn(value->data, " \t");
	size_t len = 0;

	if (fault == FAULT_ONE_SPACE && space > 0) {
		value->data += space - 1;
		value->len -= space - 1;
		value->data[0] = ' ';
	}
	if (fault != FAULT_UNFOLD)
		return;
	for (size_t i = 0; i < value->len; i++) {
		if (value->data[i] != '\r' && value->data[i] != '\n')
			value->data[len++] = value->data[i];
	}
	value->len = len;
}

static struct item
end_lines(const struct item *body)
{
	struct item out = { malloc(2 * body->len + 1), 0 };

	if (out.data == NULL)
		err(1, "body");
	for (size_t i = 0; i < body->len; i++) {
		if (body->data[i] == '\n' &&
		    (i == 0 || body->data[i - 1] != '\r'))
			out.data[out.len++] = '\r';
		out.data[out.len++] = body->data[i];
	}
	return out;
}

static struct item
trim_lines(const struct item *body)
{
	struct item out = { malloc(body->len + 1), 0 };

	if (out.data == NULL)
		err(1, "body");
	for (size_t i = 0; i < body->len; i++) {
		while (body->data[i] == '\r' && out.len > 0 &&
		    out.data[out.len - 1] == ' ')
			out.len--;
		out.data[out.len++] = body->data[i];
	}
	return out;
}

struct item
fault_body(enum fault fault, const struct item *body)
{
	struct item out = *body;

	if (fault == FAULT_LF_ENDS_LINE)
		return end_lines(body);
	if (fault == FAULT_TRIM_LINES)
		return trim_lines(body);
	if (fault == FAULT_NUL_ENDS_BODY)
		out.len = strlen(body->data);
	return out;
}

enum signpost_result
fault_result(enum fault fault, const struct signpost_verdict *verdict)
{
	if ((fault == FAULT_BODY_PASSES &&
		verdict->reason == SIGNPOST_REASON_BODY_HASH) ||
	    (fault == FAULT_REVOKED_PASSES &&
		verdict->reason == SIGNPOST_REASON_KEY_REVOKED))
		return SIGNPOST_PASS;
	return verdict->result;
}
