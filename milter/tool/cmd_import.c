/* SPDX-License-Identifier: BSD-2-Clause */
/* signpost import - the configuration of another program, as ours. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "config_text.h"
#include "import.h"
#include "keyfile.h"
#include "opendkim_settings.h"
#include "opendkim_signing.h"
#include "options.h"

#define OPENDKIM_DEFAULT "/etc/opendkim.conf"

enum {
	OUTPUT_MAX_BYTES = 1 << 30,
	MIN_RSA_BITS = 1024 /* sign.min_rsa_bits is no less */
};

struct settings {
	const char *folder;
};

#define AT(member) offsetof(struct settings, member)

static const struct option_row rows[] = {
	{ 'o', NULL, "DIR", "write keys that stand in KeyTable to DIR",
	    option_string, AT(folder), 0, 0 },
	{ 0 },
};

static const struct command_usage usage = {
	.command = "import",
	.synopsis = "opendkim [-o DIR] [FILE]",
	.summary = "Prints what OpenDKIM is told in FILE (" OPENDKIM_DEFAULT
		   ") and its tables as signpost.conf,\nand names on standard "
		   "error what has no equivalent. Exits with 0 where all was\n"
		   "translated, 1 where not, 78 where the result is no "
		   "configuration yet; 65, 66, 77:\nnothing is printed, as "
		   "what was read is wrong, not there, or closed.",
	.rows = rows,
	.max_operands = 2,
};

/* The keys of the result, while they are collected. */
struct key_files {
	struct import *import;
	const struct opendkim_rule **keys;
	size_t count;
};

static void
collect_key(void *context, const struct opendkim_rule *key)
{
	struct key_files *files = context;

	if (import_grow(files->import, &files->keys, files->count,
		sizeof(*files->keys)))
		files->keys[files->count++] = key;
}

static int
compare_files(const void *a, const void *b)
{
	const struct opendkim_rule *const *x = a, *const *y = b;

	return strcmp((*x)->file, (*y)->file);
}

/* Says what keeps the daemon from signing with KEY. */
static void
check_key(struct import *import, struct signpost *handle,
    const struct keyfile_user *user, const struct opendkim_rule *key)
{
	struct signpost_private_key *private_key = NULL;
	char why[KEYFILE_WHY_BYTES];
	struct keyfile_stamp stamp;
	struct buf text;

	buf_init(&text, KEYFILE_MAX_BYTES);
	buf_reserve(&text, KEYFILE_MAX_BYTES);
	if (keyfile_read(key->file, user, &text, &stamp, why) != SIGNPOST_OK)
		import_lost(import, key->key_place, "key %s", why);
	else if (signpost_private_key_read(handle,
		     text.len > 0 ? text.data : "", text.len,
		     &private_key) != SIGNPOST_OK)
		import_lost(import, key->key_place,
		    "key %s: wanted is an RSA or Ed25519 private key as PEM, "
		    "not encrypted",
		    key->file);
	else if (signpost_private_key_algorithm(private_key) !=
		SIGNPOST_ED25519_SHA256 &&
	    signpost_private_key_bits(private_key) < MIN_RSA_BITS)
		import_lost(import, key->key_place,
		    "key %s has %u bits, and RSA keys of less than %d do not "
		    "sign (RFC 8301): make a new one with signpost keygen",
		    key->file, signpost_private_key_bits(private_key),
		    MIN_RSA_BITS);
	signpost_private_key_unref(private_key);
	buf_cleanse(&text);
}

static void
check_keys(struct key_files *files, struct signpost *handle,
    const struct config *config)
{
	struct keyfile_user user;

	keyfile_find_user(config, &user);
	if (files->count > 0)
		qsort(files->keys, files->count, sizeof(*files->keys),
		    compare_files);
	for (size_t i = 0; i < files->count; i++)
		if (i == 0 ||
		    compare_files(&files->keys[i - 1], &files->keys[i]) != 0)
			check_key(files->import, handle, &user, files->keys[i]);
}

/* TEXT as signpostd -t would read it; NULL, with the exit code, where that
 * can't be known. Errors are complained of. */
static const struct config *
load_result(const struct buf *text, int *code_r)
{
	struct config_problems problems = { 0 };
	const struct config *config = NULL;
	char path[64], line[2048];
	int fd = memfd_create("signpost.conf", MFD_CLOEXEC);
	size_t done = 0;

	*code_r = EX_OSERR;
	while (fd >= 0 && done < text->len) {
		ssize_t len = write(fd, text->data + done, text->len - done);

		if (len < 0 && errno != EINTR)
			break;
		done += len > 0 ? (size_t)len : 0;
	}
	if (fd >= 0 && done == text->len) {
		/* The text is read in a process of its own. */
		snprintf(
		    path, sizeof(path), "/proc/%ld/fd/%d", (long)getpid(), fd);
		config = config_load(path, &problems);
		*code_r = EX_CONFIG;
	} else {
		complain(EX_OSERR, "import", "%s", strerror(errno));
	}
	for (size_t i = 0; config == NULL && i < problems.count; i++) {
		config_problem_text(&problems.items[i], line, sizeof(line));
		complain(EX_CONFIG, "the result", "%s", line);
	}
	config_problems_fini(&problems);
	if (fd >= 0)
		close(fd);
	return config;
}

/* The header is made last, when it is known what was read. */
static void
write_head(const struct import *import, struct buf *out)
{
	struct bytes rest = buf_bytes(&import->files), file;

	buf_append_str(out,
	    "# Made by \"signpost import opendkim\" of what OpenDKIM was told "
	    "in\n");
	while (bytes_next(&rest, '\n', &file))
		if (file.len > 0)
			config_text_comment(out, file);
	if (import->problems.errors > 0)
		buf_printf(out,
		    "# %zu of it could not be translated as it is; the import "
		    "named that.\n",
		    import->problems.errors);
	buf_append_str(out,
	    "# What is not set has its default, see signpost.conf(5). Check "
	    "it with\n# signpostd -t and signpost check.\n\n");
}

/* What the translation is made of. */
struct translation {
	struct import *import;
	struct opendkim_conf conf;
	struct opendkim_keys keys;
	struct opendkim_rules rules;
	struct key_files files;
	struct buf settings, domains;
};

static void
translate(struct translation *translation, struct signpost *handle,
    const struct settings *settings)
{
	const struct opendkim_conf *conf = &translation->conf;
	const struct opendkim_value *mode = opendkim_conf_get(conf, "Mode");

	opendkim_settings_say_lost(conf);
	opendkim_settings_write(conf, &translation->settings);
	opendkim_rules_init(&translation->rules, translation->import);
	opendkim_keys_read(&translation->keys, conf, handle, settings->folder);
	if (mode->text == NULL || strpbrk(mode->text, "sS") != NULL)
		opendkim_signing_read(&translation->keys, &translation->rules);
	opendkim_rules_write(&translation->rules, &translation->domains,
	    collect_key, &translation->files);
}

/* Puts the parts together; false out of memory. */
static bool
assemble(const struct translation *translation, struct buf *out)
{
	write_head(translation->import, out);
	buf_append_str(out,
	    "# Every key that OpenDKIM signed with stands below. The default, "
	    "a folder whose\n# keys sign for being there, would add to "
	    "them.\nkey_directory = \"\";\n");
	buf_append_bytes(out, buf_bytes(&translation->settings));
	if (translation->domains.len > 0) {
		buf_append_str(out, "\ndomains = (");
		buf_append_bytes(out, buf_bytes(&translation->domains));
		buf_append_str(out, "\n);\n");
	}
	return !out->failed && !translation->settings.failed &&
	    !translation->domains.failed && !translation->import->no_memory;
}

/* Checks what was translated, and prints it. Returns the exit code. */
static int
finish(struct translation *translation, struct signpost *handle)
{
	struct import *import = translation->import;
	const struct config *config = NULL;
	struct buf out;
	int code = 0;

	buf_init(&out, OUTPUT_MAX_BYTES);
	if (!assemble(translation, &out))
		code = complain_status("import", SIGNPOST_NOMEM);
	if (code == 0) {
		config = load_result(&out, &code);
		code = config != NULL ? 0 : code;
	}
	if (config != NULL)
		check_keys(&translation->files, handle, config);
	/* It may tell of keys now. */
	buf_clear(&out);
	if (assemble(translation, &out))
		fwrite(out.data, 1, out.len, stdout);
	if (code == 0 && import->problems.errors > 0)
		code = EX_NO;
	config_unref(config);
	buf_fini(&out);
	return code;
}

static int
import_opendkim(
    struct import *import, const struct settings *settings, const char *file)
{
	struct translation translation = { .import = import,
		.files = { .import = import } };
	enum signpost_status status;
	struct signpost *handle;
	int code = 0;

	buf_init(&translation.settings, OUTPUT_MAX_BYTES);
	buf_init(&translation.domains, OUTPUT_MAX_BYTES);
	status = signpost_new(&handle);
	if (status != SIGNPOST_OK)
		return complain_status("import", status);
	opendkim_conf_read(&translation.conf, import, file);
	if (import->code == 0)
		translate(&translation, handle, settings);
	code = import->code;
	if (code == 0)
		code = finish(&translation, handle);
	import_print_problems(import, file);
	free(translation.files.keys);
	opendkim_rules_fini(&translation.rules);
	opendkim_keys_fini(&translation.keys);
	buf_fini(&translation.settings);
	buf_fini(&translation.domains);
	signpost_free(handle);
	return code;
}

int
cmd_import(int argc, char **argv)
{
	struct settings settings = { 0 };
	struct import import;
	const char *file;
	int operands, code;

	operands = options_read(&usage, argc, argv, &settings, &code);
	if (operands == 0)
		return code;
	if (operands == argc || strcmp(argv[operands], "opendkim") != 0)
		return complain(EX_USAGE, "import",
		    "whose configuration? It can read that of opendkim: "
		    "signpost import opendkim");
	file = argv[operands + 1];
	import_init(&import);
	code = import_opendkim(
	    &import, &settings, file != NULL ? file : OPENDKIM_DEFAULT);
	import_fini(&import);
	return code;
}
