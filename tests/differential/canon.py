# SPDX-License-Identifier: BSD-2-Clause
"""Canonical forms by RFC 6376 section 3.4 taken literally, and the choice of
fields that h= makes (section 5.4.2). Apart from the library, and slower."""
import re

CRLF = b"\r\n"


def header_simple(name, value):
    return name + b":" + value


def header_relaxed(name, value):
    value = re.sub(rb"\r\n(?=[ \t])", b"", value)
    value = re.sub(rb"[ \t]+", b" ", value).strip(b" ")
    return name.rstrip(b" \t").lower() + b":" + value


def body_simple(body):
    return re.sub(rb"(?:\r\n)*\Z", b"", body, count=1) + CRLF


def body_relaxed(body):
    lines = [re.sub(rb"[ \t]+", b" ", line).rstrip(b" ")
             for line in body.split(CRLF)]
    while lines and not lines[-1]:
        lines.pop()
    return b"".join(line + CRLF for line in lines)


HEADER = {"simple": header_simple, "relaxed": header_relaxed}
BODY = {"simple": body_simple, "relaxed": body_relaxed}


def called(field, name):
    return field[0].rstrip(b" \t").lower() == name.lower()


def select(fields, names):
    """The fields that h= chooses: for each name the lowest one of that name
    that is not taken yet, if there is one."""
    taken = set()
    chosen = []
    for name in names:
        for i in reversed(range(len(fields))):
            if i not in taken and called(fields[i], name):
                taken.add(i)
                chosen.append(fields[i])
                break
    return chosen


def header_text(fields, names, canon, own, blanked):
    """What is hashed for b=: the fields chosen, and BLANKED, the signature's
    own field with its b= empty, without a line end.

    OWN is that field's place among FIELDS. It is chosen in its turn where h=
    names DKIM-Signature, but not hashed (section 3.5: "MUST NOT include"), so
    that what a relay puts on top of it makes no difference."""
    form = HEADER[canon]
    chosen = [field for field in select(fields, names) if field is not own]
    return b"".join(form(*field) + CRLF for field in chosen) + form(*blanked)
