# SPDX-License-Identifier: BSD-2-Clause
"""contrib/prometheus and contrib/grafana with a real Prometheus.

field: F8
"""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.parse

import metrics_used
from lab import packages
from lab.lab import Lab
from watched import fetch, Watched

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 60
# Counts of what does not happen here: an answer without a sample is right.
QUIET = {"Why signatures did not pass", "What may break signatures", "Starts"}


def promtool(*arguments, cwd=None, data=None):
    return subprocess.run(
        [packages.program("prometheus", "usr/bin/promtool"), *arguments],
        cwd=cwd, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True)


class Files(unittest.TestCase):
    def test_promtool_finds_no_fault_in_the_configuration_and_the_alerts(self):
        done = promtool("check", "config", metrics_used.PROMETHEUS)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("16 rules found", done.stdout)

    def test_each_alert_comes_when_it_should_and_not_else(self):
        with tempfile.TemporaryDirectory(prefix="signpost-alerts.") as folder:
            shutil.copy(metrics_used.ALERTS, folder)
            shutil.copy(os.path.join(HERE, "alerts_test.yml"), folder)
            done = promtool("test", "rules", "alerts_test.yml", cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_each_alert_is_tested(self):
        with open(os.path.join(HERE, "alerts_test.yml")) as file:
            text = file.read()
        for name, _ in metrics_used.alert_expressions():
            self.assertIn('alertname="%s"' % name, text)


class Scraped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.watched = Watched()
        cls.addClassCleanup(cls.watched.close)
        cls.lab = Lab()
        cls.lab.__enter__()
        cls.addClassCleanup(cls.lab.__exit__, None, None, None)
        cls.url = "http://127.0.0.1:%d" % cls.start()

    @classmethod
    def start(cls):
        """contrib's configuration as it is, but for the daemon's port and the
        time between two questions."""
        with open(metrics_used.PROMETHEUS) as file:
            text = file.read()
        for old, new in (('"127.0.0.1:8892"]',
                          '"127.0.0.1:%d"]' % cls.watched.port),
                         ("interval: 15s", "interval: 1s")):
            assert old in text
            text = text.replace(old, new)
        cls.lab.write("prometheus.yml", text)
        shutil.copy(metrics_used.ALERTS, cls.lab.path("alerts.yml"))
        port = cls.lab.port()
        cls.lab.start("prometheus", [
            packages.program("prometheus"), "--config.file=" +
            cls.lab.path("prometheus.yml"),
            "--storage.tsdb.path=" + cls.lab.path("data"),
            "--web.listen-address=127.0.0.1:%d" % port],
            ready=lambda: cls.answers(port))
        return port

    @staticmethod
    def answers(port):
        with contextlib.suppress(OSError):
            return fetch("http://127.0.0.1:%d/-/ready" % port)

    def ask(self, path, **query):
        answer = json.loads(fetch("%s/api/v1/%s?%s" % (
            self.url, path, urllib.parse.urlencode(query)))[1])
        self.assertEqual(answer["status"], "success")
        return answer["data"]

    def samples(self, expression):
        """[(labels, value)] now."""
        return [(sample["metric"], float(sample["value"][1])) for sample in
                self.ask("query", query=expression)["result"]]

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, "waited for " + what)
            time.sleep(0.5)

    def value(self, expression):
        samples = self.samples(expression)
        return samples[0][1] if samples else 0

    def filled_in(self, expression):
        """As Grafana asks it."""
        for name, value in (("$job", "signpost"), ("$instance", ".*"),
                            ("$__rate_interval", "30s")):
            expression = expression.replace(name, value)
        return expression

    def test_1_rates_are_those_of_the_load_and_every_panel_has_something(self):
        rate = 'sum(rate(signpost_%s_total[10s]))'
        with self.watched.load():
            self.wait_for(lambda: self.value(rate % "signs") > 0 and
                          self.value(rate % "verifies") > 0, "rates")
            for panel, expression in metrics_used.dashboard_expressions():
                if expression.startswith("label_values"):
                    continue
                with self.subTest(panel + ": " + expression):
                    samples = self.samples(self.filled_in(expression))
                    self.assertTrue(samples or panel in QUIET)
        # At rest, Prometheus has what the daemon says.
        status = self.watched.status()
        for name in ("signs", "verifies"):
            total = sum(row["count"] for row in status[name])
            self.assertGreater(total, 0)
            self.wait_for(lambda: self.value(
                "sum(signpost_%s_total)" % name) == total, name)
        self.assertEqual(self.value('up{job="signpost"}'), 1)
        done = promtool("check", "metrics", data=self.watched.ask("metrics"))
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_2_every_alert_is_evaluated_and_none_is_set_off(self):
        def states():
            return {rule["name"]: (rule["health"], rule["state"]) for rule in
                    self.ask("rules")["groups"][0]["rules"]}
        self.wait_for(lambda: all(
            health == "ok" for health, _ in states().values()), "evaluation")
        self.assertEqual(set(states()), {
            name for name, _ in metrics_used.alert_expressions()})
        self.assertEqual({state for _, state in states().values()},
                         {"inactive"}, states())

    def test_3_a_daemon_that_is_gone_is_noticed(self):
        self.watched.stop()

        def alerts():
            return {alert["labels"]["alertname"]
                    for alert in self.ask("alerts")["alerts"]}
        self.wait_for(lambda: "SignpostDown" in alerts(), "the alert")
        self.assertEqual(self.value(self.filled_in(next(
            expression for title, expression in
            metrics_used.dashboard_expressions()
            if title == "Mail is served"))), 0)


if __name__ == "__main__":
    unittest.main()
