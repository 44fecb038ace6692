# SPDX-License-Identifier: BSD-2-Clause
"""What others sign, Signpost verifies behind Postfix; and what is forged."""
import corpus
import world
from case import Case, change_body
from lab import mail

PEER = "peer.example.com"
SENDER = "alice@" + PEER
# Enough for OpenDKIM, of which each canonicalization and key is a process.
FEW = ["plain", "no_body", "dots", "eight_bit", "folded",
       "white_space_lines_at_end", "leading_white_space"]


@world.expand
class Verify(Case):
    def check_dkimpy(self, canon, name):
        data = self.world.deliver(
            self.world.sender.ports["plain"], SENDER, "signpost",
            self.sign(corpus.message(name, SENDER), canon))
        self.assert_results(data, world.AUTHSERV_ID, ["pass", "pass"])

    def sign(self, message, canon="relaxed/relaxed"):
        """Signed twice by dkimpy, with RSA and with Ed25519."""
        names = [name.lower() for name, _ in mail.fields(message)]
        for key in (self.read(self.world.key(PEER, "rsa")),
                    self.world.seed(PEER)):
            selector = "r1" if key.startswith(b"-----") else "e1"
            message = self.world.dkimpy.sign(message, PEER, selector, key,
                                             canon, names)
        return message

    @staticmethod
    def read(name):
        with open(name, "rb") as f:
            return f.read()

    @world.rows(corpus.ROWS)
    def test_dkimpy_simple_simple_passes(self, name):
        self.check_dkimpy("simple/simple", name)

    @world.rows(corpus.ROWS)
    def test_dkimpy_simple_relaxed_passes(self, name):
        self.check_dkimpy("simple/relaxed", name)

    @world.rows(corpus.ROWS)
    def test_dkimpy_relaxed_simple_passes(self, name):
        self.check_dkimpy("relaxed/simple", name)

    @world.rows(corpus.ROWS)
    def test_dkimpy_relaxed_relaxed_passes(self, name):
        self.check_dkimpy("relaxed/relaxed", name)

    @world.rows({"%s %s %s" % (world.LABELS[canon], kind, name): None
                 for canon in world.CANONS for kind in world.ALGORITHMS
                 for name in FEW})
    def test_opendkim_is_judged_as_by_dkimpy(self, row):
        label, kind, name = row.split()
        data = self.world.deliver(
            self.world.sender.ports["%s-%s" % (label, kind)], SENDER,
            "signpost", corpus.message(name, SENDER))
        # OpenDKIM's Ed25519 signatures over a simple header do not match,
        # neither for itself nor for dkimpy: all must say so.
        broken = kind == "ed25519" and label.startswith("simple-")
        want = "fail" if broken else "pass"
        self.assertEqual(self.world.dkimpy.verify(data),
                         [(world.SELECTORS[kind], want)])
        self.assert_results(data, world.AUTHSERV_ID, [want])

    def test_results_name_each_signature(self):
        data = self.through("signpost", self.signed())
        found = mail.dkim_results(data, world.AUTHSERV_ID)
        self.assertCountEqual(
            [(f["header.d"], f["header.s"], f["header.a"]) for _, f in found],
            [(PEER, "r1", "rsa-sha256"), (PEER, "e1", "ed25519-sha256")])
        self.assertEqual(mail.fields(data)[0][0], b"Authentication-Results")

    def test_unsigned_is_none(self):
        data = self.through("signpost", corpus.message("plain", SENDER))
        self.assert_results(data, world.AUTHSERV_ID, ["none"])

    def test_changed_body_fails(self):
        data = self.through("signpost", change_body(self.signed()))
        self.assert_results(data, world.AUTHSERV_ID, ["fail", "fail"])

    def test_changed_header_fails(self):
        data = self.through("signpost", self.signed().replace(
            b"Subject: plain", b"Subject: plainly"))
        self.assert_results(data, world.AUTHSERV_ID, ["fail", "fail"])

    def test_unknown_selector_is_permerror(self):
        data = self.through("signpost", self.signed().replace(
            b"s=r1;", b"s=no;").replace(b"s=e1;", b"s=no;"))
        self.assert_results(data, world.AUTHSERV_ID, ["permerror"] * 2)

    # field: A1, A2, B32
    def test_forged_results_are_removed(self):
        forged = [b"Authentication-Results: %s; dkim=pass header.d=bank.test"
                  % form for form in (
                      b"mx.example.org", b"MX.Example.ORG", b"mx.example.org 1",
                      b"\"mx.example.org\"", b" (a comment) mx.example.org",
                      b"mx.example.org.")]
        kept = b"Authentication-Results: mx.example.net; dkim=pass"
        data = self.through("signpost", b"\r\n".join(
            [*forged, kept, self.signed()]))
        self.assert_results(data, world.AUTHSERV_ID, ["pass", "pass"])
        self.assertNotIn(b"bank.test", data)
        self.assertIn(kept, data)

    def test_a_failure_is_refused_with_its_reason(self):
        # Straight to the listener that verifies, to see what it answers.
        code, text = mail.send(
            self.world.receiver.ports["rejecting"], SENDER,
            ["bob@rejecting.test"], change_body(self.signed()))
        self.assertEqual(code, 550, text)
        self.assertRegex(text, r"^5\.7\.\d+ .*(?i:dkim|signature)")

    def test_a_pass_is_not_refused(self):
        data = self.through("rejecting", self.signed())
        self.assert_results(data, world.AUTHSERV_ID, ["pass", "pass"])

    def signed(self):
        return self.sign(corpus.message("plain", SENDER))

    def through(self, way, data):
        return self.world.deliver(self.world.sender.ports["plain"], SENDER,
                                  way, data)
