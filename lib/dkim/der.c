/* SPDX-License-Identifier: BSD-2-Clause */
#include "der.h"

enum {
	ED25519_BYTES = 32
};

struct object {
	enum der_kind kind;
	struct bytes id; /* contents of the object identifier */
};

/* RFC 8017 appendix C: 1.2.840.113549.1.1.1; RFC 8410 section 3: 1.3.101.112 */
static const struct object objects[] = {
	{ DER_RSA, { "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01", 9 } },
	{ DER_ED25519, { "\x2b\x65\x70", 3 } },
};

static unsigned char
take_octet(struct bytes *rest)
{
	unsigned char octet = (unsigned char)rest->data[0];

	rest->data++;
	rest->len--;
	return octet;
}

static bool
take_length(struct bytes *rest, size_t *len_r)
{
	unsigned char first;

	if (rest->len == 0)
		return false;
	first = take_octet(rest);
	*len_r = first;
	if (first < 0x80)
		return true;
	if (first < 0x81 || first > 0x82 || rest->len < first - 0x80U)
		return false;
	*len_r = take_octet(rest);
	if (first == 0x82)
		*len_r = *len_r << 8 | take_octet(rest);
	return *len_r >= (first == 0x82 ? 0x100U : 0x80U);
}

bool
der_next(struct bytes *rest, unsigned char tag, struct bytes *content_r)
{
	size_t len;

	if (rest->len == 0 || take_octet(rest) != tag ||
	    !take_length(rest, &len) || len > rest->len)
		return false;
	*content_r = bytes_of(rest->data, len);
	rest->data += len;
	rest->len -= len;
	return true;
}

/* The one element of TAG that is all of TEXT. */
static bool
der_only(struct bytes text, unsigned char tag, struct bytes *content_r)
{
	return der_next(&text, tag, content_r) && text.len == 0;
}

/* The magnitude of a positive INTEGER. */
static bool
next_positive(struct bytes *rest, struct bytes *magnitude_r)
{
	struct bytes number;
	bool padded;

	if (!der_next(rest, DER_INTEGER, &number) || number.len == 0)
		return false;
	padded = number.data[0] == 0;
	if (padded)
		take_octet(&number);
	*magnitude_r = number;
	/* Not zero, not negative, no needless zero in front. */
	return number.len > 0 &&
	    ((unsigned char)number.data[0] >= 0x80) == padded;
}

/* An INTEGER that is to be VALUE, 0 to 127. */
static bool
next_is(struct bytes *rest, char value)
{
	struct bytes number;

	return der_next(rest, DER_INTEGER, &number) && number.len == 1 &&
	    number.data[0] == value;
}

/* AlgorithmIdentifier: NULL or nothing as parameters for RSA, nothing for
 * Ed25519 (RFC 8410 section 3). */
static bool
next_kind(struct bytes *rest, enum der_kind *kind_r)
{
	struct bytes algorithm, id, parameters;

	if (!der_next(rest, DER_SEQUENCE, &algorithm) ||
	    !der_next(&algorithm, DER_OBJECT, &id))
		return false;
	for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
		if (!bytes_equal(objects[i].id, id))
			continue;
		*kind_r = objects[i].kind;
		return algorithm.len == 0 ||
		    (*kind_r == DER_RSA &&
			der_only(algorithm, DER_NULL, &parameters) &&
			parameters.len == 0);
	}
	return false;
}

bool
der_rsa_public(struct bytes text, struct der_rsa_public *key_r)
{
	struct bytes key;

	return der_only(text, DER_SEQUENCE, &key) &&
	    next_positive(&key, &key_r->n) && next_positive(&key, &key_r->e) &&
	    key.len == 0;
}

bool
der_subject_public_key(
    struct bytes text, enum der_kind *kind_r, struct bytes *key_r)
{
	struct bytes info, bits;

	if (!der_only(text, DER_SEQUENCE, &info) || !next_kind(&info, kind_r) ||
	    !der_only(info, DER_BIT_STRING, &bits) || bits.len == 0 ||
	    take_octet(&bits) != 0)
		return false;
	*key_r = bits;
	return *kind_r != DER_ED25519 || bits.len == ED25519_BYTES;
}

bool
der_rsa_private(struct bytes text, struct der_rsa_private *key_r)
{
	struct bytes key;

	if (!der_only(text, DER_SEQUENCE, &key) || !next_is(&key, 0))
		return false;
	for (size_t i = 0; i < DER_RSA_PRIVATE_PARTS; i++) {
		if (!next_positive(&key, &key_r->parts[i]))
			return false;
	}
	return key.len == 0;
}

bool
der_private_key_info(
    struct bytes text, enum der_kind *kind_r, struct bytes *key_r)
{
	struct bytes info, key;
	struct bytes version;

	if (!der_only(text, DER_SEQUENCE, &info) ||
	    !der_next(&info, DER_INTEGER, &version) || version.len != 1 ||
	    (unsigned char)version.data[0] > 1 || !next_kind(&info, kind_r) ||
	    !der_next(&info, DER_OCTET_STRING, &key))
		return false;
	*key_r = key;
	if (*kind_r == DER_RSA)
		return true;
	return der_only(key, DER_OCTET_STRING, key_r) &&
	    key_r->len == ED25519_BYTES;
}
