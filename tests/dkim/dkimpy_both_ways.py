#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Signs random messages here and verifies them with dkimpy, and the other way.

Usage: dkimpy_both_ways.py [PROGRAM [MESSAGES]]  (dkim_peer in ., 60)

Every message is signed with RSA and Ed25519 by both in all four pairs of
canonicalizations; each signature must pass on the other side, and must fail
there once an octet of a signed field or of the body has changed. Exit status:
0 agreed, 1 not, 77 dkimpy is not installed.
"""
import pathlib
import random
import re
import subprocess
import sys

try:
    import dkim
    import nacl  # noqa: F401: dkimpy needs it for Ed25519
except ImportError:
    print("SKIP: python3-dkim or python3-nacl is not installed")
    sys.exit(77)

PAIRS = [(h, b) for h in ("simple", "relaxed") for b in ("simple", "relaxed")]
ALGORITHMS = {"rsa": b"rsa-sha256", "ed25519": b"ed25519-sha256"}
SIGNED = [b"from", b"from", b"to", b"subject", b"subject", b"x-odd", b"cc"]
VALUES = (b"", b" ", b"\t", b"x", b"y  z", b"\r\n ", b"\r\n\t\t", b":", b";",
          "\u00fc".encode(), b"<a@example.com>", b"=?utf-8?q?=C3=BC?=")
NAMES = (b"To", b"tO", b"SUBJECT", b"Subject", b"X-Odd", b"Received", b"Cc")
LINES = (b"", b"", b" ", b"\t ", b"a", b"b  c ", b".", b"..", b"From x",
         "\u00fc\u00e4".encode(), b"\xff\xfe", b"x" * 2000)


def read_keys():
    text = (pathlib.Path(__file__).parent / "keys.h").read_text()

    def string(name):
        body = re.search(rf"#define {name}\b((?:.*\\\n)*.*)\n", text).group(1)
        return "".join(re.findall(r'"(.*?)"', body)).replace("\\n", "\n")

    private = {name: string(macro).encode() for name, macro in
               (("rsa", "RSA_PEM"), ("ed25519", "ED25519_SEED"))}
    records = {
        b"rsa": ("v=DKIM1; k=rsa; p=" + string("RSA_P")).encode(),
        b"ed25519": ("v=DKIM1; k=ed25519; p=" + string("ED25519_P")).encode(),
    }
    return private, records


PRIVATE, RECORDS = read_keys()


def lookup(name, timeout=5):
    del timeout
    return RECORDS[name.split(b".")[0]]


def message(source):
    fields = [b"From: A <a@example.com>"]
    for _ in range(source.randrange(6)):
        value = b"".join(source.choices(VALUES, k=source.randrange(6)))
        # A field of white space alone is no field to an MTA, nor is a line.
        if re.search(rb"\n[ \t]*(\r|$)", value) or not value.strip():
            value = b" v"
        fields.append(source.choice(NAMES) + b":" + value)
    source.shuffle(fields)
    body = b"\r\n".join(source.choices(LINES, k=source.randrange(8)))
    # Without a line end at the end dkimpy goes ways of its own, which
    # canon_dkimpy.py knows.
    end = source.choice((b"\r\n", b"\r\n\r\n"))
    return b"\r\n".join(fields) + b"\r\n\r\n" + body + end


def ours(program, args, text):
    done = subprocess.run([program, *args], input=text, check=True,
                          stdout=subprocess.PIPE)
    return done.stdout


def peer_passes(text):
    try:
        return dkim.DKIM(text).verify(dnsfunc=lookup)
    except dkim.DKIMException:
        return False


def peer_signs(text, selector, pair):
    canonicalize = tuple(name.encode() for name in pair)
    field = dkim.DKIM(text, signature_algorithm=ALGORITHMS[selector]).sign(
        selector.encode(), b"example.com", PRIVATE[selector],
        canonicalize=canonicalize, include_headers=SIGNED)
    return field + text


def changed(text, source):
    """The message with one octet of From or of the body turned into another."""
    body = text.index(b"\r\n\r\n") + 4
    places = [text.index(b"From: A <a@") + 9]
    places += [i for i in range(body, len(text)) if text[i:i + 1].isalnum()]
    at = source.choice(places)
    return text[:at] + b"Q" + text[at + 1:]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "./dkim_peer"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    source = random.Random(8463)
    compared = 0
    wrong = []

    for number in range(count):
        text = message(source)
        selector = source.choice(list(ALGORITHMS))
        pair = PAIRS[number % len(PAIRS)]
        for name, signed, passes in (
            ("ours", ours(program, ["sign", selector, *pair], text),
             peer_passes),
            ("theirs", peer_signs(text, selector, pair),
             lambda t: ours(program, ["verify"], t) == b"pass \n"),
        ):
            compared += 2
            if not passes(signed):
                wrong.append((name, "good", selector, pair, signed))
            if passes(changed(signed, source)):
                wrong.append((name, "changed", selector, pair, signed))
    for case in wrong[:5]:
        print(*case, sep="\n  ")
    print(f"{compared} compared, {len(wrong)} not agreed")
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
