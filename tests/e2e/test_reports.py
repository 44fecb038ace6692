# SPDX-License-Identifier: BSD-2-Clause
"""Reports of signatures that failed, handed to the machine's mail server.

The daemon runs where that server is installed, and has dropped its rights; the
reports pass through it once more on their way, and are signed.
"""
import email
import glob
import os
import pwd
import re
import unittest

import corpus
import world
from case import Case, change_body
from lab import filters, mail
from lab.postfix import Postfix
from lab.sendmail import Sendmail
from lab.view import Installed

CONFIG = """
mode = "both";
authserv_id = "{id}";
key_directory = "{keys}";
trusted_networks = [ ];
trusted_daemons = [ "submission" ];
dns = {{ servers = [ "{dns}" ]; timeout = "20s"; dnssec = false; }};
reports = {{
  directory = "{folder}";
  sendmail = "/usr/sbin/sendmail";
  from = "postmaster@both.example.com";
  per_domain = 3;
}};
"""
LIMIT = 3
# As signpostd(8) has it for a service that has given up such rights.
HAND_OVER = """\
cd "$0" && for f in *.eml; do [ -f "$f" ] && \
/usr/sbin/sendmail -i -t -f '<>' <"$f" && rm "$f"; done
"""


class Reports:
    """`port`: where the mail server takes mail from strangers."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.world.lab
        cls.milter = cls.lab.port()
        cls.view = cls.start_server()
        cls.user = pwd.getpwnam(filters.USER)
        cls.folder = cls.lab.make_dir("reports-" + cls.name)
        os.chown(cls.folder, cls.user.pw_uid, cls.user.pw_gid)
        cls.daemon = filters.Signpostd(
            cls.lab, "reporter-" + cls.name, cls.world.build, CONFIG.format(
                id=world.AUTHSERV_ID, keys=cls.world.keys,
                dns=cls.world.dns.address(), folder=cls.folder),
            port=cls.milter, wrap=cls.view.wrap)

    def failing(self, label, more=""):
        """A message whose signature asks for reports, and fails."""
        domain = label + ".example.com"
        sender = "alice@" + domain
        signed = self.world.command(
            "sign", "-d", domain, "-s", "r1", "-k",
            self.world.key(domain, "rsa"),
            data=more.encode() + corpus.message("plain", sender)).stdout
        return sender, asking(change_body(signed))

    def send(self, sender, data):
        """From a stranger; what arrives at the other end."""
        recipient = self.world.address("reported")
        code, text = mail.send(self.port, sender, [recipient], data,
                               utf8=False)
        self.assertEqual(code, 250, text)
        arrived = self.world.sink.take(recipient).data
        self.assertIn(b"dkim=fail", arrived)
        return arrived

    def take(self, label):
        return self.world.sink.take("dkim-reports@%s.example.com" % label)

    def counts(self):
        return {m[1]: int(m[2]) for m in re.finditer(
            r'signpost_reports_total\{result="(\w+)"\} (\d+)',
            self.daemon.metrics()) if m[2] != "0"}

    def test_report_arrives_whole_and_signed(self):
        sender, data = self.failing("both", "X-Text: Gr\u00fc\u00dfe\r\n")
        self.send(sender, data)
        arrived = self.take("both")
        self.assertEqual(arrived.sender, "")
        self.assertEqual(arrived.recipients,
                         ["dkim-reports@both.example.com"])
        self.assert_peers_pass(arrived.data, list(world.SELECTORS.values()))
        report = email.message_from_bytes(arrived.data)
        self.assertEqual(report["To"], "dkim-reports@both.example.com")
        self.assertEqual(report["From"], "postmaster@both.example.com")
        self.assertEqual(report["Auto-Submitted"], "auto-generated")
        self.assertEqual(len(report.get_all("Date")), 1)
        self.assertEqual(len(report.get_all("Message-ID")), 1)
        self.assertEqual(report.get_content_type(), "multipart/report")
        self.assertEqual(report.get_param("report-type"), "feedback-report")
        self.assertEqual([part.get_content_type()
                          for part in report.get_payload()],
                         ["text/plain", "message/feedback-report",
                          "text/rfc822-headers"])
        self.assertEqual(report.defects, [])
        self.check_fields(report.get_payload(1).get_payload(0), sender)
        self.assertEqual(report.get_payload(2).get_payload(
            decode=True).strip().replace(b"\r\n", b"\n"),
            mail.header_of(data).strip().replace(b"\r\n", b"\n"))

        self.assertEqual(self.users(), {str(self.user.pw_uid)})

    def users(self):
        """As whom the daemon runs, and could again."""
        with open("/proc/%d/status" % self.daemon.process.pid) as f:
            return set(re.search(r"Uid:((?:\t\d+)+)", f.read())[1].split())

    def check_fields(self, fields, sender):
        """RFC 5965 section 3.1, RFC 6591 section 3.1 and 3.2."""
        for name, want in {
                "Feedback-Type": "auth-failure", "Version": "1",
                "Auth-Failure": "bodyhash", "Delivery-Result": "delivered",
                "Original-Mail-From": "<%s>" % sender,
                "Source-IP": "127.0.0.1", "Reported-Domain":
                "both.example.com", "DKIM-Domain": "both.example.com",
                "DKIM-Identity": "@both.example.com",
                "DKIM-Selector": "r1"}.items():
            self.assertEqual(fields.get_all(name), [want], name)
        self.assertRegex(fields["User-Agent"], r"^Signpost/\d")
        self.assertIsNotNone(email.utils.parsedate(fields["Arrival-Date"]))
        (results,) = fields.get_all("Authentication-Results")
        self.assertRegex(results, r"^%s;\s+dkim=fail"
                         % re.escape(world.AUTHSERV_ID))

    def test_reports_in_a_folder_can_be_handed_over(self):
        # What is cut on its way breaks the signature of the report.
        self.send(*self.failing("peer", "X-Long: %s\r\n" % ("x" * 3000)))
        self.take("peer")
        for path in self.files():
            if b"To: dkim-reports@peer.example.com\n" not in read(path):
                os.unlink(path)
        self.lab.run(self.view.wrap([
            "setpriv", "--reuid", str(self.user.pw_uid), "--regid",
            str(self.user.pw_gid), "--clear-groups", "sh", "-c", HAND_OVER,
            self.folder]))
        self.assertEqual(self.files(), [])
        arrived = self.take("peer")
        self.assertEqual(arrived.sender, "")
        self.assert_peers_pass(arrived.data, list(world.SELECTORS.values()))
        self.assertEqual(email.message_from_bytes(
            arrived.data).get_content_type(), "multipart/report")

    def files(self):
        return glob.glob(os.path.join(self.folder, "*"))

    def test_no_more_reports_than_the_limit(self):
        before = self.counts()
        for _ in range(LIMIT + 2):
            self.send(*self.failing("simple-simple"))
        for _ in range(LIMIT):
            self.take("simple-simple")
        self.lab.wait_for(
            lambda: self.counts().get("limited", 0)
            - before.get("limited", 0) == 2, "what is over the limit",
            timeout=60)
        # What is sent to another domain comes last.
        self.send(*self.failing("simple-relaxed"))
        self.take("simple-relaxed")
        self.assertEqual([m for m in self.world.sink.messages()
                          if m.recipients[0].startswith("dkim-reports@")], [])

    def test_report_about_a_report_is_not_made(self):
        self.send(*self.failing("relaxed-simple"))
        report = self.take("relaxed-simple").data
        before = self.counts()
        for sender in ("", "alice@both.example.com"):
            self.send(sender, asking(change_body(report)))
        # In the order of the queue, this one comes last.
        self.send(*self.failing("relaxed-relaxed"))
        self.take("relaxed-relaxed")
        self.lab.wait_for(
            lambda: self.counts()["sent"] == before["sent"] + 1,
            "the last report")
        self.assertEqual(self.counts(), {**before, "sent":
                                         before["sent"] + 1})


@unittest.skipUnless(Installed.possible(), "overlays can't be mounted here")
class ByPostfix(Reports, Case):
    name = "postfix"

    @classmethod
    def start_server(cls):
        milter = "inet:127.0.0.1:%d" % cls.milter
        server = Postfix(cls.lab, "reporting-postfix", world.AUTHSERV_ID,
                         {"in": {"smtpd_milters": milter,
                                 "milter_macro_daemon_name": "strangers"}},
                         cls.world.sink.port, milters=milter, settings={
                             "milter_macro_daemon_name": "submission"})
        cls.port = server.ports["in"]
        return server.installed()


@unittest.skipUnless(Installed.possible(), "overlays can't be mounted here")
class BySendmail(Reports, Case):
    name = "sendmail"

    @classmethod
    def start_server(cls):
        submission = cls.lab.port()
        server = Sendmail(
            cls.lab, "reporting-sendmail", world.AUTHSERV_ID, cls.milter,
            cls.world.sink.port, more="DAEMON_OPTIONS(`Name=submission, "
            "Family=inet, Addr=127.0.0.1, Port=%d')dnl\n" % submission)
        cls.port = server.port
        return server.installed(submission)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def asking(data):
    """With every signature asking for reports (RFC 6651 section 3.1)."""
    return re.sub(rb"(DKIM-Signature: v=1;)", rb"\1 r=y;", data)
