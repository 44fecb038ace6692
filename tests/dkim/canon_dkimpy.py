#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares our canonical forms with those of dkimpy.

Usage: canon_dkimpy.py [PROGRAM]    (PROGRAM: print_canon, in . by default)

Inputs are all texts of up to six octets over {a, SP, TAB, CR, LF} and some
thousand longer random ones. Where dkimpy departs from RFC 6376, a rule below
says how: it gives the input that dkimpy has to be asked instead for the answer
that is right. A difference that no rule explains to the octet is a failure.
Exit status: 0 no such difference, 1 some, 77 dkimpy is not installed.
"""
import itertools
import random
import re
import subprocess
import sys
from collections import Counter

try:
    from dkim.canonicalization import Relaxed, Simple
except ImportError:
    print("SKIP: python3-dkim is not installed")
    sys.exit(77)

ALPHABET = (b"a", b" ", b"\t", b"\r", b"\n")
SHOWN = 10


def inputs():
    for length in range(7):
        for octets in itertools.product(ALPHABET, repeat=length):
            yield b"".join(octets)
    source = random.Random(6376)
    pieces = ALPHABET + (b"\r\n", b"\r\n ", b" \r\n", b"  ", b"some words")
    for _ in range(5000):
        length = source.randrange(7, 60)
        yield b"".join(source.choices(pieces, k=length))


def ours(program, texts):
    """(simple body, relaxed body, relaxed field) of each text."""
    lines = "".join(text.hex() + "\n" for text in texts)
    output = subprocess.run(
        [program], input=lines, stdout=subprocess.PIPE, check=True, text=True
    ).stdout.splitlines()
    if len(output) != len(texts):
        sys.exit(f"{len(texts)} texts, but {len(output)} answers")
    for line in output:
        yield tuple(bytes.fromhex(part) for part in line.split(" "))


def relaxed_field(value):
    name, value = Relaxed.canonicalize_headers([(b"X ", value)])[0]
    assert value.endswith(b"\r\n")
    return name + b":" + value[:-2]


# What dkimpy gets wrong. Each rule: its name, whether it is about this text,
# and the right form by way of dkimpy.

def body_ends_in_white_space(text):
    """RFC 6376 section 3.4.4 (a): white space at the end of the last line goes,
    too, where no CRLF ends that line; dkimpy makes a SP of it."""
    return text.endswith((b" ", b"\t"))


def without_white_space_at_the_end(text):
    return Relaxed.canonicalize_body(text.rstrip(b" \t"))


def value_has_other_line_octets(text):
    """RFC 6376 section 3.4.2: unfolding removes a CRLF with white space behind
    it and nothing else, and only white space goes at the ends of the value;
    dkimpy removes every CRLF, and CR and LF at the ends. No such octets are in
    a field of a message that keeps to RFC 5322."""
    return re.search(rb"[\r\n]", re.sub(rb"\r\n(?=[ \t])", b"", text))


def with_other_line_octets_masked(text):
    masked = re.sub(
        rb"\r\n[ \t]|\r|\n",
        lambda found: {b"\r": b"\1", b"\n": b"\2"}.get(found[0], found[0]),
        text)
    return relaxed_field(masked).replace(b"\1", b"\r").replace(b"\2", b"\n")


NO_RULES = ()
FORMS = (
    ("simple body", Simple.canonicalize_body, NO_RULES),
    ("relaxed body", Relaxed.canonicalize_body,
     ((body_ends_in_white_space, without_white_space_at_the_end),)),
    ("relaxed field", relaxed_field,
     ((value_has_other_line_octets, with_other_line_octets_masked),)),
)


def explain(text, got, rules):
    """The rule by which GOT is right all the same, or None."""
    for applies, right in rules:
        if applies(text) and right(text) == got:
            return applies
    return None


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "./print_canon"
    texts = list(inputs())
    equal, explained, unexplained = Counter(), Counter(), Counter()
    for text, results in zip(texts, ours(program, texts)):
        for (form, theirs, rules), got in zip(FORMS, results):
            want = theirs(text)
            if got == want:
                equal[form] += 1
                continue
            rule = explain(text, got, rules)
            if rule is not None:
                explained[form, rule.__name__] += 1
                continue
            unexplained[form] += 1
            if unexplained[form] <= SHOWN:
                print(f"{form} of {text!r}: {got!r}, dkimpy {want!r}")
    for form, _, rules in FORMS:
        print(f"{form}: {equal[form]} equal, {unexplained[form]} unexplained")
        for rule, _ in rules:
            count = explained[form, rule.__name__]
            print(f"  {count} differ by {rule.__name__}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
