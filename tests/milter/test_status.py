#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The status server against scrapers, people and hostile clients.

Runs status_server (in the folder BUILDDIR) and talks to its sockets; a page
of metrics is read by a strict parser of the Prometheus text format 0.0.4.
"""
import json
import math
import os
import re
import shutil
import socket
import stat
import subprocess
import tempfile
import threading
import time
import unittest

MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                      "milter", "signpostd.8")
SERVER = os.path.join(os.environ.get("BUILDDIR", "."), "status_server")

# What scripts and dashboards rely on: type, and labels but for "le".
CONTRACT = {
    "signpost_signs_total": ("counter", "algorithm key_bits result"),
    "signpost_verifies_total": ("counter", "algorithm result"),
    "signpost_signs_per_second": ("gauge", "window"),
    "signpost_verifies_per_second": ("gauge", "window"),
    "signpost_operation_cpu_seconds": ("histogram", "operation algorithm"),
    "signpost_operation_queue_seconds": ("histogram", "operation algorithm"),
    "signpost_mail_thread_wait_seconds": ("histogram", "operation algorithm"),
    "signpost_body_hash_bytes_total": ("counter", ""),
    "signpost_body_hash_cpu_seconds_total": ("counter", ""),
    "signpost_worker_cpu_seconds_total": ("counter", "operation"),
    "signpost_mail_thread_cpu_seconds_total": ("counter", "stage"),
    "signpost_thread_cpu_seconds_total": ("counter", "kind"),
    "signpost_workers": ("gauge", ""),
    "signpost_workers_busy": ("gauge", ""),
    "signpost_queue_depth": ("gauge", ""),
    "signpost_queue_capacity": ("gauge", ""),
    "signpost_overload_total": ("counter", ""),
    "signpost_messages_total": ("counter", "action"),
    "signpost_policy_actions_total": ("counter", "action applied"),
    "signpost_dns_lookups_total": ("counter", "result"),
    "signpost_dns_seconds": ("histogram", ""),
    "signpost_key_cache_hits_total": ("counter", "cache"),
    "signpost_key_cache_misses_total": ("counter", "cache"),
    "signpost_key_cache_entries": ("gauge", "cache"),
    "signpost_keys": ("gauge", "state"),
    "signpost_key_checks_total": ("counter", "result"),
    "signpost_reloads_total": ("counter", "result"),
    "signpost_build_info": ("gauge", "version compiler jansson"),
    "process_cpu_seconds_total": ("counter", ""),
    "process_resident_memory_bytes": ("gauge", ""),
    "process_open_fds": ("gauge", ""),
    "process_start_time_seconds": ("gauge", ""),
}

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"'
SAMPLE = re.compile(r"(%s)(?:\{(%s(?:,%s)*)\})? (\S+)\Z" % (NAME, LABEL, LABEL))
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?\Z")


def parse_metrics(text):
    """{family: {"type", "help", "samples": {(name, labels): value}}}; raises
    ValueError for whatever the format does not allow, or we don't promise."""
    if not text.endswith("\n"):
        raise ValueError("no line end at the end")
    families, current = {}, None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name, words = re.fullmatch(
                r"# HELP (%s) (.+)" % NAME, line).groups()
            if name in families:
                raise ValueError("twice: " + name)
            current = families[name] = {
                "help": words, "type": None, "samples": {}}
            current["name"] = name
        elif line.startswith("# TYPE "):
            name, kind = re.fullmatch(
                r"# TYPE (%s) (counter|gauge|histogram)" % NAME, line).groups()
            if name != current["name"] or current["type"]:
                raise ValueError("stray TYPE: " + line)
            current["type"] = kind
        else:
            add_sample(current, line)
    for family in families.values():
        check_family(family)
    return families


def add_sample(family, line):
    match = SAMPLE.match(line)
    if not match:
        raise ValueError("not a sample: " + line)
    name, labels, value = match.group(1), match.group(2), match.groups()[-1]
    pairs = [pair[:2] for pair in re.findall(LABEL, labels or "")]
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a label twice: " + line)
    if any(value == "" for _, value in pairs):
        raise ValueError("an empty label: " + line)
    if not NUMBER.match(value):
        raise ValueError("not a number: " + line)
    suffix = name[len(family["name"]):]
    allowed = ("_bucket", "_sum", "_count")
    if not name.startswith(family["name"]) or suffix not in (
            allowed if family["type"] == "histogram" else ("",)):
        raise ValueError("not of the family above: " + line)
    key = (name, tuple(sorted(pairs)))
    if key in family["samples"]:
        raise ValueError("twice: " + line)
    family["samples"][key] = float(value)


def check_family(family):
    name = family["name"]
    if family["type"] is None:
        raise ValueError("no TYPE: " + name)
    if (family["type"] == "counter") != name.endswith("_total"):
        raise ValueError("_total is for counters: " + name)
    if family["type"] != "histogram":
        return
    series = {}
    for (sample, pairs), value in family["samples"].items():
        pairs = dict(pairs)
        bound = pairs.pop("le", None)
        parts = series.setdefault(tuple(sorted(pairs.items())), {"le": []})
        if sample.endswith("_bucket"):
            parts["le"].append((float(bound), value))
        else:
            parts[sample.rsplit("_", 1)[1]] = value
    for parts in series.values():
        bounds = [bound for bound, _ in parts["le"]]
        counts = [count for _, count in parts["le"]]
        if bounds != sorted(set(bounds)) or bounds[-1] != math.inf:
            raise ValueError("bounds: " + name)
        if counts != sorted(counts) or counts[-1] != parts["count"]:
            raise ValueError("not cumulative: " + name)
        if parts["sum"] < 0:
            raise ValueError("sum: " + name)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def read_all(connection):
    data = b""
    while True:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece


class StatusTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="signpost-status.")
        self.path = os.path.join(self.folder, "status.sock")
        self.port = free_port()
        self.server = self.start()
        self.assertEqual(self.server.stdout.readline(), "serving\n")

    def tearDown(self):
        self.server.stdin.close()
        self.server.stdout.read()
        code = self.server.wait(10)
        self.server.stdout.close()
        shutil.rmtree(self.folder)
        self.assertEqual(code, 0)

    def start(self, path=None, **options):
        return subprocess.Popen(
            [SERVER, "unix:" + (path or self.path), "0640",
             "127.0.0.1:%d" % self.port],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            **options)

    def tell(self, command):
        self.server.stdin.write(command + "\n")
        self.server.stdin.flush()
        self.assertEqual(self.server.stdout.readline(), "done\n")

    def connect(self, tcp=False):
        if tcp:
            return socket.create_connection(("127.0.0.1", self.port), 15)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(15)
        connection.connect(self.path)
        return connection

    def ask(self, path, method="GET", tcp=False, more="", version="1.1"):
        """(code, {header: value}, body)"""
        with self.connect(tcp) as connection:
            connection.sendall(
                ("%s %s HTTP/%s\r\nHost: localhost\r\n%s\r\n"
                 % (method, path, version, more)).encode())
            return self.split(read_all(connection))

    def split(self, answer):
        head, body = answer.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:])
        return int(lines[0].split()[1]), headers, body.decode()

    def metrics(self):
        code, headers, body = self.ask("/metrics")
        self.assertEqual(code, 200)
        self.assertEqual(
            headers["content-type"], "text/plain; version=0.0.4")
        return parse_metrics(body)

    def status(self):
        code, headers, body = self.ask("/status")
        self.assertEqual(code, 200)
        self.assertEqual(headers["content-type"], "application/json")
        return json.loads(body)

    def test_every_metric_of_the_contract_is_there(self):
        for when in ("at the start", "after counting"):
            families = self.metrics()
            for name, (kind, labels) in CONTRACT.items():
                with self.subTest(when=when, name=name):
                    self.assertEqual(families[name]["type"], kind)
                    self.assertTrue(families[name]["samples"])
                    for _, pairs in families[name]["samples"]:
                        self.assertEqual(
                            set(dict(pairs)) - {"le"}, set(labels.split()))
            self.tell("count")

    def test_every_metric_stands_in_the_manual_and_no_other(self):
        with open(MANUAL) as file:
            written = re.findall(
                r"(?m)^\.It Ic (\w+)(?: Brq (.*))?$", file.read())
        self.tell("count")
        families = self.metrics()
        told = {name: set(labels.split(" , ")) - {""}
                for name, labels in written}
        self.assertEqual(told, {
            name: {key for _, pairs in family["samples"]
                   for key, _ in pairs} - {"le"}
            for name, family in families.items()})

    def test_counts_stand_under_their_labels(self):
        self.tell("count")
        families = self.metrics()

        def value(name, **labels):
            return families[name]["samples"][
                (name, tuple(sorted(labels.items())))]
        self.assertEqual(value("signpost_signs_total", result="ok",
                               algorithm="rsa-sha256", key_bits="1024"), 1)
        self.assertEqual(value("signpost_signs_total", result="deadline",
                               algorithm="rsa-sha256", key_bits="4096"), 1)
        self.assertEqual(value("signpost_signs_total", result="ok",
                               algorithm="ed25519-sha256", key_bits="256"), 1)
        self.assertEqual(value("signpost_verifies_total", result="policy",
                               algorithm="rsa-sha1"), 1)
        self.assertEqual(value("signpost_messages_total", action="signed"), 1)
        self.assertEqual(value("signpost_messages_total", action="aborted"), 8)
        self.assertEqual(value("signpost_body_hash_bytes_total"), 103)
        self.assertEqual(value("signpost_connections_open"), 3)
        self.assertEqual(value("signpost_overload_total"), 105)
        self.assertEqual(value("signpost_workers"), 2)
        self.assertEqual(value("signpost_queue_capacity"), 5)
        self.assertEqual(value("signpost_key_cache_hits_total",
                               cache="private"), 11)
        self.assertEqual(value("signpost_key_cache_hits_total",
                               cache="public"), 21)
        self.assertEqual(value("signpost_reloads_total", result="ok"), 112)
        self.assertEqual(value("signpost_reloads_total", result="failed"), 113)
        self.assertEqual(value("signpost_mail_thread_cpu_seconds_total",
                               stage="close"), 0.008)
        # 100 of 600 us and a little, and one of 20 s, above all bounds.
        name = "signpost_operation_cpu_seconds"
        samples = families[name]["samples"]

        def part(suffix, **labels):
            return samples[(name + suffix, tuple(sorted(labels.items())))]
        of = {"operation": "sign", "algorithm": "rsa-sha256"}
        self.assertEqual(part("_bucket", le="0.0005", **of), 0)
        self.assertEqual(part("_bucket", le="0.001", **of), 100)
        self.assertAlmostEqual(part("_sum", **of), 0.06000495, 9)
        of = {"operation": "verify", "algorithm": "rsa-sha1"}
        self.assertEqual(part("_bucket", le="10", **of), 0)
        self.assertEqual(part("_bucket", le="+Inf", **of), 1)
        self.assertEqual(part("_sum", **of), 20)

    def test_json_has_the_totals_of_the_metrics(self):
        self.tell("count")
        families, status = self.metrics(), self.status()
        for name, path, leaf in (
                ("signpost_signs_total", "signs", "count"),
                ("signpost_verifies_total", "verifies", "count")):
            samples = families[name]["samples"]
            self.assertEqual(len(samples), len(status[path]))
            for row in status[path]:
                count = row.pop(leaf)
                self.assertEqual(
                    samples[(name, tuple(sorted(row.items())))], count)
        for name, label, table in (
                ("signpost_messages_total", "action", status["messages"]),
                ("signpost_verify_reasons_total", "reason",
                 status["verify_reasons"]),
                ("signpost_sign_hazards_total", "hazard",
                 status["sign_hazards"]),
                ("signpost_dns_lookups_total", "result",
                 status["dns"]["lookups"]),
                ("signpost_mail_thread_cpu_seconds_total", "stage",
                 status["cpu_seconds"]["mail_thread"]),
                ("signpost_reloads_total", "result", status["reloads"])):
            self.assertEqual(
                {dict(pairs)[label]: value for (_, pairs), value
                 in families[name]["samples"].items()}, table)
        for row in status["operations"]:
            of = tuple(sorted((k, row[k]) for k in ("operation", "algorithm")))
            for name, leaf in (
                    ("signpost_operation_cpu_seconds", "cpu_seconds"),
                    ("signpost_operation_queue_seconds", "queue_seconds"),
                    ("signpost_mail_thread_wait_seconds",
                     "mail_thread_wait_seconds")):
                if leaf not in row:
                    continue
                samples = families[name]["samples"]
                self.assertEqual(
                    samples[(name + "_count", of)], row[leaf]["count"])
                self.assertAlmostEqual(
                    samples[(name + "_sum", of)], row[leaf]["sum"], 9)
        self.assertEqual(families["signpost_body_hash_bytes_total"]["samples"]
                         [("signpost_body_hash_bytes_total", ())],
                         status["body_hash"]["bytes"])

    def test_quantiles_lie_within_their_bucket(self):
        self.tell("count")
        cpu = next(row["cpu_seconds"] for row in self.status()["operations"]
                   if row["operation"] == "sign" and row["cpu_seconds"]["count"])
        self.assertAlmostEqual(cpu["mean"], 0.0006, 6)
        for name in ("p50", "p90", "p99"):
            self.assertTrue(0.0005 < cpu[name] <= 0.001, cpu)

    def test_cpu_of_all_kinds_of_thread_is_that_of_the_process(self):
        last = {}
        for _ in range(20):
            families = self.metrics()
            kinds = {dict(pairs)["kind"]: value for (_, pairs), value in families[
                "signpost_thread_cpu_seconds_total"]["samples"].items()}
            process = families["process_cpu_seconds_total"]["samples"][
                ("process_cpu_seconds_total", ())]
            self.assertAlmostEqual(sum(kinds.values()), process, 3)
            for kind, value in kinds.items():
                self.assertGreaterEqual(value, last.get(kind, 0), kind)
            last = kinds

    def test_rates_follow_the_ticks(self):
        self.tell("up")
        time.sleep(1.1)
        self.tell("count")
        rates = self.status()
        self.assertGreater(rates["signs_per_second"]["1s"], 0.5)
        self.assertGreater(rates["verifies_per_second"]["60s"], 0.5)

    def test_health_is_the_readiness_of_the_daemon(self):
        self.assertEqual(self.ask("/healthz")[::2], (200, "ready\n"))
        self.tell("down")
        self.assertEqual(self.ask("/healthz")[::2], (503, "not ready\n"))
        self.assertEqual(self.status()["ready"], 0)
        self.tell("up")
        self.assertEqual(self.ask("/healthz", tcp=True)[0], 200)

    def test_only_reading_is_allowed_and_the_rest_is_told_so(self):
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"):
            code, headers, body = self.ask("/metrics", method)
            self.assertEqual(code, 405, method)
            self.assertEqual(headers["allow"], "get, head")
            self.assertIn("GET and HEAD only", body)
        code, _, body = self.ask(
            "/status", "POST", more="Content-Length: 1000000000\r\n")
        self.assertEqual(code, 405)
        code, headers, body = self.ask("/metrics", "HEAD")
        self.assertEqual((code, body), (200, ""))
        self.assertGreater(int(headers["content-length"]), 1000)
        for path in ("/metrics/", "/../etc/passwd", "/%2e", "/Status",
                     "/status%2f"):
            code, _, body = self.ask(path)
            self.assertEqual(code, 404, path)
            self.assertIn("/healthz", body)
        self.assertEqual(self.ask("/metrics?x=y")[0], 200)
        self.assertEqual(self.ask("/metrics", version="1.0")[0], 200)

    def test_garbage_is_refused_and_forgotten(self):
        for garbage in (b"\0" * 5000, b"\r\n" * 20000, b"\x16\x03\x01" * 900,
                        b"GET\r\n\r\n", b"GET /metrics HTTP/9.9\r\n\r\n",
                        b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\n\r\n",
                        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 100000,
                        b"GET / HTTP/1.1\r\nA: " + b"b" * 1000000,
                        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                        os.urandom(100000)):
            for tcp in (False, True):
                with self.connect(tcp) as connection:
                    try:
                        connection.sendall(garbage)
                        connection.shutdown(socket.SHUT_WR)
                        answer = connection.recv(100)
                    except OSError:
                        answer = b""
                    self.assertNotIn(b" 200 ", answer)
        self.assertEqual(self.ask("/healthz")[0], 200)

    def test_100_clients_at_once_are_all_served(self):
        codes = []

        def fetch(i):
            codes.append(self.ask("/metrics", tcp=i % 2 == 0)[0])
        threads = [threading.Thread(target=fetch, args=(i,))
                   for i in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(codes, [200] * 100)
        open_files = self.status()["process"]["open_files"]
        self.assertLess(open_files, 30)

    def test_clients_that_trickle_lose_their_places(self):
        """More than there are places, on both sockets, each with an octet
        every 0.2 s, so that none is ever idle. A client that comes then has
        its answer when the life of those before it ends, and not later."""
        began = time.monotonic()
        slow = [self.connect(i % 2 == 0) for i in range(150)]
        for connection in slow:
            connection.setblocking(False)
        ended = threading.Event()

        def trickle():
            while not ended.wait(0.2):
                for connection in slow:
                    try:
                        connection.send(b"G")
                    except OSError:
                        pass
        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            for tcp in (False, True):
                with self.connect(tcp) as connection:
                    connection.settimeout(25)
                    connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
                    self.assertIn(b" 200 ", connection.recv(100))
            self.assertLess(time.monotonic() - began, 22)
        finally:
            ended.set()
            thread.join()
            for connection in slow:
                connection.close()

    def test_a_client_that_says_nothing_is_let_go(self):
        with self.connect() as silent, self.connect() as half:
            half.sendall(b"GET /status HTTP/1.1\r\nHost:")
            for connection in (silent, half):
                connection.settimeout(9)
                try:
                    self.assertEqual(connection.recv(1), b"")
                except ConnectionResetError:
                    pass

    def test_the_socket_file_has_its_mode_and_goes_with_the_server(self):
        self.assertEqual(
            stat.S_IMODE(os.stat(self.path).st_mode), 0o640)
        self.server.stdin.close()
        self.server.wait(10)
        self.assertFalse(os.path.exists(self.path))
        self.server.stdout.close()
        self.server = self.start()
        self.assertEqual(self.server.stdout.readline(), "serving\n")

    def test_a_file_left_behind_is_replaced_a_living_one_is_not(self):
        second = self.start(stderr=subprocess.PIPE)
        _, error = second.communicate(timeout=10)
        self.assertEqual(second.returncode, 1)
        self.assertIn("another process listens there", error)
        self.assertEqual(self.ask("/healthz")[0], 200)
        self.server.kill()
        self.server.wait(10)
        self.server.stdin.close()
        self.server.stdout.close()
        self.assertTrue(os.path.exists(self.path))
        self.server = self.start()
        self.assertEqual(self.server.stdout.readline(), "serving\n")
        other = os.path.join(self.folder, "file")
        with open(other, "w") as file:
            file.write("kept")
        third = self.start(path=other, stderr=subprocess.PIPE)
        _, error = third.communicate(timeout=10)
        self.assertEqual(third.returncode, 1)
        with open(other) as file:
            self.assertEqual(file.read(), "kept")

    def test_promtool_finds_no_fault(self):
        promtool = shutil.which("promtool")
        if promtool is None:
            self.skipTest("no promtool")
        self.tell("count")
        done = subprocess.run([promtool, "check", "metrics"],
                              input=self.ask("/metrics")[2], text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class ParserTest(unittest.TestCase):
    """The parser must be able to fail."""

    def test_faults_are_found(self):
        good = "# HELP a_total A.\n# TYPE a_total counter\na_total 1\n"
        self.assertEqual(len(parse_metrics(good)), 1)
        for bad in (good[:-1], good + good, good + "b 1\n",
                    good + "a_total 1\n", good + "\n",
                    good.replace("_total", ""), good.replace(" 1", " x"),
                    good.replace("total 1", 'total{a="b"c="d"} 1'),
                    good.replace("total 1", 'total{a=""} 1'),
                    good.replace("total 1", 'total{a="\\x"} 1'),
                    good.replace("# TYPE a_total counter\n", "")):
            with self.assertRaises((ValueError, AttributeError), msg=bad):
                parse_metrics(bad)


if __name__ == "__main__":
    unittest.main()
