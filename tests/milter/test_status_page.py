#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The page for people at / of the status server, as far as it goes without a
browser: tests/watch has one.

Runs status_server (in the folder BUILDDIR).
"""
import base64
import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

SERVER = os.path.join(os.environ.get("BUILDDIR", "."), "status_server")

# Where the script's variables stand in /status; * is each member of an object
# or element of an array.
PLACES = {"status": "", "operation": "operations.*", "before": "operations.*",
          "sign": "signs.*", "verify": "verifies.*", "row": "signs.*", "rule": "policy.*",
          "cache": "key_caches.*", "first.status": ""}


def reach(json_value, path):
    """Every value at PATH, which may have * in it."""
    values = [json_value]
    for name in path.split(".") if path else []:
        if name == "*":
            values = [one for value in values for one in
                      (value.values() if isinstance(value, dict) else value)]
        else:
            values = [value[name] for value in values
                      if isinstance(value, dict) and name in value]
    return values


class StatusPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="signpost-page.")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.path = os.path.join(cls.folder, "s")
        cls.server = subprocess.Popen(
            [SERVER, "unix:" + cls.path, "0600"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        cls.addClassCleanup(cls.end)
        assert cls.server.stdout.readline() == "serving\n"
        cls.server.stdin.write("count\n")
        cls.server.stdin.flush()
        assert cls.server.stdout.readline() == "done\n"

    @classmethod
    def end(cls):
        cls.server.stdin.close()
        cls.server.stdout.read()
        cls.server.wait(20)
        cls.server.stdout.close()

    def ask(self, path, method="GET"):
        connection = http.client.HTTPConnection("localhost", timeout=20)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(20)
        connection.sock.connect(self.path)
        connection.request(method, path)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer, body

    def element(self, name):
        """The text of the page's one element of that name."""
        found = re.findall(r"<%s>(.*?)</%s>" % (name, name),
                           self.ask("/")[1], re.S)
        self.assertEqual(len(found), 1)
        return found[0]

    def test_it_is_a_page_that_no_cache_keeps_and_no_method_changes(self):
        answer, body = self.ask("/")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"],
                         "text/html; charset=utf-8")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertTrue(body.startswith("<!DOCTYPE html>\n"))
        self.assertTrue(body.endswith("</html>\n"))
        answer, head = self.ask("/", "HEAD")
        self.assertEqual((answer.status, head), (200, ""))
        self.assertEqual(int(answer.headers["Content-Length"]),
                         len(body.encode()))
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            answer, _ = self.ask("/", method)
            self.assertEqual(answer.status, 405)
            self.assertEqual(answer.headers["Allow"], "GET, HEAD")
        self.assertEqual(self.ask("/index.html")[0].status, 404)

    def test_its_policy_allows_this_script_this_style_and_no_other(self):
        answer, _ = self.ask("/")
        policy = dict(rule.split(" ", 1) for rule in
                      answer.headers["Content-Security-Policy"].split("; "))
        self.assertEqual(policy["default-src"], "'none'")
        self.assertEqual(policy["connect-src"], "'self'")
        for rule, element in (("script-src", "script"), ("style-src", "style")):
            digest = hashlib.sha256(self.element(element).encode()).digest()
            self.assertEqual(policy[rule], "'sha256-%s'" %
                             base64.b64encode(digest).decode())
        # No page of ours is for another site's frame, or runs anything.
        for path in ("/status", "/history", "/metrics", "/healthz", "/none"):
            headers = self.ask(path)[0].headers
            self.assertEqual(headers["Content-Security-Policy"],
                             "default-src 'none'; frame-ancestors 'none'")

    def test_it_stands_alone(self):
        _, body = self.ask("/")
        for link in re.findall(r"(?:href|src|action)=[\"']?([^\"'> ]*)", body):
            if not link.startswith("data:"):
                # /keys is unavailable in a server without any.
                self.assertIn(self.ask("/" + link)[0].status,
                              (503,) if link == "keys" else (200,), link)
        for word in (r"//\w+\.\w", r"\burl\(", r"@import", r"\bimport\b",
                     r"XMLHttpRequest", r"WebSocket", r"EventSource"):
            self.assertEqual(re.findall(
                word, body.replace("http://www.w3.org/2000/svg", "")), [])
        self.assertEqual(re.findall(r"<\w[^>]*\s(?:style|on\w+)=", body), [])

    def test_nothing_of_the_daemons_becomes_markup_or_code(self):
        self.assertEqual(re.findall(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|"
            r"\bFunction\(|DOMParser|createContextualFragment|"
            r"set(?:Timeout|Interval)\([\"'`]|localStorage|cookie",
            self.element("script")), [])

    def test_every_id_that_the_script_names_is_there_once(self):
        _, body = self.ask("/")
        named = set(re.findall(
            r"(?:byId|showBars|showFacts)\(\"([\w-]+)\"", body))
        self.assertGreater(len(named), 20)
        for name in named | set(re.findall(r"labelledby=\"([\w-]+)\"", body)):
            self.assertEqual(body.count(' id="%s"' % name), 1, name)

    def test_every_figure_that_the_script_reads_is_there(self):
        script = self.element("script")
        status = json.loads(self.ask("/status")[1])
        history = json.loads(self.ask("/history")[1])
        reads = re.findall(r"\b(?:figure|members?|rows|elements|ratesOf)\(\s*([\w.]+),\s*"
                           r"\"([\w.]+)\"", script)
        reads += [("status", path) for path in re.findall(
            r"(?m)^\t\[\"([\w.]+)\", \"", script)]
        reads += [("operation", path + ".sum") for path in re.findall(
            r"\bsince\(\"(\w+)\"\)", script)]
        self.assertGreater(len(reads), 60)
        for variable, path in reads:
            with self.subTest(variable + "." + path):
                if variable == "keys":
                    self.assertEqual(path, "keys")
                elif variable == "history":
                    self.assertIn(path, history)
                else:
                    whole = (PLACES[variable] + "." + path).strip(".")
                    self.assertTrue(reach(status, whole), whole)

    def test_history_has_what_was_done_each_second(self):
        answer, body = self.ask("/history")
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        history = json.loads(body)
        self.assertEqual(history["seconds"], 300)
        self.assertEqual(len(history["signs"]), len(history["verifies"]))


if __name__ == "__main__":
    unittest.main()
