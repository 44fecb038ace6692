# SPDX-License-Identifier: BSD-2-Clause
"""Signals while mail is on its way: nothing lost, nothing unsigned."""
import signal
import threading
import time

import corpus
import world
from case import Case
from lab import filters, mail
from lab.postfix import Postfix

SENDER = "alice@both.example.com"
CLIENTS = 8


class Load:
    """Clients that send until told to stop; counts what was accepted."""

    def __init__(self, port, way, test_world):
        self.port = port
        self.way = way
        self.world = test_world
        self.accepted = []
        self.refused = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._send)
                        for _ in range(CLIENTS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *exc):
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def _send(self):
        while not self.stopping.is_set():
            recipient = self.world.address(self.way)
            code, text = mail.send(self.port, SENDER, [recipient],
                                   corpus.message("plain", SENDER))
            if code == 250:
                self.accepted.append(recipient)
            else:
                self.refused.append((code, text))


class Signals(Case):
    @classmethod
    def setUpClass(cls):
        # A daemon of its own, since it is stopped and started again.
        cls.signer = filters.Signpostd(
            cls.world.lab, "signalled", cls.world.build,
            cls.world.signer_config())
        cls.postfix = Postfix(
            cls.world.lab, "signalled-sender", "mx.example.com",
            {"in": {"smtpd_milters": cls.signer.milter}},
            cls.world.sink.port)

    @classmethod
    def tearDownClass(cls):
        cls.postfix.stop()
        cls.signer.stop()

    def assert_all_arrived_signed(self, load):
        self.assertGreater(len(load.accepted), CLIENTS)
        for recipient in load.accepted:
            data = self.world.sink.take(recipient, timeout=60).data
            self.assertCountEqual(
                self.world.dkimpy.verify(data),
                [(s, "pass") for s in world.SELECTORS.values()])

    def test_sighup_under_load(self):
        with Load(self.postfix.ports["in"], "hup", self.world) as load:
            for _ in range(60):
                self.signer.process.signal(signal.SIGHUP)
                time.sleep(0.05)
        self.assertEqual(load.refused, [])
        self.assert_all_arrived_signed(load)
        self.assertTrue(self.signer.process.alive())

    def test_sigterm_under_load(self):
        with Load(self.postfix.ports["in"], "term", self.world) as load:
            for _ in range(3):
                time.sleep(1)
                self.signer.process.signal(signal.SIGTERM)
                self.assertEqual(self.signer.process.wait(40), 0)
                self.signer.start()
            time.sleep(1)
        for code, text in load.refused:
            self.assertEqual(code, 451, text)
        self.assert_all_arrived_signed(load)
