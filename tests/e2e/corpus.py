# SPDX-License-Identifier: BSD-2-Clause
"""Messages that go through real mail servers: rows of name and text.

`message(name, sender)` makes one, as bytes with CRLF, with a Message-ID and a
Date, since a mail server would add those after the milter has seen the header.
"""
import base64
import itertools
import random

HEAD = """\
From: Alice <{sender}>
To: Bob <bob@example.net>
Subject: {name}
Date: Mon, 30 Nov 2026 12:00:00 +0000
Message-ID: <{number}.{name}@lab.test>
"""
MIME = "MIME-Version: 1.0\nContent-Type: text/plain; charset=%s\n" \
    "Content-Transfer-Encoding: 8bit\n"


def _attachments():
    data = random.Random(1).randbytes(150000)
    return (
        'MIME-Version: 1.0\nContent-Type: multipart/mixed;\n'
        '\tboundary="=-part"\n\nThis is a message in parts.\n--=-part\n'
        'Content-Type: text/plain; charset=utf-8\n'
        'Content-Transfer-Encoding: quoted-printable\n\n'
        'Gr=C3=BC=C3=9Fe =\nand a soft line break\n--=-part\n'
        'Content-Type: application/octet-stream; name="data.bin"\n'
        'Content-Transfer-Encoding: base64\n\n'
        + base64.encodebytes(data).decode() + '--=-part--\n')


# After the header fields of HEAD: more of them, an empty line, the body.
ROWS = {
    "plain": "\nHello Bob,\n\nsee you on Monday.\n\nAlice\n",
    # field: B8
    "no_body": "\n",
    "empty_lines_only": "\n\n\n\n",
    "empty_lines_at_end": "\nHello\n\n\n\n",
    # field: B7
    "white_space_lines_at_end": "\nHello  \n \t\n  \n\n",
    "white_space_runs": "\na  b\t\tc \t d\n  leading\ntrailing \t \n\t\n",
    # field: B17
    "dots": "\n.\n..\n.dot\n...three\n.\n\n.\n",
    "long_lines": "\n" + "x" * 990 + "\n" + "y " * 495 + "\n",
    "eight_bit": MIME % "utf-8" + "\nGr\u00fc\u00dfe, \u4f60\u597d\n",
    # field: B35
    "latin1": MIME % "iso-8859-1" + "\nGr\udcfc\udcdfe\n",
    "folded":
        "Comments: one\n two\n\tthree\n     four\n"
        "Keywords:\n folded at once\n"
        "References: <1@lab.test>\n\t<2@lab.test>\n\t<3@lab.test>\n"
        "X-Signed: a\n  b\t\n c  \n\nHello\n",
    # field: B6, B15
    "many_fields":
        "Comments: first\nCOMMENTS: second\ncomments:third\n"
        "Reply-To: alice@example.net\nSender: carol@example.net\n"
        "In-Reply-To: <1@lab.test>\nX-Empty:\nX-Blank: \n\nHello\n",
    "many_recipients":
        "Cc: " + ",\n\t".join("user%d@example.net" % i for i in range(150))
        + "\n\nHello\n",
    "quoted_names":
        "Cc: \"A \\\"quoted\\\" name\" <x@example.net>, \"b,c\" "
        "<y@example.net> (a comment)\n\nHello\n",
    "attachments": _attachments(),
    "megabyte": "\n" + ("0123456789abcdef" * 4 + "\n") * 16000,
    "utf8_header":
        "X-Signed: Gr\u00fc\u00dfe\nComments: \u4f60\u597d\n"
        + MIME % "utf-8" + "\n\u4f60\u597d\n",
}

# What may stand between the colon and the text, and after it. Simple
# canonicalization changes none of it (RFC 6376 section 3.4.1).
# field: B1, B2, B3, B4, B6
SPACES = {
    "none": "x", "space": " x", "two_spaces": "  x", "tab": "\tx",
    "tab_space": "\t x", "space_tab": " \tx", "fold": "\n x",
    "fold_tab": "\n\tx", "space_fold": " \n x", "spaces_fold": "   \n   x",
    "empty": "", "blank": " ", "trailing": " x ", "trailing_tab": " x\t",
    "fold_inside": " x\n\ty", "fold_twice": " x\n  y\n z",
}
# The fields that carry these are signed, too.
SPACE_FIELDS = ["X-Space-%d" % i for i in range(len(SPACES))]
ROWS["leading_white_space"] = "".join(
    "%s:%s\n" % row for row in zip(SPACE_FIELDS, SPACES.values())
) + "\nHello\n"

_numbers = itertools.count(1)


def message(name, sender):
    text = HEAD.format(name=name, sender=sender, number=next(_numbers))
    return (text + ROWS[name]).replace("\n", "\r\n").encode(
        "utf-8", "surrogateescape")
