# SPDX-License-Identifier: BSD-2-Clause
"""The packages under test, a Debian to install them in, and what the tests of
both kinds of machine share."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import machine

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
FIRST, SECOND = "0signpost1", "0signpost2"
CONFIG = "/etc/signpost/signpost.conf"
KEY = "/etc/signpost/keys/example.com/2026a.pem"
OURS = re.compile("signpost")
MESSAGE = (b"From: Ann <ann@example.com>\r\nTo: root@mx.example.org\r\n"
           b"Subject: a package\r\nDate: Mon, 30 Nov 2026 10:00:00 +0000\r\n"
           b"Message-ID: <1@example.com>\r\n\r\nHello.\r\n")


class World:
    """What is made once for all tests."""

    def __init__(self, packages, debian):
        self.folder = tempfile.mkdtemp(prefix="signpost-package.")
        self.first = os.path.join(self.folder, "first")
        self.second = os.path.join(self.folder, "second")
        self.base = debian or os.path.join(self.folder, "base")
        self.given = packages

    def build(self):
        if self.given:
            shutil.copytree(self.given, self.first)
        else:
            machine.command([os.path.join(TOP, "contrib/debian/build"),
                             "--output", self.first, "--revision", FIRST])
        for name in os.listdir(self.first):
            if not name.endswith(".deb") or "-dbgsym" in name:
                os.unlink(os.path.join(self.first, name))

    def upgrade(self):
        """The same packages with the next version number, and one more line
        in the configuration that they bring."""
        os.mkdir(self.second)
        for name in os.listdir(self.first):
            tree = os.path.join(self.folder, "tree")
            machine.command(["dpkg-deb", "-R",
                             os.path.join(self.first, name), tree])
            control = os.path.join(tree, "DEBIAN/control")
            with open(control) as file:
                text = file.read()
            with open(control, "w") as file:
                file.write(text.replace(FIRST, SECOND))
            if os.path.exists(tree + CONFIG):
                with open(tree + CONFIG, "a") as file:
                    file.write("# One more line.\n")
            machine.command(["dpkg-deb", "--root-owner-group", "-b", tree,
                             os.path.join(self.second,
                                          name.replace(FIRST, SECOND))])
            shutil.rmtree(tree)

    def install_debian(self):
        if os.path.isdir(self.base):
            return
        machine.debootstrap(self.base, sorted(self.depends() | {
            "dbus", "postfix", "systemd", "systemd-sysv"}))

    def depends(self):
        """The packages of Debian that ours come with."""
        names = set()
        for name in os.listdir(self.first):
            text = machine.command(["dpkg-deb", "-f", os.path.join(
                self.first, name), "Depends", "Recommends"])
            names.update(re.findall(r"(?m)(?:^\w+:|,)\s*([a-z0-9.+-]+)", text))
        return {name for name in names if not OURS.search(name)}

    def close(self):
        shutil.rmtree(self.folder)


class Case(unittest.TestCase):
    """The tests of a class are one story: in the order of their names, on one
    machine."""

    world = None
    kind = None
    broken = False

    @classmethod
    def setUpClass(cls):
        # Nothing of ours is in it yet.
        try:
            cls.machine = cls.kind(cls.world.base, os.path.join(
                cls.world.folder, cls.__name__.lower()))
        except machine.MachineError as error:
            raise unittest.SkipTest(str(error)) from error
        cls.addClassCleanup(cls.machine.close)

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            type(self).broken = True

    def setUp(self):
        if self.broken:
            self.skipTest("what comes before it has failed")

    def talk(self, *arguments):
        """What talk.py prints, in the machine's network."""
        return subprocess.run(
            self.machine.network() + [
                sys.executable, os.path.join(HERE, "talk.py"), *arguments],
            input=MESSAGE, stdout=subprocess.PIPE, check=True,
            timeout=120).stdout

    def make_key(self):
        """Step 2 of "Ten minutes to signed mail" in README."""
        self.machine.run("signpost", "keygen", "-d", "example.com",
                         "-s", "2026a", "-o", "/etc/signpost/keys")
        self.machine.run("sh", "-c", "signpost dns >/srv/zone")

    def assertSigned(self, path):
        """The message in a file of the machine's has a signature that the key
        of make_key() has made."""
        text = self.machine.run("signpost", "verify", "--keys", "/srv/zone",
                                path)
        self.assertIn("dkim=pass", text)
        self.assertIn("header.d=example.com", text)

    def add_setting(self, text):
        self.machine.write(CONFIG, self.machine.read(CONFIG) + text)

    def version(self):
        return self.machine.run("dpkg-query", "-W", "-f", "${Version}",
                                "signpost")

    def assertSafe(self):
        """Keys are the daemon's to read, and nobody else's."""
        self.assertEqual(self.machine.run(
            "stat", "-c", "%a %U %G", "/etc/signpost/keys", KEY).split("\n"),
            ["750 root signpost", "600 signpost signpost", ""])
