# SPDX-License-Identifier: BSD-2-Clause
"""What Postfix and Sendmail change behind the signer: that it is told of, and
that it does not happen with the settings of signpostd(8), "WHAT BREAKS
SIGNATURES"."""
import re

import world
from case import Case
from lab import filters, mail
from lab.postfix import Postfix
from lab.sendmail import Sendmail
from lab.sink import EXTENSIONS, Sink

DEFAULTS, ADDS = "both.example.com", "peer.example.com"
CONFIG = """
mode = "sign";
key_directory = "{keys}";
domains = ( {{ name = "%s"; add_missing = true;
               canonicalization = "simple/simple"; }} );
""" % ADDS
# sendmail.mc: through the mailer esmtp, as it comes and as the manual has it.
ESMTP = """\
define(`SMART_HOST', `esmtp:[127.0.0.1]')dnl
define(`ESMTP_MAILER_ARGS', `TCP $h {port}')dnl
"""
TUNED_MC = """\
define(`SMTP_MAILER_LL', `0')dnl
define(`SMTP_MAILER_FLAGS', `8')dnl
"""
TUNED_CF = {"smtp_line_length_limit": "0",
            "disable_mime_output_conversion": "yes",
            "message_strip_characters": "\\0"}
HEAD = b"Date: Mon, 30 Nov 2026 12:00:00 +0000\r\nMessage-ID: <1@lab.test>\r\n"
MIME = b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n" \
    b"Content-Transfer-Encoding: 8bit\r\n"
UMLAUT = "ä\r\n".encode()
# Header fields, body, hazards in the log, and whether the signature survives:
# Postfix, Postfix tuned, Sendmail, Sendmail tuned.
ROWS = {
    "line_of_990": (b"", b"x" * 990 + b"\r\n", "", "1111"),
    # field: B18
    "line_of_991": (b"", b"x" * 991 + b"\r\n", "long_line", "1101"),
    "line_of_999": (b"", b"x" * 999 + b"\r\n", "long_line", "0101"),
    # field: B19
    "references_in_one_line": (
        b"References: " + b" ".join(b"<%d@lab.test>" % i for i in range(90))
        + b"\r\n", b"Hello\r\n", "long_header", "0101"),
    "references_folded": (
        b"References: " + b"\r\n ".join(b"<%d@lab.test>" % i
                                       for i in range(90)) + b"\r\n",
        b"Hello\r\n", "", "1111"),
    # field: B20
    "declared_8bit": (MIME, UMLAUT, "", "0101"),
    "nul": (b"", b"a\0b\r\n", "nul", "1111"),
    # field: B22
    "quotes_in_quotes": (
        b"Cc: \"'Charlie'\" <c@lab.test>\r\n",
        b"Hello\r\n", "", "1111"),
    # field: B21
    "addresses_that_sendmail_writes_anew": (
        b"Cc: a@lab.test,b@lab.test\r\n", b"Hello\r\n", "address_form",
        "1100"),
    "recipients_refolded": (
        b"Cc: " + b", ".join(b"a%d@lab.test" % i for i in range(20)) + b"\r\n",
        b"Hello\r\n", "", "1111"),
}


@world.expand
class Hazards(Case):
    @classmethod
    def setUpClass(cls):
        """A receiver that takes 7-bit text only, and four ways there."""
        lab = cls.world.lab
        cls.sink = Sink(lab, extensions=[
            e for e in EXTENSIONS if e not in ("8BITMIME", "SMTPUTF8")])
        cls.signer = filters.Signpostd(
            lab, "hazards", cls.world.build,
            CONFIG.format(keys=cls.world.keys))
        listener = {"in": {"smtpd_milters": cls.signer.milter}}
        mc = ESMTP.format(port=cls.sink.port)
        cls.sendmail = Sendmail(lab, "hazards-sendmail", "mx.example.com",
                                cls.signer.port, cls.sink.port, more=mc)
        cls.ports = [
            Postfix(lab, "hazards-postfix", "mx.example.com", listener,
                    cls.sink.port).ports["in"],
            Postfix(lab, "hazards-postfix-tuned", "mx.example.com", listener,
                    cls.sink.port, settings=TUNED_CF).ports["in"],
            cls.sendmail.port,
            Sendmail(lab, "hazards-sendmail-tuned", "mx.example.com",
                     cls.signer.port, cls.sink.port,
                     more=mc + TUNED_MC).port]

    def message(self, domain=DEFAULTS, fields=HEAD, body=b"Hello\r\n"):
        return b"From: alice@%s\r\nTo: bob@plain.test\r\nSubject: s\r\n%s" \
            b"\r\n%s" % (domain.encode(), fields, body)

    def send(self, port, data, domain=DEFAULTS):
        recipient = self.world.address("plain")
        code, text = mail.send(port, "alice@" + domain, [recipient], data)
        self.assertEqual(code, 250, text)
        return self.sink.take(recipient).data

    def told(self):
        """The hazards that the signer's log has for the last message."""
        line = self.signer.process.tail(1)
        self.assertIn("action=", line)
        return "".join(re.findall(r" hazards=(\S+)", line))

    @world.rows(ROWS)
    def test_what_breaks_is_told_and_can_be_prevented(self, row):
        fields, body, hazards, survives = ROWS[row]
        data = self.message(fields=HEAD + fields, body=body)
        for i, port in enumerate(self.ports):
            with self.subTest(way=i):
                got = self.world.verify(self.send(port, data))
                self.assertEqual([r for _, r in got], [
                    "pass" if survives[i] == "1" else "fail"] * 2)
                # Taken away before the milter; not changed by Postfix.
                quiet = (row == "nul" and i == 1) or (
                    hazards == "address_form" and i < 2)
                self.assertEqual(self.told(), "" if quiet else hazards)

    def test_8bit_text_that_nothing_declares(self):
        for port, want in zip(self.ports, ("pass", "pass", "fail", "pass")):
            recipient = self.world.address("plain")
            data = self.message(fields=HEAD, body=UMLAUT)
            mail.send(port, "alice@" + DEFAULTS, [recipient], data)
            got = self.world.verify(self.sink.take(recipient).data)
            self.assertEqual([r for _, r in got], [want] * 2)

    def test_local_submission_without_date_and_message_id(self):
        for domain, ids in ((DEFAULTS, "@mx.example.com>"),
                            (ADDS, "@%s>" % ADDS)):
            with self.subTest(domain):
                recipient = self.world.address("plain")
                self.sendmail.submit("alice@" + domain, recipient,
                                     self.message(domain, fields=b""))
                data = self.sink.take(recipient).data
                for name in ("Date", "Message-ID"):
                    values = [v.decode()
                              for _, v in mail.fields(data, name)]
                    self.assertEqual(len(values), 1, data[:2000])
                self.assertIn(ids, values[0])
                self.assertEqual([r for _, r in self.world.verify(data)],
                                 ["pass"] * 2)
                names = re.findall(r"h=([^;]*);", self.signatures(data)[0])
                self.assertEqual("Date:Date" in re.sub(r"\s", "", names[0]),
                                 domain == ADDS)

    def test_what_comes_back_from_a_content_filter_is_signed_once(self):
        """field: E14"""
        for port in (self.ports[0], self.ports[2]):
            signed = self.send(port, self.message())
            again = self.send(port, signed)
            self.assertEqual(self.told(), "signed_already")
            self.assertEqual(len(self.signatures(again)), 2)
            self.assertEqual([r for _, r in self.world.verify(again)],
                             ["pass"] * 2)
            # The filter has added a line.
            changed = self.send(port, signed + b"Scanned\r\n")
            self.assertEqual(self.told(), "")
            self.assertEqual([r for _, r in self.world.verify(changed)],
                             ["pass"] * 2 + ["fail"] * 2)
