# SPDX-License-Identifier: BSD-2-Clause
"""signpostd and the bytes of connections: however they come, and whose turn
it is."""
import json
import os
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from daemon_case import BODY, Case, HEADERS, INSIDE, OUTSIDE, RSA  # noqa: E402
from milter_client import Closed, Mta  # noqa: E402
import signpostd  # noqa: E402

SIGNPOST = os.path.join(signpostd.BUILD, "milter", "tool", "signpost")


class Collector(Mta):
    """Keeps packets back until they are let go."""

    def __init__(self, address):
        self.waiting = None
        super().__init__(address)

    def send(self, command, data=b""):
        packet = struct.pack("!I", len(data) + 1) + command + data
        if self.waiting is None:
            self.socket.sendall(packet)
        else:
            self.waiting += packet

    def begin(self):
        self.negotiate()
        self.connect("localhost", INSIDE)
        self.waiting = b""

    def keep_message(self, number, body=BODY):
        self.envelope()
        for name, value in HEADERS:
            self.header(name, value.replace("\r\n", "\n"))
        self.end_headers()
        for at in range(0, len(body), 65535):
            self.body(body[at:at + 65535])
        self.macros(b"E", i="Q%d" % number)
        self.send(b"E")

    def let_go(self, pieces=None):
        """All at once, or in pieces of that size."""
        data, self.waiting = self.waiting, b""
        for at in range(0, len(data), pieces or len(data)):
            self.socket.sendall(data[at:at + (pieces or len(data))])


class Bytes(Case):
    """Behaviour at the edges of what is read at once (16 kB)."""

    def check(self, result):
        self.assertEqual(result.reply, "accept")
        self.assertEqual(len(result.field("DKIM-Signature")), 2)

    def test_a_message_in_any_pieces(self):
        daemon = self.daemon()
        hashes = set()
        for size in (1, 5, 1000, 16383, 16384, 16385, None):
            with Collector(daemon.address) as mta:
                mta.begin()
                mta.keep_message(1, BODY * (1 if size == 1 else 2000))
                mta.let_go(size)
                result = mta.result()
                self.check(result)
            if size != 1:
                value = "".join(result.field("DKIM-Signature")[0].split())
                hashes.add(value.split("bh=")[1].split(";")[0])
        self.assertEqual(len(hashes), 1)

    def test_messages_that_come_before_the_reply_to_the_last(self):
        """No MTA does it; but nothing that has been read may be lost."""
        daemon = self.daemon()
        for body in (BODY, BODY * 1000):
            with Collector(daemon.address) as mta:
                mta.begin()
                for number in range(5):
                    mta.keep_message(number, body)
                mta.let_go()
                for _ in range(5):
                    self.check(mta.result())

    def test_nobody_elses_mail_is_signed_behind_the_end_of_a_client(self):
        """SMFIC_QUIT_NC: the end, and another client behind it, whose address
        libmilter passes over."""
        daemon = self.daemon()
        with Collector(daemon.address) as mta:
            mta.begin()
            mta.keep_message(1)
            mta.send(b"K")
            mta.connect("client.test", OUTSIDE)
            mta.keep_message(2)
            mta.let_go()
            self.check(mta.result())
            with self.assertRaises((Closed, ConnectionError)):
                mta.result()
        self.check(self.send(daemon, client=INSIDE))

    def test_what_stands_behind_the_end_is_nobody_elses(self):
        """Descriptors are used again: what one connection left unread must
        not come to the next, nor to a file."""
        daemon = self.daemon()
        for _ in range(20):
            with Collector(daemon.address) as mta:
                mta.begin()
                mta.keep_message(1)
                mta.send(b"Q")
                mta.waiting += b"\0\0\0\1Q" * 100
                mta.let_go()
                self.check(mta.result())
                with self.assertRaises((Closed, ConnectionError)):
                    mta.result()
            self.check(self.send(daemon, client=INSIDE))

    def test_one_that_hangs_up_in_a_message(self):
        daemon = self.daemon()
        for cut in (1, 7, 300):
            with Collector(daemon.address) as mta:
                mta.begin()
                mta.keep_message(1)
                mta.waiting = mta.waiting[:-cut]
                mta.let_go()
            self.check(self.send(daemon, client=INSIDE))


class Packets(Case):
    """What libmilter does not bear."""

    def still_signs(self, daemon):
        result = self.send(daemon, client=INSIDE)
        self.assertEqual(len(result.field("DKIM-Signature")), 2)

    def test_macros_whose_last_has_no_value_end_the_connection_alone(self):
        """They ended the process."""
        daemon = self.daemon()
        for stage in b"CHMRTNE":
            for names in (b"i\0", b"j\0mx.test\0v\0", b"\0\0\0",
                          b"a\0b\0" * 9000 + b"c\0"):
                for piece in (None, 7000):
                    with self.subTest(stage=chr(stage), names=names[:12]), \
                            Collector(daemon.address) as mta:
                        mta.begin()
                        mta.send(b"D", bytes([stage]) + names)
                        mta.keep_message(1)
                        try:
                            mta.let_go(piece)
                            with self.assertRaises(Closed):
                                mta.result()
                        except ConnectionError:
                            pass
        self.still_signs(daemon)
        self.assertIn("the MTA sent a list of macros whose last has no value: "
                      "connection closed", daemon.log())

    def test_macros_that_are_odd_but_whole_are_taken(self):
        daemon = self.daemon()
        for names in (b"", b"i", b"i\0Q\0rest", b"\0\0",
                      b"a\0b\0" * 9000):
            with self.subTest(names=names[:12]), \
                    Collector(daemon.address) as mta:
                mta.begin()
                mta.send(b"D", b"M" + names)
                mta.keep_message(1)
                mta.let_go()
                self.assertEqual(
                    len(mta.result().field("DKIM-Signature")), 2)

    def test_a_length_that_is_none_ends_the_connection(self):
        """libmilter takes it for a packet without data: all behind it is read
        as other packets than the MTA meant."""
        daemon = self.daemon()
        for length in (0, 1 << 31, 0xFFFFFFF0, 0xFFFFFFFF):
            with self.subTest(length=length), \
                    Collector(daemon.address) as mta:
                mta.begin()
                mta.waiting += struct.pack("!I", length) + b"D"
                mta.keep_message(1)
                mta.let_go()
                with self.assertRaises((Closed, ConnectionError)):
                    mta.result()
        self.still_signs(daemon)

    def test_a_piece_of_body_at_the_end_of_a_message(self):
        """The protocol allows it; the MTA got no reply ever."""
        daemon = self.daemon()
        for options in ({}, {"version": 2, "steps": 0x7F, "actions": 0x3F}):
            hashes = set()
            for last in (0, 1, len(BODY) - 1):
                with daemon.mta(**options) as mta:
                    mta.connect("localhost", INSIDE)
                    mta.envelope()
                    mta.whole_header(HEADERS)
                    mta.body(BODY[:len(BODY) - last])
                    mta.send(b"E", BODY[len(BODY) - last:])
                    result = mta.result()
                self.assertEqual(result.reply, "accept")
                value = "".join(result.field("DKIM-Signature")[0].split())
                hashes.add(value.split("bh=")[1].split(";")[0])
            self.assertEqual(len(hashes), 1)


class Turns(Case):
    def test_no_connection_waits_while_others_go_on_and_on(self):
        """With Debian's libmilter alone some of 64 got no reply for as long as
        the others went on."""
        daemon = self.daemon(keys={("example.com", "r1"): RSA})
        done = subprocess.run(
            [SIGNPOST, "bench", "milter", "--socket",
             "unix:" + daemon.address, "--connections", "64", "--messages",
             "2000" if signpostd.SANITIZED else "8000", "--client", INSIDE,
             "--expect", "b=", "--format", "json"],
            capture_output=True, check=True, timeout=300)
        tables = {table["name"]: table["rows"][0]
                  for table in json.loads(done.stdout)["tables"]}
        self.assertLess(tables["latency"]["max_ns"],
                        tables["milter"]["wall_ns"] / 2)


if __name__ == "__main__":
    unittest.main()
