# SPDX-License-Identifier: BSD-2-Clause
"""A private Postfix instance: own queue, configuration, log and ports.

Postfix's master is started itself, not by the postfix command, so that it is
a child of ours. Where Postfix is not installed it runs from an unpacked
package; the users that it needs then exist in its own view of /etc/passwd
alone (a mount namespace), so nothing of the machine changes.
"""
import os
import re
import signal

from . import packages
from .lab import listening
from .view import Installed, Users

MAIN = """\
compatibility_level = 3.6
queue_directory = {dir}/spool
data_directory = {dir}/data
command_directory = {root}/usr/sbin
daemon_directory = {root}/usr/lib/postfix/sbin
shlib_directory = {root}/usr/lib/postfix
meta_directory = {dir}/etc
sendmail_path = {root}/usr/sbin/sendmail
mailq_path = {root}/usr/bin/mailq
newaliases_path = {root}/usr/bin/newaliases
import_environment = MAIL_CONFIG MAIL_LOGTAG LANG=C POSTLOG_SERVICE
    POSTLOG_HOSTNAME LD_LIBRARY_PATH
export_environment = MAIL_CONFIG LANG=C LD_LIBRARY_PATH
mail_owner = postfix
setgid_group = postdrop
maillog_file = {dir}/maillog
maillog_file_prefixes = {lab}
myhostname = {hostname}
mydomain = {domain}
myorigin = {domain}
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions =
smtpd_peername_lookup = no
disable_dns_lookups = yes
smtp_host_lookup = native
local_recipient_maps =
alias_maps =
alias_database =
milter_protocol = 6
milter_default_action = tempfail
smtpd_milters =
non_smtpd_milters = {milters}
relayhost = {relay}
minimal_backoff_time = 5s
maximal_backoff_time = 10s
queue_run_delay = 5s
transport_retry_time = 5s
service_throttle_time = 1s
"""
SERVICES = """\
pickup    unix  n  -  n  1  1  pickup
cleanup   unix  n  -  n  -   0  cleanup
qmgr      unix  n  -  n  300 1  qmgr
rewrite   unix  -  -  n  -   -  trivial-rewrite
bounce    unix  -  -  n  -   0  bounce
defer     unix  -  -  n  -   0  bounce
trace     unix  -  -  n  -   0  bounce
flush     unix  n  -  n  1000? 0 flush
proxymap  unix  -  -  n  -   -  proxymap
smtp      unix  -  -  n  -   -  smtp
relay     unix  -  -  n  -   -  smtp
showq     unix  n  -  n  -   -  showq
error     unix  -  -  n  -   -  error
retry     unix  -  -  n  -   -  error
discard   unix  -  -  n  -   -  discard
anvil     unix  -  -  n  -   1  anvil
scache    unix  -  -  n  -   1  scache
postlog   unix-dgram n - n - 1 postlogd
"""
LISTENER = "127.0.0.1:{port} inet n - n - - smtpd\n"
# Directories of the queue: name, mode, and whether group postdrop owns them.
QUEUE = [(name, 0o700, False) for name in (
    "active", "bounce", "corrupt", "defer", "deferred", "flush", "hold",
    "incoming", "private", "saved", "trace")]
QUEUE += [("maildrop", 0o730, True), ("public", 0o710, True)]


class Postfix:
    """`listeners`: name to a dict of smtpd settings (smtpd_milters ...).

    `milters`: those of local submission. `relay`: the port all goes to, None
    for none, and `transports`: a port for a recipient domain. `recipe`: one
    whose main.cf and master.cf come behind; `chroot`: smtpd and cleanup run
    in the queue directory."""

    def __init__(self, lab, name, hostname, listeners, relay, milters="",
                 transports=None, settings=None, recipe=None, chroot=False):
        self.lab = lab
        self.name = name
        self.dir = lab.make_dir(name)
        self.root = packages.root_of("postfix")
        self.hostname = hostname
        self.users = Users(lab, "etc", "postfix", ["postdrop"])
        self.ports = {listener: lab.port() for listener in listeners}
        self._make_queue()
        main = MAIN.format(
            dir=self.dir, lab=lab.dir, root=self.root.rstrip("/"),
            hostname=hostname, domain=hostname.split(".", 1)[1],
            milters=milters,
            relay="" if relay is None else "[127.0.0.1]:%d" % relay)
        if transports:
            main += "transport_maps = inline:{%s}\n" % ", ".join(
                "{%s = smtp:[127.0.0.1]:%d}" % route
                for route in transports.items())
        for key, value in (settings or {}).items():
            main = _set(main, "%s = %s" % (key, value))
        master = SERVICES + "".join(
            LISTENER.format(port=self.ports[listener]) + "".join(
                "  -o {%s = %s}\n" % option for option in options.items())
            for listener, options in listeners.items())
        if recipe is not None:
            for line in re.findall(r"^\w.*", recipe.main, re.MULTILINE):
                main = _set(main, line)
            master += recipe.master
            self.ports.update(recipe.ports)
        if chroot:
            master = re.sub(r"^(\S+ +\S+ +\S+ +\S+ +)n(?=.* (smtpd|cleanup)$)",
                            r"\1y", master, flags=re.MULTILINE)
        lab.write(name + "/etc/main.cf", main)
        lab.write(name + "/etc/master.cf", master)
        # Maps of other packages are found through this file; none is used.
        lab.write(name + "/etc/dynamicmaps.cf", "")
        self.process = None
        self.start()

    def start(self):
        self.process = self.lab.start(
            self.name,
            self._wrap([self.root + "/usr/lib/postfix/sbin/master",
                        "-d", "-c", self.dir + "/etc"]),
            env=self._env(),
            ready=lambda: all(listening(p) for p in self.ports.values()))

    def stop(self):
        self.lab.stop(self.process)

    def reload(self):
        self.process.signal(signal.SIGHUP)

    def sendmail(self, sender, recipients, message):
        """Local submission: through pickup, without SMTP."""
        return self.lab.run(
            self._wrap([self.root + "/usr/sbin/sendmail", "-C",
                        self.dir + "/etc", "-i", "-f", sender]
                       + list(recipients)),
            data=message, env={**os.environ, **self._env()})

    def installed(self):
        """Where this is the machine's own Postfix: whoever runs
        /usr/sbin/sendmail there hands mail to it."""
        view = Installed(self.lab, self.name + "-installed", self.root,
                         self.users, self.hostname)
        with open(self.dir + "/etc/main.cf") as f:
            view.write("etc/postfix/main.cf", f.read().replace(
                self.root.rstrip("/") + "/usr/", "/usr/"))
        view.write("etc/postfix/dynamicmaps.cf", "")
        view.set_gid("usr/sbin/postdrop", self.users.groups["postdrop"])
        return view

    def log(self):
        try:
            with open(self.dir + "/maillog", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def queued(self):
        """How many messages wait in the queue."""
        return sum(len(files) for queue in ("maildrop", "incoming", "active",
                                            "deferred", "hold")
                   for _, _, files in os.walk(self.dir + "/spool/" + queue))

    def _env(self):
        if self.root == "/":
            return {}
        return {"LD_LIBRARY_PATH": self.root + "/usr/lib/postfix"}

    def _wrap(self, argv):
        return self.users.wrap(argv)

    def _make_queue(self):
        spool = self.lab.make_dir(self.name, "spool")
        data = self.lab.make_dir(self.name, "data", mode=0o700)
        os.chown(data, self.users.uid, self.users.gid)
        for name, mode, dropped in QUEUE:
            path = self.lab.make_dir(self.name, "spool", name, mode=mode)
            os.chown(path, self.users.uid,
                     self.users.groups["postdrop"] if dropped else -1)
        os.makedirs(spool + "/pid")


def _set(main, line):
    """main.cf with a setting's line in place of the one that it has. Of two,
    each program would warn as it starts; and where more warnings come at once
    than a socket holds, master waits for the logger, which it has to start.
    """
    key = line.split("=", 1)[0].strip()
    return re.sub(r"^%s =.*\n" % re.escape(key), "", main,
                  flags=re.MULTILINE) + line + "\n"
