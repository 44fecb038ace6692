/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * floor - the least that a filter with one RSA signature a message can cost
 *
 *	floor --socket ADDRESS --sign KEY.pem
 *	floor --socket ADDRESS --verify KEY.pem
 *
 * A libmilter filter to compare others with. It is told what every DKIM filter
 * has to be told (the client, the sender, header and body), replies to none of
 * it, hashes the body with SHA-256, and does one operation with a key that was
 * read once, on the thread that libmilter calls it with. Canonicalization,
 * header hash, policy, DNS, log and counters are what it leaves out.
 *
 * --sign, with a private key, adds "X-Floor-Signature: BASE64": the signature
 * (PKCS #1 1.5, SHA-256) of the body as it came, which is what "openssl dgst
 * -sha256 -sign" makes. --verify, with a public or a private key, verifies such
 * a field and adds Authentication-Results with dkim=pass, fail or none.
 */
#include <err.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <libmilter/mfapi.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

enum {
	BACKLOG = 1024,
	MAX_SIGNATURE = 1024,
	MAX_ENCODED = 2048, /* base64 of MAX_SIGNATURE, and its NUL */
	SHA256_BYTES = 32,
};

static char signature_name[] = "X-Floor-Signature";
static char results_name[] = "Authentication-Results";

static const unsigned long steps_unused =
    SMFIP_NOHELO | SMFIP_NORCPT | SMFIP_NODATA | SMFIP_NOUNKNOWN;
static const unsigned long steps_silent =
    SMFIP_NR_CONN | SMFIP_NR_MAIL | SMFIP_NR_HDR | SMFIP_NR_EOH | SMFIP_NR_BODY;

static EVP_PKEY *key;
static EVP_MD *sha256;
static bool signs;

/* One connection; all is made once for it. */
struct session {
	EVP_MD_CTX *hash;
	EVP_PKEY_CTX *operation;
	unsigned char signature[MAX_SIGNATURE];
	size_t signature_len; /* 0: the message has none */
};

static void
session_free(struct session *s)
{
	if (s == NULL)
		return;
	EVP_MD_CTX_free(s->hash);
	EVP_PKEY_CTX_free(s->operation);
	free(s);
}

static struct session *
session_new(void)
{
	struct session *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->hash = EVP_MD_CTX_new();
	s->operation = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
	if (s->hash == NULL || s->operation == NULL ||
	    (signs ? EVP_PKEY_sign_init(s->operation)
		   : EVP_PKEY_verify_init(s->operation)) <= 0 ||
	    EVP_PKEY_CTX_set_signature_md(s->operation, sha256) <= 0) {
		session_free(s);
		return NULL;
	}
	return s;
}

static sfsistat
on_negotiate(SMFICTX *ctx, unsigned long actions, unsigned long steps,
    unsigned long unused0, unsigned long unused1, unsigned long *actions_r,
    unsigned long *steps_r, unsigned long *unused0_r, unsigned long *unused1_r)
{
	(void)ctx;
	(void)actions;
	(void)unused0;
	(void)unused1;
	*actions_r = SMFIF_ADDHDRS;
	*steps_r = steps & (steps_unused | steps_silent);
	*unused0_r = *unused1_r = 0;
	return SMFIS_CONTINUE;
}

static sfsistat
on_connect(SMFICTX *ctx, char *host, struct sockaddr *address)
{
	struct session *s = session_new();

	(void)host;
	(void)address;
	if (s == NULL)
		return SMFIS_TEMPFAIL;
	smfi_setpriv(ctx, s);
	return SMFIS_NOREPLY;
}

static sfsistat
on_mail(SMFICTX *ctx, char **args)
{
	struct session *s = smfi_getpriv(ctx);

	(void)args;
	s->signature_len = 0;
	return EVP_DigestInit_ex2(s->hash, sha256, NULL) == 1 ? SMFIS_NOREPLY
							      : SMFIS_TEMPFAIL;
}

/* EVP_DecodeBlock() counts the octets that the padding stands for. */
static size_t
decode(const char *text, unsigned char *out)
{
	size_t len = strlen(text);
	int count;

	if (len >= MAX_ENCODED / 2 || len % 4 != 0 || len == 0)
		return 0;
	count = EVP_DecodeBlock(out, (const unsigned char *)text, (int)len);
	if (count <= 0)
		return 0;
	return (size_t)count - (text[len - 1] == '=') - (text[len - 2] == '=');
}

static sfsistat
on_header(SMFICTX *ctx, char *name, char *value)
{
	struct session *s = smfi_getpriv(ctx);

	if (!signs && strcasecmp(name, signature_name) == 0)
		s->signature_len = decode(value, s->signature);
	return SMFIS_NOREPLY;
}

static sfsistat
on_end_of_headers(SMFICTX *ctx)
{
	(void)ctx;
	return SMFIS_NOREPLY;
}

static sfsistat
on_body(SMFICTX *ctx, unsigned char *data, size_t len)
{
	struct session *s = smfi_getpriv(ctx);

	return EVP_DigestUpdate(s->hash, data, len) == 1 ? SMFIS_NOREPLY
							 : SMFIS_TEMPFAIL;
}

static bool
add_signature(SMFICTX *ctx, struct session *s, const unsigned char *digest)
{
	size_t len = sizeof(s->signature);
	char text[MAX_ENCODED];

	if (EVP_PKEY_sign(
		s->operation, s->signature, &len, digest, SHA256_BYTES) <= 0)
		return false;
	EVP_EncodeBlock((unsigned char *)text, s->signature, (int)len);
	return smfi_insheader(ctx, 0, signature_name, text) == MI_SUCCESS;
}

static bool
add_result(SMFICTX *ctx, struct session *s, const unsigned char *digest)
{
	char text[64];
	const char *word = "none";

	if (s->signature_len > 0)
		word = EVP_PKEY_verify(s->operation, s->signature,
			   s->signature_len, digest, SHA256_BYTES) == 1
		    ? "pass"
		    : "fail";
	snprintf(text, sizeof(text), "floor.test; dkim=%s", word);
	return smfi_insheader(ctx, 0, results_name, text) == MI_SUCCESS;
}

static sfsistat
on_end_of_message(SMFICTX *ctx)
{
	struct session *s = smfi_getpriv(ctx);
	unsigned char digest[SHA256_BYTES];
	bool ok = EVP_DigestFinal_ex(s->hash, digest, NULL) == 1 &&
	    (signs ? add_signature(ctx, s, digest)
		   : add_result(ctx, s, digest));

	return ok ? SMFIS_CONTINUE : SMFIS_TEMPFAIL;
}

static sfsistat
on_close(SMFICTX *ctx)
{
	session_free(smfi_getpriv(ctx));
	smfi_setpriv(ctx, NULL);
	return SMFIS_CONTINUE;
}

/* A verifier may be given a private key, which has the public one in it. */
static void
read_key(const char *path)
{
	FILE *file = fopen(path, "r");

	if (file == NULL)
		err(66, "%s", path);
	key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
	if (key == NULL && !signs) {
		rewind(file);
		key = PEM_read_PUBKEY(file, NULL, NULL, NULL);
	}
	fclose(file);
	if (key == NULL || !EVP_PKEY_is_a(key, "RSA") ||
	    EVP_PKEY_get_size(key) > MAX_SIGNATURE)
		errx(65, "%s: not an RSA key in PEM that can be used here",
		    path);
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	if (sha256 == NULL)
		errx(70, "there is no SHA-256");
}

static void
serve(char *address)
{
	static char name[] = "floor";
	struct smfiDesc description = {
		.xxfi_name = name,
		.xxfi_version = SMFI_VERSION,
		.xxfi_flags = SMFIF_ADDHDRS,
		.xxfi_connect = on_connect,
		.xxfi_envfrom = on_mail,
		.xxfi_header = on_header,
		.xxfi_eoh = on_end_of_headers,
		.xxfi_body = on_body,
		.xxfi_eom = on_end_of_message,
		.xxfi_close = on_close,
		.xxfi_negotiate = on_negotiate,
	};

	if (smfi_register(description) != MI_SUCCESS ||
	    smfi_setbacklog(BACKLOG) != MI_SUCCESS ||
	    smfi_setconn(address) != MI_SUCCESS ||
	    smfi_opensocket(true) != MI_SUCCESS)
		errx(69, "%s: can't be opened; see the system's log", address);
	if (smfi_main() != MI_SUCCESS)
		errx(70, "libmilter failed; see the system's log");
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "sign", required_argument, NULL, 'S' },
		{ "verify", required_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	char *address = NULL, *path = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			address = optarg;
		else if (option == 'S' || option == 'V')
			path = optarg;
		signs = option == 'S' || (signs && option != 'V');
	}
	if (address == NULL || path == NULL || optind != argc)
		errx(64, "usage: floor --socket ADDRESS --sign|--verify KEY");
	read_key(path);
	serve(address);
	return 0;
}
