# SPDX-License-Identifier: BSD-2-Clause
"""Signed behind one Sendmail, verified behind another."""
import corpus
import world
from case import Case, change_body

ROWS = ["plain", "no_body", "dots", "eight_bit", "folded",
        "white_space_lines_at_end", "leading_white_space", "attachments"]


@world.expand
class Sendmail(Case):
    # field: B21, B4
    @world.rows({"%s %s" % (label, name): None
                 for label in world.LABELS.values() for name in ROWS})
    def test_signed_and_verified(self, row):
        label, name = row.split()
        sender = "alice@%s.example.com" % label
        data = self.world.deliver(
            self.world.sendmail_sender.port, sender, "sendmail",
            corpus.message(name, sender))
        self.assertEqual(len(self.signatures(data)), 2)
        self.assert_results(data, world.AUTHSERV_ID, ["pass", "pass"])
        self.assert_peers_pass(data, list(world.SELECTORS.values()))

    def test_changed_body_fails(self):
        sender = "alice@both.example.com"
        signed = self.world.deliver(
            self.world.sender.ports["signpost"], sender, "plain",
            corpus.message("plain", sender))
        data = self.world.deliver(self.world.sendmail_receiver.port, sender,
                                  "sendmail", change_body(signed))
        self.assert_results(data, world.AUTHSERV_ID, ["fail", "fail"])
