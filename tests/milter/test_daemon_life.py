# SPDX-License-Identifier: BSD-2-Clause
"""signpostd's process: options, start, reload, stop, rights."""
import os
import pwd
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from milter_client import Closed, Mta  # noqa: E402
from signpostd import Daemon, Key, PATIENCE, SIGNPOSTD  # noqa: E402

RSA = Key("rsa")
ED25519 = Key("ed25519")
KEYS = {("example.com", "s1"): ED25519}
HEADERS = [("From", " ann@example.com"), ("Subject", " s")]
BODY = b"Hello\r\n"
INSIDE = "127.0.0.1"


class Case(unittest.TestCase):
    def daemon(self, start=True, keys=KEYS, **settings):
        daemon = Daemon(keys=keys, **settings)
        self.addCleanup(daemon.close)
        return daemon.start() if start else daemon

    def signatures(self, daemon, client=INSIDE):
        with daemon.mta() as mta:
            mta.connect("localhost", client)
            result = mta.message(HEADERS, BODY)
            mta.quit()
        self.assertEqual(result.reply, "accept")
        return result.field("DKIM-Signature")


class Options(Case):
    def test_check_of_a_good_configuration_is_silent(self):
        daemon = self.daemon(start=False)
        done = daemon.run("-t")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_check_names_all_problems_with_file_and_line(self):
        daemon = self.daemon(start=False)
        with open(daemon.config) as f:
            text = f.read()
        daemon.write_config(
            text + 'mode = "sideways";\nnosuchthing = 1;\n')
        last = text.count("\n")
        done = daemon.run("-t")
        self.assertEqual(done.returncode, 78)
        for line, setting in ((last + 1, "mode"), (last + 2, "nosuchthing")):
            self.assertRegex(done.stderr, r"(?m)^%s:%d: %s: " % (
                daemon.config, line, setting))

    def test_check_reads_every_key(self):
        daemon = self.daemon(start=False)
        path = daemon.write_key("example.org", "bad", RSA)
        with open(path, "w") as f:
            f.write("no key\n")
        done = daemon.run("-t")
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(path, done.stderr)

    def test_check_reads_keys_beside_other_errors(self):
        daemon = self.daemon(start=False)
        path = daemon.write_key("example.org", "bad", RSA)
        named = os.path.join(daemon.dir, "named.pem")
        for name in (path, named):
            with open(name, "w", opener=lambda p, f: os.open(p, f, 0o600)) as f:
                f.write("no key\n")
        daemon.configure(mode="sideways", domains=(
            {"name": "no domain", "keys": ({"selector": "s", "file": named},
                                           {"selector": "s"},
                                           {"file": 1},)},
            {"keys": ()}, {"name": "example.com"}, {}))
        done = daemon.run("-t")
        self.assertEqual(done.returncode, 78, done.stderr)
        for word in ("mode: ", path, named, "domains.keys.file: is missing",
                     "domains.name: is missing"):
            self.assertIn(word, done.stderr)
        self.assertNotIn("keys not checked", done.stderr)
        daemon.write_config("mode = ;\n")
        done = daemon.run("-t")
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("keys not checked until this is mended", done.stderr)

    # field: E21
    def test_version_and_wrong_options(self):
        daemon = self.daemon(start=False)
        done = daemon.run("-V")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\Asignpostd \d")
        self.assertIn("libmilter", done.stdout)
        self.assertEqual(daemon.run("--nonsense").returncode, 64)
        self.assertEqual(daemon.run("-t", "extra").returncode, 64)

    def test_what_is_wrong_with_options_is_said(self):
        for options, said in (
                (["-x"], "-x: no such option"),
                (["--nothing"], "--nothing: no such option"),
                (["-c"], "-c: wants an argument"),
                (["-t", "file"], "file: is one argument too many")):
            done = subprocess.run([SIGNPOSTD, *options], text=True,
                                  stderr=subprocess.PIPE,
                                  timeout=60 * PATIENCE)
            self.assertEqual(done.returncode, 64, options)
            self.assertEqual(done.stderr.splitlines()[0],
                             "signpostd: " + said)

    def test_no_configuration_is_exit_78(self):
        daemon = self.daemon(start=False)
        os.unlink(daemon.config)
        done = daemon.run("-f")
        self.assertEqual(done.returncode, 78)
        self.assertIn(daemon.config, done.stderr)


class Start(Case):
    def test_in_the_background_it_serves_when_the_command_returns(self):
        daemon = self.daemon(start=False, log={"to": "/dev/null"})
        pid_file = os.path.join(daemon.dir, "pid")
        done = daemon.run("-p", pid_file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(pid_file) as f:
            pid = int(f.read())
        try:
            self.assertEqual(len(self.signatures(daemon)), 1)
        finally:
            os.kill(pid, signal.SIGTERM)
        daemon.wait_for(
            lambda: not os.path.exists(pid_file), "the end of it")

    def test_in_the_background_its_caller_sees_errors(self):
        daemon = self.daemon(
            start=False, socket="unix:/nonexistent/milter.sock",
            log={"to": "/dev/null"})
        for under in ((), ("env", "--ignore-signal=CHLD")):
            done = daemon.run(under=under)
            self.assertEqual(done.returncode, 69)
            self.assertIn("/nonexistent/milter.sock", done.stderr)

    def test_socket_left_over_is_replaced_and_one_in_use_is_not(self):
        daemon = self.daemon(start=False)
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(daemon.address)
        daemon.start()
        self.assertEqual(len(self.signatures(daemon)), 1)
        done = daemon.run("-f")
        self.assertEqual(done.returncode, 69)
        self.assertIn("another process answers", done.stderr)
        self.assertEqual(len(self.signatures(daemon)), 1)

    def test_file_that_is_no_socket_is_left_alone(self):
        daemon = self.daemon(start=False)
        with open(daemon.address, "w") as f:
            f.write("precious")
        self.assertEqual(daemon.run("-f").returncode, 69)
        with open(daemon.address) as f:
            self.assertEqual(f.read(), "precious")

    def test_socket_has_its_mode(self):
        for mode in ("0600", "0666"):
            daemon = self.daemon(socket_mode=mode)
            self.assertEqual(
                "%04o" % stat.S_IMODE(os.stat(daemon.address).st_mode), mode)

    def test_inet_socket(self):
        daemon = self.daemon(tcp=True)
        self.assertEqual(len(self.signatures(daemon)), 1)

    @unittest.skipIf(os.getuid() != 0, "only root has rights to drop")
    def test_root_becomes_the_user_and_leaves_no_core(self):
        nobody = pwd.getpwnam("nobody")
        daemon = self.daemon(start=False, user="nobody", group="nogroup")
        for path, folders, files in os.walk(daemon.dir):
            for name in [path] + [os.path.join(path, f) for f in files]:
                os.chown(name, nobody.pw_uid, nobody.pw_gid)
        daemon.start()
        self.assertEqual(len(self.signatures(daemon)), 1)
        with open("/proc/%d/status" % daemon.process.pid) as f:
            status = dict(line.split(":", 1) for line in f)
        for name, want in (("Uid", nobody.pw_uid), ("Gid", nobody.pw_gid)):
            self.assertEqual(
                [int(n) for n in status[name].split()], [want] * 4)
        self.assertNotIn("0", status["Groups"].split())
        # It opens connections to itself (listener.h).
        self.assertEqual(os.stat(daemon.address).st_uid, nobody.pw_uid)
        # Of no socket_group: who is in the daemon's group may connect.
        self.assertEqual(os.stat(daemon.address).st_gid, nobody.pw_gid)
        self.assertEqual(int(status["NoNewPrivs"]), 1)
        self.assertEqual(int(status["CapEff"], 16), 0)
        with open("/proc/%d/limits" % daemon.process.pid) as f:
            core = [line for line in f if line.startswith("Max core")][0]
        self.assertEqual(core.split()[4:6], ["0", "0"])
        daemon.reload()
        self.assertEqual(len(self.signatures(daemon)), 1)


    @unittest.skipUnless(os.getuid() == 0, "only root becomes another")
    def test_log_that_the_user_cannot_open_again_is_told_of_at_once(self):
        daemon = self.daemon(start=False, user="nobody", group="nogroup")
        daemon.configure(log={"to": daemon.log_path})
        os.chmod(daemon.dir, 0o755)
        os.close(os.open(daemon.log_path, os.O_CREAT | os.O_WRONLY, 0o600))
        daemon.start()
        self.assertIn("again: Permission denied", daemon.log())
        os.chown(daemon.log_path, pwd.getpwnam("nobody").pw_uid, -1)
        daemon.stop()
        os.truncate(daemon.log_path, 0)
        daemon.start()
        self.assertNotIn("Permission denied", daemon.log())


    @unittest.skipUnless(os.getuid() == 0, "only root becomes another")
    def test_pid_file_in_a_folder_of_roots_is_emptied(self):
        daemon = self.daemon(start=False, keys={}, user="nobody",
                             group="nogroup")
        for name in (daemon.dir, os.path.join(daemon.dir, "keys")):
            os.chmod(name, 0o755)
        pid_file = os.path.join(daemon.dir, "pid")
        daemon.start("-p", pid_file)
        with open(pid_file) as f:
            self.assertEqual(int(f.read()), daemon.process.pid)
        daemon.stop()
        self.assertEqual(os.stat(pid_file).st_size, 0)

    def test_pid_file_of_a_later_process_is_left_alone(self):
        daemon = self.daemon(start=False)
        pid_file = os.path.join(daemon.dir, "pid")
        daemon.start("-p", pid_file)
        with open(pid_file, "w") as f:
            f.write("1\n")
        daemon.stop()
        with open(pid_file) as f:
            self.assertEqual(f.read(), "1\n")

    def test_start_that_fails_leaves_no_pid_file(self):
        daemon = self.daemon(start=False)
        entry = {"name": "example.com", "keys": (
            {"selector": "s", "file": "/nonexistent/key.pem"},)}
        daemon.configure(domains=(entry,))
        pid_file = os.path.join(daemon.dir, "pid")
        self.assertEqual(daemon.run("-f", "-p", pid_file).returncode, 78)
        self.assertFalse(os.path.exists(pid_file))

    def test_warning_of_a_start_is_logged_as_one(self):
        daemon = self.daemon(start=False, keys={})
        os.mkdir(os.path.join(daemon.dir, "keys", "no domain"))
        daemon.configure(log={"to": daemon.log_path})
        pid_file = os.path.join(daemon.dir, "pid")
        self.assertEqual(daemon.run("-p", pid_file).returncode, 0)
        with open(pid_file) as f:
            os.kill(int(f.read()), signal.SIGTERM)
        daemon.wait_for(lambda: not os.path.exists(pid_file), "the end")
        lines = [line for line in daemon.log().splitlines()
                 if "are no domains" in line]
        self.assertEqual(len(lines), 1, daemon.log())
        self.assertRegex(lines[0], r"\bwarning\b")
        self.assertNotRegex(lines[0], r"\berr")

    @unittest.skipUnless(os.getuid() == 0, "only root becomes another")
    def test_user_or_group_that_is_not_there_is_told_of(self):
        for setting in ("user", "group"):
            daemon = self.daemon(start=False, **{setting: "no-such"})
            for option in ("-t", "-f"):
                done = daemon.run(option)
                self.assertEqual(done.returncode, 78)
                self.assertIn("%s: there is no %s no-such: add"
                              % (setting, setting), done.stderr)


ENVELOPE_CPU = 'signpost_mail_thread_cpu_seconds_total{stage="envelope"}'


class Reload(Case):
    def test_new_settings_hold_from_the_next_message_on(self):
        daemon = self.daemon()
        with daemon.mta() as mta:
            mta.connect("localhost", INSIDE)
            mta.envelope()
            for name, value in HEADERS:
                mta.header(name, value)
            # The message has begun: no reply says so.
            daemon.wait_for(lambda: daemon.metrics()[ENVELOPE_CPU] > 0,
                            "the sender")
            daemon.configure(sign={"canonicalization": "simple/relaxed"})
            daemon.reload()
            mta.end_headers()
            mta.body(BODY)
            old = mta.end_message().field("DKIM-Signature")
            new = mta.message(HEADERS, BODY).field("DKIM-Signature")
        self.assertIn("c=relaxed/relaxed;", old[0])
        self.assertIn("c=simple/relaxed;", new[0])

    def test_bad_configuration_is_logged_whole_and_the_old_one_stays(self):
        daemon = self.daemon()
        with open(daemon.config) as f:
            good = f.read()
        for bad in ("mode = ;\n", 'mode = "odd";\nuser2 = "x";\n', "",
                    good + '@include "/"\n'):
            daemon.write_config(bad)
            if bad == "":
                os.unlink(daemon.config)
            daemon.reload("can't be used")
            self.assertEqual(len(self.signatures(daemon)), 1)
        for word in ("mode", "user2"):
            self.assertRegex(daemon.log(), r"signpost\.conf:\d+: %s:" % word)
        failed = 'signpost_reloads_total{result="failed"}'
        self.assertEqual(daemon.metrics()[failed], 4)
        daemon.write_config(good)
        daemon.reload()
        self.assertEqual(len(self.signatures(daemon)), 1)

    # field: A17
    def test_configuration_that_names_an_unusable_key_is_a_bad_one(self):
        daemon = self.daemon()
        path = daemon.write_key("other.test", "s1", RSA)
        entry = {"name": "example.com",
                 "keys": ({"selector": "s9", "file": path},)}
        os.chmod(path, 0o644)
        daemon.configure(domains=(entry,))
        daemon.reload("can't be used")
        self.assertRegex(daemon.log(), r"signpost\.conf:\d+: "
                         r"domains\.keys\.file: %s .*chmod o= " % path)
        self.assertIn("s=s1;", self.signatures(daemon)[0])
        daemon.stop()
        done = daemon.run("-f")
        self.assertEqual(done.returncode, 78)
        self.assertIn("chmod o= " + path, done.stderr)
        os.chmod(path, 0o600)
        os.truncate(daemon.log_path, 0)
        daemon.start()
        self.assertIn("s=s9;", self.signatures(daemon)[0])

    # field: E12
    def test_folder_of_keys_that_is_not_there_lets_no_mail_out_unsigned(self):
        daemon = self.daemon(start=False, key_directory="/nonexistent/keys")
        for option in "-t", "-f":
            done = daemon.run(option)
            self.assertEqual(done.returncode, 78)
            self.assertIn("/nonexistent/keys is not there", done.stderr)

    def test_link_to_the_configuration_is_followed_anew(self):
        daemon = self.daemon(start=False)
        os.rename(daemon.config, daemon.config + ".1")
        os.symlink("signpost.conf.1", daemon.config)
        daemon.start()
        with open(daemon.config) as f:
            good = f.read()
        with open(daemon.config + ".2", "w") as f:
            f.write(good + 'mode = "sign"; nonsense = 1;\n')
        os.unlink(daemon.config)
        os.symlink("signpost.conf.2", daemon.config)
        daemon.reload("can't be used")
        self.assertRegex(daemon.log(), r"signpost\.conf:\d+: nonsense:")

    def test_relative_name_of_the_configuration_lasts(self):
        daemon = self.daemon(start=False)
        pid_file = os.path.join(daemon.dir, "pid")
        daemon.configure(log={"to": daemon.log_path})
        subprocess.run(
            [os.path.abspath(SIGNPOSTD), "-c", "signpost.conf", "-p",
             pid_file], cwd=daemon.dir, check=True, timeout=60 * PATIENCE)
        with open(pid_file) as f:
            pid = int(f.read())
        os.kill(pid, signal.SIGHUP)
        daemon.wait_for(lambda: "read again" in daemon.log(), "the reload")
        os.kill(pid, signal.SIGTERM)
        daemon.wait_for(lambda: not os.path.exists(pid_file), "the end")

    def test_rotated_log_is_left_though_the_configuration_is_bad(self):
        daemon = self.daemon(start=False)
        daemon.configure(log={"to": daemon.log_path})
        daemon.start()
        daemon.write_config("mode = ;\n")
        os.rename(daemon.log_path, daemon.log_path + ".1")
        daemon.kill(signal.SIGHUP)
        daemon.wait_for(lambda: "can't be used" in daemon.log(), "the log")

    def test_setting_that_takes_a_restart_is_named(self):
        daemon = self.daemon()
        daemon.configure(workers={"threads": 3})
        daemon.reload()
        self.assertRegex(daemon.log(), r"workers\.threads has changed")

    def test_limits_that_only_a_restart_raises_are_named(self):
        daemon = self.daemon(start=False)
        daemon.start(under=("prlimit", "--nofile=4096:20000"))
        daemon.configure(limits={"max_header_bytes": "900k"})
        daemon.reload()
        self.assertNotIn("takes a restart", daemon.log())
        daemon.configure(limits={"max_header_bytes": "2M",
                                 "max_connections": 1000000})
        daemon.reload()
        self.assertRegex(daemon.log(), r"limits\.max_connections is raised to "
                         r"1000000: more than \d+ takes a restart")
        self.assertIn("limits.max_header_bytes is raised to 2097152: more "
                      "than 983040 takes a restart", daemon.log())

    @unittest.skipUnless(os.getuid() == 0, "only root becomes another")
    def test_configuration_that_only_root_can_read_is_told_of_at_once(self):
        daemon = self.daemon(start=False, keys={}, user="nobody",
                             group="nogroup")
        for name in (daemon.dir, os.path.join(daemon.dir, "keys")):
            os.chmod(name, 0o755)
        os.chmod(daemon.config, 0o600)
        daemon.start()
        way_out = (daemon.config + ": cannot be read: Permission denied: the "
                   "daemon's group needs to: chgrp signpost FILE, chmod 0640")
        self.assertIn("a reload will fail: " + way_out, daemon.log())
        daemon.reload("can't be used")
        self.assertEqual(daemon.log().count(way_out), 2)
        os.chmod(daemon.config, 0o644)
        daemon.stop()
        os.truncate(daemon.log_path, 0)
        daemon.start()
        self.assertNotIn("cannot be read", daemon.log())

    # field: E15
    def test_hangup_while_it_starts_is_a_reload_once_it_serves(self):
        """It was the end."""
        daemon = self.daemon(start=False, domains=tuple(
            {"name": "d%d.test" % number} for number in range(4000)))
        daemon.start(wait=False)
        status = "/proc/%d/status" % daemon.process.pid
        hangup = 1 << (signal.SIGHUP - 1)

        def keeps_hangup():
            with open(status) as file:
                masks = re.findall(r"^Sig(?:Blk|Cgt):\s*(\w+)", file.read(),
                                   re.MULTILINE)
            return any(int(mask, 16) & hangup for mask in masks)
        daemon.wait_for(keeps_hangup, "the daemon to keep signals")
        daemon.kill(signal.SIGHUP)
        daemon.wait_for(
            lambda: daemon.answers() and "read again" in daemon.log(),
            "reload", 60)

    def test_two_hangups_within_5_ms_a_hundred_times_lose_no_message(self):
        daemon = self.daemon()
        with daemon.under_mail(HEADERS, BODY) as sent:
            for _ in range(100):
                daemon.kill(signal.SIGHUP)
                time.sleep(0.003)
                daemon.kill(signal.SIGHUP)
                time.sleep(0.02)
            daemon.reload()
        outcomes = [(result.reply, len(result.field("DKIM-Signature")))
                    for result in sent]
        self.assertGreater(len(outcomes), 100)
        self.assertEqual(set(outcomes), {("accept", 1)})
        self.assertIsNone(daemon.process.poll())


class Stop(Case):
    def begin(self, daemon, mta):
        mta.connect("localhost", INSIDE)
        mta.envelope()
        mta.whole_header(HEADERS)
        mta.body(BODY)
        # The steps are not answered, so nothing says when they were taken.
        daemon.wait_for(
            lambda: daemon.metrics()["signpost_body_hash_bytes_total"] > 0,
            "the body")

    def test_message_between_body_and_end_ends_normally(self):
        daemon = self.daemon()
        with daemon.mta() as mta, daemon.mta() as idle:
            idle.connect("localhost", INSIDE)
            self.begin(daemon, mta)
            daemon.kill(signal.SIGTERM)
            daemon.wait_for(
                lambda: not os.path.exists(daemon.address), "the stop")
            with self.assertRaises(OSError):
                Mta(daemon.address)
            time.sleep(0.5)
            self.assertIsNone(daemon.process.poll())
            result = mta.end_message()
            self.assertEqual(result.reply, "accept")
            self.assertEqual(len(result.field("DKIM-Signature")), 1)
            begin = time.monotonic()
            self.assertEqual(daemon.stop(), 0)
            self.assertLess(time.monotonic() - begin, PATIENCE)

    def test_idle_it_ends_within_a_second_for_either_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            daemon = self.daemon()
            # Connections that an MTA keeps open are not waited for.
            with daemon.mta() as mta:
                mta.connect("localhost", INSIDE)
                mta.message(HEADERS, BODY)
                time.sleep(0.5)
                begin = time.monotonic()
                self.assertEqual(daemon.stop(number), 0)
                self.assertLess(time.monotonic() - begin, PATIENCE)
                with self.assertRaises((Closed, ConnectionError)):
                    mta.message(HEADERS, BODY)

    def test_message_that_never_ends_is_cut_after_stop_timeout(self):
        daemon = self.daemon(limits={"stop_timeout": "1s"})
        with daemon.mta() as mta:
            self.begin(daemon, mta)
            begin = time.monotonic()
            self.assertEqual(daemon.stop(), 0)
            took = time.monotonic() - begin
        self.assertGreater(took, 0.9)
        self.assertLess(took, 1 + PATIENCE)

    def test_signals_of_all_kinds_at_once_never_cut_a_message(self):
        for _ in range(10):
            daemon = self.daemon()
            with daemon.mta() as mta:
                self.begin(daemon, mta)
                for _ in range(20):
                    daemon.kill(signal.SIGHUP)
                daemon.kill(signal.SIGTERM)
                daemon.kill(signal.SIGINT)
                result = mta.end_message()
                self.assertEqual(result.reply, "accept")
            self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
