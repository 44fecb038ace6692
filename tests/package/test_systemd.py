# SPDX-License-Identifier: BSD-2-Clause
"""The package on a machine with systemd and Postfix."""
import os
import re

from machine import Booted
from world import CONFIG, FIRST, MESSAGE, SECOND, Case

UNIT = "/lib/systemd/system/signpostd.service"
DROP_IN = "/etc/systemd/system/signpostd.service.d"
CHROOT_SOCKET = "/var/spool/postfix/signpost/milter.sock"
MAILBOX = "/var/mail/ann"
RECIPIENT = "ann@mx.example.org"


class TestSystemd(Case):
    """field: E10, E15, F7"""

    kind = Booted

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        machine = cls.machine
        machine.run("useradd", "ann")
        machine.run("postconf", "-e", "myhostname=mx.example.org",
                    "mydestination=mx.example.org", "inet_interfaces=all",
                    "milter_default_action=tempfail")
        machine.run("systemctl", "restart", "postfix")

    def pid(self):
        return int(self.machine.service("MainPID"))

    def wait_active(self, not_pid):
        """Until another process than NOT_PID serves."""
        self.machine.wait_for(
            lambda: self.machine.service("ActiveState") == "active" and
            self.pid() not in (0, not_pid), "signpostd", self.journal)

    def journal(self):
        return self.machine.run("journalctl", "--no-pager", "-u", "signpostd")

    def reload(self, status):
        """Reloads, and waits for STATUS in what "systemctl status" says."""
        self.machine.run("systemctl", "reload", "signpostd")
        self.machine.wait_for(
            lambda: re.search(status, self.machine.service("StatusText")),
            status, self.journal)

    def milters(self, socket):
        self.machine.run("postconf", "-e", "smtpd_milters=" + socket,
                         "non_smtpd_milters=" + socket)
        self.machine.run("systemctl", "restart", "postfix")

    def receive(self, send):
        """The message that SEND sends, as it is in the mailbox."""
        mailbox = self.machine.path(MAILBOX)
        if os.path.exists(mailbox):
            os.unlink(mailbox)
        send()
        self.machine.wait_for(
            lambda: os.path.exists(mailbox) and os.path.getsize(mailbox),
            "the message", lambda: self.machine.run(
                "sh", "-c", "postqueue -p; journalctl --no-pager -n 30"))
        text = self.machine.read(MAILBOX)
        self.machine.write("/srv/received", text.split("\n", 1)[1])

    def send_smtp(self):
        self.talk("smtp", "127.0.0.1", "25", "ann@example.com", RECIPIENT)

    def send_local(self):
        self.machine.run(
            "sendmail", "-i", "-f", "ann@example.com", RECIPIENT,
            input=MESSAGE.replace(b"\r\n", b"\n"), stdin=None)

    def test_01_it_is_started_as_it_is_installed(self):
        self.machine.install(self.world.first)
        self.assertTrue(self.version().endswith(FIRST))
        self.wait_active(0)
        self.assertEqual(self.machine.service("UnitFileState"), "enabled")
        self.assertIn("Serves inet:", self.machine.service("StatusText"))

    def test_02_it_has_no_right_that_the_unit_takes(self):
        text = self.machine.run("cat", "/proc/%d/status" % self.pid())
        user = self.machine.run("id", "-u", "signpost").strip()
        self.assertRegex(text, r"Uid:(\t%s){4}" % user)
        for line in ("NoNewPrivs:\t1", "Seccomp:\t2",
                     "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"):
            self.assertIn(line, text)

    def test_03_postfix_has_mail_signed_as_readme_says(self):
        self.make_key()
        self.machine.run("signpostd", "-t")
        self.machine.run("systemctl", "restart", "signpostd")
        self.milters("inet:127.0.0.1:8891")
        self.receive(self.send_smtp)
        self.assertSigned("/srv/received")

    def test_04_postfix_in_its_chroot_reaches_a_unix_socket(self):
        """As signpostd(8) says, SYSTEMD."""
        self.machine.run("adduser", "signpost", "postfix")
        self.machine.run("install", "-d", "-o", "signpost", "-g", "postfix",
                         "-m", "0710", os.path.dirname(CHROOT_SOCKET))
        text = self.machine.read(CONFIG)
        self.machine.write(CONFIG, re.sub(
            r"(?m)^socket = .*$", 'socket = "unix:%s";\n'
            'socket_group = "postfix";' % CHROOT_SOCKET, text))
        self.machine.run("systemctl", "restart", "signpostd")
        self.milters("unix:signpost/milter.sock")
        self.assertRegex(self.machine.run("postconf", "-M", "smtp/inet"),
                         r"inet\s+n\s+-\s+y\s")
        self.receive(self.send_smtp)
        self.assertSigned("/srv/received")
        self.receive(self.send_local)
        self.assertSigned("/srv/received")

    def test_05_check_finds_the_set_up_good(self):
        self.machine.run("signpost", "check")

    def test_06_a_reload_shows_in_the_status(self):
        good = self.machine.read(CONFIG)
        pid = self.pid()
        self.add_setting("nonsense = 1;\n")
        self.reload("from before")
        self.machine.write(CONFIG, good)
        self.add_setting('authserv_id = "changed.example.org";\n')
        self.reload(r"Serves \S*$")
        self.assertEqual(self.pid(), pid)

    def test_07_what_it_writes_has_a_place(self):
        self.add_setting('log = { to = "/var/log/signpost/mail.log"; };\n'
                         'reports = { directory = "/var/lib/signpost"; };\n')
        self.machine.run("systemctl", "restart", "signpostd")
        self.receive(self.send_smtp)
        self.assertIn("action=signed",
                      self.machine.read("/var/log/signpost/mail.log"))
        # As the rotation of logs does it.
        self.machine.run("mv", "/var/log/signpost/mail.log",
                         "/var/log/signpost/mail.log.1")
        self.machine.run("systemctl", "reload", "signpostd")
        self.machine.wait_for(lambda: os.path.exists(self.machine.path(
            "/var/log/signpost/mail.log")), "a log", self.journal)
        self.machine.run("sh", "-c", "find /run/signpost /var/lib/signpost "
                         "/var/log/signpost -user root | grep . && exit 1 ||:")

    def test_08_what_it_runs_reaches_the_mail_queue_by_sendmail_conf(self):
        """reports.sendmail"""
        unit = "/etc/systemd/system/runs-sendmail.service"
        text = re.sub(r"(?m)^(Exec|Type|Restart|Watchdog).*\n", "",
                      self.machine.read(UNIT))
        self.machine.write(unit, text.replace(
            "[Service]", "[Service]\nType=oneshot\nExecStart=/usr/sbin/sendmail"
            " -i -f <> -- %s\nStandardInputText=From: ann@example.com\\n\\nHi"
            % RECIPIENT))
        start = ["systemctl", "restart", "runs-sendmail"]
        self.machine.run("systemctl", "daemon-reload")
        self.machine.fails(*start)
        self.machine.run("mkdir", unit + ".d")
        self.machine.run("cp", "/usr/share/doc/signpost/examples/sendmail.conf",
                         unit + ".d")
        self.machine.run("systemctl", "daemon-reload")
        self.receive(lambda: self.machine.run(*start))

    def test_09_it_comes_again_when_it_is_killed_or_hangs(self):
        pid = self.pid()
        self.machine.run("systemctl", "kill", "-s", "KILL", "signpostd")
        self.wait_active(pid)
        self.machine.run("mkdir", "-p", DROP_IN)
        self.machine.write(DROP_IN + "/watchdog.conf",
                           "[Service]\nWatchdogSec=5s\nRestartSec=1s\n")
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "restart", "signpostd")
        pid = self.pid()
        self.machine.run("systemctl", "kill", "-s", "STOP", "signpostd")
        self.wait_active(pid)
        self.assertIn("Watchdog timeout", self.journal())

    def test_10_a_wrong_configuration_is_not_tried_again(self):
        good = self.machine.read(CONFIG)
        self.machine.write(CONFIG, good + "nonsense = 1;\n")
        self.machine.fails("systemctl", "restart", "signpostd")
        self.assertEqual(self.machine.service("ActiveState"), "failed")
        self.assertIn("nonsense", self.journal())
        self.machine.write(CONFIG, good)
        self.machine.run("systemctl", "reset-failed", "signpostd")
        self.machine.run("systemctl", "restart", "signpostd")

    def test_11_what_the_sandbox_forbids_comes_with_the_way_out(self):
        good = self.machine.read(CONFIG)
        rows = (
            ("socket_group = .*", 'socket_group = "mail";',
             "adduser signpost mail"),
            ("socket = .*", 'socket = "unix:/var/spool/postfix/other.sock";',
             r"other\.sock: can't be opened: Read-only .*\(8\), SYSTEMD"),
            ("/var/log/signpost/", "/var/log/",
             r"/var/log/mail\.log: Read-only .*\(8\), SYSTEMD"),
        )
        for old, new, want in rows:
            with self.subTest(new):
                text = re.sub(old, new, good, count=1)
                self.assertNotEqual(text, good)
                self.machine.write(CONFIG, text)
                self.machine.fails("systemctl", "restart", "signpostd")
                self.assertRegex(self.journal(), want)
                self.machine.write(CONFIG, good)
                # Many starts in a short time are refused.
                self.machine.run("systemctl", "reset-failed", "signpostd")
                self.machine.run("systemctl", "restart", "signpostd")

    def test_12_an_upgrade_keeps_the_configuration_and_restarts(self):
        pid = self.pid()
        self.machine.install(self.world.second)
        self.assertTrue(self.version().endswith(SECOND))
        self.wait_active(pid)
        self.assertIn("changed.example.org", self.machine.read(CONFIG))
        self.receive(self.send_smtp)
        self.assertSigned("/srv/received")

    def test_13_removal_stops_it_and_a_purge_leaves_keys(self):
        pid = self.pid()
        self.machine.run("apt-get", "-y", "remove", "signpost")
        self.machine.fails("test", "-e", "/proc/%d" % pid)
        self.assertFalse(os.path.exists(self.machine.path(CHROOT_SOCKET)))
        text = self.machine.run("apt-get", "-y", "purge", "signpost")
        self.assertIn("rm -r /etc/signpost", text)
        self.assertSafe()
        for name in ("/run/signpost", "/var/lib/signpost", "/var/log/signpost",
                     CONFIG, os.path.dirname(CHROOT_SOCKET),
                     "/etc/logrotate.d/signpost"):
            self.assertFalse(os.path.exists(self.machine.path(name)), name)
