# SPDX-License-Identifier: BSD-2-Clause
"""What a verifier has to say of a signature, worked out from how the case was
made: from the plans, and from digests of what was signed and what arrived.

The order is that of the table "Result words": what cannot be parsed is
neutral; without a key, policy that needs none comes before permerror and
temperror; with one, a signature that does not match is fail whatever policy
says.
"""
import hashlib

import canon
from signatures import ALGORITHMS

ANY = "any"
TEMPORARY = {"dns_timeout", "dns_failed", "dns_bogus"}
ANSWERS = {b"none": "no_key", b"timeout": "dns_timeout",
           b"failed": "dns_failed", b"bogus": "dns_bogus"}


class Expected:
    """One word of WORDS, for one of REASONS ("any" for whatever reason)."""

    def __init__(self, words, reasons):
        self.words = {words} if isinstance(words, str) else set(words)
        self.reasons = {reasons} if isinstance(reasons, str) else set(reasons)

    def allows(self, word, reason):
        return word in self.words and (
            ANY in self.reasons or reason in self.reasons)

    def __str__(self):
        return "%s (%s)" % ("/".join(sorted(self.words)),
                            "/".join(sorted(self.reasons)) or "-")


PASS = Expected("pass", "")


def policy_without_key(signature, options, now, fields):
    if signature.algorithm == "rsa-sha1" and not options.allow_sha1:
        return "sha1"
    if signature.expires_at is not None and now > signature.expires_at:
        return "expired"
    if options.max_age and (signature.signed_at is None or
                            now - signature.signed_at > options.max_age):
        return "too_old"
    if signature.signed_at is not None and \
            signature.signed_at - now > options.clock_skew:
        return "future"
    if count(fields, b"From") > sum(
            name.lower() == b"from" for name in signature.names):
        return "from_extra"
    return None


def count(fields, name):
    return sum(canon.called(field, name) for field in fields)


def unsigned_body(signature, body):
    """Canonical octets beyond l=; less than 0 where l= is beyond them."""
    if signature.octets_signed is None:
        return 0
    return len(canon.BODY[signature.body_canon](body)) - \
        signature.octets_signed


def body_reason(signature, body):
    text = canon.BODY[signature.body_canon](body)
    if unsigned_body(signature, body) < 0:
        return "body_short"
    if signature.octets_signed is not None:
        text = text[:signature.octets_signed]
    digest = hashlib.new(ALGORITHMS[signature.algorithm][1], text).digest()
    if digest != signature.change_hash(signature.body_hash):
        return "body_hash"
    return None


def header_matches(signature, fields):
    text = canon.header_text(fields, signature.names, signature.header_canon,
                             signature.field, signature.blanked)
    digest = hashlib.new(ALGORITHMS[signature.algorithm][1], text).digest()
    return digest == signature.header_hash


def without_key(signature, policy):
    """What is said when no key serves; None if one does."""
    reasons = set(signature.key_reasons)
    if signature.answer != b"found":
        reasons = {ANSWERS[signature.answer]}
    if not reasons:
        return None
    if signature.more_records and signature.answer == b"found":
        # The other record may serve, and does not match.
        return Expected({"policy" if policy else "permerror", "fail"}, ANY)
    if policy is not None:
        return Expected("policy", policy)
    return Expected("temperror" if reasons <= TEMPORARY else "permerror",
                    reasons)


def judge(signature, case, place):
    """What has to be said of the signature at PLACE (0: the topmost)."""
    options = case.options
    policy = policy_without_key(
        signature, options, case.now, case.fields)
    if place >= options.max_signatures:
        return Expected("policy", "too_many")
    if signature.cut_off:
        return Expected({"neutral", "fail", "permerror", "temperror",
                         "policy"}, ANY)
    if signature.syntax:
        return Expected("neutral", signature.syntax)
    keyless = without_key(signature, policy)
    if keyless is not None:
        return keyless
    wrong_body = body_reason(signature, case.body)
    if wrong_body is not None:
        return Expected("fail", wrong_body)
    if signature.published.bits > options.max_rsa_bits:
        return Expected("policy", policy or "key_large")
    if signature.wrong_b or signature.published is not signature.key or \
            not header_matches(signature, case.fields):
        return Expected("fail", "signature")
    if policy is not None:
        return Expected("policy", policy)
    if signature.key.type == "rsa" and \
            signature.key.bits < options.min_rsa_bits:
        return Expected("policy", "key_small")
    if unsigned_body(signature, case.body) > 0 and not options.unsigned_body:
        return Expected("policy", "unsigned_body")
    return PASS
