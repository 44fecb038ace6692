# SPDX-License-Identifier: BSD-2-Clause
"""What every end-to-end test starts from, and what it can ask of a message."""
import re
import unittest

import world
from lab import mail


class Case(unittest.TestCase):
    world = None  # set by the runner

    def assert_peers_pass(self, data, selectors):
        """dkimpy, Mail::DKIM and `signpost verify` pass every signature."""
        want = [(s, "pass") for s in selectors]
        self.assertCountEqual(self.world.dkimpy.verify(data), want)
        # Mail::DKIM of Debian 12 has no Ed25519 and says so.
        found = self.world.mail_dkim.verify(data)
        self.assertCountEqual(
            [(s, r) for s, r in found if s != world.SELECTORS["ed25519"]],
            [(s, r) for s, r in want if s != world.SELECTORS["ed25519"]])
        self.assertCountEqual(self.world.verify(data), want)

    def assert_results(self, data, authserv_id, want):
        """The dkim= words of our Authentication-Results, at the top."""
        found = mail.dkim_results(data, authserv_id)
        self.assertEqual([word for word, _ in found], want, data[:2000])

    def assert_unchanged(self, sent, arrived):
        """All that was sent arrived as it was; fields came on top only."""
        self.assertTrue(arrived.endswith(sent), arrived[:3000])

    def signatures(self, data):
        return [mail.unfold(value)
                for _, value in mail.fields(data, "DKIM-Signature")]


def change_body(data):
    """One letter of the body changed."""
    head, body = re.split(rb"(?<=\r\n)\r\n", data, maxsplit=1)
    index = re.search(rb"[A-Za-z]", body).start()
    changed = bytes([body[index] ^ 1])
    return head + b"\r\n" + body[:index] + changed + body[index + 1:]
