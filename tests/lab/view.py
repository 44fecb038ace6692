# SPDX-License-Identifier: BSD-2-Clause
"""The machine as programs would see it with a package installed that is not.

Files of ours lie in front of those in /etc and /usr, in mount namespaces:
nothing of the machine itself changes.
"""
import grp
import os
import pwd
import shutil
import subprocess

# A file mounted over a file would come off when somebody renames another over
# it, as useradd does; that is for where overlays are not allowed.
ACCOUNTS = """\
mount -t overlay overlay -o "lowerdir=$0:/etc" /etc 2>/dev/null || {
	mount --bind "$0/passwd" /etc/passwd &&
	mount --bind "$0/group" /etc/group
} && exec "$@"
"""
INSTALLED = """\
hostname "$0" &&
mount -t overlay overlay -o "lowerdir=$1:/etc" /etc &&
mount -t overlay overlay -o "lowerdir=$2:/usr" /usr &&
shift 2 && exec "$@"
"""


class Users:
    """A user and groups that a package makes: the machine's, or our own, in
    the lab's folder `name`, which is None in `files` where it has them."""

    FIRST = 64901

    def __init__(self, lab, name, user, groups=()):
        self.files = None
        try:
            entry = pwd.getpwnam(user)
            self.uid, self.gid = entry.pw_uid, entry.pw_gid
            self.groups = {g: grp.getgrnam(g).gr_gid for g in groups}
        except KeyError:
            self.uid = self.gid = self.FIRST
            self.groups = {g: self.FIRST + 1 + i for i, g in enumerate(groups)}
            self.files = lab.make_dir(name)
            _append(lab, name, "passwd", "%s:x:%d:%d::/nonexistent:"
                    "/usr/sbin/nologin\n" % (user, self.uid, self.gid))
            _append(lab, name, "group", "".join(
                "%s:x:%d:\n" % g
                for g in [(user, self.gid), *self.groups.items()]))

    def wrap(self, argv):
        """The command line that runs `argv` where these users exist."""
        if self.files is None:
            return argv
        return ["unshare", "--mount", "sh", "-c", ACCOUNTS, self.files] + argv


class Installed:
    """Where the package unpacked at `root` is installed, with its `users`, on
    a machine of that name."""

    def __init__(self, lab, name, root, users, hostname):
        self.lab = lab
        self.name = name
        self.root = root
        self.hostname = hostname
        self.etc = lab.make_dir(name, "etc")
        self.usr = lab.make_dir(name, "usr")
        if users.files is not None:
            shutil.copytree(users.files, self.etc, dirs_exist_ok=True)

    def write(self, path, text):
        """A file of the package's configuration, as "etc/..."."""
        self.lab.write(os.path.join(self.name, path), text)

    def set_gid(self, path, gid):
        """Gives a program of the package, "usr/...", the rights of a group."""
        copy = self.lab.path(self.name, path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(os.path.join(self.root, path), copy)
        os.chown(copy, 0, gid)
        os.chmod(copy, 0o2755)

    def link(self, path, target):
        os.makedirs(os.path.dirname(self.lab.path(self.name, path)),
                    exist_ok=True)
        os.symlink(target, self.lab.path(self.name, path))

    def wrap(self, argv):
        """The command line that runs `argv` there."""
        layers = [self.usr]
        if self.root != "/":
            layers.append(os.path.join(self.root, "usr"))
        return ["unshare", "--mount", "--uts", "sh", "-c", INSTALLED,
                self.hostname, self.etc, ":".join(layers)] + argv

    @staticmethod
    def possible():
        """Whether overlays may be mounted here."""
        return subprocess.run(
            ["unshare", "--mount", "mount", "-t", "overlay", "overlay", "-o",
             "lowerdir=/usr:/etc", "/etc"],
            stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def _append(lab, folder, name, lines):
    with open("/etc/" + name) as f:
        lab.write(os.path.join(folder, name), f.read() + lines)
