# SPDX-License-Identifier: BSD-2-Clause
"""What can be wrong with a signature, its key record or the message.

Each row of SIGNATURE and KEY is (name, chance to apply, function): the
function spoils the plan of a signature and says so in its reasons; the name
becomes a mark. A row of MESSAGE changes what was signed, and says nothing: the
oracle compares the digests.
"""
import base64
import re

import keys
import shapes
from signatures import ALGORITHMS, Tag, get, need, put

REQUIRED = (b"v", b"a", b"b", b"bh", b"d", b"h", b"s")


def syntax(reason):
    """A spoiler that sets a tag to one of some values, all of them refused
    for REASON."""
    def of(name, *values):
        def spoil(signature):
            value = signature.source.choice(values)
            put(signature.tags, name, value)
            signature.syntax.add(reason)
            signature.marks.add("value:%s=%s" % (
                name.decode(), value.decode("latin-1")))
        return spoil
    return of


def missing(signature):
    name = signature.source.choice(REQUIRED)
    need(signature.tags, name)
    signature.tags = [tag for tag in signature.tags if tag.name != name]
    signature.syntax.add("tag_missing")
    signature.marks.add("missing:" + name.decode())


def repeated(signature):
    """The second one is the same, or another."""
    tag = signature.source.choice(signature.tags)
    value = signature.source.choice((tag.value, tag.value, b"x"))
    at = signature.source.randrange(len(signature.tags) + 1)
    signature.tags.insert(at, Tag(tag.name, value, (b" ", b"", b"", b"")))
    signature.syntax.add("tag_repeated")
    signature.marks.add("repeated:" + tag.name.decode())


def empty(signature):
    """A tag that may not be empty is."""
    reasons = {b"v": "version", b"a": "algorithm", b"d": "domain",
               b"s": "selector", b"h": "signed_headers", b"i": "identity",
               b"c": "canonicalization", b"q": "query", b"t": "times",
               b"x": "times", b"l": "length"}
    name = signature.source.choice(sorted(reasons))
    put(signature.tags, name, b"")
    if name == b"l":
        signature.limit = None  # else it is filled in
    signature.syntax.add(reasons[name])
    signature.marks.add("empty:" + name.decode())


def empty_base64(signature):
    """Nothing but white space: what is filled in later is not empty."""
    name = signature.source.choice((b"b", b"bh"))
    need(signature.tags, name).value = signature.source.choice(
        (b" ", b"\r\n "))
    signature.syntax.add("base64")
    signature.marks.add("empty:" + name.decode())


def bad_base64(signature):
    """Junk in b= or bh=, which a lenient reader skips or cuts off."""
    def junk(text):
        at = source.randrange(1, len(text))
        return {
            "inside": text[:at] + source.choice((b"!", b"*", b"-", b"_", b"%",
                                                 b"\xc3\xa9")) + text[at:],
            "padding": text[:4] + b"=" + text[4:],
            "short": text.rstrip(b"=")[:-1] if len(text.rstrip(b"=")) % 4 == 2
            else text.rstrip(b"=") + b"A=" * 1,
            "behind": text + b"AAAA=",
            "more": text.rstrip(b"=") + b"=" * (5 - text.count(b"=")),
        }[how]
    source = signature.source
    how = source.choice(("inside", "padding", "behind", "more"))
    name = source.choice((b"b", b"bh"))
    original = signature.fold
    seen = []

    def fold(text):
        seen.append(text)
        if (len(seen) == 1) == (name == b"bh"):
            return junk(text)
        return original(text)
    signature.fold = fold
    signature.syntax.add("base64")
    signature.marks.add("base64-%s:%s" % (how, name.decode()))


def unpadded(signature):
    """The padding of b= or bh= left out: not base64 as RFC 6376 section 2.10
    has it."""
    name = signature.source.choice((b"b", b"bh"))
    original = signature.fold
    seen = []

    def fold(text):
        seen.append(text)
        if (len(seen) == 1) == (name == b"bh") and text.endswith(b"="):
            signature.syntax.add("base64")
            signature.marks.add("unpadded:" + name.decode())
            return text.rstrip(b"=")
        return original(text)
    signature.fold = fold


def from_unsigned(signature):
    names = [b"X-From" if name.lower() == b"from" else name
             for name in signature.names]
    if signature.source.random() < 0.3:
        names.append(signature.source.choice((b"From_", b"Fro", b"Resent-From",
                                              b"Reply-To")))
    signature.names = names
    put(signature.tags, b"h", b":".join(names))
    signature.syntax.add("from_unsigned")


def bad_names(signature):
    source = signature.source
    text = b":".join(signature.names)
    choices = [text + b":", b":" + text, text + b"::To", b"To : : " + text,
               text + b":a b", text + b":caf\xc3\xa9"]
    if not signature.syntax:
        # A comma may stand in a field name (RFC 5322 section 3.6.8): that is
        # nothing wrong, and would take away what is.
        choices.append(text + b",To")
    put(signature.tags, b"h", source.choice(choices))
    if get(signature.tags, b"h").value.endswith(b",To"):
        signature.names = get(signature.tags, b"h").value.split(b":")
        if not any(name.lower() == b"from" for name in signature.names):
            signature.syntax.add("from_unsigned")
        return
    signature.syntax.add("signed_headers")


# field: A6
def too_many_names(signature):
    put(signature.tags, b"h", b":".join([b"From"] * 600))
    signature.syntax.add("signed_headers")


def not_tags(signature):
    source = signature.source
    how = source.choice(("name", "no-equals", "empty", "leading", "control",
                         "lone-lf", "nul", "fold", "many"))
    extra = {
        "name": source.choice((b"1a=x", b"a-b=x", b"=x", b"a b=x", b"a.b=x",
                               b"_a=x", b"caf\xc3\xa9=x")),
        "no-equals": source.choice((b"foo", b"v", b"b", b'"')),
        "empty": source.choice((b"", b" ", b"\t")),
        "leading": b"", "control": b"y=a\x01b", "lone-lf": b"y=a\rb",
        "nul": b"y=a\0b", "fold": b"y=a\x7fb", "many": b"",
    }[how]
    if how == "many":
        signature.tags += [Tag(b"y%d" % i, b"") for i in range(80)]
        source.shuffle(signature.tags)
    else:
        tags = signature.join

        def join(blank=False):
            text = tags(blank)
            if how == "leading":
                return b";" + text
            at = text.index(b";") + 1
            return text[:at] + b" " + extra + b";" + text[at:]
        signature.join = join
    signature.syntax.add("tags")
    signature.marks.add("tags-" + how)


def identity_elsewhere(signature):
    source = signature.source
    domain = signature.domain
    choices = [
        b"@example.net", b"joe@f" + domain, b"joe@" + domain + b".test",
        domain, b"joe", b"joe@", b"@" + domain.split(b".", 1)[1],
        b"@" + domain + b".", b"joe@example.net@" + domain,
        b"=4@" + domain, b"=zz@" + domain,
        b"joe@." + domain, b"joe@a..b." + domain, b"a=00b@" + domain,
        b'a"b@' + domain]
    if not signature.syntax:
        # It is the address itself, once decoded: that is nothing wrong, and
        # would take away what is.
        choices.append(b"joe=40" + domain)
    put(signature.tags, b"i", source.choice(choices))
    if get(signature.tags, b"i").value == b"joe=40" + domain:
        signature.key_reasons.discard("key_strict")
        return
    signature.syntax.add("identity")


def expires_before(signature):
    signature.signed_at = signature.now - 100
    signature.expires_at = signature.now - signature.source.choice((100, 200))
    put(signature.tags, b"t", b"%d" % signature.signed_at)
    put(signature.tags, b"x", b"%d" % signature.expires_at)
    signature.syntax.add("times")


# field: A22
def glue_signature(signature):
    """The field is cut off, or two were glued together."""
    source = signature.source

    def cut(value):
        length = source.randrange(len(value.rstrip(b"; \r\n\t")))
        return value[:length].rstrip(b"\r\n")

    def glue(value):
        return value.rstrip(b"; \r\n\t") + b"; " + value.lstrip()
    if source.random() < 0.5:
        signature.change_field = cut
        signature.marks.add("cut-off")
        signature.cut_off = True
    else:
        signature.change_field = glue
        signature.marks.add("glued-twice")
        signature.syntax |= {"tag_repeated", "tags"}


SIGNATURE = (
    ("missing", missing), ("missing", missing), ("repeated", repeated),
    ("empty", empty), ("empty", empty), ("empty-base64", empty_base64),
    ("bad-base64", bad_base64), ("bad-base64", bad_base64),
    ("unpadded", unpadded),
    ("from-unsigned", from_unsigned), ("bad-names", bad_names),
    ("too-many-names", too_many_names), ("not-tags", not_tags),
    ("not-tags", not_tags), ("identity", identity_elsewhere),
    ("identity", identity_elsewhere), ("x-before-t", expires_before),
    ("glued", glue_signature),
    ("version", syntax("version")(
        b"v", b"2", b"1.0", b"01", b"1 1", b"DKIM1", b"0.5", b"+1")),
    ("algorithm", syntax("algorithm")(
        b"a", b"rsa-sha512", b"RSA-SHA256", b"rsa", b"sha256", b"rsa-sha256x",
        b"rsa-md5", b"rsa sha256", b"ed25519", b"dsa-sha256", b"rsa-sha256:")),
    ("canonicalization", syntax("canonicalization")(
        b"c", b"relaxed/", b"/relaxed", b"Relaxed/relaxed", b"nowsp",
        b"simple/relaxed/x", b"relaxed /simple", b"seal", b"simple/nowsp")),
    ("query", syntax("query")(
        b"q", b"dns", b"http", b"foo/bar", b"dns/txt/x", b"DNS/TXT",
        b"dns/txt:", b":dns/txt", b"dns/")),
    ("times", syntax("times")(
        b"t", b"-1", b"+5", b"1e3", b"0x10", b"1 2", b"1234567890123", b"x",
        b"1.5")),
    ("times", syntax("times")(
        b"x", b"-1", b"+5", b"1e3", b"0xffffffff", b"99999999999999", b"x")),
    ("length", syntax("length")(
        b"l", b"-1", b"1x", b"+1", b"0x1", b"1 0", b"9" * 77, b"all",
        b"1.0")),
    ("domain", syntax("domain")(
        b"d", b"example", b"exa mple.com", b"example..com", b".example.com",
        b"example.com.", b"a" * 64 + b".com", b"a.example(.b.test",
        b"ex@ample.com", b"exam,ple.com", b"example.com/x", b"\xff.com",
        b"[192.0.2.1]", b".".join([b"a" * 60] * 5), b'"example.com"',
        b"example.com\\", b"*.example.com")),
    ("selector", syntax("selector")(
        b"s", b"a b", b"..", b".a", b"a.", b"a(b", b"a@b", b"a..b",
        b"a" * 64, b'"a"', b"a/b", b"*")),
)


# What is wrong with the key.

def no_answer(word, reason):
    def spoil(signature):
        signature.answer = word
        signature.key_reasons = {reason}
    return spoil


def key_value(reason, name, *values):
    def spoil(signature):
        value = signature.source.choice(values)
        tag = get(signature.record, name)
        if tag is None:
            tag = Tag(name, value, (b" ", b"", b"", b""))
            signature.record.append(tag)
        tag.value = value
        signature.key_reasons.add(reason)
        signature.marks.add("key:%s=%s" % (name.decode(),
                                           value.decode("latin-1")))
    return spoil


def key_version(signature):
    version = get(signature.record, b"v")
    if version is not None:
        signature.record.remove(version)
    value = signature.source.choice((b"DKIM2", b"dkim1", b"DKIM1.0", b"1", b"",
                                     b"DKIM 1"))
    signature.record.insert(0, Tag(b"v", value))
    signature.key_reasons = {"key_version"}
    signature.marks.add("key:v=" + value.decode())


def key_version_behind(signature):
    version = get(signature.record, b"v")
    if version is not None:
        signature.record.remove(version)
    signature.record.append(Tag(b"v", b"DKIM1", (b" ", b"", b"", b"")))
    signature.key_reasons = {"key_syntax"}


def key_repeated(signature):
    tag = signature.source.choice(signature.record)
    signature.record.append(
        Tag(tag.name, signature.source.choice((tag.value, b"x")) or b"QQ==",
            (b" ", b"", b"", b"")))
    signature.key_reasons = {"key_syntax"}
    signature.marks.add("key-repeated:" + tag.name.decode())


def key_without_p(signature):
    signature.record.remove(need(signature.record, b"p"))
    if not signature.record:
        signature.record.append(Tag(b"k", b"rsa"))
    signature.key_reasons = {"key_syntax"}


def key_revoked(signature):
    need(signature.record, b"p").value = signature.source.choice(
        (b" ", b"\t", b"  "))
    signature.key_reasons = {"key_revoked"}


def key_junk(signature):
    """p= is not a key."""
    source = signature.source
    how = source.choice(("cut", "junk", "bad", "glued", "other-type", "text",
                         "unpadded", "tail"))
    if how == "unpadded" and \
            not signature.key.public(signature.form).endswith(b"="):
        how = "cut"

    def change(p):
        der = base64.b64decode(p)
        other = keys.key("ed25519" if signature.key.type == "rsa"
                         else "rsa1024").public()
        return {
            # Any 32 octets are a key of Ed25519, and not one that is wrong.
            "cut": base64.b64encode(der[:source.choice(
                [n for n in range(1, len(der)) if n != 32])]),
            "junk": base64.b64encode(source.randbytes(len(der) + 1)),
            "bad": p[:9] + b"!" + p[9:],
            "glued": p + signature.source.choice((b"", b" ")) + p,
            "other-type": other,
            "text": b"a_key", "unpadded": p.rstrip(b"="),
            "tail": base64.b64encode(der + b"\0"),
        }[how]
    signature.change_p = change
    signature.key_reasons = {"key_syntax"}
    signature.marks.add("key-" + how)


def key_not_tags(signature):
    source = signature.source
    text = source.choice((
        b"", b" ", b";", b"v=spf1 -all", b"hello", b"<html>", b'"v=DKIM1; p="',
        None, None, None, None, None))
    how = source.choice(("control", "leading", "empty", "name", "glued"))

    def change(record):
        if text is not None:
            return text
        return {"control": record + b"; y=a\x01", "leading": b";" + record,
                "empty": record + b"; ; y=1", "name": record + b"; 1=2",
                "glued": record + record}[how]
    signature.change_record = change
    signature.key_reasons = {"any"}
    signature.marks.add("key-not-tags:" + (
        how if text is None else text.decode()))


# field: C7
def key_type(signature):
    """k= is the other type: p= is not looked at, or not as what it is."""
    put(signature.record, b"k", b"rsa" if signature.key.type == "ed25519"
        else b"ed25519")
    signature.key_reasons = {"key_type", "key_syntax"}
    signature.marks.add("key-type-other")


def key_hash(signature):
    name = ALGORITHMS[signature.algorithm][1]
    others = [b"other", b"", b"sha", b"sha2567", b"SHA256", b"sha512"]
    others.append(b"sha1" if name == "sha256" else b"sha256")
    value = signature.source.choice(others)
    put(signature.record, b"h", value)
    signature.key_reasons = {"key_hash"}
    signature.marks.add("key:h=" + value.decode())


def key_strict(signature):
    put(signature.tags, b"i", b"joe@mail." + signature.domain)
    put(signature.record, b"t", signature.source.choice(
        (b"s", b"y:s", b"s : y", b"other:s")))
    signature.marks.add("key-strict:" + get(
        signature.record, b"t").value.decode())
    signature.key_reasons = {"key_strict"}


def other_key(signature):
    signature.published = keys.key("other25519" if signature.key.type ==
                                   "ed25519" else "other2048")


# field: C1
def two_records(signature):
    """Another record beside the good one: it does no harm."""
    other = keys.key("other2048").public()
    record = signature.source.choice((
        b"v=DKIM1; p=" + other, b"v=DKIM1; p=", b"v=spf1 -all", b"junk",
        b"v=DKIM1; k=ed25519; p=" + keys.key("other25519").public(),
        b"v=DKIM1; h=other; p=" + other, b""))
    before = signature.source.random() < 0.5
    signature.more_records.append((record, before))
    signature.marks.add("two-records")
    signature.marks.add("good-record-second" if before
                        else "good-record-first")


KEY = (
    ("no-name", no_answer(b"none", "no_key")),
    ("timeout", no_answer(b"timeout", "dns_timeout")),
    ("failed", no_answer(b"failed", "dns_failed")),
    ("bogus", no_answer(b"bogus", "dns_bogus")),
    ("key-version", key_version), ("key-v-behind", key_version_behind),
    ("key-repeated", key_repeated), ("key-without-p", key_without_p),
    ("key-revoked", key_revoked), ("key-junk", key_junk),
    ("key-junk", key_junk), ("key-not-tags", key_not_tags),
    ("key-type", key_type), ("key-hash", key_hash), ("key-hash", key_hash),
    ("key-kind", key_value("key_type", b"k", b"RSA", b"", b"dsa", b"ed448",
                           b"rsa:ed25519", b"ED25519")),
    ("key-service", key_value("key_service", b"s", b"tlsrpt", b"other", b"",
                              b"EMAIL", b"emails", b"e mail")),
    ("key-strict", key_strict), ("key-strict", key_strict),
    ("other-key", other_key), ("two-records", two_records),
    ("two-records", two_records), ("two-records", two_records),
)


# What is changed in a signature that was well-formed.

def changed_octets(signature):
    """b= or bh= holds something else of the same form."""
    source = signature.source
    how = source.choice(("flip", "cut", "more", "zero", "empty-hash", "hash",
                         "long-hash"))

    def flip(octets):
        at = source.randrange(len(octets))
        bit = 1 << source.randrange(8)
        return octets[:at] + bytes([octets[at] ^ bit]) + octets[at + 1:]
    changes = {"flip": flip, "cut": lambda b: b[:-1], "more": lambda b: b + b"\0",
               "zero": lambda b: bytes(len(b))}
    if how in changes:
        signature.change_b = changes[how]
        signature.wrong_b = True
    else:
        signature.change_hash = {"empty-hash": lambda h: h[:1], "hash": flip,
                                 "long-hash": lambda h: h * 5}[how]
    signature.marks.add("octets-" + how)


def past(signature):
    signature.signed_at = None
    tag = get(signature.tags, b"t")
    if tag is not None:
        signature.tags.remove(tag)
    signature.expires_at = signature.now - signature.source.choice(
        (1, 86400, 10 ** 9))
    put(signature.tags, b"x", b"%d" % signature.expires_at)


def ahead(signature):
    signature.signed_at = signature.now + signature.source.choice(
        (301, 86400, 10 ** 9, 10 ** 11))
    put(signature.tags, b"t", b"%d" % signature.signed_at)
    tag = get(signature.tags, b"x")
    if tag is not None:
        signature.tags.remove(tag)
    signature.expires_at = None


OTHER = (
    ("octets", changed_octets), ("octets", changed_octets),
    ("expired", past), ("ahead", ahead),
)


# What happens to the message on its way. Each takes (source, fields, body)
# and gives both back; the fields of signatures are among them.

def pick(source, fields):
    there = [i for i, field in enumerate(fields)
             if field[0].strip().lower() != b"dkim-signature"]
    return source.choice(there) if there else None


def change_value(source, fields, body):
    i = pick(source, fields)
    if i is not None:
        name, value = fields[i]
        value = source.choice((
            value + b"x", value.upper(), value.replace(b" ", b"  "),
            re.sub(rb"(?<!\n) (?=\S)", b"\r\n ", value), value.strip(b" \t"), b" ",
            value + b" ", value.replace(b"\r\n", b"")))
        # An empty line would end the header.
        fields[i] = (name, re.sub(rb"\r\n(?![ \t])", b"", value))
    return fields, body


def change_name(source, fields, body):
    i = pick(source, fields)
    if i is not None:
        name, value = fields[i]
        fields[i] = (source.choice((name.upper(), name.lower(),
                                    name.rstrip() + b"x", name + b" ")), value)
    return fields, body


def remove_field(source, fields, body):
    i = pick(source, fields)
    if i is not None and len(fields) > 1:
        del fields[i]
    return fields, body


def add_field(source, fields, body):
    name = source.choice((b"From", b"Subject", b"To", b"Received", b"X-New"))
    at = source.choice((0, len(fields), source.randrange(len(fields) + 1)))
    fields.insert(at, (name, b" added"))
    return fields, body


def swap_fields(source, fields, body):
    i, j = pick(source, fields), pick(source, fields)
    if i is not None:
        fields[i], fields[j] = fields[j], fields[i]
    return fields, body


def move_signatures(source, fields, body):
    """Below the rest of the header, as some relays do."""
    signatures = [f for f in fields if f[0].strip().lower() ==
                  b"dkim-signature"]
    return [f for f in fields if f not in signatures] + signatures, body


def change_body(source, fields, body):
    at = source.randrange(len(body) + 1)
    return fields, source.choice((
        body + b"more\r\n", body + b"\r\n", body + b" \r\n", body[:at],
        body[:at] + b" " + body[at:], body[:at] + b"\r\n" + body[at:],
        b"\r\n" + body, body.replace(b"\r\n", b"\n"), body + b"\0",
        body.replace(b" \r\n", b"\r\n"), body.replace(b"  ", b" "),
        body[:at] + b"x" + body[at + 1:], b"", body.rstrip(b"\r\n"),
        body + b"x", body + b"."))


MESSAGE = (("value", change_value), ("name", change_name),
           ("removed", remove_field), ("added", add_field),
           ("swapped", swap_fields), ("moved", move_signatures),
           ("body", change_body), ("body", change_body))
