# SPDX-License-Identifier: BSD-2-Clause
"""What is measured: a message, a key of example.com, and those who use it.

    scene = Scene(lab, build)
    scene.signpost("sign"), scene.floor("sign")
    scene.opendkim("sign"), scene.rspamd("sign"), scene.dkimpy_milter("sign")

Each makes its filter as a signer ("sign") or a verifier ("verify"), with the
same key, relaxed/relaxed, on a unix socket, and without a log of each message.
scene.files names the message that each operation is measured with.
"""
import base64
import os
import pwd
import re
import time

from lab import filters, packages
from lab.dns import Dns
from lab.lab import LabError, listening

DOMAIN = "example.com"
SELECTOR = "rsa1"
AUTHSERV_ID = "mx.example.org"
BODY_SIZE = 5379
HEAD = """\
Received: from client.test by mx.example.com with ESMTP id 1;
\tMon, 30 Nov 2026 12:00:00 +0000
From: Alice <alice@example.com>
To: Bob <bob@example.org>
Cc: Carol <carol@example.org>
Subject: A message to measure with
Date: Mon, 30 Nov 2026 12:00:00 +0000
Message-ID: <20261130120000.1@example.com>
MIME-Version: 1.0
Content-Type: text/plain; charset=us-ascii
Content-Transfer-Encoding: 7bit

"""
LINE = "The quick brown fox jumps over the lazy dog, and is measured.\r\n"
SIGNER = 'mode = "sign"; key_directory = "%s";'
VERIFIER = """
mode = "verify"; authserv_id = "%s"; trusted_networks = [ ];
dns = { servers = [ "%s" ]; dnssec = false; };
"""
NAME_SERVER = "192.0.2.53"
TICK = os.sysconf("SC_CLK_TCK")


def message(body_size=BODY_SIZE):
    body = LINE * (body_size // len(LINE))
    if body_size > 0:
        body += "x" * (body_size - len(body) - 2) + "\r\n"
    return (HEAD.replace("\n", "\r\n") + body).encode()


def cpu_seconds(pid):
    """CPU time of one process, its children left out."""
    # The clock of another process, as clock_getcpuclockid(3) names it.
    return time.clock_gettime(~pid << 3 | 2)


def tree_cpu_seconds(pid):
    """That of a process, and of all that it has started, also if ended."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                children.setdefault(int(_stat(name)[1]), []).append(int(name))
            except OSError:
                continue  # it has just ended, and counts for its parent
    total, left = 0, [pid]
    while left:
        one = left.pop()
        try:
            total += cpu_seconds(one) + _ended_cpu_seconds(one)
        except OSError:
            continue
        left += children.get(one, [])
    return total


def _stat(pid):
    with open("/proc/%s/stat" % pid) as f:
        return f.read().rsplit(") ", 1)[1].split()


def _ended_cpu_seconds(pid):
    """Of its children that have ended, and been waited for."""
    return sum(map(int, _stat(pid)[13:15])) / TICK


class Scene:
    """`selectors`: under how many the key is published, rsa1 and so on."""

    def __init__(self, lab, build, selectors=1):
        self.lab, self.build = lab, build
        self.command = filters.command_of(build)
        self.keys = lab.make_dir("keys")
        config = lab.write(
            "keygen.conf", 'user = "%s"; key_directory = "%s";\n' % (
                filters.USER, self.keys))
        lab.run([self.command, "keygen", "-c", config, "-d", DOMAIN,
                 "-s", SELECTOR, "-t", "rsa", "-o", self.keys])
        self.key = os.path.join(self.keys, DOMAIN, SELECTOR + ".pem")
        record = lab.run([self.command, "dns", "-c", config]).stdout.decode()
        records = "".join(record.replace(SELECTOR, "rsa%d" % (i + 1))
                          for i in range(selectors))
        self.zone = lab.write("keys.zone", records)
        self.dns = Dns(lab, {DOMAIN: records})
        self.files = {operation: self.file(operation)
                      for operation in ("sign", "verify")}

    @staticmethod
    def owner():
        """(user, group) of keys."""
        user = pwd.getpwnam(filters.USER)
        return user.pw_uid, user.pw_gid

    def file(self, operation, body_size=BODY_SIZE):
        """The name of the message for an operation, with such a body."""
        data = message(body_size)
        if operation == "verify":
            data = self._signed(data)
        return self.lab.write("%s-%d.eml" % (operation, body_size), data)

    def _signed(self, plain):
        """With the floor's signature, too, which is of the body alone."""
        body = plain.split(b"\r\n\r\n", 1)[1]
        floor = base64.b64encode(self.lab.run(
            ["openssl", "dgst", "-sha256", "-sign", self.key],
            data=body).stdout)
        return b"X-Floor-Signature: " + floor + b"\r\n" + self.lab.run(
            [self.command, "sign", "-d", DOMAIN, "-s", SELECTOR,
             "-k", self.key], data=plain).stdout

    def signpost(self, operation):
        config = (SIGNER % self.keys if operation == "sign" else
                  VERIFIER % (AUTHSERV_ID, self.dns.address()))
        return filters.Signpostd(self.lab, "signpost-" + operation,
                                 self.build, config, unix=True,
                                 level="warning")

    def opendkim(self, operation):
        if operation == "sign":
            return filters.OpenDkim.signer(
                self.lab, "opendkim-sign", DOMAIN, SELECTOR, self.key,
                "relaxed/relaxed", "rsa-sha256", unix=True)
        return self._opendkim_verifier()

    def _opendkim_verifier(self):
        """It can name a port but 53 only in a file for libunbound, and crashes
        when it reads that for two messages at once; and a server at 127.0.0.1
        is one that libunbound does not ask."""
        return filters.OpenDkim(
            self.lab, "opendkim-verify", {
                "Mode": "v", "AuthservID": AUTHSERV_ID,
                "InternalHosts": self.lab.write("opendkim-nobody",
                                                "192.0.2.111\n"),
                "Nameservers": NAME_SERVER}, unix=True,
            wrap=self._own_network("opendkim"))

    def _own_network(self, name):
        """What runs a program in a network of its own, whose name server is at
        port 53. The server is no child of the program's: what it takes is
        not the program's."""
        config = self.dns.config(self.lab.make_dir(name + "-dns"),
                                 NAME_SERVER + "@53")
        resolv_conf = self.lab.write(name + "-resolv.conf",
                                     "nameserver %s\n" % NAME_SERVER)
        script = ("ip link set lo up && ip address add %s/32 dev lo && "
                  "mount --bind %s /etc/resolv.conf && (%s -d -c %s &) && "
                  'exec "$@"' % (NAME_SERVER, resolv_conf,
                                 packages.program("nsd"), config))
        return ["unshare", "--net", "--mount", "sh", "-c", script, "sh"]

    def rspamd(self, operation):
        if operation == "sign":
            return filters.Rspamd.signer(
                self.lab, "rspamd-sign", DOMAIN, SELECTOR, self.key)
        return filters.Rspamd.verifier(self.lab, "rspamd-verify", self.dns)

    def dkimpy_milter(self, operation):
        if operation == "sign":
            return filters.DkimpyMilter.signer(
                self.lab, "dkimpy-milter-sign", DOMAIN, SELECTOR, self.key)
        return filters.DkimpyMilter.verifier(
            self.lab, "dkimpy-milter-verify", AUTHSERV_ID,
            self._own_network("dkimpy-milter"))

    def floor(self, operation):
        return Floor(self.lab, self.build, self.key, operation)

    def check(self, name, operation, data):
        """Fails if the filter of that name did not do to DATA what it is
        measured for."""
        if operation == "sign":
            ok = (self._floor_passes(data) if name == "floor" else
                  self._signature_passes(data))
        else:
            ok = re.search(rb"(?mi)^Authentication-Results:[^\n]*"
                           rb"(\n[ \t][^\n]*)*dkim=pass", data)
        if not ok:
            raise LabError("%s did not %s this message:\n%s" % (
                name, operation, data.decode(errors="replace")))

    def _signature_passes(self, data):
        return self.lab.run(
            [self.command, "verify", "--keys", self.zone], data=data,
            check=False).returncode == 0

    def _floor_passes(self, data):
        header, body = data.split(b"\r\n\r\n", 1)
        found = re.search(rb"(?m)^X-Floor-Signature: (\S+)", header)
        if not found:
            return False
        signature = self.lab.write("floor.signature",
                                   base64.b64decode(found[1]))
        return self.lab.run(
            ["openssl", "dgst", "-sha256", "-prverify", self.key,
             "-signature", signature], data=body, check=False
        ).returncode == 0


class Floor:
    """The least that a DKIM filter can cost: floor.c."""

    def __init__(self, lab, build, key, operation):
        name = "floor-" + operation
        socket = os.path.join(lab.make_dir(name), "milter.sock")
        self.milter = "unix:" + socket

        def ready():
            if not listening(socket):
                return False
            os.chmod(socket, 0o666)
            return True
        self.process = lab.start(
            name, [os.path.join(build, "tests/bench/floor"), "--socket",
                   self.milter, "--" + operation, key], ready=ready)
