# SPDX-License-Identifier: BSD-2-Clause
"""A mail system in a temporary folder, for tests and for contrib/try.

    lab.py       the folder, the ports and the processes; all of it goes again
    packages.py  programs of Debian packages, unpacked without installing them
    dns.py       a name server with zones of our own
    postfix.py   private Postfix instances
    sendmail.py  private Sendmail instances
    sink.py      an SMTP server that keeps the exact bytes, and may change them
    filters.py   milters: signpostd, OpenDKIM, rspamd and dkimpy-milter
    peers.py     other verifiers and signers: dkimpy, Mail::DKIM
    mail.py      sending, and reading what arrived

Everything listens on loopback only, on ports that were free, so that several
labs can run at once. The standard library and Debian packages are all it uses.
"""
