# SPDX-License-Identifier: BSD-2-Clause
"""An SMTP server that keeps the exact bytes of every message.

It stores what came between DATA and the final dot, dot-stuffing undone and
nothing else, and can pass it on, changed or not, to another server: the way
between two mail systems, and the mailbox at the end of it.
"""
import socketserver
import threading
import time

from .lab import LabError
from . import mail

EXTENSIONS = ["SIZE 0", "8BITMIME", "SMTPUTF8", "PIPELINING",
              "ENHANCEDSTATUSCODES"]


class Arrived:
    """A message as it came: envelope and bytes."""

    def __init__(self, sender, recipients, data, utf8):
        self.sender = sender
        self.recipients = recipients
        self.data = data
        self.utf8 = utf8


class Sink:
    """`forward`: a port to pass messages on to; `change`, which may be set
    later: from bytes to bytes; `store`: a folder to write messages to;
    `extensions`: what it says that it can do."""

    def __init__(self, lab, forward=None, change=None, store=None,
                 extensions=EXTENSIONS):
        self.extensions = extensions
        self.forward = forward
        self.change = change
        self.store = store
        self.count = 0
        self.refused = []  # answers of the server behind, when it said no
        self.port = lab.port()
        self._lab = lab
        self._messages = []
        self._arrival = threading.Condition()
        self._server = _Server(("127.0.0.1", self.port), _Session)
        self._server.sink = self
        threading.Thread(target=self._server.serve_forever,
                         daemon=True).start()
        lab.closing.callback(self._close)

    def _close(self):
        self._server.shutdown()
        self._server.server_close()

    def take(self, recipient, timeout=60):
        """The message that came for `recipient`; waits for it."""
        end = time.monotonic() + timeout
        with self._arrival:
            while True:
                for message in self._messages:
                    if recipient in message.recipients:
                        self._messages.remove(message)
                        return message
                left = end - time.monotonic()
                if left <= 0:
                    raise LabError("no message for %s within %d s"
                                   % (recipient, timeout))
                self._arrival.wait(left)

    def messages(self):
        with self._arrival:
            return list(self._messages)

    def clear(self):
        with self._arrival:
            self._messages.clear()

    def receive(self, message):
        """Stores one message and answers what SMTP is to say about it."""
        with self._arrival:
            self.count += 1
            self._messages.append(message)
            if self.store is not None:
                self._lab.write("%s/%d.eml" % (self.store, self.count),
                                message.data)
            self._arrival.notify_all()
        if self.forward is None:
            return "250 2.0.0 kept"
        data = message.data
        if self.change is not None:
            data = self.change(data)
        code, text = mail.send(self.forward, message.sender,
                               message.recipients, data)
        if code != 250:
            self.refused.append("%d %s" % (code, text))
        return "%d %s" % (code, text)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


class _Session(socketserver.StreamRequestHandler):
    def reply(self, *lines):
        for i, line in enumerate(lines):
            if i < len(lines) - 1:
                line = line[:3] + "-" + line[4:]
            self.wfile.write(line.encode("utf-8", "replace") + b"\r\n")

    def handle(self):
        self.reset()
        self.reply("220 sink.test ESMTP")
        for line in self.rfile:
            verb, _, rest = line.decode("utf-8", "replace").rstrip(
                "\r\n").partition(" ")
            command = getattr(self, "smtp_" + verb.lower(), None)
            if verb.lower() == "quit":
                self.reply("221 2.0.0 bye")
                return
            if command is None:
                self.reply("502 5.5.1 not here")
            else:
                command(rest)

    def reset(self):
        self.sender, self.recipients, self.utf8 = None, [], False

    def smtp_ehlo(self, _rest):
        self.reply("250 sink.test", *(
            "250 " + e for e in self.server.sink.extensions))

    def smtp_helo(self, _rest):
        self.reply("250 sink.test")

    def smtp_mail(self, rest):
        self.reset()
        self.sender = _path(rest)
        self.utf8 = "SMTPUTF8" in rest.upper()
        self.reply("250 2.1.0 ok")

    def smtp_rcpt(self, rest):
        self.recipients.append(_path(rest))
        self.reply("250 2.1.5 ok")

    def smtp_rset(self, _rest):
        self.reset()
        self.reply("250 2.0.0 ok")

    def smtp_noop(self, _rest):
        self.reply("250 2.0.0 ok")

    def smtp_data(self, _rest):
        self.reply("354 go on")
        lines = []
        for line in self.rfile:
            if line == b".\r\n":
                message = Arrived(self.sender, self.recipients,
                                  b"".join(lines), self.utf8)
                self.reply(self.server.sink.receive(message))
                self.reset()
                return
            lines.append(line[1:] if line.startswith(b".") else line)


def _path(text):
    return text[text.index("<") + 1:text.index(">")]
