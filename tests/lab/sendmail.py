# SPDX-License-Identifier: BSD-2-Clause
"""A private Sendmail instance, from an unpacked package.

It runs with a host name of its own (a UTS namespace): Sendmail waits for
minutes where the machine's name has no dot. Its milter must be on an inet
socket: it refuses unix sockets below a folder like /tmp.
"""
import os
import re
import shlex
import subprocess

from . import packages
from .lab import LabError, listening

CONFIG = """\
divert(-1)
divert(0)dnl
VERSIONID(`lab')
OSTYPE(`linux')dnl
DOMAIN(`generic')dnl
undefine(`confHOST_STATUS_DIRECTORY')dnl
define(`confDOMAIN_NAME', `{hostname}')dnl
define(`QUEUE_DIR', `{dir}/mqueue')dnl
define(`STATUS_FILE', `{dir}/statistics')dnl
define(`confPID_FILE', `{dir}/sendmail.pid')dnl
define(`ALIAS_FILE', `')dnl
define(`confCW_FILE', `-o {dir}/local-host-names')dnl
define(`confSERVICE_SWITCH_FILE', `{dir}/service.switch')dnl
define(`confDONT_BLAME_SENDMAIL', `GroupWritableDirPathSafe,\
GroupWritableIncludeFileSafe')dnl
define(`confDONT_PROBE_INTERFACES', `loopback')dnl
define(`confTO_IDENT', `0s')dnl
define(`confTRUSTED_USERS', `root')dnl
define(`confDEF_USER_ID', `65534:65534')dnl
define(`SMART_HOST', `relay:[127.0.0.1]')dnl
define(`RELAY_MAILER_ARGS', `TCP $h {relay}')dnl
define(`confREFUSE_LA', `1000')dnl
define(`confQUEUE_LA', `1000')dnl
define(`confDELAY_LA', `0')dnl
FEATURE(`nocanonify')dnl
FEATURE(`accept_unresolvable_domains')dnl
FEATURE(`accept_unqualified_senders')dnl
FEATURE(`promiscuous_relay')dnl
FEATURE(`no_default_msa')dnl
DAEMON_OPTIONS(`Name={daemon}, Family=inet, Addr=127.0.0.1, Port={port}')dnl
INPUT_MAIL_FILTER(`dkim', `S=inet:{milter}@127.0.0.1, F=T, \
T=C:10s;S:20s;R:20s;E:60s')dnl
{more}MAILER(`smtp')dnl
"""


class Sendmail:
    """`milter`: the port of its milter; `relay`: the port all goes to;
    `more`: lines of sendmail.mc."""

    def __init__(self, lab, name, hostname, milter, relay, daemon="MTA",
                 more=""):
        self.lab = lab
        self.dir = lab.make_dir(name)
        self.port = lab.port()
        root = packages.root_of("sendmail").rstrip("/")
        cf = root + "/usr/share/sendmail/cf/"
        lab.make_dir(name, "mqueue", mode=0o700)
        lab.write(name + "/statistics", "")
        lab.write(name + "/service.switch", "hosts files\naliases files\n")
        source = lab.write(name + "/sendmail.mc", CONFIG.replace(
            "\\\n", "").format(
                hostname=hostname, dir=self.dir, relay=relay, daemon=daemon,
                port=self.port, milter=milter, more=more))
        made = lab.run(["m4", "-D_CF_DIR_=" + cf, cf + "m4/cf.m4", source])
        config = lab.write(name + "/sendmail.cf", made.stdout)
        self._command = ["unshare", "--uts", "sh", "-c",
                         "hostname %s && exec %s -C %s \"$@\"" % tuple(
                             map(shlex.quote, (
                                 hostname,
                                 root + "/usr/libexec/sendmail/sendmail",
                                 config))), "sendmail"]
        self.process = lab.start(
            name, self._command + ["-bD", "-X", self.dir + "/traffic.log"],
            ready=lambda: listening(self.port))

    def submit(self, sender, recipient, message):
        """Local submission: SMTP on standard input (-bs), which is what gives
        a milter no client. A command at a time, as it wants them."""
        process = subprocess.Popen(self._command + ["-bs"],
                                   stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        dotted = re.sub(rb"(?m)^\.", b"..", message)
        with process:
            _expect(process, b"220")
            for command, code in (
                    (b"EHLO localhost", b"250"),
                    (b"MAIL FROM:<%s>" % sender.encode(), b"250"),
                    (b"RCPT TO:<%s>" % recipient.encode(), b"250"),
                    (b"DATA", b"354"), (dotted + b".", b"250"),
                    (b"QUIT", b"221")):
                process.stdin.write(command + b"\r\n")
                process.stdin.flush()
                _expect(process, code)

    def queued(self):
        return len(os.listdir(self.dir + "/mqueue"))


def _expect(process, code):
    """Reads a reply, to its last line."""
    line = code + b"-"
    while line[3:4] == b"-":
        line = process.stdout.readline()
        if not line.startswith(code):
            raise LabError("sendmail -bs said %r" % line)
