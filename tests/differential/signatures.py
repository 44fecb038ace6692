# SPDX-License-Identifier: BSD-2-Clause
"""One signature: what its field and its key record say, and how it is made.

A Signature is planned first, as lists of tags; a row of wrongs.py may then
spoil the plan; make() signs what the plan says, whatever it says. What the
result has to be is for oracle.py to work out.
"""
import base64
import hashlib

import canon
import keys
import shapes
from shapes import chance, gap

ALGORITHMS = {"rsa-sha256": ("rsa", "sha256"), "rsa-sha1": ("rsa", "sha1"),
              "ed25519-sha256": ("ed25519", "sha256")}
DOMAINS = (b"example.com", b"Example.COM", b"sub.example.com", b"a-b.example",
           b"x.y.example.org", b"_under.example.com",
           b"xn--bcher-kva.example", "b\u00fccher.example".encode())
# field: B25
UNKNOWN = ((b"y", b"1"), (b"bb", b"x"), (b"b_h", b"abc"), (b"ab", b"b=c="),
           (b"B", b"AAAA"), (b"BH", b"AAAA"), (b"z9_", b""), (b"r", b"y"),
           (b"hb", b"b"), (b"unknown", b"a b \r\n c"))


class Tag:
    def __init__(self, name, value, spaces=(b"", b"", b"", b"")):
        self.name, self.value, self.spaces = name, value, list(spaces)

    def text(self, value=None, blank=False):
        value = self.value if value is None else value
        before, after, start, end = self.spaces
        if blank:
            start = value = end = b""
        return before + self.name + after + b"=" + start + value + end


def get(tags, name):
    for tag in tags:
        if tag.name == name:
            return tag
    return None


def dns_name(domain):
    """As DNS has it: A-labels, in lower case (RFC 8616 section 4)."""
    return domain.lower().replace("b\u00fccher".encode(), b"xn--bcher-kva")


class Inapplicable(Exception):
    """What is to be spoiled is not there any more."""


def need(tags, name):
    tag = get(tags, name)
    if tag is None:
        raise Inapplicable(name)
    return tag


def put(tags, name, value):
    """Gives the tag another value, or adds it."""
    tag = get(tags, name)
    if tag is None:
        tag = Tag(name, value, (b" ", b"", b"", b""))
        tags.append(tag)
    tag.value = value
    return tag


class Signature:
    def __init__(self, source, number, now, fields, marks):
        self.source = source
        self.now = now
        self.marks = marks
        self.selector = b"s%d" % number
        self.syntax = set()   # reasons why it cannot be parsed
        self.key_reasons = set()  # reasons why its key does not serve
        self.answer = b"found"
        self.plan_algorithm()
        self.domain = source.choice(DOMAINS)
        self.in_subdomain = False
        # field: B11
        self.header_canon, self.body_canon = source.choice((
            ("simple", "simple"), ("relaxed", "relaxed"),
            ("simple", "relaxed"), ("relaxed", "simple")))
        self.limit = None
        self.signed_at = self.expires_at = None
        self.names = self.plan_names(fields)
        self.field_name = b"DKIM-Signature"
        if chance(source, 0.1):
            self.field_name = shapes.case(source, self.field_name)
        if chance(source, 0.01):
            self.field_name += source.choice((b" ", b"\t"))
            marks.add("space-before-colon")
        self.plan_tags()
        self.plan_record()
        self.wrong_b = False   # b= is changed once made
        self.cut_off = False   # part of the field is
        self.change_b = lambda octets: octets
        self.change_hash = lambda octets: octets
        self.change_field = lambda value: value

    # The plan.

    def plan_algorithm(self):
        kind = self.source.random()
        self.algorithm = ("ed25519-sha256" if kind < 0.25 else
                          "rsa-sha1" if kind < 0.29 else "rsa-sha256")
        self.key = keys.key("ed25519" if kind < 0.25 else
                            self.source.choice(("rsa2048", "rsa1024")))
        if self.algorithm == "rsa-sha256" and chance(self.source, 0.02):
            self.key = keys.key("rsa512")

    # field: B15
    def plan_names(self, fields):
        """h=: names of the message, some of them repeated, oversigned, absent
        or of DKIM-Signature itself."""
        source = self.source
        there = [name.rstrip(b" \t") for name, _ in fields]
        names = source.sample(there, source.randrange(len(there) + 1))
        if not any(name.lower() == b"from" for name in names):
            names.insert(source.randrange(len(names) + 1), b"From")
        for odd in (b"X-Absent", b"Subject", b"From", b"Sender"):
            if chance(source, 0.1):
                names.insert(source.randrange(len(names) + 1), odd)
        if chance(source, 0.1):
            names.append(b"DKIM-Signature")
            self.marks.add("signs-signatures")
        if chance(source, 0.02):
            names += [b"From"] * 300
            self.marks.add("many-names")
        return [shapes.case(source, name) if chance(source, 0.2) else name
                for name in names]

    def plan_tags(self):
        source = self.source
        tags = [Tag(b"v", b"1"), Tag(b"a", self.algorithm.encode()),
                Tag(b"d", self.domain), Tag(b"s", self.selector),
                Tag(b"h", self.colons(self.names)), Tag(b"bh", b""),
                Tag(b"b", b"")]
        tags += self.optional_tags()
        for name, value in source.sample(UNKNOWN, source.choice((0, 0, 0, 1,
                                                                 2))):
            tags.append(Tag(name, value))
            self.marks.add("unknown:" + name.decode())
        if chance(source, 0.3):
            source.shuffle(tags)
        for tag in tags:
            tag.spaces[0] = source.choice((b" ", b" ", b"\r\n\t"))
            if chance(source, 0.15):
                tag.spaces = [gap(source, 1), gap(source), gap(source),
                              gap(source)]
        if chance(source, 0.1):
            tags[0].spaces[0] = b""
        self.tags = tags
        self.end = source.choice((b"", b"", b"", b";", b"; ", b";\r\n "))
        if self.end.endswith((b" ", b"\t")) or tags[-1].spaces[3]:
            self.marks.add("signature-ends-in-space")

    def optional_tags(self):
        source = self.source
        if (self.header_canon, self.body_canon) == ("simple", "simple") \
                and chance(source, 0.5):
            pass
        elif self.body_canon == "simple" and chance(source, 0.3):
            yield Tag(b"c", self.header_canon.encode())
            # field: A25
            self.marks.add("c-alone")
        else:
            yield Tag(b"c", b"%s/%s" % (self.header_canon.encode(),
                                        self.body_canon.encode()))
        if chance(source, 0.3):
            yield Tag(b"i", self.identity())
        if chance(source, 0.15):
            yield Tag(b"q", self.methods())
        if chance(source, 0.4):
            self.signed_at = self.now + source.choice(
                (-10 ** 9, -86400 * 30, -60, 0, 290))
            yield Tag(b"t", b"%d" % self.signed_at)
        if chance(source, 0.2):
            self.expires_at = max(self.now, self.signed_at or 0) + \
                source.choice((1, 3600, 10 ** 8))
            yield Tag(b"x", b"%d" % self.expires_at)
        if chance(source, 0.08):
            self.limit = source.choice(("all", "all", "some", "zero"))
            yield Tag(b"l", b"")
        if chance(source, 0.08):
            yield Tag(b"z", b"From:joe=40example.com|\r\n Subject:a=3Db")

    def colons(self, items):
        return b"".join(
            (gap(self.source, 0.1) + b":" + gap(self.source, 0.1) if i else b"")
            + item for i, item in enumerate(items))

    def identity(self):
        source = self.source
        local = source.choice((b"", b"", b"joe", b"j=6Fe", b"a.b+c", b"=22a b=22"
                               .replace(b" ", b"=20"), b"caf=C3=A9",
                               b"caf\xc3\xa9"))
        if local.isalnum() and chance(source, 0.2):
            local += source.choice((b"\r\n ", b" ")) + b"x"
            self.marks.add("identity-space")
        if b"=" in local:
            self.marks.add("identity-quoted")
        below = b""
        if chance(source, 0.3):
            below = source.choice((b"mail.", b"a.b."))
            self.in_subdomain = True
        domain = self.domain
        if chance(source, 0.1):
            domain = shapes.case(source, domain)
        return local + b"@" + below + domain

    def methods(self):
        text = self.source.choice((b"dns/txt", b"dns/txt", b"dns/txt:other",
                                   b"foo/bar : dns/txt", b"dns/txt : dns/txt"))
        if text != b"dns/txt":
            self.marks.add("query-methods")
        return text

    def plan_record(self):
        source = self.source
        self.published = self.key
        tags = []
        hash_name = ALGORITHMS[self.algorithm][1].encode()
        if chance(source, 0.8):
            tags.append(Tag(b"v", b"DKIM1"))
        rest = [Tag(b"p", b"")]
        if self.key.type != "rsa" or chance(source, 0.7):
            rest.append(Tag(b"k", self.key.type.encode()))
        if chance(source, 0.1):
            rest.append(Tag(b"h", source.choice((
                hash_name, b"sha1:sha256", b"sha256 : sha1",
                b"other:" + hash_name))))
            if get(rest, b"h").value != hash_name:
                self.marks.add("key-hashes")
        if chance(source, 0.1):
            rest.append(Tag(b"s", source.choice((
                b"*", b"email", b"other:email", b"email : other"))))
            if b":" in get(rest, b"s").value:
                self.marks.add("key-services")
        if chance(source, 0.1):
            flags = (b"y", b"y:other", b"", b"z") if self.in_subdomain else (
                b"s", b"y : s", b"s:y", b"y", b"z")
            rest.append(Tag(b"t", source.choice(flags)))
        if chance(source, 0.1):
            rest.append(Tag(b"n", source.choice((b"a note", b"", b"n=1 x",
                                                 b"caf\xc3\xa9"))))
        if chance(source, 0.05):
            rest.append(Tag(b"g", source.choice((b"", b"*", b"other"))))
            self.marks.add("retired-tag")
        if chance(source, 0.1):
            rest.append(Tag(b"unknown", b"x=y"))
        source.shuffle(rest)
        self.record = tags + rest
        for tag in self.record:
            tag.spaces[0] = b" "
            if chance(source, 0.1):
                tag.spaces = [source.choice((b"", b" ", b"\t"))
                              for _ in range(4)]
        self.record[0].spaces[0] = b""
        self.record_end = source.choice((b"", b"", b";", b"; "))
        self.form = "other" if chance(source, 0.1) else "usual"
        if self.form == "other":
            self.marks.add("other-key-form")
        self.p_spaces = chance(source, 0.1)
        if self.p_spaces:
            self.marks.add("spaces-in-p")
        self.change_p = lambda p: p
        self.change_record = lambda text: text
        self.more_records = []  # (record, whether it stands before)

    # The making.

    def make(self, fields, at, body):
        """The field of this signature over FIELDS and BODY, to stand AT."""
        own = (self.field_name, b"")
        fields = fields[:at] + [own] + fields[at:]
        hash_name = ALGORITHMS[self.algorithm][1]
        text = canon.BODY[self.body_canon](body)
        self.set_limit(text)
        if self.octets_signed is not None:
            text = text[:self.octets_signed]
        self.body_hash = hashlib.new(hash_name, text).digest()
        put_hash = get(self.tags, b"bh")
        if put_hash is not None and not put_hash.value:
            put_hash.value = self.fold(base64.b64encode(
                self.change_hash(self.body_hash)))
        self.blanked = (self.field_name, self.join(blank=True))
        text = canon.header_text(fields, self.names, self.header_canon, own,
                                 self.blanked)
        self.header_hash = hashlib.new(hash_name, text).digest()
        octets = self.key.sign(text, hash_name)
        tag = get(self.tags, b"b")
        if tag is not None and not tag.value:
            tag.value = self.fold(base64.b64encode(self.change_b(octets)))
        self.field = (self.field_name, self.change_field(self.join()))
        return self.field

    def set_limit(self, text):
        self.octets_signed = None
        if self.limit is None:
            return
        self.octets_signed = {
            "all": len(text), "zero": 0,
            "some": self.source.randrange(len(text) + 1)}[self.limit]
        tag = get(self.tags, b"l")
        if tag is not None and not tag.value:
            tag.value = b"%d" % self.octets_signed
        self.marks.add("l")

    def fold(self, text):
        if not chance(self.source, 0.5):
            return text
        cut = self.source.randrange(1, 75)
        space = self.source.choice((b"\r\n\t", b" ", b"\r\n        "))
        return space.join(text[at:at + cut]
                          for at in range(0, len(text), cut))

    def join(self, blank=False):
        first = get(self.tags, b"b")
        return b";".join(
            tag.text(blank=blank and tag is first) for tag in self.tags
        ) + self.end

    def records(self):
        """The TXT records at the key's name, as DNS carries them."""
        p = self.change_p(self.published.public(self.form))
        if self.p_spaces:
            p = b" ".join(p[at:at + 60] for at in range(0, len(p), 60))
        tag = get(self.record, b"p")
        if tag is not None and not tag.value:
            tag.value = p
        text = self.change_record(
            b";".join(tag.text() for tag in self.record) + self.record_end)
        texts = [text]
        for other, first in self.more_records:
            texts.insert(0 if first else len(texts), other)
        return [shapes.rdata(shapes.split_strings(self.source, text))
                for text in texts]

    def lookups(self):
        name = self.selector + b"._domainkey." + dns_name(self.domain)
        if self.answer != b"found":
            return [(name, self.answer, b"")]
        return [(name, b"found", rdata) for rdata in self.records()]
