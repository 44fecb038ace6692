# SPDX-License-Identifier: BSD-2-Clause
"""The recipes of contrib/mta, each run as it stands there."""
import os

from case import Case
from lab import filters, mail
from lab.postfix import Postfix
from lab.recipe import FOLDER, MANUAL, Recipe, lines
from lab.sendmail import Sendmail
from lab.sink import Sink
import world

OURS = "alice@both.example.com"
STRANGER = "192.0.2.9"
MESSAGE = b"From: %s\r\nTo: %s\r\nSubject: recipe\r\n\r\nHello.\r\n"
MORE = """
authserv_id = "{id}";
key_directory = "{keys}";
dns = {{ servers = [ "{dns}" ]; timeout = "20s"; dnssec = false; }};
"""
# Anybody may send to us, and say from where he comes.
LAB = {"relay_domains": "sink.test",
       "smtpd_relay_restrictions":
           "permit_mynetworks, reject_unauth_destination",
       "smtpd_authorized_xclient_hosts": "127.0.0.1"}
FOOTER = b"-- \r\nNot a virus.\r\n"


def add_footer(data):
    return data + FOOTER


class Recipes(Case):
    def more(self):
        return MORE.format(id=world.AUTHSERV_ID, keys=self.world.keys,
                           dns=self.world.dns.address())

    def daemon(self, recipe, **more):
        daemon = filters.Signpostd(
            self.world.lab, os.path.basename(recipe.folder) + "-signpostd",
            self.world.build, recipe.config(more=self.more()),
            port=recipe.milter_port, **more)
        self.addCleanup(daemon.stop)

    def postfix(self, recipe, listeners=("smtp",), **more):
        server = Postfix(
            self.world.lab, os.path.basename(recipe.folder),
            "mx.example.org", {name: {} for name in listeners},
            self.world.sink.port, settings=LAB, recipe=recipe, **more)
        self.addCleanup(server.stop)
        return server

    def recipe(self, name, *used):
        return Recipe(self.world.lab, name, *used)

    def filter(self, change=None):
        """A content filter; where it puts mail back is to be set."""
        return Sink(self.world.lab, forward=0, change=change)

    def through(self, send):
        """What arrives of a message that SEND(recipient, data) sends."""
        recipient = self.world.address("sink")
        send(recipient, MESSAGE % (OURS.encode(), recipient.encode()))
        return self.world.sink.take(recipient).data

    def by_smtp(self, port, client=None):
        def send(recipient, data):
            code, text = mail.send(port, OURS, [recipient], data,
                                   client=client)
            self.assertEqual(code, 250, text)
        return self.through(send)

    def by_sendmail(self, server):
        return self.through(lambda recipient, data: server.sendmail(
            OURS, [recipient], data.replace(b"\r\n", b"\n")))

    def assert_signed(self, data):
        self.assertCountEqual(
            self.world.verify(data),
            [(s, "pass") for s in world.SELECTORS.values()], data)

    def assert_verified(self, data):
        """A stranger's, which has nothing of ours but the results."""
        self.assertEqual(self.signatures(data), [], data)
        self.assert_results(data, world.AUTHSERV_ID, ["none"])

    def assert_untouched(self, data):
        self.assertEqual(self.signatures(data), [], data)
        self.assertEqual(mail.results(data), [])

    # field: E2
    def test_postfix(self):
        recipe = self.recipe("postfix")
        self.daemon(recipe)
        server = self.postfix(recipe)
        port = server.ports["smtp"]
        self.assert_signed(self.by_smtp(port))
        self.assert_signed(self.by_sendmail(server))
        self.assert_verified(self.by_smtp(port, STRANGER))

    def test_postfix_submission(self):
        recipe = self.recipe("postfix-submission")
        self.daemon(recipe)
        server = self.postfix(recipe)
        port = server.ports["smtp"]
        self.assert_signed(self.by_smtp(server.ports["submission"], STRANGER))
        self.assert_signed(self.by_sendmail(server))
        self.assert_verified(self.by_smtp(port, STRANGER))
        self.assert_verified(self.by_smtp(port))

    # field: E10
    def test_postfix_chroot(self):
        recipe = self.recipe("postfix-chroot")
        server = self.postfix(recipe, chroot=True)
        recipe.spool = server.dir + "/spool"
        recipe.wrap = server.users.wrap
        self.daemon(recipe, wrap=server.users.wrap)
        self.assert_signed(self.by_smtp(server.ports["smtp"]))
        self.assert_signed(self.by_sendmail(server))
        self.assert_verified(self.by_smtp(server.ports["smtp"], STRANGER))

    # field: E14
    def test_postfix_filter(self):
        ours, others = self.filter(add_footer), self.filter(add_footer)
        recipe = self.recipe("postfix-filter",
                             {10025: ours.port, 10027: others.port})
        self.daemon(recipe)
        server = self.postfix(recipe, listeners=())
        ours.forward = server.ports["10026"]
        others.forward = server.ports["10028"]
        data = self.by_smtp(server.ports["submission"], STRANGER)
        self.assertTrue(data.endswith(FOOTER))
        self.assert_signed(data)
        for client in (STRANGER, None):
            data = self.by_smtp(server.ports["smtp"], client)
            self.assertTrue(data.endswith(FOOTER))
            self.assert_verified(data)

    # field: E14
    def test_postfix_one_filter(self):
        content_filter = self.filter()
        recipe = self.recipe("postfix-one-filter",
                             {10025: content_filter.port})
        self.daemon(recipe)
        server = self.postfix(recipe)
        content_filter.forward = server.ports["10026"]
        data = self.by_smtp(server.ports["smtp"])
        self.assert_signed(data)
        self.assertEqual(len(self.signatures(data)), 2)
        self.assert_verified(self.by_smtp(server.ports["smtp"], STRANGER))
        self.assertEqual(content_filter.count, 2)

    def test_sendmail(self):
        recipe = self.recipe("sendmail")
        self.daemon(recipe)
        server = Sendmail(
            self.world.lab, "recipe-sendmail", "mx.example.org",
            recipe.text("sendmail.mc"), self.world.sink.port)
        self.addCleanup(self.world.lab.stop, server.process)
        self.assert_signed(self.by_smtp(server.port))

    def test_the_manual_shows_what_the_recipes_say(self):
        with open(MANUAL) as f:
            manual = f.read()
        for name in sorted(os.listdir(FOLDER)):
            if name == "README":
                continue
            for line in lines(os.path.join(FOLDER, name)):
                with self.subTest(recipe=name, line=line):
                    self.assertIn("\n%s\n" % line, manual)
