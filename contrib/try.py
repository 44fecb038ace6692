# SPDX-License-Identifier: BSD-2-Clause
"""The tour of contrib/try: one message on its way, and what becomes of it.

    sender (signs) -> the way between, which may change a byte
                   -> receiver (verifies) -> mailbox

One signpostd serves both mail servers; the name of the receiver's listener
tells it that mail from there is not ours to sign.
"""
import argparse
import contextlib
import os
import shutil
import signal
import sys
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests"))

from lab import filters, mail  # noqa: E402 (needs the path above)
from lab.dns import Dns  # noqa: E402
from lab.lab import Lab, LabError  # noqa: E402
from lab.postfix import Postfix  # noqa: E402
from lab.sendmail import Sendmail  # noqa: E402
from lab.sink import Sink  # noqa: E402

ALICE, BOB = "alice@example.com", "bob@example.org"
RECEIVER = "mx.example.org"
CONFIG = """\
mode = "both";
authserv_id = "mx.example.org";
key_directory = "{keys}";
trusted_networks = [ "127.0.0.0/8" ];   # whose mail is ours to sign,
untrusted_daemons = [ "RECEIVER" ];     # unless it came in over there
dns = {{ servers = [ "{dns}" ]; dnssec = false; }};
verify = {{ on_fail = "{on_fail}"; }};
"""
MESSAGE = """\
From: Alice <alice@example.com>
To: Bob <bob@example.org>
Subject: The meeting
Date: Mon, 30 Nov 2026 12:00:00 +0000
Message-ID: <{number}@example.com>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Dear Bob,

we meet on Monday at 9.

Alice
"""
BURST, CLIENTS = 200, 8
# What the burst's messages add to the text, for a body of common length.
FILLING = "The meeting will be on Monday at 9 as it always was.\n" * 100


class Tour:
    def __init__(self, lab, build, mta):
        self.lab = lab
        self.build = build
        self.mta = mta
        self.results = lab.make_dir("results")
        self.number = 0

    # The steps, in their order

    def keys(self):
        step("Two keys for example.com: RSA with 2048 bits, and Ed25519")
        self.key_dir = self.lab.make_dir("keys")
        self.lab.write("signpost.conf", 'user = "%s";\nkey_directory = "%s";\n'
                       % (filters.USER, self.key_dir))
        for selector, kind in (("rsa1", "rsa"), ("ed1", "ed25519")):
            self.signpost("keygen", "-c", self.lab.path("signpost.conf"),
                          "-d", "example.com", "-s", selector, "-t", kind,
                          "-o", self.key_dir)

    def dns(self):
        step("Their records, as signpost dns prints them, in a name server")
        text = self.signpost("dns", "-c", self.lab.path("signpost.conf"))
        self.save("example.com.zone", text)
        show(text)
        self.dns = Dns(self.lab, {"example.com": text})

    def servers(self):
        step("signpostd, and %s twice: Alice's server and Bob's"
             % self.mta.capitalize())
        self.filter = filters.Signpostd(self.lab, "signpostd", self.build,
                                        self.config("accept"))
        self.mailbox = Sink(self.lab, store=self.lab.path("mailbox"))
        if self.mta == "postfix":
            receiver = Postfix(
                self.lab, "receiver", RECEIVER,
                {"in": {"smtpd_milters": self.filter.milter}},
                self.mailbox.port,
                settings={"milter_macro_daemon_name": "RECEIVER"})
            self.way = Sink(self.lab, forward=receiver.ports["in"])
            sender = Postfix(
                self.lab, "sender", "mx.example.com",
                {"in": {"smtpd_milters": self.filter.milter}}, self.way.port,
                milters=self.filter.milter)
            self.port = sender.ports["in"]
        else:
            receiver = Sendmail(self.lab, "receiver", RECEIVER,
                                self.filter.port, self.mailbox.port,
                                daemon="RECEIVER")
            self.way = Sink(self.lab, forward=receiver.port)
            sender = Sendmail(self.lab, "sender", "mx.example.com",
                              self.filter.port, self.way.port)
            self.port = sender.port

    def passes(self):
        step("A message from Alice, as Bob got it")
        data = self.send()
        self.save("arrived.eml", data)
        show(data)
        step("What Bob's server says of its signatures")
        self.show_results(data, ["pass", "pass"])

    def fails(self):
        step("The next one is changed on the way: one byte of its body")
        self.way.change = change
        data = self.send()
        self.save("changed.eml", data)
        show(mail.body_of(data))
        self.show_results(data, ["fail", "fail"])

    def refused(self):
        step('The same with on_fail = "reject" (the daemon just reloads)')
        self.filter.reload(self.config("reject"))
        self.submit()
        refusal = self.lab.wait_for(lambda: self.way.refused, "the refusal")
        self.save("refusal.txt", refusal[0] + "\n")
        show(refusal[0])
        if not refusal[0].startswith("550 "):
            raise LabError("refused, but not with 550")
        self.way.change = None

    def status(self):
        step("%d messages more, and what the daemon has counted" % BURST)
        numbers = iter(range(BURST))
        lock = threading.Lock()

        def client():
            while True:
                with lock:
                    if next(numbers, None) is None:
                        return
                    message = self.message(FILLING)
                mail.send(self.port, ALICE, [BOB], message)

        before = self.mailbox.count
        threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.lab.wait_for(lambda: self.mailbox.count >= before + BURST,
                          "the messages to arrive", timeout=60)
        text = self.signpost("status", "-c", self.filter.config_file)
        self.save("status.txt", text)
        show(text)

    # Their tools

    def config(self, on_fail):
        return CONFIG.format(keys=self.key_dir, dns=self.dns.address(),
                             on_fail=on_fail)

    def signpost(self, *argv):
        return self.lab.run([filters.command_of(self.build), *argv]
                            ).stdout.decode()

    def message(self, filling=""):
        self.number += 1
        text = MESSAGE.format(number=self.number) + filling
        return text.replace("\n", "\r\n").encode()

    def submit(self):
        code, text = mail.send(self.port, ALICE, [BOB], self.message())
        if code != 250:
            raise LabError("the sender's server refused it: %d %s"
                           % (code, text))

    def send(self):
        self.submit()
        return self.mailbox.take(BOB).data

    def show_results(self, data, want):
        _, value = mail.fields(data, "Authentication-Results")[0]
        show("Authentication-Results:" + value.decode())
        words = [w for w, _ in mail.dkim_results(data, RECEIVER)]
        if words != want:
            raise LabError("dkim=%s was expected" % ", dkim=".join(want))

    def save(self, name, data):
        self.lab.write(os.path.join(self.results, name), data)

    def keep_running(self):
        conf, socket = self.filter.config_file, self.filter.status
        command = filters.command_of(self.build)
        self.save("sample.eml", self.message())
        step("It keeps running. To play with it:")
        show("""\
send mail       curl smtp://127.0.0.1:%d --mail-from %s \\
                  --mail-rcpt %s --upload-file %s/sample.eml
what arrived    ls %s
status          %s status --watch -c %s
                curl --unix-socket %s http://localhost/metrics
settings        edit %s, then kill -HUP %d
logs            ls %s %s/*/maillog
stop it all     Ctrl-C here, or kill %d""" % (
            self.port, ALICE, BOB, self.results, self.lab.path("mailbox"),
            command, conf, socket, conf, self.filter.process.pid,
            self.lab.path("log"), self.lab.dir, os.getpid()))
        with contextlib.suppress(KeyboardInterrupt):
            while self.filter.process.alive():
                time.sleep(1)


def change(data):
    """The message with one byte of its body changed: 9 becomes 8."""
    return data.replace(b"on Monday at 9.", b"on Monday at 8.")


steps = 0


def step(text):
    global steps
    steps += 1
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    print("\n%s%d. %s%s" % (bold, steps, text, plain), flush=True)


def show(text):
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    for line in text.strip().splitlines():
        print("   | " + line.rstrip(), flush=True)


def leave_results(tour, folder):
    """What a person may want to read again, owned by that person."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tour.results, folder)
    shutil.copy(tour.filter.config_file, folder)
    shutil.copytree(tour.lab.path("log"), os.path.join(folder, "log"))
    owner = os.stat(tour.build)
    for path, _, names in os.walk(folder):
        for name in [""] + names:
            os.chown(os.path.join(path, name), owner.st_uid, owner.st_gid)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=os.path.abspath)
    parser.add_argument("--mta", default="postfix")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()
    folder = os.path.join(options.build, "last")
    with Lab() as lab:
        tour = Tour(lab, options.build, options.mta)
        try:
            for part in (tour.keys, tour.dns, tour.servers, tour.passes,
                         tour.fails, tour.refused, tour.status):
                part()
            if options.keep:
                tour.keep_running()
        finally:
            if hasattr(tour, "filter"):
                leave_results(tour, folder)
    print("\nDone in %d s; all is stopped. Messages, settings and logs: %s"
          % (time.monotonic() - start, folder))


if __name__ == "__main__":
    try:
        main()
    except (LabError, OSError) as error:
        sys.exit("contrib/try: %s" % error)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
