# SPDX-License-Identifier: BSD-2-Clause
"""What mail servers do with mail that policy is against, and say about it."""
import os

from case import Case
from lab import mail
import world

STRANGER = "eve@example.net"
MESSAGE = "From: ann@%s\r\nSubject: %s\r\n\r\nHello\r\n"


class Policy(Case):
    def send(self, domain, recipients=(), sender=STRANGER, port=None):
        """An unsigned message from DOMAIN; what the server says of it, and
        its first recipient."""
        recipients = recipients or [self.world.address("sink")]
        code, text = mail.send(
            port or self.world.policing_receiver.ports["all"], sender,
            recipients, (MESSAGE % (domain, recipients[0])).encode())
        return code, text, recipients[0]

    def arrives(self, recipient):
        return self.world.sink.take(recipient).data

    def wait_for_log(self, text):
        self.world.lab.wait_for(
            lambda: text in self.world.policing_receiver.log(),
            "Postfix to log \"%s\"" % text)

    # field: E20, F12
    def test_the_reply_reaches_the_client_with_its_reason(self):
        for domain, code, text in (
                ("strict.test", 554,
                 "5.7.98 strict.test signs its mail: the message is not "
                 "signed"),
                ("plain.test", 550,
                 "5.7.22 No DKIM signature of the From domain passes: the "
                 "message is not signed"),
                ("later.test", 451,
                 "4.7.5 No DKIM signature of the From domain passes: the "
                 "message is not signed")):
            with self.subTest(domain=domain):
                self.assertEqual(self.send(domain)[:2], (code, text))

    def test_sendmail_gives_the_reply_too(self):
        code, text, _ = self.send(
            "strict.test", port=self.world.policing_sendmail.port)
        self.assertEqual(code, 554)
        self.assertEqual(text, "5.7.98 strict.test signs its mail: the "
                         "message is not signed")

    def test_mail_of_others_arrives(self):
        code, _, recipient = self.send("other.test")
        self.assertEqual(code, 250)
        self.assert_results(
            self.arrives(recipient), world.AUTHSERV_ID, ["none"])

    def test_quarantine_is_the_hold_queue(self):
        code, _, recipient = self.send("hold.test")
        self.assertEqual(code, 250)
        self.wait_for_log("milter-hold: END-OF-MESSAGE")
        folder = os.path.join(self.world.policing_receiver.dir, "spool/hold")
        held = []
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as f:
                held.append(f.read())
        self.assertTrue(any(recipient.encode() in data for data in held))

    def test_what_is_discarded_is_accepted_and_gone(self):
        queued = self.world.policing_receiver.queued()
        code, _, recipient = self.send("gone.test")
        self.assertEqual(code, 250)
        self.wait_for_log("milter-discard: END-OF-MESSAGE")
        self.assertEqual(self.world.policing_receiver.queued(), queued)
        # What is sent behind it arrives, and it does not.
        self.arrives(self.send("other.test")[2])
        self.assertFalse([m for m in self.world.sink.messages()
                          if recipient in m.recipients])

    def test_a_dry_run_lets_in_and_says_so_in_the_results(self):
        code, _, recipient = self.send("dry.test")
        self.assertEqual(code, 250)
        text = mail.results(self.arrives(recipient), world.AUTHSERV_ID)[0]
        self.assertRegex(text, r"dkim=none.*\(dry run: reject\)$")
        self.assertIn(
            'signpost_policy_actions_total{action="reject",'
            'applied="dry_run"}', self.world.policing.metrics())

    def test_an_exempt_sender_or_recipient_is_let_in(self):
        for recipient, sender, code in (
                (self.world.address("sink"), "list@example.net", 250),
                (self.world.address("a.exempt"), STRANGER, 250),
                (self.world.address("sink"), STRANGER, 550)):
            self.assertEqual(
                self.send("plain.test", [recipient], sender)[0], code)
            if code == 250:
                self.arrives(recipient)

    def test_with_one_recipient_who_is_not_exempt_it_is_not(self):
        self.assertEqual(self.send("plain.test", [
            self.world.address("a.exempt"), self.world.address("sink")])[0],
            550)
