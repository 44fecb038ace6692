# SPDX-License-Identifier: BSD-2-Clause
"""signpostd.service, as systemd would run it: what the daemon tells systemd,
and that it lives with what the unit leaves it. The real systemd runs it in
tests/package."""
import grp
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.join(HERE, "..", "lib")
sys.path.insert(0, LIB)

from daemon_case import BODY, HEADERS, INSIDE, KEYS, Case, results  # noqa: E402
from signpostd import BUILD, PATIENCE, SANITIZED, SIGNPOSTD  # noqa: E402
from unit import Notify, Unit  # noqa: E402

UNIT = os.path.join(BUILD, "contrib", "systemd", "signpostd.service")
MAX_EXPOSURE = 2.0
GET = b"GET /status HTTP/1.0\r\nHost: localhost\r\n\r\n"
needs_systemd = unittest.skipUnless(
    shutil.which("systemd-analyze"), "systemd-analyze is not installed")


class UnitCase(Case):
    def setUp(self):
        self.unit = Unit(UNIT)

    def start(self, under=(), **settings):
        """The daemon as ExecStart has it, and the socket that it notifies."""
        daemon = self.daemon(start=False, **settings)
        notify = Notify(os.path.join(daemon.dir, "notify"), 20 * PATIENCE)
        self.addCleanup(notify.close)
        program, *options = self.unit.command("ExecStart")
        self.assertRegex(program, "^/.*/sbin/signpostd$")
        environment = {
            **os.environ, "NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC":
            "%d" % (self.unit.seconds("WatchdogSec") * 1e6)}
        with open(daemon.log_path, "ab") as log:
            daemon.process = subprocess.Popen(
                [*under, SIGNPOSTD, *options, "-c", daemon.config],
                env=environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, umask=int(self.unit.value("UMask"), 8))
        return daemon, notify

    def reload(self, daemon):
        """What ExecReload does."""
        subprocess.run([word.replace("$MAINPID", str(daemon.process.pid))
                        for word in self.unit.command("ExecReload")],
                       check=True)


class Told(UnitCase):
    """field: E15, F7"""

    def test_systemd_hears_of_start_reload_and_stop(self):
        self.assertEqual(self.unit.value("Type"), "notify")
        daemon, notify = self.start(limits={"stop_timeout": "3m"})
        ready = notify.wait("READY")
        self.assertIn(daemon.address, ready["STATUS"])
        # A mail server that starts now is answered.
        self.sign(daemon)
        # NotifyAccess=main: what other processes say is not heard.
        self.assertEqual(self.unit.value("NotifyAccess"), "main")
        self.assertEqual(ready["pid"], daemon.process.pid)

        before = time.monotonic_ns() // 1000
        self.reload(daemon)
        reloading = notify.wait("RELOADING")
        self.assertLessEqual(before, int(reloading["MONOTONIC_USEC"]))
        self.assertLessEqual(int(reloading["MONOTONIC_USEC"]),
                             time.monotonic_ns() // 1000)
        self.assertNotIn("from before", notify.wait("READY")["STATUS"])

        daemon.kill(signal.SIGTERM)
        stopping = notify.wait("STOPPING")
        # The unit's limit does not cut what the configuration allows for.
        self.assertGreater(int(stopping["EXTEND_TIMEOUT_USEC"]), 180e6)
        self.assertEqual(daemon.process.wait(20 * PATIENCE), 0)

    def test_a_reload_that_fails_shows_in_the_status(self):
        daemon, notify = self.start()
        notify.wait("READY")
        with open(daemon.config) as file:
            good = file.read()
        daemon.write_config(good + "nonsense = 1;\n")
        self.reload(daemon)
        notify.wait("RELOADING")
        self.assertIn("from before", notify.wait("READY")["STATUS"])
        self.sign(daemon)
        daemon.write_config(good)
        self.reload(daemon)
        notify.wait("RELOADING")
        self.assertNotIn("from before", notify.wait("READY")["STATUS"])

    def test_the_watchdog_is_fed_twice_as_often_as_it_bites(self):
        _, notify = self.start()
        notify.wait("READY")
        for _ in range(4):
            start = time.monotonic()
            notify.wait("WATCHDOG")
            self.assertLess(time.monotonic() - start,
                            self.unit.seconds("WatchdogSec") / 2)

    def test_a_start_that_fails_is_never_ready_and_not_tried_again(self):
        daemon, notify = self.start(mode="sideways")
        code = daemon.process.wait(20 * PATIENCE)
        self.assertIn(str(code), self.unit.value(
            "RestartPreventExitStatus").split())
        daemon.process = None
        notify.socket.setblocking(False)
        self.assertRaises(BlockingIOError, notify.next)

    def test_user_and_folder_are_those_of_the_default_configuration(self):
        with open(os.path.join(os.environ["CONFDIR"],
                               "signpost.conf.5")) as file:
            manual = file.read()
        for setting, name in (("user", "User"), ("group", "Group"),
                              ("status.socket", "RuntimeDirectory")):
            default = re.search(r'\.It Va %s\nstring; default "(.*?)"' %
                                re.escape(setting), manual).group(1)
            if name == "RuntimeDirectory":
                self.assertEqual(os.path.dirname(default),
                                 "unix:/run/" + self.unit.value(name))
            else:
                self.assertEqual(default, self.unit.value(name))


class Sandbox(UnitCase):
    """field: E10"""

    @needs_systemd
    @unittest.skipIf(SANITIZED, "a sanitizer makes calls of its own")
    def test_no_system_call_is_made_that_the_filter_does_not_list(self):
        daemon = self.daemon(start=False)
        names = os.path.join(daemon.dir, "names")
        reports = os.path.join(daemon.dir, "reports")
        os.mkdir(reports)
        allowed = self.unit.system_calls()
        if os.getuid() == 0:
            # Started by root it drops rights, which systemd has done before.
            allowed |= {"setgroups", "setgid", "setuid"}
        with open(names, "w") as file:
            file.write("\n".join(sorted(allowed)))
        group = grp.getgrgid(os.getgid()).gr_name
        daemon, notify = self.start(
            under=(sys.executable, os.path.join(LIB, "under_filter.py"),
                   names),
            socket_group=group, socket_mode="0660",
            reports={"directory": reports, "from": "postmaster@mx.test"},
            log={"to": os.path.join(daemon.dir, "file.log")})
        notify.wait("READY")
        with open("/proc/%d/status" % daemon.process.pid) as file:
            self.assertIn("Seccomp:\t2", file.read())
        for _ in range(2):
            signed = self.sign(daemon)
            result = self.send(daemon, headers=signed)
            self.assertEqual(results(result).count("dkim=pass"), 2)
            self.send(daemon, headers=signed, body=b"changed\r\n")
            self.assertIn('signpost_ready', daemon.metrics())
            self.reload(daemon)
            notify.wait("RELOADING")
            notify.wait("READY")
        self.assertEqual(daemon.stop(), 0)

    def test_the_filter_of_the_test_kills(self):
        """Whether the test above could fail."""
        names = os.path.join(self.daemon(start=False).dir, "names")
        with open(names, "w") as file:
            file.write("execve\n")
        done = subprocess.run(
            [sys.executable, os.path.join(LIB, "under_filter.py"), names,
             "/bin/true"])
        self.assertEqual(done.returncode, -signal.SIGSYS)

    @needs_systemd
    def test_systemd_reads_the_unit_without_complaint(self):
        folder = self.daemon(start=False).dir
        path = os.path.join(folder, "signpostd.service")
        with open(UNIT) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace(self.unit.command("ExecStart")[0],
                                    os.path.abspath(SIGNPOSTD)))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", path],
            capture_output=True, text=True)
        complaints = [line for line in done.stderr.splitlines()
                      if "signpostd" in line]
        self.assertEqual((done.returncode, complaints), (0, []), done.stderr)

    @needs_systemd
    def test_exposure_is_at_most_two(self):
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--no-pager",
             UNIT], capture_output=True, text=True)
        figure = re.search(r"Overall exposure level for \S+: ([\d.]+)",
                           done.stdout)
        self.assertIsNotNone(figure, done.stdout + done.stderr)
        print("systemd-analyze security: " + figure.group(1))
        self.assertLessEqual(float(figure.group(1)), MAX_EXPOSURE)


if __name__ == "__main__":
    unittest.main()
