#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""contrib/'s dashboard and alerts ask for what the daemon has: metrics, labels
and values that it exports. tests/watch asks a real Prometheus.

field: F8
"""
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

import metrics_used  # noqa: E402

SERVER = os.path.join(os.environ.get("BUILDDIR", "."), "status_server")
OF_PROMETHEUS = {"job", "instance"}


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.path)


def exported():
    """{metric: {label: {value}}} of a server that has counted everything."""
    folder = tempfile.mkdtemp(prefix="signpost-metrics.")
    path = os.path.join(folder, "s")
    try:
        with subprocess.Popen([SERVER, "unix:" + path, "0600"], text=True,
                              stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as server:
            server.stdout.readline()
            server.stdin.write("count\n")
            server.stdin.flush()
            server.stdout.readline()
            connection = Connection(path)
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
            connection.close()
            server.stdin.close()
    finally:
        shutil.rmtree(folder)
    found = {}
    for name, labels in re.findall(r"(?m)^(\w+)(?:\{(.*)\})? \S+$", text):
        of = found.setdefault(name, {})
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels):
            of.setdefault(label, set()).add(value)
    return found


class Dashboards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.exported = exported()
        # Prometheus makes this one itself.
        cls.exported["up"] = {}

    def assert_exported(self, where, expression):
        found = list(metrics_used.selectors(expression))
        self.assertTrue(found, where)
        labels = set(OF_PROMETHEUS)
        for name, matchers in found:
            self.assertIn(name, self.exported, where)
            labels |= set(self.exported[name])
            for label, operator, value in matchers:
                if label in OF_PROMETHEUS:
                    continue
                values = self.exported[name].get(label, ())
                for one in value.split("|") if "~" in operator else [value]:
                    self.assertIn(one, values, "%s: %s" % (where, name))
        for group in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
            self.assertLessEqual(
                {label.strip() for label in group.split(",")}, labels, where)

    def test_the_dashboard_asks_for_what_there_is(self):
        expressions = list(metrics_used.dashboard_expressions())
        self.assertGreater(len(expressions), 40)
        for where, expression in expressions:
            with self.subTest(where):
                self.assert_exported(where, expression)

    def test_the_alerts_ask_for_what_there_is(self):
        expressions = list(metrics_used.alert_expressions())
        with open(metrics_used.ALERTS, encoding="ascii") as file:
            self.assertEqual(len(expressions), file.read().count("- alert:"))
        for where, expression in expressions:
            with self.subTest(where):
                self.assert_exported(where, expression)

    def test_the_dashboards_panels_do_not_overlap_and_have_a_text(self):
        places, ids = set(), set()
        for panel in metrics_used.dashboard()["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            for x in range(at["x"], at["x"] + at["w"]):
                for y in range(at["y"], at["y"] + at["h"]):
                    self.assertNotIn((x, y), places, panel["title"])
                    places.add((x, y))
            self.assertNotIn(panel["id"], ids)
            ids.add(panel["id"])
            if panel["type"] != "row":
                self.assertTrue(panel["description"].endswith("."))
                for target in panel["targets"]:
                    self.assertEqual(
                        target["datasource"]["uid"], "${datasource}")

    def test_a_fault_is_found(self):
        for expression in ("rate(signpost_sings_total[5m])",
                           'signpost_signs_total{result="okay"}',
                           'signpost_signs_total{result=~"ok|gone"}',
                           'signpost_signs_total{colour="red"}',
                           "sum by (colour) (signpost_signs_total)", "1 + 1"):
            with self.assertRaises(AssertionError, msg=expression):
                self.assert_exported("here", expression)


if __name__ == "__main__":
    unittest.main()
