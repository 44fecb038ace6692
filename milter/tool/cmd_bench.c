/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost bench - what signing and verifying cost on this machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "command.h"

static const struct measurement {
	const char *name;
	int (*command)(int argc, char **argv);
	bench_run *run; /* as a part of all; NULL: not without arguments */
	const char *summary;
} measurements[] = {
	{ "crypto", bench_crypto_command, bench_crypto,
	    "public-key operations, digests and ciphers" },
	{ "mail", bench_mail_command, bench_mail,
	    "signing and verifying whole messages" },
	{ "stream", bench_stream_command, bench_stream,
	    "one long body through canonicalization and hash" },
	{ "history", bench_history_command, bench_history,
	    "the measurements of 1995 to 2014, made again" },
	{ "milter", bench_milter_command, NULL,
	    "messages through a running milter" },
};

#define COUNT (sizeof(measurements) / sizeof(measurements[0]))

static const struct bench_pace normal_pace = { 4, 20, 8e6, 1e9 };
static const struct bench_pace quick_pace = { 1, 5, 1.5e6, 6e7 };
static const struct bench_pace full_pace = { 4, 40, 50e6, 10e9 };

bool
bench_take_form(const struct option_row *row, const char *command,
    void *settings, const char *argument)
{
	static const char *const names[] = { "text", "json", "csv" };
	enum bench_form *form = (void *)((char *)settings + row->offset);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(argument, names[i]) != 0)
			continue;
		*form = (enum bench_form)i;
		return true;
	}
	complain(EX_USAGE, command, "--format \"%s\": wants text, json or csv",
	    argument);
	return false;
}

void
bench_progress(struct bench *bench, const char *format, ...)
{
	va_list arguments;

	if (!bench->shows_progress)
		return;
	fputs("\r\033[K", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fflush(stderr);
}

const char *
bench_key_type(unsigned bits)
{
	return bits == PRIMITIVE_ED25519 ? "Ed25519" : "RSA";
}

const char *
bench_key_name(unsigned bits, char name[BENCH_KEY_NAME_SIZE])
{
	if (bits == PRIMITIVE_ED25519)
		return bench_key_type(bits);
	snprintf(name, BENCH_KEY_NAME_SIZE, "RSA-%u", bits);
	return name;
}

struct primitive_key *
bench_key(struct bench *bench, unsigned bits)
{
	struct primitive_key *key;
	char name[BENCH_KEY_NAME_SIZE];

	bench_progress(bench, "%s: making a key, %s", bench->name,
	    bench_key_name(bits, name));
	key = primitives_key(bench->primitives, bits);
	if (key == NULL)
		bench_report_remark(&bench->report,
		    "libcrypto refuses keys of %s.",
		    bench_key_name(bits, name));
	return key;
}

void
bench_count_noise(struct bench *bench, const struct bench_measured *measured)
{
	bench->taken++;
	if (measured->note[0] != '\0')
		bench->noisy++;
}

bool
bench_take(struct bench *bench, const char *what, bench_operation *operation,
    void *ctx, struct bench_measured *measured_r)
{
	bench_progress(bench, "%s: %s", bench->name, what);
	if (!bench_measure(&bench->pace, operation, ctx, measured_r)) {
		bench_report_remark(
		    &bench->report, "%s failed and is not shown.", what);
		return false;
	}
	bench_count_noise(bench, measured_r);
	return true;
}

void
bench_table_measured(const struct bench *bench, struct bench_table *table,
    const struct bench_measured *measured)
{
	double rate = 1e9 / measured->mean_ns;

	bench_table_number(table, (double)measured->samples);
	bench_table_number(table, measured->mean_ns);
	bench_table_number(table, measured->error_ns);
	bench_table_number(table, measured->wall_ns);
	bench_table_number(table, rate);
	bench_table_number(table, rate / bench->machine.ghz);
}

static int
open_bench(struct bench *bench, const char *name,
    const struct bench_settings *settings)
{
	enum signpost_status status;

	memset(bench, 0, sizeof(*bench));
	bench->name = name;
	bench->settings = settings;
	bench->pace = normal_pace;
	if (settings->quick)
		bench->pace = quick_pace;
	else if (settings->full)
		bench->pace = full_pace;
	bench->shows_progress = isatty(STDERR_FILENO) == 1;
	bench_report_init(&bench->report);
	status = signpost_new(&bench->handle);
	if (status != SIGNPOST_OK)
		return complain_status(name, status);
	bench->primitives = primitives_new();
	if (bench->primitives == NULL)
		return complain(
		    EX_SOFTWARE, name, "libcrypto cannot be set up");
	bench_machine_look(&bench->machine);
	return 0;
}

static void
close_bench(struct bench *bench)
{
	primitives_free(bench->primitives);
	signpost_free(bench->handle);
	bench_report_fini(&bench->report);
}

static void
remark_noise(struct bench *bench)
{
	if (bench->noisy > 0)
		bench_report_remark(&bench->report,
		    "%zu of %zu measurements were noisy: others used the "
		    "machine, or its clock changed. CPU time (mean) stands "
		    "that better than time on the wall.",
		    bench->noisy, bench->taken);
	if (bench->machine.load > 0.5 * bench->machine.processors)
		bench_report_remark(&bench->report,
		    "The load average was %.2f on %u processors when this "
		    "began.",
		    bench->machine.load, bench->machine.processors);
}

static int
write_page(const struct bench *bench, const char *path)
{
	FILE *out = fopen(path, "we");
	bool made, written;

	if (out == NULL)
		return complain_file(path, errno);
	made = bench_html(bench, out);
	written = ferror(out) == 0;
	if (fclose(out) != 0 || !written)
		return complain_file(path, errno);
	return made ? 0 : complain_status(path, SIGNPOST_NOMEM);
}

static int
print_report(struct bench *bench)
{
	static bench_writer *const writers[] = {
		[BENCH_FORM_TEXT] = bench_text,
		[BENCH_FORM_JSON] = bench_json,
		[BENCH_FORM_CSV] = bench_csv,
	};

	remark_noise(bench);
	if (bench->report.failed ||
	    !writers[bench->settings->form](bench, stdout))
		return complain_status(bench->name, SIGNPOST_NOMEM);
	if (bench->settings->html == NULL)
		return 0;
	return write_page(bench, bench->settings->html);
}

/* Whether the page can be written is to be known before an hour's work. */
static int
check_settings(
    const struct command_usage *usage, const struct bench_settings *settings)
{
	int fd;

	if (settings->quick && settings->full)
		return complain(EX_USAGE, usage->command,
		    "--quick and --full exclude each other");
	if (settings->html == NULL)
		return 0;
	fd =
	    open(settings->html, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		unlink(settings->html);
	else if (errno == EEXIST)
		fd = open(settings->html, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return complain_file(settings->html, errno);
	close(fd);
	return 0;
}

int
bench_command(const struct command_usage *usage, int argc, char **argv,
    struct bench_settings *settings, bench_run *run)
{
	struct bench *bench;
	int code;

	if (options_read(usage, argc, argv, settings, &code) == 0)
		return code;
	code = check_settings(usage, settings);
	if (code != 0)
		return code;
	bench = malloc(sizeof(*bench));
	if (bench == NULL)
		return complain_status(usage->command, SIGNPOST_NOMEM);
	code = open_bench(bench, usage->command, settings);
	if (code == 0)
		code = run(bench, settings);
	bench_progress(bench, "%s", "");
	if (code == 0)
		code = print_report(bench);
	close_bench(bench);
	free(bench);
	return code;
}

static int
run_all(struct bench *bench, const void *settings)
{
	int code = 0;

	(void)settings;
	for (size_t i = 0; i < COUNT && code == 0; i++)
		if (measurements[i].run != NULL)
			code = measurements[i].run(bench, NULL);
	return code;
}

static void
print_help(FILE *to)
{
	fputs("usage: signpost bench [MEASUREMENT] [OPTION ...]\n\n"
	      "Measures what signing and verifying cost on this machine.\n\n",
	    to);
	for (size_t i = 0; i < COUNT; i++)
		fprintf(to, "  %-10s %s\n", measurements[i].name,
		    measurements[i].summary);
	fputs("\nWithout a MEASUREMENT, all but milter. Options of each: "
	      "--quick, --full,\n--format text|json|csv, --html FILE; "
	      "\"signpost bench MEASUREMENT --help\" says more.\n",
	    to);
}

int
cmd_bench(int argc, char **argv)
{
	static const struct option_row rows[] = { BENCH_ROWS };
	static const struct command_usage usage = {
		.command = "bench",
		.synopsis = "[MEASUREMENT] [OPTION ...]",
		.summary = "Measures what signing and verifying cost.",
		.rows = rows,
	};
	struct bench_settings settings = { 0 };
	const char *name = argc > 1 ? argv[1] : "";

	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		print_help(stdout);
		return EX_OK;
	}
	for (size_t i = 0; i < COUNT; i++)
		if (strcmp(name, measurements[i].name) == 0)
			return measurements[i].command(argc - 1, argv + 1);
	if (argc > 1 && name[0] != '-')
		return complain(EX_USAGE, "bench",
		    "%s: no such measurement; \"signpost bench --help\" lists "
		    "them",
		    name);
	return bench_command(&usage, argc, argv, &settings, run_all);
}
