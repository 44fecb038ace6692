#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""signpost status against the status server, and against servers that are
not; on a terminal, and not on one."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest

SIGNPOST = os.environ["SIGNPOST"]
SERVER = os.environ["STATUS_SERVER"]


# Ends each page.
DRAWN = b"\033[J\033[7m"


def press(keys):
    return lambda fd, pid: os.write(fd, keys.encode())


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

    def on_terminal(self, rows, acts, columns=80):
        """What the command writes to a terminal; each of ACTS is done when the
        page has been drawn twice since the one before."""
        try:
            pid, fd = pty.fork()
        except OSError as error:
            self.skipTest(str(error))
        if pid == 0:
            os.execv("/bin/sh", [
                "sh", "-c", "stty rows %d cols %d; exec "
                '"$0" status --watch --socket "$1"' % (rows, columns),
                SIGNPOST, self.path])
        out, since, end = b"", 0, time.monotonic() + 60
        acts = list(acts)
        while time.monotonic() < end:
            if select.select([fd], [], [], 0.2)[0]:
                try:
                    piece = os.read(fd, 65536)
                except OSError:
                    break
                if not piece:
                    break
                out += piece
            if acts and out.count(DRAWN, since) >= 2:
                since = len(out)
                acts.pop(0)(fd, pid)
        os.close(fd)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(acts, [])
        return out.decode(), os.waitstatus_to_exitcode(status)

    def pages(self, out):
        """The rows of each page that was drawn, as a person sees them."""
        return [re.sub(r"\033\[[0-9?;]*[A-Za-z]", "", page).split("\r\n")
                for page in out.split("\033[H")[1:]]

    def test_watching_on_a_terminal_leaves_it_as_it_was(self):
        ways = {
            "q": press("q"),
            "Ctrl-C": press("\x03"),
            "SIGTERM": lambda fd, pid: os.kill(pid, signal.SIGTERM),
        }
        for name, act in ways.items():
            with self.subTest(name):
                out, code = self.on_terminal(60, [act])
                self.assertEqual(code, 0)
                self.assertTrue(out.startswith("\033[?1049h\033[?25l"))
                self.assertTrue(out.endswith("\033[?25h\033[?1049l"))
                self.assertIn("30 verifications", out)
                self.assertNotIn("scroll", out)

    def test_while_it_is_stopped_the_terminal_is_as_it_was(self):
        seen = {}

        def stop(fd, pid):
            # No shell waits here, so that the signal has to stop it itself.
            os.kill(pid, signal.SIGTSTP)
            seen["status"] = os.waitpid(pid, os.WUNTRACED)[1]
            seen["mode"] = termios.tcgetattr(fd)[3]
            os.kill(pid, signal.SIGCONT)
        out, code = self.on_terminal(60, [stop, press("q")])
        self.assertEqual(code, 0)
        self.assertTrue(os.WIFSTOPPED(seen["status"]))
        self.assertTrue(seen["mode"] & termios.ICANON)
        self.assertTrue(seen["mode"] & termios.ECHO)
        self.assertEqual(out.count("\033[?1049h"), 2)
        self.assertEqual(out.count("\033[?1049l"), 2)

    def test_a_low_terminal_can_be_scrolled(self):
        out, _ = self.on_terminal(10, [
            press("j"), press("\033[B\033[B"), press("\033[A"), press("G"),
            press(" "), press("g"), press("q")])
        pages = self.pages(out)
        for page in pages:
            self.assertEqual(len(page), 10)
            self.assertRegex(page[9], r"q ends, arrows scroll: \d+ of \d+")
        tops = []
        for page in pages:
            at = int(re.search(r"(\d+) of", page[9]).group(1)) - 9
            if not tops or tops[-1] != at:
                tops.append(at)
        last = int(re.search(r"of (\d+)", pages[0][9]).group(1)) - 9
        self.assertEqual(tops, [0, 1, 3, 2, last, 0])
        self.assertIn("signpostd", pages[0][0])
        self.assertIn("signpostd", pages[-1][0])

    def test_a_narrow_terminal_has_all_words_in_its_columns(self):
        wide = self.pages(self.on_terminal(100, [press("q")])[0])[-1]
        narrow = self.pages(
            self.on_terminal(150, [press("q")], columns=40)[0])[-1]
        self.assertLessEqual(max(map(len, narrow)), 40)

        def words(page):
            return [word for row in page for word in row.split()
                    if not re.search(r"\d", word)]
        self.assertEqual(words(narrow), words(wide))

    def test_a_terminal_that_changes_its_size_is_drawn_at_once(self):
        began = {}

        def resize(fd, pid):
            began["at"] = time.monotonic()
            fcntl.ioctl(fd, termios.TIOCSWINSZ,
                        struct.pack("HHHH", 20, 50, 0, 0))
        out, _ = self.on_terminal(60, [resize, press("q")])
        before, after = out.split("\033[2J")[1:3]
        self.assertNotIn("scroll", before)
        for page in self.pages(after):
            self.assertEqual(len(page), 20)
            self.assertLessEqual(max(map(len, page)), 50)

    def test_a_daemon_that_goes_away_may_come_back(self):
        def stop(fd, pid):
            self.end_server()

        def start(fd, pid):
            self.server = subprocess.Popen(
                [SERVER, "unix:" + self.path, "0600"], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.server.stdout.readline()
        out, code = self.on_terminal(
            20, [stop, press("G"), start, press("g"), press("q")])
        self.assertEqual(code, 0)
        pages = self.pages(out)
        gone = [page for page in pages
                if re.match(r"NO ANSWER since \d\d:\d\d:\d\d; ", page[-1])]
        # Whatever part of the page is looked at.
        self.assertIn("is signpostd running", " ".join(gone[0]))
        self.assertIn("What a signature costs", " ".join(gone[-1]))
        self.assertNotIn("NO ANSWER", " ".join(pages[-1]))
        self.assertIn("signpostd 0", pages[-1][0])


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
                    # What was not read makes closing a reset.
                    connection.recv(65536)
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

    def test_nothing_that_a_terminal_obeys_comes_through(self):
        body = json.dumps({
            "version": "\033[2J\033]0;owned\a\u009b2J",
            "messages": {"\033[31msigned": 1},
            "signs": [{"algorithm": "\r\b", "key_bits": "\u202e", "count": 1,
                       "result": "\x7f"}]})
        self.serve(lambda c: c.sendall(
            b"HTTP/1.1 200 OK\r\n\r\n" + body.encode()))
        code, out, err = self.run_command("--socket", self.path)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("?[31msigned 1", out)
        self.assertTrue(re.fullmatch(r"[ -~\n]*", out), out)

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
