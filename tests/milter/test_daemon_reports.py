# SPDX-License-Identifier: BSD-2-Clause
"""signpostd reports signatures that fail to domains that ask for it."""
import email
import glob
import os
import signal
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from dns_server import DnsServer, SILENT  # noqa: E402
from signpostd import Daemon, Key, PATIENCE  # noqa: E402

RSA = Key("rsa")
DOMAINS = {
    "example.com": ["ra=dkim-reports"],
    "unwanted.test": None,
    "two.test": ["ra=a", "ra=b"],
    "nobody.test": ["rr=all"],
    "expired.test": ["ra=a; rr=x"],
    "never.test": ["ra=a; rp=0"],
    "silent.test": SILENT,
}
RECORDS = {}
for domain, report in DOMAINS.items():
    RECORDS["r1._domainkey." + domain] = [RSA.record]
    if report is not None:
        RECORDS["_report._domainkey." + domain] = report
BODY = b"Hello,\r\n"
COUNT = 'signpost_reports_total{result="%s"}'


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dns = DnsServer(RECORDS)
        cls.addClassCleanup(cls.dns.close)

    def daemon(self, folder=True, sendmail=None, on_fail="accept", **reports):
        daemon = Daemon(keys={(d, "r1"): RSA for d in DOMAINS},
                        dns_port=self.dns.port)
        self.addCleanup(daemon.close)
        self.folder = os.path.join(daemon.dir, "reports")
        os.mkdir(self.folder)
        if folder:
            reports["directory"] = self.folder
        if sendmail:
            reports["sendmail"] = self.program(daemon, "sendmail", sendmail)
        daemon.configure(reports=reports, verify={"on_fail": on_fail})
        return daemon.start()

    def program(self, daemon, name, text):
        path = os.path.join(daemon.dir, name)
        with open(path, "w", opener=lambda p, f: os.open(p, f, 0o755)) as f:
            f.write("#!/bin/sh\n" + text.format(dir=daemon.dir))
        return path

    def signed(self, daemon, domain="example.com"):
        headers = [("From", " ann@" + domain), ("Subject", " a"),
                   ("To", " b@example.org")]
        with daemon.mta() as mta:
            mta.connect("localhost", "127.0.0.1")
            return mta.message(headers, BODY).apply(headers)

    def send(self, daemon, headers, body=BODY, client="192.0.2.1",
             asks=True, reply="accept", **message):
        """Sends it with a signature that asks for reports, and so fails."""
        if asks:
            headers = [(n, v.replace("v=1;", "v=1; r=y;"))
                       for n, v in headers]
        with daemon.mta() as mta:
            mta.connect("client.test", client)
            result = mta.message(headers, body, **message)
        self.assertEqual(result.reply, reply)
        return result

    def wait(self, daemon, result, count=1):
        daemon.wait_for(
            lambda: daemon.metrics()[COUNT % result] == count,
            "%s %d: %s" % (result, count, [
                line for line in daemon.metrics().items()
                if "reports" in line[0]]))

    def reports(self):
        return sorted(glob.glob(os.path.join(self.folder, "*")))

    def total(self, daemon):
        return sum(value for line, value in daemon.metrics().items()
                   if line.startswith("signpost_reports_total"))

    # field: F13
    def test_a_report_is_written_whole_and_as_the_rfcs_say(self):
        daemon = self.daemon(**{"from": "reports@mx.test"})
        self.send(daemon, self.signed(daemon), body=b"Another\r\n",
                  sender="<ann@example.com>")
        self.wait(daemon, "sent")
        (path,) = self.reports()
        self.assertTrue(path.endswith(".eml"))
        with open(path, "rb") as f:
            message = email.message_from_binary_file(f)
        self.assertEqual(message["To"], "dkim-reports@example.com")
        self.assertEqual(message["From"], "reports@mx.test")
        self.assertEqual(message["Auto-Submitted"], "auto-generated")
        self.assertEqual(message["Content-Transfer-Encoding"], "8bit")
        self.assertEqual(message.get_content_type(), "multipart/report")
        self.assertEqual(message.get_param("report-type"), "feedback-report")
        words, machine, header = message.get_payload()
        self.assertIn("body hash did not verify", words.get_payload())
        self.assertEqual(machine.get_content_type(), "message/feedback-report")
        fields = machine.get_payload()[0]
        for name, value in {
                "Feedback-Type": "auth-failure", "Version": "1",
                "Auth-Failure": "bodyhash", "Reported-Domain": "example.com",
                "Source-IP": "192.0.2.1", "DKIM-Domain": "example.com",
                "DKIM-Identity": "@example.com", "DKIM-Selector": "r1",
                "Original-Mail-From": "<ann@example.com>",
                "Delivery-Result": "delivered"}.items():
            self.assertEqual(fields[name], value, name)
        self.assertIn("dkim=fail", fields["Authentication-Results"])
        self.assertEqual(header.get_content_type(), "text/rfc822-headers")
        self.assertIn("Subject: a\n", header.get_payload())

    def test_who_is_not_asked_gets_none(self):
        daemon = self.daemon()
        signed = self.signed(daemon)
        rows = [
            ("not asked for", dict(asks=False, body=b"x\r\n")),
            ("passes", dict(asks=False)),
            ("a bounce", dict(sender="<>")),
            ("a trusted client", dict(client="127.0.0.1")),
        ]
        for name, arguments in rows:
            with self.subTest(name):
                self.send(daemon, signed, **arguments)
        for field in (("Auto-Submitted", " auto-replied"),
                      ("Content-Type", " Multipart/Report; x=y")):
            with self.subTest(field[0]):
                self.send(daemon, signed + [field])
        # In the order of the queue, this one comes last.
        self.send(daemon, signed + [("Auto-Submitted", " no")])
        self.wait(daemon, "sent")
        self.assertEqual(self.total(daemon), 1)

    def test_a_domain_that_does_not_want_them_gets_none(self):
        daemon = self.daemon()
        domains = ["unwanted.test", "two.test", "nobody.test", "expired.test",
                   "never.test"]
        for domain in domains:
            self.send(daemon, self.signed(daemon, domain))
        self.wait(daemon, "unwanted", len(domains))
        self.assertEqual(self.reports(), [])

    def test_off_makes_none(self):
        daemon = self.daemon(folder=False)
        self.send(daemon, self.signed(daemon))
        time.sleep(0.2)
        self.assertEqual(self.total(daemon), 0)

    def test_several_signatures_make_one_report_to_a_domain(self):
        daemon = self.daemon()
        one, other = self.signed(daemon), self.signed(daemon, "two.test")
        self.send(daemon, one[:1] * 3 + other[:1] + one)
        self.wait(daemon, "sent")
        self.wait(daemon, "unwanted")
        self.assertEqual(self.total(daemon), 2)

    def test_limits_hold_for_a_domain_and_for_all(self):
        daemon = self.daemon(per_domain=2, per_hour=100)
        signed = self.signed(daemon)
        for _ in range(4):
            self.send(daemon, signed)
        self.wait(daemon, "limited", 2)
        self.assertEqual(len(self.reports()), 2)
        daemon = self.daemon(per_hour=1)
        for _ in range(3):
            self.send(daemon, signed)
        self.wait(daemon, "limited", 2)
        self.assertEqual(len(self.reports()), 1)

    def test_no_more_questions_than_the_limit_find_no_record(self):
        daemon = self.daemon(per_domain=2)
        signed = self.signed(daemon, "unwanted.test")
        for _ in range(4):
            self.send(daemon, signed)
        self.wait(daemon, "unwanted", 2)
        self.wait(daemon, "limited", 2)

    def test_a_domain_that_wants_few_reports_is_asked_each_time(self):
        daemon = self.daemon(per_domain=2)
        signed = self.signed(daemon, "expired.test")
        for _ in range(4):
            self.send(daemon, signed)
        self.wait(daemon, "unwanted", 4)

    def test_sendmail_gets_the_report_and_nothing_else_of_the_daemon(self):
        daemon = self.daemon(
            folder=False,
            sendmail='echo "$*" >{dir}/arguments; ls /proc/self/fd >{dir}/fds;'
            ' cat >{dir}/text.new; mv {dir}/text.new {dir}/text\n')
        self.send(daemon, self.signed(daemon))
        self.wait(daemon, "sent")

        def read(name):
            with open(os.path.join(daemon.dir, name)) as f:
                return f.read()
        self.assertEqual(read("arguments"),
                         "-i -f <> -- dkim-reports@example.com\n")
        self.assertLessEqual(len(read("fds").split()), 4)
        self.assertIn("\nFeedback-Type: auth-failure\n", read("text"))
        self.assertTrue(read("text").rstrip().endswith("--"))

    def test_a_reload_changes_sendmail(self):
        daemon = self.daemon(folder=False, sendmail="exit 75\n")
        signed = self.signed(daemon)
        self.reload_to(daemon, self.program(daemon, "other",
                                            "cat >/dev/null\n"))
        self.send(daemon, signed)
        self.wait(daemon, "sent")
        self.assertNotIn("restart", daemon.log())

    def test_sendmail_that_gets_no_rights_of_its_own_is_named(self):
        def told():
            return "without the rights of its own" in daemon.log()
        daemon = self.daemon()
        self.reload_to(daemon, "/bin/true")
        daemon.wait_for(told, "the warning after a reload")
        daemon = self.daemon(sendmail="cat >/dev/null\n")
        daemon.stop()
        self.assertFalse(told())
        daemon.start(under=("setpriv", "--no-new-privs"))
        daemon.wait_for(told, "the warning after a start")

    def reload_to(self, daemon, program):
        daemon.configure(reports={"sendmail": program})
        daemon.kill(signal.SIGHUP)
        daemon.wait_for(lambda: "read again" in daemon.log(), "the reload")

    def test_what_cannot_be_delivered_is_counted_and_holds_up_no_mail(self):
        daemon = self.daemon(sendmail="exit 75\n")
        self.send(daemon, self.signed(daemon))
        self.wait(daemon, "failed")
        self.assertIn("could not be sent", daemon.log())
        daemon = self.daemon(folder=False,
                             directory=os.path.join(daemon.dir, "none"))
        self.send(daemon, self.signed(daemon))
        self.wait(daemon, "failed")
        self.assertIn("No such file", daemon.log())

    def test_a_message_that_is_put_off_is_not_reported_at_each_try(self):
        daemon = self.daemon(on_fail="reject")
        signed = self.signed(daemon)
        self.send(daemon, signed, reply="reject")
        self.wait(daemon, "sent")
        daemon = self.daemon(on_fail="tempfail")
        self.send(daemon, signed, reply="tempfail")
        time.sleep(0.2)
        self.assertEqual(self.total(daemon), 0)

    def test_a_queue_that_is_full_drops_reports_and_not_mail(self):
        daemon = self.daemon(per_domain=1000)
        signed = self.signed(daemon, "silent.test")
        begin = time.monotonic()
        for _ in range(70):
            self.send(daemon, signed)
        self.assertLess(time.monotonic() - begin, 10 * PATIENCE)
        self.assertGreater(daemon.metrics()[COUNT % "dropped"], 0)


if __name__ == "__main__":
    unittest.main()
