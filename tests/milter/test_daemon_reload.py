# SPDX-License-Identifier: BSD-2-Clause
"""A reload takes all of the new configuration, or nothing, and no mail with
it; a stop waits for what is under way and for nothing else."""
import os
import re
import shutil
import signal
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from daemon_case import (  # noqa: E402
    BODY, Case, ED25519, HEADERS, INSIDE, RECORDS, RELOADED, results)
from dns_server import DnsServer, SILENT  # noqa: E402
from signpostd import Daemon, PATIENCE  # noqa: E402


class Reload(Case):
    def signature(self, daemon, **message):
        """(s, c) of the signature of a message of ours; None without one."""
        result = self.send(daemon, client=INSIDE, **message)
        return self.pair(result)

    @staticmethod
    def pair(result):
        fields = result.field("DKIM-Signature")
        assert result.reply == "accept" and len(fields) <= 1, fields
        return tuple(re.search(r"\b%s=([^;]+);" % tag, fields[0]).group(1)
                     for tag in "sc") if fields else None

    # field: E15, E16
    def test_under_load_each_message_has_one_set_and_none_is_lost(self):
        daemon = self.daemon(start=False, keys={})
        sets = []
        for selector, canon in (("a", "relaxed/relaxed"), ("b", "simple/simple")):
            path = daemon.write_key(selector + ".test", selector, ED25519)
            sets.append({
                "domains": ({"name": "example.com", "keys": (
                    {"selector": selector, "file": path},)},),
                "sign": {"canonicalization": canon}})
        want = {("a", "relaxed/relaxed"), ("b", "simple/simple")}
        daemon.configure(**sets[0])
        daemon.start()
        with daemon.under_mail(HEADERS, BODY) as sent:
            for i in range(20):
                daemon.configure(**sets[(i + 1) % 2])
                daemon.reload()
            last = self.signature(daemon)
        outcomes = [self.pair(result) for result in sent]
        self.assertEqual(set(outcomes), want)
        self.assertEqual(last, ("a", "relaxed/relaxed"))
        self.assertGreater(len(outcomes), 40)
        self.assertEqual(
            daemon.metrics()['signpost_messages_total{action="signed"}'],
            len(outcomes) + 1)

    # field: E15
    def test_of_a_set_that_is_wrong_in_one_thing_nothing_is_taken(self):
        daemon = self.daemon(keys={("example.com", "s"): ED25519},
                             log={"level": "notice"})
        old = ("s", "relaxed/relaxed")
        self.assertEqual(self.signature(daemon), old)
        new = {"sign": {"canonicalization": "simple/simple"},
               "log": {"level": "debug"}, "authserv_id": "new.test",
               "mode": "sign"}
        path = os.path.join(daemon.dir, "no.pem")
        for wrong in ({"domains": ({"name": "example.com", "keys": (
                          {"selector": "x", "file": path},)},)},
                      {"verify": {"on_fail": "odd"}},
                      {"key_directory": "/nonexistent/keys"},
                      {"nothing": 1}):
            with self.subTest(wrong=wrong):
                settings = dict(daemon.settings)
                daemon.configure(**new, **wrong)
                daemon.reload("can't be used")
                daemon.settings = settings
                self.assertEqual(self.signature(daemon), old)
                result = self.send(daemon)
                self.assertRegex(results(result), r"\Amx\.test; dkim=none")
                self.assertNotRegex(daemon.log(), r": (debug|info): ")
        daemon.configure(**new)
        daemon.reload()
        self.assertEqual(self.signature(daemon), ("s", "simple/simple"))
        self.assertEqual(results(self.send(daemon)), "")

    # field: E15
    def test_settings_of_every_group_are_reloaded(self):
        daemon = self.daemon(limits={"max_header_bytes": "4k"},
                             workers={"on_overload": "accept"})
        signed = self.sign(daemon)
        long = HEADERS + [("X-Long", " " + "x" * 5000)]

        def broken():
            return self.send(daemon, signed, b"x\r\n")

        other = DnsServer({})
        self.addCleanup(other.close)
        for settings, observe, before, after in (
                ({"authserv_id": "new.test"},
                 lambda: results(self.send(daemon)).split(";")[0],
                 "mx.test", "new.test"),
                ({"trusted_networks": ["192.0.2.0/24"]},
                 lambda: len(self.send(daemon).field("DKIM-Signature")), 0, 2),
                ({"trusted_networks": []},
                 lambda: len(self.send(daemon).field("DKIM-Signature")), 2, 0),
                ({"verify": {"on_fail": "reject"}},
                 lambda: broken().reply, "accept", "reject"),
                ({"verify": {"fail_reply": "559 no"}},
                 lambda: broken().text[:4], "550 ", "559 "),
                ({"verify": {"domains": ({"name": "example.com",
                                          "on_fail": "discard"},)}},
                 lambda: broken().reply, "reject", "discard"),
                ({"verify": {"dry_run": True}},
                 lambda: broken().reply, "discard", "accept"),
                ({"limits": {"max_header_bytes": "8k"}},
                 lambda: "dkim=none" in results(self.send(daemon, long)),
                 False, True),
                ({"dns": {"servers": ["127.0.0.1@%d" % other.port]}},
                 lambda: "permerror" in results(self.send(daemon, signed)),
                 False, True),
                ({"log": {"level": "err"}},
                 lambda: self.is_logged(daemon), True, False)):
            with self.subTest(settings=settings):
                self.assertEqual(observe(), before)
                daemon.configure(**settings)
                count = daemon.metrics()[RELOADED]
                daemon.kill(signal.SIGHUP)
                daemon.wait_for(
                    lambda: daemon.metrics()[RELOADED] > count, "the reload")
                self.assertEqual(observe(), after)

    def is_logged(self, daemon):
        """Whether there is a line about a message that comes now."""
        count = daemon.log().count(" total_us=")
        self.send(daemon)
        return daemon.log().count(" total_us=") > count

    def test_a_message_that_waits_keeps_its_name_server(self):
        silent = DnsServer({name: SILENT for name in RECORDS})
        self.addCleanup(silent.close)
        signer = self.daemon()
        signed = self.sign(signer)
        daemon = self.daemon(dns={
            "servers": ["127.0.0.1@%d" % silent.port], "timeout": "4s"},
            limits={"max_wait": "60s"})
        waiting = []
        thread = threading.Thread(
            target=lambda: waiting.append(self.send(daemon, signed)))
        thread.start()
        daemon.wait_for(lambda: sum(silent.asked.values()) > 0, "a question")
        daemon.configure(dns={"servers": ["127.0.0.1@%d" % self.dns.port]})
        daemon.reload()
        self.assertNotIn("temperror", results(self.send(daemon, signed)))
        thread.join()
        self.assertEqual(waiting[0].reply, "accept")
        self.assertIn("dkim=temperror", results(waiting[0]))

    # field: E18
    def test_a_domain_that_is_taken_away_has_its_mail_let_go(self):
        daemon = self.daemon(key_store={"ttl": "1s"})
        self.assertEqual(len(self.sign(daemon)), len(HEADERS) + 2)
        shutil.rmtree(os.path.join(daemon.dir, "keys", "example.com"))
        replies = set()

        def is_unsigned():
            result = self.send(daemon, client=INSIDE)
            replies.add(result.reply)
            return not result.field("DKIM-Signature")

        daemon.wait_for(is_unsigned, "the key to go", timeout=60)
        self.assertEqual(replies, {"accept"})
        self.assertIn("reason=no_key", daemon.log())


class Stop(Case):
    def test_with_nothing_in_flight_it_ends_at_once(self):
        for tcp in (False, True):
            for begin in (None, "connection", "aborted message"):
                with self.subTest(tcp=tcp, begin=begin):
                    daemon = Daemon(dns_port=self.dns.port, tcp=tcp)
                    self.addCleanup(daemon.close)
                    daemon.start()
                    mta = daemon.mta()
                    self.addCleanup(mta.close)
                    if begin is None:
                        mta.close()
                    else:
                        mta.connect("localhost", INSIDE)
                    if begin == "aborted message":
                        mta.envelope()
                        mta.abort()
                        aborted = 'signpost_messages_total{action="aborted"}'
                        daemon.wait_for(
                            lambda: daemon.metrics()[aborted] == 1,
                            "the end of the message")
                    start = time.monotonic()
                    self.assertEqual(daemon.stop(), 0)
                    # libmilter left to itself takes five.
                    self.assertLess(time.monotonic() - start, 2.5 * PATIENCE)

    def test_all_messages_in_flight_end_signed(self):
        daemon = self.daemon(keys={("example.com", "s"): ED25519})
        mtas = []
        for _ in range(20):
            mta = daemon.mta()
            self.addCleanup(mta.close)
            mta.connect("localhost", INSIDE)
            mta.envelope()
            mta.whole_header(HEADERS)
            mta.body(BODY)
            mtas.append(mta)
        hashed = "signpost_body_hash_bytes_total"
        daemon.wait_for(
            lambda: daemon.metrics()[hashed] == 20 * len(BODY), "the bodies")
        daemon.kill(signal.SIGTERM)
        daemon.wait_for(lambda: not os.path.exists(daemon.address), "the stop")
        for mta in mtas:
            result = mta.end_message()
            self.assertEqual(result.reply, "accept")
            self.assertEqual(len(result.field("DKIM-Signature")), 1)
        self.assertEqual(daemon.stop(), 0)
        self.assertNotIn("are cut", daemon.log())


if __name__ == "__main__":
    unittest.main()
