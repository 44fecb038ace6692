# SPDX-License-Identifier: BSD-2-Clause
"""Hands the message on standard input to a milter or a mail server; to be run
in the network of a machine of machine.py.

    python3 talk.py milter ADDRESS PORT     prints the message as it is then
    python3 talk.py smtp ADDRESS PORT SENDER RECIPIENT
"""
import os
import smtplib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from milter_client import Mta  # noqa: E402

TIMEOUT = 60


def milter(message, address, port):
    head, body = message.split(b"\r\n\r\n", 1)
    headers = [tuple(line.split(":", 1))
               for line in head.decode().split("\r\n")]
    mta = Mta((address, int(port)), timeout=TIMEOUT).negotiate()
    mta.connect("localhost", "127.0.0.1")
    result = mta.message(headers, body)
    mta.quit()
    if result.reply != "accept":
        sys.exit("the milter says " + str(result.reply))
    head = "".join("%s:%s\r\n" % field for field in result.apply(headers))
    sys.stdout.buffer.write(head.encode() + b"\r\n" + body)


def smtp(message, address, port, sender, recipient):
    with smtplib.SMTP(address, int(port), timeout=TIMEOUT) as server:
        server.sendmail(sender, [recipient], message)


if __name__ == "__main__":
    {"milter": milter, "smtp": smtp}[sys.argv[1]](
        sys.stdin.buffer.read(), *sys.argv[2:])
