/* SPDX-License-Identifier: BSD-2-Clause */
#include "answer.h"

enum {
	HEADER_BYTES = 12,
	TYPE_SOA = 6,
	TYPE_TXT = 16,
	CLASS_IN = 1,
	SOA_NUMBERS_BYTES = 20
};

/* What is left of a message; FAILED once something did not fit. */
struct reader {
	const unsigned char *at, *end;
	bool failed;
};

struct record {
	unsigned type, class;
	uint32_t ttl_s;
	struct reader data;
};

static const unsigned char *
take(struct reader *reader, size_t len)
{
	const unsigned char *at = reader->at;

	if (reader->failed || (size_t)(reader->end - at) < len) {
		reader->failed = true;
		return NULL;
	}
	reader->at += len;
	return at;
}

static unsigned
take_u8(struct reader *reader)
{
	const unsigned char *at = take(reader, 1);

	return at == NULL ? 0 : *at;
}

static unsigned
take_u16(struct reader *reader)
{
	unsigned high = take_u8(reader);

	return high << 8 | take_u8(reader);
}

static uint32_t
take_u32(struct reader *reader)
{
	uint32_t high = take_u16(reader);

	return high << 16 | take_u16(reader);
}

/* RFC 1035 section 4.1.4: a pointer ends the name as it stands here. */
static void
skip_name(struct reader *reader)
{
	unsigned len;

	while ((len = take_u8(reader)) != 0) {
		if (len >= 0xc0) {
			take(reader, 1);
			return;
		}
		if (len > 63) {
			reader->failed = true;
			return;
		}
		take(reader, len);
	}
}

static struct record
take_record(struct reader *reader)
{
	struct record record;
	size_t len;

	skip_name(reader);
	record.type = take_u16(reader);
	record.class = take_u16(reader);
	record.ttl_s = take_u32(reader);
	/* RFC 2181 section 8: the top bit set means 0. */
	if (record.ttl_s > INT32_MAX)
		record.ttl_s = 0;
	len = take_u16(reader);
	record.data.at = take(reader, len);
	record.data.end = record.data.at == NULL ? NULL : record.data.at + len;
	record.data.failed = reader->failed;
	return record;
}

/* Appends the strings of a TXT record behind the USED octets of the text. */
static size_t
add_record(struct answer *answer, struct reader *data, size_t used)
{
	char *text = answer->text + used;
	size_t len = 0;

	while (!data->failed && data->at < data->end) {
		size_t part = take_u8(data);
		const unsigned char *string = take(data, part);

		if (string != NULL)
			memcpy(text + len, string, part);
		len += part;
	}
	if (data->failed)
		return 0;
	if (len > RESOLVER_MAX_RECORD_BYTES ||
	    answer->count == RESOLVER_MAX_RECORDS) {
		answer->dropped++;
		return 0;
	}
	answer->records[answer->count++] = bytes_of(text, len);
	return len;
}

static void
read_answers(struct reader *reader, unsigned count, struct answer *answer)
{
	size_t used = 0;

	answer->ttl_s = UINT32_MAX;
	while (count-- > 0 && !reader->failed) {
		struct record record = take_record(reader);

		if (record.ttl_s < answer->ttl_s)
			answer->ttl_s = record.ttl_s;
		if (record.type == TYPE_TXT && record.class == CLASS_IN) {
			used += add_record(answer, &record.data, used);
			reader->failed |= record.data.failed;
		}
	}
}

/* RFC 2308 section 5: the lesser of the SOA's own TTL and its MINIMUM. */
static uint32_t
denial_ttl_s(struct reader *reader, unsigned count)
{
	uint32_t ttl_s = 0;

	while (count-- > 0 && !reader->failed) {
		struct record record = take_record(reader);

		if (record.type != TYPE_SOA || record.data.failed)
			continue;
		skip_name(&record.data);
		skip_name(&record.data);
		take(&record.data, SOA_NUMBERS_BYTES - 4);
		ttl_s = take_u32(&record.data);
		if (record.ttl_s < ttl_s)
			ttl_s = record.ttl_s;
		reader->failed |= record.data.failed;
	}
	return ttl_s;
}

bool
answer_read(const unsigned char *packet, size_t len, struct answer *answer_r)
{
	struct reader reader = { packet, packet + len, false };
	unsigned questions, answers, authorities;

	answer_r->count = answer_r->dropped = 0;
	answer_r->ttl_s = 0;
	answer_r->rcode = 0;
	if (len < HEADER_BYTES || len > ANSWER_MAX_BYTES)
		return false;
	take(&reader, 3);
	answer_r->rcode = take_u8(&reader) & 15;
	questions = take_u16(&reader);
	answers = take_u16(&reader);
	authorities = take_u16(&reader);
	take_u16(&reader);
	while (questions-- > 0 && !reader.failed) {
		skip_name(&reader);
		take(&reader, 4);
	}
	read_answers(&reader, answers, answer_r);
	if (answer_r->count + answer_r->dropped == 0) {
		uint32_t ttl_s = denial_ttl_s(&reader, authorities);

		/* What led to a name that isn't there may end before. */
		if (ttl_s < answer_r->ttl_s)
			answer_r->ttl_s = ttl_s;
	}
	return !reader.failed;
}
