/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_pem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "readfile.h"

enum {
	KEY_MAX_BYTES = 65536,
	RECORD_STRING_BYTES = 255 /* RFC 1035 section 3.3 */
};

int
key_pem_read(struct signpost *handle, const char *path,
    struct signpost_private_key **key_r)
{
	enum signpost_status status;
	struct buf text;
	int code;

	*key_r = NULL;
	buf_init(&text, KEY_MAX_BYTES);
	code = readfile(path, &text);
	if (code == 0) {
		status = signpost_private_key_read(
		    handle, text.len > 0 ? text.data : "", text.len, key_r);
		if (status == SIGNPOST_SYNTAX || status == SIGNPOST_KEY)
			code = complain(EX_DATAERR, path,
			    "%s: wanted is an RSA or Ed25519 private key as "
			    "PEM, not encrypted",
			    signpost_status_text(status));
		else if (status != SIGNPOST_OK)
			code = complain_status(path, status);
	}
	buf_cleanse(&text);
	return code;
}

/* Opens the folder NAME of PARENT and makes it where it is missing. */
static int
open_folder(
    int parent, const char *name, int flags, const struct key_pem_place *place)
{
	/* The daemon reads there by its group. */
	mode_t mode = place->chown ? 0750 : 0700;
	bool made = mkdirat(parent, name, mode) == 0;
	int fd;

	if (!made && errno != EEXIST)
		return -1;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	if (fd >= 0 && made && place->chown &&
	    (fchown(fd, 0, place->gid) < 0 || fchmod(fd, mode) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool
write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t len = write(fd, text, left);

		if (len < 0 && errno != EINTR)
			return false;
		if (len > 0) {
			text += len;
			left -= (size_t)len;
		}
	}
	return true;
}

/* Writes PEM as the file NAME of FOLDER. It gets its name only once it is
 * whole and safe on the disk; a link, unlike a rename, never replaces. */
static bool
write_named(int folder, const char *name, const char *pem,
    const struct key_pem_place *place)
{
	char temporary[64];
	bool ok;
	int fd, error;

	snprintf(temporary, sizeof(temporary), ".new-key.%ld", (long)getpid());
	/* One that a crash has left, in a process of the same number. */
	unlinkat(folder, temporary, 0);
	fd = openat(folder, temporary,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	ok = fchmod(fd, 0600) == 0 &&
	    (!place->chown || fchown(fd, place->uid, place->gid) == 0) &&
	    write_all(fd, pem) && fsync(fd) == 0 &&
	    linkat(folder, temporary, folder, name, 0) == 0;
	error = errno;
	close(fd);
	unlinkat(folder, temporary, 0);
	fsync(folder);
	errno = error;
	return ok;
}

/* As write_named, from the top of PLACE. errno tells of a failure. */
static bool
write_pem(const char *pem, const struct key_pem_place *place)
{
	char name[NAME_MAX + 1];
	int top = -1, folder = -1, error;
	bool ok = false;

	if (snprintf(name, sizeof(name), "%s.pem", place->selector) >=
	    (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return false;
	}
	top = open_folder(AT_FDCWD, place->folder, 0, place);
	/* Whoever may write in the top folder must not lead root elsewhere. */
	if (top >= 0)
		folder = open_folder(top, place->domain, O_NOFOLLOW, place);
	if (folder >= 0)
		ok = write_named(folder, name, pem, place);
	error = errno;
	if (folder >= 0)
		close(folder);
	if (top >= 0)
		close(top);
	errno = error;
	return ok;
}

int
key_pem_write(
    const struct signpost_private_key *key, const struct key_pem_place *place)
{
	enum signpost_status status;
	char path[PATH_MAX], *pem;
	int error = 0;

	snprintf(path, sizeof(path), "%s/%s/%s.pem", place->folder,
	    place->domain, place->selector);
	status = signpost_private_key_pem(key, &pem);
	if (status != SIGNPOST_OK)
		return complain_status(path, status);
	if (!write_pem(pem, place))
		error = errno;
	signpost_string_free(pem);
	if (error == EEXIST)
		return complain(EX_CANTCREAT, path,
		    "is there already and is left as it is; take another "
		    "selector");
	if (error != 0)
		return complain_file(path, error);
	fprintf(stderr, "signpost: %s: the private key\n", path);
	return 0;
}

int
key_pem_print_record(const struct signpost_private_key *key, const char *domain,
    const char *selector)
{
	enum signpost_status status;
	size_t left;
	char *record;

	status = signpost_private_key_record(key, &record);
	if (status != SIGNPOST_OK)
		return complain_status("record", status);
	printf("%s._domainkey", selector);
	if (domain != NULL)
		printf(".%s.", domain);
	printf(" IN TXT (");
	left = strlen(record);
	for (const char *at = record; left > 0;) {
		int len = left < RECORD_STRING_BYTES ? (int)left
						     : RECORD_STRING_BYTES;

		/* No octet of a record of ours wants escaping. */
		printf(" \"%.*s\"%s", len, at,
		    left > RECORD_STRING_BYTES ? "\n   " : "");
		at += len;
		left -= (size_t)len;
	}
	printf(" )\n");
	signpost_string_free(record);
	return 0;
}
