# SPDX-License-Identifier: BSD-2-Clause
"""signpostd counts how often a signature comes in, where it is told to."""
import os
import signal
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from dns_server import DnsServer  # noqa: E402
from milter_client import ALL_STEPS, NO_RCPT, NR_RCPT  # noqa: E402
from signpostd import Daemon, Key  # noqa: E402

RSA = Key("rsa")
HEADERS = [
    ("From", " Ann <ann@example.com>"),
    ("To", " bob@example.org"),
    ("Subject", " a subject"),
    ("Date", " Mon, 30 Nov 2026 10:00:00 +0000"),
    ("Message-ID", " <1@example.com>"),
]
BODY = b"Hello,\r\n"
RELOADED = 'signpost_reloads_total{result="ok"}'


def results(result):
    """The Authentication-Results that were added, on one line."""
    return " ".join(" ".join(result.field("Authentication-Results")).split())


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dns = DnsServer({"r1._domainkey.example.com": [RSA.record]})
        cls.addClassCleanup(cls.dns.close)

    def daemon(self, **replay):
        daemon = Daemon(keys={("example.com", "r1"): RSA},
                        dns_port=self.dns.port, replay=replay)
        self.addCleanup(daemon.close)
        return daemon.start()

    def sign(self, daemon, headers=HEADERS):
        with daemon.mta() as mta:
            mta.connect("localhost", "127.0.0.1")
            result = mta.message(headers, BODY)
            self.assertEqual(result.reply, "accept")
            return result.apply(headers)

    def verify(self, mta, headers, recipients=1, **message):
        mta.mail()
        for i in range(recipients):
            mta.recipient("<rcpt%d@example.org>" % i)
        mta.data()
        mta.whole_header(headers)
        mta.body(BODY)
        result = mta.end_message(**message)
        self.assertEqual(result.reply, "accept")
        return results(result)

    def connect(self, daemon, **negotiation):
        mta = daemon.mta(**negotiation)
        self.addCleanup(mta.close)
        mta.connect()
        return mta

    def reload(self, daemon, **settings):
        before = daemon.metrics()[RELOADED]
        daemon.configure(**settings)
        daemon.kill(signal.SIGHUP)
        daemon.wait_for(lambda: daemon.metrics()[RELOADED] > before,
                        "a reload")

    def test_recipients_are_asked_for_only_where_they_are_counted(self):
        rows = [
            ("off", {}, True),
            ("messages", {"threshold": 5}, False),
            ("recipients", {"recipients": 5}, False),
        ]
        for name, replay, unasked in rows:
            with self.subTest(name):
                mta = self.connect(self.daemon(**replay))
                self.assertEqual(bool(mta.steps & NO_RCPT), unasked)
                self.assertTrue(mta.steps & NR_RCPT)

    def test_off_counts_nothing(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        mta = self.connect(daemon)
        for _ in range(3):
            self.assertIn("dkim=pass", self.verify(mta, signed))
        metrics = daemon.metrics()
        self.assertEqual(metrics["signpost_replay_entries"], 0)
        self.assertNotIn("seen=", daemon.log())

    def test_from_the_threshold_on_the_same_signature_does_not_pass(self):
        daemon = self.daemon(threshold=3)
        signed = self.sign(daemon)
        other = self.sign(daemon, HEADERS[:2] + [("Subject", " other")])
        texts = [self.verify(self.connect(daemon), signed) for _ in range(4)]
        self.assertEqual([t.split("dkim=")[1].split()[0] for t in texts],
                         ["pass", "pass", "policy", "policy"])
        self.assertIn("too often", texts[2])
        self.assertIn("header.d=example.com", texts[2])
        self.assertIn("dkim=pass", self.verify(self.connect(daemon), other))
        metrics = daemon.metrics()
        self.assertEqual(metrics[
            'signpost_verify_reasons_total{reason="replayed"}'], 2)
        name = 'signpost_replay_signatures_total{times="%s"}'
        self.assertEqual(metrics[name % "1"], 2)
        self.assertEqual(metrics[name % "2-9"], 3)
        self.assertEqual(metrics["signpost_replay_entries"], 2)
        self.assertIn("=policy:replayed", daemon.log())
        self.assertIn("seen=4 seen_recipients=4", daemon.log())

    def test_what_the_signature_does_not_cover_makes_it_no_other(self):
        daemon = self.daemon(threshold=2)
        signed = self.sign(daemon)
        mta = self.connect(daemon)
        self.assertIn("dkim=pass", self.verify(mta, signed))
        changed = [("X-Added", " 1")] + [
            (n, v.replace("; ", ";  ")) if n == "DKIM-Signature" else (n, v)
            for n, v in signed]
        self.assertIn("dkim=policy", self.verify(mta, changed))

    def test_one_that_does_not_pass_is_not_counted(self):
        daemon = self.daemon(threshold=2)
        signed = self.sign(daemon)
        mta = self.connect(daemon)
        broken = [(n, v + "x") if n == "Subject" else (n, v)
                  for n, v in signed]
        for _ in range(3):
            self.assertIn("dkim=fail", self.verify(mta, broken))
        self.assertIn("dkim=pass", self.verify(mta, signed))

    def test_recipients_are_added_up_whether_or_not_an_mta_wants_replies(self):
        daemon = self.daemon(recipients=10)
        for steps in (ALL_STEPS, ALL_STEPS & ~NR_RCPT, ALL_STEPS & ~NO_RCPT):
            signed = self.sign(daemon, HEADERS + [("Cc", " %x@a.test" % steps)])
            mta = self.connect(daemon, steps=steps)
            for count, want in ((4, "pass"), (5, "pass"), (1, "policy")):
                with self.subTest(steps=hex(steps), count=count):
                    self.assertIn("dkim=" + want,
                                  self.verify(mta, signed, count))
        self.assertIn("seen=3 seen_recipients=10", daemon.log())
        metrics = daemon.metrics()
        self.assertEqual(metrics[
            'signpost_replay_recipients_total{times="1"}'], 12)
        self.assertEqual(metrics[
            'signpost_replay_recipients_total{times="2-9"}'], 18)

    def test_an_aborted_message_leaves_no_recipients_to_the_next(self):
        daemon = self.daemon(recipients=5)
        signed = self.sign(daemon)
        mta = self.connect(daemon)
        mta.mail()
        for _ in range(9):
            mta.recipient()
        mta.abort()
        self.assertIn("dkim=pass", self.verify(mta, signed))

    def test_counts_survive_reloads_and_the_setting_can_be_turned(self):
        daemon = self.daemon(threshold=3)
        signed = self.sign(daemon)
        old = self.connect(daemon)
        self.assertIn("dkim=pass", self.verify(old, signed, 2))
        self.reload(daemon, replay={"threshold": 3, "window": "2h"})
        self.assertIn("dkim=pass", self.verify(old, signed, 2))
        self.assertIn("dkim=policy", self.verify(old, signed, 2))
        self.reload(daemon, replay={"threshold": 0})
        self.assertIn("dkim=pass", self.verify(old, signed, 2))
        unasked = self.connect(daemon)
        self.assertTrue(unasked.steps & NO_RCPT)
        self.reload(daemon, replay={"threshold": 5})
        self.assertIn("dkim=pass", self.verify(unasked, signed, 2))
        # Known to have been 1 at least, though it was not told of.
        self.assertIn("seen=4 seen_recipients=7", daemon.log())


if __name__ == "__main__":
    unittest.main()
