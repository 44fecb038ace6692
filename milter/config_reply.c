/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_reply.h"

#include <stdio.h>

enum {
	/* A line of a reply has 512 octets (RFC 5321 section 4.5.3.1.5), of
	 * which a domain takes 253. */
	MAX_TEXT = 200
};

static const char form[] =
    "must be a code, perhaps an enhanced status code, and a text: \"550 5.7.1 "
    "No signature of {domain} passes: {reason}\"";

static bool
is_digit(char c, char most)
{
	return c >= '0' && c <= most;
}

/* RFC 3463 section 2: class, subject and detail. Returns its length, or 0. */
static size_t
enhanced_len(const char *text)
{
	size_t len = 1, part, digits;

	if (!is_digit(text[0], '9'))
		return 0;
	for (part = 0; part < 2; part++) {
		if (text[len] != '.')
			return 0;
		len++;
		for (digits = 0; is_digit(text[len], '9'); digits++)
			len++;
		if (digits < 1 || digits > 3)
			return 0;
	}
	return text[len] == ' ' ? len : 0;
}

/* The length of the word in braces at TEXT that is known, or 0. */
static size_t
word_len(const char *text)
{
	static const char *const words[] = { "{domain}", "{reason}" };
	size_t i, len;

	for (i = 0; i < 2; i++) {
		len = strlen(words[i]);
		if (strncmp(text, words[i], len) == 0)
			return len;
	}
	return 0;
}

static const char *
check_text(const char *text)
{
	size_t i;

	if (text[0] == '\0')
		return form;
	if (strlen(text) > MAX_TEXT)
		return "the text is longer than 200 octets";
	for (i = 0; text[i] != '\0'; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return "the text must be of printable ASCII, in one "
			       "line";
		/* Sendmail and libmilter read it as a format. */
		if (text[i] == '%')
			return "there can be no % in the text";
		if (text[i] == '}' ||
		    (text[i] == '{' && word_len(text + i) == 0))
			return "of words in braces there are {domain} and "
			       "{reason}";
		if (text[i] == '{')
			i += word_len(text + i) - 1;
	}
	return NULL;
}

const char *
config_reply_read(const char *value, struct config_reply *reply_r)
{
	size_t len;

	if ((value[0] != '4' && value[0] != '5') || !is_digit(value[1], '5') ||
	    !is_digit(value[2], '9') || value[3] != ' ')
		return is_digit(value[0], '9') && value[0] != '4' &&
			value[0] != '5'
		    ? "the code must be from 400 to 599"
		    : form;
	snprintf(reply_r->code, sizeof reply_r->code, "%.3s", value);
	value += 4;
	len = enhanced_len(value);
	if (len >= sizeof reply_r->enhanced)
		return form;
	snprintf(reply_r->enhanced, sizeof reply_r->enhanced, "%.*s", (int)len,
	    value);
	if (len > 0 && value[0] != reply_r->code[0])
		return "the enhanced status code must begin as the code does";
	reply_r->text = len > 0 ? value + len + 1 : value;
	return check_text(reply_r->text);
}

void
config_reply_write(const char *text, const char *domain, const char *reason,
    char *out, size_t size)
{
	size_t used = 0, len;
	const char *part;

	for (; *text != '\0' && used + 1 < size; text += len) {
		len = *text == '{' ? word_len(text) : 0;
		part = len == 0 ? text : text[1] == 'd' ? domain : reason;
		len = len > 0 ? len : 1;
		used += (size_t)snprintf(out + used, size - used, "%.*s",
		    part == text ? 1 : (int)strlen(part), part);
	}
	out[used < size ? used : size - 1] = '\0';
}
