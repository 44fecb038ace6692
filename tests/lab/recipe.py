# SPDX-License-Identifier: BSD-2-Clause
"""A recipe of contrib/mta, as it stands but for ports, paths and users.

What a recipe's comments tell root to do, lines of "#\\t", is done.
"""
import os
import pwd
import re
import shlex
import subprocess

from .filters import USER

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
FOLDER = os.path.join(TOP, "contrib/mta")
MANUAL = os.path.join(TOP, "milter/signpost-mta.7")
MILTER = 8891


def lines(folder):
    """What a recipe has an administrator write: no comments."""
    found = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as f:
            found += [line for line in f.read().splitlines()
                      if line and not line.startswith(("#", "dnl"))]
    return found


class Recipe:
    """`filters`: for the ports of the content filters that it names, ours.

    Set before config() where the recipe needs it: `spool`, which stands for
    /var/spool/postfix, and `wrap`, what has commands see Postfix's users."""

    def __init__(self, lab, name, filters=None):
        self.lab = lab
        self.folder = os.path.join(FOLDER, name)
        self.milter_port = lab.port()
        self.spool = None
        self.wrap = list
        self.ports = {}
        self.changes = [(MILTER, self.milter_port),
                        *(filters or {}).items()]
        self.main = self.text("main.cf")
        self.master = self._listeners(self.text("master.cf"))

    def text(self, name):
        """A file of the recipe; "" where it has none of that name."""
        try:
            with open(os.path.join(self.folder, name)) as f:
                text = f.read()
        except FileNotFoundError:
            return ""
        for port, ours in self.changes:
            text = re.sub(r"\b%d\b" % port, str(ours), text)
        return text

    def config(self, more=""):
        """signpost.conf, after what it tells root to do is done."""
        text = self.text("signpost.conf")
        if self.spool is not None:
            text = text.replace("/var/spool/postfix", self.spool)
        for line in re.findall(r"^#\t(.*)$", text, re.MULTILINE):
            self._do(line)
        return text + more

    def _do(self, line):
        argv = [USER if word == "signpost" else word
                for word in shlex.split(line)]
        subprocess.run(self.wrap(argv), check=True)

    def _listeners(self, master):
        """Each listener gets a port of ours, under the name that it has."""
        def listener(match):
            name = match[1].rsplit(":", 1)[-1]
            self.ports[name] = self.lab.port()
            return "127.0.0.1:%d inet" % self.ports[name]

        return re.sub(r"^(\S+)\s+inet\b", listener, master,
                      flags=re.MULTILINE)
