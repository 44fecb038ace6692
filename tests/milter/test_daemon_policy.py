# SPDX-License-Identifier: BSD-2-Clause
"""What signpostd does with mail by what its signatures come to."""
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from daemon_case import (  # noqa: E402
    BODY, Case, HEADERS, INSIDE, RECORDS, results)
from dns_server import DnsServer, SERVFAIL  # noqa: E402
from milter_client import NO_RCPT  # noqa: E402

COUNTER = 'signpost_policy_actions_total{action="%s",applied="%s"}'


class Policy(Case):
    def setUp(self):
        self.signed = self.sign(self.daemon())

    def broken(self, daemon, **message):
        """A message whose signatures do not match."""
        return self.send(daemon, self.signed, BODY + b"x\r\n", **message)

    def line(self, daemon):
        """The pairs of the newest message's line in the log."""
        daemon.wait_for(lambda: " total_us=" in daemon.log(), "the log")
        line = [line for line in daemon.log().splitlines()
                if " total_us=" in line][-1]
        return dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))

    # field: E20
    def test_each_action_is_taken_counted_and_logged_with_its_rule(self):
        for action, reply, text in (
                ("accept", "accept", r"\Z"),
                ("reject", "reject",
                 r"550 5\.7\.20 DKIM signature does not verify: .+"),
                ("tempfail", "tempfail", r"451 4\.7\.5 DKIM signature .+"),
                ("quarantine", "accept", r"\Z"),
                ("discard", "discard", r"\Z")):
            with self.subTest(action=action):
                daemon = self.daemon(verify={"on_fail": action})
                result = self.broken(daemon)
                self.assertEqual(result.reply, reply)
                self.assertRegex(result.text, r"\A" + text)
                self.assertEqual(result.quarantined is not None,
                                 action == "quarantine")
                self.assertEqual(daemon.metrics().get(
                    COUNTER % (action, "yes")), 1)
                if action != "accept":
                    self.assertEqual(self.line(daemon)["rule"],
                                     "verify.on_fail")

    def test_reply_is_as_configured(self):
        for settings, headers, want in (
                ({"on_fail": "reject", "fail_reply":
                  "554 5.7.99 {domain} is not {domain}: {reason}."}, "broken",
                 r"554 5\.7\.99 example\.com is not example\.com: .+\."),
                ({"on_fail": "tempfail", "fail_reply": "421 come again"},
                 "broken", r"421 4\.7\.5 come again"),
                ({"require_aligned_pass": True, "unaligned_reply":
                  "553 5.1.8 {domain} must sign: {reason}"}, "unsigned",
                 r"553 5\.1\.8 example\.com must sign: the message is not "
                 r"signed"),
                ({"require_aligned_pass": True, "on_unaligned": "tempfail"},
                 "unsigned", r"451 4\.7\.5 No DKIM signature of the From "
                 r"domain passes: the message is not signed")):
            with self.subTest(settings=settings):
                daemon = self.daemon(verify=settings)
                result = (self.broken(daemon) if headers == "broken" else
                          self.send(daemon))
                self.assertRegex(result.text, r"\A%s\Z" % want)

    def test_what_a_message_holds_gets_into_no_reply(self):
        daemon = self.daemon(verify={
            "require_aligned_pass": True,
            "unaligned_reply": "550 {domain} {reason}"})
        for author in ("a@x.test\\r\\n250 ok", "a@{reason}", "a@%s%n.test",
                       "a@x\u00fc\u2028.test", "a@" + "x" * 300):
            with self.subTest(author=author):
                result = self.send(daemon, [("From", " " + author)])
                self.assertEqual(result.reply, "reject")
                self.assertRegex(
                    result.text,
                    r"\A550 5\.7\.22 (unknown|[a-z0-9.-]+) [a-z ]+\Z")

    # field: F12
    def test_one_line_refuses_what_the_author_did_not_sign(self):
        daemon = self.daemon(verify={"require_aligned_pass": True})
        self.assertEqual(self.send(daemon, self.signed).reply, "accept")
        for headers, why in (
                (HEADERS, "the message is not signed"),
                ([(n, " a@example.net" if n == "From" else v)
                  for n, v in self.signed], "signature did not verify")):
            result = self.send(daemon, headers)
            self.assertEqual(result.reply, "reject")
            self.assertRegex(result.text, r"\A550 5\.7\.22 .*: .*(%s)" % why)
        self.assertEqual(self.line(daemon)["rule"],
                         "verify.require_aligned_pass")

    # field: F12
    def test_a_domain_above_is_aligned_unless_alignment_is_strict(self):
        headers = [("From", " a@sub.example.com"), ("Subject", " s")]
        signer = self.daemon(domains=(
            {"name": ".example.com", "domain": "example.com"},))
        signed = self.sign(signer, headers)
        for strict, reply in ((False, "accept"), (True, "reject")):
            daemon = self.daemon(verify={"require_aligned_pass": True,
                                         "strict_alignment": strict})
            self.assertEqual(self.send(daemon, signed).reply, reply)
            self.assertEqual(self.send(daemon, self.signed).reply, "accept")

    def test_a_domain_may_be_held_to_more_and_to_less(self):
        daemon = self.daemon(verify={
            "on_fail": "tempfail",
            "domains": ({"name": "bank.test", "require_aligned_pass": True},
                        {"name": "example.com", "on_fail": "reject"},
                        {"name": "lax.test", "on_fail": "accept"})})
        self.assertEqual(self.broken(daemon).reply, "reject")
        self.assertEqual(self.line(daemon)["entry"], "example.com")

        def send(*authors):
            headers = [("From", " " + author) for author in authors]
            return self.send(daemon, headers + [
                field for field in self.signed if field[0] != "From"]).reply

        self.assertEqual(send("a@other.test"), "tempfail")
        self.assertEqual(send("a@lax.test"), "accept")
        self.assertEqual(send("a@bank.test"), "reject")
        # However the domain that is to sign is hidden.
        self.assertEqual(send("a@lax.test, b@bank.test"), "reject")
        self.assertEqual(send("a@lax.test", "b@bank.test"), "reject")
        self.assertEqual(send("nobody"), "reject")
        self.assertEqual(self.line(daemon)["entry"], "bank.test")

    def test_a_header_that_is_too_large_is_no_way_around(self):
        large = [("X-Large", " " + "x" * 1000)] * 5
        for settings, reply in (
                ({}, "accept"),
                ({"require_aligned_pass": True}, "reject"),
                ({"require_aligned_pass": True, "dry_run": True}, "accept"),
                ({"require_aligned_pass": True,
                  "exempt_senders": ["sender@example.com"]}, "accept"),
                ({"domains": ({"name": "bank.test",
                               "require_aligned_pass": True},)}, "reject")):
            daemon = self.daemon(limits={"max_header_bytes": "4k"},
                                 verify=settings)
            headers = [("From", " a@other.test")] + large
            with self.subTest(settings=settings):
                result = self.send(daemon, headers)
                self.assertEqual(result.reply, reply)
                self.assertEqual(self.line(daemon)["reason"], "header_limit")
                if reply == "reject":
                    self.assertRegex(result.text, r"\A550 5\.7\.22 .*: the "
                                     r"header is too large")
                # Our own is not held to it.
                self.assertEqual(self.send(
                    daemon, headers, client=INSIDE).reply, "tempfail")

    def test_min_rsa_bits_may_differ_for_a_domain(self):
        daemon = self.daemon(verify={
            "domains": ({"name": "example.com", "min_rsa_bits": 4096},)})
        text = results(self.send(daemon, self.signed))
        self.assertIn("dkim=policy", text)  # RSA
        self.assertIn("dkim=pass", text)    # Ed25519

    def test_who_is_exempt_is_verified_and_accepted(self):
        daemon = self.daemon(verify={
            "on_fail": "reject", "exempt_clients": ["192.0.2.77"],
            "exempt_senders": ["list@example.net"],
            "exempt_recipients": ["postmaster@example.com"]})
        lists = (("client", {"client": "192.0.2.77"}),
                 ("sender", {"sender": "<List@example.net>"}),
                 ("recipients", {"recipients": ["<postmaster@example.com>"]}))
        for name, message in lists:
            with self.subTest(name=name):
                result = self.broken(daemon, **message)
                self.assertEqual(result.reply, "accept")
                self.assertIn("dkim=fail", results(result))
                self.assertNotIn("dry run", results(result))
                line = self.line(daemon)
                self.assertEqual(
                    (line["action"], line["would"], line["spared"],
                     line["rule"]),
                    ("verified", "reject", "exempt_" + name,
                     "verify.on_fail"))
        self.assertEqual(daemon.metrics()[COUNTER % ("reject", "exempt")], 3)
        self.assertEqual(self.broken(daemon).reply, "reject")

    def test_one_recipient_who_is_not_exempt_has_all_refused(self):
        daemon = self.daemon(verify={
            "on_fail": "reject",
            "exempt_recipients": ["postmaster@example.com", "abuse.test"]})
        self.assertEqual(self.broken(daemon, recipients=[
            "<postmaster@example.com>", "<x@abuse.test>"]).reply, "accept")
        self.assertEqual(self.broken(daemon, recipients=[
            "<postmaster@example.com>", "<bob@example.com>"]).reply, "reject")
        # More than are kept in mind.
        self.assertEqual(self.broken(daemon, recipients=[
            "<%0200d@abuse.test>" % i for i in range(1500)]).reply, "reject")

    def test_recipients_are_asked_for_only_where_they_matter(self):
        for settings, asked in (
                ({}, False), ({"exempt_senders": ["a@example.com"]}, False),
                ({"exempt_recipients": ["a@example.com"]}, True),
                ({"domains": ({"name": "a.test", "exempt_recipients":
                               ["a@example.com"]},)}, True)):
            daemon = self.daemon(verify=settings)
            with daemon.mta() as mta:
                self.assertEqual(mta.steps & NO_RCPT == 0, asked)

    def test_who_is_exempt_from_signing_leaves_unsigned(self):
        daemon = self.daemon(sign={
            "exempt_clients": ["127.0.0.9"],
            "exempt_recipients": ["relay.test"]})
        for message, reason in (
                ({"client": "127.0.0.9"}, "exempt_client"),
                ({"client": INSIDE, "recipients": ["<x@relay.test>"]},
                 "exempt_recipients"),
                ({"client": INSIDE, "recipients":
                  ["<x@relay.test>", "<x@example.org>"]}, "sign")):
            result = self.send(daemon, **message)
            self.assertEqual(result.reply, "accept")
            self.assertEqual(bool(result.field("DKIM-Signature")),
                             reason == "sign")
            self.assertEqual(self.line(daemon)["reason"], reason)
        self.assertEqual(
            daemon.metrics()["signpost_messages_not_signed_total"], 0)

    def test_a_dry_run_accepts_and_says_what_would_be_done(self):
        for action in ("reject", "tempfail", "quarantine", "discard"):
            with self.subTest(action=action):
                daemon = self.daemon(
                    verify={"on_fail": action, "dry_run": True})
                result = self.broken(daemon)
                self.assertEqual(result.reply, "accept")
                self.assertIsNone(result.quarantined)
                self.assertRegex(results(result),
                                 r"dkim=fail.* \(dry run: %s\)\Z" % action)
                line = self.line(daemon)
                self.assertEqual((line["would"], line["spared"]),
                                 (action, "dry_run"))
                metrics = daemon.metrics()
                self.assertEqual(metrics[COUNTER % (action, "dry_run")], 1)
                self.assertEqual(metrics[COUNTER % (action, "yes")], 0)
                # What passes is as it always is.
                text = results(self.send(daemon, self.signed))
                self.assertNotIn("dry run", text)

    def test_a_dry_run_may_be_of_one_domain(self):
        daemon = self.daemon(verify={
            "require_aligned_pass": True,
            "domains": ({"name": "example.com", "dry_run": True},)})
        self.assertEqual(self.send(daemon).reply, "accept")
        self.assertEqual(self.send(
            daemon, [("From", " a@other.test")]).reply, "reject")
        self.assertEqual(self.send(daemon, [("From", " x")]).reply, "reject")

    def test_temporary_errors_have_a_reply_and_a_dry_run_too(self):
        settings = {"on_temperror": "tempfail", "temperror_reply":
                    "450 4.4.3 no key of {domain}: {reason}"}
        self.dns = DnsServer({name: SERVFAIL for name in RECORDS})
        self.addCleanup(self.dns.close)
        result = self.send(self.daemon(verify=settings), self.signed)
        self.assertRegex(
            result.text, r"\A450 4\.4\.3 no key of example\.com: \w+")
        result = self.send(self.daemon(
            verify={**settings, "dry_run": True}), self.signed)
        self.assertEqual(result.reply, "accept")
        self.assertRegex(results(result), r"\(dry run: tempfail\)\Z")


if __name__ == "__main__":
    unittest.main()
