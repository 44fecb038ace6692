# SPDX-License-Identifier: BSD-2-Clause
"""signpostd as an MTA sees it: signing, verifying, policy, odd MTAs."""
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

from dns_server import DnsServer, SERVFAIL, SILENT  # noqa: E402
from milter_client import (  # noqa: E402
    ALL_ACTIONS, ALL_STEPS, Closed, LEADING_SPACE, Mta, NO_DATA, NO_RCPT,
    NR_BODY, NR_HEADER, QUARANTINE)
from signpostd import Daemon, Key, PATIENCE, SANITIZED  # noqa: E402

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


class Signing(Case):
    def test_both_algorithms_or_none_at_the_top_and_verified(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        self.assertEqual([name for name, _ in signed[:3]],
                         ["DKIM-Signature", "DKIM-Signature", "Received"])
        for _, value in signed[:2]:
            self.assertRegex(value, r"\A [^ ]")
        text = results(self.send(daemon, signed))
        self.assertEqual(text.count("dkim=pass"), 2, text)
        self.assertIn("header.a=rsa-sha256", text)
        self.assertIn("header.a=ed25519-sha256", text)

    def test_field_reaches_receiver_with_one_space_whatever_was_negotiated(
            self):
        daemon = self.daemon(sign={"canonicalization": "simple/simple"})
        for steps in (ALL_STEPS, ALL_STEPS & ~LEADING_SPACE):
            # Without the flag a filter can't know other leading spaces.
            headers = [(n, " " + v.strip()) for n, v in HEADERS if v]
            signed = self.sign(daemon, headers, steps=steps)
            for _, value in signed[:2]:
                self.assertRegex(value, r"\A [^ ]")
            text = results(self.send(daemon, signed))
            self.assertEqual(text.count("dkim=pass"), 2, (hex(steps), text))
        self.assertEqual(daemon.log().count("which spaces begin"), 1)

    def test_whose_mail_is_signed(self):
        daemon = self.daemon(untrusted_daemons=["REINJECT"],
                             trusted_daemons=["SUBMIT"])
        rows = [
            ("network", dict(client=INSIDE), 2),
            ("IPv6 network", dict(client="::1"), 2),
            ("outside", dict(client=OUTSIDE), 0),
            ("authenticated", dict(auth_authen="ann"), 2),
            ("no client", dict(client=None, host="localhost"), 2),
            ("unix client", dict(client="unix:/run/x", host="localhost"), 2),
            ("client that hung up", dict(client=None, host="unknown"), 0),
            ("trusted listener", dict(connect={"daemon_name": "SUBMIT"}), 2),
            ("untrusted listener wins",
             dict(client=INSIDE, connect={"daemon_name": "REINJECT"}), 0),
            ("null sender", dict(client=INSIDE, sender="<>"), 2),
        ]
        for name, arguments, want in rows:
            with self.subTest(name):
                result = self.send(daemon, **arguments)
                self.assertEqual(result.reply, "accept")
                self.assertEqual(len(result.field("DKIM-Signature")), want)

    def test_instance_that_does_one_thing_leaves_the_other(self):
        forged = [("Authentication-Results", " mx.test; dkim=pass")]
        for mode, signed, verified in (("sign", 2, 0), ("verify", 0, 1)):
            with self.subTest(mode):
                daemon = self.daemon(mode=mode)
                ours = self.send(daemon, HEADERS + forged, client=INSIDE)
                self.assertEqual(len(ours.inserted), signed)
                self.assertEqual(ours.changed, [])
                other = self.send(daemon, HEADERS + forged)
                self.assertEqual(len(other.inserted), verified)
                self.assertEqual(len(other.changed), verified)

    def test_trusted_mail_may_be_verified_and_signed(self):
        daemon = self.daemon(verify={"trusted_too": True})
        result = self.send(daemon, client=INSIDE)
        self.assertEqual(
            [name for name, _ in result.apply(HEADERS)][:4],
            ["DKIM-Signature", "DKIM-Signature", "Authentication-Results",
             "Received"])
        text = results(self.send(
            self.daemon(), result.apply(HEADERS)))
        self.assertEqual(text.count("dkim=pass"), 2)

    def test_reason_why_a_message_is_not_signed(self):
        daemon = self.daemon()
        rows = [
            ([("From", " a@other.test")], "no_key"),
            ([("Subject", " x")], "from_fields"),
            ([("From", " a@example.com"), ("From", " b@example.com")],
             "from_fields"),
            ([("From", " nobody at all")], "from_syntax"),
        ]
        for number, (headers, reason) in enumerate(rows):
            with self.subTest(reason):
                id = "Q%d" % number
                result = self.send(daemon, headers, client=INSIDE, id=id)
                self.assertEqual(result.reply, "accept")
                self.assertEqual(result.inserted, [])
                self.assertRegex(daemon.log(), r"id=%s .*reason=%s\b" % (
                    id, reason))

    def test_unusable_key_is_as_configured(self):
        daemon = self.daemon(keys={("example.com", "r1"): RSA},
                             sign={"on_no_usable_key": "tempfail"})
        path = os.path.join(daemon.dir, "keys", "example.com", "r1.pem")
        with open(path, "w") as f:
            f.write("not a key\n")
        result = self.send(daemon, client=INSIDE)
        self.assertEqual(result.reply, "tempfail")
        self.assertRegex(result.text, r"\A451 4\.7\.5 ")

    def test_header_over_the_cap_does_not_leave_unsigned(self):
        daemon = self.daemon(limits={"max_header_bytes": "8k"})
        big = HEADERS + [("X-Big", " " + "x" * 9000)]
        result = self.send(daemon, big, client=INSIDE)
        self.assertEqual(result.reply, "tempfail")
        self.assertIn("header", result.text)
        # And one from outside passes, unverified and without what it forged.
        forged = big + [("Authentication-Results", " mx.test; dkim=pass")]
        result = self.send(daemon, forged, client=OUTSIDE)
        self.assertEqual(result.reply, "accept")
        self.assertEqual(result.inserted, [])
        self.assertEqual(
            result.changed, [(1, "Authentication-Results", "")])
        self.assertIn("reason=header_limit", daemon.log())


class Verifying(Case):
    def test_changed_byte_fails_and_is_refused_where_configured(self):
        for action, reply, text in (
                ("accept", "accept", ""),
                ("reject", "reject", r"\A550 5\.7\.20 .*body"),
                ("tempfail", "tempfail", r"\A451 4\.7\.5 "),
                ("discard", "discard", "")):
            with self.subTest(action):
                daemon = self.daemon(verify={"on_fail": action})
                signed = self.sign(daemon)
                result = self.send(daemon, signed, BODY + b"x\r\n")
                self.assertEqual(result.reply, reply)
                self.assertRegex(result.text, text or r"\A\Z")
                if action == "accept":
                    self.assertEqual(
                        results(result).count("dkim=fail"), 2)
                else:
                    self.assertEqual(result.inserted, [])

    def test_fields_that_changed_are_logged_where_they_were_copied(self):
        for copies, want in ((False, 0), (True, 1)):
            daemon = self.daemon(sign={"diagnostics": copies})
            signed = self.sign(daemon)
            self.assertEqual("z=" in signed[0][1], copies)
            changed = [(n, v + "x") if n == "Subject" else (n, v)
                       for n, v in signed]
            self.assertIn("dkim=pass", results(self.send(daemon, signed)))
            self.assertIn("dkim=fail", results(self.send(daemon, changed)))
            log = daemon.log()
            self.assertEqual(log.count("changed="), want, log)
            self.assertEqual(log.count("changed=Subject"), want, log)

    def test_quarantine_asks_the_mta_or_is_a_temporary_failure(self):
        daemon = self.daemon(verify={"on_fail": "quarantine"})
        signed = self.sign(daemon)
        result = self.send(daemon, signed, BODY + b"x\r\n")
        self.assertEqual((result.reply, result.quarantined),
                         ("accept", "body_hash"))
        with daemon.mta(actions=ALL_ACTIONS & ~QUARANTINE) as mta:
            mta.connect()
            result = mta.message(signed, BODY + b"x\r\n")
        self.assertEqual(result.reply, "tempfail")

    def test_no_signature_and_one_that_cannot_be_parsed_are_reported(self):
        daemon = self.daemon()
        self.assertRegex(results(self.send(daemon)), r"\Amx\.test; dkim=none")
        bad = [("DKIM-Signature", " v=1; a=nonsense; b=")] + HEADERS
        self.assertIn("dkim=neutral", results(self.send(daemon, bad)))

    def test_forged_results_are_removed_from_the_highest_index_down(self):
        daemon = self.daemon(remove_results_of=["old.test"])
        name = "Authentication-Results"
        headers = [
            (name, " mx.test; dkim=pass header.d=bank.test"),
            (name, " other.test; dkim=pass"),
            ("authentication-results", " MX.Test. 1; spf=pass"),
            (name, " (a comment) \"mx.test\"; none"),
            (name, " old.test; dkim=pass"),
        ] + HEADERS
        result = self.send(daemon, headers)
        self.assertEqual([number for number, _, _ in result.changed],
                         [5, 4, 3, 1])
        kept = [value for n, value in result.apply(headers)
                if n.lower() == name.lower()]
        self.assertEqual(len(kept), 2)
        self.assertIn("dkim=none", kept[0])
        self.assertEqual(kept[1], " other.test; dkim=pass")
        # From our own systems they are believed, not from our users.
        trusted = self.send(daemon, headers, client=INSIDE)
        self.assertEqual(trusted.changed, [])
        for user in ({"auth_authen": "ann"},
                     {"connect": {"daemon_name": "ORIGINATING"}}):
            result = self.send(daemon, headers, **user)
            self.assertEqual(len(result.field("DKIM-Signature")), 2)
            self.assertEqual([number for number, _, _ in result.changed],
                             [5, 4, 3, 1])

    def test_more_results_than_can_be_looked_at_are_refused(self):
        daemon = self.daemon()
        for value in (" mx.test; dkim=pass", " other.test; dkim=pass"):
            many = [("Authentication-Results", value)] * 1025
            self.assertEqual(
                self.send(daemon, HEADERS + many[1:]).reply, "accept")
            result = self.send(daemon, HEADERS + many)
            self.assertEqual(result.reply, "reject")
            self.assertRegex(result.text, r"\A550 5\.7\.1 ")

    def test_results_that_are_slow_to_tell_take_little_time_together(self):
        daemon = self.daemon()
        slow = "\u00e4" * 60 + "."
        many = [("Authentication-Results", " %s; x=y" % (slow * 4))] * 5000
        stage = 'signpost_mail_thread_cpu_seconds_total{stage="header"}'
        self.assertEqual(
            self.send(daemon, HEADERS + many).reply, "reject")
        self.assertLess(daemon.metrics()[stage], 1 * PATIENCE)

    def test_authserv_id_is_the_mtas_name_where_none_is_configured(self):
        daemon = self.daemon(start=False)
        del daemon.settings["authserv_id"]
        daemon.configure()
        daemon.start()
        headers = HEADERS + [
            ("Authentication-Results", " MTA.example.net; dkim=pass")]
        result = self.send(daemon, headers,
                           connect={"j": "mta.example.net"})
        self.assertTrue(results(result).startswith("mta.example.net;"))
        self.assertEqual(len(result.changed), 1)

    def test_what_the_name_server_says(self):
        rows = [
            ([RSA.record], "pass", ""),
            (None, "permerror", "no_key"),
            ([], "permerror", "no_key"),
            (["v=DKIM1; p="], "permerror", "key_revoked"),
            (SERVFAIL, "temperror", "dns_failed"),
            (SILENT, "temperror", "dns_timeout"),
        ]
        daemon = self.daemon(keys={("example.com", "r1"): RSA},
                             dns={"timeout": "1s"})
        with daemon.mta() as mta:
            mta.connect("localhost", INSIDE)
            signature = mta.message(HEADERS, BODY).field("DKIM-Signature")
        for record, result_word, reason in rows:
            dns = DnsServer({"r1._domainkey.example.com": record}
                            if record is not None else {})
            verifier = self.verifier(dns)
            with self.subTest(record):
                result = self.send(
                    verifier, [("DKIM-Signature", signature[0])] + HEADERS)
                self.assertEqual(result.reply, "accept")
                self.assertIn("dkim=" + result_word, results(result))
                if reason:
                    self.assertIn(":" + reason, verifier.log())
            dns.close()

    def verifier(self, dns, **settings):
        daemon = Daemon(dns_port=dns.port, **settings)
        daemon.configure(dns={"timeout": "1s"})
        self.addCleanup(daemon.close)
        return daemon.start()

    def test_temporary_failure_is_as_configured(self):
        signed = self.sign(self.daemon())
        dns = DnsServer(dict.fromkeys(RECORDS, SERVFAIL))
        self.addCleanup(dns.close)
        verifier = self.verifier(dns, verify={"on_temperror": "tempfail"})
        result = self.send(verifier, signed)
        self.assertEqual(result.reply, "tempfail")
        self.assertRegex(result.text, r"\A451 4\.7\.5 ")

    def test_silent_name_server_delays_no_longer_than_max_wait_and_no_other(
            self):
        signed = self.sign(self.daemon())
        dns = DnsServer({**RECORDS, "r1._domainkey.example.com": SILENT})
        self.addCleanup(dns.close)
        verifier = self.verifier(dns)
        verifier.configure(dns={"timeout": "30s"}, limits={"max_wait": "2s"})
        verifier.kill(signal.SIGHUP)
        verifier.wait_for(lambda: "read again" in verifier.log(), "reload")
        begin = time.monotonic()
        text = results(self.send(verifier, signed))
        self.assertLess(time.monotonic() - begin, 2.0 + PATIENCE)
        self.assertIn("dkim=pass", text)  # Ed25519's key was there
        self.assertIn("dkim=temperror", text)

    def test_aligned_pass_may_be_required(self):
        daemon = self.daemon(verify={"require_aligned_pass": True})
        self.assertEqual(self.send(daemon, self.sign(daemon)).reply, "accept")
        result = self.send(daemon)
        self.assertEqual(result.reply, "reject")
        self.assertRegex(result.text, r"\A550 5\.7\.22 ")
        # The same signatures, but the author is another.
        other = [(n, " a@example.net" if n == "From" else v)
                 for n, v in self.sign(daemon)]
        self.assertEqual(self.send(daemon, other).reply, "reject")


class Streams(Case):
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

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_memory_of_a_connection_idle_and_with_a_message(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        count = 300

        def bring_body(mta):
            mta.envelope()
            for name, value in signed:
                mta.header(name, value.replace("\r\n", "\n"))
            mta.end_headers()
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


class Overload(Case):
    def test_full_queue_puts_a_message_off(self):
        daemon = self.daemon(workers={"threads": 1, "queue": 1},
                             keys={("example.com", "r1"): RSA})
        mtas = [daemon.mta() for _ in range(60)]
        for mta in mtas:
            mta.connect("localhost", INSIDE)
            mta.envelope()
            for name, value in HEADERS:
                mta.header(name, value.replace("\r\n", "\n"))
            mta.end_headers()
            mta.body(BODY)
        for mta in mtas:
            mta.macros(b"E", i="Q1")
            mta.send(b"E")
        replies = [mta.result() for mta in mtas]
        for mta in mtas:
            mta.close()
        busy = [r for r in replies if r.reply == "tempfail"]
        for result in busy:
            self.assertRegex(result.text, r"\A451 4\.3\.2 ")
            self.assertEqual(result.inserted, [])
        for result in replies:
            if result.reply != "tempfail":
                self.assertEqual(len(result.field("DKIM-Signature")), 1)
        self.assertEqual(daemon.metrics()["signpost_overload_total"],
                         len(busy))
        self.assertGreater(len(busy), 0)


    def test_passed_deadline_puts_a_message_off(self):
        slow = Key("rsa", 4096)
        keys = {("example.com", "k%d" % i): slow for i in range(16)}
        daemon = self.daemon(
            keys=keys, workers={"threads": 1}, limits={"max_wait": "1s"},
            domains=({"name": "example.com", "all": True},))
        mtas = [daemon.mta() for _ in range(40)]
        for mta in mtas:
            mta.connect("localhost", INSIDE)
            mta.envelope()
            for name, value in HEADERS:
                mta.header(name, value.replace("\r\n", "\n"))
            mta.end_headers()
        begin = time.monotonic()
        for mta in mtas:
            mta.send(b"E")
            time.sleep(0.01)  # lets libmilter have a thread for each
        replies = [mta.result() for mta in mtas]
        self.assertLess(time.monotonic() - begin, 1.5 + PATIENCE)
        for mta in mtas:
            mta.close()
        late = [r for r in replies if r.reply == "tempfail"]
        for result in late:
            self.assertRegex(result.text, r"\A451 4\.3\.2 .*too long")
            self.assertEqual(result.inserted, [])
        for result in replies:
            if result.reply != "tempfail":
                self.assertEqual(len(result.field("DKIM-Signature")), 16)
        self.assertGreater(len(late), 0)
        self.assertLess(len(late), 40)


class Neighbours(Case):
    def test_burst_of_messages_that_wait_for_keys_holds_up_no_other(self):
        """All in one moment: libmilter starts no thread for such by itself."""
        signature = self.sign(self.daemon())[0]
        silent = ["s%d.example.com" % i for i in range(100)]
        dns = DnsServer({**RECORDS, **{
            "r1._domainkey." + name: SILENT for name in silent}})
        self.addCleanup(dns.close)
        verifier = Daemon(dns_port=dns.port)
        self.addCleanup(verifier.close)
        verifier.configure(dns={"timeout": "6s"})
        verifier.start()
        honest = [signature] + HEADERS
        self.send(verifier, honest)  # its key is cached

        def begin(headers):
            mta = verifier.mta()
            mta.connect()
            mta.envelope()
            for name, value in headers:
                mta.header(name, value.replace("\r\n", "\n"))
            mta.end_headers()
            mta.body(BODY)
            return mta

        slow = [begin([("DKIM-Signature", signature[1].replace(
            "d=example.com", "d=" + name))] + HEADERS) for name in silent]
        fast = [begin(honest) for _ in range(8)]
        start = time.monotonic()
        for mta in slow + fast:
            mta.send(b"E")
        for mta in fast:
            self.assertIn("dkim=pass", results(mta.result()))
        self.assertLess(time.monotonic() - start, PATIENCE)
        for mta in slow:
            self.assertIn("dkim=temperror", results(mta.result()))
        for mta in slow + fast:
            mta.close()


if __name__ == "__main__":
    unittest.main()
