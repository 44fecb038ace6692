# SPDX-License-Identifier: BSD-2-Clause
"""The same messages through OpenDKIM and, with the configuration that
"signpost import" makes of its, through signpostd: signatures by the same d= and
s=."""
import os
import re
import shutil
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "../lib"))

import milter_client
import opendkim_configs
import world
from case import Case
from lab import filters, packages
from lab.lab import listening

ADDED = """
Socket local:{dir}/milter.sock
UserID {user}:nogroup
RequireSafeKeys no
Syslog no
Background no
"""
# What an import can't know of this machine.
OURS = """
status = {{ socket = ""; }};
log = {{ to = "stderr"; }};
"""
INSIDE, OUTSIDE = "127.0.0.1", "203.0.113.9"
FROM = ["joe@example.com", "ann@example.com", "Joe@EXAMPLE.com",
        "joe@sub.example.com", "ann@x.sub.example.com", "joe@example.org",
        "ann@sub.example.org", "joe@badexample.com", "ann@example.net",
        "joe@other.test"]
CLIENTS = ["::1", "192.0.2.1", "192.0.2.77", "10.0.0.1", "10.1.0.1",
           "10.1.2.3", "10.1.2.4", "2001:db8::5", "2001:db8:1::5", None]
# (From, client, listener, user)
MESSAGES = [(sender, INSIDE, "smtpd", None) for sender in FROM]
MESSAGES += [("joe@example.com", client, "smtpd", None) for client in CLIENTS]
MESSAGES += [
    ("joe@example.com", OUTSIDE, "smtpd", None),
    ("joe@example.com", OUTSIDE, "smtpd", "joe"),
    ("joe@example.org", OUTSIDE, "smtpd", "joe"),
    ("joe@example.com", OUTSIDE, "ORIGINATING", None),
    ("joe@example.com", OUTSIDE, "OUT", None),
]


HEADER = [("To", " bob@example.net"), ("Subject", " hello"),
          ("Date", " Mon, 30 Nov 2026 10:00:00 +0000"),
          ("Message-ID", " <1@example.com>")]
GO_ON = (None, "continue")


def signatures(socket, message):
    """{(d, s)} of what the milter adds to a message."""
    with milter_client.Mta(socket, timeout=60) as mta:
        mta.negotiate()
        values = send(mta, *message)
        mta.quit()
    return {(tag(value, "d").lower(), tag(value, "s")) for value in values}


def send(mta, sender, client, listener, user):
    name = "localhost" if client in (INSIDE, "::1") else "client.test"
    macros = {"auth_type": "PLAIN", "auth_authen": user} if user else {}
    # A filter that has seen enough accepts, or puts off, before the end.
    if mta.connect(name, client, daemon_name=listener) not in GO_ON:
        return []
    mta.envelope("<%s>" % sender, **macros)
    for field in [("From", " " + sender)] + HEADER:
        mta.header(*field)
    if mta.end_headers() not in GO_ON:
        return []
    mta.body(b"Hello\r\n")
    return mta.end_message().field("DKIM-Signature")


def tag(value, name):
    return re.search(r"(?:^|;)\s*%s=\s*([^;\s]*)" % name, value).group(1)


@world.expand
class Import(Case):
    @classmethod
    def setUpClass(cls):
        cls.lab = cls.world.lab
        cls.dir = cls.lab.make_dir("import")
        # Both make their socket there.
        shutil.chown(cls.dir, filters.USER, "nogroup")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        for name in ("a.pem", "b.pem", "c.pem", "example.com/mail.private",
                     "example.org/mail.private"):
            pem = cls.lab.run(["openssl", "genrsa", "1024"]).stdout
            path = cls.lab.write("import/" + name, pem, mode=0o600)
            shutil.chown(path, filters.USER, "nogroup")

    def write(self, config):
        """The configuration with its tables; its name."""
        known = {"dir": self.dir, "user": filters.USER}
        for name, text in config.tables.items():
            self.lab.write("import/" + name, text.format(**known))
        return self.lab.write("import/opendkim.conf",
                              (ADDED + config.conf).format(**known))

    def ask(self, name, argv, clean):
        """What a filter does with each message, in their order."""
        # OpenDKIM has no state to save, and takes 5 s to stop.
        socket = self.dir + "/milter.sock"
        process = self.lab.start(
            name, argv, lambda: listening(socket), clean=clean,
            end=signal.SIGTERM if clean else signal.SIGKILL)
        try:
            return [signatures(socket, message) for message in MESSAGES]
        finally:
            self.lab.stop(process)
            # With AutoRestart it has a child, which may take longer.
            self.lab.wait_for(lambda: not listening(socket), name + " to end")

    @world.rows([config.name for config in opendkim_configs.CONFIGS])
    def test_signs_the_same(self, name):
        config = next(c for c in opendkim_configs.CONFIGS if c.name == name)
        path = self.write(config)
        done = self.world.command("import", "opendkim", path, check=False)
        told = done.stderr.decode()
        self.assertEqual(done.returncode, config.code, told)
        ours = self.lab.write("import/signpost.conf", done.stdout
                              + OURS.format(dir=self.dir).encode())
        daemon = filters.daemon_of(self.world.build)
        checked = self.lab.run([daemon, "-t", "-c", ours], check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        theirs = self.ask("import-opendkim", [
            packages.program("opendkim"), "-f", "-x", path], False)
        got = self.ask("import-signpostd", [daemon, "-f", "-c", ours], True)
        for message, want, have in zip(MESSAGES, theirs, got):
            if message[0] not in config.but:
                self.assertEqual(have, want, "want %s %s\n%s%s" % (
                    want, message, told, done.stdout.decode()))
        # A comparison of nothing would show nothing.
        self.assertEqual(any(theirs), name != "verifies_only")
        self.assertFalse(all(theirs))
