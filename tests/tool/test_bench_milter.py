#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""signpost bench milter against milters of the test's own: what it sends,
what it counts, and what it says of those that misbehave."""
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

SIGNPOST = os.environ["SIGNPOST"]
NR_ALL = 0x80 | 0x1000 | 0x2000 | 0x4000 | 0x8000 | 0x10000 | 0x40000 | 0x80000
NO_CONNECT, NO_HELO, NO_MAIL, NO_RCPT, NO_DATA = 0x1, 0x2, 0x4, 0x8, 0x200
NO_BODY, NO_HEADERS, NO_END_HEADERS = 0x10, 0x20, 0x40
LEADING_SPACE, SKIP = 0x100000, 0x400
REPLY_FLAG = {b"C": 0x1000, b"H": 0x2000, b"M": 0x4000, b"R": 0x8000,
              b"T": 0x10000, b"L": 0x80, b"N": 0x40000, b"B": 0x80000}


def read_packet(connection):
    head = connection.recv(4, socket.MSG_WAITALL)
    if len(head) < 4:
        return None, None
    data = connection.recv(struct.unpack("!I", head)[0], socket.MSG_WAITALL)
    return data[:1], data[1:]


def write_packet(connection, command, data=b""):
    connection.sendall(struct.pack("!I", len(data) + 1) + command + data)


class Milter:
    """Answers each connection in a thread; keeps what was sent."""

    def __init__(self, path, steps=0, answers=None, end=((b"c", b""),)):
        self.steps, self.answers, self.end = steps, answers or {}, end
        self.packets = []  # of each connection
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        self.threads = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            packets = []
            self.packets.append(packets)
            thread = threading.Thread(
                target=self.serve, args=(connection, packets), daemon=True)
            self.threads.append(thread)
            thread.start()

    def negotiate(self, connection):
        write_packet(connection, b"O", struct.pack(
            "!III", 6, 0x1ff, self.steps))

    def serve(self, connection, packets):
        with connection:
            while True:
                command, data = read_packet(connection)
                if command is None or command == b"Q":
                    return
                packets.append((command, data))
                if command == b"O":
                    self.negotiate(connection)
                elif command == b"E":
                    for reply in self.end:
                        write_packet(connection, *reply)
                elif command in REPLY_FLAG and not (
                        self.steps & REPLY_FLAG[command]):
                    answer = self.answers.get(command, b"c")
                    if answer is None:
                        return
                    write_packet(connection, answer)

    def sent(self, command):
        """Of connections that have ended, each to its last packet."""
        for thread in self.threads:
            thread.join(60)
        return [data for packets in self.packets for c, data in packets
                if c == command]

    def close(self):
        self.listener.close()
        for thread in self.threads:
            thread.join(10)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="signpost-bench.")
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "m")

    def milter(self, **settings):
        milter = Milter(self.path, **settings)
        self.addCleanup(milter.close)
        return milter

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def run_command(self, *arguments):
        done = subprocess.run(
            [SIGNPOST, "bench", "milter", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            timeout=60)
        return done.returncode, done.stdout, done.stderr

    def measure(self, *arguments):
        code, out, err = self.run_command(
            "--socket", "unix:" + self.path, "--format", "json", *arguments)
        self.assertEqual((code, err), (0, ""))
        return {table["name"]: table["rows"]
                for table in json.loads(out)["tables"]}


class What(Case):
    def test_a_message_is_sent_as_the_protocol_has_it(self):
        milter = self.milter()
        message = self.write(
            "message", b"From: a@b.test\nSubject: x\n\ty\n\nhello\n")
        self.measure("--message", message, "--connections", "1",
                     "--messages", "1", "--warm-up", "0",
                     "--client", "192.0.2.1", "--from", "joe@example.org")
        packets = [p for p in milter.packets[0] if p[0] != b"D"]
        self.assertEqual(packets, [
            (b"O", struct.pack("!III", 6, 0x1ff, 0x1fffff)),
            (b"C", b"client.test\0004" + struct.pack("!H", 2525) +
             b"192.0.2.1\0"),
            (b"H", b"client.test\0"),
            (b"M", b"<joe@example.org>\0"),
            (b"R", b"<bob@example.org>\0"),
            (b"T", b""),
            (b"L", b"From\0a@b.test\0"),
            (b"L", b"Subject\0x\n\ty\0"),
            (b"N", b""),
            (b"B", b"hello\r\n"),
            (b"E", b"")])
        macros = milter.sent(b"D")
        self.assertEqual(macros[0][:1], b"C")
        self.assertIn(b"{daemon_name}\0MTA\0", macros[0])
        self.assertIn(b"i\0bench1\0", macros[1])

    def test_nothing_is_sent_that_the_milter_does_without(self):
        without = (NO_CONNECT | NO_HELO | NO_MAIL | NO_RCPT | NO_DATA |
                   NO_BODY | NO_HEADERS | NO_END_HEADERS)
        milter = self.milter(steps=without)
        self.measure("--connections", "1", "--messages", "3",
                     "--warm-up", "0")
        self.assertEqual(milter.packets[0][1:], [(b"E", b"")] * 3)

    def test_no_reply_is_waited_for_where_none_comes(self):
        milter = self.milter(steps=NR_ALL | LEADING_SPACE)
        tables = self.measure("--connections", "3", "--messages", "50",
                              "--body", "200000", "--timeout", "20s")
        self.assertEqual(tables["milter"][0]["messages"], 50)
        self.assertEqual(tables["milter"][0]["warm_ups"], 6)
        self.assertEqual(len(milter.sent(b"E")), 56)
        self.assertEqual(sum(map(len, milter.sent(b"B"))), 56 * 200000)
        self.assertIn(b"To\0 Bob <bob@example.org>\0", milter.sent(b"L"))

    def test_a_body_that_is_to_be_skipped_is(self):
        milter = self.milter(steps=SKIP, answers={b"B": b"s"})
        self.measure("--connections", "1", "--messages", "4",
                     "--warm-up", "0", "--body", "1M")
        self.assertEqual(len(milter.sent(b"B")), 4)
        self.assertEqual(len(milter.sent(b"E")), 4)

    def test_a_message_that_is_refused_early_is_over(self):
        milter = self.milter(answers={b"R": b"r"})
        tables = self.measure("--connections", "1", "--messages", "4",
                              "--warm-up", "0")
        self.assertEqual(milter.sent(b"L") + milter.sent(b"E"), [])
        self.assertEqual(len(milter.sent(b"A")), 4)
        self.assertEqual(tables["actions"], [
            {"action": "reply: reject", "count": 4, "each": 1.0}])

    def test_what_the_milter_does_is_counted(self):
        number = struct.pack("!I", 1)
        self.milter(end=(
            (b"p", b""), (b"i", number + b"X-Test\0yes\0"),
            (b"h", b"X-Other\0no\0"), (b"m", number + b"To\0you\0"),
            (b"m", number + b"Cc\0\0"), (b"+", b"<c@d.test>\0"),
            (b"b", b"new"), (b"b", b"body"), (b"e", b"<e@f.test>\0"),
            (b"q", b"why\0"), (b"a", b"")))
        tables = self.measure("--connections", "2", "--messages", "10",
                              "--expect", "yes")
        self.assertEqual(
            {row["action"]: row["count"] for row in tables["actions"]},
            {"field inserted": 10, "field added": 10, "field changed": 10,
             "field deleted": 10, "recipient changed": 10,
             "body replaced (piece)": 20, "sender changed": 10,
             "quarantined": 10, "reply: accept": 10,
             "expected field added": 10})
        latency = tables["latency"][0]
        self.assertTrue(0 < latency["p50_ns"] <= latency["p90_ns"] <=
                        latency["p99_ns"] <= latency["max_ns"])
        self.assertEqual(tables["cost"][0]["pid"], os.getpid())
        # Less than a tick of the kernel's.
        self.assertGreater(tables["cost"][0]["cpu_ns"], 0)
        self.assertIsNone(tables["milter"][0]["last_minute_per_second"])

    def test_the_messages_of_a_folder_take_turns(self):
        milter = self.milter()
        for i in range(3):
            self.write("mail/%d" % i, b"Subject: %d\r\n\r\nx\r\n" % i)
        self.write("mail/.hidden", b"")
        self.measure("--message", os.path.join(self.folder, "mail"),
                     "--connections", "1", "--messages", "6",
                     "--warm-up", "0")
        self.assertEqual(milter.sent(b"L"), [
            b"Subject\0%d\0" % (i % 3) for i in range(6)])

    def test_it_writes_each_form(self):
        self.milter()
        page = os.path.join(self.folder, "page.html")
        for form, begin in (("text", "signpost "), ("csv", "table,")):
            code, out, err = self.run_command(
                "--socket", self.path, "--quick", "--format", form,
                "--html", page)
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(out.startswith(begin))
        with open(page, encoding="utf-8") as f:
            self.assertIn("<svg", f.read())


class Faults(Case):
    def check(self, code, text, *arguments):
        got, out, err = self.run_command("--socket", self.path, *arguments)
        self.assertIn(text, err)
        self.assertEqual((got, out), (code, ""))

    def test_wrong_arguments(self):
        for arguments, text in (
                ((), "wants --socket"),
                (("--socket", "nowhere"), "not unix:/PATH"),
                (("--socket", "inet:99999@127.0.0.1"), "not unix:/PATH"),
                (("--socket", "/s", "--client", "x"), "wants an IP address"),
                (("--socket", "/s", "--connections", "0"), "from 1 to 1000"),
                (("--socket", "/s", "--messages", "0"), "from 1 to"),
                (("--socket", "/s", "--body", "1T"), "k, M or G"),
                (("--socket", "/s", "--body", "1", "--message", "/m"),
                 "exclude each other")):
            code, out, err = self.run_command(*arguments)
            self.assertIn(text, err)
            self.assertEqual((code, out), (64, ""))

    def test_a_process_that_is_not_there(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        self.check(66, "no such process", "--pid", str(ended.pid))

    def test_a_page_that_cannot_be_written_and_one_not_reached(self):
        page = os.path.join(self.folder, "none", "page")
        self.check(66, page, "--html", page)
        page = os.path.join(self.folder, "page")
        self.check(75, "is the milter running?", "--html", page)
        self.assertFalse(os.path.exists(page))

    def test_messages_that_are_not_there(self):
        self.check(66, "nowhere: ", "--message", "nowhere")
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        self.check(66, "no messages", "--message", empty)
        self.check(65, "no header", "--message", self.write("m1", b"\nx\n"))

    def test_a_milter_that_is_not_there(self):
        self.check(75, "is the milter running?")
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listener.close()
        for form in ("inet:%d@127.0.0.1", "127.0.0.1:%d",
                     "inet:127.0.0.1:%d"):
            code, out, err = self.run_command("--socket", form % port)
            self.assertEqual((code, out), (75, ""))
            self.assertIn("Connection refused", err)

    def test_one_that_closes_the_connection(self):
        for command in (b"C", b"M", b"B"):
            milter = self.milter(answers={command: None})
            self.check(74, "closed the connection", "--messages", "9")
            milter.close()
            os.unlink(self.path)

    def test_one_that_does_not_answer(self):
        self.milter(end=())
        self.check(75, "not answered in time", "--timeout", "1",
                   "--connections", "2")

    def test_one_that_makes_progress_for_ever(self):
        class Dawdler(Milter):
            def serve(self, connection, packets):
                self.end = iter(lambda: time.sleep(0.05) or (b"p", b""), 0)
                try:
                    super().serve(connection, packets)
                except OSError:
                    pass
        dawdler = Dawdler(self.path)
        self.addCleanup(dawdler.close)
        self.check(75, "not answered in time", "--timeout", "1",
                   "--connections", "1")

    def test_one_that_is_no_milter(self):
        class Talker(Milter):
            def negotiate(self, connection):
                connection.sendall(b"220 mail.example.org ESMTP\r\n")
        talker = Talker(self.path)
        self.addCleanup(talker.close)
        self.check(76, "is it one?")

    def test_one_that_answers_nonsense(self):
        self.milter(end=((b"?", b""),))
        self.check(76, "no reply")

    def test_one_that_refuses_the_client(self):
        self.milter(answers={b"C": b"r"})
        self.check(1, "refuses this client")

    def test_one_that_adds_not_what_is_expected(self):
        self.milter(end=((b"h", b"A\0b\0"), (b"c", b"")))
        self.check(1, "0 of 20 messages got a field with \"pass\"",
                   "--expect", "pass", "--messages", "20")


if __name__ == "__main__":
    unittest.main()
