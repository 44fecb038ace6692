# SPDX-License-Identifier: BSD-2-Clause
"""A service unit as systemd reads it, where systemd itself does not run."""
import re
import shlex
import socket
import struct
import subprocess

SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "": 1}


class Unit:
    def __init__(self, path):
        self.path = path
        self.settings = []  # (name, value) in their order
        with open(path) as file:
            for line in file:
                line = line.strip()
                if line and line[0] not in "#;[":
                    self.settings.append(tuple(line.split("=", 1)))

    def values(self, name):
        return [value for key, value in self.settings if key == name]

    def value(self, name):
        """The one value of a setting."""
        values = self.values(name)
        assert len(values) == 1, "%s: %s= is there %d times" % (
            self.path, name, len(values))
        return values[0]

    def command(self, name):
        return shlex.split(self.value(name))

    def seconds(self, name):
        return sum(float(number) * SECONDS[unit] for number, unit in
                   re.findall(r"([\d.]+)([a-z]*)", self.value(name)))

    def system_calls(self):
        """The names that SystemCallFilter leaves, its lists taken in their
        order as systemd does. The first one has to be of what is allowed."""
        lists = self.values("SystemCallFilter")
        assert lists and not lists[0].startswith("~")
        allowed = set()
        for text in lists:
            names = set()
            for name in text.lstrip("~").split():
                names |= _expand(name)
            allowed = allowed - names if text[0] == "~" else allowed | names
        # What systemd adds of itself to a list of what is allowed.
        return allowed | _expand("@default")


def _expand(name):
    if not name.startswith("@"):
        return {name}
    text = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], check=True,
        capture_output=True, text=True).stdout
    names = set()
    for line in text.splitlines()[1:]:
        line = line.split("#")[0].strip()
        if line:
            names |= _expand(line)
    return names


class Notify:
    """The socket that a service tells systemd its state over."""

    def __init__(self, path, timeout):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.settimeout(timeout)

    def close(self):
        self.socket.close()

    def next(self):
        """The next message, {name: value}, and the process it is from."""
        text, control, _, _ = self.socket.recvmsg(
            4096, socket.CMSG_SPACE(struct.calcsize("3i")))
        (pid, _, _), = [struct.unpack("3i", data) for level, kind, data
                        in control if kind == socket.SCM_CREDENTIALS]
        return dict(line.split("=", 1) for line in
                    text.decode().splitlines()), pid

    def wait(self, name):
        """The next message that has NAME=1."""
        while True:
            fields, pid = self.next()
            if fields.get(name) == "1":
                return {**fields, "pid": pid}
