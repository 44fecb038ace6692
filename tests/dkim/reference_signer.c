/* SPDX-License-Identifier: BSD-2-Clause */
#include "reference_signer.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "canon_reference.h"
#include "keys.h"

static bool
wsp(char c)
{
	return c == ' ' || c == '\t';
}

/* Where the field after FIELD begins; *LEN_R: FIELD without its line end. */
static const char *
next_field(const char *field, size_t *len_r)
{
	const char *end = strstr(field, "\r\n");

	while (end != NULL && wsp(end[2]))
		end = strstr(end + 2, "\r\n");
	assert(end != NULL);
	*len_r = (size_t)(end - field);
	return end + 2;
}

static bool
is_called(const char *field, size_t len, const char *name, size_t name_len)
{
	size_t colon = (size_t)((const char *)memchr(field, ':', len) - field);

	while (colon > 0 && wsp(field[colon - 1]))
		colon--;
	return colon == name_len && strncasecmp(field, name, name_len) == 0;
}

/* The WANTth field of the name from the bottom, 0 being the last. */
static const char *
find(const char *fields, const char *name, size_t name_len, size_t want,
    size_t *len_r)
{
	size_t count = 0;
	size_t len;

	for (const char *field = fields; *field != '\0';) {
		const char *next = next_field(field, &len);

		count += is_called(field, len, name, name_len);
		field = next;
	}
	for (const char *field = fields; *field != '\0';) {
		const char *next = next_field(field, len_r);

		if (is_called(field, *len_r, name, name_len) && --count == want)
			return field;
		field = next;
	}
	return NULL;
}

static void
put_field(
    struct buf *text, const char *field, size_t len, enum signpost_canon canon)
{
	struct bytes value = bytes_of(field, len);
	struct bytes name;

	bytes_next(&value, ':', &name);
	reference_header(canon, name, value, text);
}

/* Section 3.7: the fields that NAMES chooses. */
static void
put_header(struct buf *text, const struct reference *reference)
{
	const char *names = reference->names;

	for (const char *name = names; *name != '\0';) {
		size_t len = strcspn(name, ":");
		size_t before = 0;
		size_t field_len;
		const char *field;

		for (const char *other = names; other != name;
		     other += strcspn(other, ":") + 1)
			before += strcspn(other, ":") == len &&
			    strncasecmp(other, name, len) == 0;
		field = find(reference->fields, name, len, before, &field_len);
		if (field != NULL) {
			put_field(
			    text, field, field_len, reference->header_canon);
			buf_append_str(text, "\r\n");
		}
		name += len;
		if (*name == ':')
			name++;
	}
}

static char *
to_base64(const unsigned char *data, size_t len)
{
	char *out = malloc(len * 2 + 4);

	assert(out != NULL);
	EVP_EncodeBlock((unsigned char *)out, data, (int)len);
	return out;
}

static size_t
digest_of(const void *data, size_t len, bool sha1, unsigned char *out)
{
	unsigned out_len;
	int done = EVP_Digest(
	    data, len, out, &out_len, sha1 ? EVP_sha1() : EVP_sha256(), NULL);

	assert(done == 1);
	return out_len;
}

static EVP_PKEY *
load_key(enum reference_key which)
{
	static const unsigned char seed[] =
	    "\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4"
	    "\x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60";
	EVP_PKEY *key;
	BIO *bio;

	if (which == REFERENCE_ED25519)
		return EVP_PKEY_new_raw_private_key(
		    EVP_PKEY_ED25519, NULL, seed, 32);
	bio =
	    BIO_new_mem_buf(which == REFERENCE_RSA ? RSA_PEM : RSA512_PEM, -1);
	key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
	BIO_free(bio);
	return key;
}

static char *
sign(const struct reference *reference, const struct buf *text)
{
	unsigned char digest[64], out[1024];
	size_t len = sizeof out;
	size_t digest_len =
	    digest_of(text->data, text->len, reference->sha1, digest);
	EVP_PKEY *key = load_key(reference->key);
	EVP_MD_CTX *ed = EVP_MD_CTX_new();
	EVP_PKEY_CTX *rsa = EVP_PKEY_CTX_new(key, NULL);
	int done;

	if (reference->key == REFERENCE_ED25519) {
		EVP_DigestSignInit(ed, NULL, NULL, NULL, key);
		done = EVP_DigestSign(ed, out, &len, digest, digest_len);
	} else {
		EVP_PKEY_sign_init(rsa);
		EVP_PKEY_CTX_set_rsa_padding(rsa, RSA_PKCS1_PADDING);
		EVP_PKEY_CTX_set_signature_md(
		    rsa, reference->sha1 ? EVP_sha1() : EVP_sha256());
		done = EVP_PKEY_sign(rsa, out, &len, digest, digest_len);
	}
	assert(done == 1);
	EVP_MD_CTX_free(ed);
	EVP_PKEY_CTX_free(rsa);
	EVP_PKEY_free(key);
	return to_base64(out, len);
}

/* TEMPLATE with %H and %B replaced. */
static char *
fill(const char *template, const char *hash, const char *signature)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	for (const char *c = template; *c != '\0'; c++) {
		bool marks = c[0] == '%' && (c[1] == 'H' || c[1] == 'B');

		if (!marks) {
			buf_append_char(&text, *c);
			continue;
		}
		buf_append_str(&text, *++c == 'H' ? hash : signature);
	}
	return buf_take_string(&text);
}

/* FIELD with the value of its b= taken out, white space and all. */
static char *
blank(const char *field)
{
	const char *tag = field;
	struct buf text;

	buf_init(&text, SIZE_MAX);
	while (tag != NULL) {
		size_t skip = strspn(tag, " \t\r\n");

		if (tag[skip] == 'b' &&
		    strchr(" \t\r\n=", tag[skip + 1]) != NULL)
			break;
		tag = strchr(tag, ';');
		if (tag != NULL)
			tag++;
	}
	if (tag != NULL) {
		tag = strchr(tag, '=') + 1;
		buf_append(&text, field, (size_t)(tag - field));
		tag += strcspn(tag, ";");
	}
	buf_append_str(&text, tag == NULL ? field : tag);
	return buf_take_string(&text);
}

char *
reference_sign(const struct reference *reference, const char *template)
{
	unsigned char digest[64];
	struct buf body, hashed;
	char *hash, *signature, *field, *blanked;

	buf_init(&body, SIZE_MAX);
	buf_init(&hashed, SIZE_MAX);
	reference_body(reference->body_canon,
	    bytes_of(reference->body, reference->body_len), &body);
	if (body.len > reference->limit)
		buf_truncate(&body, reference->limit);
	hash = to_base64(
	    digest, digest_of(body.data, body.len, reference->sha1, digest));
	field = fill(template, hash, "");
	blanked = blank(field);
	put_header(&hashed, reference);
	reference_header(reference->header_canon, bytes_str("DKIM-Signature"),
	    bytes_str(blanked), &hashed);
	free(field);
	signature = sign(reference, &hashed);
	field = fill(template, hash, signature);
	buf_fini(&body);
	buf_fini(&hashed);
	free(hash);
	free(signature);
	free(blanked);
	return field;
}
