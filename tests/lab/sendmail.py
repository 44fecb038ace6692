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
from .view import Installed, Users

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
{filter}{more}MAILER(`smtp')dnl
"""
FILTER = """\
INPUT_MAIL_FILTER(`dkim', `S=inet:%d@127.0.0.1, F=T, \
T=C:10s;S:20s;R:20s;E:60s')dnl
"""
# What hands mail that a program submits to the daemon.
SUBMIT = """\
divert(-1)
divert(0)dnl
VERSIONID(`lab')
define(`confCF_VERSION', `Submit')dnl
define(`__OSTYPE__', `')dnl
define(`confDONT_INIT_GROUPS', `True')dnl
define(`confDOMAIN_NAME', `{hostname}')dnl
define(`confSERVICE_SWITCH_FILE', `{dir}/service.switch')dnl
define(`confDONT_BLAME_SENDMAIL', `GroupWritableDirPathSafe')dnl
define(`MSP_QUEUE_DIR', `{dir}/clientmqueue')dnl
define(`RELAY_MAILER_ARGS', `TCP $h {port}')dnl
FEATURE(`msp', `[127.0.0.1]')dnl
"""
PROGRAM = "usr/libexec/sendmail/sendmail"


class Sendmail:
    """`milter`: the port of its milter, or the line of sendmail.mc about it;
    `relay`: the port all goes to; `more`: lines of sendmail.mc."""

    def __init__(self, lab, name, hostname, milter, relay, daemon="MTA",
                 more=""):
        self.lab = lab
        self.dir = lab.make_dir(name)
        self.port = lab.port()
        self.name = name
        self.hostname = hostname
        self.root = packages.root_of("sendmail")
        lab.make_dir(name, "mqueue", mode=0o700)
        lab.write(name + "/statistics", "")
        lab.write(name + "/service.switch", "hosts files\naliases files\n")
        config = lab.write(name + "/sendmail.cf", self._make(
            "sendmail.mc", CONFIG.replace("\\\n", "").format(
                hostname=hostname, dir=self.dir, relay=relay, daemon=daemon,
                port=self.port, more=more,
                filter=milter if isinstance(milter, str) else
                FILTER.replace("\\\n", "") % milter)))
        self._command = ["unshare", "--uts", "sh", "-c",
                         "hostname %s && exec %s -C %s \"$@\"" % tuple(
                             map(shlex.quote, (
                                 hostname,
                                 os.path.join(self.root, PROGRAM),
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

    def installed(self, port):
        """Where this is the machine's own Sendmail: whoever runs
        /usr/sbin/sendmail there hands mail to its listener at `port`."""
        users = Users(self.lab, self.name + "-etc", "smmsp")
        queue = self.lab.make_dir(self.name, "clientmqueue", mode=0o770)
        os.chown(queue, users.uid, users.gid)
        view = Installed(self.lab, self.name + "-installed", self.root, users,
                         self.hostname)
        view.write("etc/mail/submit.cf", self._make(
            "submit.mc", SUBMIT.format(hostname=self.hostname, dir=self.dir,
                                       port=port)))
        view.set_gid(PROGRAM, users.gid)
        view.link("usr/sbin/sendmail", "/" + PROGRAM)
        return view

    def _make(self, name, text):
        """The configuration that Sendmail's macros make of `text`."""
        cf = os.path.join(self.root, "usr/share/sendmail/cf/")
        source = self.lab.write(os.path.join(self.dir, name), text)
        return self.lab.run(["m4", "-D_CF_DIR_=" + cf, cf + "m4/cf.m4",
                             source]).stdout

    def queued(self):
        return len(os.listdir(self.dir + "/mqueue"))


def _expect(process, code):
    """Reads a reply, to its last line."""
    line = code + b"-"
    while line[3:4] == b"-":
        line = process.stdout.readline()
        if not line.startswith(code):
            raise LabError("sendmail -bs said %r" % line)
