/* SPDX-License-Identifier: BSD-2-Clause */
#include "body_hash.h"

#include <assert.h>
#include <stdlib.h>

#include "canon_body.h"

enum {
	STREAMS = SIGNPOST_RELAXED + 1,
	STAGE_BYTES = 1024,
	LARGE_BYTES = STAGE_BYTES / 2 /* worth a call of the digest's own */
};

/* One digest that was asked for. */
struct slot {
	enum signpost_canon canon;
	enum hash_algorithm algorithm;
	uint64_t limit;
	struct hash *hash;
	struct body_hash_result result;
};

/* One canonicalization, and the small runs that came out of it of late. */
struct stream {
	struct body_hash *owner;
	bool wanted;
	struct canon_body canon;
	size_t staged;
	char stage[STAGE_BYTES];
};

struct body_hash {
	const struct signpost *handle;
	struct slot *slots;
	size_t slot_count;
	bool started;
	struct stream streams[STREAMS];
};

/* Counts LEN more canonical octets for SLOT and digests those within its limit
 * (RFC 6376 section 3.5, l=). */
static void
feed_slot(struct slot *slot, const char *data, size_t len)
{
	struct body_hash_result *result = &slot->result;
	uint64_t room = slot->limit - result->hashed_bytes;
	size_t within = len < room ? len : (size_t)room;

	if (within > 0)
		hash_update(slot->hash, data, within);
	result->hashed_bytes += within;
	result->beyond_bytes += len - within;
}

static void
feed(struct stream *stream, const char *data, size_t len)
{
	struct body_hash *hash = stream->owner;

	for (size_t i = 0; i < hash->slot_count; i++)
		if (hash->slots[i].canon == stream->canon.canon)
			feed_slot(&hash->slots[i], data, len);
}

static void
flush_stage(struct stream *stream)
{
	if (stream->staged > 0)
		feed(stream, stream->stage, stream->staged);
	stream->staged = 0;
}

/* A sink of canon_body. */
static void
take_canonical(void *ctx, const char *data, size_t len)
{
	struct stream *stream = ctx;

	if (len > STAGE_BYTES - stream->staged || len >= LARGE_BYTES)
		flush_stage(stream);
	if (len >= LARGE_BYTES) {
		feed(stream, data, len);
		return;
	}
	memcpy(stream->stage + stream->staged, data, len);
	stream->staged += len;
}

enum signpost_status
body_hash_new(const struct signpost *handle, struct body_hash **hash_r)
{
	struct body_hash *hash = calloc(1, sizeof *hash);

	*hash_r = hash;
	if (hash == NULL)
		return SIGNPOST_NOMEM;
	hash->handle = handle;
	for (int canon = 0; canon < STREAMS; canon++) {
		struct stream *stream = &hash->streams[canon];

		stream->owner = hash;
		canon_body_init(&stream->canon, (enum signpost_canon)canon,
		    take_canonical, stream);
	}
	return SIGNPOST_OK;
}

void
body_hash_free(struct body_hash *hash)
{
	if (hash == NULL)
		return;
	for (size_t i = 0; i < hash->slot_count; i++)
		hash_free(hash->slots[i].hash);
	free(hash->slots);
	free(hash);
}

static bool
is_slot(const struct slot *slot, enum signpost_canon canon,
    enum hash_algorithm algorithm, uint64_t limit)
{
	return slot->canon == canon && slot->algorithm == algorithm &&
	    slot->limit == limit;
}

enum signpost_status
body_hash_want(struct body_hash *hash, enum signpost_canon canon,
    enum hash_algorithm algorithm, uint64_t limit, size_t *slot_r)
{
	enum signpost_status status;
	struct slot *slots;
	size_t i = 0;

	assert(!hash->started);
	while (i < hash->slot_count &&
	    !is_slot(&hash->slots[i], canon, algorithm, limit))
		i++;
	*slot_r = i;
	if (i < hash->slot_count)
		return SIGNPOST_OK;
	slots = reallocarray(hash->slots, i + 1, sizeof *slots);
	if (slots == NULL)
		return SIGNPOST_NOMEM;
	hash->slots = slots;
	slots[i] = (struct slot){
		.canon = canon, .algorithm = algorithm, .limit = limit
	};
	status = hash_new(hash->handle, algorithm, &slots[i].hash);
	if (status != SIGNPOST_OK)
		return status;
	hash->slot_count++;
	hash->streams[canon].wanted = true;
	return SIGNPOST_OK;
}

bool
body_hash_wanted(const struct body_hash *hash)
{
	return hash->slot_count > 0;
}

void
body_hash_update(struct body_hash *hash, const char *data, size_t len)
{
	hash->started = true;
	for (size_t i = 0; i < STREAMS; i++)
		if (hash->streams[i].wanted)
			canon_body_update(&hash->streams[i].canon, data, len);
}

enum signpost_status
body_hash_final(struct body_hash *hash)
{
	enum signpost_status status = SIGNPOST_OK;

	hash->started = true;
	for (size_t i = 0; i < STREAMS; i++) {
		if (!hash->streams[i].wanted)
			continue;
		canon_body_final(&hash->streams[i].canon);
		flush_stage(&hash->streams[i]);
	}
	for (size_t i = 0; i < hash->slot_count; i++) {
		struct slot *slot = &hash->slots[i];
		enum signpost_status one =
		    hash_final(slot->hash, &slot->result.digest);

		if (status == SIGNPOST_OK)
			status = one;
	}
	return status;
}

const struct body_hash_result *
body_hash_get(const struct body_hash *hash, size_t slot)
{
	assert(slot < hash->slot_count);
	return &hash->slots[slot].result;
}
