# SPDX-License-Identifier: BSD-2-Clause
"""signpostd and its MTA's connections: streams, caps, odd MTAs."""
import os
import random
import signal
import socket
import struct
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from daemon_case import (  # noqa: E402
    BODY, Case, HEADERS, INSIDE, KEYS, OUTSIDE, RELOADED, results)
from milter_client import (  # noqa: E402
    ALL_STEPS, Closed, Mta, NO_DATA, NO_RCPT, NR_BODY, NR_HEADER)
from signpostd import Daemon, SANITIZED  # noqa: E402


class Streams(Case):
    # field: A24, B9
    def test_any_cutting_of_the_body_gives_the_same(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        for chunk in (1, 2, 3, 7):
            result = self.send(daemon, signed, chunk=chunk)
            self.assertEqual(results(result).count("dkim=pass"), 2)
        text = results(self.send(daemon, self.sign(daemon, body=b""), b""))
        self.assertEqual(text.count("dkim=pass"), 2)

    def test_several_messages_on_one_connection(self):
        daemon = self.daemon()
        with daemon.mta() as mta:
            mta.connect("localhost", INSIDE)
            for number in range(20):
                body = b"message %d\r\n" % number
                result = mta.message(HEADERS, body, id="M%d" % number)
                text = results(self.send(
                    daemon, result.apply(HEADERS), body))
                self.assertEqual(text.count("dkim=pass"), 2)
        self.assertEqual(daemon.log().count("id=M"), 20)

    def test_aborted_message_leaves_nothing_behind(self):
        daemon = self.daemon()
        with daemon.mta() as mta:
            mta.connect("localhost", INSIDE)
            for steps in range(4):
                mta.mail()
                if steps > 0:
                    mta.header("From", " x@example.com")
                if steps > 1:
                    mta.end_headers()
                if steps > 2:
                    mta.body(b"other\r\n")
                mta.abort()
            result = mta.message(HEADERS, BODY)
        text = results(self.send(daemon, result.apply(HEADERS)))
        self.assertEqual(text.count("dkim=pass"), 2)
        aborted = 'signpost_messages_total{action="aborted"}'
        self.assertEqual(daemon.metrics()[aborted], 4)

    # field: F5
    def test_memory_is_flat_over_a_body_of_10_mb(self):
        daemon = self.daemon()
        line = b"x" * 76 + b"\r\n"
        self.send(daemon, client=INSIDE)
        before = daemon.memory()
        body = line * (10 * 1024 * 1024 // len(line))
        with daemon.mta() as mta:
            mta.connect("localhost", INSIDE)
            result = mta.message(HEADERS, body)
        self.assertEqual(len(result.field("DKIM-Signature")), 2)
        if not SANITIZED:
            self.assertLess(daemon.memory() - before, 2 << 20)

    # field: A12, A14
    @unittest.skipIf(SANITIZED, "sanitizers keep what is freed")
    def test_nothing_is_lost_over_many_messages_connections_and_reloads(self):
        daemon = self.daemon(log={"level": "notice"})
        signed = self.sign(daemon)

        def messages(client, headers):
            with daemon.mta() as mta:
                mta.connect("client.test", client)
                for _ in range(500):
                    mta.message(headers, BODY)

        def connections():
            for _ in range(500):
                with daemon.mta() as mta:
                    mta.connect()
                    mta.envelope()
                    mta.header("From", " a@example.com")
                    mta.end_headers()

        def reloads():
            for _ in range(50):
                count = daemon.metrics()[RELOADED]
                daemon.kill(signal.SIGHUP)
                daemon.wait_for(
                    lambda: daemon.metrics()[RELOADED] > count, "reload")

        for name, work in (
                ("signed", lambda: messages(INSIDE, HEADERS)),
                ("verified", lambda: messages(OUTSIDE, signed)),
                ("connections", connections), ("reloads", reloads)):
            with self.subTest(name):
                work()
                before = daemon.memory("VmRSS")
                work()
                self.assertLess(daemon.memory("VmRSS") - before, 200000)

    def test_no_counter_falls_at_a_reload(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        self.send(daemon, signed)
        before = daemon.metrics()
        # All that is made from the configuration is made anew.
        daemon.configure(dns={"timeout": "7s"})
        daemon.kill(signal.SIGHUP)
        daemon.wait_for(lambda: daemon.metrics()[RELOADED] > 0, "reload")
        after = daemon.metrics()
        for cache in ("private", "public"):
            self.assertGreater(
                before['signpost_key_cache_misses_total{cache="%s"}' % cache],
                0)
        for name, value in before.items():
            if "_total" in name:
                self.assertGreaterEqual(after[name], value, name)

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_memory_of_a_connection_idle_and_with_a_message(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        count = 300

        def bring_body(mta):
            mta.envelope()
            mta.whole_header(signed)
            mta.body(b"x" * 5000)

        def grow(work, mtas):
            before = daemon.memory("VmRSS")
            for mta in mtas:
                work(mta)
            # What has no reply was taken when a later message is.
            self.send(daemon, signed)
            return (daemon.memory("VmRSS") - before) / len(mtas)

        def use(mta):
            mta.connect()
            mta.message(signed, BODY)

        mtas = [daemon.mta() for _ in range(count)]
        idle = grow(use, mtas)
        busy = grow(bring_body, mtas)
        for mta in mtas:
            mta.close()
        self.assertLess(idle, 16 * 1024)
        self.assertLess(idle + busy, 40 * 1024)

    def test_200_connections_at_once(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        mtas = [daemon.mta() for _ in range(200)]
        replies = []

        def run(mta):
            mta.connect()
            replies.append(results(mta.message(signed, BODY)))
            mta.close()

        threads = [threading.Thread(target=run, args=(m,)) for m in mtas]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(
            [text.count("dkim=pass") for text in replies], [2] * 200)

    # field: D4
    def test_connections_beyond_the_cap_are_put_off(self):
        daemon = self.daemon(limits={"max_connections": 3})
        mtas = [daemon.mta() for _ in range(3)]
        with daemon.mta() as extra:
            self.assertEqual(extra.connect(), "tempfail")
        for mta in mtas:
            mta.connect()
            self.assertEqual(mta.message(HEADERS, BODY).reply, "accept")
            mta.close()

        def there_is_room():
            with daemon.mta() as mta:
                return mta.connect() is None

        daemon.wait_for(there_is_room, "room")

    # field: D4
    def test_idle_connections_leave_descriptors_and_processor_alone(self):
        daemon = Daemon(KEYS, key_store={"ttl": "1s"},
                        limits={"max_connections": 20})
        self.addCleanup(daemon.close)
        daemon.start(under=("prlimit", "--nofile=64"))
        clients = []
        try:
            # A privileged daemon takes more than it was given.
            for _ in range(600):
                clients.append(socket.socket(socket.AF_UNIX))
                clients[-1].settimeout(10)
                clients[-1].connect(daemon.address)
            self.assertEqual(clients[-1].recv(1), b"")
            before = daemon.cpu_seconds()
            time.sleep(1)
            self.assertLess(daemon.cpu_seconds() - before, 0.3)
            daemon.kill(signal.SIGHUP)
            daemon.wait_for(lambda: daemon.metrics()[RELOADED] == 1, "reload")
        finally:
            for client in clients:
                client.close()

        def signs():
            try:
                with daemon.mta() as mta:
                    mta.connect(address="127.0.0.1")
                    result = mta.message(HEADERS, BODY)
            except (Closed, ConnectionError):
                return False
            return len(result.field("DKIM-Signature")) == 2

        daemon.wait_for(signs, "signatures")


class OddMtas(Case):
    def test_old_mta_without_flags_gets_a_reply_to_every_step(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        for version, steps in ((2, 0x7F), (6, NR_HEADER | NO_DATA),
                               (6, ALL_STEPS & ~NR_BODY & ~NO_RCPT)):
            with self.subTest(version=version, steps=hex(steps)):
                with daemon.mta(version=version, steps=steps,
                                actions=0x3F) as mta:
                    mta.connect()
                    result = mta.message(
                        [(n, v) for n, v in signed], BODY)
                self.assertEqual(result.reply, "accept")
                self.assertEqual(results(result).count("dkim="), 2)

    def test_mta_that_lets_nobody_change_the_header_is_refused(self):
        daemon = self.daemon()
        with self.assertRaises((Closed, ConnectionError)):
            daemon.mta(actions=0x2)

    def test_mta_that_goes_away_in_every_state(self):
        daemon = self.daemon()
        for steps in range(8):
            mta = Mta(daemon.address)
            actions = [
                lambda: mta.negotiate(), lambda: mta.connect(),
                lambda: mta.envelope(),
                lambda: mta.header("From", " a@example.com"),
                lambda: mta.end_headers(), lambda: mta.body(b"x\r\n"),
                lambda: mta.send(b"E")]
            for action in actions[:steps]:
                action()
            mta.close()
        open_now = "signpost_connections_open"
        daemon.wait_for(
            lambda: daemon.metrics().get(open_now, 0) == 0, "closing")
        self.assertEqual(self.send(daemon).reply, "accept")

    def test_garbage_on_the_socket_harms_nobody_else(self):
        daemon = self.daemon()
        seeds = random.Random(1)
        with daemon.mta() as honest:
            honest.connect("localhost", INSIDE)
            honest.envelope()
            for number in range(100):
                self.throw(daemon, seeds)
            for name, value in HEADERS:
                honest.header(name, value.replace("\r\n", "\n"))
            honest.end_headers()
            honest.body(BODY)
            result = honest.end_message()
        self.assertEqual(len(result.field("DKIM-Signature")), 2)

    def throw(self, daemon, seeds):
        """Octets of chance, or good packets in an order of chance."""
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(daemon.address)
            data = seeds.randbytes(seeds.randrange(200))
            if seeds.random() < 0.7:
                data = struct.pack(
                    "!I", 13) + b"O" + struct.pack("!III", 6, 0x1FF, ALL_STEPS)
                for _ in range(seeds.randrange(20)):
                    packet = bytes(seeds.choices(b"ABCDEHKLMNQRTU")) + \
                        seeds.choice([b"", b"\0", b"x\0y\0", b"Ci\0b\0",
                                      seeds.randbytes(8)])
                    data += struct.pack("!I", len(packet)) + packet
            try:
                s.sendall(data)
            except ConnectionError:
                pass


if __name__ == "__main__":
    unittest.main()
