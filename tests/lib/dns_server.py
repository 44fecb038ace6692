# SPDX-License-Identifier: BSD-2-Clause
"""A name server for tests: TXT records from a dictionary, and misbehaviour.

    server = DnsServer({"s1._domainkey.example.com": ["v=DKIM1; p=..."]})
    server.port, server.asked

A value may also be SILENT or SERVFAIL; a name that is not there does not
exist. It is UDP on loopback.
"""
import collections
import socket
import struct
import threading

SILENT = "silent"
SERVFAIL = "servfail"
TXT = 16
SOA = 6


class DnsServer:
    def __init__(self, records, negative_ttl=None):
        """negative_ttl: seconds for which a denial may be kept, said by the
        SOA that it has then."""
        self.negative_ttl = negative_ttl
        self.records = {name.lower(): value for name, value in records.items()}
        self.asked = collections.Counter()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def close(self):
        # A datagram wakes the thread: closing alone does not.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", ("127.0.0.1", self.port))
        self.thread.join()
        self.socket.close()

    def _serve(self):
        while True:
            query, client = self.socket.recvfrom(4096)
            if not query:
                return
            answer = self._answer(query)
            if answer is not None:
                self.socket.sendto(answer, client)

    def _answer(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]])
            at += 1 + query[at]
        question = query[12:at + 5]
        (kind,) = struct.unpack("!H", query[at + 1:at + 3])
        name = b".".join(labels).decode("latin-1").lower()
        self.asked[name] += 1
        value = self.records.get(name)
        if value == SILENT:
            return None
        if value == SERVFAIL:
            return _reply(query, question, 2, [])
        if value is None:
            return _reply(query, question, 3, [], self.negative_ttl)
        return _reply(query, question, 0, value if kind == TXT else [])


def _reply(query, question, code, texts, soa_ttl=None):
    reply = query[:2] + struct.pack(
        "!HHHHH", 0x8180 | code, 1, len(texts), int(soa_ttl is not None),
        0) + question
    for text in texts:
        data = text.encode()
        rdata = b"".join(
            bytes([len(data[i:i + 255])]) + data[i:i + 255]
            for i in range(0, len(data), 255)) or b"\0"
        reply += b"\xc0\x0c" + struct.pack("!HHIH", TXT, 1, 300, len(rdata))
        reply += rdata
    if soa_ttl is not None:
        rdata = b"\0\0" + struct.pack("!IIIII", 1, 60, 60, 60, soa_ttl)
        reply += b"\0" + struct.pack("!HHIH", SOA, 1, soa_ttl, len(rdata))
        reply += rdata
    return reply
