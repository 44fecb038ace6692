# SPDX-License-Identifier: BSD-2-Clause
"""signpostd where keys sign only once their record is published: rotation
without a gap, records that go or change, name servers that fail."""
import collections
import functools
import json
import os
import re
import subprocess
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from dns_server import SERVFAIL, SILENT, DnsServer  # noqa: E402
from signpostd import BUILD, Daemon, Key, PATIENCE  # noqa: E402

SIGNPOST = os.path.join(BUILD, "milter", "tool", "signpost")
OLD, NEW, RSA = Key("ed25519"), Key("ed25519"), Key("rsa")
DOMAIN = "example.com"
HEADERS = [("From", " ann@example.com"), ("Subject", " s"),
           ("Date", " Mon, 30 Nov 2026 10:00:00 +0000")]
BODY = b"Hello\r\n"
# As fast as it goes, so that tests see many look-ups.
FAST = {"interval": "200ms", "retry": "100ms", "max_rate": 1000}


def name(selector, domain=DOMAIN):
    return "%s._domainkey.%s" % (selector, domain)


class Case(unittest.TestCase):
    def setUp(self):
        self.dns = DnsServer({name("s1"): [OLD.record]}, negative_ttl=300)
        self.addCleanup(self.dns.close)

    def daemon(self, start=True, keys=None, sign=None, published=None,
               **settings):
        keys = {(DOMAIN, "s1"): OLD} if keys is None else keys
        daemon = Daemon(keys=keys, dns_port=self.dns.port)
        self.addCleanup(daemon.close)
        daemon.wait_for = functools.partial(daemon.wait_for, timeout=60)
        # No answer has to be waited for longer than a test waits.
        daemon.configure(
            dns={"timeout": "1s"}, key_store={"ttl": "1s"},
            sign={"require_published": True, **(sign or {})},
            published={**FAST, "file": os.path.join(daemon.dir, "published"),
                       **(published or {})}, **settings)
        return daemon.start() if start else daemon

    def send(self, daemon, domain=DOMAIN):
        with daemon.mta() as mta:
            mta.connect("localhost", "127.0.0.1")
            result = mta.message(
                [("From", " ann@" + domain)] + HEADERS[1:], BODY)
            mta.quit()
        return result

    def selectors(self, daemon, domain=DOMAIN):
        """Those that sign; "tempfail" where mail is put off."""
        result = self.send(daemon, domain)
        if result.reply != "accept":
            return result.reply
        return sorted(re.search(r"\bs=(\w+);", field).group(1)
                      for field in result.field("DKIM-Signature"))

    def wait_until_signed_by(self, daemon, selectors, domain=DOMAIN):
        daemon.wait_for(
            lambda: self.selectors(daemon, domain) == selectors,
            "signatures by %s" % (selectors,))

    def wait_for_checks(self, daemon, result, more=3):
        line = 'signpost_key_checks_total{result="%s"}' % result
        begin = daemon.metrics()[line]
        daemon.wait_for(lambda: daemon.metrics()[line] >= begin + more,
                        "%d checks: %s" % (more, result))

    def restart(self, daemon):
        os.rename(daemon.log_path, daemon.log_path + ".old")
        daemon.start()


class Rotation(Case):
    # field: E17
    def test_a_new_key_signs_once_its_record_is_seen_and_the_old_one_until_then(
            self):
        daemon = self.daemon()
        self.wait_until_signed_by(daemon, ["s1"])
        daemon.write_key(DOMAIN, "s2", NEW)
        # Enough for the file to be seen, and for many look-ups.
        daemon.wait_for(lambda: self.dns.asked[name("s2")] > 3, "s2 asked for")
        self.assertEqual(self.selectors(daemon), ["s1"])
        self.dns.records[name("s2")] = [NEW.record]
        self.wait_until_signed_by(daemon, ["s2"])
        self.assertRegex(daemon.log(), r"(?m)^.*keys/example.com/s2.pem: s2._"
                         r"domainkey.example.com: its record is seen in DNS")
        self.assertEqual(
            daemon.metrics()['signpost_keys{state="published"}'], 2)

    def test_each_algorithm_rotates_by_itself(self):
        daemon = self.daemon(keys={(DOMAIN, "s1"): OLD, (DOMAIN, "r1"): RSA})
        self.wait_until_signed_by(daemon, ["s1"])
        self.dns.records[name("r1")] = [RSA.record]
        self.wait_until_signed_by(daemon, ["r1", "s1"])

    def test_of_a_list_the_first_that_is_published_signs(self):
        daemon = self.daemon(start=False)
        new = daemon.write_key("elsewhere", "new", NEW)
        old = os.path.join(daemon.dir, "keys", DOMAIN, "s1.pem")
        daemon.configure(domains=(
            {"name": DOMAIN, "keys": (
                {"selector": "s2", "file": new},
                {"selector": "s1", "file": old})},))
        daemon.start()
        self.wait_until_signed_by(daemon, ["s1"])
        self.dns.records[name("s2")] = [NEW.record]
        self.wait_until_signed_by(daemon, ["s2"])

    def test_it_may_be_required_of_one_domain_alone(self):
        daemon = self.daemon(
            keys={(DOMAIN, "s2"): NEW, ("other.test", "s2"): NEW},
            sign={"require_published": False},
            domains=({"name": DOMAIN, "require_published": True},))
        self.assertEqual(self.selectors(daemon), [])
        self.assertEqual(self.selectors(daemon, "other.test"), ["s2"])
        self.dns.records[name("s2")] = [NEW.record]
        self.wait_until_signed_by(daemon, ["s2"])
        self.assertEqual(set(self.dns.asked), {name("s2")})

    def test_a_domain_that_only_mail_names_is_looked_up_once_it_does(self):
        daemon = self.daemon(start=False)
        file = os.path.join(daemon.dir, "keys", DOMAIN, "s1.pem")
        daemon.configure(domains=(
            {"name": "*", "keys": ({"selector": "all", "file": file},)},))
        self.dns.records[name("all", "a.test")] = [OLD.record]
        daemon.start()
        self.wait_until_signed_by(daemon, ["all"], "a.test")
        self.assertEqual(self.selectors(daemon, "b.test"), [])

    # field: E16
    def test_a_key_put_in_the_place_of_another_waits_for_its_own_record(self):
        daemon = self.daemon()
        self.wait_until_signed_by(daemon, ["s1"])
        daemon.write_key(DOMAIN, "s1", NEW)
        # The file has changed and the record has not: no signature can be
        # made that would verify.
        self.wait_until_signed_by(daemon, [])
        self.wait_for_checks(daemon, "differs")
        self.assertEqual(self.selectors(daemon), [])
        self.dns.records[name("s1")] = [NEW.record]
        self.wait_until_signed_by(daemon, ["s1"])

    def test_nothing_is_asked_where_nothing_is_required(self):
        daemon = self.daemon(sign={"require_published": False})
        self.assertEqual(self.selectors(daemon), ["s1"])
        daemon.reload()
        self.assertEqual(self.selectors(daemon), ["s1"])
        self.assertFalse(self.dns.asked)
        self.assertFalse(os.path.exists(os.path.join(daemon.dir, "published")))


class Shown(Case):
    def command(self, daemon, *arguments):
        """Exit code and output of signpost."""
        done = subprocess.run(
            [SIGNPOST, *arguments, "-c", daemon.config],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60 * PATIENCE)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def explain(self, daemon):
        code, out = self.command(daemon, "explain", "--json", "--from",
                                 "ann@" + DOMAIN)
        answer = json.loads(out)
        return (code, answer["reason"], answer["records"],
                [key["selector"] for key in answer["keys"]])

    def test_status_shows_where_each_key_stands(self):
        daemon = self.daemon(keys={(DOMAIN, "s1"): OLD, (DOMAIN, "s2"): NEW,
                                   ("b.test", "x"): OLD})
        self.dns.records[name("x", "b.test")] = SILENT
        self.wait_until_signed_by(daemon, ["s1"])
        self.wait_for_checks(daemon, "failed", 1)
        code, out = self.command(daemon, "status")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"(?m)^Published keys  waiting 2  published 1$")
        self.assertRegex(out, r"(?m)^ +waiting +s2._domainkey.example.com$")
        self.assertRegex(out, r"(?m)^ +waiting +x._domainkey.b.test "
                         r"\(the look-up fails\)$")
        self.assertRegex(out, r"(?m)^ +published +s1._domainkey.example.com$")
        code, out = self.command(daemon, "status", "--json")
        keys = json.loads(out)["published_keys"]
        self.assertEqual(keys["left_out"], 0)
        self.assertEqual({key["name"]: key["state"] for key in keys["keys"]}, {
            name("s1"): "published", name("s2"): "waiting",
            name("x", "b.test"): "waiting"})
        # Those that are not well come first.
        self.assertEqual(keys["keys"][-1]["selector"], "s1")

    def test_explain_names_the_key_that_the_daemon_would_sign_with(self):
        daemon = self.daemon(start=False, keys={
            (DOMAIN, "s1"): OLD, (DOMAIN, "s2"): NEW})
        # Nobody can be asked yet.
        self.assertEqual(self.explain(daemon), (0, "sign", "unknown", ["s2"]))
        code, out = self.command(daemon, "explain", "--from", "a@" + DOMAIN)
        self.assertIn("a key signs once its record is seen in DNS", out)
        daemon.start()
        self.wait_until_signed_by(daemon, ["s1"])
        self.assertEqual(self.explain(daemon), (0, "sign", "missing", ["s1"]))
        code, out = self.command(daemon, "explain", "--from", "a@" + DOMAIN)
        self.assertIn("s2.pem: waits until its record is seen in DNS", out)
        self.dns.records[name("s2")] = [NEW.record]
        self.wait_until_signed_by(daemon, ["s2"])
        self.assertEqual(self.explain(daemon), (0, "sign", "seen", ["s2"]))
        self.dns.records.clear()
        self.wait_until_signed_by(daemon, [])
        self.assertEqual(
            self.explain(daemon), (1, "not_published", "missing", []))

    def test_the_manuals_rotation_goes_as_it_says(self):
        daemon = self.daemon()
        self.wait_until_signed_by(daemon, ["s1"])
        code, out = self.command(daemon, "check", "--dns")
        self.assertIn("s1._domainkey.example.com: published; it signs\n", out)
        done = subprocess.run(
            [SIGNPOST, "keygen", "--next", "-d", DOMAIN, "--now", "1796083200",
             "-c", daemon.config], capture_output=True, text=True, check=True)
        self.assertIn("publish this record now", done.stderr)
        next = "s20261201"
        record = re.match(r"(\S+)\. IN TXT \( \"(.*)\" \)$", done.stdout)
        self.assertEqual(record.group(1), name(next))
        code, out = self.command(daemon, "check", "--dns")
        self.assertEqual(code, 1)
        self.assertIn(name(next) + ": not published: ", out)
        self.assertEqual(self.selectors(daemon), ["s1"])
        self.dns.records[name(next)] = [record.group(2)]
        self.wait_until_signed_by(daemon, [next])
        code, out = self.command(daemon, "check", "--dns")
        self.assertEqual(code, 0)
        self.assertIn(name(next) + ": published; it signs\n", out)
        self.assertIn(name("s1") + ": published\n", out)
        os.unlink(os.path.join(daemon.dir, "keys", DOMAIN, "s1.pem"))
        self.dns.records[name("s1")] = ["v=DKIM1; p="]
        daemon.wait_for(lambda: daemon.metrics()[
            'signpost_keys{state="published"}'] == 1, "s1 to be forgotten")
        self.assertEqual(self.selectors(daemon), [next])


class Records(Case):
    """What becomes of a record that was seen."""

    def signing(self, **settings):
        daemon = self.daemon(**settings)
        self.wait_until_signed_by(daemon, ["s1"])
        return daemon

    def test_one_that_is_revoked_or_differs_ends_the_key_at_once(self):
        daemon = self.signing()
        for state, records in (("revoked", ["v=DKIM1; k=ed25519; p="]),
                               ("differs", [NEW.record])):
            with self.subTest(state):
                self.dns.records[name("s1")] = records
                self.wait_until_signed_by(daemon, [])
                line = 'signpost_keys{state="%s"}' % state
                self.assertEqual(daemon.metrics()[line], 1)
                self.assertIn("no other key of the domain is published: "
                              "sign.on_no_usable_key counts", daemon.log())
                self.dns.records[name("s1")] = [OLD.record]
                self.wait_until_signed_by(daemon, ["s1"])

    def test_one_that_is_gone_ends_the_key_once_that_is_certain(self):
        daemon = self.signing()
        del self.dns.records[name("s1")]
        self.wait_until_signed_by(daemon, [])
        self.assertGreaterEqual(daemon.metrics()[
            'signpost_key_checks_total{result="no_record"}'], 3)
        self.assertIn("its record is no more in DNS", daemon.log())

    def test_one_answer_that_there_is_none_changes_nothing(self):
        daemon = self.signing()
        lost = []

        class Flaky(dict):
            """Every third answer is that there is no such name."""
            def get(self, key, default=None):
                lost.append(key)
                return None if len(lost) % 3 == 0 else dict.get(self, key)
        self.dns.records = Flaky(self.dns.records)
        self.wait_for_checks(daemon, "no_record", 5)
        self.assertEqual(self.selectors(daemon), ["s1"])
        self.assertNotIn("no more in DNS", daemon.log())

    # field: D1
    def test_a_look_up_that_fails_keeps_the_last_known_state(self):
        daemon = self.signing()
        daemon.write_key(DOMAIN, "s2", NEW)
        self.dns.records[name("s2")] = SILENT
        for failure in (SERVFAIL, SILENT):
            self.dns.records[name("s1")] = failure
            self.wait_for_checks(daemon, "failed", 6)
            self.assertEqual(self.selectors(daemon), ["s1"])
        self.assertIn("the look-up fails for now; the key goes on signing",
                      daemon.log())
        self.dns.records[name("s2")] = [NEW.record]
        self.wait_until_signed_by(daemon, ["s2"])

    # field: D8
    def test_without_any_the_configured_choice_is_made_and_logged(self):
        rows = (("accept", [], "action=passed reason=not_published"),
                ("tempfail", "tempfail",
                 "action=tempfailed reason=not_published"),
                ("sign", ["s2"], "action=signed reason=sign"))
        for word, want, line in rows:
            with self.subTest(word):
                daemon = self.daemon(keys={(DOMAIN, "s2"): NEW},
                                     sign={"on_no_usable_key": word})
                self.assertEqual(self.selectors(daemon), want)
                self.assertIn(line, daemon.log())
                self.assertIn('s2.pem: waits until its record is seen in DNS"',
                              daemon.log())

    def test_a_key_that_cannot_be_read_is_a_failure_and_no_lack_of_records(
            self):
        daemon = self.daemon(start=False, keys={(DOMAIN, "s2"): NEW})
        path = daemon.write_key(DOMAIN, "s1", OLD)
        with open(path, "w") as file:
            file.write("no key\n")
        daemon.start()
        self.assertEqual(self.selectors(daemon), "tempfail")
        self.assertIn("reason=keys_unusable", daemon.log())


class Restart(Case):
    def test_a_restart_signs_at_once_though_dns_is_silent(self):
        daemon = self.daemon(keys={(DOMAIN, "s1"): OLD, (DOMAIN, "s2"): NEW})
        self.wait_until_signed_by(daemon, ["s1"])
        path = os.path.join(daemon.dir, "published")
        daemon.wait_for(lambda: os.path.exists(path), "the file")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertEqual(daemon.stop(), 0)
        for record in (name("s1"), name("s2")):
            self.dns.records[record] = SILENT
        self.restart(daemon)
        self.assertEqual(self.selectors(daemon), ["s1"])
        self.wait_for_checks(daemon, "failed")
        self.assertEqual(self.selectors(daemon), ["s1"])

    def test_what_was_kept_of_another_key_counts_for_nothing(self):
        daemon = self.daemon()
        self.wait_until_signed_by(daemon, ["s1"])
        path = os.path.join(daemon.dir, "published")
        daemon.wait_for(lambda: os.path.exists(path), "the file")
        self.assertEqual(daemon.stop(), 0)
        daemon.write_key(DOMAIN, "s1", NEW)
        self.dns.records[name("s1")] = SILENT
        self.restart(daemon)
        self.assertEqual(self.selectors(daemon), [])

    def test_a_first_start_without_dns_says_so_and_serves(self):
        self.dns.records[name("s1")] = SERVFAIL
        daemon = self.daemon()
        self.assertEqual(self.selectors(daemon), [])
        daemon.wait_for(lambda: "the key does not sign until its record is "
                        "seen" in daemon.log(), "a line about DNS")
        self.assertRegex(daemon.log(), "1 keys, of which 0 were published")
        self.dns.records[name("s1")] = [OLD.record]
        self.wait_until_signed_by(daemon, ["s1"])

    def test_a_file_that_cannot_be_kept_or_read_is_told_of_once(self):
        daemon = self.daemon(published={"file": "/nowhere/published"})
        self.wait_until_signed_by(daemon, ["s1"])
        daemon.wait_for(lambda: "published.file: /nowhere/published: No such "
                        "file" in daemon.log(), "a warning")
        self.wait_for_checks(daemon, "matches")
        self.assertEqual(daemon.log().count("/nowhere/published"), 1)
        junk = os.path.join(daemon.dir, "junk")
        with open(junk, "wb") as file:
            file.write(b"\0\xff\n" + b"x " * 100000 + b"\n" + 64 * b"a" +
                       b" here a.test s /x\n" + 64 * b"b" + b" here a.test\n")
        self.assertEqual(daemon.stop(), 0)
        daemon.configure(published={"file": junk})
        self.restart(daemon)
        self.wait_until_signed_by(daemon, ["s1"])


class Load(Case):
    def setUp(self):
        super().setUp()
        self.signed = []
        self.failures = []
        self.done = collections.Counter()
        self.stopping = threading.Event()

    def verify(self, daemon):
        """One message, signed and verified by what DNS says just then."""
        result = self.send(daemon)
        fields = result.apply(HEADERS)
        message = b"".join(b"%s:%s\r\n" % (n.encode(), v.encode())
                           for n, v in fields) + b"\r\n" + BODY
        done = subprocess.run(
            [SIGNPOST, "verify", "--dns", "127.0.0.1@%d" % self.dns.port,
             "--timeout", "20s"], input=message, capture_output=True)
        if done.returncode != 0:
            self.failures.append(message + done.stdout + done.stderr)
        self.signed += re.findall(r"\bs=(\w+);", message.decode()) or [""]

    def pour(self, daemon, number):
        while not self.stopping.is_set():
            self.verify(daemon)
            self.done[number] += 1

    def wait_for_all_under_way(self, daemon, threads):
        begin = collections.Counter(self.done)
        daemon.wait_for(lambda: all(
            self.done[number] >= begin[number] + 2
            for number in range(threads)), "messages under way to arrive")

    def wait_for_more(self, daemon, selector, count=10):
        begin = self.signed.count(selector)
        daemon.wait_for(
            lambda: self.signed.count(selector) >= begin + count or
            self.failures, "messages signed by %r" % selector)

    def test_every_message_verifies_throughout_a_rotation_and_reloads(self):
        daemon = self.daemon()
        self.wait_until_signed_by(daemon, ["s1"])
        threads = [threading.Thread(target=self.pour, args=(daemon, number))
                   for number in range(3)]
        for thread in threads:
            thread.start()
        try:
            self.wait_for_more(daemon, "s1")
            daemon.write_key(DOMAIN, "s2", NEW)
            daemon.reload()
            self.wait_for_more(daemon, "s1")
            daemon.reload()
            self.dns.records[name("s2")] = [NEW.record]
            self.wait_for_more(daemon, "s2")
            daemon.reload()
            # Then none that s1 has signed is on its way any more.
            self.wait_for_all_under_way(daemon, len(threads))
            del self.dns.records[name("s1")]
            os.unlink(os.path.join(daemon.dir, "keys", DOMAIN, "s1.pem"))
            self.wait_for_more(daemon, "s2")
            daemon.reload()
            self.wait_for_more(daemon, "s2")
        finally:
            self.stopping.set()
            for thread in threads:
                thread.join()
        self.assertEqual(self.failures, [])
        # s1 first, then s2, but for messages that were under way together.
        last = len(self.signed) - 1 - self.signed[::-1].index("s1")
        first = self.signed.index("s2")
        self.assertLess(last - first, 2 * len(threads))

    def test_a_reload_forgets_nothing_though_dns_is_silent(self):
        daemon = self.daemon()
        self.wait_until_signed_by(daemon, ["s1"])
        self.dns.records[name("s1")] = SILENT
        for _ in range(5):
            daemon.reload()
            self.assertEqual(self.selectors(daemon), ["s1"])

    # field: F1
    def test_the_records_of_a_thousand_domains_are_looked_up_at_the_rate(self):
        domains = ["d%d.test" % i for i in range(1000)]
        daemon = self.daemon(
            start=False, keys={(domain, "s"): OLD for domain in domains},
            published={"interval": "1h", "retry": "1h", "max_rate": 60})
        for domain in domains[:-1]:
            self.dns.records[name("s", domain)] = [OLD.record]
        begin = time.monotonic()
        daemon.start()
        # The start waits for none of them.
        self.assertLess(sum(self.dns.asked.values()), 1000)
        # Mail's come first.
        self.wait_until_signed_by(daemon, ["s"], domains[500])
        self.assertLess(sum(self.dns.asked.values()), 1000)
        line = 'signpost_keys{state="published"}'
        daemon.wait_for(lambda: daemon.metrics()[line] == 999, "all")
        # A name that was asked for twice was lost once.
        took = time.monotonic() - begin
        self.assertGreater(took, 999 / 60 - 1)
        self.assertEqual(self.selectors(daemon, domains[-1]), [])
        self.assertLess(daemon.log().count("its record is seen"), 300)


if __name__ == "__main__":
    unittest.main()
