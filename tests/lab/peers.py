# SPDX-License-Identifier: BSD-2-Clause
"""Other DKIM implementations, as verifiers and as signers of a message.

Each verifier answers a list of (selector, result) in the order of the
signatures; result is "pass" or says what went wrong.
"""
import json
import os
import subprocess

from . import mail

PERL = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "mail_dkim.pl")


class Dkimpy:
    """python3-dkim, which asks the lab's name server through dnspython."""

    def __init__(self, port):
        import dns.resolver  # Debian packages: only those who need them pay
        self.resolver = dns.resolver.Resolver(configure=False)
        self.resolver.nameservers = ["127.0.0.1"]
        self.resolver.port = port
        self.resolver.lifetime = 5

    def _txt(self, name, timeout=5):
        import dns.resolver
        name = name.decode() if isinstance(name, bytes) else name
        try:
            answer = self.resolver.resolve(name, "TXT")
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return None
        return b"".join(answer[0].strings)

    def verify(self, data):
        import dkim
        found = []
        for i, (_, value) in enumerate(mail.fields(data, "DKIM-Signature")):
            try:
                ok = dkim.DKIM(data).verify(idx=i, dnsfunc=self._txt)
                result = "pass" if ok else "fail"
            except dkim.DKIMException as error:
                result = str(error)
            found.append((tag(value, "s"), result))
        return found

    @staticmethod
    def sign(data, domain, selector, key, canon, headers=None):
        """`key`: PEM of an RSA key, or the base64 seed of an Ed25519 one."""
        import dkim
        header, body = canon.split("/")
        algorithm = (b"rsa-sha256" if key.startswith(b"-----")
                     else b"ed25519-sha256")
        signer = dkim.DKIM(data, signature_algorithm=algorithm)
        # It would not sign some fields, Comments for one (RFC 6376 5.4.1).
        signer.should_not_sign = set()
        field = signer.sign(
            selector.encode(), domain.encode(), key,
            canonicalize=(header.encode(), body.encode()),
            include_headers=headers)
        return field + data


class MailDkim:
    """Mail::DKIM in one long-lived perl; RSA only in Debian 12."""

    def __init__(self, lab, port):
        self.lab = lab
        self.perl = subprocess.Popen(
            ["perl", PERL, str(port)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.count = 0
        lab.closing.callback(self._close)

    def _close(self):
        self.perl.stdin.close()
        self.perl.wait(10)
        self.perl.stdout.close()

    def verify(self, data):
        self.count += 1
        name = self.lab.write("mail-dkim/%d.eml" % self.count, data)
        self.perl.stdin.write(name + "\n")
        self.perl.stdin.flush()
        return [tuple(pair) for pair in json.loads(self.perl.stdout.readline())]


def tag(value, name):
    """A tag of a DKIM-Signature field's value, white space removed."""
    for part in mail.unfold(value).split(";"):
        key, _, text = part.partition("=")
        if key.strip() == name:
            return "".join(text.split())
    return ""
