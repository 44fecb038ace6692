#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""signpost check --dns: every published record compared with its key."""
import grp
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
from dns_server import SERVFAIL, SILENT, DnsServer  # noqa: E402

SIGNPOST = os.environ["SIGNPOST"]
NAME = "s._domainkey.example.com"


class CheckDns(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="signpost-check.")
        self.addCleanup(shutil.rmtree, self.folder)
        self.server = DnsServer({})
        self.addCleanup(self.server.close)
        self.conf = os.path.join(self.folder, "conf")
        self.write_conf("")
        self.record = self.keygen("example.com", "s")

    def write_conf(self, more, timeout="20s"):
        user = pwd.getpwuid(os.geteuid()).pw_name
        group = grp.getgrgid(os.getegid()).gr_name
        with open(self.conf, "w") as file:
            file.write(
                f'user = "{user}"; group = "{group}";\n'
                f'key_directory = "{self.folder}/keys";\n'
                f'status = {{ socket = "unix:{self.folder}/s"; }};\n'
                f'dns = {{ servers = [ "127.0.0.1@{self.server.port}" ];\n'
                f'  dnssec = false; timeout = "{timeout}"; }};\n{more}')

    def run_command(self, *arguments):
        done = subprocess.run(
            [SIGNPOST, *arguments, "-c", self.conf], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            timeout=60)
        return done.returncode, done.stdout, done.stderr

    def keygen(self, domain, selector):
        """The record to publish."""
        code, out, err = self.run_command(
            "keygen", "-d", domain, "-s", selector, "-t", "ed25519")
        self.assertEqual(code, 0, err)
        return "".join(re.findall(r'"([^"]*)"', out))

    def check(self, *arguments):
        return self.run_command("check", "--dns", "--postfix", self.folder,
                                *arguments)

    def states(self):
        code, out, err = self.check("--json")
        records = json.loads(out)["records"]
        return code, {r["name"]: r["state"] for r in records}

    def test_each_answer_has_its_word_and_exit_code(self):
        other = self.keygen("other.test", "x")
        shutil.rmtree(os.path.join(self.folder, "keys", "other.test"))
        rows = [
            ("published", [self.record], 0, "published"),
            ("with others beside it", [other, self.record], 0, "published"),
            ("no name", None, 1, "not_published"),
            ("another key", [other], 1, "differs"),
            ("nothing that can be read", ["v=spf1 -all"], 1, "differs"),
            ("revoked", ["v=DKIM1; k=ed25519; p="], 1, "revoked"),
            ("server failure", SERVFAIL, 75, "lookup_failed"),
            ("silence", SILENT, 75, "lookup_failed"),
        ]
        for name, value, code, state in rows:
            with self.subTest(name):
                self.server.records = {} if value is None else {NAME: value}
                self.write_conf("", timeout="1s" if value == SILENT else "20s")
                self.assertEqual(self.states(), (code, {NAME: state}))

    def test_the_way_out_is_said(self):
        code, out, err = self.check()
        self.assertEqual(code, 1)
        self.assertIn("nothing is wrong on this machine; of the records:\n",
                      out)
        self.assertIn(
            f'keys/example.com/s.pem: {NAME}: not published: publish what '
            f'"signpost dns -d example.com -s s" prints; it signs\n', out)

    def signing(self):
        code, out, err = self.check("--json")
        return {r["name"].split(".")[0] for r in json.loads(out)["records"]
                if r["signs"]}

    def test_which_key_signs_is_said(self):
        record = self.keygen("example.com", "t")
        self.server.records = {NAME: [self.record]}
        # As the configuration stands, whatever DNS says.
        self.assertEqual(self.signing(), {"t"})
        self.write_conf("sign = { require_published = true; };\n")
        self.assertEqual(self.signing(), {"s"})
        self.server.records["t._domainkey.example.com"] = [record]
        self.assertEqual(self.signing(), {"t"})
        self.server.records = {}
        self.assertEqual(self.signing(), set())
        self.write_conf('sign = { require_published = true; '
                        'on_no_usable_key = "sign"; };\n')
        self.assertEqual(self.signing(), {"t"})
        # For other domains' mail, by an entry of theirs.
        self.write_conf('domains = ( { name = ".b.test"; domain = '
                        '"example.com"; }, { name = "example.com"; '
                        'keys = ( ); } );\n')
        self.assertEqual(self.signing(), {"t"})
        self.write_conf('mode = "verify";\n')
        self.assertEqual(self.signing(), set())

    def test_a_no_counts_more_than_a_failure_for_now(self):
        self.keygen("example.org", "t")
        self.server.records = {NAME: SERVFAIL}
        code, states = self.states()
        self.assertEqual(code, 1)
        self.assertEqual(states, {
            NAME: "lookup_failed",
            "t._domainkey.example.org": "not_published"})

    def test_a_wrong_configuration_counts_more_than_dns(self):
        self.write_conf(
            'domains = ( { name = "b.test"; keys = ( { selector = "b"; '
            'file = "/nowhere/b.pem"; } ); } );\n')
        self.server.records = {
            NAME: [self.record], "b._domainkey.b.test": [self.record]}
        code, states = self.states()
        self.assertEqual(code, 78)
        self.assertEqual(states, {
            NAME: "published", "b._domainkey.b.test": "unknown"})

    def test_a_key_of_many_domains_is_not_asked_for(self):
        self.server.records = {NAME: [self.record]}
        self.write_conf(
            'domains = ( { name = ".c.test"; keys = ( { selector = "c"; '
            f'file = "{self.folder}/keys/example.com/s.pem"; }} ); }} );\n')
        code, states = self.states()
        self.assertEqual(code, 0)
        self.assertEqual(states, {
            NAME: "published", "c._domainkey.*.c.test": "unknown"})
        self.assertEqual(list(self.server.asked), [NAME])

    def test_more_keys_than_are_asked_for_at_once(self):
        self.add_keys(150)
        self.server.records[NAME] = [self.record]
        code, states = self.states()
        self.assertEqual(code, 0)
        self.assertEqual(len(states), 151)

    def test_more_keys_than_that_and_no_answer(self):
        self.add_keys(150)
        self.server.records = dict.fromkeys(
            [NAME, *self.server.records], SILENT)
        self.write_conf("", timeout="1s")
        code, out, err = self.check()
        self.assertEqual(code, 75)
        self.assertEqual(out.count("no answer in time"), 151)

    def add_keys(self, count):
        with open(os.path.join(
                self.folder, "keys/example.com/s.pem")) as file:
            key = file.read()
        for i in range(count):
            folder = os.path.join(self.folder, "keys", f"d{i}.test")
            os.mkdir(folder)
            fd = os.open(os.path.join(folder, "s.pem"),
                         os.O_WRONLY | os.O_CREAT, 0o600)
            with os.fdopen(fd, "w") as file:
                file.write(key)
            self.server.records[f"s._domainkey.d{i}.test"] = [self.record]

    def test_without_dns_nothing_is_asked(self):
        code, out, err = self.run_command("check", "--postfix", self.folder)
        self.assertEqual((code, out), (0, "nothing is wrong\n"))
        self.assertFalse(self.server.asked)


if __name__ == "__main__":
    unittest.main()
