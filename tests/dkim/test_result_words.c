/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "keys.h"
#include "signed_row.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct signpost *handle;

static int
setup(void **state)
{
	(void)state;
	return signpost_new(&handle) == SIGNPOST_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	signpost_free(handle);
	return 0;
}

/* RFC 6376 section 3.5 wherever it leaves a choice to the signer. */
static void
good_signatures_pass(void **state)
{
	static const struct signed_row rows[] = {
		{ "plain", HEAD TAIL, PASS },
		{ "Ed25519", V ED C D S TAIL, PASS, .key = REFERENCE_ED25519 },
		{ "semicolon at the end", HEAD TAIL ";", PASS },
		{ "semicolon and fold at the end", HEAD TAIL " ;\r\n ", PASS },
		{ "no white space",
		    "v=1;a=rsa-sha256;c=relaxed/relaxed;d=example.com;s=s1;"
		    "h=from:to:subject;bh=%H;b=%B",
		    PASS },
		{ "white space everywhere",
		    "\r\n v =\r\n 1 ;\ta\t=\trsa-sha256\t; c = relaxed/relaxed "
		    ";\r\n\t\td =example.com\r\n ; s= s1;h= from\r\n :\tto : "
		    "subject\r\n\t; bh\t=\r\n %H ; b =\r\n\t %B \r\n\t",
		    PASS },
		{ "other order",
		    " b=%B; bh=%H; h=from:to:subject; s=s1; d=example.com;"
		    " c=relaxed/relaxed; a=rsa-sha256; v=1",
		    PASS },
		{ "b= in the middle, bh= and tags like b= around it",
		    V " xb=zzzz; bx=yyyy; b=%B ; bbb=qq=;" A C D S H BH, PASS },
		/* field: B25 */
		{ "unknown tags", HEAD " foo=bar; Z_9=;" TAIL, PASS },
		{ "tags are case-sensitive", HEAD " B=AAAA; V=2; D=x;" TAIL,
		    PASS },
		{ "UTF-8 in an unknown tag", HEAD " u=\u00fc;" TAIL, PASS },
		{ "c= left out", V A D S TAIL, PASS, .simple = true },
		{ "c=simple", V A " c=simple;" D S TAIL, PASS, .simple = true },
		{ "q= with other methods",
		    HEAD " q=foo/bar : dns/txt : x;" TAIL, PASS },
		{ "q=", HEAD " q=dns/txt;" TAIL, PASS },
		{ "names in other case", HEAD " h=FROM:tO:Subject;" BH B,
		    PASS },
		/* field: B15 */
		{ "signed twice over",
		    HEAD " h=from:from:to:subject:Subject;" BH B, PASS,
		    .names = "from:from:to:subject:subject" },
		{ "names that are not there",
		    HEAD " h=from:to:cc:subject:x-y_z!;" BH B, PASS },
		{ "a field in h= but its own",
		    HEAD " h=from:to:subject:dkim-signature;" BH B, PASS },
		{ "times", HEAD " t=1699999999; x=1700000001;" TAIL, PASS },
		{ "expires now", HEAD " t=1699999999; x=1700000000;" TAIL,
		    PASS },
		{ "t= within the skew", HEAD " t=1700000300;" TAIL, PASS },
		{ "x= without t=", HEAD " x=1700000001;" TAIL, PASS },
		{ "x= of twelve digits", HEAD " x=999999999999;" TAIL, PASS },
		{ "young enough", HEAD " t=1699999900;" TAIL, PASS,
		    .max_age_s = 100 },
		{ "l= of all", HEAD " l=21;" TAIL, PASS, .limit = 22 },
		{ "l= of all, many digits",
		    HEAD " l=00000000000000000000000000000000000000000000000000"
			 "00000000000000000000000021;" TAIL,
		    PASS, .limit = 22 },
		{ "octets beyond l= that may be there", HEAD " l=5;" TAIL, PASS,
		    .limit = 6, .accept_unsigned = true },
		{ "l=0 of a body that may be there", HEAD " l=0;" TAIL, PASS,
		    .limit = 1, .accept_unsigned = true },
		{ "i= of the domain", HEAD " i=@example.com;" TAIL, PASS },
		{ "i= in a subdomain", HEAD " i=x@a.b.EXAMPLE.com;" TAIL,
		    PASS },
		{ "i= in UTF-8", HEAD " i=\u00fc@example.com;" TAIL, PASS },
		{ "i= quoted-printable",
		    HEAD " i=J=C3=BC=3Bx=40@example.com;" TAIL,
		    NEUTRAL(IDENTITY) },
		{ "i= quoted-printable and folded",
		    HEAD " i=J=C3=BC=3B\r\n\tx=3D@exa\r\n mple.com;" TAIL,
		    PASS },
		{ "i= with a quoted string",
		    HEAD " i=\"a=20b@c\"@example.com;" TAIL, PASS },
		{ "i= with the whole domain encoded",
		    HEAD " i=a=40example=2Ecom;" TAIL, PASS },
		{ "d= in upper case", V A C " d=EXAMPLE.Com;" S TAIL, PASS },
		{ "d= and i= in two forms",
		    V A C " d=b\u00fccher.example;" S
			  " i=x@a.xn--bcher-kva.example;" TAIL,
		    PASS },
		{ "s= of labels", V A C D " s=a.b_c.d-e;" TAIL, PASS },
		{ "s= as long as DNS can hold",
		    V A C D
		    " s="
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aa."
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aa."
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aa."
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;" TAIL,
		    PASS },
		{ "z= is not looked at", HEAD " z=From:x|To:y;" TAIL, PASS },
		{ "fields added that are not signed", HEAD TAIL, PASS,
		    .added = "Cc: x\r\nReceived: x\r\n" },
		{ "SHA-1 where allowed", V SHA1 C D S TAIL, PASS, .sha1 = true,
		    .allow_sha1 = true },
		{ "t=s with i= of the domain", HEAD " i=x@example.com;" TAIL,
		    PASS, .record = "t=s; p=" RSA_P },
		{ "RSAPublicKey", HEAD TAIL, PASS, .record = "p=" RSA_BARE_P },
		/* field: C1 */
		{ "second record", HEAD TAIL, PASS, .record = "v=spf1 -all",
		    .record2 = RSA_RECORD },
		{ "second record, the first of another type", HEAD TAIL, PASS,
		    .record = ED25519_RECORD, .record2 = RSA_RECORD },
		{ "second key", HEAD TAIL, PASS, .record = RSA512_RECORD,
		    .record2 = RSA_RECORD },
		{ "first key", HEAD TAIL, PASS, .record = RSA_RECORD,
		    .record2 = RSA512_RECORD },
	};

	(void)state;
	signed_rows_check(handle, rows, COUNT(rows));
}

static void
what_cannot_be_parsed_is_neutral(void **state)
{
	static const struct signed_row rows[] = {
		{ "empty", "", NEUTRAL(TAGS) },
		/* field: B24 */
		{ "encoded word", " =?UTF-8?Q?v=3D1=3B?=", NEUTRAL(TAGS) },
		{ "empty item", HEAD ";" TAIL, NEUTRAL(TAGS) },
		{ "two semicolons at the end", HEAD TAIL ";;", NEUTRAL(TAGS) },
		{ "no equals sign", HEAD " foo;" TAIL, NEUTRAL(TAGS) },
		{ "empty tag name", HEAD " =x;" TAIL, NEUTRAL(TAGS) },
		{ "control character", HEAD " x=\x01;" TAIL, NEUTRAL(TAGS) },
		{ "repeated", HEAD " s=s1;" TAIL, NEUTRAL(TAG_REPEATED) },
		{ "repeated b=", HEAD TAIL "; b=", NEUTRAL(TAG_REPEATED) },
		{ "unknown and repeated", HEAD " x1=; x1=;" TAIL,
		    NEUTRAL(TAG_REPEATED) },
		{ "no v=", A C D S TAIL, NEUTRAL(TAG_MISSING) },
		{ "no a=", V C D S TAIL, NEUTRAL(TAG_MISSING) },
		{ "no d=", V A C S TAIL, NEUTRAL(TAG_MISSING) },
		{ "no s=", V A C D TAIL, NEUTRAL(TAG_MISSING) },
		{ "no h=", HEAD BH B, NEUTRAL(TAG_MISSING) },
		{ "no bh=", HEAD H B, NEUTRAL(TAG_MISSING) },
		{ "no b=", HEAD H BH, NEUTRAL(TAG_MISSING) },
		{ "V= is not v=", " V=1;" A C D S TAIL, NEUTRAL(TAG_MISSING) },
		{ "v=2", " v=2;" A C D S TAIL, NEUTRAL(VERSION) },
		{ "v=0.5", " v=0.5;" A C D S TAIL, NEUTRAL(VERSION) },
		{ "v=01", " v=01;" A C D S TAIL, NEUTRAL(VERSION) },
		{ "empty v=", " v=;" A C D S TAIL, NEUTRAL(VERSION) },
		{ "unknown a=", V " a=rsa-md5;" C D S TAIL,
		    NEUTRAL(ALGORITHM) },
		{ "empty a=", V " a=;" C D S TAIL, NEUTRAL(ALGORITHM) },
		{ "a= cut", V " a=rsa-sha25;" C D S TAIL, NEUTRAL(ALGORITHM) },
		{ "unknown c=", V A " c=nowsp;" D S TAIL, NEUTRAL(CANON) },
		{ "empty c=", V A " c=;" D S TAIL, NEUTRAL(CANON) },
		{ "c= with an empty half", V A " c=relaxed/;" D S TAIL,
		    NEUTRAL(CANON) },
		{ "c= with three parts", V A " c=relaxed/relaxed/x;" D S TAIL,
		    NEUTRAL(CANON) },
		{ "unknown q=", HEAD " q=dns/foo:http;" TAIL, NEUTRAL(QUERY) },
		{ "q=dns", HEAD " q=dns;" TAIL, NEUTRAL(QUERY) },
		{ "empty q=", HEAD " q=;" TAIL, NEUTRAL(QUERY) },
		{ "From not in h=", HEAD " h=to:subject;" BH B, NEUTRAL(FROM),
		    .names = "to:subject" },
		{ "a name like From in h=", HEAD " h=xfrom:fro;" BH B,
		    NEUTRAL(FROM) },
		{ "empty h=", HEAD " h=;" BH B, NEUTRAL(HEADERS) },
		{ "empty name in h=", HEAD " h=from::to;" BH B,
		    NEUTRAL(HEADERS) },
		{ "colon at the end of h=", HEAD " h=from:to:;" BH B,
		    NEUTRAL(HEADERS) },
		{ "space in a name of h=", HEAD " h=from:t o;" BH B,
		    NEUTRAL(HEADERS) },
		{ "UTF-8 in h=", HEAD " h=from:t\u00f6;" BH B,
		    NEUTRAL(HEADERS) },
		{ "empty d=", V A C " d=;" S TAIL, NEUTRAL(DOMAIN) },
		{ "d= of one label", V A C " d=com;" S TAIL, NEUTRAL(DOMAIN) },
		{ "d= with a dot at the end", V A C " d=example.com.;" S TAIL,
		    NEUTRAL(DOMAIN) },
		{ "d= with a dot first", V A C " d=.example.com;" S TAIL,
		    NEUTRAL(DOMAIN) },
		{ "d= with two dots", V A C " d=example..com;" S TAIL,
		    NEUTRAL(DOMAIN) },
		{ "d= with a space", V A C " d=example .com;" S TAIL,
		    NEUTRAL(DOMAIN) },
		/* field: A32 */
		{ "d= with parentheses",
		    V A C " d=a.example(.b.example;" S TAIL, NEUTRAL(DOMAIN) },
		{ "d= with a slash", V A C " d=../example.com;" S TAIL,
		    NEUTRAL(DOMAIN) },
		{ "d= not in UTF-8", V A C " d=b\xfc.example;" S TAIL,
		    NEUTRAL(DOMAIN) },
		{ "d= of an address literal", V A C " d=[127.0.0.1];" S TAIL,
		    NEUTRAL(DOMAIN) },
		{ "empty s=", V A C D " s=;" TAIL, NEUTRAL(SELECTOR) },
		{ "s= with a slash", V A C D " s=a/b;" TAIL,
		    NEUTRAL(SELECTOR) },
		{ "s= with a dot at the end", V A C D " s=a.;" TAIL,
		    NEUTRAL(SELECTOR) },
		{ "s= too long for DNS",
		    V A C D
		    " s="
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aa."
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aa."
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aa."
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;" TAIL,
		    NEUTRAL(SELECTOR) },
		{ "i= not under d=", HEAD " i=x@example.org;" TAIL,
		    NEUTRAL(IDENTITY) },
		/* field: A31 */
		{ "i= of a longer name", HEAD " i=@fexample.com;" TAIL,
		    NEUTRAL(IDENTITY) },
		{ "i= of the parent", HEAD " i=@com;" TAIL, NEUTRAL(IDENTITY) },
		{ "i= without at sign", HEAD " i=example.com;" TAIL,
		    NEUTRAL(IDENTITY) },
		{ "empty i=", HEAD " i=;" TAIL, NEUTRAL(IDENTITY) },
		{ "i= without domain", HEAD " i=x@;" TAIL, NEUTRAL(IDENTITY) },
		{ "i= with two at signs",
		    HEAD " i=x@evil.test@example.com;" TAIL,
		    NEUTRAL(IDENTITY) },
		{ "i= with a lower-case escape",
		    HEAD " i=a=3b@example.com;" TAIL, NEUTRAL(IDENTITY) },
		{ "i= with a cut escape", HEAD " i=@example.com=4;" TAIL,
		    NEUTRAL(IDENTITY) },
		{ "i= with a line end escaped",
		    HEAD " i=a=0Ab@example.com;" TAIL, NEUTRAL(IDENTITY) },
		{ "i= not in UTF-8", HEAD " i=\xfc@example.com;" TAIL,
		    NEUTRAL(IDENTITY) },
		{ "x= before t=", HEAD " t=1700000000; x=1699999999;" TAIL,
		    NEUTRAL(TIMES) },
		{ "x= equal to t=", HEAD " t=1700000000; x=1700000000;" TAIL,
		    NEUTRAL(TIMES) },
		{ "negative t=", HEAD " t=-1;" TAIL, NEUTRAL(TIMES) },
		{ "empty t=", HEAD " t=;" TAIL, NEUTRAL(TIMES) },
		{ "t= of thirteen digits", HEAD " t=1000000000000;" TAIL,
		    NEUTRAL(TIMES) },
		{ "x= with junk", HEAD " x=17x;" TAIL, NEUTRAL(TIMES) },
		{ "empty l=", HEAD " l=;" TAIL, NEUTRAL(LENGTH) },
		{ "negative l=", HEAD " l=-1;" TAIL, NEUTRAL(LENGTH) },
		{ "l= of 77 digits",
		    HEAD
		    " l=0000000000000000000000000000000000000000000000000000000"
		    "0000000000000000000021;" TAIL,
		    NEUTRAL(LENGTH), .limit = 22 },
		{ "empty b=", HEAD H BH " b=", NEUTRAL(BASE64) },
		{ "empty bh=", HEAD H " bh= ;" B, NEUTRAL(BASE64) },
		{ "junk in b=", HEAD H BH " b=%B*", NEUTRAL(BASE64) },
		{ "junk in bh=", HEAD H " bh=%H.;" B, NEUTRAL(BASE64) },
		{ "b= cut", HEAD H BH " b=abc", NEUTRAL(BASE64) },
		{ "data behind padding",
		    HEAD H BH " b=YQ==YQ==", NEUTRAL(BASE64) },
		{ "syntax before policy", HEAD " x=1; l=;" TAIL,
		    NEUTRAL(LENGTH) },
	};

	(void)state;
	signed_rows_check(handle, rows, COUNT(rows));
}

static void
what_does_not_match_fails(void **state)
{
	static const struct signed_row rows[] = {
		{ "body changed", HEAD TAIL, FAIL(BODY_HASH),
		    .body = "Ho.\r\n" },
		{ "body gone", HEAD TAIL, FAIL(BODY_HASH), .body = "" },
		{ "bh= of another length", HEAD H " bh=YWJj;" B,
		    FAIL(BODY_HASH) },
		/* field: A4 */
		{ "bh= far too long",
		    HEAD H
		    " bh=MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU"
		    "2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy;" B,
		    FAIL(BODY_HASH) },
		{ "bh= that goes on behind the hash",
		    HEAD H
		    " bh=8W+eckuVT5mcET+Z6NEEfI/"
		    "Gb3gBKMtXA+"
		    "6Uq0lhddJ4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"
		    "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eA==;" B,
		    FAIL(BODY_HASH) },
		{ "bh= that ends within the hash",
		    HEAD H " bh=8W+eckuVT5mcET+Z6NEEfI/Gb3gBKMtXA+6Uq0lh;" B,
		    FAIL(BODY_HASH) },
		{ "Ed25519, bh= that goes on behind the hash",
		    V ED C D S H
		    " bh=8W+eckuVT5mcET+Z6NEEfI/Gb3gBKMtXA+6Uq0lhddJ4;" B,
		    FAIL(BODY_HASH), .key = REFERENCE_ED25519 },
		{ "SHA-1, bh= that goes on behind the hash",
		    V SHA1 C D S H
		    " bh=EqbNCQRfY+KsFFHgaohVTxj3u+d4eHh4eHh4eHh4eHg=;" B,
		    FAIL(BODY_HASH), .sha1 = true },
		{ "header changed", HEAD TAIL, FAIL(SIGNATURE),
		    .tampered = "From: A <a@example.com>\r\n"
				"To: b@example.org\r\nSubject: Hell\r\n" },
		{ "another From above", HEAD " h=from:from:to:subject;" BH B,
		    FAIL(SIGNATURE), .names = "from:from:to:subject",
		    .added = "From: <c@example.com>\r\n" },
		{ "another key", HEAD TAIL, FAIL(SIGNATURE),
		    .record = "p="
			      "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3S"
			      "BsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v"
			      "3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR"
			      "+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToI"
			      "MmPSPDdQPNUYckcQ2QIDAQAB" },
		{ "b= of another length", HEAD H BH " b=YWJj",
		    FAIL(SIGNATURE) },
		{ "Ed25519, b= of another length", V ED C D S H BH " b=YWJj",
		    FAIL(SIGNATURE), .key = REFERENCE_ED25519 },
		{ "an unknown tag changed", HEAD " foo=%B;" TAIL,
		    FAIL(SIGNATURE) },
		{ "other canonicalization", HEAD TAIL, FAIL(BODY_HASH),
		    .simple = true },
		{ "l= beyond the body", HEAD " l=22;" TAIL, FAIL(BODY_SHORT) },
		{ "l= absurd", HEAD " l=99999999999999999999999999999;" TAIL,
		    FAIL(BODY_SHORT) },
		{ "l= beyond a body cut short", HEAD " l=21;" TAIL,
		    FAIL(BODY_SHORT), .limit = 22, .body = "Hi.\r\n" },

		{ "expired and the body changed", HEAD " x=1;" TAIL,
		    FAIL(BODY_HASH), .body = "Ho.\r\n" },
		{ "expired and the header changed", HEAD " x=1;" TAIL,
		    FAIL(SIGNATURE), .tampered = "From: b\r\n" },
		{ "small key and the header changed", HEAD TAIL,
		    FAIL(SIGNATURE), .key = REFERENCE_RSA512,
		    .tampered = "From: b\r\n" },
		{ "large key and the body changed", HEAD TAIL, FAIL(BODY_HASH),
		    .max_rsa_bits = 1023, .body = "Ho.\r\n" },
		{ "SHA-1 and the header changed", V SHA1 C D S TAIL,
		    FAIL(SIGNATURE), .sha1 = true, .tampered = "From: b\r\n" },
		{ "beyond l= and the header changed", HEAD " l=5;" TAIL,
		    FAIL(SIGNATURE), .limit = 6, .tampered = "From: b\r\n" },
		{ "two keys and neither matches", HEAD TAIL, FAIL(SIGNATURE),
		    .record = RSA_RECORD, .record2 = RSA512_RECORD,
		    .tampered = "From: b\r\n" },
		{ "a record that can't be read and a key that does not match",
		    HEAD TAIL, FAIL(SIGNATURE), .record = "junk",
		    .record2 = RSA_RECORD, .tampered = "From: b\r\n" },
	};

	(void)state;
	signed_rows_check(handle, rows, COUNT(rows));
}

/* field: B28, C7, C8, C9 */
static void
a_key_that_cannot_serve_is_a_permerror(void **state)
{
	static const struct signed_row rows[] = {
		{ "no such name", HEAD TAIL, PERMERROR(NO_KEY),
		    .answer = SIGNPOST_KEY_NO_NAME },
		{ "revoked", HEAD TAIL, PERMERROR(KEY_REVOKED),
		    .record = "v=DKIM1; p=" },
		{ "malformed", HEAD TAIL, PERMERROR(KEY_SYNTAX),
		    .record = "v=DKIM1; p=*" },
		{ "repeated tags", HEAD TAIL, PERMERROR(KEY_SYNTAX),
		    .record = "v=DKIM1; p=" RSA_P "; p=" RSA_P },
		{ "version", HEAD TAIL, PERMERROR(KEY_VERSION),
		    .record = "v=DKIM2; p=" RSA_P },
		{ "k= against a=", HEAD TAIL, PERMERROR(KEY_TYPE),
		    .record = ED25519_RECORD },
		{ "k= against a=, the other way", V ED C D S TAIL,
		    PERMERROR(KEY_TYPE), .record = RSA_RECORD,
		    .key = REFERENCE_ED25519 },
		{ "h=", HEAD TAIL, PERMERROR(KEY_HASH),
		    .record = "h=sha1; p=" RSA_P },
		{ "s=", HEAD TAIL, PERMERROR(KEY_SERVICE),
		    .record = "s=web; p=" RSA_P },
		{ "t=s", HEAD " i=a@b.example.com;" TAIL, PERMERROR(KEY_STRICT),
		    .record = "t=s; p=" RSA_P },
		{ "the first reason of two", HEAD TAIL, PERMERROR(KEY_REVOKED),
		    .record = "p=", .record2 = "junk" },
		{ "before a body that does not match", HEAD TAIL,
		    PERMERROR(KEY_REVOKED), .record = "p=", .body = "Ho.\r\n" },
	};

	(void)state;
	signed_rows_check(handle, rows, COUNT(rows));
}

/* field: D1 */
static void
a_look_up_that_failed_is_a_temperror(void **state)
{
	static const struct signed_row rows[] = {
		{ "timeout", HEAD TAIL, TEMPERROR(DNS_TIMEOUT),
		    .answer = SIGNPOST_KEY_TIMEOUT },
		{ "failed", HEAD TAIL, TEMPERROR(DNS_FAILED),
		    .answer = SIGNPOST_KEY_FAILED },
		{ "bogus", HEAD TAIL, TEMPERROR(DNS_BOGUS),
		    .answer = SIGNPOST_KEY_BOGUS },
		{ "before a body that does not match", HEAD TAIL,
		    TEMPERROR(DNS_FAILED), .answer = SIGNPOST_KEY_FAILED,
		    .body = "Ho.\r\n" },
	};

	(void)state;
	signed_rows_check(handle, rows, COUNT(rows));
}

/* field: B27 */
static void
what_is_not_wanted_is_policy(void **state)
{
	static const struct signed_row rows[] = {
		{ "SHA-1", V SHA1 C D S TAIL, POLICY(SHA1), .sha1 = true },
		/* field: C12 */
		{ "small key", HEAD TAIL, POLICY(KEY_SMALL),
		    .key = REFERENCE_RSA512 },
		{ "large key", HEAD TAIL, POLICY(KEY_LARGE),
		    .max_rsa_bits = 1023 },
		{ "large key, unseen", HEAD TAIL, POLICY(KEY_LARGE),
		    .max_rsa_bits = 1023, .tampered = "From: b\r\n" },
		{ "expired", HEAD " x=1699999999;" TAIL, POLICY(EXPIRED) },
		{ "too old", HEAD " t=1699999899;" TAIL, POLICY(OLD),
		    .max_age_s = 100 },
		{ "no t= to tell the age by", HEAD TAIL, POLICY(OLD),
		    .max_age_s = 100 },
		{ "from the future", HEAD " t=1700000301;" TAIL,
		    POLICY(FUTURE) },
		{ "another From, which h= does not cover", HEAD TAIL,
		    POLICY(FROM_EXTRA), .added = "From: <c@example.com>\r\n" },
		{ "another From, and the header changed", HEAD TAIL,
		    FAIL(SIGNATURE), .tampered = "From: b\r\nFrom: c\r\n" },
		/* field: B37 */
		{ "octets beyond l=", HEAD " l=5;" TAIL, POLICY(UNSIGNED_BODY),
		    .limit = 6 },
		{ "l=0", HEAD " l=0;" TAIL, POLICY(UNSIGNED_BODY), .limit = 1 },
		{ "octets added beyond l=", HEAD " l=21;" TAIL,
		    POLICY(UNSIGNED_BODY), .limit = 22, .body = BODY "x\r\n" },
		{ "expired, and no key", HEAD " x=1;" TAIL, POLICY(EXPIRED),
		    .answer = SIGNPOST_KEY_NO_NAME },
		{ "expired, and the look-up failed", HEAD " x=1;" TAIL,
		    POLICY(EXPIRED), .answer = SIGNPOST_KEY_FAILED },
		{ "expired, and the key is no use", HEAD " x=1;" TAIL,
		    POLICY(EXPIRED), .record = "p=" },
		{ "expired, no key, and the body changed", HEAD " x=1;" TAIL,
		    POLICY(EXPIRED), .answer = SIGNPOST_KEY_NO_NAME,
		    .body = "Ho.\r\n" },
		{ "expired, and the key is large", HEAD " x=1;" TAIL,
		    POLICY(EXPIRED), .max_rsa_bits = 1023 },
		{ "the matching key of two is small", HEAD TAIL,
		    POLICY(KEY_SMALL), .key = REFERENCE_RSA512,
		    .record = RSA_RECORD, .record2 = RSA512_RECORD },
	};

	(void)state;
	signed_rows_check(handle, rows, COUNT(rows));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_signatures_pass),
		cmocka_unit_test(what_cannot_be_parsed_is_neutral),
		cmocka_unit_test(what_does_not_match_fails),
		cmocka_unit_test(a_key_that_cannot_serve_is_a_permerror),
		cmocka_unit_test(a_look_up_that_failed_is_a_temperror),
		cmocka_unit_test(what_is_not_wanted_is_policy),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
