# SPDX-License-Identifier: BSD-2-Clause
"""Odd messages, and odd white space.

A message is a list of fields, each (what stands before the colon, what stands
behind it, without the line end), and a body. Every function takes its choices
from the random source that it is given, and says in MARKS what is odd.
"""
FOLDS = (b" ", b"\t", b"  ", b"\r\n ", b"\r\n\t", b" \r\n ", b"\r\n \t ",
         b"\t \r\n\t")
GAPS = (b"", b"", b"", b" ") + FOLDS

FROM = (b"Joe Doe <joe@example.com>", b"joe@example.com",
        b'"Doe, Joe" <joe@example.com>', b"joe@sub.example.com (Joe)",
        b"=?utf-8?q?J=C3=B6?= <joe@example.com>")
VALUES = {
    b"To": (b"ann@example.org", b"Ann <ann@example.org>, bob@example.org"),
    b"Cc": (b"list@example.org", b"a@example.org,b@example.org"),
    b"Subject": (b"hello", b"Is it  really so?", b"", b"a;b=c; d",
                 b"=?utf-8?q?=C3=A4?="),
    b"Date": (b"Fri, 11 Jul 2003 21:00:37 -0700 (PDT)",),
    b"Message-ID": (b"<20030712040037.46341.5F8J@football.example.com>",),
    b"MIME-Version": (b"1.0",),
    b"Content-Type": (b'text/plain; charset="utf-8"',
                      b"multipart/mixed; boundary=b"),
    b"Reply-To": (b"joe@example.com",),
    b"References": (b"<a@example.com> <b@example.com> <c@example.com>",),
    b"Received": (b"from a by b; Fri, 11 Jul 2003 21:00:37 -0700",
                  b"from [192.0.2.1] by mx.example.org with SMTP"),
    b"List-Unsubscribe": (b"<mailto:leave@example.org>, <https://x.test/>",),
    b"X-MS-Has-Attach": (b"",),
    b"X-Odd_Name.1!#$%&'*+-/=?^`{|}~": (b"x", b"y z"),
    b"Comments": (b"one", b"two"),
    b"B": (b"one letter",),
    b"Received-SPF": (b"pass",),
    b"DKIM-Signature-X": (b"v=1; a=b",),
}
LONG = (999, 4000, 70000, 1000000)

BODY_PIECES = (
    b"some words\r\n", b"a\r\n", b"a  b\t c\r\n", b" leading\r\n",
    b"trailing \r\n", b"trailing\t \t\r\n", b"\r\n", b"\r\n\r\n", b".\r\n",
    b"..\r\n", b".leading dot\r\n", b"From here\r\n", b"--b\r\n",
    b"caf\xc3\xa9\r\n", b"=3D=\r\n", b"\x0c\r\n", b" \r\n", b"\t\r\n",
    b"-- \r\n", b"a b=c; d=e\r\n")
# field: B9
BODY_ODD = {
    "lone-cr": (b"a\rb\r\n", b"\r\r\n", b"a\r\r\n", b" \r", b"\r"),
    "lone-lf": (b"a\nb\r\n", b"\n", b"a\n\n", b" \n \r\n", b"\n\r\n"),
    "nul-body": (b"a\0b\r\n", b"\0", b"\0\r\n"),
    "latin": (b"caf\xe9\r\n", b"\xff\xfe\r\n"),
}
BODY_ENDS = (b"", b"", b"\r\n", b"\r\n\r\n\r\n", b" ", b" \r\n", b"\t\r\n \r\n",
             b"\r\n \r\n", b"no line end", b"no line end ", b" \t")
BODY_WHOLE = (b"", b"\r\n", b"\r\n\r\n", b" ", b" \r\n", b"\t\r\n\r\n",
              b"a", b"a\r\n", b"\r\n a", b" \r\n \r\n", b".\r\n")


def chance(source, probability):
    return source.random() < probability


def gap(source, oddness=0.5):
    """Folding white space or nothing, where the grammar says [FWS]."""
    return source.choice(GAPS) if chance(source, oddness) else b""


def case(source, name):
    return source.choice((name, name, name.lower(), name.upper(),
                          name.swapcase()))


def value(source, text, marks):
    """What stands behind the colon."""
    if chance(source, 0.2):
        parts = text.split(b" ")
        text = parts[0] + b"".join(
            source.choice(FOLDS) + part for part in parts[1:])
    if chance(source, 0.02):
        text += source.choice((b" caf\xe9", b" caf\xc3\xa9", b"\xff"))
        marks.add("8-bit-header")
    if chance(source, 0.01):
        text = b"a\0b " + text
        marks.add("nul-header")
    if chance(source, 0.01):
        text += b" a\rb"
        marks.add("cr-header")
    if chance(source, 0.01):
        text += b"\r\n \r\n x"
        marks.add("blank-fold")
    if chance(source, 0.01):
        text += b" " + b"x" * (source.choice(LONG) if chance(source, 0.2)
                               else LONG[0])
        marks.add("long-header")
    head, tail = b" ", b""
    if chance(source, 0.2):
        head = source.choice((b"", b"\t", b"  ", b" \t", b"\r\n ", b"\r\n\t",
                              b" \r\n  "))
    if chance(source, 0.1):
        tail = source.choice((b" ", b"\t", b"  \t"))
    if chance(source, 0.01):
        tail = b"\r\n "
        marks.add("blank-tail")
    if not text and tail:
        marks.add("only-white-space")
    return head + text + tail


def name(source, text, marks):
    text = case(source, text) if chance(source, 0.2) else text
    if chance(source, 0.02):
        text += source.choice((b" ", b"\t", b"  "))
        marks.add("space-before-colon")
    return text


def header(source, marks):
    names = source.sample(sorted(VALUES), source.randrange(1, 9))
    names += [source.choice(names) for _ in range(source.choice((0, 0, 1, 3)))]
    fields = [(name(source, text, marks),
               value(source, source.choice(VALUES[text]), marks))
              for text in names]
    senders = 1
    if chance(source, 0.03):
        senders = source.choice((0, 2, 3))
        marks.add("no-from" if senders == 0 else "several-from")
    for _ in range(senders):
        fields.insert(source.randrange(len(fields) + 1),
                      (name(source, b"From", marks),
                       value(source, source.choice(FROM), marks)))
    return fields


def body(source, marks):
    if chance(source, 0.15):
        return source.choice(BODY_WHOLE)
    pieces = [source.choice(BODY_PIECES)
              for _ in range(source.choice((1, 2, 4, 8, 30)))]
    for mark, odd in BODY_ODD.items():
        if chance(source, 0.03):
            pieces.insert(source.randrange(len(pieces) + 1),
                          source.choice(odd))
            marks.add(mark)
    if chance(source, 0.01):
        pieces.insert(0, b"x" * source.choice(LONG) + b"\r\n")
        marks.add("long-line")
    return b"".join(pieces) + source.choice(BODY_ENDS)


# field: C3
def split_strings(source, text):
    """TEXT as the strings of a TXT record, cut somewhere."""
    strings = []
    most = source.choice((255, 255, 255, 100, 20))
    while text:
        length = most if chance(source, 0.7) else source.randrange(most + 1)
        strings.append(text[:length])
        text = text[length:]
    return strings or [b""]


def rdata(strings):
    return b"".join(bytes([len(string)]) + string for string in strings)
