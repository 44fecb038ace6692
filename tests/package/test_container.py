# SPDX-License-Identifier: BSD-2-Clause
"""The package in a container that has no init system."""
import os
import sys

from machine import Container
from world import CONFIG, FIRST, KEY, SECOND, TOP, Case

sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from unit import Notify, Unit  # noqa: E402

UNIT = "/lib/systemd/system/signpostd.service"
NOTIFY = "/run/notify"
# What is left of a purge, and of nothing else: nothing of ours.
LEFT = {"/etc/group-", "/etc/gshadow-", "/etc/passwd-", "/etc/shadow-",
        "/etc/subuid-", "/etc/subgid-", NOTIFY}


class TestContainer(Case):
    """field: E1, E10, F6"""

    kind = Container

    def test_01_it_installs_and_starts_nothing(self):
        type(self).before = self.machine.files()
        self.machine.install(self.world.first)
        self.assertTrue(self.version().endswith(FIRST))
        self.assertEqual(self.machine.run(
            "stat", "-c", "%a %U %G", "/etc/signpost/keys", "/run/signpost",
            "/var/lib/signpost", CONFIG).split("\n"), [
                "750 root signpost", "755 signpost signpost",
                "750 signpost signpost", "644 root root", ""])
        self.assertEqual(self.machine.run("signpostd", "-t"), "")

    def test_02_it_makes_a_key_as_readme_says(self):
        self.make_key()
        self.assertSafe()
        self.assertEqual(self.machine.run("signpostd", "-t"), "")

    def test_03_it_starts_as_the_unit_says_and_signs(self):
        unit = Unit(self.machine.path(UNIT))
        cls = type(self)
        cls.notify = Notify(self.machine.path(NOTIFY), 60)
        cls.addClassCleanup(cls.notify.close)
        os.chmod(cls.notify.path, 0o666)
        self.machine.run(
            "sh", "-c", "NOTIFY_SOCKET=%s setpriv --reuid %s --regid %s "
            "--init-groups --no-new-privs --bounding-set=-all --inh-caps=-all "
            "%s >/srv/log 2>&1 &" % (
                NOTIFY, unit.value("User"), unit.value("Group"),
                unit.value("ExecStart")))
        cls.pid = self.notify.wait("READY")["pid"]
        self.machine.write("/srv/signed", self.talk(
            "milter", "127.0.0.1", "8891").decode())
        self.assertSigned("/srv/signed")

    def test_04_it_reads_a_changed_configuration(self):
        self.add_setting('authserv_id = "changed.example.org";\n')
        os.kill(self.pid, 1)
        self.notify.wait("RELOADING")
        self.assertNotIn("from before", self.notify.wait("READY")["STATUS"])

    def test_05_an_upgrade_keeps_the_changed_configuration(self):
        self.machine.install(self.world.second)
        self.assertTrue(self.version().endswith(SECOND))
        self.assertIn("changed.example.org", self.machine.read(CONFIG))
        self.assertNotIn("One more line", self.machine.read(CONFIG))
        self.assertSafe()
        self.assertEqual(self.machine.run("signpostd", "-t"), "")

    def test_06_it_stops(self):
        os.kill(self.pid, 15)
        self.notify.wait("STOPPING")
        self.machine.wait_for(lambda: "signpostd ends" in
                              self.machine.read("/srv/log"), "the end",
                              lambda: self.machine.read("/srv/log"))

    def test_07_systemd_would_make_the_same_user_and_folder(self):
        self.machine.run("rmdir", "/run/signpost")
        self.machine.run("systemd-tmpfiles", "--create", "signpost.conf")
        self.assertEqual(self.machine.run(
            "stat", "-c", "%a %U %G", "/run/signpost").strip(),
            "755 signpost signpost")
        self.machine.run("sh", "-c", "mkdir -p /srv/other/etc && "
                         "systemd-sysusers --root=/srv/other - "
                         "</usr/lib/sysusers.d/signpost.conf")
        self.assertRegex(self.machine.read("/srv/other/etc/passwd"),
                         "(?m)^signpost:.*:/nonexistent:/usr/sbin/nologin$")

    def test_08_removal_keeps_configuration_and_keys(self):
        self.machine.run("apt-get", "-y", "remove", "signpost")
        self.assertFalse(os.path.exists(self.machine.path("/usr/sbin/signpostd")))
        self.assertIn("changed.example.org", self.machine.read(CONFIG))
        self.assertSafe()

    def test_09_a_purge_leaves_keys_alone_and_says_so(self):
        text = self.machine.run("apt-get", "-y", "purge", "signpost",
                                "libsignpost0", "libsignpost-dev")
        self.assertIn("rm -r /etc/signpost && deluser --system signpost", text)
        self.assertSafe()
        folder = os.path.dirname(KEY)
        self.assertEqual(
            self.machine.files() - self.before - LEFT,
            {KEY, folder, os.path.dirname(folder), "/etc/signpost"})

    def test_10_keys_that_were_left_sign_again(self):
        self.machine.install(self.world.second)
        self.assertSafe()
        self.assertEqual(self.machine.run("signpostd", "-t"), "")

    def test_11_a_purge_without_keys_leaves_nothing(self):
        self.machine.run("rm", KEY)
        text = self.machine.run("apt-get", "-y", "purge", "signpost",
                                "libsignpost0", "libsignpost-dev")
        self.assertNotIn("deluser --system", text)
        self.assertEqual(self.machine.files() - self.before - LEFT, set())
        self.machine.fails("getent", "passwd", "signpost")
