# SPDX-License-Identifier: BSD-2-Clause
"""Debian 12 in a folder, to install packages in, and ways to run it.

Each way has mounts, processes and a network of its own, with nothing but
loopback in it; they end with the process that this one holds, even where this
one is killed.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import time

SUITE = "bookworm"
PATIENCE_S = 120
# Where systemd-nspawn leaves something behind on a machine without systemd.
NSPAWN = "/run/systemd/nspawn"


class MachineError(Exception):
    """A machine that does not come up, or a command that fails."""


def command(argv, **options):
    """Its output, both kinds; anything but exit status 0 is an error."""
    done = subprocess.run(argv, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **{
                              "stdin": subprocess.DEVNULL, **options})
    text = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise MachineError("%s: exit %d\n%s" % (
            " ".join(argv), done.returncode, text))
    return text


def mirror():
    """The address that apt has Debian 12 from on this machine."""
    for name in sorted(glob.glob("/etc/apt/sources.list") +
                       glob.glob("/etc/apt/sources.list.d/*.list")):
        with open(name) as file:
            found = re.search(r"(?m)^deb\s+(?:\[.*?\]\s+)?(\S+)\s+%s\s" % SUITE,
                              file.read())
        if found:
            return found.group(1)
    for name in sorted(glob.glob("/etc/apt/sources.list.d/*.sources")):
        with open(name) as file:
            stanzas = re.split(r"\n\s*\n", file.read())
        for stanza in stanzas:
            fields = dict(re.findall(r"(?m)^([\w-]+):\s*(.*)$", stanza))
            if SUITE in fields.get("Suites", "").split():
                return fields["URIs"].split()[0]
    raise MachineError("apt has no source of %s" % SUITE)


def debootstrap(folder, packages):
    """Debian 12 with PACKAGES and what they depend on, in a new folder."""
    command(["debootstrap", "--variant=minbase",
             "--include=" + ",".join(packages), SUITE, folder, mirror()],
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


class Machine:
    """A copy of a root that is running."""

    def __init__(self, base, folder):
        self.root = folder
        self.holder = None
        command(["cp", "-a", base, folder])

    def path(self, name):
        return os.path.join(self.root, name.lstrip("/"))

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def files(self):
        """The files and folders that packages may leave behind."""
        found = set()
        for folder, folders, names in os.walk(self.root):
            inside = os.path.normpath(
                "/" + os.path.relpath(folder, self.root))
            folders[:] = [name for name in folders if os.path.join(
                inside, name) not in ("/dev", "/proc", "/srv", "/sys",
                                      "/var/cache", "/var/lib/dpkg",
                                      "/var/lib/apt", "/var/log/apt",
                                      "/var/tmp")]
            found.update(os.path.join(inside, name)
                         for name in folders + names)
        return found

    def enter(self):
        """What to put before a command that runs inside."""
        raise NotImplementedError

    def network(self):
        """What to put before a command of ours that uses its network."""
        return ["nsenter", "-t", str(self.pid), "-n"]

    def run(self, *argv, **options):
        return command(self.enter() + list(argv), env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
            "DEBIAN_FRONTEND": "noninteractive"}, **options)

    def fails(self, *argv):
        """The output of a command that has to fail."""
        try:
            text = self.run(*argv)
        except MachineError as error:
            return str(error)
        raise MachineError("%s: has not failed\n%s" % (" ".join(argv), text))

    def wait_for(self, condition, what, describe=lambda: ""):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                raise MachineError("waited for %s\n%s" % (what, describe()))
            time.sleep(0.1)

    def install(self, packages):
        """As an administrator who is not there to be asked would: apt, which
        takes files of packages from a folder of the machine's own."""
        shutil.copytree(packages, self.path("/srv/packages"),
                        dirs_exist_ok=True)
        names = ["/srv/packages/" + name for name in os.listdir(packages)]
        return self.run("apt-get", "-y", "-o", "Dpkg::Options::=--force-confold",
                        "install", *names)


class Container(Machine):
    """A container without an init system."""

    def __init__(self, base, folder):
        super().__init__(base, folder)
        script = ("mount --bind '{0}' '{0}' && mount --rbind /dev '{0}/dev' &&"
                  " mount -t proc proc '{0}/proc' && ip link set lo up &&"
                  " echo ready && read end").format(self.root)
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child",
             "sh", "-c", script], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        if self.holder.stdout.readline() != b"ready\n":
            raise MachineError("no container for " + self.root)
        self.pid = child_of(self.holder.pid)

    def enter(self):
        return ["nsenter", "-t", str(self.pid), "-m", "-n", "-p",
                "chroot", self.root]

    def close(self):
        self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()
        shutil.rmtree(self.root)


class Booted(Machine):
    """A machine with systemd as its first process."""

    def __init__(self, base, folder):
        super().__init__(base, folder)
        self.pid = None
        self.log = folder + ".log"
        # Unlike that of any other run.
        self.name = "signpost-%d-%s" % (os.getpid(), os.path.basename(folder))
        with open(self.log, "wb") as log:
            self.holder = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", "systemd-nspawn", "--quiet",
                 "--register=no", "--keep-unit", "--private-network",
                 "--machine=" + self.name, "-D", folder, "--boot"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.wait_for(self.is_up, "systemd to start", self.console)
        except MachineError:
            self.close()
            raise

    def is_up(self):
        if self.holder.poll() is not None:
            raise MachineError("systemd-nspawn: exit %d\n%s" % (
                self.holder.returncode, self.console()))
        self.pid = child_of(self.holder.pid)
        if self.pid is None:
            return False
        try:
            state = self.run("systemctl", "is-system-running")
        except MachineError as error:
            state = str(error)
        return re.search(r"(?m)^(running|degraded)$", state) is not None

    def console(self):
        with open(self.log, errors="replace") as file:
            return file.read()[-4000:]

    def enter(self):
        return ["nsenter", "-t", str(self.pid), "-m", "-u", "-i", "-n", "-p",
                "-r", "-w"]

    def service(self, name):
        """A property of signpostd.service."""
        return self.run("systemctl", "show", "--value", "-p", name,
                        "signpostd").strip()

    def close(self):
        """Pulls the plug."""
        if self.holder.poll() is None:
            os.kill(self.pid or self.holder.pid, signal.SIGKILL)
        self.holder.wait()
        shutil.rmtree(self.root)
        for rest in (os.path.join(NSPAWN, "propagate", self.name),
                     os.path.join(NSPAWN, "unix-export", self.name)):
            if os.path.isdir(rest):
                os.rmdir(rest)


def child_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        children = file.read().split()
    return int(children[0]) if children else None
