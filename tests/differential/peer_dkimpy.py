#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""dkimpy, as the driver of the differential tests asks it.

Understands "verify" of peer_signpost. Answered: "", and for each signature
"pass" or what went wrong, and nothing for s= and d=: it is asked for the
signatures one by one.
"""
import sys
import time

import dkim

from frame import read_frame, write_frame

OPTIONS = 8


def strings(rdata):
    while rdata:
        length = rdata[0]
        yield rdata[1:1 + length]
        rdata = rdata[1 + length:]


def lookup(table):
    def txt(name, timeout=5):
        name = name.decode("latin-1") if isinstance(name, bytes) else name
        found = table.get(name.rstrip(".").lower())
        if found is None or found[0][0] == b"none":
            return None
        if found[0][0] != b"found":
            raise dkim.DnsTimeoutError(found[0][0].decode())
        return b"".join(strings(found[0][1]))
    return txt


def verify(items):
    now = int(next(items))
    for _ in range(OPTIONS):
        next(items)
    table = {}
    for _ in range(int(next(items))):
        name, answer, rdata = next(items), next(items), next(items)
        table.setdefault(name.decode("latin-1").lower(), []).append(
            (answer, rdata))
    body = next(items)
    fields = [(name, next(items)) for name in items]
    message = b"".join(
        name + b":" + value + b"\r\n" for name, value in fields)
    message += b"\r\n" + body
    dkim.time.time = lambda: now
    yield b""
    count = sum(name.rstrip(b" \t").lower() == b"dkim-signature"
                for name, _ in fields)
    for i in range(count):
        try:
            passed = dkim.DKIM(message).verify(
                idx=i, dnsfunc=lookup(table))
            yield b"pass" if passed else b"no"
        except dkim.DKIMException as error:
            yield b"refused: " + str(error).encode()
        except Exception as error:  # whatever it dies of
            yield b"crash: " + repr(error).encode()
        yield b""
        yield b""


def main():
    while True:
        items = read_frame(sys.stdin.buffer)
        if items is None:
            return
        items = iter(items)
        next(items)
        write_frame(sys.stdout.buffer, verify(items))


if __name__ == "__main__":
    main()
