# SPDX-License-Identifier: BSD-2-Clause
"""The programs that are asked: long-lived, one frame in, one frame out."""
import os
import select
import subprocess
import sys
import tempfile

from frame import read_frame, write_frame

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 60


class PeerError(Exception):
    """It died, or did not answer in time."""


class Peer:
    def __init__(self, name, argv):
        self.name, self.argv = name, argv
        self.process = None
        self.errors = tempfile.TemporaryFile()

    def start(self):
        self.process = subprocess.Popen(
            self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors)

    def send(self, items):
        if self.process is None:
            self.start()
        try:
            write_frame(self.process.stdin, items)
        except OSError as error:
            self.stop()
            raise PeerError("died: %s" % error) from None

    def receive(self):
        if self.process is None:
            raise PeerError("died")
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT)
        try:
            items = read_frame(self.process.stdout) if ready else None
        except EOFError:
            items = None
        if items is None:
            why = "died" if ready else "did not answer in %d s" % TIMEOUT
            self.stop()
            raise PeerError(why + self.said())
        return items

    def ask(self, items):
        self.send(items)
        return self.receive()

    def said(self):
        self.errors.seek(0)
        text = self.errors.read().decode(errors="replace").strip()
        self.errors.seek(0)
        self.errors.truncate()
        return ": " + text if text else ""

    def stop(self):
        """Ends it; its exit status, and 0 where it did not run."""
        if self.process is None:
            return 0
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        status = self.process.returncode
        self.process = None
        return status


def signpost(build, fault=None):
    program = os.path.join(build, "tests/differential/peer_signpost")
    return Peer("signpost", [program] + ([fault] if fault else []))


def others(build):
    """Those that are installed; the names of those that are not."""
    opendkim = os.path.join(build, "tests/differential/peer_opendkim")
    found, missing = [], []
    for name, argv, test in (
            ("opendkim", [opendkim], [opendkim]),
            ("dkimpy", [sys.executable, os.path.join(HERE, "peer_dkimpy.py")],
             [sys.executable, "-c", "import dkim, nacl"]),
            ("mail-dkim", ["perl", os.path.join(HERE, "peer_mail_dkim.pl")],
             ["perl", "-MMail::DKIM::Verifier", "-e", "1"])):
        try:
            there = subprocess.run(
                test, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL).returncode == 0
        except OSError:
            there = False
        if there:
            found.append(Peer(name, argv))
        else:
            missing.append(name)
    return found, missing
