/* SPDX-License-Identifier: BSD-2-Clause */
#include "cfws.h"

bool
cfws_take_fold(struct bytes *rest)
{
	size_t line_end = rest->len > 0 && rest->data[0] == '\r' ? 2 : 1;

	if (rest->len <= line_end || rest->data[line_end - 1] != '\n' ||
	    !is_wsp(rest->data[line_end]))
		return false;
	cfws_advance(rest, line_end);
	return true;
}

static bool
skip_comment(struct bytes *rest)
{
	size_t depth = 0;

	do {
		int c = cfws_peek(rest);

		if (cfws_take_fold(rest))
			continue;
		if (!cfws_is_text(c))
			return false;
		cfws_advance(rest, 1);
		if (c == '\\' && !cfws_is_text(cfws_peek(rest)))
			return false;
		if (c == '\\')
			cfws_advance(rest, 1);
		else if (c == '(')
			depth++;
		else if (c == ')')
			depth--;
	} while (depth > 0 && depth <= CFWS_MAX_DEPTH);
	return depth == 0;
}

bool
cfws_skip(struct bytes *rest)
{
	for (;;) {
		int c = cfws_peek(rest);

		if (c == '(') {
			if (!skip_comment(rest))
				return false;
		} else if (c == ' ' || c == '\t') {
			cfws_advance(rest, 1);
		} else if (!cfws_take_fold(rest)) {
			return true;
		}
	}
}
