# SPDX-License-Identifier: BSD-2-Clause
"""Programs of Debian packages, without installing the packages.

Mail servers remove each other when they are installed, and name servers and
milters start as soon as they are. So what the machine does not have already is
downloaded and unpacked into a folder; the machine stays as it was.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from .lab import LabError

# What else a package's programs need, contrib/packages has, or environment().
PACKAGES = {
    "nsd": ["nsd"],
    "postfix": ["postfix"],
    "sendmail": ["sendmail-bin", "sendmail-base", "sendmail-cf"],
    "opendkim": ["opendkim"],
    "prometheus": ["prometheus"],
    "rspamd": ["rspamd", "libglib2.0-0", "libhyperscan5", "libicu72",
               "libluajit-5.1-2", "libluajit-5.1-common", "libpcre2-8-0",
               "libsodium23", "libsqlite3-0", "libunwind8"],
    "dkimpy-milter": ["dkimpy-milter", "libmilter1.0.1", "python3-authres",
                      "python3-dkim", "python3-dns", "python3-dnspython",
                      "python3-milter"],
}
# A file by which an installed one is known.
PROGRAMS = {
    "nsd": "usr/sbin/nsd",
    "postfix": "usr/lib/postfix/sbin/master",
    "sendmail": "usr/libexec/sendmail/sendmail",
    "opendkim": "usr/sbin/opendkim",
    "prometheus": "usr/bin/prometheus",
    "rspamd": "usr/bin/rspamd",
    "dkimpy-milter": "usr/bin/dkimpy-milter",
}


def root_of(name):
    """The folder below which the program's files are, "/" if installed."""
    if os.path.exists("/" + PROGRAMS[name]) and name != "sendmail":
        return "/"
    root = os.path.join(os.path.realpath(_store()), name)
    if not os.path.isdir(root):
        _unpack(name, root)
    return root


def program(name, path=None):
    return os.path.join(root_of(name), path or PROGRAMS[name])


def installed(name):
    return root_of(name) == "/"


def environment(name):
    """Where a program finds the libraries and modules unpacked with it."""
    root = root_of(name)
    if root == "/":
        return {}
    folders = glob.glob(os.path.join(root, "usr/lib/*-linux-gnu*"))
    folders += glob.glob(os.path.join(root, "lib/*-linux-gnu*"))
    return {
        "LD_LIBRARY_PATH": ":".join(
            folders + [os.path.join(root, "usr/lib", name)]),
        "PYTHONPATH": os.path.join(root, "usr/lib/python3/dist-packages"),
        "PYTHONDONTWRITEBYTECODE": "1"}


def _store():
    """Where unpacked packages are kept."""
    return os.environ.get("SIGNPOST_PACKAGES") or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../../build-packages")


def _unpack(name, root):
    print("Unpacking %s into %s; nothing is installed" % (
        " ".join(PACKAGES[name]), os.path.normpath(root)), file=sys.stderr)
    os.makedirs(_store(), exist_ok=True)
    work = tempfile.mkdtemp(prefix=name + ".", dir=_store())
    try:
        _command(["apt-get", "-q", "-o", "APT::Sandbox::User=root",
                  "download"] + PACKAGES[name], work)
        for deb in os.listdir(work):
            if deb.endswith(".deb"):
                _command(["dpkg-deb", "-x", deb, "root"], work)
        os.chmod(os.path.join(work, "root"), 0o755)
        # Two labs may have unpacked at once: the first one wins.
        try:
            os.rename(os.path.join(work, "root"), root)
        except OSError:
            if not os.path.isdir(root):
                raise
    finally:
        shutil.rmtree(work)


def _command(argv, cwd):
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise LabError("%s: exit %d\n%s" % (
            " ".join(argv), done.returncode,
            done.stdout.decode(errors="replace")))


if __name__ == "__main__":
    # Unpacks those named, and prints the folder of each.
    for _name in sys.argv[1:]:
        print(root_of(_name))
