# SPDX-License-Identifier: BSD-2-Clause
"""signpostd as an MTA sees it: signing, verifying, policy."""
import os
import signal
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from daemon_case import (  # noqa: E402
    BODY, Case, HEADERS, INSIDE, OUTSIDE, RECORDS, RSA, results)
from dns_server import DnsServer, SERVFAIL, SILENT  # noqa: E402
from milter_client import (  # noqa: E402
    ALL_ACTIONS, ALL_STEPS, LEADING_SPACE, QUARANTINE)
from signpostd import Daemon, PATIENCE  # noqa: E402


class Signing(Case):
    # field: B29, B39
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

    # field: B2, B3, B4, B5, B12
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

    # field: E2
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

    # field: B30
    # field: E3
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

    # field: D8
    def test_unusable_key_is_as_configured(self):
        daemon = self.daemon(keys={("example.com", "r1"): RSA},
                             sign={"on_no_usable_key": "tempfail"})
        path = os.path.join(daemon.dir, "keys", "example.com", "r1.pem")
        with open(path, "w") as f:
            f.write("not a key\n")
        result = self.send(daemon, client=INSIDE)
        self.assertEqual(result.reply, "tempfail")
        self.assertRegex(result.text, r"\A451 4\.7\.5 ")

    def test_key_that_is_left_out_is_warned_of_once_and_counted(self):
        daemon = self.daemon()
        path = os.path.join(daemon.dir, "keys", "example.com", "r1.pem")
        with open(path, "w") as f:
            f.write("not a key\n")
        for _ in range(3):
            result = self.send(daemon, client=INSIDE)
            self.assertEqual(result.reply, "accept")
            self.assertEqual(len(result.field("DKIM-Signature")), 1)
        lines = [line for line in daemon.log().splitlines()
                 if "is signed without it" in line]
        self.assertEqual(len(lines), 1, daemon.log())
        self.assertIn("warning", lines[0])
        self.assertIn(path + ": not a private key", lines[0])
        self.assertEqual(
            daemon.metrics()["signpost_messages_key_left_out_total"], 3)

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

    # field: A3, B33
    def test_no_signature_and_one_that_cannot_be_parsed_are_reported(self):
        daemon = self.daemon()
        self.assertRegex(results(self.send(daemon)), r"\Amx\.test; dkim=none")
        bad = [("DKIM-Signature", " v=1; a=nonsense; b=")] + HEADERS
        self.assertIn("dkim=neutral", results(self.send(daemon, bad)))

    # field: A1, B32
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

    # field: C8, C9, D1, D2, D6
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
            # A signature without a key makes mail no worse than unsigned.
            verifier = self.verifier(dns, verify={"on_fail": "reject"})
            verifier.wait_for(
                lambda: "DNS servers: 127.0.0.1@%d;" % dns.port in
                verifier.log(), "the log to name the server")
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

    # field: D1
    def test_temporary_failure_is_as_configured(self):
        signed = self.sign(self.daemon())
        dns = DnsServer(dict.fromkeys(RECORDS, SERVFAIL))
        self.addCleanup(dns.close)
        verifier = self.verifier(dns, verify={"on_temperror": "tempfail"})
        result = self.send(verifier, signed)
        self.assertEqual(result.reply, "tempfail")
        self.assertRegex(result.text, r"\A451 4\.7\.5 ")

    # field: D7
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

    # field: B34
    def test_message_without_one_author_escapes_no_action(self):
        daemon = self.daemon()
        signed = self.sign(daemon)
        settings = ({"on_fail": "reject"}, {"require_aligned_pass": True})
        for setting in settings:
            daemon = self.daemon(verify=setting)
            for authors in ([], ["nobody at all"], [""], ["a@b@example.com"],
                            ["a@example.com", "b@example.com"]):
                with self.subTest(setting=setting, authors=authors):
                    headers = [("From", " " + a) for a in authors] + [
                        field for field in signed if field[0] != "From"]
                    result = self.send(daemon, headers)
                    self.assertEqual(result.reply, "reject")
                    self.assertRegex(result.text, r"\A550 5\.7\.2[02] ")

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


if __name__ == "__main__":
    unittest.main()
