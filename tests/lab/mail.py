# SPDX-License-Identifier: BSD-2-Clause
"""Sending messages byte for byte, and reading what arrived."""
import re
import smtplib


def send(port, sender, recipients, data, utf8=None, client=None):
    """Sends `data` (bytes with CRLF); answers the last code and its text.
    `client`: the address that it comes from, where the server allows XCLIENT.
    """
    options = ["BODY=8BITMIME"]
    if utf8 is None:
        utf8 = any(ord(c) > 127 for c in sender + "".join(recipients)) or \
            any(b > 127 for b in header_of(data))
    if utf8:
        options.append("SMTPUTF8")
    try:
        with smtplib.SMTP("127.0.0.1", port, local_hostname="client.test",
                          timeout=60) as smtp:
            # The envelope may hold UTF-8, which sendmail() below encodes.
            smtp.command_encoding = "utf-8"
            smtp.ehlo()
            if client is not None:
                code, text = smtp.docmd("XCLIENT", "ADDR=" + client)
                if code != 220:
                    return code, _text(text)
                smtp.ehlo()
            for reply in (smtp.mail(sender, options),
                          *(smtp.rcpt(r) for r in recipients)):
                if reply[0] != 250:
                    return reply[0], _text(reply[1])
            code, text = smtp.data(data)
            return code, _text(text)
    except smtplib.SMTPDataError as error:
        return error.smtp_code, _text(error.smtp_error)


def header_of(data):
    return re.split(rb"\r?\n\r?\n", data, maxsplit=1)[0] + b"\r\n"


def body_of(data):
    parts = re.split(rb"\r?\n\r?\n", data, maxsplit=1)
    return parts[1] if len(parts) > 1 else b""


def fields(data, name=None):
    """The header fields as (name, value) in bytes, raw, top first."""
    found = re.findall(rb"^([^:\r\n\t ]+)[ \t]*:((?:[^\n]*\n[ \t])*[^\n]*)\n",
                       header_of(data), re.MULTILINE)
    return [(n, v.rstrip(b"\r")) for n, v in found
            if name is None or n.lower() == name.lower().encode()]


def unfold(value):
    return re.sub(rb"\r?\n", b"", value).decode("utf-8", "replace").strip()


def results(data, authserv_id=None):
    """Authentication-Results fields as unfolded text, top first."""
    texts = [unfold(value)
             for _, value in fields(data, "Authentication-Results")]
    return [t for t in texts if authserv_id is None
            or re.split(r"[;\s]", t)[0] == authserv_id]


def dkim_results(data, authserv_id):
    """Of our field: a list of (result, {"header.d": ...}) for each dkim=."""
    found = []
    for text in results(data, authserv_id):
        for part in _split(text)[1:]:
            match = re.match(r"\s*dkim\s*=\s*([a-z]+)", part)
            if match:
                found.append((match[1], dict(re.findall(
                    r'([a-z]+\.[a-z]+)=("[^"]*"|[^\s;]+)', part))))
    return found


def _split(text):
    """Cut at semicolons that are neither in quotes nor in comments."""
    return [part for part in re.findall(
        r'(?:"(?:\\.|[^"\\])*"|\((?:\\.|[^()\\])*\)|[^;"(])+', text)]


def without_top(data, names):
    """The message without those of `names` that stand at its top."""
    wanted = tuple(n.lower().encode() for n in names)
    while True:
        match = re.match(rb"([^:\r\n\t ]+):(?:[^\n]*\n[ \t])*[^\n]*\n", data)
        if not match or match[1].lower() not in wanted:
            return data
        data = data[match.end():]


def _text(reply):
    return reply.decode("utf-8", "replace") if isinstance(reply, bytes) \
        else reply
