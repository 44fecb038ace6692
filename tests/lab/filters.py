# SPDX-License-Identifier: BSD-2-Clause
"""Milters: signpostd; OpenDKIM, rspamd and dkimpy-milter to compare with, and
OpenDKIM to verify against."""
import os
import pwd
import re
import signal

from . import packages
from .lab import listening

USER = "nobody"


class Signpostd:
    """`build`: a build tree, or "" for an installed one.

    `config`: text of signpost.conf; user, status and log are added, a socket
    where it names none, and an empty folder of keys where it names none:
    nothing of the machine's own /etc/signpost counts. `wrap`: what makes a command line of another one
    that runs it elsewhere."""

    def __init__(self, lab, name, build, config, unix=False, level="info",
                 port=None, wrap=list):
        self.lab = lab
        self.level = level
        self.name = name
        self.dir = lab.make_dir(name)
        # The daemon's user makes its sockets here.
        user = pwd.getpwnam(USER)
        os.chown(self.dir, user.pw_uid, user.pw_gid)
        self.daemon = daemon_of(build)
        self.wrap = wrap
        self.port = None if unix else port or lab.port()
        self.socket = ("unix:%s/milter.sock" % self.dir if unix else
                       "inet:%d@127.0.0.1" % self.port)
        self.milter = ("unix:%s/milter.sock" % self.dir if unix else
                       "inet:127.0.0.1:%d" % self.port)
        self.status = self.dir + "/status.sock"
        self.config_file = self.dir + "/signpost.conf"
        self.configure(config)
        self.process = None
        self.start()

    def configure(self, config):
        group = "nogroup"
        lines = []
        own = re.search("^socket = \"(.*)\"", config, re.MULTILINE)
        if own is not None and own[1].startswith("unix:"):
            self.port, self.milter = None, own[1]
        elif own is None:
            lines.append('socket = "%s";' % self.socket)
            if self.port is None:
                lines.append('socket_mode = "0666";')
        if "key_directory" not in config:
            lines.append('key_directory = "%s";'
                         % self.lab.make_dir(self.name, "keys"))
        self.lab.write(self.config_file, "\n".join([
            *lines,
            'user = "%s";' % USER, 'group = "%s";' % group,
            'status = { socket = "unix:%s"; };' % self.status,
            'log = { to = "stderr"; level = "%s"; };' % self.level,
            config, ""]))

    def start(self):
        target = self.port or self.milter.split(":", 1)[1]
        self.process = self.lab.start(
            self.name, self.wrap([self.daemon, "-f", "-c", self.config_file]),
            clean=True,
            ready=lambda: listening(target) and os.path.exists(self.status))

    def reload(self, config=None):
        """New configuration, if given, and SIGHUP; waits until it is used."""
        if config is not None:
            self.configure(config)
        before = self.counter("signpost_reloads_total")
        self.process.signal(signal.SIGHUP)
        self.lab.wait_for(
            lambda: self.counter("signpost_reloads_total") > before,
            "%s to reload" % self.name, process=self.process)

    def stop(self):
        self.lab.stop(self.process)

    def page(self, name):
        """A page of the status socket as text: "metrics", "status"."""
        return self.lab.run(["curl", "-sS", "--unix-socket", self.status,
                             "http://localhost/" + name]).stdout.decode()

    def metrics(self):
        return self.page("metrics")

    def counter(self, name):
        """The sum of a metric over its labels."""
        return sum(float(line.rsplit(" ", 1)[1])
                   for line in self.metrics().splitlines()
                   if line.startswith((name + "{", name + " ")))


class OpenDkim:
    """OpenDKIM as a milter; `settings` are lines of opendkim.conf."""

    def __init__(self, lab, name, settings, unix=False, wrap=()):
        self.lab = lab
        self.dir = lab.make_dir(name)
        self.port = None if unix else lab.port()
        socket = self.dir + "/milter.sock"
        self.milter = ("unix:" + socket if unix else
                       "inet:127.0.0.1:%d" % self.port)
        config = {
            "Socket": "local:" + socket if unix else
                      "inet:%d@127.0.0.1" % self.port,
            "PidFile": self.dir + "/pid",
            "RequireSafeKeys": "no",
            "Syslog": "no",
            "UMask": "000",
            "AlwaysAddARHeader": "yes",
            **settings}
        lab.write(self.dir + "/opendkim.conf", "".join(
            "%s %s\n" % pair for pair in config.items()))
        self.process = lab.start(
            name, [*wrap, packages.program("opendkim"), "-f", "-x",
                   self.dir + "/opendkim.conf"],
            # It has no state to save, and libmilter takes 5 s to stop.
            end=signal.SIGKILL,
            ready=lambda: listening(self.port or socket))

    @classmethod
    def signer(cls, lab, name, domain, selector, key, canon, algorithm,
               unix=False):
        hosts = lab.write("opendkim-internal", "127.0.0.1\nlocalhost\n")
        return cls(lab, name, {
            "Mode": "s", "Domain": domain, "Selector": selector,
            "KeyFile": key, "Canonicalization": canon,
            "SignatureAlgorithm": algorithm, "InternalHosts": hosts}, unix)

    @classmethod
    def verifier(cls, lab, name, authserv_id, dns, zones, unix=False):
        """For one message at a time: with a configuration of libunbound it
        crashes where two begin at once, as that is parsed for each."""
        # Without an InternalHosts of its own, 127.0.0.1 is not verified.
        hosts = lab.write("opendkim-nobody", "192.0.2.111\n")
        # libunbound's "test." and the like are answered within; the zones
        # are asked of our server, without a recursive one in between.
        resolver = lab.write("opendkim-unbound.conf", "".join(
            ["server:\n  do-not-query-localhost: no\n"
             "  module-config: iterator\n"]
            + ["  local-zone: \"%s.\" nodefault\n" % tld
               for tld in sorted({zone.rsplit(".", 1)[-1] for zone in zones})]
            + ["stub-zone:\n  name: \"%s\"\n  stub-addr: %s\n"
               % (zone, dns.address()) for zone in zones]))
        return cls(lab, name, {
            "Mode": "v", "AuthservID": authserv_id, "InternalHosts": hosts,
            "ResolverConfiguration": resolver}, unix)


RSPAMD = """
options {{
  pidfile = "{dir}/pid"; control_socket = "{dir}/control.sock mode=0600";
  filters = "dkim"; local_addrs = "127.0.0.0/8";
  dns {{ nameserver = ["{name_server}"]; timeout = 5s; retransmits = 3; }}
  temp_dir = "{dir}"; hs_cache_dir = "{dir}"; url_tld = "{dir}/tld";
}}
logging {{ type = "console"; level = "error"; }}
worker "rspamd_proxy" {{
  bind_socket = "{dir}/milter.sock mode=0666";
  count = {processors}; milter = yes; timeout = 60s;
  upstream "local" {{ default = yes; self_scan = yes; }}
}}
actions {{ reject = 1000; add_header = 900; greylist = 800; }}
modules {{ path = "{share}/plugins"; }}
"""
RSPAMD_SIGNER = """
dkim {{ check_local = false; check_authed = false; }}
dkim_signing {{
  sign_local = true; use_domain = "header"; use_esld = false;
  allow_username_mismatch = true; allow_hdrfrom_mismatch = true;
  try_fallback = false;
  domain {{ {domain} {{ path = "{key}"; selector = "{selector}"; }} }}
}}
"""
RSPAMD_VERIFIER = """
dkim {{ }}
dkim_signing {{ enabled = false; }}
milter_headers {{
  use = ["authentication-results"];
  routines {{ authentication-results {{
    header = "Authentication-Results"; remove = 0; }} }}
}}
"""


class Rspamd:
    """rspamd with nothing but DKIM: a process for each processor, as it is
    set up by default. `name_server`: "ADDRESS:PORT"."""

    def __init__(self, lab, name, settings, name_server="127.0.0.1:53"):
        directory = lab.make_dir(name)
        user = pwd.getpwnam(USER)
        os.chown(directory, user.pw_uid, user.pw_gid)
        share = packages.program("rspamd", "usr/share/rspamd")
        self.milter = "unix:%s/milter.sock" % directory
        # It compiles an expression for each line of its own list.
        lab.write(directory + "/tld", "com\norg\ntest\n")
        config = lab.write(directory + "/rspamd.conf", RSPAMD.format(
            dir=directory, share=share, name_server=name_server,
            processors=len(os.sched_getaffinity(0))) + settings)
        places = {"SHAREDIR": "", "PLUGINSDIR": "/plugins",
                  "LUALIBDIR": "/lualib", "RULESDIR": "/rules"}
        self.process = lab.start(
            name, [packages.program("rspamd"), "-f", "-u", USER, "-g",
                   "nogroup", "-c", config,
                   *("--var=%s=%s%s" % (variable, share, folder)
                     for variable, folder in places.items())],
            env=packages.environment("rspamd"), end=signal.SIGKILL,
            ready=lambda: listening(directory + "/milter.sock"))

    @classmethod
    def signer(cls, lab, name, domain, selector, key):
        """`key`: one that USER can read."""
        return cls(lab, name, RSPAMD_SIGNER.format(
            domain=domain, selector=selector, key=key))

    @classmethod
    def verifier(cls, lab, name, dns):
        return cls(lab, name, RSPAMD_VERIFIER.format(),
                   dns.address().replace("@", ":") + ":1")


class DkimpyMilter:
    """`settings`: lines of dkimpy-milter.conf."""

    def __init__(self, lab, name, settings, wrap=()):
        directory = lab.make_dir(name)
        user = pwd.getpwnam(USER)
        os.chown(directory, user.pw_uid, user.pw_gid)
        self.milter = "unix:%s/milter.sock" % directory
        config = lab.write(directory + "/dkimpy-milter.conf", "".join(
            "%s %s\n" % pair for pair in {
                "Socket": "local:%s/milter.sock" % directory,
                "PidFile": directory + "/pid", "Syslog": "no",
                "UserID": USER + ":nogroup", "UMask": "000",
                **settings}.items()))
        self.process = lab.start(
            name, [*wrap, "/usr/bin/python3",
                   packages.program("dkimpy-milter"), config],
            env=packages.environment("dkimpy-milter"), end=signal.SIGKILL,
            ready=lambda: listening(directory + "/milter.sock"))

    @classmethod
    def signer(cls, lab, name, domain, selector, key):
        return cls(lab, name, {
            "Mode": "s", "Domain": domain, "Selector": selector,
            "KeyFile": key, "InternalHosts": "127.0.0.1",
            "Canonicalization": "relaxed/relaxed"})

    @classmethod
    def verifier(cls, lab, name, authserv_id, wrap):
        """It asks whom /etc/resolv.conf names, at port 53."""
        return cls(lab, name, {
            "Mode": "v", "AuthservID": authserv_id,
            "InternalHosts": "192.0.2.111"}, wrap)


def daemon_of(build):
    return os.path.join(build, "milter/signpostd") if build else "signpostd"


def command_of(build):
    return os.path.join(build, "milter/tool/signpost") if build else "signpost"
