# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of signpostd's mail share: keys, a message, a test case."""
import unittest

from dns_server import DnsServer
from signpostd import Daemon, Key

RSA = Key("rsa")
ED25519 = Key("ed25519")
KEYS = {("example.com", "r1"): RSA, ("example.com", "e1"): ED25519}
RECORDS = {
    "r1._domainkey.example.com": [RSA.record],
    "e1._domainkey.example.com": [ED25519.record],
}
HEADERS = [
    ("Received", " from a.test by b.test;\r\n\tMon, 30 Nov 2026 10:00:00 +0000"),
    ("From", " Ann <ann@example.com>"),
    ("To", " bob@example.org"),
    ("Subject", "  a  subject"),
    ("Date", " Mon, 30 Nov 2026 10:00:00 +0000"),
    ("Message-ID", "\r\n <1@example.com>"),
    ("X-Empty", ""),
]
BODY = b"Hello,\r\n\r\n.dot\r\ntext  with \tspaces \r\n\r\n\r\n"
RELOADED = 'signpost_reloads_total{result="ok"}'
OUTSIDE = "192.0.2.1"
INSIDE = "127.0.0.1"


class Case(unittest.TestCase):
    """One name server for all, one daemon for each test that asks."""

    @classmethod
    def setUpClass(cls):
        cls.dns = DnsServer(RECORDS)
        cls.addClassCleanup(cls.dns.close)

    def daemon(self, start=True, keys=KEYS, **settings):
        daemon = Daemon(keys=keys, dns_port=self.dns.port, **settings)
        self.addCleanup(daemon.close)
        return daemon.start() if start else daemon

    def send(self, daemon, headers=HEADERS, body=BODY, client=OUTSIDE,
             host="client.test", connect=None, **message):
        with daemon.mta() as mta:
            mta.connect(host, client, **(connect or {}))
            result = mta.message(headers, body, **message)
            mta.quit()
        return result

    def sign(self, daemon, headers=HEADERS, body=BODY, **negotiation):
        with daemon.mta(**negotiation) as mta:
            mta.connect("localhost", INSIDE)
            result = mta.message(headers, body)
        self.assertEqual(result.reply, "accept")
        self.assertEqual(len(result.field("DKIM-Signature")), 2)
        return result.apply(headers)


def results(result):
    """The Authentication-Results that were added, on one line."""
    return " ".join(" ".join(result.field("Authentication-Results")).split())
