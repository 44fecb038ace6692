# SPDX-License-Identifier: BSD-2-Clause
"""A private Sendmail instance, from an unpacked package.

It runs with a host name of its own (a UTS namespace): Sendmail waits for
minutes where the machine's name has no dot. Its milter must be on an inet
socket: it refuses unix sockets below a folder like /tmp.
"""
import os
import shlex

from . import packages
from .lab import listening

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
MAILER(`smtp')dnl
"""


class Sendmail:
    """`milter`: the port of its milter; `relay`: the port all goes to."""

    def __init__(self, lab, name, hostname, milter, relay, daemon="MTA"):
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
                port=self.port, milter=milter))
        made = lab.run(["m4", "-D_CF_DIR_=" + cf, cf + "m4/cf.m4", source])
        config = lab.write(name + "/sendmail.cf", made.stdout)
        self.process = lab.start(
            name, ["unshare", "--uts", "sh", "-c",
                   "hostname %s && exec %s -bD -C %s -X %s" % tuple(
                       map(shlex.quote, (
                           hostname, root + "/usr/libexec/sendmail/sendmail",
                           config, self.dir + "/traffic.log")))],
            ready=lambda: listening(self.port))

    def queued(self):
        return len(os.listdir(self.dir + "/mqueue"))
