# SPDX-License-Identifier: BSD-2-Clause
"""The MTA's side of the milter protocol, for tests.

    mta = Mta(("127.0.0.1", 8891))          # or Mta("/path/of/socket")
    mta.negotiate()
    mta.connect("client.test", "192.0.2.1")
    result = mta.message("a@example.com", [("From", " a@example.com")], b"hi")
    result.reply, result.apply(headers)

Does what Sendmail and Postfix do with version 6, or with less where version,
actions or steps are given; no reply is read where none was agreed on.
"""
import socket
import struct

# Steps that the filter may do without, and replies that it need not give.
NO_CONNECT, NO_HELO, NO_MAIL, NO_RCPT = 0x1, 0x2, 0x4, 0x8
NO_BODY, NO_HEADERS, NO_END_HEADERS = 0x10, 0x20, 0x40
NR_HEADER, NO_UNKNOWN, NO_DATA, SKIP = 0x80, 0x100, 0x200, 0x400
NR_CONNECT, NR_HELO, NR_MAIL, NR_RCPT = 0x1000, 0x2000, 0x4000, 0x8000
NR_DATA, NR_UNKNOWN, NR_END_HEADERS, NR_BODY = 0x10000, 0x20000, 0x40000, 0x80000
LEADING_SPACE = 0x100000
ALL_STEPS = 0x1FFFFF
ALL_ACTIONS = 0x1FF
QUARANTINE = 0x20

BODY_CHUNK = 65535


class Closed(Exception):
    """The filter has closed the connection."""


class Result:
    """What the filter did with a message."""

    def __init__(self, leading_space):
        self.leading_space = leading_space
        self.reply = None       # "accept", "continue", "reject", ...
        self.text = ""          # of an SMTP reply of the filter's own
        self.inserted = []      # (index, name, value) in their order
        self.added = []         # (name, value) at the bottom
        self.changed = []       # (number, name, value); value "" removes
        self.quarantined = None

    def apply(self, headers):
        """The header as a receiver sees it: (name, rest of the field), rest
        being all behind the colon with CRLF inside folds."""
        fields = list(headers)
        for number, name, value in self.changed:
            at = [i for i, field in enumerate(fields)
                  if field[0].lower() == name.lower()][number - 1]
            if value == "":
                del fields[at]
            else:
                fields[at] = (fields[at][0], value)
        for index, name, value in self.inserted:
            if not self.leading_space:
                value = " " + value
            fields.insert(index, (name, value))
        fields += [(name, value if self.leading_space else " " + value)
                   for name, value in self.added]
        return [(name, value.replace("\r\n", "\n").replace("\n", "\r\n"))
                for name, value in fields]

    def field(self, name):
        """The inserted fields of a name, in the order they were inserted."""
        return [value for _, n, value in self.inserted
                if n.lower() == name.lower()]


REPLIES = {b"a": "accept", b"c": "continue", b"r": "reject", b"t": "tempfail",
           b"d": "discard", b"s": "skip"}


class Mta:
    def __init__(self, address, timeout=30):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        self.buffer = b""
        self.steps = 0
        self.actions = 0
        self.macro_lists = {}

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self.socket.close()

    # Packets

    def send(self, command, data=b""):
        self.socket.sendall(struct.pack("!I", len(data) + 1) + command + data)

    def _take(self, size):
        while len(self.buffer) < size:
            data = self.socket.recv(65536)
            if not data:
                raise Closed()
            self.buffer += data
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def receive(self):
        (size,) = struct.unpack("!I", self._take(4))
        packet = self._take(size)
        return packet[:1], packet[1:]

    def step(self, command, data=b"", silent=0):
        """Sends a step; its reply unless the filter gives none."""
        self.send(command, data)
        if silent and self.steps & silent:
            return None
        code, rest = self.receive()
        if code == b"y":
            text = rest.rstrip(b"\0").decode()
            return "tempfail" if text.startswith("4") else "reject"
        return REPLIES[code]

    # Steps

    def negotiate(self, version=6, actions=ALL_ACTIONS, steps=ALL_STEPS):
        self.send(b"O", struct.pack("!III", version, actions, steps))
        code, rest = self.receive()
        assert code == b"O", code
        self.version, self.actions, self.steps = struct.unpack(
            "!III", rest[:12])
        assert self.steps & ~steps == 0 and self.actions & ~actions == 0
        lists = rest[12:]
        while lists:
            (place,) = struct.unpack("!I", lists[:4])
            names, lists = lists[4:].split(b"\0", 1)
            self.macro_lists[place] = names.decode().split()
        return self

    def macros(self, command, **values):
        data = command
        for name, value in values.items():
            if len(name) > 1:
                name = "{%s}" % name
            data += name.encode() + b"\0" + value.encode() + b"\0"
        self.send(b"D", data)

    def connect(self, host="client.test", address="192.0.2.1", **macros):
        """address: an IPv4 or IPv6 one, "unix:/path" or None."""
        self.macros(b"C", **{"j": "mx.test", "daemon_name": "smtpd", **macros})
        if address is None:
            data = b"U"
        elif address.startswith("unix:"):
            data = b"L" + struct.pack("!H", 0) + address[5:].encode() + b"\0"
        else:
            family = b"6" if ":" in address else b"4"
            data = family + struct.pack("!H", 25) + address.encode() + b"\0"
        return self.step(b"C", host.encode() + b"\0" + data, NR_CONNECT)

    def helo(self, name="client.test"):
        if not self.steps & NO_HELO:
            return self.step(b"H", name.encode() + b"\0", NR_HELO)
        return None

    def mail(self, sender="<sender@example.com>", parameters=(), **macros):
        self.macros(b"M", **macros)
        return self.step(b"M", b"".join(
            text.encode("utf-8", "surrogateescape") + b"\0"
            for text in (sender, *parameters)), NR_MAIL)

    def recipient(self, address="<rcpt@example.org>"):
        if not self.steps & NO_RCPT:
            return self.step(b"R", address.encode() + b"\0", NR_RCPT)
        return None

    def data(self):
        if self.version >= 4 and not self.steps & NO_DATA:
            return self.step(b"T", b"", NR_DATA)
        return None

    def header(self, name, value):
        """value: all behind the colon, with its leading space; folds LF."""
        if not self.steps & LEADING_SPACE and value.startswith(" "):
            value = value[1:]
        data = name.encode("utf-8", "surrogateescape") + b"\0" + value.encode(
            "utf-8", "surrogateescape") + b"\0"
        return self.step(b"L", data, NR_HEADER)

    def end_headers(self):
        return self.step(b"N", b"", NR_END_HEADERS)

    def body(self, data):
        return self.step(b"B", data, NR_BODY)

    def end_message(self, **macros):
        self.macros(b"E", **{"i": "4F0000", **macros})
        self.send(b"E")
        return self.result()

    def result(self):
        result = Result(bool(self.steps & LEADING_SPACE))
        while result.reply is None:
            code, rest = self.receive()
            if code in REPLIES:
                result.reply = REPLIES[code]
            elif code == b"y":
                result.text = rest.rstrip(b"\0").decode()
                result.reply = ("tempfail" if result.text.startswith("4")
                                else "reject")
            elif code == b"i":
                (index,) = struct.unpack("!I", rest[:4])
                name, value = _strings(rest[4:])
                result.inserted.append((index, name, value))
            elif code == b"h":
                result.added.append(_strings(rest))
            elif code == b"m":
                (number,) = struct.unpack("!I", rest[:4])
                name, value = _strings(rest[4:])
                result.changed.append((number, name, value))
            elif code == b"q":
                result.quarantined = rest.rstrip(b"\0").decode()
            elif code != b"p":
                raise AssertionError("unexpected packet %r" % code)
        return result

    def abort(self):
        self.send(b"A")

    def quit(self):
        self.send(b"Q")

    # All steps of a message

    def envelope(self, sender="<sender@example.com>", parameters=(),
                 recipients=("<rcpt@example.org>",), **macros):
        self.mail(sender, parameters, **macros)
        for recipient in recipients:
            self.recipient(recipient)
        self.data()

    def whole_header(self, headers):
        """Fields as in a message, with CRLF where they are folded; and the
        end of the header."""
        for name, value in headers:
            self.header(name, value.replace("\r\n", "\n"))
        self.end_headers()

    def message(self, headers, body, chunk=BODY_CHUNK,
                sender="<sender@example.com>", parameters=(), id="4F0000",
                **macros):
        self.envelope(sender, parameters, **macros)
        self.whole_header(headers)
        for at in range(0, len(body), chunk):
            self.body(body[at:at + chunk])
        return self.end_message(i=id)


def _strings(data):
    first, rest = data.split(b"\0", 1)
    return (first.decode("utf-8", "surrogateescape"),
            rest.split(b"\0", 1)[0].decode("utf-8", "surrogateescape"))
