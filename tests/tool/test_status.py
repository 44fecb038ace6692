#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""signpost status against the status server, and against servers that are
not; on a terminal, and not on one."""
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

SIGNPOST = os.environ["SIGNPOST"]
SERVER = os.environ["STATUS_SERVER"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="signpost-status.")
        self.path = os.path.join(self.folder, "s")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_command(self, *arguments):
        done = subprocess.run(
            [SIGNPOST, "status", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            timeout=30)
        return done.returncode, done.stdout, done.stderr


class WithServer(Case):
    def setUp(self):
        super().setUp()
        if not os.access(SERVER, os.X_OK):
            self.skipTest("tests/milter/status_server is not built")
        self.server = subprocess.Popen(
            [SERVER, "unix:" + self.path, "0600"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end_server)
        self.assertEqual(self.server.stdout.readline(), "serving\n")
        self.tell("count")

    def end_server(self):
        self.server.stdin.close()
        self.server.stdout.read()
        self.server.wait(10)
        self.server.stdout.close()

    def tell(self, command):
        self.server.stdin.write(command + "\n")
        self.server.stdin.flush()
        self.assertEqual(self.server.stdout.readline(), "done\n")

    def test_a_person_is_shown_the_figures_and_the_cost_last(self):
        code, out, err = self.run_command("--socket", "unix:" + self.path)
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\Asignpostd [0-9.]+, up 00:00:\d\d, ready\n")
        self.assertRegex(out, r"signatures made +[\d.]+ +[\d.]+ +[\d.]+ +5\n")
        self.assertRegex(out, r"sign   rsa-sha256 +100 +600 us +10.0 us +700")
        self.assertRegex(out, r"Messages +signed 1  verified 2  passed 3 ")
        self.assertTrue(out.endswith(
            "What a signature costs on this machine\n"
            "One rsa-sha256 signature (1024 bits) takes 600 us of CPU:\n"
            "  as much as 30 verifications (20.0 us each).\n"), out)
        self.assertLessEqual(max(map(len, out.split("\n"))), 80)

    def test_json_is_that_of_the_server(self):
        code, out, err = self.run_command("--json", "--socket", self.path)
        self.assertEqual((code, err), (0, ""))
        status = json.loads(out)
        self.assertEqual(status["messages"]["aborted"], 8)
        self.assertEqual(status["workers"]["count"], 2)

    def test_the_configuration_names_the_socket(self):
        file = os.path.join(self.folder, "signpost.conf")
        with open(file, "w") as out:
            out.write('socket = "inet:8891@127.0.0.1";\n'
                      'status = { socket = "unix:%s"; };\n' % self.path)
        code, out, err = self.run_command("-c", file)
        self.assertEqual(code, 0, err)
        self.assertIn("up 00:00:", out)
        with open(file, "w") as out:
            out.write('status = { socket = ""; http = ""; };\n')
        code, out, err = self.run_command("-c", file)
        self.assertEqual((code, out), (78, ""))
        self.assertIn("nobody to ask", err)

    def watch(self, *arguments, **options):
        return subprocess.Popen(
            [SIGNPOST, "status", "--watch", "--socket", self.path,
             *arguments], stdout=subprocess.PIPE, text=True, **options)

    def test_watching_without_a_terminal_prints_again_and_again(self):
        for arguments, wanted in (((), "signpostd "), (("--json",), "{")):
            watcher = self.watch(*arguments, stdin=subprocess.DEVNULL)
            heads = 0
            began = time.monotonic()
            while heads < 3:
                heads += watcher.stdout.readline().startswith(wanted)
            self.assertGreater(time.monotonic() - began, 1.5)
            watcher.send_signal(signal.SIGTERM)
            out = watcher.communicate(timeout=10)[0]
            self.assertEqual(watcher.returncode, 0)
            self.assertNotIn("\033", out)

    def test_watching_ends_when_nobody_reads(self):
        watcher = self.watch(stdin=subprocess.DEVNULL)
        watcher.stdout.readline()
        watcher.stdout.close()
        self.assertNotEqual(watcher.wait(10), 0)

    def on_terminal(self, rows, act):
        """What the command writes to a terminal of 80 columns."""
        try:
            pid, fd = pty.fork()
        except OSError as error:
            self.skipTest(str(error))
        if pid == 0:
            os.execv("/bin/sh", ["sh", "-c", "stty rows %d cols 80; exec "
                                 '"$0" status --watch --socket "$1"' % rows,
                                 SIGNPOST, self.path])
        out, acted, end = b"", False, time.monotonic() + 20
        while time.monotonic() < end:
            if select.select([fd], [], [], 0.2)[0]:
                try:
                    piece = os.read(fd, 65536)
                except OSError:
                    break
                if not piece:
                    break
                out += piece
            if not acted and out.count(b"\033[H") >= 2:
                acted = True
                act(fd, pid)
        os.close(fd)
        _, status = os.waitpid(pid, 0)
        return out.decode(), os.waitstatus_to_exitcode(status)

    def test_watching_on_a_terminal_leaves_it_as_it_was(self):
        ways = {
            "q": lambda fd, pid: os.write(fd, b"q"),
            "Ctrl-C": lambda fd, pid: os.write(fd, b"\x03"),
            "SIGTERM": lambda fd, pid: os.kill(pid, signal.SIGTERM),
        }
        for name, act in ways.items():
            with self.subTest(name):
                out, code = self.on_terminal(60, act)
                self.assertEqual(code, 0)
                self.assertTrue(out.startswith("\033[?1049h\033[?25l"))
                self.assertTrue(out.endswith("\033[?25h\033[?1049l"))
                self.assertIn("30 verifications", out)
                self.assertNotIn("taller", out)

    def test_a_low_terminal_does_not_scroll(self):
        out, _ = self.on_terminal(10, lambda fd, pid: os.write(fd, b"q"))
        for drawn in out.split("\033[H")[1:]:
            self.assertEqual(drawn.count("\n"), 9)
            self.assertRegex(drawn, r"a taller window shows \d+ more lines")

    def test_a_daemon_that_goes_away_may_come_back(self):
        def stop(fd, pid):
            self.end_server()
            time.sleep(1.5)
            self.server = subprocess.Popen(
                [SERVER, "unix:" + self.path, "0600"], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.server.stdout.readline()
            time.sleep(1.5)
            os.write(fd, b"q")
        out, code = self.on_terminal(60, stop)
        self.assertEqual(code, 0)
        pages = re.split(r"\033\[H", out)[1:]
        gone = [i for i, page in enumerate(pages) if "is signpostd" in page]
        self.assertTrue(gone)
        self.assertIn("signpostd 0", pages[gone[-1] + 1])


class WithoutServer(Case):
    def test_nobody_there_is_told_with_what_to_do(self):
        code, out, err = self.run_command("--socket", self.path)
        self.assertEqual((code, out), (75, ""))
        self.assertIn(self.path, err)
        self.assertIn("is signpostd running", err)
        code, out, err = self.run_command("--watch", "--socket", self.path)
        self.assertEqual((code, out), (75, ""))

    def serve(self, speak):
        """One connection, on which SPEAK does what it likes."""
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self.path)
        listening.listen(1)

        def run():
            connection, _ = listening.accept()
            with connection:
                try:
                    speak(connection)
                except OSError:
                    pass
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(listening.close)
        self.addCleanup(thread.join)

    def test_another_server_is_told_apart(self):
        self.serve(lambda c: c.sendall(b"HTTP/1.1 200 OK\r\n\r\n[1, 2]"))
        code, out, err = self.run_command("--socket", self.path)
        self.assertEqual((code, out), (76, ""))
        self.assertIn("not signpostd's status server", err)

    def test_a_server_that_trickles_is_given_up(self):
        def trickle(connection):
            for _ in range(100):
                connection.send(b"x")
                time.sleep(0.2)
        self.serve(trickle)
        began = time.monotonic()
        code, out, err = self.run_command("--socket", self.path)
        self.assertEqual((code, out), (75, ""))
        self.assertIn("takes too long", err)
        self.assertLess(time.monotonic() - began, 12)


if __name__ == "__main__":
    unittest.main()
