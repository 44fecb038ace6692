/* SPDX-License-Identifier: BSD-2-Clause */
#include "canon_body.h"

#include <endian.h>

enum {
	FINE = 16,    /* octets looked at together */
	STRIDE = 128, /* octets of clean text passed over together */
	CRLFS = 1024, /* line ends written together */
};

/* gcc and clang make of it the vector instructions that the machine has, or
 * plain ones where it has none. */
typedef unsigned char octets __attribute__((vector_size(FINE)));

void
canon_body_init(struct canon_body *body, enum signpost_canon canon,
    canon_sink *sink, void *ctx)
{
	*body = (struct canon_body){ .canon = canon, .sink = sink, .ctx = ctx };
}

/* Line ends held back, in blocks: there may be billions. */
static void
write_crlfs(const struct canon_body *body, uint64_t count)
{
	char block[CRLFS * 2];
	size_t filled = count < CRLFS ? (size_t)count : CRLFS;

	for (size_t i = 0; i < filled; i++)
		memcpy(block + 2 * i, "\r\n", 2);
	while (count > 0) {
		size_t now = count < filled ? (size_t)count : filled;

		body->sink(body->ctx, block, 2 * now);
		count -= now;
	}
}

/* Something follows: what was held back is not at the end. */
static void
release(struct canon_body *body)
{
	if (body->pending_crlf > 0)
		write_crlfs(body, body->pending_crlf);
	body->pending_crlf = 0;
	if (body->pending_wsp)
		body->sink(body->ctx, " ", 1);
	body->pending_wsp = false;
	body->any = true;
}

/* No LF follows a CR that was held back: it is an ordinary octet. */
static void
release_cr(struct canon_body *body)
{
	if (!body->pending_cr)
		return;
	release(body);
	body->sink(body->ctx, "\r", 1);
	body->pending_cr = false;
}

/* Takes octets whose white space is as it shall be, but for the line ends at
 * the end of the body, and for the white space before them that is still held
 * back. */
static void
take_run(struct canon_body *body, const char *data, size_t len)
{
	uint64_t crlfs = 0;
	bool cr;

	if (len > 0 && body->pending_cr && data[0] == '\n') {
		body->pending_cr = false;
		body->pending_wsp = false;
		body->pending_crlf++;
		data++;
		len--;
	}
	if (len == 0)
		return;
	release_cr(body);
	if (len > 1 && data[0] == '\r' && data[1] == '\n')
		body->pending_wsp = false;
	cr = data[len - 1] == '\r';
	if (cr)
		len--;
	while (len > 1 && data[len - 1] == '\n' && data[len - 2] == '\r') {
		crlfs++;
		len -= 2;
	}
	if (len > 0) {
		release(body);
		body->sink(body->ctx, data, len);
	}
	body->pending_crlf += crlfs;
	body->pending_cr = cr;
}

/* Whether white space that may have to change starts at C. That any control
 * character behind a space counts makes the test quick and does no harm. */
static inline bool
may_change(unsigned char c, unsigned char next)
{
	return c == '\t' || (c == ' ' && next <= ' ');
}

/* The same for the FINE octets at DATA: 0xff where one starts, else 0.
 * DATA[FINE] is looked at, too. */
static inline octets
changes_in(const char *data)
{
	octets c, next;

	memcpy(&c, data, sizeof c);
	memcpy(&next, data + 1, sizeof next);
	return (octets)((c == '\t') | ((c == ' ') & (next <= ' ')));
}

/* The number of the first octet that is not 0; FINE for none. */
static inline size_t
first_of(octets changes)
{
	uint64_t words[FINE / sizeof(uint64_t)];

	memcpy(words, &changes, sizeof words);
	for (size_t i = 0; i < FINE / sizeof words[0]; i++)
		if (words[i] != 0)
			return i * sizeof words[0] +
			    (size_t)__builtin_ctzll(le64toh(words[i])) / 8;
	return FINE;
}

static inline bool
any_in_stride(const char *data)
{
	octets changes = { 0 };

	for (size_t i = 0; i < STRIDE; i += FINE)
		changes |= changes_in(data + i);
	return first_of(changes) < FINE;
}

/* The first white space from AT on that may have to change, or END. White space
 * just before END may. Indented text has some in every line: short steps come
 * first, and again once a long one has met some. */
static const char *
find_change(const char *at, const char *end)
{
	while (end - at > FINE) {
		for (size_t i = 0; i < STRIDE && end - at > FINE; i += FINE) {
			size_t first = first_of(changes_in(at));

			at += first;
			if (first < FINE)
				return at;
		}
		while (end - at > STRIDE && !any_in_stride(at))
			at += STRIDE;
	}
	while (at < end &&
	    !may_change((unsigned char)at[0],
		at + 1 < end ? (unsigned char)at[1] : ' '))
		at++;
	return at;
}

static const char *
skip_wsp(const char *at, const char *end)
{
	while (at < end && is_wsp(*at))
		at++;
	return at;
}

/* RFC 6376 section 3.4.4: (a) here, line by line; (b) in take_run. */
static void
update_relaxed(struct canon_body *body, const char *data, size_t len)
{
	const char *end = data + len;
	const char *start = data;

	if (body->pending_wsp && !body->pending_cr)
		start = skip_wsp(start, end);
	while (start < end) {
		const char *wsp = find_change(start, end);
		const char *next = skip_wsp(wsp, end);
		/* A space that stays can go out with what is before it. */
		bool stays =
		    wsp < end && *wsp == ' ' && next < end && *next != '\r';

		take_run(body, start, (size_t)(wsp - start) + stays);
		if (wsp < end && !stays) {
			release_cr(body);
			body->pending_wsp = true;
		}
		start = next;
	}
}

void
canon_body_update(struct canon_body *body, const char *data, size_t len)
{
	if (len == 0)
		return;
	if (body->canon == SIGNPOST_RELAXED)
		update_relaxed(body, data, len);
	else
		take_run(body, data, len);
}

void
canon_body_final(struct canon_body *body)
{
	release_cr(body);
	/* Simple: an empty body is one CRLF; relaxed: it is nothing. */
	if (body->any || body->canon == SIGNPOST_SIMPLE)
		body->sink(body->ctx, "\r\n", 2);
}
