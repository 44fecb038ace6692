# SPDX-License-Identifier: BSD-2-Clause
"""A name server (nsd) with zones of our own."""
import os
import random
import signal
import socket
import struct

from . import packages

CONFIG = """\
server:
  ip-address: {address}
  username: ""
  chroot: ""
  zonesdir: "{zones}"
  database: ""
  zonelistfile: "{dir}/zone.list"
  xfrdfile: "{dir}/xfrd.state"
  xfrdir: "{dir}"
  pidfile: "{dir}/nsd.pid"
  server-count: 1
  hide-version: yes
remote-control:
  control-enable: no
"""
ZONE = "zone:\n  name: {zone}\n  zonefile: {zone}.zone\n"
HEAD = """\
$ORIGIN {zone}.
$TTL 300
@ IN SOA ns.{zone}. hostmaster.{zone}. {serial} 3600 600 86400 300
@ IN NS ns.{zone}.
ns IN A 127.0.0.1
@ IN MX 10 ns.{zone}.
"""


class Dns:
    """`zones`: name to the text of its records, as in a zone file."""

    def __init__(self, lab, zones):
        self.lab = lab
        self.dir = lab.make_dir("dns")
        self.port = lab.port()
        self.serial = 1
        self.zones = list(zones)
        for zone, text in zones.items():
            self._write(zone, text)
        self.process = lab.start(
            "nsd", [packages.program("nsd"), "-d", "-c",
                    self.config(self.dir, self.address())],
            ready=lambda: all(self.answers(zone) for zone in zones))

    def address(self):
        return "127.0.0.1@%d" % self.port

    def config(self, directory, address):
        """Writes what an nsd needs that serves the zones at `address`."""
        text = CONFIG.format(address=address, zones=self.dir, dir=directory)
        text += "".join(ZONE.format(zone=zone) for zone in self.zones)
        return self.lab.write(directory + "/nsd.conf", text)

    def publish(self, zone, text):
        """Replaces the records of a zone that was named at the start."""
        self._write(zone, text)
        self.process.signal(signal.SIGHUP)
        self.lab.wait_for(lambda: self.answers(zone) == self.serial,
                          "the new zone %s" % zone, process=self.process)

    def _write(self, zone, text):
        self.serial += 1
        self.lab.write(os.path.join(self.dir, zone + ".zone"),
                       HEAD.format(zone=zone, serial=self.serial) + text)

    def answers(self, zone):
        """The serial of the zone that is served, or 0 for no answer."""
        number = random.randrange(65536)
        name = b"".join(struct.pack("B", len(label)) + label.encode()
                        for label in zone.split(".")) + b"\0"
        query = struct.pack(">HHHHHH", number, 0, 1, 0, 0, 0) + name
        query += struct.pack(">HH", 6, 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(0.5)
            s.connect(("127.0.0.1", self.port))
            try:
                s.send(query)
                answer = s.recv(4096)
            except OSError:
                return 0
        if struct.unpack(">HHH", answer[:6])[0] != number or \
                answer[3] & 15 != 0 or answer[6:8] == b"\0\0":
            return 0
        # The serial and four other numbers are the end of the SOA's data;
        # the first record is the answer. Its length says where it ends.
        offset = len(query)
        offset += 2 if answer[offset] >= 192 else len(name)
        length = struct.unpack(">H", answer[offset + 8:offset + 10])[0]
        end = offset + 10 + length
        return struct.unpack(">I", answer[end - 20:end - 16])[0]
