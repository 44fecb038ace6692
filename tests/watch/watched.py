# SPDX-License-Identifier: BSD-2-Clause
"""A daemon to be watched, and mail for it: what both tests here start from."""
import json
import os
import subprocess
import sys
import threading
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from dns_server import DnsServer  # noqa: E402
from signpostd import BUILD, Daemon, Key, free_port  # noqa: E402

SIGNPOST = os.path.join(BUILD, "milter", "tool", "signpost")
MESSAGE = """\
From: Ann <ann@example.com>\r
To: bob@example.org\r
Subject: to be watched\r
Date: Mon, 30 Nov 2026 10:00:00 +0000\r
Message-ID: <1@example.com>\r
\r
Hello.\r
"""


# Whatever the machine's proxy is, it is not asked for what is on loopback.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def fetch(url):
    """(headers, text); an OSError where there is no such answer."""
    with OPENER.open(url, timeout=30) as answer:
        return answer.headers, answer.read().decode()


class Watched:
    """A daemon whose status is to be had over TCP at `url`. Mail of ours is
    signed twice; mail of others comes with a signature that passes, one that
    does not, and one whose key does not exist."""

    def __init__(self):
        keys = {("example.com", "r1"): Key("rsa"),
                ("example.com", "e1"): Key("ed25519")}
        self.dns = DnsServer({
            "%s._domainkey.%s" % (selector, domain): [key.record]
            for (domain, selector), key in keys.items()})
        self.port = free_port()
        self.url = "http://127.0.0.1:%d/" % self.port
        self.daemon = Daemon(
            keys=keys, dns_port=self.dns.port,
            status={"http": "127.0.0.1:%d" % self.port}).start()
        self.messages = os.path.join(self.daemon.dir, "messages")
        self._write_messages()

    def _write_messages(self):
        signed = {selector: subprocess.run(
            [SIGNPOST, "sign", "-d", "example.com", "-s", selector, "-k",
             os.path.join(self.daemon.dir, "keys/example.com/%s.pem" % selector)],
            input=MESSAGE, stdout=subprocess.PIPE, text=True,
            check=True).stdout for selector in ("r1", "e1")}
        os.mkdir(self.messages)
        for name, text in (
                ("1", signed["r1"]), ("2", signed["e1"]),
                ("3", signed["r1"].replace("Hello.", "Hallo.")),
                ("4", signed["r1"].replace("s=r1;", "s=r9;"))):
            with open(os.path.join(self.messages, name), "w") as file:
                file.write(text)

    def ask(self, path):
        return fetch(self.url + path)[1]

    def policy(self):
        """The page's Content-Security-Policy."""
        return fetch(self.url)[0]["Content-Security-Policy"]

    def status(self):
        return json.loads(self.ask("status"))

    def load(self):
        return Load(self)

    def stop(self):
        assert self.daemon.stop() == 0, self.daemon.log()

    def close(self):
        self.daemon.close()
        self.dns.close()


class Load:
    """Mail to sign and mail to verify, until the end of the with block."""

    def __init__(self, watched, pause=0.2):
        self.watched = watched
        self.pause = pause
        self.ended = threading.Event()
        self.error = None
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.ended.set()
        self.thread.join()
        assert self.error is None, self.error

    def _run(self):
        while not self.ended.wait(self.pause):
            for client in ("127.0.0.1", "192.0.2.1"):
                done = subprocess.run(
                    [SIGNPOST, "bench", "milter", "--socket",
                     "unix:" + self.watched.daemon.address,
                     "--connections", "4", "--messages", "40", "--client",
                     client, "--message", self.watched.messages],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    text=True)
                if done.returncode != 0 and self.error is None:
                    self.error = done.stdout
