# SPDX-License-Identifier: BSD-2-Clause
"""What Signpost signs behind Postfix, others verify."""
import corpus
import world
from case import Case
from lab import mail

BOTH = list(world.SELECTORS.values())


@world.expand
class Sign(Case):
    def check(self, canon, name):
        sender = "alice@%s.example.com" % world.LABELS[canon]
        message = corpus.message(name, sender)
        data = self.world.deliver(self.world.sender.ports["signpost"], sender,
                                  "opendkim", message)
        self.assert_unchanged(message, data)
        signatures = self.signatures(data)
        self.assertEqual(len(signatures), 2)
        for signature in signatures:
            self.assertIn("c=" + canon, signature)
        self.assert_results(data, world.OTHER_ID, ["pass", "pass"])
        self.assert_peers_pass(data, BOTH)

    # field: B5, B12
    @world.rows(corpus.ROWS)
    def test_simple_simple_verifies(self, name):
        self.check("simple/simple", name)

    @world.rows(corpus.ROWS)
    def test_simple_relaxed_verifies(self, name):
        self.check("simple/relaxed", name)

    @world.rows(corpus.ROWS)
    def test_relaxed_simple_verifies(self, name):
        self.check("relaxed/simple", name)

    @world.rows(corpus.ROWS)
    def test_relaxed_relaxed_verifies(self, name):
        self.check("relaxed/relaxed", name)

    # field: B29
    def test_signatures_stand_above_what_postfix_adds(self):
        data = self.deliver_plain("both.example.com")
        names = [name for name, _ in mail.fields(data)]
        # The receiver's Received is on top, the sender's below.
        self.assertEqual(names[:4], [b"Received", b"DKIM-Signature",
                                     b"DKIM-Signature", b"Received"])

    # field: A18
    def test_smtputf8_sender_is_signed_with_a_labels(self):
        sender = "pel\u00e9@b\u00fccher.example.com"
        message = corpus.message("utf8_header", sender)
        data = self.world.deliver(self.world.sender.ports["signpost"], sender,
                                  "opendkim", message)
        self.assert_unchanged(message, data)
        for signature in self.signatures(data):
            self.assertIn("d=" + world.IDN + ";", signature)
        self.assert_results(data, world.OTHER_ID, ["pass", "pass"])
        self.assert_peers_pass(data, BOTH)

    def test_null_sender_is_signed(self):
        message = corpus.message("plain", "alice@both.example.com")
        data = self.world.deliver(self.world.sender.ports["signpost"], "",
                                  "plain", message)
        self.assert_peers_pass(data, BOTH)

    def test_local_submission_is_signed(self):
        message = corpus.message("plain", "alice@both.example.com")
        recipient = self.world.address("opendkim")
        self.world.sender.sendmail("alice@both.example.com", [recipient],
                                   message.replace(b"\r\n", b"\n"))
        data = self.world.sink.take(recipient).data
        self.assert_unchanged(message, data)
        self.assert_results(data, world.OTHER_ID, ["pass", "pass"])
        self.assert_peers_pass(data, BOTH)

    def test_a_domain_without_a_key_is_not_signed(self):
        self.assertEqual(self.signatures(self.deliver_plain("example.net")),
                         [])

    def test_a_subdomain_is_not_signed_with_its_parents_key(self):
        data = self.deliver_plain("sub.both.example.com")
        self.assertEqual(self.signatures(data), [])

    def deliver_plain(self, domain):
        sender = "alice@" + domain
        return self.world.deliver(
            self.world.sender.ports["signpost"], sender, "plain",
            corpus.message("plain", sender))
