# SPDX-License-Identifier: BSD-2-Clause
"""Cases: a message, its signatures, what DNS says, and what has to be said of
each signature. A case is made by its seed and number alone."""
import base64
import hashlib
import random
import re

import canon
import keys
import oracle
import shapes
import signatures
import wrongs
from shapes import chance

NOW = 1750000000


class Options:
    """The settings of a verification, in the order of peer_signpost."""
    min_rsa_bits = 1024
    max_rsa_bits = 8192
    max_signatures = 10
    max_age = 0
    clock_skew = 300
    unsigned_body = 0
    allow_sha1 = 0

    def items(self):
        return [b"%d" % number for number in (
            self.min_rsa_bits, self.max_rsa_bits, self.max_signatures,
            self.max_age, self.clock_skew, self.unsigned_body,
            self.allow_sha1)]


class Case:
    def __init__(self, seed, number):
        self.source = random.Random("%s/%d" % (seed, number))
        self.number = number
        self.now = NOW
        self.marks = set()
        self.fields = shapes.header(self.source, self.marks)
        self.body = shapes.body(self.source, self.marks)
        self.cut = self.source.choice((0, 0, 1, 2, 3, 7, 100, 4096))
        self.options = Options()
        self.lf_folds = chance(self.source, 0.1)
        self.signatures = []  # the topmost first
        self.lookups = []
        self.signs = chance(self.source, 0.2)
        if self.signs:
            self.plan_signing()
        else:
            self.vary_options()
            self.sign()
            self.finish()

    def vary_options(self):
        source, options = self.source, self.options
        if chance(source, 0.05):
            options.max_rsa_bits = 1536
        if chance(source, 0.05):
            options.max_signatures = 1
        if chance(source, 0.05):
            options.max_age = 86400
        if chance(source, 0.1):
            options.unsigned_body = 1
        if chance(source, 0.3):
            options.allow_sha1 = 1

    def sign(self):
        source = self.source
        for number in range(source.choice((1,) * 8 + (2, 2, 3, 12))):
            marks = set()
            signature = signatures.Signature(
                source, number, self.now, self.fields, marks)
            self.spoil(signature)
            at = 0
            if chance(source, 0.05):
                at = source.randrange(len(self.fields) + 1)
                marks.add("not-on-top")
            self.fields.insert(
                at, signature.make(self.fields, at, self.body))
            self.signatures.append(signature)
            self.lookups += signature.lookups()

    def spoil(self, signature):
        source = self.source
        count = source.choice((0, 0, 0, 0, 1, 1, 1, 1, 2, 2))
        if len(self.signatures) > 3:
            count = 0
        tables = [source.choice((0, 1, 2, 2)) for _ in range(count)]
        for number in sorted(tables):  # a value, before it is made nonsense
            table = (wrongs.OTHER, wrongs.KEY, wrongs.SIGNATURE)[number]
            name, spoil = source.choice(table)
            if "wrong:" + name in signature.marks:
                continue
            if table is wrongs.KEY and (
                    signature.key_reasons or signature.more_records or
                    signature.published is not signature.key):
                continue
            try:
                spoil(signature)
            except signatures.Inapplicable:
                continue
            signature.marks.add("wrong:" + name)
        if count > 1 and len(signature.syntax) > 0:
            signature.syntax.add(oracle.ANY)

    def finish(self):
        """What happens on the way, and what has to be said in the end."""
        if chance(self.source, 0.25):
            name, change = self.source.choice(wrongs.MESSAGE)
            self.fields, self.body = change(
                self.source, list(self.fields), self.body)
            self.marks.add("message:" + name)
        order = {id(field): i for i, field in enumerate(self.fields)}
        self.signatures.sort(key=lambda s: order[id(s.field)])
        for place, signature in enumerate(self.signatures):
            signature.marks |= self.marks
            if len(self.signatures) > 1:
                signature.marks.add("several-signatures")
            signature.expected = oracle.judge(signature, self, place)

    # What is asked.

    def verify_items(self, lf_folds=False):
        items = [b"verify", b"%d" % self.now] + self.options.items()
        items += [b"%d" % self.cut, b"%d" % len(self.lookups)]
        for lookup in self.lookups:
            items += lookup
        items.append(self.body)
        return items + self.field_items(lf_folds)

    def field_items(self, lf_folds):
        """An MTA hands folded fields over with LF alone."""
        items = []
        for name, value in self.fields:
            items.append(name)
            items.append(value.replace(b"\r\n", b"\n") if lf_folds else value)
        return items

    def message(self):
        return b"".join(name + b":" + value + b"\r\n"
                        for name, value in self.fields) + \
            b"\r\n" + self.body

    # Signing by Signpost.

    def plan_signing(self):
        source = self.source
        there = [name.rstrip(b" \t") for name, _ in self.fields]
        self.wanted = []
        for number in range(source.choice((1, 1, 2))):
            names = [b"From"] + source.sample(
                there, source.randrange(len(there) + 1))
            self.wanted.append({
                "domain": source.choice(signatures.DOMAINS),
                "selector": b"s%d" % number,
                "identity": source.choice((b"", b"", b"joe", b"a b;c",
                                           b"caf\xc3\xa9", None)),
                "canon": source.choice((
                    ("simple", "simple"), ("relaxed", "relaxed"),
                    ("simple", "relaxed"), ("relaxed", "simple"))),
                "headers": [shapes.case(source, name) for name in names],
                "oversign": source.sample(
                    [b"From", b"Subject", b"To", b"X-Absent", b"Received"],
                    source.randrange(5)),
                "expire": source.choice((0, 0, 3600)),
                "key": keys.key(source.choice(
                    ("rsa1024", "rsa2048", "ed25519"))),
            })

    def can_sign(self):
        return any(canon.called(field, b"From") for field in self.fields)

    def sign_items(self):
        items = [b"sign", b"%d" % self.now, b"%d" % self.cut,
                 b"%d" % len(self.wanted)]
        for wanted in self.wanted:
            identity = wanted["identity"]
            items += [
                wanted["domain"], wanted["selector"],
                b"" if identity is None else
                identity + b"@mail." + wanted["domain"],
                wanted["canon"][0].encode(), wanted["canon"][1].encode(),
                b":".join(wanted["headers"]), b":".join(wanted["oversign"]),
                b"%d" % wanted["expire"], b"0", wanted["key"].pem]
        return items + [self.body] + self.field_items(self.lf_folds)

    def take_fields(self, values):
        """What Signpost wrote goes on top, the first one topmost. What is
        wrong with it is returned."""
        problems = []
        made = []
        original = list(self.fields)
        for wanted, value in zip(self.wanted, values):
            made.append(Made(wanted, value, self, original, problems))
        self.signatures = made
        self.fields = [signature.field for signature in made] + self.fields
        for signature in made:
            self.lookups.append((
                signature.selector + b"._domainkey." +
                wanted_domain(signature), b"found",
                shapes.rdata(shapes.split_strings(
                    self.source, b"v=DKIM1; k=%s; p=%s" % (
                        signature.key.type.encode(),
                        signature.key.public())))))
        self.finish()
        return problems


def wanted_domain(signature):
    return signatures.dns_name(signature.domain)


class Made:
    """A signature that Signpost made, read again by the plainest of readers:
    it writes none of the odd shapes that others may."""

    def __init__(self, wanted, value, case, fields, problems):
        self.wanted, self.value = wanted, value
        self.field = (b"DKIM-Signature", value)
        self.marks = {"made-by-signpost"}
        self.key = self.published = wanted["key"]
        self.syntax, self.key_reasons = set(), set()
        self.answer, self.more_records = b"found", []
        self.wrong_b = self.cut_off = False
        self.change_hash = lambda digest: digest
        self.problems = problems
        tags = self.tags = dict(
            (name.strip(), re.sub(rb"\s", b"", text)) for name, _, text in (
                part.partition(b"=") for part in value.split(b";")
                if part.strip()))
        self.algorithm = tags[b"a"].decode()
        self.domain, self.selector = tags[b"d"], tags[b"s"]
        header, _, body = tags[b"c"].partition(b"/")
        self.header_canon = header.decode()
        self.body_canon = (body or b"simple").decode()
        self.names = tags[b"h"].split(b":")
        self.octets_signed = None
        self.signed_at = int(tags[b"t"])
        self.expires_at = int(tags[b"x"]) if b"x" in tags else None
        self.in_subdomain = b"i" in tags
        self.body_hash = base64.b64decode(tags[b"bh"])
        self.blanked = (b"DKIM-Signature", re.sub(
            rb"([;\s]b=)[^;]*", rb"\1", value))
        self.header_hash = self.digest(fields)
        self.check(case, fields)

    def digest(self, fields):
        return hashlib.sha256(canon.header_text(
            [self.field] + fields, self.names, self.header_canon, self.field,
            self.blanked)).digest()

    def check(self, case, fields):
        """Whether it is what was asked for."""
        wanted = self.wanted
        count = {}
        for name, _ in fields:
            name = name.rstrip(b" \t").lower()
            count[name] = count.get(name, 0) + 1
        names = [name.lower() for name in self.names]
        signed = {name.lower() for name in wanted["headers"]}
        oversigned = {name.lower() for name in wanted["oversign"]}
        for name in signed | oversigned:
            want = count.get(name, 0) + (name in oversigned)
            if names.count(name) != want:
                self.problem("h= has %r %d times and not %d" % (
                    name, names.count(name), want))
        for tag, want in (
                (b"v", b"1"), (b"a", self.key.type.encode() + b"-sha256"),
                (b"t", b"%d" % case.now), (b"s", wanted["selector"]),
                (b"c", "/".join(wanted["canon"]).encode()),
                (b"x", b"%d" % (case.now + wanted["expire"])
                 if wanted["expire"] else None)):
            if self.tags.get(tag) != want:
                self.problem("%r is %r and not %r" % (
                    tag, self.tags.get(tag), want))
        for line in self.value.split(b"\r\n"):
            if len(line) > 900:
                self.problem("a line of %d octets" % len(line))

    def problem(self, text):
        self.problems.append(text)
