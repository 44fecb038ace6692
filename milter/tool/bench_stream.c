/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost bench stream - one long body through canonicalization and hash. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_message.h"
#include "bench_process.h"
#include "body_hash.h"
#include "command.h"

enum {
	WAYS = 3,
	MAX_SLICES = BENCH_MAX_SAMPLES
};

struct stream_settings {
	struct bench_settings common;
	int64_t bytes; /* 0: not given */
	int64_t piece_bytes;
};

static const struct bench_column columns[] = {
	{ "way", "way", BENCH_TEXT },
	{ "bytes", "bytes", BENCH_BYTES },
	{ "piece_bytes", "piece", BENCH_BYTES },
	{ "samples", "samples", BENCH_COUNT },
	{ "mean_ns", "a megabyte", BENCH_NS },
	{ "error_ns", "error 99.9 %", BENCH_NS },
	{ "wall_ns", "wall", BENCH_NS },
	{ "bytes_per_second", "throughput", BENCH_BYTES_PER_SECOND },
	{ "of_digest", "of the digest's", BENCH_RATIO },
	{ "cpu_ns", "CPU in all", BENCH_NS },
	{ "peak_growth_bytes", "memory grown", BENCH_SIZE },
	BENCH_NOTE_COLUMN,
};

/* The ways that the octets go, in turns: what disturbs one disturbs all. */
struct stream {
	struct hash *digest;
	struct body_hash *hashes[WAYS]; /* NULL for the bare digest */
	double cpu_ns[WAYS][MAX_SLICES], wall_ns[WAYS][MAX_SLICES];
	double cpu_total_ns[WAYS];
	int64_t grown_bytes[WAYS];
	char *piece;
	size_t piece_bytes;
};

static const struct {
	const char *name;
	enum signpost_canon canon;
} ways[WAYS] = {
	{ "SHA-256 alone", SIGNPOST_SIMPLE },
	{ "simple", SIGNPOST_SIMPLE },
	{ "relaxed", SIGNPOST_RELAXED },
};

static enum signpost_status
open_stream(
    struct stream *stream, const struct signpost *handle, size_t piece_bytes)
{
	enum signpost_status status =
	    hash_new(handle, HASH_SHA256, &stream->digest);
	size_t slot;

	for (size_t w = 1; w < WAYS && status == SIGNPOST_OK; w++) {
		status = body_hash_new(handle, &stream->hashes[w]);
		if (status == SIGNPOST_OK)
			status =
			    body_hash_want(stream->hashes[w], ways[w].canon,
				HASH_SHA256, BODY_HASH_NO_LIMIT, &slot);
	}
	stream->piece_bytes = piece_bytes;
	stream->piece = malloc(piece_bytes);
	if (stream->piece == NULL)
		return SIGNPOST_NOMEM;
	bench_message_text(stream->piece, piece_bytes);
	return status;
}

static void
close_stream(struct stream *stream)
{
	hash_free(stream->digest);
	for (size_t w = 0; w < WAYS; w++)
		body_hash_free(stream->hashes[w]);
	free(stream->piece);
}

static void
push(struct stream *stream, size_t way, size_t bytes)
{
	for (size_t len; bytes > 0; bytes -= len) {
		len = bytes < stream->piece_bytes ? bytes : stream->piece_bytes;
		if (way == 0)
			hash_update(stream->digest, stream->piece, len);
		else
			body_hash_update(
			    stream->hashes[way], stream->piece, len);
	}
}

/* One slice of the body, one way. Figures are of a megabyte. */
static void
run_slice(struct stream *stream, size_t way, size_t slice, size_t bytes)
{
	int64_t peak = bench_process_peak_bytes();
	double wall = bench_wall_ns(), cpu = bench_cpu_ns();
	double megabytes = (double)bytes / 1e6;

	push(stream, way, bytes);
	cpu = bench_cpu_ns() - cpu;
	wall = bench_wall_ns() - wall;
	stream->cpu_total_ns[way] += cpu;
	stream->cpu_ns[way][slice] = cpu / megabytes;
	stream->wall_ns[way][slice] = wall / megabytes;
	stream->grown_bytes[way] += bench_process_peak_bytes() - peak;
}

static enum signpost_status
finish(struct stream *stream)
{
	struct digest digest;
	enum signpost_status status = hash_final(stream->digest, &digest);

	for (size_t w = 1; w < WAYS && status == SIGNPOST_OK; w++)
		status = body_hash_final(stream->hashes[w]);
	return status;
}

static void
report(struct bench *bench, const struct stream *stream, size_t slices,
    size_t bytes)
{
	struct bench_table *table = bench_report_table(&bench->report, "stream",
	    "One body through canonicalization and SHA-256", columns,
	    sizeof(columns) / sizeof(columns[0]));
	double digest_ns = 0;

	for (size_t w = 0; w < WAYS; w++) {
		struct bench_measured measured;

		bench_summarize(
		    stream->cpu_ns[w], stream->wall_ns[w], slices, &measured);
		bench_count_noise(bench, &measured);
		if (w == 0)
			digest_ns = measured.mean_ns;
		bench_table_text(table, "%s", ways[w].name);
		bench_table_number(table, (double)bytes);
		bench_table_number(table, (double)stream->piece_bytes);
		bench_table_number(table, (double)measured.samples);
		bench_table_number(table, measured.mean_ns);
		bench_table_number(table, measured.error_ns);
		bench_table_number(table, measured.wall_ns);
		bench_table_number(table, 1e15 / measured.mean_ns);
		bench_table_number(table, digest_ns / measured.mean_ns);
		bench_table_number(table, stream->cpu_total_ns[w]);
		bench_table_number(table, (double)stream->grown_bytes[w]);
		bench_table_text(table, "%s", measured.note);
	}
	bench_report_remark(&bench->report,
	    "The peak memory of the whole process was %.1f MB.",
	    (double)bench_process_peak_bytes() / 1e6);
}

/* A slice is a whole number of pieces, so that none is cut short but the
 * last. */
static void
run_slices(struct bench *bench, struct stream *stream, size_t bytes)
{
	size_t wanted = bench->settings->quick ? 8 : 40;
	size_t slice_bytes = bytes / wanted;
	size_t done = 0, slices = 0;

	slice_bytes -= slice_bytes % stream->piece_bytes;
	if (slice_bytes == 0)
		slice_bytes =
		    bytes < stream->piece_bytes ? bytes : stream->piece_bytes;
	/* The warm-up: hashed, but not counted. */
	for (size_t w = 0; w < WAYS; w++)
		run_slice(stream, w, 0, slice_bytes);
	memset(stream->cpu_total_ns, 0, sizeof(stream->cpu_total_ns));
	memset(stream->grown_bytes, 0, sizeof(stream->grown_bytes));
	for (; done < bytes && slices < MAX_SLICES; slices++) {
		size_t len = bytes - done;

		if (len > slice_bytes && slices + 1 < MAX_SLICES)
			len = slice_bytes;
		bench_progress(bench, "%s: %.0f %%", bench->name,
		    100.0 * (double)done / (double)bytes);
		for (size_t w = 0; w < WAYS; w++)
			run_slice(stream, w, slices, len);
		done += len;
	}
	report(bench, stream, slices, bytes);
}

int
bench_stream(struct bench *bench, const void *settings)
{
	const struct stream_settings *given = settings;
	size_t bytes = bench->settings->quick ? 32 << 20 : 512 << 20;
	size_t piece_bytes = 64 << 10;
	struct stream *stream = calloc(1, sizeof(*stream));
	enum signpost_status status = SIGNPOST_NOMEM;

	if (given != NULL && given->bytes > 0)
		bytes = (size_t)given->bytes;
	if (given != NULL && given->piece_bytes > 0)
		piece_bytes = (size_t)given->piece_bytes;
	if (stream != NULL)
		status = open_stream(stream, bench->handle, piece_bytes);
	if (status == SIGNPOST_OK) {
		run_slices(bench, stream, bytes);
		status = finish(stream);
	}
	if (stream != NULL)
		close_stream(stream);
	free(stream);
	return status == SIGNPOST_OK ? 0 : complain_status(bench->name, status);
}

int
bench_stream_command(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ '\0', "bytes", "N", "octets of the body (512M)", option_bytes,
		    offsetof(struct stream_settings, bytes), 1,
		    (int64_t)1 << 40 },
		{ '\0', "piece", "N", "octets at a time (64k)", option_bytes,
		    offsetof(struct stream_settings, piece_bytes), 1, 1 << 24 },
		BENCH_ROWS,
	};
	static const struct command_usage usage = {
		.command = "bench stream",
		.synopsis = "[--bytes N] [--piece N] [--quick] "
			    "[--format text|json|csv] [--html FILE]",
		.summary = "Measures canonicalization and hash of one long "
			   "body beside the bare digest.",
		.rows = rows,
	};
	struct stream_settings settings = { .bytes = 0 };

	return bench_command(
	    &usage, argc, argv, &settings.common, bench_stream);
}
