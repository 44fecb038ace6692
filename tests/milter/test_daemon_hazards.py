#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What signpostd does with mail whose signature servers on the way break."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from milter_client import ALL_STEPS, LEADING_SPACE  # noqa: E402
from signpostd import Daemon, Key  # noqa: E402

RSA = Key("rsa")
ED25519 = Key("ed25519")
KEYS = {("example.com", "e1"): ED25519, ("example.com", "r1"): RSA}
HEADERS = [("From", " ann@example.com"), ("Subject", " s")]
BODY = b"Hello\r\n"
LONG = "x" * 999
FORM = 'signpost_sign_hazards_total{hazard="%s"}'
# Header fields beside HEADERS, body, parameters of MAIL, the setting's name.
HAZARDS = {
    "long_line": ([], b"x" * 999 + b"\r\n", ()),
    "long_header": ([("References", " " + LONG)], BODY, ()),
    "address_form": ([("To", " a@example.org,b@example.org")], BODY, ()),
    "bare_line_end": ([], b"a\rb\r\n", ()),
    "nul": ([], b"a\0b\r\n", ()),
    "8bit": ([], b"\xe4\r\n", ("BODY=8BITMIME",)),
    "undeclared_8bit": ([], b"\xe4\r\n", ()),
}


class Case(unittest.TestCase):
    def daemon(self, keys=KEYS, **settings):
        daemon = Daemon(keys=keys, **settings)
        self.addCleanup(daemon.close)
        return daemon.start()

    def send(self, daemon, headers=HEADERS, body=BODY, parameters=(),
             steps=None, connect=None, **more):
        with daemon.mta(**({"steps": steps} if steps else {})) as mta:
            mta.connect("localhost", "127.0.0.1", **(connect or {}))
            result = mta.message(headers, body, parameters=parameters, **more)
            mta.quit()
        return result

    def last(self, daemon):
        """The log's line for the last message, as pairs."""
        line = [line for line in daemon.log().splitlines()
                if "action=" in line][-1]
        return dict(pair.split("=", 1) for pair in line.split()
                    if "=" in pair)


class Hazards(Case):
    def test_each_is_done_with_as_set_counted_and_logged(self):
        for word, signed, reply, action in (
                ("ignore", 2, "accept", "signed"),
                ("sign", 2, "accept", "signed"),
                ("leave", 0, "accept", "passed"),
                ("tempfail", 0, "tempfail", "tempfailed")):
            daemon = self.daemon(sign={
                "on_" + name: word for name in HAZARDS})
            for name, (headers, body, parameters) in HAZARDS.items():
                with self.subTest(name=name, word=word):
                    before = daemon.metrics()[FORM % name]
                    result = self.send(daemon, HEADERS + headers, body,
                                       parameters)
                    self.assertEqual(result.reply, reply)
                    self.assertEqual(
                        len(result.field("DKIM-Signature")), signed)
                    line = self.last(daemon)
                    self.assertEqual(line["action"], action)
                    found = line.get("hazards", "").split(",")
                    self.assertEqual(name in found, word != "ignore")
                    self.assertEqual(daemon.metrics()[FORM % name] - before,
                                     word != "ignore")
                    if word in ("leave", "tempfail"):
                        self.assertEqual(line["reason"], found[0])
                    if word == "tempfail":
                        self.assertIn("451 4.6.0 DKIM: not signed",
                                      result.text)

    def test_by_default_all_is_signed_and_told(self):
        daemon = self.daemon()
        for name, (headers, body, parameters) in HAZARDS.items():
            result = self.send(daemon, HEADERS + headers, body, parameters)
            self.assertEqual(len(result.field("DKIM-Signature")), 2)
            self.assertEqual(self.last(daemon).get("hazards"),
                             None if name == "8bit" else name)

    def test_a_domain_may_have_it_its_way(self):
        keys = {**KEYS, ("example.org", "e1"): ED25519}
        daemon = self.daemon(keys=keys, domains=(
            {"name": "example.org", "on_long_line": "leave"},))
        _, body, _ = HAZARDS["long_line"]
        for domain, want in (("example.com", 2), ("example.org", 0)):
            result = self.send(daemon, [("From", " a@" + domain)], body)
            self.assertEqual(len(result.field("DKIM-Signature")), want)

    def test_a_field_that_is_not_signed_may_be_long(self):
        daemon = self.daemon()
        self.send(daemon, HEADERS + [("X-Long", " " + LONG)])
        self.assertNotIn("hazards", self.last(daemon))
        self.send(daemon, HEADERS + [("References", " a\r\n " + "x" * 980)])
        self.assertNotIn("hazards", self.last(daemon))

    def test_how_long_a_line_may_be_is_set(self):
        daemon = self.daemon(sign={"line_limit": 998})
        for size, want in ((998, None), (999, "long_line")):
            self.send(daemon, body=b"x" * size + b"\r\n")
            self.assertEqual(self.last(daemon).get("hazards"), want)

    def test_postfix_lets_addresses_be(self):
        daemon = self.daemon()
        headers = HEADERS + HAZARDS["address_form"][0]
        for version, want in (("Postfix 3.7.11", None), ("", "address_form"),
                              ("8.17.1.9", "address_form")):
            self.send(daemon, headers, connect={"v": version})
            self.assertEqual(self.last(daemon).get("hazards"), want)

    def test_8bit_text_is_declared_by_the_field_too(self):
        daemon = self.daemon()
        for value, want in ((" 8bit", None), (" 7bit", "undeclared_8bit")):
            self.send(daemon, HEADERS + [
                ("Content-Transfer-Encoding", value)], b"\xe4\r\n")
            self.assertEqual(self.last(daemon).get("hazards"), want)

    def test_the_worst_word_of_several_counts(self):
        daemon = self.daemon(sign={"on_nul": "leave",
                                   "on_bare_line_end": "tempfail"})
        result = self.send(daemon, body=b"\0\n")
        self.assertEqual(result.reply, "tempfail")
        line = self.last(daemon)
        self.assertEqual(line["reason"], "bare_line_end")
        self.assertEqual(line["hazards"], "bare_line_end,nul")

    def test_any_pieces_of_the_body_find_the_same(self):
        daemon = self.daemon()
        for chunk in (1, 7, 998, 999, 1000, 65535):
            for size, want in ((990, None), (991, "long_line")):
                self.send(daemon, body=b"x" * size + b"\r\n", chunk=chunk)
                self.assertEqual(self.last(daemon).get("hazards"), want)


class SignedAlready(Case):
    """field: B40, E14. A message that comes back from a content filter, or goes
    through a relay that refuses a second signature."""

    def signed(self, daemon):
        result = self.send(daemon)
        self.assertEqual(len(result.field("DKIM-Signature")), 2)
        return result.apply(HEADERS)

    def test_a_valid_signature_of_ours_is_left_alone(self):
        daemon = self.daemon()
        signed = self.signed(daemon)
        result = self.send(daemon, signed)
        self.assertEqual(result.reply, "accept")
        self.assertEqual(result.inserted, [])
        line = self.last(daemon)
        self.assertEqual((line["action"], line["reason"], line["hazards"]),
                         ("passed", "signed_already", "signed_already"))
        metrics = daemon.metrics()
        self.assertEqual(metrics[FORM % "signed_already"], 1)
        self.assertEqual(metrics["signpost_messages_not_signed_total"], 0)

    def test_one_that_a_filter_broke_is_no_reason_not_to_sign(self):
        daemon = self.daemon()
        signed = self.signed(daemon)
        for headers, body in (
                (signed, BODY + b"-- \r\nScanned\r\n"),
                ([(n, v.replace(" s", " t") if n == "Subject" else v)
                  for n, v in signed], BODY)):
            result = self.send(daemon, headers, body)
            self.assertEqual(len(result.field("DKIM-Signature")), 2)
            self.assertNotIn("hazards", self.last(daemon))

    def test_one_by_others_is_no_reason_not_to_sign(self):
        daemon = self.daemon()
        other = self.daemon(keys={("example.com", "e2"): Key("ed25519"),
                                  ("example.com", "e1"): Key("ed25519")})
        theirs = self.send(other).apply(HEADERS)
        result = self.send(daemon, theirs)
        self.assertEqual(len(result.field("DKIM-Signature")), 2)

    def test_it_may_be_signed_again_or_put_off(self):
        for word, reply, count, hazards in (
                ("sign", "accept", 2, "signed_already"),
                ("ignore", "accept", 2, None),
                ("tempfail", "tempfail", 0, "signed_already")):
            with self.subTest(word):
                daemon = self.daemon(sign={"on_signed_already": word})
                result = self.send(daemon, self.signed(daemon))
                self.assertEqual(result.reply, reply)
                self.assertEqual(len(result.field("DKIM-Signature")), count)
                self.assertEqual(self.last(daemon).get("hazards"), hazards)


class Oversigned(Case):
    """field: B14, B16. A field that somebody adds is what the reader sees."""
    NAMES = ["From", "To", "Cc", "Subject", "Date", "Reply-To", "Message-ID",
             "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
             "In-Reply-To", "References"]

    def test_no_second_field_and_no_first_can_be_added(self):
        daemon = self.daemon()
        for there in (self.NAMES, ["From", "Date", "Message-ID"]):
            headers = [(name, " ann@example.com") for name in there]
            signed = self.send(daemon, headers).apply(headers)
            self.assertEqual(self.send(daemon, signed).inserted, [])
            for name in self.NAMES[1:]:
                with self.subTest(name=name, there=len(there)):
                    # Broken: signed anew, instead of found signed already.
                    added = [(name.upper(), " x")] + signed
                    self.assertEqual(
                        len(self.send(daemon, added).inserted), 2)

    def test_what_relays_rewrite_may_change(self):
        daemon = self.daemon()
        headers = HEADERS + [(name, " x") for name in (
            "Received", "Return-Path", "Sender", "Authentication-Results")]
        signed = self.send(daemon, headers).apply(headers)
        changed = [("Received", " new")] + [
            (n, " y" if v == " x" else v) for n, v in signed]
        self.assertEqual(self.send(daemon, changed).inserted, [])


class Missing(Case):
    FIELDS = {"Date": r"\A [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} "
                      r"\d\d:\d\d:\d\d \+0000\Z",
              "Message-Id": r"\A <[0-9a-f]+\.[0-9a-f]{16}@example\.com>\Z"}

    def test_date_and_message_id_are_added_and_signed(self):
        daemon = self.daemon(sign={"add_missing": True})
        for steps in (ALL_STEPS, ALL_STEPS & ~LEADING_SPACE):
            result = self.send(daemon, steps=steps)
            self.assertEqual([name for name, _ in result.added],
                             list(self.FIELDS))
            signed = result.apply(HEADERS)
            for name, value in signed[-2:]:
                self.assertRegex(value, self.FIELDS[name])
            # What was added is signed: the message needs no signature more.
            self.assertEqual(self.send(daemon, signed).inserted, [])
            self.assertEqual(self.last(daemon)["hazards"], "signed_already")
            for name in self.FIELDS:
                changed = [(n, v + "x" if n == name else v)
                           for n, v in signed]
                self.assertEqual(len(self.send(daemon, changed).inserted), 2)

    def test_what_is_there_is_kept(self):
        daemon = self.daemon(sign={"add_missing": True})
        result = self.send(daemon, HEADERS + [("date", " x")])
        self.assertEqual([name for name, _ in result.added], ["Message-Id"])

    def test_nothing_is_added_unless_asked_for_or_unsigned(self):
        self.assertEqual(self.send(self.daemon()).added, [])
        daemon = self.daemon(sign={"add_missing": True, "on_nul": "leave"})
        self.assertEqual(self.send(daemon, body=b"\0").added, [])
        self.assertEqual(self.send(
            daemon, [("From", " a@other.example")]).added, [])

    def test_no_two_messages_get_the_same_id(self):
        daemon = self.daemon(sign={"add_missing": True})
        ids = {self.send(daemon).added[1][1] for _ in range(5)}
        self.assertEqual(len(ids), 5)


if __name__ == "__main__":
    unittest.main()
