# SPDX-License-Identifier: BSD-2-Clause
"""What the end-to-end tests share: one mail system, started as it is needed.

    a test -> sender (Postfix) -> receiver (Postfix) -> sink
              signs               verifies, a listener for each way

A listener of the sender signs in one way (signpostd, OpenDKIM, not at all);
the domain of the recipient chooses the receiver's listener. Each attribute of
World starts what it names when it is first used; all ends with the process.
"""
import base64
import functools
import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), ".."))

import corpus
from lab import filters, mail, peers
from lab.dns import Dns
from lab.lab import Lab
from lab.postfix import Postfix
from lab.sendmail import Sendmail
from lab.sink import Sink

CANONS = ["simple/simple", "simple/relaxed", "relaxed/simple",
          "relaxed/relaxed"]
ALGORITHMS = {"rsa": "rsa-sha256", "ed25519": "ed25519-sha256"}
SELECTORS = {"rsa": "r1", "ed25519": "e1"}
# A name's part of one label for a canonicalization: "simple-relaxed".
LABELS = {canon: canon.replace("/", "-") for canon in CANONS}
IDN = "xn--bcher-kva.example.com"
DOMAINS = [label + ".example.com" for label in LABELS.values()]
DOMAINS += ["peer.example.com", "both.example.com", IDN]
REPORTS = '_report._domainkey.{domain}. IN TXT "ra=dkim-reports"\n'
AUTHSERV_ID = "mx.example.org"
OTHER_ID = "opendkim.example.org"
# Recipient domains: which of the receiver's listeners a message goes to.
WAYS = ["plain", "signpost", "rejecting", "opendkim"]

SIGNER = """
mode = "sign";
key_directory = "{keys}";
sign = {{
  headers = [ {headers} ];
  oversign = [ "From", "Subject" ];
}};
domains = (
{domains}
);
"""
VERIFIER = """
mode = "verify";
authserv_id = "{id}";
trusted_networks = [ ];
dns = {{ servers = [ "{dns}" ]; timeout = "5s"; dnssec = false; }};
verify = {{ on_fail = "{on_fail}"; }};
"""
# What is done with mail that the domain of its From did not sign.
POLICY = """
mode = "verify";
authserv_id = "{id}";
trusted_networks = [ ];
dns = {{ servers = [ "{dns}" ]; timeout = "5s"; dnssec = false; }};
verify = {{
  exempt_senders = [ "list@example.net" ];
  exempt_recipients = [ ".exempt.test" ];
  domains = (
    {{ name = "strict.test"; require_aligned_pass = true;
      unaligned_reply = "554 5.7.98 {{domain}} signs its mail: {{reason}}"; }},
    {{ name = "plain.test"; require_aligned_pass = true; }},
    {{ name = "later.test"; require_aligned_pass = true;
      on_unaligned = "tempfail"; }},
    {{ name = "hold.test"; require_aligned_pass = true;
      on_unaligned = "quarantine"; }},
    {{ name = "gone.test"; require_aligned_pass = true;
      on_unaligned = "discard"; }},
    {{ name = "dry.test"; require_aligned_pass = true; dry_run = true; }} );
}};
"""
HEADERS = ["From", "To", "Cc", "Subject", "Date", "Message-ID", "Comments",
           "Keywords", "References", "In-Reply-To", "Reply-To", "Sender",
           "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
           "X-Signed", "X-Empty", "X-Blank"] + corpus.SPACE_FIELDS


class World:
    def __init__(self, build):
        self.build = build
        self.lab = Lab()
        self._numbers = itertools.count(1)

    # Keys and names

    @functools.cached_property
    def keys(self):
        """The folder of keys, DOMAIN/SELECTOR.pem, made by signpost keygen."""
        keys = self.lab.make_dir("keys")
        # For the owner that the keys get, keygen reads this.
        self.lab.write("keygen.conf", 'user = "%s";\n' % filters.USER
                       + 'key_directory = "%s";\n' % keys)
        for domain in DOMAINS:
            for kind, selector in SELECTORS.items():
                self.command("keygen", "-c", self.lab.path("keygen.conf"),
                             "-d", domain, "-s", selector, "-t", kind,
                             "-o", keys)
        return keys

    def key(self, domain, kind):
        return os.path.join(self.keys, domain, SELECTORS[kind] + ".pem")

    def seed(self, domain):
        """The Ed25519 seed in base64, as dkimpy wants it."""
        der = self.lab.run(["openssl", "pkey", "-in",
                            self.key(domain, "ed25519"),
                            "-outform", "DER"]).stdout
        return base64.b64encode(der[-32:])

    @functools.cached_property
    def zone(self):
        """The records of all keys, as signpost dns prints them."""
        self.keys
        text = self.command("dns", "-c", self.lab.path("keygen.conf")).stdout
        return self.lab.write("keys.zone", text)

    @functools.cached_property
    def dns(self):
        with open(self.zone) as f:
            return Dns(self.lab, {"example.com": f.read() + "".join(
                REPORTS.format(domain=domain) for domain in DOMAINS)})

    # Filters

    @functools.cached_property
    def signer(self):
        return filters.Signpostd(self.lab, "signer", self.build,
                                 self.signer_config())

    def signer_config(self):
        entries = ['  { name = "%s.example.com"; canonicalization = "%s"; }'
                   % (label, canon) for canon, label in LABELS.items()]
        return SIGNER.format(
            keys=self.keys, domains=",\n".join(entries),
            headers=", ".join('"%s"' % name for name in HEADERS))

    @functools.cached_property
    def verifier(self):
        return self._verifier("verifier", "accept")

    @functools.cached_property
    def rejecter(self):
        return self._verifier("rejecter", "reject")

    def _verifier(self, name, on_fail):
        return filters.Signpostd(self.lab, name, self.build, VERIFIER.format(
            id=AUTHSERV_ID, dns=self.dns.address(), on_fail=on_fail))

    @functools.cached_property
    def policing(self):
        return filters.Signpostd(
            self.lab, "policing", self.build,
            POLICY.format(id=AUTHSERV_ID, dns=self.dns.address()))

    @functools.cached_property
    def opendkim(self):
        return filters.OpenDkim.verifier(self.lab, "opendkim", OTHER_ID,
                                         self.dns, ["example.com"])

    @functools.cached_property
    def opendkim_signers(self):
        """One for each (canonicalization, kind of key)."""
        return {(canon, kind): filters.OpenDkim.signer(
            self.lab, "opendkim-%s-%s" % (LABELS[canon], kind),
            "peer.example.com", SELECTORS[kind],
            self.key("peer.example.com", kind), canon, ALGORITHMS[kind])
            for canon in CANONS for kind in ALGORITHMS}

    # Mail servers

    @functools.cached_property
    def sink(self):
        return Sink(self.lab)

    @functools.cached_property
    def receiver(self):
        milters = {"plain": "", "signpost": self.verifier.milter,
                   "rejecting": self.rejecter.milter,
                   "opendkim": self.opendkim.milter}
        return Postfix(self.lab, "receiver", AUTHSERV_ID, {
            way: {"smtpd_milters": milters[way]} for way in WAYS},
            self.sink.port)

    @functools.cached_property
    def policing_receiver(self):
        return Postfix(self.lab, "policing-receiver", AUTHSERV_ID, {
            "all": {"smtpd_milters": self.policing.milter}}, self.sink.port)

    @functools.cached_property
    def policing_sendmail(self):
        return Sendmail(self.lab, "policing-sendmail", AUTHSERV_ID,
                        self.policing.port, self.sink.port)

    @functools.cached_property
    def sender(self):
        listeners = {"plain": {"smtpd_milters": ""},
                     "signpost": {"smtpd_milters": self.signer.milter}}
        for (canon, kind), signer in self.opendkim_signers.items():
            listeners["%s-%s" % (LABELS[canon], kind)] = {
                "smtpd_milters": signer.milter}
        return Postfix(
            self.lab, "sender", "mx.example.com", listeners, self.sink.port,
            milters=self.signer.milter, transports={
                way + ".test": self.receiver.ports[way] for way in WAYS})

    @functools.cached_property
    def sendmail_receiver(self):
        return Sendmail(self.lab, "sendmail-receiver", AUTHSERV_ID,
                        self.verifier.port, self.sink.port)

    @functools.cached_property
    def sendmail_sender(self):
        return Sendmail(self.lab, "sendmail-sender", "mx.example.com",
                        self.signer.port, self.sendmail_receiver.port)

    # Peers

    @functools.cached_property
    def dkimpy(self):
        return peers.Dkimpy(self.dns.port)

    @functools.cached_property
    def mail_dkim(self):
        return peers.MailDkim(self.lab, self.dns.port)

    def command(self, *argv, data=None, check=True):
        """Runs the command signpost."""
        return self.lab.run([filters.command_of(self.build), *argv],
                            data=data, check=check)

    def verify(self, data):
        """What `signpost verify` says: (selector, result) of each."""
        done = self.command("verify", "--keys", self.zone, "--json",
                            data=data, check=False)
        return [(s["selector"], s["result"])
                for s in json.loads(done.stdout)["signatures"]]

    # Mail

    def address(self, way):
        """A recipient of its own, so that the message is found again."""
        return "bob%d@%s.test" % (next(self._numbers), way)

    def deliver(self, port, sender, way, data):
        """Sends through a mail server and takes what came out at the end."""
        recipient = self.address(way)
        code, text = mail.send(port, sender, [recipient], data)
        if code != 250:
            raise AssertionError("not accepted: %d %s" % (code, text))
        return self.sink.take(recipient).data


def rows(table):
    """A decorator: one test method for each name in `table`, called with it."""
    def decorate(function):
        function.rows = table
        return function
    return decorate


def expand(cls):
    """A class decorator that makes the methods that `rows` asks for."""
    for name, function in list(vars(cls).items()):
        for row in getattr(function, "rows", []):
            def method(self, function=function, row=row):
                return function(self, row)
            setattr(cls, "%s__%s" % (name, row), method)
        if hasattr(function, "rows"):
            delattr(cls, name)
    return cls
