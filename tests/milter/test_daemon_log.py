# SPDX-License-Identifier: BSD-2-Clause
"""What signpostd logs of messages and of itself, and what it never does."""
import fcntl
import glob
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from daemon_case import (  # noqa: E402
    BODY, Case, HEADERS, INSIDE, KEYS)
from signpostd import PATIENCE, SIGNPOSTD  # noqa: E402

# A folder's files in front of those in /dev, for a command and its arguments.
VIEW = 'mount -t overlay overlay -o "lowerdir=$0:/dev" /dev && exec "$@"'
MESSAGE = re.compile(r"\bid=\S+ action=")
# A pair of a line of text: a value is plain, or quoted with escapes.
PAIR = re.compile(r'(\w+)=([^\s"=\\]+|"(?:[^"\\]|\\["\\]|\\x[0-9a-f]{2})*")')


def pairs_of(line):
    """The pairs of a line of text, which is made of nothing else."""
    text = line.split(": ", 2)[2]
    found = PAIR.findall(text)
    assert " ".join("%s=%s" % pair for pair in found) == text, line
    names = [name for name, _ in found]
    assert len(set(names)) == len(names), line
    return {name: value.strip('"') for name, value in found}


class Log(Case):
    def messages(self, daemon, count):
        """The lines of messages, once there are COUNT."""
        def lines():
            return [line for line in daemon.log().splitlines()
                    if MESSAGE.search(line)]
        daemon.wait_for(lambda: len(lines()) >= count, "the log")
        self.assertEqual(len(lines()), count, daemon.log())
        return lines()

    # field: F4
    def test_one_line_a_message_says_what_was_done_by_which_rule(self):
        daemon = self.daemon(domains=(
            {"name": "example.com"},), verify={"on_fail": "reject"})
        signed = self.sign(daemon)
        self.send(daemon, signed)
        self.send(daemon, signed, b"x\r\n")
        lines = self.messages(daemon, 3)
        made, passed, failed = map(pairs_of, lines)
        for pairs in (made, passed, failed):
            self.assertEqual(pairs["id"], "4F0000")
            self.assertEqual(pairs["from"], "example.com")
            self.assertGreaterEqual(int(pairs["total_us"]),
                                    int(pairs["work_us"]))
        self.assertEqual(
            [made[name] for name in ("action", "reason", "rule", "entry",
                                     "trust", "client")],
            ["signed", "sign", "trusted_networks", "example.com", "network",
             "127.0.0.1"])
        self.assertCountEqual(
            made["signatures"].split(","),
            ["example.com/r1/rsa-sha256", "example.com/e1/ed25519-sha256"])
        self.assertEqual((passed["action"], passed["reason"]),
                         ("verified", "verify"))
        self.assertCountEqual(
            passed["signatures"].split(","),
            ["example.com/r1/rsa-sha256=pass",
             "example.com/e1/ed25519-sha256=pass"])
        self.assertIn("dns_us", passed)
        self.assertEqual((failed["action"], failed["rule"]),
                         ("rejected", "verify.on_fail"))
        self.assertIn("=fail:", failed["signatures"])
        self.assertEqual([line.split(": ")[1] for line in lines],
                         ["info", "info", "notice"])

    def test_json_has_the_same_pairs(self):
        daemon = self.daemon(log={"format": "json"})
        signed = self.sign(daemon)
        self.send(daemon, signed)
        lines = [json.loads(line) for line in daemon.log().splitlines()]
        made, passed = [line for line in lines if "action" in line]
        self.assertEqual(made["action"], "signed")
        self.assertEqual(passed["action"], "verified")
        for line in lines:
            self.assertEqual(line["pid"], daemon.process.pid)
            self.assertRegex(line["time"], r"\A\d{4}-\d\d-\d\dT[\d:.]+Z\Z")
            self.assertTrue(line["host"])
            self.assertIn(line["level"], ("notice", "info"))
        self.assertIsInstance(passed["total_us"], int)

    # field: A28
    def test_nothing_of_a_message_begins_a_line_or_a_pair(self):
        evil = ['x" action=signed id="1', "x\\", 'a="', "a action=signed",
                "a\x1b[2J", "a\u2028b\u202ec", "\udcff\udcfe", "a/b,c=pass",
                "ok.test/s/rsa-sha256=pass,x.test", "{\"a\":1}", "x" * 3000]
        for form in ("text", "json"):
            daemon = self.daemon(log={"format": form, "level": "debug"})
            for value in evil:
                name = value.replace(";", "")
                self.send(daemon, [
                    ("From", ' "%s" <a@%s>' % (value, value)),
                    ("DKIM-Signature", " v=1; a=%s; d=%s; s=%s; i=%s@%s; "
                     "h=from:%s; bh=AA==; b=AA==" % ((name,) * 6)),
                    (value.replace(":", "") or "x", " y")],
                    sender="<%s@example.com>" % value)
            count = 0
            daemon.wait_for(lambda: daemon.log().count(
                "total_us") >= len(evil), "the log")
            with open(daemon.log_path, "rb") as f:
                data = f.read()
            self.assertNotRegex(data, rb"[^ -~\n\x80-\xff]")
            for line in data.decode().splitlines():  # UTF-8, every line
                if form == "json":
                    pairs = json.loads(line, object_pairs_hook=dict)
                elif "total_us=" in line or "verified=" in line:
                    pairs = pairs_of(line)
                else:
                    self.assertRegex(line, r"\Asignpostd: \w+: ")
                    continue
                count += "action" in pairs
                if "action" in pairs:
                    self.assertEqual(pairs["action"], "verified")
                    self.assertEqual(pairs["id"], "4F0000")
                    # One signature has one result, whatever it is called.
                    self.assertEqual(pairs["signatures"].count("="), 1)
            self.assertEqual(count, len(evil))

    def test_levels_are_kept_to_and_a_reload_changes_them(self):
        daemon = self.daemon(log={"level": "notice"},
                             verify={"on_fail": "reject"})
        signed = self.sign(daemon)
        self.send(daemon, signed, b"x\r\n")
        self.assertEqual(pairs_of(self.messages(daemon, 1)[0])["action"],
                         "rejected")
        daemon.configure(log={"level": "debug"})
        daemon.kill(signal.SIGHUP)
        daemon.wait_for(lambda: "read again" in daemon.log(), "the reload")
        self.send(daemon, signed)
        daemon.wait_for(lambda: daemon.log().count(" verified=") == 2,
                        "a line for each signature")
        lines = [line for line in daemon.log().splitlines()
                 if " verified=" in line]
        self.assertTrue(all(": debug: " in line for line in lines))
        self.assertEqual(
            [(p["verified"], p["d"], p["result"], p["key_bits"]) for p in
             map(pairs_of, lines)],
            [("1", "example.com", "pass", "2048"),
             ("2", "example.com", "pass", "256")]
            if pairs_of(lines[0])["a"] == "rsa-sha256" else
            [("1", "example.com", "pass", "256"),
             ("2", "example.com", "pass", "2048")])

    # field: E13
    def test_mail_of_others_is_no_cause_for_a_warning(self):
        daemon = self.daemon()
        self.send(daemon, [("From", " a@elsewhere.test")])
        line = self.messages(daemon, 1)[0]
        self.assertIn(": info: ", line)
        self.assertEqual(pairs_of(line)["reason"], "verify")
        self.assertNotRegex(daemon.log(), r": (warning|err): ")

    def test_nothing_secret_is_logged(self):
        daemon = self.daemon(log={"level": "debug"})
        self.send(daemon, self.sign(daemon), b"a secret body\r\n")
        os.truncate(os.path.join(daemon.dir, "keys/example.com/r1.pem"), 300)
        self.send(daemon, client=INSIDE, sender="<private.person@example.com>")
        self.messages(daemon, 3)
        log = daemon.log()
        for key in KEYS.values():
            for line in key.pem.decode().splitlines():
                self.assertNotIn(line[:20], log)
        for word in ("secret", "private.person", "a  subject", "PRIVATE"):
            self.assertNotIn(word, log)

    def test_a_warning_that_comes_again_is_written_so_often(self):
        daemon = self.daemon(log={"repeats": 3},
                             limits={"max_connections": 1})
        with daemon.mta():
            for _ in range(20):
                with daemon.mta() as refused:
                    self.assertEqual(refused.connect(), "tempfail")
        daemon.stop()
        log = daemon.log()
        self.assertEqual(log.count(": warning: connection refused: "), 3)
        self.assertIn(": warning: repeated 17 times, or others like it: "
                      "connection refused: ", log)

    def test_lines_of_messages_are_all_written(self):
        daemon = self.daemon(log={"repeats": 1}, verify={
            "require_aligned_pass": True, "on_unaligned": "tempfail"})
        for _ in range(5):
            self.send(daemon)
        self.assertEqual(len(self.messages(daemon, 5)), 5)

    def test_no_line_is_lost_where_the_file_is_rotated(self):
        daemon = self.daemon(start=False)
        path = os.path.join(daemon.dir, "mail.log")
        daemon.configure(log={"to": "file:" + path})
        daemon.start_and_wait_for(path)
        with daemon.under_mail(HEADERS, BODY, connections=3) as sent:
            for i in range(10):
                os.rename(path, path + ".%d" % i)
                daemon.kill(signal.SIGHUP)
                daemon.wait_for(lambda: os.path.exists(path), "the new file")
                time.sleep(0.02)
        daemon.stop()
        lines = []
        for name in glob.glob(path + "*"):
            with open(name) as f:
                lines += [line for line in f if MESSAGE.search(line)]
        self.assertEqual(len(lines), len(sent))
        self.assertGreater(len(sent), 20)
        self.assertTrue(all(line.endswith("\n") for line in lines))

    def test_a_log_that_takes_no_more_stops_no_mail(self):
        daemon = self.daemon(start=False)
        daemon.configure(log={"to": "file:/dev/full"})
        daemon.start(wait=False)
        daemon.wait_for(lambda: os.path.exists(daemon.status), "the start")
        self.assertEqual(len(self.sign(daemon)), len(HEADERS) + 2)

    def test_standard_error_that_nobody_reads_stops_neither_mail_nor_a_stop(
            self):
        daemon = self.daemon(start=False)
        count = 100
        for stuck_at_the_end in (False, True):
            reader, writer = os.pipe()
            self.addCleanup(os.close, reader)
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 16384)
            daemon.process = subprocess.Popen(
                [SIGNPOSTD, "-c", daemon.config, "-f"],
                stderr=writer)
            os.close(writer)
            text = b""
            while b" serves " not in text:
                text += os.read(reader, 65536)
            with daemon.mta() as mta:
                mta.connect("localhost", INSIDE)
                for _ in range(count):
                    self.assertEqual(
                        mta.message(HEADERS, BODY).reply, "accept")
                if not stuck_at_the_end:
                    text += os.read(reader, 65536)
                    mta.message(HEADERS, BODY)
            self.assertEqual(daemon.stop(), 0)
            text += os.read(reader, 65536)
            lost = re.search(rb"warning: (\d+) lines before the last were "
                             rb"lost: standard error was not read", text)
            self.assertEqual(lost is None, stuck_at_the_end)
            if lost:
                self.assertEqual(
                    text.count(b" action=signed") + int(lost.group(1)),
                    count + 1)

    def test_syslog_gets_facility_mail_and_the_level_of_each_line(self):
        daemon = self.daemon(start=False, log={"to": "syslog"},
                             verify={"on_fail": "reject"})
        signed = self.sign(self.daemon())
        path = os.path.join(daemon.dir, "syslog")
        os.mkdir(os.path.join(daemon.dir, "dev"))
        os.symlink(path, os.path.join(daemon.dir, "dev", "log"))
        under = ("unshare", "--mount", "sh", "-c", VIEW,
                 os.path.join(daemon.dir, "dev"))
        if subprocess.run([*under, "true"], stderr=subprocess.DEVNULL,
                          timeout=60).returncode != 0:
            self.skipTest("no /dev/log of one's own here")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as syslog:
            syslog.bind(path)
            syslog.settimeout(20 * PATIENCE)

            def told(word):
                while True:
                    line = syslog.recv(8192).decode()
                    if word in line:
                        return line.rstrip("\0\n")

            daemon.start(wait=False, under=under)
            tag = r"signpostd\[%d\]: " % daemon.process.pid
            self.assertRegex(told(" serves "), r"\A<21>.* %ssignpostd " % tag)
            self.send(daemon, signed)
            self.assertRegex(told("action="),
                             r"\A<22>.* %sid=4F0000 action=verified " % tag)
            self.send(daemon, signed, b"x\r\n")
            self.assertRegex(told("action="),
                             r"\A<21>.* %sid=4F0000 action=rejected " % tag)
            self.assertEqual(daemon.log(), "")

    # What is wrong at a start stands in the log, too.

    def started_in_background(self, daemon, path):
        pid_file = os.path.join(daemon.dir, "pid")
        done = daemon.run("-p", pid_file)
        with open(path) as f:
            log = f.read()
        if done.returncode == 0:
            with open(pid_file) as f:
                os.kill(int(f.read()), signal.SIGTERM)
            daemon.wait_for(lambda: not os.path.exists(pid_file), "the end")
        return done, log

    def test_warnings_of_the_text_are_logged_at_a_start(self):
        daemon = self.daemon(start=False)
        path = os.path.join(daemon.dir, "mail.log")
        daemon.configure(log={"to": "file:" + path}, dns={"trust_anchor": "/x"})
        text = r"signpost\.conf:\d+: dns\.trust_anchor: warning: has no effect"
        done, log = self.started_in_background(daemon, path)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, text)
        self.assertRegex(log, r" warning: \S*" + text)
        # In the foreground, too; and once where the log is standard error.
        daemon.start_and_wait_for(path)
        with open(path) as f:
            self.assertEqual(len(re.findall(text, f.read())), 2)
        self.assertEqual(len(re.findall(text, daemon.log())), 1)
        daemon.stop()
        os.truncate(daemon.log_path, 0)
        daemon.configure(log={"to": "stderr"})
        daemon.start()
        self.assertEqual(
            re.findall(r"(?m)^signpostd: (\w+): \S*" + text, daemon.log()),
            ["warning"])

    def test_the_journal_gets_the_level_of_each_line(self):
        daemon = self.daemon(start=False, dns={"trust_anchor": "/x"})
        read, write = os.pipe()
        stat = os.fstat(write)
        daemon.process = subprocess.Popen(
            [SIGNPOSTD, "-c", daemon.config, "-f"], stderr=write,
            stdin=subprocess.DEVNULL, env={
                **os.environ,
                "JOURNAL_STREAM": "%d:%d" % (stat.st_dev, stat.st_ino)})
        os.close(write)
        with open(read) as journal:
            first = journal.readline()
            self.assertRegex(first, r"\A<4>\S+signpost\.conf:\d+: dns\.")
            for line in journal:
                self.assertRegex(line, r"\A<[3-7]>[^<]")
                if " serves " in line:
                    self.assertTrue(line.startswith("<5>"))
                    break
            daemon.stop()

    def test_an_unusable_configuration_reaches_the_journal_as_an_error(self):
        daemon = self.daemon(start=False, mode="odd")
        read, write = os.pipe()
        stat = os.fstat(write)
        done = subprocess.run(
            [SIGNPOSTD, "-c", daemon.config, "-f"], stderr=write,
            timeout=60 * PATIENCE, env={
                **os.environ,
                "JOURNAL_STREAM": "%d:%d" % (stat.st_dev, stat.st_ino)})
        os.close(write)
        with open(read) as journal:
            text = journal.read()
        self.assertEqual(done.returncode, 78)
        self.assertRegex(text, r'\A<3>\S+signpost\.conf:\d+: mode: "odd": '
                         r"must be [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
