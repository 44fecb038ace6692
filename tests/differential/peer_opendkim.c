/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peer_opendkim - libopendkim, as the driver of the differential tests asks it
 *
 * Understands "verify" of peer_signpost. Answered for each signature that the
 * library told of: "pass" or what went wrong, s=, d=. First of all: "" or what
 * became of the message as a whole.
 *
 * What DNS says comes from the question, in packets as a server would send
 * them, so that the library's own reading of them is asked, too. Its clock is
 * the function time() below, which stands before that of the C library.
 */
#include <sys/types.h>

#include <arpa/nameser.h>
#include <err.h>
#include <netdb.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dkim.h>

#include "frame.h"

enum {
	MAX_LOOKUPS = 64,
	MAX_PACKET = 65535
};

struct lookup {
	const struct item *name, *answer, *rdata;
};

struct query {
	int error;
	size_t len;
};

struct peer {
	struct lookup lookups[MAX_LOOKUPS];
	size_t count;
	struct query query; /* the last one; each is waited for at once */
};

static time_t the_time;

time_t
time(time_t *now_r)
{
	if (now_r != NULL)
		*now_r = the_time;
	return the_time;
}

static void
put16(unsigned char **at, unsigned value)
{
	*(*at)++ = (unsigned char)(value >> 8);
	*(*at)++ = (unsigned char)value;
}

static void
put_record(unsigned char **at, const struct item *rdata)
{
	put16(at, 0xc000 | NS_HFIXEDSZ); /* the name asked for */
	put16(at, ns_t_txt);
	put16(at, ns_c_in);
	put16(at, 0);
	put16(at, 300);
	put16(at, (unsigned)rdata->len);
	memcpy(*at, rdata->data, rdata->len);
	*at += rdata->len;
}

/* Writes the packet that answers NAME; its length, or 0 for no answer at all:
 * the time is up, or it does not fit. */
static size_t
write_packet(
    const struct peer *peer, const char *name, unsigned char *out, size_t room)
{
	unsigned char packet[MAX_PACKET + NS_MAXCDNAME];
	unsigned char *at = packet + NS_HFIXEDSZ;
	unsigned rcode = ns_r_nxdomain;
	unsigned answers = 0;
	int len = ns_name_compress(name, at, NS_MAXCDNAME, NULL, NULL);

	memset(packet, 0, NS_HFIXEDSZ);
	if (len < 0)
		len = ns_name_compress("invalid", at, NS_MAXCDNAME, NULL, NULL);
	at += len;
	put16(&at, ns_t_txt);
	put16(&at, ns_c_in);
	for (size_t i = 0; i < peer->count; i++) {
		const struct lookup *lookup = &peer->lookups[i];

		if (strcasecmp(lookup->name->data, name) != 0)
			continue;
		if (strcmp(lookup->answer->data, "timeout") == 0)
			return 0;
		rcode = ns_r_noerror;
		if (strcmp(lookup->answer->data, "none") == 0)
			rcode = ns_r_nxdomain;
		else if (strcmp(lookup->answer->data, "found") != 0)
			rcode = ns_r_servfail;
		if (rcode != ns_r_noerror)
			continue;
		if ((size_t)(at - packet) + lookup->rdata->len > MAX_PACKET)
			return 0;
		put_record(&at, lookup->rdata);
		answers++;
	}
	packet[2] = 0x84;
	packet[3] = (unsigned char)(0x80 | rcode);
	packet[5] = 1;
	packet[7] = (unsigned char)answers;
	if ((size_t)(at - packet) > room)
		return 0;
	memcpy(out, packet, (size_t)(at - packet));
	return (size_t)(at - packet);
}

/* The library hands its callbacks this one: see dkim_dns_set_query_service. */
static int
dns_start(void *service, int type, unsigned char *name, unsigned char *buf,
    size_t buf_len, void **query_r)
{
	struct peer *peer = service;

	(void)type;
	peer->query.len = write_packet(peer, (char *)name, buf, buf_len);
	*query_r = &peer->query;
	return DKIM_DNS_SUCCESS;
}

static int
dns_wait(void *service, void *handle, struct timeval *timeout, size_t *bytes_r,
    int *error_r, int *dnssec_r)
{
	struct query *query = handle;

	(void)service;
	(void)timeout;
	*bytes_r = query->len;
	*error_r = 0;
	*dnssec_r = DKIM_DNSSEC_UNKNOWN;
	return query->len == 0 ? DKIM_DNS_EXPIRED : DKIM_DNS_SUCCESS;
}

static int
dns_cancel(void *service, void *handle)
{
	(void)service;
	(void)handle;
	return DKIM_DNS_SUCCESS;
}

static int
dns_init(void **service_r)
{
	(void)service_r;
	return DKIM_DNS_SUCCESS;
}

static void
dns_close(void *service)
{
	(void)service;
}

static DKIM_LIB *
make_library(struct peer *peer)
{
	DKIM_LIB *library = dkim_init(NULL, NULL);

	if (library == NULL)
		errx(1, "dkim_init");
	dkim_dns_set_init(library, dns_init);
	dkim_dns_set_close(library, dns_close);
	dkim_dns_set_query_start(library, dns_start);
	dkim_dns_set_query_cancel(library, dns_cancel);
	dkim_dns_set_query_waitreply(library, dns_wait);
	dkim_dns_set_query_service(library, peer);
	return library;
}

static void
add_fields(DKIM *dkim, struct frame *frame)
{
	while (frame->next < frame->count) {
		const struct item *name = frame_next(frame);
		const struct item *value = frame_next(frame);
		size_t len = name->len + 1 + value->len;
		unsigned char *field = malloc(len + 1);

		if (field == NULL)
			err(1, "field");
		memcpy(field, name->data, name->len);
		field[name->len] = ':';
		memcpy(field + name->len + 1, value->data, value->len);
		field[len] = '\0';
		dkim_header(dkim, field, len);
		free(field);
	}
}

static const char *
text_or_none(const unsigned char *text)
{
	return text == NULL ? "" : (const char *)text;
}

static void
add_signature(DKIM *dkim, DKIM_SIGINFO *signature, struct answer *answer)
{
	const char *wrong = "mismatch";
	DKIM_SIGERROR error;

	/* dkim_eom stops at the first one that passes. */
	if (dkim_sig_geterror(signature) == DKIM_SIGERROR_UNKNOWN &&
	    (dkim_sig_getflags(signature) & DKIM_SIGFLAG_PROCESSED) == 0)
		dkim_sig_process(dkim, signature);
	error = dkim_sig_geterror(signature);
	if (DKIM_SIG_CHECK(signature) && error == DKIM_SIGERROR_OK)
		wrong = "pass";
	else if (dkim_sig_getbh(signature) == DKIM_SIGBH_MISMATCH)
		wrong = "body hash mismatch";
	else if (error != DKIM_SIGERROR_OK)
		wrong = dkim_sig_geterrorstr(error);
	answer_add_text(answer, wrong == NULL ? "no reason" : wrong);
	answer_add_text(answer, text_or_none(dkim_sig_getselector(signature)));
	answer_add_text(answer, text_or_none(dkim_sig_getdomain(signature)));
}

static void
verify(struct peer *peer, struct frame *frame, struct answer *answer)
{
	enum {
		OPTIONS = 8
	};
	DKIM_SIGINFO **signatures = NULL;
	DKIM_STAT status;
	const struct item *body;
	DKIM_LIB *library = make_library(peer);
	int count = 0;
	DKIM *dkim;

	the_time = (time_t)frame_next_number(frame);
	for (int i = 0; i < OPTIONS; i++)
		frame_next(frame);
	peer->count = (size_t)frame_next_number(frame);
	if (peer->count > MAX_LOOKUPS)
		errx(1, "%zu look-ups", peer->count);
	for (size_t i = 0; i < peer->count; i++) {
		peer->lookups[i].name = frame_next(frame);
		peer->lookups[i].answer = frame_next(frame);
		peer->lookups[i].rdata = frame_next(frame);
	}
	body = frame_next(frame);
	dkim = dkim_verify(library, (const unsigned char *)"", NULL, &status);
	if (dkim == NULL)
		errx(1, "dkim_verify: %s", dkim_getresultstr(status));
	add_fields(dkim, frame);
	status = dkim_eoh(dkim);
	if (status == DKIM_STAT_OK && body->len > 0)
		status = dkim_body(dkim, (u_char *)body->data, body->len);
	if (status == DKIM_STAT_OK)
		dkim_eom(dkim, NULL);
	answer_add_text(
	    answer, status == DKIM_STAT_OK ? "" : dkim_getresultstr(status));
	if (status == DKIM_STAT_OK &&
	    dkim_getsiglist(dkim, &signatures, &count) != DKIM_STAT_OK)
		count = 0;
	for (int i = 0; i < count; i++)
		add_signature(dkim, signatures[i], answer);
	dkim_free(dkim);
	dkim_close(library);
}

int
main(void)
{
	struct peer peer = { .count = 0 };
	struct answer answer = { .data = NULL };
	struct frame frame;

	while (frame_read(&frame)) {
		frame_next(&frame);
		verify(&peer, &frame, &answer);
		answer_send(&answer);
		frame_free(&frame);
	}
	return 0;
}
